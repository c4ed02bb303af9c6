"""Truth for `bench/languages.py` from a language server that is asked about every word of a tree.

    python bench/word_truth.py ROOT --ending .sh --ending .bash --id shellscript [--words N] -- SERVER ... > TRUTH.jsonl

Asked where each word leads that stands outside of comments and single quotes; one that leads to itself is a
declaration and no use. What a server says nothing about is left out, so it tells nothing of calls of programs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
from pathlib import Path

import attrs
from opinions import OUTSIDE, Manner, Opinion

from graphls.compilers.child_process import Launch
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

_SKIPPED = re.compile(rb"(?m)(?:^|(?<=\s))#.*$|'[^'\n]*'")
_WORD = re.compile(rb"(?<![\w.-])[A-Za-z_]\w*(?![\w.-])")


@attrs.frozen
class Word:
    """A word of a file."""

    path: FilePath
    start: int
    name: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--ending", action="append", required=True)
    parser.add_argument("--id", required=True)
    parser.add_argument("--words", type=int, default=2_000, help="how many are asked about, drawn by chance")
    parser.add_argument("server", nargs="+")
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    found = sorted(path for path in root.rglob("*") if path.suffix in chosen.ending and path.is_file())
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
    snapshot = snapshot_of(files)
    words: list[Word] = []
    for file, raw in files.items():
        text = _SKIPPED.sub(lambda found: b" " * len(found[0]), raw)
        words += [Word(FilePath(file), one.start(), one[0].decode()) for one in _WORD.finditer(text)]
    words = sorted(random.Random(7).sample(words, min(chosen.words, len(words))), key=lambda one: (one.path, one.start))
    opinion = Opinion(
        Launch(tuple(chosen.server), str(root), dict(os.environ)),
        Manner(packages="node_modules", at_once=50, opened_as=lambda _: chosen.id),
    )
    said = opinion.ask(snapshot, words)
    opinion.end()
    for word in words:
        answer = said[word]
        if not answer.lines or answer.declares:
            continue
        line, column = snapshot.facts(word.path).line_column(word.start)
        places = [[file, at + 1, 1] for file, at in sorted(answer.lines) if (file, at) != OUTSIDE]
        print(
            json.dumps({
                "file": word.path, "line": line + 1, "col": column + 1, "name": word.name,
                "external": not places, "local": False, "kind": "use", "definitions": places,
            })
        )  # fmt: skip
    print(f"{len(words)} words, {sum(1 for one in said.values() if one.lines)} answered", file=sys.stderr)


if __name__ == "__main__":
    main()
