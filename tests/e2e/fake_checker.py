"""Fake checker: a language server whose behaviour a test chooses.

    python fake_checker.py MODE LOG

Modes: good, hang (never answers a definition), crash (ends at the first definition), old, deaf (never answers
initialize), garbage, refuse (an error for every definition), again (one ContentModified, then answers), large,
flood (megabytes of complaints before each answer), waver (knows nothing of a place when it was asked about a later one
before, until it is told that a file changed), stubborn (ends neither when asked nor at the end of its input).
`LOG` gets a line for each message.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def read() -> dict | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def target(uri: str) -> dict:
    return {"uri": uri, "range": {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 7}}}


class Fake:
    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.refused: set[str] = set()
        self.latest = (-1, -1)
        self.hoard: list[bytearray] = []

    def initialize(self, identity: int) -> None:
        version = "0.0.1" if self.mode == "old" else "9.9.9"
        capabilities = {"definitionProvider": True, "positionEncoding": "utf-8"}
        if self.mode != "deaf":
            send({"id": identity, "result": {"capabilities": capabilities, "serverInfo": {"version": version}}})
        if self.mode == "garbage":
            sys.stdout.buffer.write(b"Content-Length: 5\r\n\r\n[1,2]")
            sys.stdout.buffer.flush()
        if self.mode == "large":
            self.hoard.append(bytearray(b"x" * 300_000_000))

    def definition(self, identity: int, params: dict) -> None:
        place = json.dumps(params["position"])
        at = (params["position"]["line"], params["position"]["character"])
        before, self.latest = self.latest, max(at, self.latest)
        if self.mode == "crash":
            sys.stderr.write("out of luck\n")
            sys.exit(3)
        if self.mode == "flood":
            sys.stderr.write("x" * 8_000_000 + "\n" + "no end of complaints\n" * 100_000)
        if self.mode == "refuse":
            send({"id": identity, "error": {"code": -32603, "message": "no idea"}})
        elif self.mode == "again" and place not in self.refused:
            self.refused.add(place)
            send({"id": identity, "error": {"code": -32801, "message": "content modified"}})
        elif self.mode == "waver" and at < before:
            send({"id": identity, "result": None})
        elif self.mode != "hang":
            send({"id": identity, "result": [target(params["textDocument"]["uri"])]})


def main(mode: str, log: Path) -> None:
    fake = Fake(mode)
    while (message := read()) is not None:
        method, identity = message.get("method"), message.get("id")
        with log.open("a") as out:
            out.write(json.dumps({"method": method, "params": message.get("params")}) + "\n")
        if method == "initialize":
            fake.initialize(identity)
        elif method == "textDocument/definition":
            fake.definition(identity, message["params"])
        elif method == "workspace/didChangeWatchedFiles":
            fake.latest = (-1, -1)
        elif method == "textDocument/diagnostic":
            send({"id": identity, "result": {"kind": "full", "items": []}})
        elif method == "shutdown":
            send({"id": identity, "result": None})
        elif method == "exit":
            break
    while mode == "stubborn":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
