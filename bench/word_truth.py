"""Truth for `bench/languages.py` from a language server that is asked about every word of a tree.

    python bench/word_truth.py ROOT --ending .sh --ending .bash --id shellscript [--words N] -- SERVER ... > TRUTH.jsonl
    python bench/word_truth.py ROOT --ending .lua --id lua --below lua -- emmylua_ls > TRUTH.jsonl

Asked where each word leads that stands outside of comments and texts (`_MANNERS`); one that leads to itself is a
declaration and no use. What a server says nothing about is left out, so it tells nothing of calls of programs.

A server may lead on from a plain name to what it stands for (`local m = require "m"`), or to a global of that name in
another file. Then the first place in the same file that it has references at is true as well, where the line declares
the name; where only the text before does, and where no true line spells the word (`self`), it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from pathlib import Path

import attrs
from opinions import OUTSIDE, Line, Manner, Opinion

from graphls.compilers.child_process import Launch
from graphls.facts.paths import FilePath
from graphls.languages.registry import capabilities_for
from graphls.session.memory import snapshot_of

_SHELL = re.compile(rb"(?m)(?:^|(?<=\s))#.*$|'[^'\n]*'"), re.compile(rb"(?<![\w.-])[A-Za-z_]\w*(?![\w.-])")
_MANNERS = {
    "shellscript": _SHELL,
    "lua": (
        re.compile(
            rb"(?s)--\[(=*)\[.*?\]\1\]|--(?!-[ ]*@)[^\n]*|\[(=*)\[.*?\]\2\]"
            rb"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|@\w+"
        ),
        re.compile(rb"(?<!\w)[A-Za-z_]\w*"),
    ),
    "php": (
        re.compile(
            rb"(?s)/\*.*?\*/|//[^\n]*|#(?!\[)[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
            rb"|<<<\s*['\"]?(\w+)['\"]?\n.*?\n\s*\1\b"
        ),
        re.compile(rb"(?<![\w$])[A-Za-z_]\w*"),
    ),
}
"""By language id: what is no code, and what a word is."""


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
    parser.add_argument("--below", default="", help="ask about files in this folder only")
    parser.add_argument("--warm", type=float, default=0, help="seconds that the server has to read the tree")
    parser.add_argument("server", nargs="+")
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    found = sorted(path for path in root.rglob("*") if path.suffix in chosen.ending and path.is_file())
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
    snapshot = snapshot_of(files)
    words: list[Word] = []
    skipped, spelled = _MANNERS.get(chosen.id, _SHELL)
    for file, raw in files.items():
        if not file.startswith(chosen.below):
            continue
        known = capabilities_for(FilePath(file))
        reserved = known.reserved if known is not None else frozenset()
        text = skipped.sub(lambda found: b" " * len(found[0]), raw)
        some = [Word(FilePath(file), one.start(), one[0].decode()) for one in spelled.finditer(text)]
        words += [word for word in some if word.name not in reserved]
    words = sorted(random.Random(7).sample(words, min(chosen.words, len(words))), key=lambda one: (one.path, one.start))
    opinion = Opinion(
        Launch(tuple(chosen.server), str(root), dict(os.environ)),
        Manner(packages="node_modules", at_once=50, opened_as=lambda _: chosen.id),
    )
    time.sleep(chosen.warm)
    said = opinion.ask(snapshot, words)
    lines = {file: raw.split(b"\n") for file, raw in files.items()}

    def spells(word: Word, place: Line) -> bool:
        return place == OUTSIDE or word.name.encode() in lines[place[0]][place[1]]

    away = [word for word in words if said[word].lines and not said[word].declares and _is_plain(files, word)]
    # Only where it is needed: a server may list the places of a global in thousands of files.
    away = [word for word in away if not any(_binds(word, one, lines) for one in said[word].lines)]
    plain = [word for word in away if _declares(word.name, files[word.path][: word.start])]
    first = opinion.ask(snapshot, plain, "references")
    opinion.end()
    left_out = 0
    for word in words:
        answer = said[word]
        if not answer.lines or answer.declares:
            continue
        if word in first and not any(_binds(word, one, lines) for one in answer.lines):
            here = [one for one in first[word].lines if one[0] == word.path]
            if here and _declares(word.name, lines[word.path][min(here)[1]]):
                answer = attrs.evolve(answer, lines=answer.lines | {min(here)})
            elif _declares(word.name, files[word.path][: word.start]):
                left_out += 1
                continue
        if not any(spells(word, one) for one in answer.lines):
            left_out += 1
            continue
        line, column = snapshot.facts(word.path).line_column(word.start)
        places = [[file, at + 1, 1] for file, at in sorted(answer.lines) if (file, at) != OUTSIDE]
        print(
            json.dumps({
                "file": word.path, "line": line + 1, "col": column + 1, "name": word.name,
                "external": not places, "local": False, "kind": "use", "definitions": places,
            })
        )  # fmt: skip
    answered = sum(1 for one in said.values() if one.lines)
    print(f"{len(words)} words, {answered} answered, {left_out} lead on to another name", file=sys.stderr)


def _declares(name: str, text: bytes) -> bool:
    """Whether a text binds a name to a variable or parameter, or assigns it."""
    if name.encode() not in text:
        return False
    bound = rb"\b(?:local|for|function)\b(?:(?!\bin\b|\blocal\b)[\w\s,.<>(){}\[\]:])*?(?<![\w.:])%b\b"
    given = rb"(?m)^[ \t]*(?:[\w.]+[ \t]*,[ \t]*)*%b[ \t]*(?:,[^=\n]*)?=[^=]"
    return re.search(b"%b|%b" % (given, bound) % (name.encode(), name.encode()), text) is not None


def _binds(word: Word, place: Line, lines: dict[str, list[bytes]]) -> bool:
    """Whether a place is a declaration of the plain name in the same file."""
    return place[0] == word.path and _declares(word.name, lines[place[0]][place[1]])


def _is_plain(files: dict[str, bytes], word: Word) -> bool:
    """Whether a word is no member."""
    before = files[word.path][max(0, word.start - 2) : word.start]
    return before[-1:] not in (b".", b":") or before == b".."


if __name__ == "__main__":
    main()
