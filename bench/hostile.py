"""Hostile files: how long who asks about one file waits while another, hostile, one is edited, read and linked.

Owns: a copy of a repository with the files of a shape of `code_shapes`, edits of these, hovers elsewhere meanwhile.
Must not know: what the numbers should be.
Invariant: the waits are times between writing a request and reading its answer, `computing` the processor time of the
    server in it, which holds on a busy machine too; `alone` is before the first edit, first questions among it.
    Positions are chosen by seed, and the repository is not touched.

    python bench/hostile.py ROOT FILE SHAPE ... [--kilobytes 400] [--edits 8] [--seed N] [--installed]

FILE is a file of ROOT, in which hovers are asked for. An edit is a letter in a name, typed and taken away in turn.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from code_shapes import Shape, named
from latency import Client, places, summary

_NAME = re.compile(r"[A-Za-z_]\w*")
_EACH = 0.8
"""Seconds between edits."""
_READING = 0.015
"""Seconds that somebody takes before the next hover."""


def hostile(shape: Shape, kilobytes: int) -> dict[str, str]:
    """Files of a shape that have so many kilobytes in all."""
    size = 16
    while sum(map(len, (found := shape(size)).values())) < kilobytes * 1000 and size < 1 << 20:
        size = int(size * 1.4)
    return dict(found)


def typed(client: Client, path: str, text: str, chosen: random.Random) -> Iterator[None]:
    """Edits without end: a letter behind a name, and then without it."""
    at, version = {"uri": client.uri(path)}, 1
    lines = text.split("\n")
    while True:
        number = chosen.randrange(len(lines))
        match = next(_NAME.finditer(lines[number]), None)
        if match is None:
            continue
        start = {"line": number, "character": match.end()}
        for end, letter in ((start, "q"), ({**start, "character": match.end() + 1}, "")):
            version += 1
            change = {"range": {"start": start, "end": end}, "text": letter}
            client.tell("textDocument/didChange", textDocument={**at, "version": version}, contentChanges=[change])
            yield


def waits(root: Path, file: str, files: dict[str, str], edits: int, seed: int) -> dict[str, object]:
    """Milliseconds that a hover waits, and that the server computes meanwhile, in any thread: before the first edit and
    beside edits."""
    chosen = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        space = Path(folder, "space")
        shutil.copytree(root, space, ignore=shutil.ignore_patterns(".git", "node_modules"), symlinks=True)
        for name, text in files.items():
            path = space / "hostile" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        client = Client(space, str(Path(folder, "cache")), {"files": {"maxLineBytes": 1_000_000}})
        try:
            text, opened = client.open(file), f"hostile/{sorted(files)[0]}"
            typing = typed(client, opened, client.open(opened), chosen)
            client.complete()
            asked, figures = cycle(places(text, 5_000, chosen)), dict[str, object]()
            for what in ("alone", "beside"):
                ends = time.monotonic() + edits * _EACH
                found: list[float] = []
                computing: list[float] = []
                due = time.monotonic()
                while time.monotonic() < ends:
                    if what == "beside" and time.monotonic() >= due:
                        next(typing)
                        due += _EACH
                    where = {"textDocument": {"uri": client.uri(file)}, "position": next(asked)}
                    found.append(client.ask("textDocument/hover", **where)[1])
                    computing.append(client.cpu)
                    time.sleep(_READING)
                figures |= {what: summary(found), f"computing {what}": summary(computing)}
            return figures
        finally:
            client.process.kill()
            client.process.wait()


def main() -> int:
    """Prints a line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("file")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--kilobytes", type=int, default=400)
    parser.add_argument("--edits", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--installed", action="store_true", help="the graphls of this Python, not of this folder")
    options = parser.parse_args()
    for name, shape in named(options.shapes).items():
        files = hostile(shape, options.kilobytes)
        size = sum(map(len, files.values())) // 1000
        figures = waits(options.root, options.file, files, options.edits, options.seed)
        print(f"{name:40} {size:>5} kB  {figures}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
