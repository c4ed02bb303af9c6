"""Spelled: names that texts of the workspace spell, outright or in parts.

Owns: words of texts that are no uses known to links; names that code puts together; code that looks up any name.
Must not know: any particular rule, which definitions are asked about.
Invariant: a text that may name something at run time is never taken for one that does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, TypeAlias, cast

import attrs

from graphls.analysis.views import Views
from graphls.facts.paths import FilePath

_ABOUT_FINDINGS: Final = re.compile(r"(^|/)\.graphls/|baseline[^/]*\.json$")
"""Lists of what was found: they name what they are about."""
_KEPT: Final = "analysis spelled words"
_LEAST: Final = 3
"""Letters that a pattern of names must spell; fewer say nothing of another file."""
_LEAST_LAST: Final = 5
_JOINED: Final = re.compile(rb"(?<!\w)(\w*)(?:\$?\{[^{}\n]{1,80}\}|%\(\w+\)s|%s)+(\w*)")
"""`f"visit_{x}"`, `visit_${x}`, `"visit_%s"`."""
_PART: Final = re.compile(rb"[\"'`](\w*_)[\"'`]|[\"'`](_\w+)[\"'`]")
"""`"visit_" + x`, `x.startswith("visit_")`, `x + "_handler"`."""
_LOOKUP: Final = re.compile(
    rb"\b(?:getattr|hasattr|setattr|delattr|methodcaller|attrgetter|globals|locals|vars|__dict__)\b"
)
_LINE: Final = 100
_ANY_MEMBER: Final = re.compile(rb"\b[gsh](?:et|as)attr\s*\([^,\n]+,\s*f[\"']\{[^{}\n]*\}(?:\{[^{}\n]*\})*[\"']")
"""`getattr(self, f"{a}{b}")`."""
_ALL_MEMBERS: Final = re.compile(
    rb"\bdir\s*\(|\bgetmembers\s*\(|\bvars\s*\(|__dict__\s*\.\s*(?:items|keys|values)\b|\bin\s+[\w.]*__dict__\b"
)
_ANY_NAME: Final = re.compile(rb"\b(?:globals|locals|vars|exec|eval)\s*\(")
_ANY_GLOBAL: Final = re.compile(
    rb"\bglobals\s*\(\s*\)\s*(?:(?:\[|\.get\s*\()\s*(?![fF]?[\"'])|\.(?:items|values)\b)|\b(?:exec|eval)\s*\("
)
"""`globals()[name]`, `exec(text)`."""
Pair: TypeAlias = tuple[bytes, bytes]


@attrs.frozen
class Built:
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


def built(views: Views, path: FilePath) -> Built:
    """Names that a file puts together."""
    return views.per_text(
        "built names",
        path,
        _read,
        Built(frozenset(), frozenset(), members=True, all_members=True, names=(0,), all_names=True),
    )


def patterns(views: Views) -> frozenset[Pair]:
    """What names that some file puts together begin and end with, where that is enough to tell them from others."""
    return frozenset(pair for path in views.snapshot.files() for pair in built(views, path).patterns)


def may_build(known: Collection[Pair], name: str) -> bool:
    """Whether a name fits one of these patterns."""
    raw = name.encode()
    return any(raw.startswith(first) and raw.endswith(last) and len(raw) > len(first + last) for first, last in known)


def spelled(views: Views, names: frozenset[str]) -> Mapping[str, Mapping[FilePath, tuple[int, ...]]]:
    """Where texts spell any of the names, but for what is a use or a definition in code."""
    found: dict[str, dict[FilePath, tuple[int, ...]]] = {name: {} for name in names}
    if not names:
        return found
    word = re.compile(
        rb"(?<![\w$])(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")(?![\w$])"
    )
    for path in views.snapshot.shards:
        if _ABOUT_FINDINGS.search(path):
            continue
        for name, places in _words(views, path, names, word).items():
            found[name][path] = places
    return found


def _words(
    views: Views, path: FilePath, names: frozenset[str], word: re.Pattern[bytes]
) -> Mapping[str, tuple[int, ...]]:
    """Kept for the names that were asked for last: they stay the same from edit to edit."""
    shard = views.snapshot.shards[path]
    known = shard.memo.get(_KEPT)
    if isinstance(known, tuple):
        asked, answer = cast("tuple[frozenset[str], Mapping[str, tuple[int, ...]]]", known)
        if asked == names:
            return answer
    text = views.snapshot.text(path)
    found: dict[str, list[int]] = {}
    code: frozenset[int] | None = None
    for match in word.finditer(text or b""):
        if code is None:
            code = _code(views, path) if shard.language else frozenset()
        if match.start() not in code:
            found.setdefault(match[0].decode(), []).append(match.start())
    answer = {name: tuple(places) for name, places in found.items()}
    shard.memo[_KEPT] = (names, answer)
    return answer


def _code(views: Views, path: FilePath) -> frozenset[int]:
    facts = views.snapshot.facts(path)
    return frozenset((*facts.occurrences.start, *facts.definitions.start))


def _read(text: bytes) -> Built:
    joined = {(match[1] or b"", match[2] or b"") for match in _JOINED.finditer(text)}
    parts = {(match[1] or b"", match[2] or b"") for match in _PART.finditer(text)}
    near: set[Pair] = set()
    for match in _LOOKUP.finditer(text):
        stretch = text[match.end() : match.end() + _LINE].partition(b"\n")[0]
        near.update((part[1] or b"", part[2] or b"") for part in _PART.finditer(stretch))
        near |= joined
    return Built(
        frozenset(filter(_is_telling, joined | parts)),
        frozenset(near - {(b"", b"")}),
        _ANY_MEMBER.search(text) is not None,
        _ALL_MEMBERS.search(text) is not None,
        tuple(match.start() for match in _ANY_NAME.finditer(text)),
        _ANY_GLOBAL.search(text) is not None,
    )


def _is_telling(pair: Pair) -> bool:
    first, last = pair[0].strip(b"_"), pair[1].strip(b"_")
    return len(first) + len(last) >= (_LEAST if first else _LEAST_LAST)
