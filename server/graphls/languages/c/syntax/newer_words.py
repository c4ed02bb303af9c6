"""Newer words: what newer standards and GNU added to C and C++, written as the grammars know it.

Owns: those ways to write, and texts of the same length without them.
Must not know: what is broken, whether another text helps, facts.
Invariant: every name stands where it stood; what only says how large or of which kind something is may be left out.

    case 'a' ... 'z':                   both ends are seen
    enum Kind : unsigned char { A };    C23
    auto count = 4;                     C23
    template class Box<int>;            an instance that is asked for
    int flag : 1 = 0;                   C++20
    (object->*member)();                as `.*`
    using Parts::operator()...;         C++17
    if consteval { }                    C++23
    Point p{.x{1}};                     C++20
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

_RANGE: Final = re.compile(rb"(\bcase\b[^\n:;{}?.]{1,80}?)\.\.\.(?=[^\n:;{}]{1,80}:)")
_KIND: Final = re.compile(rb"(\benum[ \t]+\w+[ \t]*)(:[ \t]*[A-Za-z_][\w \t]*)(?=\{)")
_TYPED_BY_VALUE: Final = re.compile(rb"\bauto(?=[ \t]+\w+[ \t]*=)")
_INSTANCE: Final = re.compile(
    rb"(?P<extern>\bextern[ \t]+)?(?P<head>\btemplate[ \t]+)(?P<kind>class|struct)(?=[ \t]+[\w:]+[ \t]*<)"
)
_BITS: Final = re.compile(rb"(\b\w+[ \t]+\w+[ \t]*)(:[ \t]*\d+)(?=[ \t]*[={])")
_USINGS: Final = re.compile(
    rb"(\busing[ \t]+[\w:]+(?:::|[ \t]+)operator[^;\w\n]{1,4}|\busing[ \t]+[\w:]+)\.\.\.(?=[ \t]*;)"
)
_AT_COMPILATION: Final = re.compile(rb"(\bif[ \t]+)consteval(?=\s*\{)")
_MEMBER_VALUE: Final = re.compile(rb"(?<=[{,])(\s*\.\w+)\{([^{};,\n]*)\}")


def newer_c(data: bytes, tree: Tree) -> bytes:
    """A text of C without what its grammar does not know of C23 and GNU."""
    text = _KIND.sub(_without_kind, _RANGE.sub(rb"\1 + ", data))
    return _TYPED_BY_VALUE.sub(b"int ", text)


def newer_cpp(data: bytes, tree: Tree) -> bytes:
    """The same of C++."""
    text = _BITS.sub(_without_kind, _RANGE.sub(rb"\1 + ", data))
    text = _INSTANCE.sub(_without_words, _USINGS.sub(rb"\1   ", text))
    text = _MEMBER_VALUE.sub(rb"\1=\2 ", _AT_COMPILATION.sub(rb"\1(   true)", text))
    return text.replace(b"->*", b" .*")


def _without_kind(found: re.Match[bytes]) -> bytes:
    return found[1] + b" " * len(found[2])


def _without_words(found: re.Match[bytes]) -> bytes:
    """Of `extern template class Box<int>` what a declaration of nothing needs."""
    return b" " * len(found["extern"] or b"") + found["head"] + b" " * len(found["kind"])
