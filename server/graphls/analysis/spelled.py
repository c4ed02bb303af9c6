"""Spelled: names that texts of the workspace spell, outright or in parts.

Owns: words of texts that are no uses known to links; names that code puts together; code that looks up any name.
Must not know: any particular rule, which definitions are asked about.
Invariant: a text that may name something at run time is never taken for one that does not.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeAlias

import attrs

from graphls.analysis.views import Views
from graphls.facts.name_numbers import hashed_name
from graphls.facts.own_output import is_own_output
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spend

_ABOUT_FINDINGS: Final = re.compile(r"(^|/)\.graphls/|baseline[^/]*\.json$")
"""Lists of what was found: they name what they are about."""
_LEAST: Final = 3
"""Letters that a pattern of names must spell; fewer say nothing of another file."""
_LEAST_LAST: Final = 5
_HOOK: Final = re.compile(rb"_[a-z]{2,}_")
"""`"_on_%s" % name`: short, and made to begin names."""
_HOLES: Final = re.compile(
    rb"(?:[$#]?\{[^{}\n]{1,80}\}|\{\}(?=[^\n]{0,80}\.\s*format\b)|%\(\w+\)s|%s|(?<=\w)\$[A-Za-z_]\w*)+(\w*)"
)
"""`f"visit_{x}"`, `"visit_{}".format(x)`, `visit_${x}`, `"visit_#{x}"`, `"visit_%s"`, `"visit$x"`."""
_BEGUN: Final = re.compile(rb"[\"'`]([A-Za-z_]\w{2,})[\"'`]\s*(?:\.\.?|[+~])\s*(?=[A-Za-z_$(\\@])")
"""`'produce' . ucfirst($x)`, `"get" + name`."""
_PART: Final = re.compile(rb"[\"'`](\w*_)[\"'`]|[\"'`](_\w+)[\"'`]")
"""`"visit_" + x`, `x.startswith("visit_")`, `x + "_handler"`."""
_GIVEN: Final = re.compile(rb"[\"'](_[a-z0-9]+(?:_[a-z0-9]+)+)[\"']")
"""`dispatch(self, "_apply_operator", x)`: what takes such a name may add words to it."""
_LOOKUP: Final = re.compile(
    rb"\b(?:getattr|hasattr|setattr|delattr|methodcaller|attrgetter|globals|locals|vars|__dict__)\b"
)
_LINE: Final = 100
_ANY_MEMBER: Final = re.compile(rb"\b[gsh](?:et|as)attr\s*\([^,\n]+,\s*f[\"']\{[^{}\n]*\}(?:\{[^{}\n]*\})*[\"']")
"""`getattr(self, f"{a}{b}")`."""
_ALL_MEMBERS: Final = re.compile(
    rb"\bdir\s*\(|\bgetmembers\s*\(|\bvars\s*\(|__dict__\s*\.\s*(?:items|keys|values)\b|\bin\s+[\w.]*__dict__\b"
    rb"|\bthis\s*\[\s*[^\s\"'`\d]|\(\s*this\s+as\s+[^()\n]*\)\s*\[|\bReflect\.\w+\s*\(\s*this\b"
    rb"|\bObject\.(?:keys|entries|values|getOwnPropertyNames)\s*\(\s*this\b"
)
"""The last ones: `this[name]`, `(this as any)[name]`, `Object.keys(this)`."""
_ANY_NAME: Final = re.compile(rb"\b(?:globals|locals|vars|exec|eval)\s*\(")
_ANY_GLOBAL: Final = re.compile(
    rb"\bglobals\s*\(\s*\)\s*(?:(?:\[|\.get\s*\()\s*(?![fF]?[\"'])|\.(?:items|values)\b)|\b(?:exec|eval)\s*\("
)
"""`globals()[name]`, `exec(text)`."""
_MEMBER_WORDS: Final = (b"attr",)
_ALL_WORDS: Final = (b"dir", b"getmembers", b"vars", b"__dict__", b"this")
_GLOBAL_WORDS: Final = (b"globals", b"exec", b"eval")
_NAME_WORDS: Final = (*_GLOBAL_WORDS, b"locals", b"vars")
"""Without one of them a text has no match, which is found out in a hundredth of the time."""
_WORD: Final = re.compile(rb"[\w$]+")
_WORD_BYTES: Final = frozenset(b"_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
Pair: TypeAlias = tuple[bytes, bytes]
_ComputedNamesRow: TypeAlias = tuple[tuple[Pair, ...], tuple[Pair, ...], bool, bool, tuple[int, ...], bool]
"""The fields of `ComputedNames`."""


@attrs.frozen
class ComputedNames:
    """What names that code puts together begin and end with."""

    patterns: frozenset[Pair]
    """Those that tell a name from most others."""
    near: frozenset[Pair]
    """Those that say something of the file alone, which looks names up."""
    members: bool
    """The file looks up members, whatever they are called."""
    all_members: bool
    """The file goes over all members of something."""
    names: tuple[int, ...]
    """Where the file looks up plain names, or runs text."""
    all_names: bool
    """The file looks up names of a module, whatever they are called."""


def built(views: Views, path: FilePath) -> ComputedNames:
    """Names that a file puts together."""
    row = _built_row(views, path)
    if row is None:
        return ComputedNames(frozenset(), frozenset(), members=True, all_members=True, names=(0,), all_names=True)
    patterns, near, members, all_members, names, all_names = row
    return ComputedNames(frozenset(patterns), frozenset(near), members, all_members, names, all_names)


def _built_row(views: Views, path: FilePath) -> _ComputedNamesRow | None:
    return views.per_text("built names 7", path, _read, None)


def patterns(views: Views) -> frozenset[Pair]:
    """What names that some file puts together begin and end with, where that is enough to tell them from others."""
    rows = (_built_row(views, path) for path in views.snapshot.files())
    return frozenset(pair for row in rows if row is not None for pair in row[0])


def may_build(known: Collection[Pair], name: str) -> bool:
    """Whether a name fits one of these patterns."""
    raw = name.encode()
    return any(raw.startswith(first) and raw.endswith(last) and len(raw) > len(first + last) for first, last in known)


def spelled(views: Views, names: frozenset[str]) -> Mapping[str, Mapping[FilePath, tuple[int, ...]]]:
    """Where texts spell any of the names, but for what is a use or a definition in code."""
    found: dict[str, dict[FilePath, tuple[int, ...]]] = {name: {} for name in names}
    if not names:
        return found
    numbers = {hashed_name(name): name for name in names}
    # What is no single word has to be searched for.
    odd = frozenset(name for name in names if not _WORD.fullmatch(name.encode("utf-8", "surrogatepass")))
    for path in views.snapshot.shards:
        if _ABOUT_FINDINGS.search(path):
            continue
        spend()
        words = views.per_text("text words 2", path, lambda text, path=path: _text_words(views, path, text), b"")
        known = array("Q")
        known.frombytes(words)
        likely = odd.union(numbers[number] for number in numbers.keys() & known)
        if likely:
            for name, places in _places(views, path, likely).items():
                found[name][path] = places
    return found


def _text_words(views: Views, path: FilePath, text: bytes) -> bytes:
    """Numbers of the words that stand anywhere but in code; none of a list of what was found."""
    if is_own_output(text):
        return b""
    code = _code(views, path)
    words = {match[0] for match in _WORD.finditer(text) if match.start() not in code}
    return array("Q", sorted({hashed_name(word.decode()) for word in words})).tobytes()


def _places(views: Views, path: FilePath, names: frozenset[str]) -> Mapping[str, tuple[int, ...]]:
    """Where a text spells some names, but for code."""
    word = re.compile(
        rb"(?<![\w$])(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")(?![\w$])"
    )
    found: dict[str, list[int]] = {}
    code: frozenset[int] | None = None
    text = views.snapshot.text(path) or b""
    for match in word.finditer(b"" if is_own_output(text) else text):
        code = _code(views, path) if code is None else code
        if match.start() not in code:
            found.setdefault(match[0].decode(), []).append(match.start())
    return {name: tuple(places) for name, places in found.items()}


def _code(views: Views, path: FilePath) -> frozenset[int]:
    if not views.snapshot.shards[path].language:
        return frozenset()
    facts = views.snapshot.facts(path)
    return frozenset((*facts.occurrences.start, *facts.definitions.start))


def _read(text: bytes) -> _ComputedNamesRow:
    if is_own_output(text):
        return (), (), False, False, (), False
    joined = set(_joined(text))
    parts = {(match[1] or b"", match[2] or b"") for match in _PART.finditer(text)}
    parts |= {(match[1], b"") for match in _BEGUN.finditer(text)}
    parts |= {(match[1] + b"_", b"") for match in _GIVEN.finditer(text)}
    near: set[Pair] = set()
    for match in _LOOKUP.finditer(text):
        stretch = text[match.end() : match.end() + _LINE].partition(b"\n")[0]
        near.update((part[1] or b"", part[2] or b"") for part in _PART.finditer(stretch))
        near |= joined
    return (
        tuple(sorted(filter(_is_telling, joined | parts))),
        tuple(sorted(near - {(b"", b"")})),
        _matches(_ANY_MEMBER, _MEMBER_WORDS, text),
        _matches(_ALL_MEMBERS, _ALL_WORDS, text),
        tuple(match.start() for match in _ANY_NAME.finditer(text)) if _matches(_ANY_NAME, _NAME_WORDS, text) else (),
        _matches(_ANY_GLOBAL, _GLOBAL_WORDS, text),
    )


def _matches(pattern: re.Pattern[bytes], words: Collection[bytes], text: bytes) -> bool:
    return any(word in text for word in words) and pattern.search(text) is not None


def _joined(text: bytes) -> Iterator[Pair]:
    """What stands before and behind holes. What stands between two belongs to the first of them."""
    end = 0
    for match in _HOLES.finditer(text):
        first = match.start()
        while first > end and text[first - 1] in _WORD_BYTES:
            first -= 1
        yield text[first : match.start()], match[1]
        end = match.end()


def _is_telling(pair: Pair) -> bool:
    first, last = pair[0].strip(b"_"), pair[1].strip(b"_")
    if _HOOK.fullmatch(pair[0]):
        return True
    return len(first) + len(last) >= (_LEAST if first else _LEAST_LAST)
