"""Open files: what an editor's server reads of a file says what a plain reading says, before and after an edit.

Owns: the files of some folders in a random order, one reading of each with what a server keeps for the next text, one
    edit in its middle and the edit taken back.
Must not know: how files are read.
Invariant: exit code 0 only when every file says the same each time and none fails.

    python bench/open_files.py ROOT... [--seconds N] [--seed N]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "server")]

from graphls.facts.codec import encode  # noqa: E402
from graphls.facts.paths import FilePath  # noqa: E402
from graphls.languages.registry import provider_for  # noqa: E402
from graphls.session.index.extraction import understand  # noqa: E402

LEAST, MOST = 1_500, 150_000
"""Bytes of a file of which a server keeps something, and that is read here."""
LEFT_OUT = frozenset((".git", "node_modules"))


def problems(path: Path) -> tuple[str, list[str]]:
    """The language of a file, "" for one of which nothing is kept, and what is wrong."""
    provider = provider_for(FilePath(path.name))
    fragments = None if provider is None else provider.capabilities.fragments
    if provider is None or fragments is None:
        return "", []
    file, data = FilePath(path.name), path.read_bytes()
    memory, found = fragments.new_cache(), list[str]()
    at = data.find(b"(", len(data) // 2)
    edited = data[:at] + b"x" + data[at:] if at > 0 else data
    for what, text in (("as it is", data), ("edited", edited), ("edited back", data)):
        plain = understand(provider, file, text)
        try:
            kept = understand(provider, file, text, None, memory)
        except Exception as error:  # noqa: BLE001 (it is what is looked for)
            return provider.capabilities.name, [f"{what}: {type(error).__name__}: {error}"]
        if [encode(one) for one in kept] != [encode(one) for one in plain]:
            found.append(f"{what}: it says something else")
    return provider.capabilities.name, found


def files_in(roots: list[Path]) -> Iterator[Path]:
    """Files that are neither small nor large."""
    for root in roots:
        for path in root.rglob("*"):
            if path.is_file() and LEFT_OUT.isdisjoint(path.parts) and LEAST < path.stat().st_size < MOST:
                yield path


def main() -> int:
    """Reads, and lists what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    files = sorted(files_in(asked.roots))
    random.Random(asked.seed).shuffle(files)
    end, read, wrong = time.monotonic() + asked.seconds, Counter[str](), 0
    for path in files:
        if time.monotonic() > end:
            break
        language, found = problems(path)
        read[language] += bool(language)
        wrong += bool(found)
        for one in found:
            print(f"{path}: {one}")
    print(f"{read.total()} files, {wrong} with problems: {dict(+read)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
