"""Body tokens: the normal form in which bodies are compared.

Owns: what a token is in any language, what its normal form is.
Must not know: which bodies are compared, what counts as like.
Invariant: names, strings and numbers are each one token; keywords and operators stay; comments go, and layout but for
    that of code as it runs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import providers

LEAST_TOKENS: Final = 25
"""Shorter bodies are alike by chance."""
_SYNTAX: Final = (
    r"""[rbfuRBFU]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`"""
    r"""|\d[\w.]*|[^\W\d][\w$]*|=>|[-+*/%&|^<>=!]=|&&|\|\||\?\?|\*\*|//|[^\s\w]"""
)
_NUMBER, _NAME, _QUOTES = re.compile(r"\d"), re.compile(r"[^\W\d]"), frozenset("\"'`")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_DOCSTRINGS: Final = ('"""', "'''", 'r"""')
_KEYWORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        abstract and as assert async await break case catch class const continue def default del delete do elif else
        enum except export extends finally for from func function go if implements import in instanceof interface is
        lambda let match new not of or package pass raise range return static struct super switch throw try
        type typeof var while with yield None True False null true false undefined void nil
        """,
    )
)


def body_text(snapshot: Snapshot, place: SymbolRef) -> str:
    """The text of a symbol; of the whole file for -1."""
    text = snapshot.text(place.file) or b""
    if place.definition >= 0:
        table = snapshot.facts(place.file).definitions
        text = text[table.full_start[place.definition] : table.full_end[place.definition]]
    return text.decode("utf-8", "replace")


def body_tokens(snapshot: Snapshot, place: SymbolRef) -> tuple[str, ...]:
    """The tokens of a symbol, without what it is called and what its names, strings and numbers are."""
    return tokens_of(body_text(snapshot, place), snapshot.shards[place.file].language)


def tokens_of(text: str, language: str) -> tuple[str, ...]:
    """The tokens of a text in normal form."""
    pattern, comments = _pattern(language)
    return tuple(form for form in (_form(token, comments) for token in pattern.findall(text)) if form)


def code_of(text: str, language: str) -> str:
    """A text without comments, docstrings and blank lines, as it begins its lines: equal ones run the same."""
    pattern, comments = _pattern(language)
    parts: list[str] = []
    depth = 0
    for found in pattern.finditer(text):
        token = found.group()
        if token.startswith(comments):
            continue
        indent = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        first = not indent.strip()
        if first and not depth and token.startswith(_DOCSTRINGS) and _ends_line(text, found.end(), comments):
            continue
        depth += (token in _OPENING) - (token in _CLOSING)
        parts.append(f"\n{indent}{token}" if first else token)
    return " ".join(parts)


def _ends_line(text: str, offset: int, comments: tuple[str, ...]) -> bool:
    end = text.find("\n", offset)
    rest = text[offset : end if end >= 0 else len(text)].strip()
    return not rest or rest.startswith(comments)


def words_of(text: str, language: str) -> set[str]:
    """Names of a text that say something."""
    pattern, comments = _pattern(language)
    tokens = set[str](pattern.findall(text))
    return {token for token in tokens if len(token) > 2 and _form(token, comments) == "$ID"}


@lru_cache(maxsize=1 << 15)
def _form(token: str, comments: tuple[str, ...]) -> str:
    """ "" for a comment."""
    if token.startswith(comments):
        return ""
    if token[-1] in _QUOTES and len(token) > 1:
        return "$STR"
    if _NUMBER.match(token):
        return "$NUM"
    if _NAME.match(token):
        return token if token in _KEYWORDS else "$ID"
    return token


@lru_cache
def _pattern(language: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Comments and tokens of a text, and how comments begin."""
    provider = providers().get(language)
    marker = "//" if provider is None else provider.capabilities.line_comment
    return re.compile(rf"{re.escape(marker)}[^\n]*|/\*.*?\*/|{_SYNTAX}", re.DOTALL), (marker, "/*")
