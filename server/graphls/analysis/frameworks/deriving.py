"""Deriving: what one file declares and refers to by framework rules, with what that rests on.

Owns: the order of the rules for one file, the fixtures that files offer.
Must not know: any particular framework, who asks, other snapshots.
Invariant: a function of the snapshot; the grounds name every file that was looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import attrs

from graphls.analysis.frameworks.code_migrations import migration_entries
from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks, has_schema
from graphls.analysis.frameworks.declared_nodes import (
    ContractUse,
    FileDerivation,
    Handler,
    derivations,
    edge_to_handler,
)
from graphls.analysis.frameworks.dependency_recorder import Dependencies, DependencyRecorder, node_index
from graphls.analysis.frameworks.derivation_cache import DerivationResult
from graphls.analysis.frameworks.document_entries import document_nodes, is_plain_document
from graphls.analysis.frameworks.documents import document_edges
from graphls.analysis.frameworks.embedded_graphql import embedded_entries, graphql_uses, may_hold_graphql
from graphls.analysis.frameworks.file_routes import file_routes
from graphls.analysis.frameworks.fixtures import FileFixtures, Fixtures, file_fixtures
from graphls.analysis.frameworks.foreign_uses import applicable_bindings, foreign_uses
from graphls.analysis.frameworks.graphql_schema import has_graphql_schema
from graphls.analysis.frameworks.inherited_tests import inherited_test_edges
from graphls.analysis.frameworks.key_reads import key_reads
from graphls.analysis.frameworks.listed_tools import listed_tools, may_list_tools
from graphls.analysis.frameworks.manifests import entry_points, is_manifest
from graphls.analysis.frameworks.marks import NOTHING, Marks, marks
from graphls.analysis.frameworks.mounts import mounts_of
from graphls.analysis.frameworks.naming import UseNames
from graphls.analysis.frameworks.procedures import may_have_procedures, procedure_uses, procedures
from graphls.analysis.frameworks.query_contracts import query_uses
from graphls.analysis.frameworks.requests import requests_of
from graphls.analysis.frameworks.resolver_maps import map_uses
from graphls.analysis.frameworks.resolver_uses import applicable_resolvers, made_uses, may_be_map, resolver_uses
from graphls.analysis.frameworks.resource_routes import resource_routes
from graphls.analysis.frameworks.route_tables import table_routes
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rpc_uses import rpc_uses
from graphls.analysis.frameworks.rules import RuleSet
from graphls.analysis.frameworks.strings import resolve_dotted
from graphls.analysis.frameworks.suites import tests_by_call
from graphls.analysis.frameworks.table_contracts import changed_tables, table_uses
from graphls.analysis.frameworks.text_routes import text_routes
from graphls.analysis.frameworks.text_rpc import text_rpc_uses
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import lasting_row, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef

_EMPTY: Final = FileDerivation()
_NO_FIXTURES: Final = FileFixtures({}, {})
_BY_STRING: Final = 0.8


@attrs.frozen
class _FileSigns:
    """What in a file of code may be worth a look."""

    marks: Marks
    code: CodeMarks
    embedded: bool
    """GraphQL may be inside."""
    procedural: bool
    listing: bool


class FileDeriver:
    """The rules over the files of one snapshot."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._offered: dict[FilePath, tuple[FileFixtures, Dependencies]] = {}

    def derive(self, path: FilePath) -> DerivationResult:
        """All that is derived from one file."""
        snapshot, shard = self._snapshot, self._snapshot.shards[path]
        plain = Dependencies(frozenset((path,)))
        if is_plain_document(snapshot, path):
            return self._of_document(path)
        found = marks(snapshot, shard, self._rules) if shard.language else NOTHING
        embedded = bool(shard.language) and may_hold_graphql(snapshot, path)
        marked = code_marks(snapshot, path)
        if marked & CodeMarks.RESOLVERS and not has_graphql_schema(snapshot):
            marked &= ~CodeMarks.RESOLVERS
        procedural = may_have_procedures(snapshot, path)
        listing = may_list_tools(snapshot, path)
        if found is NOTHING and not embedded and not marked and not procedural and not listing:
            return DerivationResult(_EMPTY, plain)
        signs = _FileSigns(found, marked, embedded=embedded, procedural=procedural, listing=listing)
        with DependencyRecorder(snapshot) as recorder:
            return DerivationResult(self._of_code(path, signs, recorder), recorder.dependencies())

    def _of_document(self, path: FilePath) -> DerivationResult:
        snapshot = self._snapshot
        with DependencyRecorder(snapshot) as recorder:
            tools = entry_points(recorder.snapshot, path) if is_manifest(path) else ()
            declared = chain(tools, document_nodes(recorder.snapshot, path))
            found = derivations(path, declared, edges=document_edges(recorder.snapshot, snapshot, path))
            recorder.note(path)
            return DerivationResult(found, recorder.dependencies())

    def _of_code(self, path: FilePath, signs: _FileSigns, recorder: DependencyRecorder) -> FileDerivation:
        snapshot, found, embedded = self._snapshot, signs.marks, signs.embedded
        file = FileRules(recorder.snapshot, path, self._rules, UseNames(recorder.snapshot, self._rules))
        called, taken = procedures(file, snapshot) if signs.procedural else ((), ())
        declared = chain(file.declared(found), file_routes(file, found), tests_by_call(file, found), called)
        declared = chain(declared, listed_tools(file) if signs.listing else ())
        declared = chain(declared, embedded_entries(recorder.snapshot, path) if embedded else ())
        written, below = text_routes(file) if signs.code & CodeMarks.ROUTES else ((), ())
        listed = (*resource_routes(file), *table_routes(file)) if signs.code & CodeMarks.ROUTES else ()
        declared = chain(declared, written, listed)
        migrating = signs.code & CodeMarks.MIGRATIONS
        declared = chain(declared, migration_entries(recorder.snapshot, path) if migrating else ())
        edges = self._edges(file, found, recorder)
        made = derivations(path, declared, file.facts, edges, (*mounts_of(file, found), *taken, *below))
        uses = chain(requests_of(file, found), key_reads(file, found), rpc_uses(file) if found.remote else ())
        uses = chain(uses, _uses_by_text(file, snapshot, signs.code))
        uses = chain(uses, procedure_uses(file, snapshot) if signs.procedural else ())
        uses = chain(uses, graphql_uses(recorder.snapshot, path) if embedded else ())
        return attrs.evolve(made, edges=tuple(_between_nodes(file, made.edges)), uses=tuple(_from_nodes(file, uses)))

    def fixtures(self, path: FilePath) -> FileFixtures:
        """Fixtures of one file."""
        return self._memoized_fixtures(path)[0]

    def _edges(self, file: FileRules, found: Marks, recorder: DependencyRecorder) -> Iterator[RawEdge]:
        def offers(path: FilePath) -> FileFixtures:
            known, grounds = self._memoized_fixtures(path)
            recorder.join(grounds)
            return known

        if found.takers:
            yield from Fixtures(file, self._rules.nearby, offers).edges(found)
        if found.members:
            yield from inherited_test_edges(file, found)
        yield from _string_references(file, found)
        yield from _setting_references(file, found)

    def _memoized_fixtures(self, path: FilePath) -> tuple[FileFixtures, Dependencies]:
        known = self._offered.get(path)
        if known is None:
            known = self._offered[path] = self._find_fixtures(path)
        return known

    def _find_fixtures(self, path: FilePath) -> tuple[FileFixtures, Dependencies]:
        found = marks(self._snapshot, self._snapshot.shards[path], self._rules)
        if not found.decorated:
            return _NO_FIXTURES, Dependencies(frozenset((path,)))
        with DependencyRecorder(self._snapshot) as recorder:
            file = FileRules(recorder.snapshot, path, self._rules, UseNames(recorder.snapshot, self._rules))
            return file_fixtures(file, found), recorder.dependencies()


def _uses_by_text(file: FileRules, whole: Snapshot, marked: CodeMarks) -> Iterator[ContractUse]:
    """What the text of a file may name. `whole` notes nothing: another set of files is another derivation."""
    if marked & (CodeMarks.TABLES | CodeMarks.CLIENTS):
        yield from table_uses(file, clients=has_schema(whole))
    if marked & CodeMarks.QUERIES:
        yield from query_uses(file)
    if marked & CodeMarks.MIGRATIONS:
        yield from changed_tables(file)
    if marked & CodeMarks.FOREIGN:
        yield from foreign_uses(file, applicable_bindings(file.path, file.code.data))
    if marked & CodeMarks.REMOTE:
        yield from text_rpc_uses(file.path, file.code.data, file.facts)
    if marked & CodeMarks.RESOLVERS:
        yield from resolver_uses(file, applicable_resolvers(file.path, file.code.data))
        yield from made_uses(file)
        yield from map_uses(file) if may_be_map(file.path, file.code.data) else ()


def _between_nodes(file: FileRules, edges: Iterable[RawEdge]) -> Iterator[RawEdge]:
    """What starts at a variable of a function starts at the function; what ends at one, or at a parameter, is none."""
    for edge in edges:
        source, target = edge.source, edge.target
        if isinstance(target, SymbolRef) and target.definition >= 0:
            there = node_index(file.snapshot, target.file).addresses
            if there.slots[target.definition] < 0:
                continue
        if isinstance(source, SymbolRef):
            row = lasting_row(file.facts, source.definition)
            edge = edge if row == source.definition else attrs.evolve(edge, source=SymbolRef(source.file, row))
        yield edge


def _from_nodes(file: FileRules, uses: Iterable[ContractUse]) -> Iterator[ContractUse]:
    """What a variable of a function uses, the function uses. Each use once."""
    seen: set[ContractUse] = set()
    for use in uses:
        row = lasting_row(file.facts, use.source.definition)
        use = attrs.evolve(use, source=SymbolRef(file.path, row))
        if use not in seen:
            seen.add(use)
            yield use


def _string_references(file: FileRules, found: Marks) -> Iterator[RawEdge]:
    """References by strings that spell a dotted name."""
    literals, facts = file.facts.literals, file.facts
    for row in found.texts:
        text = facts.strings[literals.text[row]]
        yield from _dotted_reference(
            file, (text, literals.start[row], literals.end[row]), literals.owner[row], "string"
        )


def _setting_references(file: FileRules, found: Marks) -> Iterator[RawEdge]:
    """References by any strings in the value of a setting."""
    table = file.facts.definitions
    for row in found.assigned:
        for text in file.code.strings(table.end[row], table.full_end[row]):
            if "." not in text[0]:
                yield from _dotted_reference(file, text, row, "setting")


def _dotted_reference(file: FileRules, text: tuple[str, int, int], owner: int, via: str) -> Iterator[RawEdge]:
    spelled, start, end = text
    place = resolve_dotted(file.snapshot, spelled, file.path, words=via == "setting")
    if place is None or place == SymbolRef(file.path, -1):
        return
    source = SymbolRef(file.path, node_row(file.facts, owner))
    if place != source:
        handler = Handler(place, start, end, "name", _BY_STRING)
        yield edge_to_handler(file.path, source, "references", handler, {"via": via})
