"""Find: symbols of the workspace by name.

Owns: exact, prefix and fuzzy matching, the order of matches.
Must not know: LSP types, URIs, positions of the client.
Invariant: the order is a function of the snapshot and the request; every match has a range.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.snapshot import Place, Snapshot

Mode = Literal["exact", "prefix", "fuzzy"]
MAX_TEXT = 200
QUALITIES: Final = ("exact", "case", "prefix", "humps", "inside", "scattered")

_NEVER = frozenset({DefinitionKind.IMPORT, DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})
_ORDER = {
    DefinitionKind.CLASS: 0,
    DefinitionKind.INTERFACE: 0,
    DefinitionKind.ENUM: 0,
    DefinitionKind.TYPE_ALIAS: 0,
    DefinitionKind.FUNCTION: 1,
    DefinitionKind.METHOD: 2,
    DefinitionKind.PROPERTY: 2,
}
_SPELLED: Mapping[DefinitionKind, frozenset[str]] = {
    DefinitionKind.FUNCTION: frozenset({"callable", "function", "test"}),
    DefinitionKind.METHOD: frozenset({"method", "test"}),
    DefinitionKind.CLASS: frozenset({"declaration", "class", "enum", "protocol"}),
    DefinitionKind.VARIABLE: frozenset({"declaration", "variable"}),
    DefinitionKind.CONSTANT: frozenset({"declaration", "constant"}),
    DefinitionKind.FIELD: frozenset({"field"}),
    DefinitionKind.PROPERTY: frozenset({"declaration", "property"}),
    DefinitionKind.TYPE_ALIAS: frozenset({"declaration", "type_alias"}),
    DefinitionKind.ENUM_MEMBER: frozenset({"enum_variant"}),
    DefinitionKind.INTERFACE: frozenset({"declaration", "interface"}),
    DefinitionKind.ENUM: frozenset({"declaration", "enum"}),
    DefinitionKind.NAMESPACE: frozenset({"declaration", "namespace"}),
}
_HUMP = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[^A-Za-z0-9]")


@attrs.frozen
class Wanted:
    """What to look for. `container.name` asks for members of a container."""

    text: str
    mode: Mode = "fuzzy"
    kinds: frozenset[str] = frozenset()
    """Kinds and subkinds as records spell them: `callable`, `method`, `class`, `constant` ..."""
    languages: frozenset[str] = frozenset()
    limit: int = 100


@attrs.frozen
class Match:
    """One symbol found. `quality`: index of QUALITIES."""

    place: Place
    name: str
    kind: DefinitionKind
    container: str
    quality: int


@attrs.frozen
class Found:
    """Best matches first."""

    matches: tuple[Match, ...]
    total: int


@attrs.frozen
class _Candidate:
    rank: tuple[int, int, int, int, str, FilePath, int]
    symbol: int
    quality: int


def find(snapshot: Snapshot, wanted: Wanted) -> Found:
    """Symbols whose names match, best first. Names of locals and parameters are not searched."""
    text = wanted.text.strip()[:MAX_TEXT]
    container, _, name = text.replace(":", ".").rpartition(".")
    if not name:
        return Found((), 0)
    found = [
        candidate
        for path in _files(snapshot, wanted, name)
        for candidate in _in_file(snapshot, path, wanted, name)
        if not container or _inside(snapshot, path, candidate.symbol, container)
    ]
    found.sort(key=lambda candidate: candidate.rank)
    matches: dict[Place, Match] = {}
    for candidate in found:
        if len(matches) >= wanted.limit:
            break
        match = _match(snapshot, candidate)
        if match is not None:
            matches.setdefault(match.place, match)
    return Found(tuple(matches.values()), max(len(found), len(matches)))


def quality(name: str, wanted: str, mode: Mode) -> int | None:
    """How well a name matches, smaller is better; None when it does not."""
    if name == wanted:
        return 0
    if mode == "exact":
        return None
    low, want = name.lower(), wanted.lower()
    if low == want:
        return 1
    if low.startswith(want):
        return 2
    if mode == "prefix":
        return None
    if _humps(name, want):
        return 3
    if want in low:
        return 4
    return 5 if _scattered(low, want) else None


def _humps(name: str, want: str) -> bool:
    """Whether the wanted text is made of beginnings of the name's parts, in order: `gQS` in `get_query_set`."""
    parts = [part.lower() for part in _HUMP.findall(name) if part[0].isalnum()]
    states = {0}
    for part in parts:
        for at in tuple(states):
            length = 0
            while at + length < len(want) and length < len(part) and want[at + length] == part[length]:
                length += 1
                states.add(at + length)
    return len(want) in states


def _scattered(low: str, want: str) -> bool:
    position = 0
    for character in want:
        position = low.find(character, position) + 1
        if not position:
            return False
    return len(want) > 2


def _files(snapshot: Snapshot, wanted: Wanted, name: str) -> Iterator[FilePath]:
    files: Collection[FilePath] = snapshot.files_with_name(name) if wanted.mode == "exact" else tuple(snapshot.files())
    for path in files:
        if not wanted.languages or snapshot.shards[path].language in wanted.languages:
            yield path


def _in_file(snapshot: Snapshot, path: FilePath, wanted: Wanted, name: str) -> Iterator[_Candidate]:
    surface = snapshot.surface(path)
    good = dict(_good_strings(surface, name, wanted.mode))
    if not good:
        return
    symbols = surface.symbols
    for row, number in enumerate(symbols.name):
        if number not in good or symbols.kind[row] in _NEVER or symbols.ordinal[row]:
            continue
        kind = DefinitionKind(symbols.kind[row])
        if not _is_wanted(surface, row, kind, wanted):
            continue
        text = surface.strings[number]
        nested = int(symbols.scope[row] > 0)
        rank = (good[number], _ORDER.get(kind, 3), nested, len(text), text, path, row)
        yield _Candidate(rank, row, good[number])


def _is_wanted(surface: Surface, row: int, kind: DefinitionKind, wanted: Wanted) -> bool:
    if wanted.kinds and not wanted.kinds & _SPELLED[kind]:
        return False
    scope = surface.symbols.scope[row]
    return scope < 0 or surface.scopes.kind[scope] in (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE)


def _good_strings(surface: Surface, name: str, mode: Mode) -> Iterator[tuple[int, int]]:
    """Numbers of matching strings with their quality; one pass of a compiled pattern sorts most out."""
    if mode == "exact":
        if name in surface.strings:
            yield surface.strings.index(name), 0
        return
    letters = re.escape(name) if mode == "prefix" else r"[^\n]*?".join(re.escape(character) for character in name)
    pattern = re.compile(f"^{letters}" if mode == "prefix" else letters, re.IGNORECASE | re.MULTILINE)
    if pattern.search("\n".join(surface.strings)) is None:
        return
    for number, text in enumerate(surface.strings):
        found = quality(text, name, mode)
        if found is not None:
            yield number, found


def _inside(snapshot: Snapshot, path: FilePath, row: int, container: str) -> bool:
    whole = f"{snapshot.module_name(path).dotted}.{_container(snapshot.surface(path), row)}".rstrip(".").lower()
    wanted = container.lower()
    return whole == wanted or whole.endswith(f".{wanted}")


def _container(surface: Surface, row: int) -> str:
    names: list[str] = []
    owner = surface.symbols.owner[row]
    while owner != NONE:
        names.append(surface.strings[surface.symbols.name[owner]])
        owner = surface.symbols.owner[owner]
    return ".".join(reversed(names))


def _match(snapshot: Snapshot, candidate: _Candidate) -> Match | None:
    path, row = candidate.rank[5], candidate.symbol
    definition = snapshot.definition_of_symbol(path, row)
    if definition == NONE:
        return None
    surface = snapshot.surface(path)
    dotted, inner = snapshot.module_name(path).dotted, _container(surface, row)
    return Match(
        place=Place(path, definition),
        name=surface.strings[surface.symbols.name[row]],
        kind=DefinitionKind(surface.symbols.kind[row]),
        container=f"{dotted}:{inner}" if inner else dotted,
        quality=candidate.quality,
    )
