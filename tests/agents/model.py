"""A scripted model that replays a script in the wire formats of several providers.

A script is a list of turns. A turn is a text, or a call of a tool: its name, and its arguments as an object, or as a
string for tools that take plain text. Every request with tools is kept, so that a scenario can ask what the model received.
"""

import itertools
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NUMBERS = itertools.count(1)
DONE = "ALL DONE"


class Model:
    """The server, its script, and what it was asked."""

    def __init__(self, turns):
        self.turns = list(turns)
        self.requests = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(self))
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def turn(self, body):
        """The next turn; a request without tools is the client's own."""
        if not has_tools(body):
            return "A title"
        with self.lock:
            self.requests.append(body)
            return self.turns.pop(0) if self.turns else DONE

    def answer(self, path, body):
        if "/responses" in path:
            return responses(self.turn(body))
        if "chat/completions" in path:
            return completions(self.turn(body), body.get("stream"))
        if "enerateContent" in path:
            return gemini(self.turn(body), "stream" in path)
        if "countTokens" in path:
            return plain({"totalTokens": 10})
        return plain({"data": [], "models": []})

    def received(self):
        """What the model received in each request beyond the one before, as one text."""
        pieces, before = [], Counter()
        for body in self.requests:
            left, new = Counter(before), []
            for text in strings(body):
                if left[text] > 0:
                    left[text] -= 1
                else:
                    new.append(text)
            before = Counter(strings(body))
            pieces.append("\n".join(new))
        return pieces


def has_tools(body):
    """Some clients put the tools among the messages."""
    messages = body.get("input") or []
    return bool(body.get("tools")) or any(one.get("type") == "additional_tools" for one in messages if isinstance(one, dict))


def strings(value):
    """All texts in a request, but for what describes its tools."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("tools", "systemInstruction", "instructions"):
                yield from strings(item)


def handler_for(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self.reply(*plain({"data": [], "models": []}))

        def do_POST(self):
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                body = json.loads(raw)
            except ValueError:
                body = {}
            self.reply(*model.answer(self.path, body))

        def reply(self, kind, text):
            data = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def plain(value):
    return "application/json", json.dumps(value)


def stream(events, named=False):
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    return "text/event-stream", "".join(lines)


def responses(turn):
    """OpenAI's Responses API."""
    number = next(NUMBERS)
    if isinstance(turn, str):
        content = [{"type": "output_text", "text": turn}]
        item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    elif isinstance(turn[1], str):
        item = {"type": "custom_tool_call", "id": f"ctc_{number}", "name": turn[0], "input": turn[1]}
    else:
        item = {"type": "function_call", "id": f"fc_{number}", "name": turn[0], "arguments": json.dumps(turn[1])}
    if not isinstance(turn, str):
        item["call_id"] = f"call_{number}"
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5, "output_tokens_details": None}
    response = {"id": f"resp_{number}", "usage": {**usage, "total_tokens": 15}, "output": [item]}
    return stream(
        [
            {"type": "response.created", "response": {"id": f"resp_{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ],
        named=True,
    )


def completions(turn, streams):
    """OpenAI's chat completions."""
    number = next(NUMBERS)
    message, finish = {"role": "assistant", "content": turn}, "stop"
    if not isinstance(turn, str):
        name, arguments = turn
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        message, finish = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call}]}, "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    base = {"id": f"chatcmpl-{number}", "created": 1767225600, "model": "m"}
    if not streams:
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return plain({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = {**base, "object": "chat.completion.chunk"}
    kind, text = stream(
        [
            {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage},
        ]
    )
    return kind, text + "data: [DONE]\n\n"


def gemini(turn, streams):
    """Gemini's generateContent."""
    part = {"text": turn} if isinstance(turn, str) else {"functionCall": {"name": turn[0], "args": turn[1]}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    value = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    return stream([value]) if streams else plain(value)
