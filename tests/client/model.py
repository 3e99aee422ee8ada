"""A scripted model: a server of the Messages API that replays a script.

A script holds, for each conversation, a list of turns. A turn is a list of blocks: a string is text, `use(...)` is a
tool call. A turn may also be a function from what the model received last to such a list. The conversation of a
subagent is found by the words `conversation: NAME` in its prompt; everything else is `main`.

Every request is kept, so that a scenario can ask what the model received and when.
"""

import itertools
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAIN = "main"
CONVERSATION = re.compile(r"conversation: ([a-z-]+)")
# How the client introduces the text of a hook.
HOOK = re.compile(r"^(?=[A-Z][A-Za-z]+(?::[\w.-]+)? hook (?:additional context|blocking error|success|stopped)|Stop hook feedback:)", re.M)
REMINDER = re.compile(r"<system-reminder>\n?(.*?)\n?</system-reminder>", re.S)
# Texts of the client itself, which it may append to the text of a hook.
OWN = re.compile(
    r"\n\n(?=# Environment|Available agent types|The following (?:deferred tools|skills)|While bypass|Today's date)"
)
COMPACTION = "create a detailed summary"
# For ids. The client takes messages with the same id for parts of one message, also across runs of one session.
NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Use:
    """A call of a tool."""

    name: str
    input: dict


def use(name, /, **input):
    return Use(name, input)


@dataclass
class Result:
    """The result of one of the model's calls."""

    id: str
    text: str
    is_error: bool


@dataclass
class Received:
    """What the model received in one request, after its last message."""

    conversation: str
    results: list = field(default_factory=list)
    hooks: list = field(default_factory=list)
    others: list = field(default_factory=list)
    prompt: str = ""

    def everything(self):
        return [result.text for result in self.results] + self.hooks + self.others


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")


def received_by(conversation, messages):
    """The content of the messages after the model's last one."""
    last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    received = Received(conversation)
    for message in messages[last + 1 :]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block.get("type") == "tool_result":
                text = text_of(block.get("content") or "")
                received.results.append(Result(block["tool_use_id"], text, bool(block.get("is_error"))))
            elif block.get("type") == "text":
                sort_text(received, message["role"], block["text"])
    return received


def sort_text(received, role, text):
    reminders = REMINDER.findall(text)
    rest = REMINDER.sub("", text).strip()
    for whole in reminders + ([rest] if rest else []):
        # The client joins the texts of several hooks into one message.
        for piece in filter(None, (piece.strip() for piece in HOOK.split(whole))):
            if HOOK.match(piece):
                text_of_hook, *own = OWN.split(piece, maxsplit=1)
                received.hooks.append(text_of_hook.strip())
                received.others += own
            elif role == "user" and whole is rest:
                received.prompt = "\n".join(filter(None, [received.prompt, piece]))
            else:
                received.others.append(piece)


def conversation_of(messages):
    opening = []
    for message in messages:
        if message["role"] == "assistant":
            break
        opening.append(text_of(message["content"]))
    named = CONVERSATION.search("\n".join(opening))
    return named.group(1) if named else MAIN


class Model:
    """The server, its script, and what it was asked."""

    def __init__(self, script):
        self.script = {name: list(turns) for name, turns in script.items()}
        self.requests = []
        self.side_requests = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(self))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def received(self, conversation=MAIN):
        """What the model received in each request of a conversation, in order."""
        return [received for received, _ in self.requests if received.conversation == conversation]

    def answer(self, body):
        """The blocks of the next message, with ids for the calls."""
        messages = body.get("messages", [])
        latest = text_of(messages[-1]["content"]) if messages else ""
        if COMPACTION in latest:
            self.side_requests.append(body)
            return [{"type": "text", "text": "<summary>\nWork went on.\n</summary>"}]
        names = {tool.get("name") for tool in body.get("tools", [])}
        if not names & {"Write", "Bash", "Edit"}:
            self.side_requests.append(body)
            return [{"type": "text", "text": side_answer(body)}]
        with self.lock:
            received = received_by(conversation_of(messages), messages)
            self.requests.append((received, body))
            turns = self.script.get(received.conversation, [])
            turn = turns.pop(0) if turns else ["Done."]
            blocks = turn(received) if callable(turn) else turn
            return [self.block(piece) for piece in ([blocks] if isinstance(blocks, (str, Use)) else blocks)]

    def block(self, piece):
        if isinstance(piece, str):
            return {"type": "text", "text": piece}
        return {"type": "tool_use", "id": f"toolu_{next(NUMBERS):024}", "name": piece.name, "input": piece.input}


def side_answer(body):
    """Something harmless for what the client asks on its own account: titles, summaries, probes."""
    schema = body.get("output_config", {}).get("format", {}).get("schema") or body.get("output_format", {}).get("schema")
    if schema:
        return json.dumps({name: "A title" for name in schema.get("properties", {})})
    return "A title"


def message_of(body, blocks):
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{next(NUMBERS):024}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    }


def events_of(message):
    """The same message as a stream."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            opening, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": opening}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": message["usage"]}
    yield {"type": "message_stop"}


def handler_for(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self.reply(200, b"")

        def do_GET(self):
            self.reply(404, b'{"type":"error","error":{"type":"not_found_error","message":"not here"}}')

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            path = self.path.split("?")[0]
            if path.endswith("/count_tokens"):
                self.reply(200, b'{"input_tokens": 100}')
            elif not path.endswith("/messages"):
                self.reply(404, b'{"type":"error","error":{"type":"not_found_error","message":"not here"}}')
            else:
                message = message_of(body, model.answer(body))
                if body.get("stream"):
                    pieces = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events_of(message))
                    self.reply(200, "".join(pieces).encode(), "text/event-stream")
                else:
                    self.reply(200, json.dumps(message).encode())

        def reply(self, status, content, kind="application/json"):
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Handler
