"""First lines: which program runs a file, by what stands behind `#!`.

Owns: reading that line, the names of files whose first line counts.
Must not know: any particular language, the disk.
Invariant: nothing behind the first line is looked at, and nothing of that beyond what systems read of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.facts.paths import ending_of
from graphls.languages.unread import ENDINGS

LONGEST_LINE: Final = 256
"""What Linux reads of the line."""
_VERSION: Final = re.compile(r"(?:-?\d[\d.]*)?(?:\.exe)?\Z")
_SETTING: Final = re.compile(r"[A-Za-z_]\w*=")
_WITH_VALUE: Final = frozenset(("-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"))
_SPLIT: Final = re.compile(r"(?:-[iv0]*S|--split-string=)(.*)\Z")
_OTHERS: Final = frozenset((
    ".txt", ".text", ".log", ".out", ".err", ".patch", ".diff", ".orig", ".rej", ".bak", ".old", ".csv", ".tsv", ".svg",
    ".snap", ".golden", ".expected", ".po", ".pot", ".lock",
))  # fmt: skip
"""Endings of text that may quote a program and is none."""


def is_program_name(path: str) -> bool:
    """Whether a file of this name may be a program: its ending says nothing else."""
    ending = ending_of(path)
    return ending not in ENDINGS and ending not in _OTHERS


def interpreters(data: bytes) -> Iterator[str]:
    """Names that the first line gives the program that runs a file, the longest first."""
    line = data[2:LONGEST_LINE].partition(b"\n")[0].decode("utf-8", "replace")
    words = line.split()
    if words and _program(words[0]) == "env":
        words = list(_behind_env(words[1:]))
    if not words:
        return
    name = _program(words[0])
    further = next((word for word in words[1:] if not word.startswith("-")), "")
    if further:
        yield f"{name} {_program(further)}"
    yield name


def _program(word: str) -> str:
    """The name of a program without its folder and version."""
    return _VERSION.sub("", word.replace("\\", "/").rpartition("/")[2])


def _behind_env(words: list[str]) -> Iterator[str]:
    """The command that `env` runs: what stands behind its options and settings."""
    skipping, begun = False, False
    for word in words:
        split = None if begun else _SPLIT.match(word)
        if skipping:
            skipping = False
        elif split is not None:
            if split[1]:
                begun = True
                yield split[1].strip("'\"")
        elif begun or not (word.startswith("-") or _SETTING.match(word)):
            begun = True
            yield word
        else:
            skipping = word in _WITH_VALUE
