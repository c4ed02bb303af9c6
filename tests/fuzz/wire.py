"""Wire: a real server under random bytes and random messages, and what may never happen to it.

Owns: mutated frames, bursts of messages with their answers, the complaints about a server.
Must not know: which bytes or messages are right.
Invariant: a server answers each request once, ends only as the protocol says, and never shows a traceback.
"""

from __future__ import annotations

import os
import queue
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from e2e.raw_client import SERVER, RawClient, framed, notification, request
from fixture_text import fixture
from fuzz.talk import Message, Talk
from git_folders import committed
from graphls.lsp.main import features
from graphls.lsp.protocol import Feature
from graphls.lsp.protocol.framing import MAX_HEADER

PATIENCE = 600.0
"""Seconds: as long as a server may be silent before it counts as hanging. A busy machine is no fault."""
PADDING = b" " * (256 * 1024)
LONG = b" " * (MAX_HEADER + 1)
"""Wherever it stands between the lines of a header, the header is too long."""
MOST_PADDING = 80 * 1024 * 1024
INTERNAL = -32603
RESOLUTION = Path(__file__).parents[2] / "fixtures" / "typescript" / "resolution"
SCRIPTS = ("classes", "configs", "commonjs", "react", "vue")


class Complaint(AssertionError):
    """The server did what it must not."""


def small_workspace(root: Path, most: int = 8) -> None:
    """A few files of a small real package and small workspaces of TypeScript, under version control."""
    found = find_spec("pathspec")
    assert found is not None
    assert found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0])
    sized = sorted((path.stat().st_size, path) for path in folder.rglob("*.py"))
    for _, path in sized[-most - 1 : -1]:
        target = root / "pathspec" / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "pathspec" / "__init__.py").touch()
    for case in SCRIPTS:
        for path, data in fixture((RESOLUTION / f"{case}.txt").read_text("utf-8")).files.items():
            target = root / case / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    committed(root)


def start_server(root: Path, cache: Path, options: Message | None = None, before: Sequence[str] = ()) -> RawClient:
    """`graphls serve` over a folder, initialized. `before`: a command that starts the one behind it."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRAPHLS_CACHE_DIR": str(cache)}
    pipe = subprocess.PIPE
    command = [*before, sys.executable, "-m", "graphls", "serve"]
    client = RawClient(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=root))
    uri = root.as_uri()
    params = {
        "processId": None,
        "capabilities": {},
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": "w"}],
        "initializationOptions": options or {"checker": {"enabled": False}},
    }
    answer = ask(client, "initialize", params)
    if "result" not in answer:
        raise Complaint(f"initialize failed: {answer} {last_trace(client)}")
    client.send(notification("initialized", {}))
    return client


def ask(client: RawClient, method: str, params: object = None) -> Message:
    """One request alone; whatever else comes is dropped."""
    name = f"{method} {time.monotonic()}"
    client.send(request(name, method, params))
    while True:
        try:
            message = client.receive(PATIENCE)
        except queue.Empty:
            raise Complaint(f"no answer to {method}: {client.stderr[-5:]}") from None
        if message is None:
            raise Complaint(f"ended with {client.wait()} at {method}: {client.stderr[-5:]}")
        if message.get("id") == name:
            return message


def methods() -> list[str]:
    """Every request that the server answers, those about the whole graph seldom, and a few that it does not know."""
    declared = [item for item in features() if isinstance(item, Feature)]
    often = [item.method for item in declared if item.kind != "long"]
    return [*(often * 5), *(item.method for item in declared), "workspace/executeCommand", "nothing/there", "$/nothing"]


# Bytes


def frames(chosen: random.Random, talk: Talk) -> bytes:
    """Valid messages, damaged valid messages, and plain noise."""
    kind = chosen.random()
    if kind < 0.25:
        return chosen.randbytes(chosen.choice((1, 10, 200, 4000)))
    whole = framed(talk.message())
    if kind < 0.45:
        return whole
    data = bytearray(whole)
    for _ in range(chosen.choice((1, 1, 3, 20))):
        place = chosen.randrange(len(data) + 1)
        piece = chosen.choice((b"", b"\r\n", b"\0", b'"', b"{", b"}", b"[", b"9", LONG, chosen.randbytes(3)))
        data[place : place + chosen.choice((0, 1, 1, 30))] = piece
    return bytes(data)


@attrs.define
class Tally:
    """What a run did."""

    bytes: int = 0
    messages: int = 0
    answers: int = 0
    errors: int = 0
    slowest: float = 0.0


def noise(client: RawClient, talk: Talk, size: int) -> Tally:
    """At least so many bytes of frames, with a question now and then that must be answered."""
    tally, since = Tally(), 0
    while tally.bytes < size:
        data = frames(talk.random, talk)
        client.raw(data)
        tally.bytes += len(data)
        since += len(data)
        if since > 100_000 or tally.bytes >= size:
            tally.slowest = max(tally.slowest, _answered(client, tally))
            since = 0
    return tally


def _answered(client: RawClient, tally: Tally) -> float:
    """Seconds until a fresh question is answered; a message that was announced as longer is filled up before it."""
    begun, filled, number = time.monotonic(), 0, 0
    while filled <= MOST_PADDING:
        number += 1
        name = f"alive {tally.bytes} {number}"
        client.send(request(name, "graph/schema", {}))
        if _comes(client, name, tally, 0.3 if filled < MOST_PADDING - len(PADDING) else PATIENCE):
            return time.monotonic() - begun
        client.raw(PADDING)
        filled += len(PADDING)
    raise Complaint(f"no answer after {tally.bytes} bytes: {client.stderr[-5:]}")


def _comes(client: RawClient, name: str, tally: Tally, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            message = client.receive(left)
        except queue.Empty:
            return False
        if message is None:
            raise Complaint(f"ended with {client.wait()} in the midst: {client.stderr[-5:]}")
        look_at(message)
        tally.answers += "id" in message
        tally.errors += "error" in message
        if message.get("id") == name:
            return True
    return False


# Messages


def conversation(client: RawClient, talk: Talk, count: int) -> Tally:
    """So many messages in bursts, each followed by all of its answers."""
    tally = Tally()
    while tally.messages < count:
        burst = [talk.message() for _ in range(talk.random.choice((1, 3, 20, 60)))]
        exchange(client, talk, burst, tally)
    exchange(client, talk, talk.farewell(), tally)
    return tally


def exchange(client: RawClient, talk: Talk, burst: list[Message], tally: Tally, patience: float = PATIENCE) -> None:
    """Sends messages and waits for one answer to each request among them."""
    waiting = {message["id"]: message["method"] for message in burst if "id" in message}
    begun = time.monotonic()
    client.send(*burst)
    tally.messages += len(burst)
    while waiting:
        try:
            answer = client.receive(patience)
        except queue.Empty:
            raise Complaint(f"no answer to {waiting}") from None
        if answer is None:
            raise Complaint(f"ended with {client.wait()} in the midst: {client.stderr[-5:]}")
        look_at(answer)
        if "method" in answer:
            continue
        if answer["id"] not in waiting:
            raise Complaint(f"an answer that nobody waits for: {str(answer)[:500]}")
        method = waiting.pop(answer["id"])
        tally.answers += 1
        tally.errors += "error" in answer
        if answer.get("error", {}).get("code") == INTERNAL:
            raise Complaint(f"{method}: {answer['error']} {last_trace(client)}")
        talk.note(answer.get("result"))
    tally.slowest = max(tally.slowest, time.monotonic() - begun)


def look_at(message: dict[str, Any]) -> None:
    """No message shows the inside of the server."""
    said = message.get("params") if message.get("method", "").startswith("window/") else None
    text = f"{message.get('error')} {said}"
    if "Traceback (most" in text or 'File "' in text or str(SERVER) in text:
        raise Complaint(text[:500])


# The end


def snapshot_id(client: RawClient, patience: float = PATIENCE) -> str:
    """The name of the graph once everything is read and linked."""
    end = time.monotonic() + patience
    status: Message = {}
    while time.monotonic() < end:
        status = ask(client, "graph/status", {})["result"]
        if status["fresh"] and status["session"]["stage"] == "complete":
            return status["snapshot"]
        time.sleep(0.1)
    raise Complaint(f"never complete: {status}")


def say_goodbye(client: RawClient) -> None:
    """The server ends as asked, and complained of nothing that is its own fault."""
    ask(client, "shutdown")
    client.send(notification("exit"))
    code = client.process.wait(PATIENCE)
    if code != 0:
        raise Complaint(f"exit code {code} after shutdown: {client.stderr[-5:]}")
    if trace := last_trace(client):
        raise Complaint(trace)


def last_trace(client: RawClient) -> str:
    """The last traceback in the log."""
    time.sleep(0.2)
    starts = [number for number, line in enumerate(client.stderr) if "Traceback (most" in line]
    return "".join(client.stderr[starts[-1] : starts[-1] + 60]) if starts else ""
