"""Declarations as written: words in front of and marks behind a name, and arguments of decorators.

Owns: which of them records say, by the text of a statement alone.
Must not know: any particular language; a capability lists its words.
Invariant: nothing is evaluated: an argument is said only where it is made of literals and names alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from graphls.languages.capabilities import Capabilities

ARGUMENT_CAP: Final = 200
"""Characters of an argument; a longer one is left out."""
_READ: Final = 8000
"""Characters of arguments that are looked at."""
_ASIDE: Final = re.compile(rb"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD: Final = re.compile(rb"(?<![\w@#.$-])[a-z]+(?![\w.(])")
_TOKEN: Final = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/|\#(?![\[!])[^\n]*)"
    r"|(?P<string>[bBrRuU]{0,2}(?:\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|`(?:\\.|[^`\\$])*`))|(?P<template>`(?:\\.|[^`\\])*`)"
    r"|(?P<number>-?\d[\w.]*)|(?P<name>@?[A-Za-z_$][\w$]*(?:(?:\.|::|\?\.)[A-Za-z_$][\w$]*)*)"
    r"|(?P<space>\s+)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<comma>,)|(?P<set>=(?![=>])|:(?!:))|(?P<other>.)",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"[bBrRuU]{0,2}(\"{3}|'{3}|\"|'|`)(.*)\1", re.DOTALL)
_VALUES: Final = frozenset(("string", "number", "name"))


def written_modifiers(known: Capabilities, before: bytes, behind: bytes, decorators: Iterable[str]) -> Iterator[str]:
    """Modifiers that text says: `before` and `behind` a name in its statement, and names of its decorators."""
    if before and known.modifier_words:
        bare = _ASIDE.sub(b" ", before[-2000:])
        tail = bare[max(map(bare.rfind, (b")", b"]", b"}", b";"))) + 1 :]
        yield from (word for word in map(bytes.decode, _WORD.findall(tail)) if word in known.modifier_words)
    for pattern, word in known.modifier_marks:
        if pattern.match(behind):
            yield word
    for name in decorators:
        last = name.replace("::", ".").rpartition(".")[2]
        if last in known.modifier_decorators:
            yield known.modifier_decorators[last]


def static_arguments(text: str) -> Iterator[str]:
    """Arguments made of literals, names and lists of those, as written; a string without its quotes."""
    parts: list[tuple[str, str]] = []
    depth = 0
    for found in _TOKEN.finditer(text[:_READ]):
        kind = found.lastgroup or "other"
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            if text[found.end() :].strip(" \n]"):
                return  # what the call gives is called, or asked for a member
            break
        if kind == "comma" and not depth:
            yield from _argument(parts)
            parts = []
        elif kind != "comment":
            parts.append((kind, found[0]))
    else:
        if len(text) > _READ or depth:
            return
    yield from _argument(parts)


def _argument(parts: list[tuple[str, str]]) -> Iterator[str]:
    written = [part for part in parts if part[0] != "space"]
    keyword = ""
    if len(written) > 2 and written[0][0] == "name" and written[1][0] == "set" and written[0][1] != "lambda":
        keyword = f"{written[0][1]}="
        parts = parts[parts.index(written[1]) + 1 :]
        written = written[2:]
    if not written or not _is_static(written):
        return
    value = "".join(" " if kind == "space" else text for kind, text in parts).strip()
    if len(written) == 1 and written[0][0] == "string" and (quoted := _QUOTED.fullmatch(value)):
        value = quoted[2]
    if len(value) <= ARGUMENT_CAP:
        yield keyword + value


def _is_static(written: list[tuple[str, str]]) -> bool:
    """Only literals and names, which commas and `key: value` part, in brackets: neither calls nor operators."""
    depth, before = 0, "comma"
    for kind, _ in written:
        if kind in ("other", "template") or (kind == "set" and not depth):
            return False
        # A value follows what opens, parts or sets; behind another value it would be called, indexed or used.
        if (kind in _VALUES or kind == "open") and before not in ("comma", "open", "set"):
            return False
        depth += (kind == "open") - (kind == "close")
        before = kind
    return depth == 0
