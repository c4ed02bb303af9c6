"""Globs: which paths a pattern names.

Owns: what `**` and `*` mean in settings about files; the patterns of tools, which know choices and denials too.
Must not know: settings, the disk.
Invariant: a function of the path and the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from typing import Final

_SIGNS: Final = re.compile(r"\*\*/|\*\*|\*|\?|!\([^()]*\)|\{[^{}]*\}|.", re.DOTALL)


@lru_cache(maxsize=1_000)
def _glob(pattern: str) -> re.Pattern[str]:
    """`**` is any run of folders, `*` stays within one."""
    parts = [translate(part)[4:-3].replace(".*", "[^/]*") for part in pattern.split("**")]
    return re.compile(f"(?s:{'.*'.join(parts)})\\Z".replace("/.*/", "/(?:.*/)?"))


def glob_match(path: str, pattern: str) -> bool:
    """Whether a path is what a glob names."""
    return _glob(pattern).match(path) is not None


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path is what one of the patterns of a tool names: `**` is any run of folders, `{a,b}` one of these,
    `!(a)` what does not match that."""
    return any(tool_pattern(one).match(path) is not None for one in patterns)


@lru_cache(maxsize=1_000)
def tool_pattern(glob: str) -> re.Pattern[str]:
    """The regular expression of a pattern of a tool."""
    return re.compile("".join(map(_sign, _SIGNS.findall(glob))) + r"\Z")


def _sign(sign: str) -> str:
    plain = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(sign)
    if plain is not None:
        return plain
    if sign.startswith("!("):
        return rf"(?!(?:{_choice(sign[2:-1].split('|'))})(?:\.\w+)?\Z)[^/]*"
    return f"(?:{_choice(sign[1:-1].split(','))})" if sign.startswith("{") else re.escape(sign)


def _choice(parts: Iterable[str]) -> str:
    return "|".join("".join(map(_sign, _SIGNS.findall(one))) for one in parts)
