"""Listings: which folder a shell command lists, where its words alone say so.

Owns: the programs and options that are understood, the folder and the depth of a listing.
Must not know: workspaces, what is added to a listing.
Invariant: a command that is not plain (variables, patterns, pipes, several folders, an option that takes a value or
that is not known) is not understood, never guessed.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

import attrs

MOST_DEPTH: Final = 10
_COMPUTED: Final = re.compile(r"[$`|;&<>(){}*?\[\]~!#\\\n\r]")
_LS_FLAGS: Final = frozenset("aAbcCfFgGhHiklLmnNopqQrRsStuUvxXZ1")
_TREE_FLAGS: Final = frozenset("aACDfFghilnNpqrsStuUvx")
_LONG: Final = frozenset((
    "--all", "--almost-all", "--classify", "--color", "--color=auto", "--color=always", "--color=never", "--dirsfirst",
    "--full-time", "--group-directories-first", "--human-readable", "--inode", "--no-group", "--noreport",
    "--numeric-uid-gid", "--recursive", "--reverse", "--size", "--zero",
))  # fmt: skip
_DEPTH: Final = re.compile(r"-L([1-9][0-9]?)?\Z")


@attrs.frozen
class ListedFolder:
    """A folder as the command names it. `depth`: 1 for what stands in it, more for what is nested."""

    folder: str
    depth: int


def listed_folder(command: str) -> ListedFolder | None:
    """The one folder that a command lists; None where it is no plain listing."""
    if _COMPUTED.search(command):
        return None
    try:
        program, *words = shlex.split(command)
    except ValueError:
        return None
    name = program.rpartition("/")[2]
    if name == "ls":
        return _listed(words, _LS_FLAGS, nested=1)
    return _listed(words, _TREE_FLAGS, nested=MOST_DEPTH) if name == "tree" else None


def _listed(words: list[str], flags: frozenset[str], *, nested: int) -> ListedFolder | None:
    folders: list[str] = []
    depth, rest = nested, iter(words)
    for word in rest:
        if word == "--":
            folders += rest
        elif not word.startswith("-") or word == "-":
            folders.append(word)
        elif nested > 1 and (known := _DEPTH.match(word)) is not None:
            depth = _depth(known[1] or next(rest, ""))
        elif nested == 1 and (word == "--recursive" or ("R" in word and not word.startswith("--"))):
            depth = MOST_DEPTH
        if not depth or (word.startswith("-") and not _is_known(word, flags, nested)):
            return None
    return ListedFolder(folders[0] if folders else ".", depth) if len(folders) <= 1 else None


def _depth(word: str) -> int:
    """A depth, 0 for what is none."""
    return min(int(word), MOST_DEPTH) if word.isascii() and word.isdigit() else 0


def _is_known(word: str, flags: frozenset[str], nested: int) -> bool:
    if word in ("-", "--") or (nested > 1 and _DEPTH.match(word)):
        return True
    return word in _LONG if word.startswith("--") else flags.issuperset(word[1:])
