"""Dialect: which of the two languages a header is written in.

Owns: the words that only C++ has.
Must not know: facts, trees, who includes the header.
Invariant: a function of bytes. What both languages read alike is C: files of C++ see its declarations all the same.
"""

from __future__ import annotations

import re
from typing import Final

from graphls.facts.paths import FilePath, ending_of

CPP_ENDINGS: Final = (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".cppm")
"""Files with these endings are C++ whatever they hold."""
_HIDDEN: Final = re.compile(
    rb"/\*.*?\*/|//[^\n]*|(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    rb"|^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\.|\\\r?\n)*",
    re.DOTALL | re.MULTILINE,
)
"""Comments, strings and macros: they may speak of anything."""
_CONDITION: Final = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b([^\n]*)", re.MULTILINE)
_WORDS: Final = re.compile(
    rb"^[ \t]*(?:inline[ \t]+)?namespace[ \t]+[A-Za-z_][\w:]*\s*\{|^[ \t]*namespace\s*\{"
    rb"|^[ \t]*template[ \t]*<|^[ \t]*(?:public|private|protected)[ \t]*:(?!:)"
    rb"|^[ \t]*using[ \t]+(?:namespace[ \t]+)?[A-Za-z_:]|\benum[ \t]+(?:class|struct)[ \t]+\w"
    rb"|^[ \t]*class[ \t]+(?:[A-Z_0-9]+[ \t]+)?\w+[ \t]*(?:final[ \t]*)?[;:{\n]|\bextern[ \t]+\"C\+\+\""
    rb"|\bstd::\w|\b(?:static|const|reinterpret|dynamic)_cast[ \t]*<|\boperator[ \t]*(?:[-+*/%^&|~!=<>]|\(\)|\[\])"
    rb"|^[ \t]*virtual[ \t]+~?\w|\)[ \t]*(?:const[ \t]*)?=[ \t]*(?:default|delete)[ \t]*;"
    rb"|^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>",
    re.MULTILINE,
)
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\.|\\\r?\n)*", re.DOTALL | re.MULTILINE)
_DECLARED: Final = re.compile(rb"[;{}]")
MOST: Final = 200_000
"""Bytes of a header that are looked at."""


def is_cpp(path: FilePath, data: bytes) -> bool:
    """Whether a file is read as C++: by its ending, and a `.h` by words that C does not have."""
    ending = ending_of(path)
    if ending in CPP_ENDINGS:
        return True
    if ending != ".h" or not _WORDS.search(data, 0, MOST):
        return False
    shown = _HIDDEN.sub(_blank, data[:MOST])
    unguarded = _without_guarded(shown)
    if _WORDS.search(unguarded):
        return True
    # All that a header declares may be for C++, as `#if __cplusplus > 201703L` around it says.
    return not _DECLARED.search(_DIRECTIVE.sub(b"", unguarded)) and _WORDS.search(shown) is not None


def _blank(match: re.Match[bytes]) -> bytes:
    text = match[0]
    if text.startswith(b'"'):
        return b'"C++"' if text == b'"C++"' else b'""'
    return b"\n" * text.count(b"\n") or b" "


def _without_guarded(data: bytes) -> bytes:
    """A text without what stands between `#ifdef __cplusplus` and the end of that branch."""
    parts: list[bytes] = []
    at, depth, hidden = 0, 0, 0
    for match in _CONDITION.finditer(data):
        word, test = match[1], match[2]
        if not hidden:
            parts.append(data[at : match.start()])
        at = match.end()
        if word.startswith(b"if"):
            depth += 1
            if not hidden and b"__cplusplus" in test and word != b"ifndef" and b"!" not in test:
                hidden = depth
            continue
        if word == b"endif":
            hidden = 0 if hidden == depth else hidden
            depth = max(0, depth - 1)
        elif hidden == depth:
            hidden = 0
    if not hidden:
        parts.append(data[at:])
    return b"".join(parts)
