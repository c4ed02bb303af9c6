"""Answering: the processor time of answers inside one process, by the handlers of the language server.

Owns: edits of a large open file to fresh answers, step by step; each kind of request at places chosen by seed.
Must not know: transports, what the numbers should be.
Invariant: only the thread that answers is counted, from the message's params to the bytes of its answer.

    python bench/answering.py ROOT --cache FOLDER [--file FILE] [--edits N] [--count N] [--seed N] [--rest SECONDS]
        [--checker NAME] [--environment FOLDER] [--only WORD] [--same]

A busy machine makes every figure larger; figures of two versions are compared by runs that take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
if "--installed" not in sys.argv:
    sys.path.insert(0, str(HERE / "server"))
sys.path.insert(0, str(HERE / "bench"))

from latency import LANGUAGES, MEMBER, NAME, places, readable, summary  # noqa: E402

if "--installed" in sys.argv:
    sys.path.remove(str(HERE / "server"))

_STILL = 2
_LITTLE = 0.005
"""Seconds in a row in which the session's thread uses less processor time than this: it rests."""


class Desk:
    """A session_folder of the language server, without a client."""

    def __init__(self, root: Path, options: dict[str, object]) -> None:
        from graphls.lsp.main import features
        from graphls.lsp.protocol.conversion import Conversion, make_converter
        from graphls.lsp.protocol.features import Feature
        from graphls.lsp.server_session import ServerSession

        self.root = root
        self.features = {found.method: found for found in features() if isinstance(found, Feature)}
        self.conversion = Conversion(make_converter())
        for found in self.features.values():
            if found.own:
                self.conversion.register(found.method, found.params, found.result)
        self.conversion.prepare()
        self.work = ServerSession([root.as_uri()], options)
        self.version = 1

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def ask(self, method: str, **params: object) -> tuple[float, bytes]:
        """Seconds of the answering thread, and the answer."""
        from lsprotocol import types

        from graphls.lsp.protocol.features import RequestContext
        from graphls.lsp.protocol.progress import PartialResults
        from graphls.lsp.protocol.scheduling import CancelToken

        begun = time.thread_time()
        made = self.conversion.params(method, params)
        client = types.ClientCapabilities()
        nothing: Any = None
        cancel = CancelToken()
        parts = PartialResults(nothing, None, cancel)
        newest = self.work.snapshot
        context: Any = RequestContext(
            self.work, cancel, "utf-8", client, nothing, parts, newest, newest, newest, lambda _: None
        )
        try:
            answer = self.conversion.encode({"result": self.features[method].handler(context, made)})
        except Exception as error:  # noqa: BLE001 (a refusal is an answer too)
            answer = f"{type(error).__name__}: {error}".encode()
        return time.thread_time() - begun, answer

    def change(self, path: str, line: int, character: int, text: str) -> float:
        """One typed text."""
        from graphls.session.documents.document import TextChange

        self.version += 1
        begun = time.thread_time()
        where = (line, character)
        change = TextChange(text, (where, where))
        self.work.change(self.uri(path), self.version, [change], "utf-8")
        return time.thread_time() - begun


def edits(desk: Desk, path: str, text: str, count: int, chosen: random.Random) -> dict[str, Any]:
    """A changed line inside a function, then the next snapshot, definition and neighborhood at a name in it."""
    lines = text.split("\n")
    members = {number: match.start(1) for number, line in enumerate(lines) if (match := MEMBER.match(line))}
    inside = sorted(members)
    waits: dict[str, list[float]] = {name: [] for name in ("snapshot", "to definition", "to neighborhood")}
    slow: list[tuple[float, int]] = []
    for _ in range(count):
        line = chosen.choice(inside)
        spent = desk.change(path, line, len(lines[line].encode()), " ")
        lines[line] += " "
        begun = time.thread_time()
        desk.work.snapshot()
        spent += time.thread_time() - begun
        waits["snapshot"].append(spent)
        where = {"textDocument": {"uri": desk.uri(path)}, "position": {"line": line, "character": members[line] + 1}}
        spent += desk.ask("textDocument/definition", **where)[0]
        waits["to definition"].append(spent)
        near = desk.ask("graph/neighborhood", **where, depth=1)[0]
        slow.append((round(near * 1000), line))
        waits["to neighborhood"].append(spent + near)
        time.sleep(0.3)
    return {**{name: summary(seconds) for name, seconds in waits.items()}, "slowest": sorted(slow)[-4:]}


def everywhere(desk: Desk, files: list[str], count: int, chosen: random.Random, only: str) -> dict[str, Any]:
    """Each kind of request at the same places of many files."""
    asked: list[tuple[str, dict[str, int]]] = []
    for path in chosen.choices(files, k=count):
        asked += [(path, place) for place in places((desk.root / path).read_text("utf-8"), 1, chosen)]

    def measured(questions: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        found: list[tuple[float, str]] = []
        for method, params in questions:
            what = f"{params.get('textDocument', params)} {params.get('position', '')}"
            found.append((desk.ask(method, **params)[0], what))
            time.sleep(0.02)
        slowest = [f"{round(seconds * 1000)} {what}" for seconds, what in sorted(found, reverse=True)[:4]]
        return {**summary([seconds for seconds, _ in found]), "slowest": slowest}

    def timed(method: str, **more: object) -> list[tuple[str, dict[str, Any]]]:
        return [(method, {"textDocument": {"uri": desk.uri(path)}, "position": at, **more}) for path, at in asked]

    names = [line for path in files[:40] for line in NAME.findall((desk.root / path).read_text("utf-8"))]
    found = chosen.sample(names, min(count, 60))
    rounds: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "definition": timed("textDocument/definition"),
        "hover": timed("textDocument/hover"),
        "references": timed("textDocument/references", context={"includeDeclaration": True}),
        "neighborhood depth 2": timed("graph/neighborhood", depth=2),
        "impact depth 3": timed("graph/impact", depth=3),
        "find": [("graph/find", {"text": name}) for name in found],
    }
    return {name: measured(questions) for name, questions in rounds.items() if only in name}


def until(done: Callable[[], bool]) -> None:
    while not done():
        time.sleep(0.1)


def at_rest(desk: Desk, seconds: float) -> None:
    """Waits until all is linked and the session's own thread has nothing more to do; at most some seconds for that."""
    session = desk.work.session
    until(lambda: session.progress.stage == "complete")
    thread = next(one for one in threading.enumerate() if one.name == "graphls-session")
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    end, still = time.monotonic() + seconds, 0
    while time.monotonic() < end and still < _STILL:
        before = time.clock_gettime(clock)
        time.sleep(1.0)
        still = still + 1 if time.clock_gettime(clock) - before < _LITTLE else 0


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--file", default="django/db/models/sql/query.py")
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--count", type=int, default=118)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rest", type=float, default=120.0, help="seconds that the session has to work ahead, at most")
    parser.add_argument("--installed", action="store_true", help="the package of the environment")
    parser.add_argument("--checker", default="")
    parser.add_argument("--environment", default="")
    parser.add_argument("--only", default="", help="only rounds whose names hold this")
    chosen = parser.parse_args()
    os.environ["GRAPHLS_CACHE_DIR"] = chosen.cache
    # As the server does.
    sys.setswitchinterval(0.0005)
    checker = {"enabled": bool(chosen.checker), **({"name": chosen.checker} if chosen.checker else {})}
    desk = Desk(chosen.root.resolve(), {"checker": checker, "python": {"environment": chosen.environment}})
    numbers = random.Random(chosen.seed)
    found: dict[str, Any] = {}
    try:
        text = (chosen.root / chosen.file).read_text("utf-8")
        desk.work.open(desk.uri(chosen.file), 1, text, LANGUAGES[chosen.file[chosen.file.rindex(".") :]])
        at_rest(desk, chosen.rest)
        if chosen.edits:
            found["edit"] = edits(desk, chosen.file, text, chosen.edits, numbers)
            at_rest(desk, chosen.rest)
        found |= everywhere(desk, readable(chosen.root, chosen.file), chosen.count, numbers, chosen.only)
    finally:
        desk.work.close()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
