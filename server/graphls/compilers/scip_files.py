"""Scip files: files whose language graphls does not read, as an index has them.

Owns: which documents are such files, their links, what of these holds when other files change.
Must not know: where they are kept, who looks at them.
Invariant: a link leads where the index says; one whose end has changed since leads nowhere and counts as unresolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from hashlib import blake2b

import attrs

from graphls.compilers.scip import ScipDocument, ScipIndex, is_local, last_sign, names_in, own_packages, package_of
from graphls.compilers.scip_facts import CALLABLES, TYPES, ScipFileFacts, scip_file_facts, spans_of
from graphls.facts.codec import encode
from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, EdgeKind, Resolution, Role, UnresolvedReason
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, surface_hash
from graphls.graph.nodes import symbol_row
from graphls.graph.snapshot import Shard, Snapshot
from graphls.graph.verification import Tier
from graphls.languages.registry import providers

UNNAMED = "scip"
"""The language of a file of which the index does not say it."""
_Place = tuple[FilePath, int]
"""A file and a row of its definitions."""
_Row = tuple[int, int, int, int, int, int, int]


@attrs.frozen(eq=False)
class ScipFile:
    """One file. `ends`: content hashes of the other files that its links lead to."""

    path: FilePath
    language: str
    content: str
    facts: FileFacts
    surface: Surface
    links: Links
    ends: tuple[tuple[str, str], ...]

    def shard(self, before: Shard) -> Shard:
        """The file of a snapshot, with its language."""
        surface = encode(self.surface)
        named = blake2b(encode(self.facts) + surface + encode(self.links), digest_size=16).hexdigest()
        return attrs.evolve(
            before, language=self.language, surface_hash=surface_hash(surface), imported=f"{self.language} {named}"
        )

    def links_now(self, contents: Callable[[str], str]) -> Links:
        """Its links where files have these contents, "" for those that are gone."""
        other = {file for file, content in self.ends if contents(file) != content}
        if not other:
            return self.links
        links, table = self.links, self.links.targets
        gone = {number for number, file in enumerate(links.files) if file in other}
        rows = list(zip(*(getattr(table, name) for name in _COLUMNS), strict=True))
        left = [row for row in rows if row[1] not in gone or row[2] == EXTERNAL]
        lost = {row[0] for row in rows} - {row[0] for row in left}
        lost.update(links.unresolved.occurrence)
        over = links.overrides
        kept = zip(over.definition, over.file, over.symbol, over.edge, strict=True)
        return attrs.evolve(
            links,
            targets=Targets.of(left),
            rules=column([Tier.SCIP_IMPORTED] * len(left)),
            unresolved=Unresolved.of([(row, UnresolvedReason.UNBOUND) for row in sorted(lost)]),
            overrides=Overrides.of([row for row in kept if row[1] not in gone]),
        )


_COLUMNS = tuple(field.name for field in attrs.fields(Targets))


def scip_files(snapshot: Snapshot, index: ScipIndex) -> tuple[Mapping[FilePath, ScipFile], tuple[str, ...]]:
    """Files that the index alone tells of, and paths of documents about other contents of such files."""
    read: dict[FilePath, tuple[ScipDocument, ScipFileFacts]] = {}
    stale: list[str] = []
    for document in index.documents:
        shard = snapshot.shards.get(FilePath(document.path))
        if shard is None or shard.language:
            continue
        raw = snapshot.text(shard.path)
        found = None if raw is None else scip_file_facts(document, raw)
        if found is None:
            stale.append(document.path)
        else:
            read[shard.path] = (document, found)
    places: dict[str, _Place] = {}
    for path, (_, found) in read.items():
        places.update({symbol: (path, row) for symbol, row in found.rows.items() if not is_local(symbol)})
    if read:
        _add_places(snapshot, index, places)
    known = _IndexDefinitions({path: found for path, (_, found) in read.items()}, places, own_packages(index))
    return {path: _file(snapshot, path, document, known) for path, (document, _) in read.items()}, tuple(stale)


def _add_places(snapshot: Snapshot, index: ScipIndex, places: dict[str, _Place]) -> None:
    """Definitions in files that graphls reads itself."""
    for document in index.documents:
        path = FilePath(document.path)
        raw = snapshot.text(path) if path in snapshot.shards and snapshot.shards[path].language else None
        spans = None if raw is None else spans_of(document, raw)
        if spans is None:
            continue
        facts = snapshot.facts(path)
        rows = {start: row for row, start in enumerate(facts.definitions.start)}
        for use, (start, end) in zip(document.uses, spans, strict=True):
            if use.defines and not is_local(use.symbol):
                row = -1 if start == end else rows.get(start, -2)
                if row > -2:
                    places.setdefault(use.symbol, (path, row if row < 0 else symbol_row(facts, row)))


@attrs.frozen(eq=False)
class _IndexDefinitions:
    """What an index defines. `packages`: those that these symbols are in."""

    read: Mapping[FilePath, ScipFileFacts]
    places: Mapping[str, _Place]
    packages: Set[str]


def _file(snapshot: Snapshot, path: FilePath, document: ScipDocument, known: _IndexDefinitions) -> ScipFile:
    name = document.language.lower()
    language = name if name and name not in providers() else UNNAMED
    links = _ScipLinks(snapshot, path, known).links(document)
    ends = sorted({file for file in links.files if file != path})
    contents = ((file, str(snapshot.shards[FilePath(file)].content)) for file in ends)
    own = known.read[path]
    return ScipFile(path, language, snapshot.shards[path].content, own.facts, own.surface, links, tuple(contents))


class _ScipLinks:
    """Links of one file while they are made."""

    def __init__(self, snapshot: Snapshot, path: FilePath, known: _IndexDefinitions) -> None:
        self._snapshot, self._path, self._known = snapshot, path, known
        self._own = known.read[path]
        self._files: dict[str, int] = {path: OWN_FILE}
        self._externals: dict[str, int] = {}

    def links(self, document: ScipDocument) -> Links:
        """All of them."""
        rows: list[_Row] = []
        open_rows: list[int] = []
        for occurrence, symbols in enumerate(self._own.meant):
            found = [row for symbol in symbols if (row := self._row(occurrence, symbol)) is not None]
            rows += found
            if not found:
                open_rows.append(occurrence)
        overrides, none = sorted(set(self._overrides(document))), Targets.of(())
        return Links(
            files=tuple(self._files),
            externals=tuple(self._externals),
            targets=Targets.of(rows),
            unresolved=Unresolved.of([(row, UnresolvedReason.UNBOUND) for row in open_rows]),
            overrides=Overrides.of(overrides),
            module_targets=none,
            implicit=none,
            implicit_rules=column(),
            rules=column([Tier.SCIP_IMPORTED] * len(rows)),
            reads=(),
            lookups=(),
        )

    def _row(self, occurrence: int, symbol: str) -> _Row | None:
        end = self._end(symbol)
        if end is None:
            return None
        file, row, kind = end
        edge = self._edge(occurrence, symbol, kind)
        return (occurrence, file, row, int(edge), int(Resolution.INFERRED), 100, 0)

    def _end(self, symbol: str) -> tuple[int, int, int | None] | None:
        """File, row and kind of what a symbol is, as links have them."""
        place = self._place(symbol)
        if place is None:
            inside = is_local(symbol) or package_of(symbol) in self._known.packages
            dotted = "" if inside else ".".join(names_in(symbol))
            return None if not dotted else (self._externals.setdefault(dotted, len(self._externals)), EXTERNAL, None)
        path, row = place
        if path == self._path:
            return (OWN_FILE, row, self._own.facts.definitions.kind[row] if row >= 0 else None)
        facts = self._known.read[path].facts if path in self._known.read else self._snapshot.facts(path)
        visible = facts.definitions.surface[row] if row >= 0 else WHOLE_MODULE
        if row >= 0 and visible < 0:
            return None
        kind = facts.definitions.kind[row] if row >= 0 else None
        return (self._files.setdefault(path, len(self._files)), visible, kind)

    def _place(self, symbol: str) -> _Place | None:
        if is_local(symbol):
            return (self._path, self._own.rows[symbol]) if symbol in self._own.rows else None
        return self._known.places.get(symbol)

    def _edge(self, occurrence: int, symbol: str, kind: int | None) -> EdgeKind:
        role = self._own.facts.occurrences.role[occurrence]
        if role == Role.INHERIT:
            return EdgeKind.IMPLEMENTS if kind == DefinitionKind.INTERFACE else EdgeKind.EXTENDS
        called = self._own.called[occurrence]
        if kind in CALLABLES or (kind is None and last_sign(symbol) == "()."):
            return EdgeKind.CALLS if called else EdgeKind.REFERENCES
        if kind in TYPES or (kind is None and last_sign(symbol) == "#"):
            return EdgeKind.INSTANTIATES if called else EdgeKind.TYPE_REF
        return EdgeKind.REFERENCES if kind is None or kind == DefinitionKind.NAMESPACE else EdgeKind.ACCESSES

    def _overrides(self, document: ScipDocument) -> Iterator[tuple[int, int, int, int]]:
        kinds = self._own.facts.definitions.kind
        for symbol, said in document.symbols.items():
            row = self._own.rows.get(symbol, -1)
            if row < 0 or kinds[row] in TYPES:
                continue
            for other in said.implements:
                end = self._end(other)
                if end is not None and end[1] >= 0:
                    yield row, end[0], end[1], 0
