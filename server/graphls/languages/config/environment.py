"""Environment: which variables a document gives to the programs that it starts.

Owns: where variables stand in files of keys and values, and in Dockerfiles.
Must not know: what reads them.
Invariant: the last part of an entry's name is the variable: a word of letters, digits and underscores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.languages.config.document import ConfigEntry, KeyedText

VARIABLE: Final = "variable"
_HOLDERS: Final = frozenset(("environment", "env", "envs", "build_args"))
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SHOUTED: Final = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
_SET: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:=|\Z)")
_FILE: Final = re.compile(r"(?:.*/)?(?:\.env[^/]*|[^/]*\.env)\Z")


def is_environment_file(path: str) -> bool:
    """Whether a file is nothing but variables: `.env`, `.env.local`, `test.env`."""
    return _FILE.match(path) is not None


def variables(path: str, text: KeyedText) -> Iterator[ConfigEntry]:
    """Variables of a file of keys and values, named by where they stand."""
    if is_environment_file(path):
        for key in text.keys:
            if _NAME.match(key.path[-1]):
                yield ConfigEntry(VARIABLE, key.path[-1], key.start, key.end, key.full_start, key.full_end)
        return
    for key in text.keys:
        *before, name = key.path
        if before and before[-1] in _HOLDERS and _SHOUTED.match(name):
            where = ".".join(part for part in key.path if not part.isdigit())
            yield ConfigEntry(VARIABLE, where, key.start, key.end, key.full_start, key.full_end)
    for value in text.values:
        *before, last = value.path or ("",)
        where = [part for part in before if not part.isdigit()]
        if last.isdigit() and before and before[-1] in _HOLDERS:
            found = _SET.match(value.text)
            if found is not None:
                end = value.start + len(found[1].encode())
                yield ConfigEntry(VARIABLE, ".".join((*where, found[1])), value.start, end, value.start, value.end)
        elif last == "name" and before[-2:-1] and before[-2] in _HOLDERS and _NAME.match(value.text):
            name = ".".join((*where, value.text))
            yield ConfigEntry(VARIABLE, name, value.start, value.end, value.start, value.end)


_INSTRUCTION: Final = re.compile(
    rb"^[ \t]*(?:ENV|ARG)[ \t]+((?:[^\\\n]|\\[^\n]|\\\r?\n(?:[ \t]*#[^\n]*\n)*)*)", re.MULTILINE | re.IGNORECASE
)
_PAIR: Final = re.compile(
    rb"(?:\A|(?<=\s))([A-Za-z_][A-Za-z0-9_]*)=(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:[^\s\\]|\\[^\n])*)"
)
_OLD: Final = re.compile(rb"([A-Za-z_][A-Za-z0-9_]*)(?=\s|\Z)")


def dockerfile_variables(data: bytes) -> Iterator[ConfigEntry]:
    """`ENV A=1 B=2`, `ENV A 1`, `ARG A`."""
    for line in _INSTRUCTION.finditer(data):
        pairs = list(_PAIR.finditer(data, *line.span(1)))
        if not pairs:
            old = _OLD.match(data, *line.span(1))
            pairs = [] if old is None else [old]
        for pair in pairs:
            name = pair[1].decode("ascii", "replace")
            yield ConfigEntry(VARIABLE, name, *pair.span(1), *pair.span())
