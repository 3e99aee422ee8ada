#!/usr/bin/env python3
"""A small MCP server over stdin and stdout with tools that write files, and one that does not."""

import json
import sys

TEXT = {"type": "string"}
TOOLS = {
    "write_file": {"path": TEXT, "content": TEXT},
    "put": {"file_path": TEXT, "text": TEXT},
    "say": {"content": TEXT},
}


def call(name, given):
    path = given.get("path") or given.get("file_path")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(given.get("content") or given.get("text"))
    return {"content": [{"type": "text", "text": f"{name} is done"}], "isError": False}


def answer(method, given):
    if method == "initialize":
        version = given.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}
    if method == "tools/list":
        schema = lambda keys: {"type": "object", "properties": keys, "required": list(keys)}
        return {"tools": [{"name": name, "description": name, "inputSchema": schema(keys)} for name, keys in TOOLS.items()]}
    if method == "tools/call":
        return call(given["name"], given.get("arguments", {}))
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message.get("method"), message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
