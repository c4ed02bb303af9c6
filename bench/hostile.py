"""Hostile files: how long who asks about one file waits while another, hostile, one is opened, edited, read and linked.

Owns: a copy of a repository with the files of a shape of `code_shapes`, edits of these, requests elsewhere meanwhile.
Must not know: what the numbers should be.
Invariant: the waits are times between writing a request and reading its answer; `alone` is before the hostile file is
    opened, first questions apart. Positions are chosen by seed, and the repository is not touched.

    python bench/hostile.py ROOT FILE SHAPE ... [--kilobytes 400] [--seconds 6] [--each .1] [--seed N]
        [--requests hover,definition,...] [--spells] [--installed] [--stacks MILLISECONDS]

FILE is a file of ROOT, about which requests are made, each kind one at a time. An edit is a letter in a name or
a bracket, typed and taken away in turn; edits come whether answers do or not. `--spells`: the hostile file has all words
of FILE in a comment, so that lists of uses rest on it. `--stacks`: what the threads of the server
do in a request that takes so long, by py-spy, on standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from code_shapes import Shape, named
from latency import Client, places, summary  # sets the path of the next

from e2e.raw_client import request  # isort: skip

_NAME = re.compile(r"[A-Za-z_]\w*")
_READING = 0.015
"""Seconds that somebody takes before the next request."""
_SETTLING = 2.0
"""Seconds in which requests go on after the last edit."""
_BAR = 2.0
"""Seconds that no request may take."""
Asked = tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]
REQUESTS: dict[str, Asked] = {
    "hover": ("textDocument/hover", lambda at: at),
    "definition": ("textDocument/definition", lambda at: at),
    "references": ("textDocument/references", lambda at: {**at, "context": {"includeDeclaration": True}}),
    "highlights": ("textDocument/documentHighlight", lambda at: at),
    "outline": ("textDocument/documentSymbol", lambda at: {"textDocument": at["textDocument"]}),
    "implementation": ("textDocument/implementation", lambda at: at),
    "calls": ("textDocument/prepareCallHierarchy", lambda at: at),
    "diagnostics": ("textDocument/diagnostic", lambda at: {"textDocument": at["textDocument"]}),
    "neighborhood": ("graph/neighborhood", lambda at: {**at, "depth": 1}),
    "impact": ("graph/impact", lambda at: {**at, "depth": 2}),
    "find": ("graph/find", lambda _: {"text": "handler"}),
}


def spelling(text: str, words: str, path: str) -> str:
    """A text and a comment that has all words of another one."""
    mark = "#" if path.endswith((".py", ".rb", ".sh")) else "//"
    return text + f"\n{mark} {' '.join(sorted({*_NAME.findall(words)}))}\n"


def hostile(shape: Shape, kilobytes: int) -> dict[str, str]:
    """Files of a shape that have so many kilobytes in all."""
    size = 16
    while sum(map(len, (found := shape(size)).values())) < kilobytes * 1000 and size < 1 << 20:
        size = int(size * 1.4)
    return dict(found)


def typed(client: Client, path: str, text: str, chosen: random.Random) -> Iterator[None]:
    """Edits without end: a letter or a bracket behind a name, and then without it."""
    at, version = {"uri": client.uri(path)}, 1
    lines = text.split("\n")
    while True:
        number = chosen.randrange(len(lines))
        match = next(_NAME.finditer(lines[number]), None)
        if match is None:
            continue
        start = {"line": number, "character": match.end()}
        letter = chosen.choice("qqqq(")
        for end, new in ((start, letter), ({**start, "character": match.end() + 1}, "")):
            version += 1
            change = {"range": {"start": start, "end": end}, "text": new}
            client.tell("textDocument/didChange", textDocument={**at, "version": version}, contentChanges=[change])
            yield


class Waits:
    """Requests about one file, each kind one at a time, and how long each waited."""

    def __init__(self, client: Client, file: str, options: argparse.Namespace, chosen: random.Random) -> None:
        self.client = client
        self.file = file
        self.kinds: list[str] = options.requests
        self.stacks = options.stacks / 1000
        self.places = places(client.open(file), 5_000, chosen)
        self.begun: dict[str, float] = {}
        self.answered: dict[str, Callable[[], None]] = {}
        threading.Thread(target=self._read, daemon=True).start()
        if self.stacks:
            threading.Thread(target=self._watch, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, AssertionError):
            while (message := self.client.raw.receive()) is not None:
                if "method" not in message and (answered := self.answered.pop(str(message.get("id")), None)):
                    answered()

    def _watch(self) -> None:
        """Looks at the server once in each request that takes long."""
        seen = set[str]()
        while True:
            time.sleep(0.01)
            late = [
                name
                for name, begun in tuple(self.begun.items())
                if time.perf_counter() - begun > self.stacks and name not in seen
            ]
            if late:
                seen.update(late)
                command = ["py-spy", "dump", "--nonblocking", "--pid", str(self.client.process.pid)]
                found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
                print(f"---- {late}\n{found}", file=sys.stderr, flush=True)

    def _ask(self, kind: str, number: int, place: dict[str, int]) -> float:
        """Seconds that one request took."""
        method, params = REQUESTS[kind]
        at = {"textDocument": {"uri": self.client.uri(self.file)}, "position": place}
        name, ended = f"{kind} {number} {place['line']}:{place['character']}", threading.Event()
        self.answered[name] = ended.set
        self.begun[name] = begun = time.perf_counter()
        self.client.raw.send(request(name, method, params(at)))
        ended.wait(60)
        del self.begun[name]
        return time.perf_counter() - begun

    def during(self, seconds: float) -> dict[str, list[float]]:
        """The waits of each kind; kinds do not wait for each other."""
        found: dict[str, list[float]] = {kind: [] for kind in self.kinds}
        ends = time.monotonic() + seconds

        def ask(kind: str) -> None:
            for number, place in enumerate(cycle(self.places)):
                if time.monotonic() > ends:
                    return
                found[kind].append(self._ask(kind, number, place))
                time.sleep(_READING)

        asking = [threading.Thread(target=ask, args=(kind,)) for kind in self.kinds]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        return found


def measured(root: Path, file: str, files: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds that each kind of request waits: before the hostile file is opened, while it is opened, while it is
    edited, and after that."""
    chosen = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        space = Path(folder, "space")
        shutil.copytree(root, space, ignore=shutil.ignore_patterns(".git", "node_modules"), symlinks=True)
        for name, text in files.items():
            path = space / "hostile" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        settings = {"files": {"maxLineBytes": 1_000_000}, "checker": {"enabled": False}}
        client = Client(space, str(Path(folder, "cache")), settings)
        try:
            client.complete()
            waits = Waits(client, file, options, chosen)
            waits.during(options.seconds / 2)
            found = {"alone": waits.during(options.seconds / 2)}
            opened = f"hostile/{max(sorted(files), key=lambda name: len(files[name]))}"
            typing = typed(client, opened, client.open(opened), chosen)
            found["opened"] = waits.during(_SETTLING)
            ended = threading.Event()

            def type_on() -> None:
                while not ended.wait(options.each):
                    next(typing)

            typist = threading.Thread(target=type_on, daemon=True)
            typist.start()
            found["edited"] = waits.during(options.seconds)
            ended.set()
            typist.join()
            found["after"] = waits.during(_SETTLING)
            used = client.processor()
            return {"found": found, "cpu": used}
        finally:
            client.process.kill()
            client.process.wait()


def main() -> int:
    """Prints lines for each shape: a phase, then each kind of request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("file")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--kilobytes", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--each", type=float, default=0.1, help="seconds between edits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=lambda text: text.split(","), default=["hover", "definition", "references"])
    parser.add_argument("--spells", action="store_true")
    parser.add_argument("--installed", action="store_true", help="the graphls of this Python, not of this folder")
    parser.add_argument("--stacks", type=float, default=0.0)
    options = parser.parse_args()
    for name, shape in named(options.shapes).items():
        files = hostile(shape, options.kilobytes)
        if options.spells:
            words = (options.root / options.file).read_text("utf-8")
            files = {path: spelling(text, words, path) for path, text in files.items()}
        figures = measured(options.root, options.file, files, options)
        print(f"{name}, {sum(map(len, files.values())) // 1000} kB, server {figures['cpu']:.1f} CPU-s", flush=True)
        for phase, kinds in figures["found"].items():
            for kind, seconds in kinds.items():
                told = summary(seconds)
                slow = sum(one > _BAR for one in seconds)
                over = f"  {slow} OVER {_BAR:g} s" if slow else ""
                print(
                    f"    {phase:8} {kind:14} {told['n']:>4}  {told['p50']:>7} {told['p99']:>8} {told['max']:>8}{over}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
