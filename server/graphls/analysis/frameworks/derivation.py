"""Derivation: everything that framework rules derive, asked for by file or by place.

Owns: which files to look at, what is remembered for a snapshot and taken over from the one before.
Must not know: any particular framework, records, output.
Invariant: an edge to a place is among the edges from its source's file, and the reverse; links are graphls' own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial
from typing import Final, TypeAlias

from graphls.analysis.flow.calls import FlowCalls, flow_calls, follow_calls
from graphls.analysis.flow.passing import is_passing_known
from graphls.analysis.frameworks.code_signs import CodeMarks, code_marks
from graphls.analysis.frameworks.contracts import Contracts
from graphls.analysis.frameworks.declared_nodes import FileDerivation, once_each
from graphls.analysis.frameworks.declaring_files import may_declare
from graphls.analysis.frameworks.dependency_recorder import changes, may_differ
from graphls.analysis.frameworks.derivation_cache import DerivationResult, restore, stored
from graphls.analysis.frameworks.deriving import FileDeriver
from graphls.analysis.frameworks.document_entries import is_plain_document, may_name
from graphls.analysis.frameworks.embedded_graphql import may_hold_graphql
from graphls.analysis.frameworks.folder_contracts import FolderContracts
from graphls.analysis.frameworks.foreign_contracts import ForeignContracts
from graphls.analysis.frameworks.graphql_contracts import GraphqlContracts
from graphls.analysis.frameworks.injected_parameters import FixtureParameters
from graphls.analysis.frameworks.listed_tools import may_list_tools
from graphls.analysis.frameworks.manifests import is_manifest
from graphls.analysis.frameworks.marks import marks, tail
from graphls.analysis.frameworks.mounted_routes import MountedRoutes
from graphls.analysis.frameworks.procedures import may_make_routers
from graphls.analysis.frameworks.query_contracts import QueryContracts
from graphls.analysis.frameworks.rules import RuleSet, rule_set
from graphls.analysis.frameworks.table_contracts import TableContracts
from graphls.facts.cached_property import cached_property
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import RawEdge
from graphls.graph.file_edges import ends_of
from graphls.graph.memo import Memo
from graphls.graph.mentions import files_mentioning
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.reading import format_of
from graphls.settings import Settings

_Read: TypeAlias = "Callable[[Snapshot], bytes | None]"
_MEMO: Final = Memo["_SnapshotDerivation"]("frameworks", rests_on_links=False)
_FEW: Final = 20
"""Files whose names are quicker looked through than found among those of all."""


@lru_cache(maxsize=8)
def _frameworks(rules: RuleSet) -> FrameworkDerivation:
    return FrameworkDerivation(rules)


def derivation_for(settings: Settings) -> FrameworkDerivation | None:
    """What the settings ask for: equal settings, the same derivation; None when it is switched off."""
    chosen = settings.frameworks
    if not chosen.enabled:
        return None
    return _frameworks(rule_set(tuple(chosen.rules), tuple(chosen.disabled), chosen.strings))


class FrameworkDerivation:
    """The `Derivation` by rules about frameworks, strings and manifests."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @property
    def digest(self) -> str:
        """Names the rules: equal digests, equal answers."""
        return self.rules.digest

    def nodes(self, snapshot: Snapshot, path: FilePath) -> tuple[DerivedNode, ...]:
        """Routes and tools of one file, in source order."""
        return self._memory(snapshot).of(path).nodes

    def may_declare(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Whether a file may declare routes, tools and the like; whether it does, where that is known. Raises
        BudgetSpentError."""
        known = self._memory(snapshot).known(path)
        return may_declare(snapshot, path, self.rules) if known is None else bool(known.nodes)

    def edges_from(self, snapshot: Snapshot, path: FilePath) -> tuple[RawEdge, ...]:
        """Derived edges whose source is in one file."""
        memory = self._memory(snapshot)
        return once_each((*memory.of(path).edges, *(edge for one in memory.between for edge in one.edges_from(path))))

    def edges_to(self, snapshot: Snapshot, place: SymbolRef | DerivedNode) -> tuple[RawEdge, ...]:
        """Derived edges that end at one place, by file of the source."""
        memory = self._memory(snapshot)
        contracts = tuple(edge for one in memory.between for edge in one.edges_to(place))
        if isinstance(place, DerivedNode) and not place.in_document:
            return once_each((*(edge for edge in memory.of(place.file).edges if edge.target == place), *contracts))
        home = SymbolRef(place.file, -1) if isinstance(place, DerivedNode) else place
        found: list[RawEdge] = []
        for path in memory.files_about(home):
            spend()
            found += (edge for edge in memory.of(path).edges if edge.target == place)
        return once_each((*found, *contracts))

    def calls(self, snapshot: Snapshot) -> FlowCalls:
        """Calls of what variables, parameters and fields hold."""
        return flow_calls(snapshot, self._memory(snapshot).injected, self.digest)

    def handlers_at(self, snapshot: Snapshot, place: SymbolRef) -> tuple[RawEdge, ...]:
        """Those of `edges_to` that are of the kind `handles`, for less work."""
        memory = self._memory(snapshot)
        found = (edge for path in memory.files_about(place, handling=True) for edge in memory.of(path).edges)
        serving = (memory.contracts, memory.graphql)
        served = (edge for one in serving for edge in one.edges_to(place) if edge.kind == "handles")
        return (*(edge for edge in found if edge.target == place and edge.kind == "handles"), *served)

    def handled_by(self, snapshot: Snapshot, node: DerivedNode) -> tuple[RawEdge, ...]:
        """Those of `edges_from` whose source is a node and that are of the kind `handles`, for less work."""
        memory = self._memory(snapshot)
        if not node.in_document:
            found = memory.of(node.file).edges
            return once_each(edge for edge in found if edge.kind == "handles" and edge.source == node)
        # Whatever is handled from another file is declared in a document: a schema, an interface of services.
        handled = memory.handled.get(node.file)
        if handled is None:
            by_source = dict[SymbolRef | DerivedNode, list[RawEdge]]()
            for edge in self.edges_from(snapshot, node.file):
                if edge.kind == "handles":
                    by_source.setdefault(edge.source, []).append(edge)
            handled = memory.handled[node.file] = by_source
        return tuple(handled.get(node, ()))

    def operations(self, snapshot: Snapshot) -> tuple[DerivedNode, ...]:
        """Fields of the root types of GraphQL, and methods of services, that code answers, by file and position."""
        memory = self._memory(snapshot)
        found = {*memory.graphql.operations(), *memory.contracts.answered_methods()}
        return tuple(sorted(found, key=lambda node: (node.file, node.start, node.name)))

    def bytes_to_read(self, snapshot: Snapshot, place: SymbolRef, *, handling: bool) -> int:
        """Of files from which nothing was derived yet, and, but for handlers, of those whose flow nobody read."""
        files = self._memory(snapshot).waiting(place, handling)
        if not handling and snapshot.shards[place.file].language and not self.calls(snapshot).is_complete:
            mentioning = files_mentioning(snapshot, place, ends_of(snapshot, place)).files
            files |= {path for path in mentioning if not is_passing_known(snapshot, path)}
        return sum(snapshot.shards[path].size for path in files)

    def all_nodes(self, snapshot: Snapshot) -> tuple[DerivedNode, ...]:
        """Routes and tools of all files, by file and position."""
        memory = self._memory(snapshot)
        return tuple(node for path in snapshot.shards for node in memory.of(path).nodes)

    def result(self, snapshot: Snapshot, path: FilePath) -> DerivationResult:
        """What is derived from one file, with what that rests on."""
        return self._memory(snapshot).result(path)

    def follow(self, before: Snapshot, snapshot: Snapshot) -> None:
        """What was derived from the snapshot before, and would come out the same, holds in the next one."""
        earlier = _MEMO.get(before)
        if earlier is not None and earlier.rules is self.rules:
            found = earlier.started or earlier.earlier
            _MEMO.put(snapshot, _SnapshotDerivation(snapshot, self.rules, found, earlier.read))
            follow_calls(before, snapshot)

    def prepare(self, snapshot: Snapshot, stop: Callable[[], bool]) -> None:
        """Derives from every file, so that no question has to."""
        memory = self._memory(snapshot)
        for path in sorted(memory.left):
            if stop():
                return
            memory.of(path)

    def remember(self, snapshot: Snapshot, read: Callable[[Snapshot], bytes | None]) -> None:
        """Bytes of `stored` can be read, which may be of another state; done when somebody asks."""
        known = _MEMO.get(snapshot)
        if known is None or known.rules is not self.rules:
            known = _MEMO.put(snapshot, _SnapshotDerivation(snapshot, self.rules))
        known.read = read

    def stored(self, snapshot: Snapshot, least: int) -> bytes | None:
        """What was derived so far, for `remember` of another run; None while less than so many files are new in it."""
        known = _MEMO.get(snapshot)
        if known is None or known.rules is not self.rules or not (known.started or known.earlier):
            return None
        return known.start().stored(least)

    def _memory(self, snapshot: Snapshot) -> _SnapshotDerivation:
        return _memory_of(snapshot, self.rules)


def _memory_of(snapshot: Snapshot, rules: RuleSet) -> _SnapshotDerivation:
    """What was derived from a snapshot, which begins now where nobody has asked."""
    known = _MEMO.get(snapshot)
    if known is None or known.rules is not rules:
        known = _MEMO.put(snapshot, _SnapshotDerivation(snapshot, rules))
    return known.start()


def _derived_from(asking: Callable[[], _SnapshotDerivation], path: FilePath) -> FileDerivation:
    return asking().of(path)


class _SnapshotDerivation:
    """What was derived from one snapshot so far."""

    def __init__(
        self, snapshot: Snapshot, rules: RuleSet, earlier: _SnapshotDerivation | None = None, read: _Read | None = None
    ) -> None:
        # Kept with the snapshot that it is about: what is derived rests on own links, whatever a checker said.
        self.rules = rules
        self.earlier = earlier
        """What to take over; let go of when this memory starts."""
        self.read = read
        """Gives what an earlier run derived, until somebody asks for anything."""
        self.left: set[FilePath] = set()
        """Files from which nothing was derived yet."""
        self.handled: dict[FilePath, Mapping[SymbolRef | DerivedNode, Sequence[RawEdge]]] = {}
        """Document -> what is declared in it -> edges to what handles that."""
        self._snapshot = snapshot
        self._deriving = FileDeriver(snapshot, rules)
        self._files: dict[FilePath, DerivationResult] = {}
        self._leading: dict[SymbolRef, tuple[FilePath, ...]] = {}
        """Target -> files of `_files` with derived edges to it."""
        self._resting: dict[FilePath, tuple[FilePath, ...]] = {}
        """File -> files of `_files` whose answers rest on its contents, and perhaps others."""
        self._resting_on_format: dict[str, dict[FilePath, None]] = {}
        """The same by the format of documents, all of which were looked at."""
        self._resting_on_names: dict[FilePath, None] = {}
        """Files of `_files` whose answers rest on which files have a name."""
        self._begun, self._fresh = False, 0
        self._lock = threading.RLock()
        # These ask through the snapshot, which this memory goes with: they and it would keep each other.
        asking = partial(_memory_of, snapshot, rules)
        of = partial(_derived_from, asking)
        self._mounted = MountedRoutes(snapshot, rules, lambda path: asking().result(path).found)
        self.contracts = Contracts(snapshot, rules, of)
        self.graphql = GraphqlContracts(snapshot, of)
        tables, foreign = TableContracts(snapshot, of), ForeignContracts(snapshot, of)
        others = (QueryContracts(snapshot, of), FolderContracts(snapshot))
        self.injected = FixtureParameters(
            snapshot, lambda path: of(path).edges, lambda place: asking().edges_to_fixture(place)
        )
        self.between = (self.contracts, tables, foreign, self.graphql, *others)
        """Who knows the edges that rest on declarations in two files."""

    @property
    def started(self) -> _SnapshotDerivation | None:
        """This memory, once somebody asked it."""
        return self if self._begun else None

    def start(self) -> _SnapshotDerivation:
        """Takes over what holds."""
        if not self._begun:
            with self._lock:
                if not self._begun:
                    self._take_over()
                    self._begun, self.earlier = True, None
        if self.read is not None:
            with self._lock:
                read, self.read = self.read, None
                raw = None if read is None else read(self._snapshot)
                if raw is not None:
                    self._restore(raw)
        return self

    def _restore(self, raw: bytes) -> None:
        for path, result in restore(self._snapshot, self.rules.digest, raw).items():
            if path in self.left:
                self._take_in(path, result)

    def _take_in(self, path: FilePath, result: DerivationResult) -> None:
        self._files[path] = result
        for place in result.targets:
            self._leading[place] = (*self._leading.get(place, ()), path)
        for file in result.dependencies.files | result.dependencies.node_digests.keys():
            resting = self._resting.get(file, ())
            if path not in resting:
                self._resting[file] = (*resting, path)
        for name in result.dependencies.formats:
            self._resting_on_format.setdefault(name, {})[path] = None
        if result.dependencies.names:
            self._resting_on_names[path] = None
        self.left.discard(path)

    def stored(self, least: int) -> bytes | None:
        """What is known, unless nearly all of it was read or written before."""
        with self._lock:
            if self._fresh < least:
                return None
            derived, self._fresh = dict(self._files), 0
        return stored(self._snapshot, self.rules.digest, derived)

    def _take_over(self) -> None:
        earlier, snapshot = self.earlier, self._snapshot
        differing = changes(earlier._snapshot, snapshot) if earlier is not None else None
        if earlier is None or differing is None:
            self.left = set(snapshot.shards)
            return
        with earlier._lock:
            self._files, self._leading, self.left = dict(earlier._files), dict(earlier._leading), set(earlier.left)
            self._resting, self._fresh = dict(earlier._resting), earlier._fresh
            self._resting_on_format = {name: dict(paths) for name, paths in earlier._resting_on_format.items()}
            self._resting_on_names = dict(earlier._resting_on_names)
        # An edit that others cannot see concerns those that looked at the file itself; only a surface concerns more.
        near = {path for file in differing.contents for path in self._resting.get(file, ())}
        near |= {path for name in differing.formats for path in self._resting_on_format.get(name, ())}
        near |= self._resting_on_names.keys()
        candidates = self._files if differing.surfaces else near & self._files.keys()
        relinked = partial(may_differ, before=earlier._snapshot, after=snapshot)
        gone = [path for path in candidates if differing.touch(self._files[path].dependencies, snapshot, relinked)]
        for path in gone:
            self.left.add(path)
            for place in self._files.pop(path).targets:
                self._leading[place] = tuple(other for other in self._leading[place] if other != path)

    def of(self, path: FilePath) -> FileDerivation:
        """All that is derived from one file."""
        return self._mounted.of(path)

    def known(self, path: FilePath) -> FileDerivation | None:
        """What is derived from one file before its routes are taken in elsewhere; None where nobody asked yet."""
        known = self._files.get(path)
        return None if known is None else known.found

    def edges_to_fixture(self, place: SymbolRef) -> Iterator[RawEdge]:
        """Edges that are derived to a fixture; none to any other place."""
        if place.definition in self._deriving.fixtures(place.file).names:
            found = (edge for path in self.files_about(place) for edge in self.of(path).edges)
            yield from (edge for edge in found if edge.target == place)

    def result(self, path: FilePath) -> DerivationResult:
        """The same, with what it rests on. Raises BudgetSpentError: between declarations of two files many are read."""
        known = self._files.get(path)
        if known is None:
            spend()
            made = self._deriving.derive(path)
            with self._lock:
                known = self._files.get(path)
                if known is None:
                    known = made
                    self._fresh += 1
                    self._take_in(path, made)
        return known

    def waiting(self, place: SymbolRef, handling: bool) -> set[FilePath]:
        """Those of `files_about` from which nothing was derived yet."""
        with self._lock:
            left = frozenset(self.left)
        return set(self._unknown(place, left, handling)) if left else set()

    def files_about(self, place: SymbolRef, *, handling: bool = False) -> Iterator[FilePath]:
        """Files whose derived edges may end at a place, in order of path. `handling`: only what it handles is asked."""
        with self._lock:
            found, left = set(self._leading.get(place, ())), frozenset(self.left)
        if left:
            found.update(self._unknown(place, left, handling))
        yield from sorted(found)

    def _unknown(self, place: SymbolRef, left: Set[FilePath], handling: bool) -> Iterator[FilePath]:
        """Those of the files from which nothing was derived yet that may have an edge to a place."""
        snapshot, names = self._snapshot, tuple(self._names_of(place))
        always = left & {place.file, *self._manifests}
        yield from always
        if not handling:
            yield from self._documents_about(place, names, left - always)
        # A file that is linked to the place may know it by another name.
        reaching = (self._reaching(place) | self._registering(place, left)) & left - always
        fixture = bool(names) and place.definition in self._deriving.fixtures(place.file).names
        for path in {*self._mentioning(names, left - always), *reaching}:
            if not handling:
                spend()
            known = marks(snapshot, snapshot.shards[path], self.rules)
            if path in reaching and (may_make_routers(snapshot, path) or may_list_tools(snapshot, path)):
                yield path
                continue
            if handling:
                # A handler is linked to, or spelled by a string.
                if (known.called or known.exported) and (path in reaching or not known.tails.isdisjoint(names)):
                    yield path
                continue
            linked = (known.called or known.members or known.exported) and path in reaching
            if linked or known.assigned or (fixture and known.takers) or not known.tails.isdisjoint(names):
                yield path

    def _documents_about(self, place: SymbolRef, names: Collection[str], left: Set[FilePath]) -> Iterator[FilePath]:
        """Documents that may name a place. Of a file that is no code something else may stand for it: the name of a
        script, a folder."""
        snapshot = self._snapshot
        documents = (path for path in self._documents if path in left)
        if not snapshot.shards[place.file].language:
            yield from documents
            return
        if place.definition < 0:
            marked = bool(code_marks(snapshot, place.file) & CodeMarks.MIGRATIONS)
            forms = ("graphql",) if may_hold_graphql(snapshot, place.file) else ()
            forms = (*forms, "sql") if marked else forms
            yield from (path for path in self._documents if path in left and format_of(path) in forms)
        *folders, name = place.file.split("/")
        around = [name.partition(".")[0], *folders[-1:]] if place.definition < 0 else []
        words = [word.encode() for word in {*names, *around} if word]
        yield from (path for path in documents if may_name(snapshot, path, words))

    @cached_property
    def _documents(self) -> tuple[FilePath, ...]:
        return tuple(path for path in self._snapshot.shards if is_plain_document(self._snapshot, path))

    def _mentioning(self, names: Collection[str], left: Set[FilePath]) -> Collection[FilePath]:
        snapshot = self._snapshot
        if len(left) > _FEW:
            return {path for name in names for path in snapshot.files_with_name(name) if path in left}
        return [path for path in left if snapshot.shards[path].language and self._has_name(path, names)]

    def _has_name(self, path: FilePath, names: Collection[str]) -> bool:
        strings = self._snapshot.facts(path).strings
        return any(
            name in strings or any(tail(text) == name for text in strings if text.endswith(name)) for name in names
        )

    def _reaching(self, place: SymbolRef) -> Set[FilePath]:
        """Files whose links may lead to a place, or to the class that it constructs."""
        snapshot = self._snapshot
        if not snapshot.shards[place.file].language:
            return frozenset()
        return frozenset(files_mentioning(snapshot, place, ends_of(snapshot, place)).files)

    def _registering(self, place: SymbolRef, left: Set[FilePath]) -> Set[FilePath]:
        """Those of some files that may register the class of a method, or one below it, without the method's name."""
        snapshot, calls = self._snapshot, self.rules.class_calls
        if place.definition < 0 or not any(place.file.endswith(endings) for endings in calls.values()):
            return frozenset()
        facts = snapshot.facts(place.file)
        table = facts.definitions
        named = facts.strings[table.name[place.definition]] in self.rules.methods
        if table.kind[place.definition] != DefinitionKind.METHOD:
            return frozenset()
        if not named and place.definition not in facts.decorators.definition:
            return frozenset()
        found = {
            path
            for name, endings in calls.items()
            for path in self._mentioning((name,), left)
            if path.endswith(endings)
        }
        return frozenset(path for path in found if self._registers(path))

    def _registers(self, path: FilePath) -> bool:
        """Whether a file calls, or decorates with, something of a name by which classes are registered."""
        snapshot = self._snapshot
        facts, known = snapshot.facts(path), marks(snapshot, snapshot.shards[path], self.rules)
        uses = (*known.called, *(use for use, _ in known.decorated))
        return any(facts.strings[facts.occurrences.name[use]] in self.rules.class_calls for use in uses)

    @cached_property
    def _manifests(self) -> tuple[FilePath, ...]:
        return tuple(path for path in self._snapshot.shards if is_manifest(path))

    def _names_of(self, place: SymbolRef) -> Iterator[str]:
        snapshot = self._snapshot
        if not snapshot.shards[place.file].language:
            return
        if place.definition < 0:
            yield snapshot.module_name(place.file).dotted.rpartition(".")[2]
            return
        facts = snapshot.facts(place.file)
        yield facts.strings[facts.definitions.name[place.definition]]
        name = self._deriving.fixtures(place.file).names.get(place.definition)
        if name is not None:
            yield name
