"""Symbol notation: the ways in which people and documentation write the name of a symbol.

Owns: what is no part of a name (keywords, quotes, type arguments, a call's brackets), the separators of languages.
Must not know: snapshots, which symbols there are.
Invariant: a function of the text; a plain dotted name stays as it is.

`Gson#toJson(Object)`, `(*Server).Close`, `client->db`, `struct client`, `Cart::total`, `Repository<Entity>.find` and
`Array.prototype.map` are names as javadoc, Go, C, C++ and the documentation of JavaScript write them.
"""

from __future__ import annotations

import re
from typing import Final

import attrs

_LONGEST: Final = 400
"""Letters of a text beyond which it is no name."""
_KEYWORD: Final = re.compile(
    r"(?:abstract|actor|async|class|const(?:expr)?|data|def(?:ault|p)?|enum|ex(?:port|tern|tension)|final|f(?:u?n|unc)"
    r"|function|in(?:line|ner|terface|ternal)|let|local|method|mod(?:ule)?|namespace|object|open|override|package"
    r"|private|protected|protocol|pub(?:lic)?|readonly|record|sealed|static|struct|trait|type(?:def)?|union|unsafe|val"
    r"|var|virtual) +(?=\S)"
)
_RECEIVER: Final = re.compile(r"\(\s*(?:\w+\s+)?[*&]?\s*(?P<type>[\w./]+)(?:\[[^\]]*\])?\s*\)\s*\.?\s*(?=\w)")
_SEPARATOR: Final = re.compile(r"::|->|\\|\?\.|\.prototype\.|#(?=[^\W\d])")
_ARGUMENTS: Final = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_DEPTH: Final = 8
"""Type arguments inside of type arguments that are taken away."""


@attrs.frozen
class SymbolNotation:
    """A name, and the parameters in brackets behind it."""

    name: str
    """Dotted; a path or a module may stand before a colon."""
    parameters: tuple[str, ...] | None = None
    """As they are written; None where there are no brackets."""


def read_notation(text: str) -> SymbolNotation:
    """What a text names."""
    text = text.strip().strip("`'\"").rstrip(";,").strip()
    if len(text) > _LONGEST:
        return SymbolNotation(text)
    name = _without_keywords(text)
    receiver = _RECEIVER.match(name)
    if receiver is not None:
        name = f"{receiver['type']}.{name[receiver.end() :]}"
    name, parameters = _without_call(name)
    if parameters is not None:
        # What stands before the name is the type of what it gives back.
        name = name.split()[-1] if name.split() else name
    name = _SEPARATOR.sub(".", _without_arguments(name)).strip().lstrip(".*&")
    return SymbolNotation(name or text, parameters)


def split_parameters(inside: str) -> tuple[str, ...]:
    """The parts of what stands between brackets that commas outside of further brackets part."""
    parts: list[str] = []
    depth = start = 0
    for at, letter in enumerate(inside):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth <= 0:
            parts.append(inside[start:at].strip())
            start = at + 1
    parts.append(inside[start:].strip())
    return tuple(part for part in parts if part)


def bracketed(text: str) -> str | None:
    """What stands in the first pair of round brackets; None where there is none that ends."""
    start = text.find("(")
    depth = 0
    for at in range(start, len(text)) if start >= 0 else ():
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[start + 1 : at]
    return None


def _without_keywords(text: str) -> str:
    while (keyword := _KEYWORD.match(text)) is not None:
        text = text[keyword.end() :]
    return text


def _without_call(text: str) -> tuple[str, tuple[str, ...] | None]:
    start = text.find("(")
    inside = bracketed(text)
    if start <= 0 or inside is None:
        return text, None
    return text[:start].rstrip(), split_parameters(inside)


def _without_arguments(text: str) -> str:
    if "operator" in text:
        return text
    for _ in range(_DEPTH):
        shorter = _ARGUMENTS.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text
