"""Test reach: the way back from code to the tests that may run it.

Owns: the steps of that way, how sure each is, the safety nets where nobody knows who runs something.
Must not know: what changed, ids of runners, faces.
Invariant: a step is left out only where the code shows that it runs nothing; what is not resolved is a step of its own
    certainty, never none.

Steps go from what runs to what may have run it: uses, members that are overridden, the function around a function, the
object that a decorator registers with, importers of a module whose own code runs it, users of a fixture. Where a use is
not resolved, whoever has it counts. Of methods that the language or a class from outside calls, whoever makes an
instance counts: no method runs without one (rapid type analysis: Bacon and Sweeney, "Fast static analysis of C++
virtual function calls", 1996).
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import STRUCTURE, EdgeRef, Key, edge_of_ref, is_whole_file, key_of, node_of
from graphls.graph.edges import edge_refs_at, edge_refs_of_kinds, linked_refs_to
from graphls.graph.nodes import container, is_node, is_test_file, node_row, running_owner
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import constructors
from graphls.queries.completeness import CoverageClaim, open_sites
from graphls.queries.dispatch import dispatch_steps, hands_on, is_possible, running_constructor, runs_of_held_classes
from graphls.queries.impact import only_brings
from graphls.queries.implicit_calls import runs_unnamed
from graphls.queries.matched_runs import TestRunMatch
from graphls.queries.rows import TYPES, class_around, name_of, row_at
from graphls.queries.runner_ids import called_tests, files_of_tests, find_tests, is_test
from graphls.queries.type_hierarchy import all_subtypes, is_class, iter_supertypes

Certainty = Literal["certain", "possible", "unresolved", "import"]
"""`import`: the test only imports a module whose own code runs what changes."""
CERTAINTIES: Final[tuple[Certainty, ...]] = ("certain", "possible", "unresolved", "import")
_CERTAIN, _POSSIBLE, _UNRESOLVED, IMPORT_ONLY = range(4)
_RUNS: Final = frozenset({"calls", "instantiates", "accesses", "decorates", "renders", "tests", "handles"})
_NO_RUN: Final = STRUCTURE | {"type_ref", "overrides", "implements", "exports", "aliases", "imports", "matches_pattern"}
_NO_RUN_ROLES: Final = frozenset({Role.IMPORT, Role.EXPORT, Role.TYPE})
MOST_NAMING: Final = 2_000
"""Nodes that run what changes by uses of names: of more it is said that any test may."""
MOST_RUNNING: Final = 5_000
"""The same of all that may run what changes, and of classes without which nothing does."""
_SURE: Final = 0.95
_FUNCTIONS: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)
_PLAIN_BASES: Final = frozenset({"object", "Generic", "Protocol", "ABC"})
_NO_REGISTER: Final = re.compile(
    r"(builtins\.)?(staticmethod|classmethod|property)|(functools|contextlib|abc|typing|typing_extensions|enum|types"
    r"|dataclasses|warnings|pytest|_pytest|unittest)(\..*)?"
)
_SET_UP_FILE: Final = frozenset({"setup_module", "teardown_module", "setup_function", "teardown_function",
    "setUpModule", "tearDownModule"})  # fmt: skip
_SET_UP_CLASS: Final = frozenset({
    "setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "setup_method", "setup_class",
    "teardown_method", "teardown_class", "setup", "teardown", "setUpTestData",
})  # fmt: skip
_CONFTEST: Final = "conftest.py"


class Step(NamedTuple):
    """One step back. `level`: 0 is certain; `why`: an edge kind, or the safety net that it is. `guard`: a class without
    which the step runs nothing."""

    level: int
    source: Key
    why: str
    guard: Key | None = None


class Way(NamedTuple):
    """How something was reached."""

    level: int
    length: int
    why: str
    before: Key | None


class TooManyRunningError(Exception):
    """More may run what changes than is told apart: the bound that was met."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


class TestReach:
    """The ways back in one snapshot; remembers the steps at each node. With `runs` a way ends at the first function
    that a test of that record ran."""

    __test__ = False

    def __init__(self, snapshot: Snapshot, runs: TestRunMatch | None = None) -> None:
        self._snapshot = snapshot
        self._runs = runs
        self._steps: dict[Key, tuple[Step, ...]] = {}

    def back_from(self, seeds: Mapping[Key, int], ways: dict[Key, Way]) -> None:
        """Adds everything that may run one of these to `ways`, the surest and then the shortest way first. A test that
        reaches no instance of a class is not reached through what only such an instance runs. Raises
        TooManyRunningError; then, and where the request ends, `ways` has what was found, tests without an instance too.
        """
        seeds = {**seeds, **self._unused(seeds)}
        ways.update(self._ways(seeds, self.steps, MOST_RUNNING))
        explored = self._explored(seeds)
        tests = {key: number for number, key in enumerate(key for key in ways if self._is_test(key))}
        loose = self._reaching(explored, tests, IMPORT_ONLY, {})
        strict = self._reaching(explored, tests, _UNRESOLVED, loose)
        wanted = importing = 0
        for seed in seeds:
            wanted |= strict.get(seed, 0)
            importing |= loose.get(seed, 0)
        for key, number in tests.items():
            if not wanted >> number & 1:
                if importing >> number & 1:
                    ways[key] = ways[key]._replace(level=IMPORT_ONLY)
                else:
                    del ways[key]

    def _unused(self, seeds: Mapping[Key, int]) -> Mapping[Key, int]:
        """Modules of what nothing is known to run: whoever imports them may. An import that nobody uses runs with its
        module, and no later."""
        found: dict[Key, int] = {}
        for key in seeds:
            idle = all(step.level == IMPORT_ONLY for step in self.steps(key))
            if idle and not isinstance(key, DerivedNode) and not is_whole_file(key) and not self._is_test(key):
                module = FilePath(key[0]), NONE
                level = IMPORT_ONLY if self._is_import(key) else _UNRESOLVED
                found[module] = min(level, found.get(module, level))
        return found

    def _is_import(self, key: Key) -> bool:
        place = node_of(key)
        if not isinstance(place, SymbolRef) or place.file not in self._snapshot.shards:
            return False
        return self._snapshot.facts(place.file).definitions.kind[place.definition] == DefinitionKind.IMPORT

    def named_ways_from(self, seeds: Mapping[Key, int]) -> Iterator[tuple[Key, Way]]:
        """Likewise, one by one, what runs one of these by uses of its name and of what is around these: a part of all
        that is there, found by links alone."""
        return self._ways(seeds, self._named_steps, MOST_NAMING)

    def _named_steps(self, key: Key) -> Iterator[Step]:
        place = node_of(key)
        if isinstance(place, SymbolRef) and not is_whole_file(key) and self._is_code(place):
            refs = linked_refs_to(self._snapshot, place)
            found = (*self._uses(place, refs), *self._around(place))
            yield from (step for step in found if step.level < IMPORT_ONLY)

    def _is_code(self, place: SymbolRef) -> bool:
        """Whether a place may be run by other code than a runner's."""
        shard = self._snapshot.shards.get(place.file)
        return shard is not None and bool(shard.language) and not is_test(self._snapshot, place)

    def _ways(
        self, seeds: Mapping[Key, int], steps: Callable[[Key], Iterable[Step]], most: int
    ) -> Iterator[tuple[Key, Way]]:
        heap: list[tuple[int, int, int, Key, str, Key | None]] = [
            (level, 0, number, key, "", None) for number, (key, level) in enumerate(seeds.items())
        ]
        heapq.heapify(heap)
        found: set[Key] = set()
        count = len(heap)
        while heap:
            level, length, _, key, why, before = heapq.heappop(heap)
            if key in found:
                continue
            spend()
            found.add(key)
            if len(found) > most:
                raise TooManyRunningError(most)
            yield key, Way(level, length, why, before)
            for step in steps(key):
                if step.source not in found:
                    count += 1
                    heapq.heappush(heap, (max(level, step.level), length + 1, count, step.source, step.why, key))

    def _explored(self, seeds: Iterable[Key]) -> Sequence[Key]:
        """All nodes that say anything about who reaches the seeds, guards among them."""
        seen = dict.fromkeys(seeds)
        queue = list(seen)
        for key in queue:
            spend()
            for step in self.steps(key):
                for other in (step.source, step.guard):
                    if other is not None and other not in seen:
                        seen[other] = None
                        queue.append(other)
            if len(queue) > MOST_RUNNING:
                raise TooManyRunningError(MOST_RUNNING)
        return queue

    def _reaching(
        self, explored: Sequence[Key], tests: Mapping[Key, int], least: int, guards: Mapping[Key, int]
    ) -> dict[Key, int]:
        """The tests that reach each node by steps up to a level, as bits: the least solution. `guards`: those of an
        earlier one; empty: of this one."""
        found = {key: 1 << tests[key] if key in tests else 0 for key in explored}
        onward: dict[Key, list[Key]] = {}
        for key in explored:
            for step in self.steps(key):
                onward.setdefault(step.source, []).append(key)
                if step.guard is not None and not guards:
                    onward.setdefault(step.guard, []).append(key)
        known = guards or found
        todo = dict.fromkeys(reversed(explored))
        while todo:
            spend()
            key, _ = todo.popitem()
            bits = found[key]
            for level, source, _, guard in self.steps(key):
                if level <= least:
                    bits |= found[source] if guard is None else found[source] & known[guard]
            if bits != found[key]:
                found[key] = bits
                todo.update(dict.fromkeys(onward.get(key, ())))
        return found

    def _is_test(self, key: Key) -> bool:
        node = node_of(key)
        if isinstance(node, DerivedNode):
            return node.kind == "test"
        return isinstance(node, SymbolRef) and node.file in self._snapshot.shards and is_test(self._snapshot, node)

    def steps(self, key: Key) -> tuple[Step, ...]:
        """What may have run a node."""
        known = self._steps.get(key)
        if known is None:
            known = self._steps[key] = tuple(dict.fromkeys(self._found(key)))
        return known

    def _found(self, key: Key) -> Iterator[Step]:
        node = node_of(key)
        if isinstance(node, DerivedNode):
            if node.kind != "test":
                yield from self._uses(node, self._refs(node))
            return
        if isinstance(node, str) or node.file not in self._snapshot.shards:
            return
        if is_whole_file(key):
            yield from self._of_module(node)
        elif self._is_code(node):
            ran = self._runs.tests_of(node) if self._runs is not None else None
            yield from self._of_definition(node) if ran is None else self._of_record(node, ran)

    def _of_record(self, place: SymbolRef, ran: Iterable[Key]) -> Iterator[Step]:
        """The tests that ran a function, in the place of what may run it."""
        yield from (Step(_CERTAIN, test, "ran") for test in ran)
        if self._runs is not None and self._runs.ran_early(place):
            yield Step(IMPORT_ONLY, (place.file, NONE), "initialises")

    # ---- definitions

    def _of_definition(self, place: SymbolRef) -> Iterator[Step]:
        snapshot, key = self._snapshot, key_of(place)
        facts = snapshot.facts(place.file)
        if (test := self._test_around(facts, place)) is not None:
            yield Step(_CERTAIN, test, "encloses")
            return
        kind, name = facts.definitions.kind[place.definition], name_of(facts, place.definition)
        owner = class_around(facts, place.definition)
        guard = key_of(SymbolRef(place.file, owner)) if owner != NONE and kind in _FUNCTIONS else None
        guard = None if is_test_file(place.file) else guard  # runners make instances of classes of tests
        found = [*self._uses(place, self._refs(place)), *self._members(key, guard), *self._unresolved(place, guard)]
        found += _set_up(snapshot, place, name)
        of_class = kind in TYPES
        if of_class:
            found += [Step(_POSSIBLE, key_of(one), "extends") for one in _below(snapshot, place)]
        elif owner != NONE and name not in constructors():
            # A method runs, and a field is read, where there is an instance.
            outer = SymbolRef(place.file, owner)
            if (
                kind not in _FUNCTIONS
                or runs_unnamed(snapshot, place)
                or _has_base_outside(snapshot, outer)
                or not found
            ):
                found.append(Step(_UNRESOLVED, key_of(outer), "instance"))
        found += self._around(place)
        found += self._registered(facts, place, idle=all(step.level == IMPORT_ONLY for step in found))
        if kind not in _FUNCTIONS and not of_class and facts.definitions.owner[place.definition] == NONE:
            # What initialises it is run by the module.
            found.append(Step(IMPORT_ONLY, key_of(SymbolRef(place.file, NONE)), "initialises"))
        yield from found

    def _refs(self, node: SymbolRef | DerivedNode) -> Sequence[EdgeRef]:
        return edge_refs_at(self._snapshot, node, incoming=True)

    def _uses(self, node: SymbolRef | DerivedNode, refs: Iterable[EdgeRef]) -> Iterator[Step]:
        snapshot = self._snapshot
        for ref in refs:
            if ref.kind in _NO_RUN or only_brings(snapshot, ref):
                continue
            if ref.kind == "references" and _is_of_class(snapshot, node) and not hands_on(snapshot, ref):
                continue
            level = _CERTAIN if ref.kind in _RUNS and -ref.negative_confidence >= _SURE else _POSSIBLE
            if is_whole_file(ref.source_key):
                yield from self._sites(ref, level)
            else:
                yield Step(level, ref.source_key, ref.kind)

    def _sites(self, ref: EdgeRef, level: int) -> Iterator[Step]:
        """The uses of a module's own code: in the decorators of a definition and in tests that are calls they run with
        these."""
        path = FilePath(ref.source_key[0]) if not isinstance(ref.source_key, DerivedNode) else None
        if path is None or not self._snapshot.shards[path].language:
            return
        for file, start, _ in edge_of_ref(self._snapshot, ref).sites:
            yield from self._at(FilePath(file), start, level, ref.kind)

    def _at(self, path: FilePath, offset: int, level: int, why: str) -> Iterator[Step]:
        if is_test_file(path):
            for test in called_tests(self._snapshot, path):
                if test.full_start <= offset < test.full_end:
                    yield Step(level, test, why)
                    return
            table = self._snapshot.facts(path).definitions
            for row, start in enumerate(table.start):
                if table.full_start[row] <= offset < start and table.kind[row] in (*_FUNCTIONS, *TYPES):
                    row = node_row(self._snapshot.facts(path), row)
                    yield Step(level, (path, row), why)
                    if table.kind[row] in TYPES:
                        yield from (Step(level, key_of(one), why) for one in find_tests(self._snapshot, path, row))
                    return
        # What a module calls runs when it is imported, and no later; what it hands on may run at any time.
        yield Step(IMPORT_ONLY if why in _RUNS and not is_test_file(path) else max(level, _POSSIBLE), (path, NONE), why)

    def _members(self, key: Key, guard: Key | None) -> Iterator[Step]:
        """Members that this one runs in the stead of, classes that inherit a constructor, classes that are held."""
        for ref in dispatch_steps(self._snapshot, key, "in"):
            level = _POSSIBLE if is_possible(edge_of_ref(self._snapshot, ref)) else _CERTAIN
            yield Step(level, ref.target_key, "overrides", guard)
        for ref in running_constructor(self._snapshot, key):
            yield Step(_CERTAIN, ref.source_key, "inherits")
        for ref in runs_of_held_classes(self._snapshot, key):
            if is_whole_file(ref.source_key):
                yield from self._sites(ref, _POSSIBLE)
            else:
                yield Step(_POSSIBLE, ref.source_key, "held")

    def _unresolved(self, place: SymbolRef, guard: Key | None) -> Iterator[Step]:
        """Uses that no rule resolves and that may mean the place."""
        snapshot = self._snapshot
        for site in open_sites(snapshot, CoverageClaim(uses_of=(place,))):
            if not snapshot.shards[site.file].language:
                continue
            facts = snapshot.facts(site.file)
            if site.row != NONE and facts.occurrences.role[site.row] in _NO_RUN_ROLES:
                continue
            row = site.owner if site.row != NONE else _definition_at(facts, site.start)
            row = _node_around(facts, running_owner(facts, row)) if row != NONE else NONE
            if row == NONE:
                for step in self._at(site.file, site.start, _UNRESOLVED, str(site.cause)):
                    yield step._replace(guard=guard)
            else:
                yield Step(_UNRESOLVED, (site.file, row), str(site.cause), guard)

    def _around(self, place: SymbolRef) -> Iterator[Step]:
        """The function that makes this one each time it runs."""
        facts = self._snapshot.facts(place.file)
        row = container(facts, place.definition)
        while row != NONE:
            if facts.definitions.kind[row] in _FUNCTIONS:
                yield Step(_POSSIBLE, (place.file, node_row(facts, row)), "encloses")
                return
            row = container(facts, row)

    def _test_around(self, facts: FileFacts, place: SymbolRef) -> Key | None:
        """The test in whose body a place is: what it declares is not there before it runs, and nobody else runs it,
        whatever framework it is handed to."""
        if not is_test_file(place.file):
            return None
        row = container(facts, place.definition)
        while row != NONE:
            around = SymbolRef(place.file, node_row(facts, row))
            if facts.definitions.kind[row] in _FUNCTIONS and is_test(self._snapshot, around):
                return key_of(around)
            row = container(facts, row)
        return None

    def _registered(self, facts: FileFacts, place: SymbolRef, *, idle: bool) -> Iterator[Step]:
        """Whatever the decorators hand a function to may call it; `idle`: nothing is known to."""
        decorators = facts.decorators
        for row, definition in enumerate(decorators.definition):
            if definition != place.definition:
                continue
            use = _root_use(facts, decorators.expression[row])
            for target in self._snapshot.targets(place.file, use) if use != NONE else ():
                if target.place is None:
                    name = target.external or ""
                    if idle and not _NO_REGISTER.fullmatch(name):
                        yield Step(_UNRESOLVED, (place.file, NONE), "decorates")
                elif self._is_value(target.place):
                    yield Step(_UNRESOLVED, key_of(target.place), "registers")

    def _is_value(self, place: SymbolRef) -> bool:
        if place.definition == NONE or not self._snapshot.shards[place.file].language:
            return False
        facts = self._snapshot.facts(place.file)
        kind = facts.definitions.kind[place.definition]
        return kind in (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT) and is_node(facts, place.definition)

    # ---- modules

    def _of_module(self, place: SymbolRef) -> Iterator[Step]:
        """Importers; in files of tests, the tests."""
        snapshot, path = self._snapshot, place.file
        folder, _, base = path.rpartition("/")
        for ref in edge_refs_at(snapshot, place, incoming=True):
            if ref.kind == "imports" and edge_of_ref(snapshot, ref).attributes.get("type_checking") is not True:
                yield Step(_POSSIBLE, ref.source_key, "imports")
            elif ref.kind not in _NO_RUN and not only_brings(snapshot, ref) and not is_whole_file(ref.source_key):
                yield Step(_POSSIBLE, ref.source_key, ref.kind)
        if base == "__init__.py":
            inside, language = f"{folder}/", snapshot.shards[path].language
            yield from (
                Step(_POSSIBLE, (other, NONE), "imports")
                for other in snapshot.shards
                if other.startswith(inside) and snapshot.shards[other].language == language and other != path
            )
        if base == _CONFTEST:
            for file in files_of_tests(snapshot, folder):
                yield from (Step(_POSSIBLE, key_of(test), "imports") for test in find_tests(snapshot, file))
        elif is_test_file(path):
            yield from (Step(_POSSIBLE, key_of(test), "imports") for test in find_tests(snapshot, path))


def _is_of_class(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> bool:
    return isinstance(node, SymbolRef) and is_class(snapshot, node)


def _set_up(snapshot: Snapshot, place: SymbolRef, name: str) -> Iterator[Step]:
    """Tests that a runner prepares by calling a place."""
    facts = snapshot.facts(place.file)
    owner = class_around(facts, place.definition)
    if owner != NONE and name in _SET_UP_CLASS:
        for cls in (SymbolRef(place.file, owner), *all_subtypes(snapshot, SymbolRef(place.file, owner))):
            yield from (
                Step(_CERTAIN, key_of(test), "sets up") for test in find_tests(snapshot, cls.file, cls.definition)
            )
    if not is_test_file(place.file) and not place.file.endswith(_CONFTEST):
        return
    if owner == NONE and name in _SET_UP_FILE:
        yield from (Step(_CERTAIN, key_of(test), "sets up") for test in find_tests(snapshot, place.file))
    conftest = place.file.rpartition("/")[2] == _CONFTEST
    if conftest and owner == NONE and name.startswith("pytest_"):
        yield Step(_POSSIBLE, (place.file, NONE), "sets up")
    decorators = facts.decorators
    for row, definition in enumerate(decorators.definition):
        if definition == place.definition and facts.strings[decorators.name[row]].endswith("fixture"):
            text = facts.strings[decorators.text[row]] if decorators.text[row] >= 0 else ""
            yield from _of_fixture(snapshot, place, name, owner, "autouse=True" in text.replace(" ", ""))


def _of_fixture(snapshot: Snapshot, place: SymbolRef, name: str, owner: int, everywhere: bool) -> Iterator[Step]:
    """Tests that have a fixture without a parameter: it is used by all, or named in a string."""
    folder, _, base = place.file.rpartition("/")
    spelled = re.compile(rb"""(?:usefixtures|getfixturevalue)\([^)]*["']%s["']""" % re.escape(name.encode()))
    if owner != NONE:  # what is below has it too, under the same name
        for cls in all_subtypes(snapshot, SymbolRef(place.file, owner)):
            heirs = find_tests(snapshot, cls.file, cls.definition)
            yield from (Step(_POSSIBLE, key_of(test), "fixture") for test in heirs)
    files = files_of_tests(snapshot, folder) if base == _CONFTEST else (place.file,)
    for path in files:
        if everywhere or spelled.search(snapshot.text(path) or b""):
            around = owner if path == place.file and everywhere else NONE
            yield from (Step(_POSSIBLE, key_of(test), "fixture") for test in find_tests(snapshot, path, around))


def _below(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    for ref in edge_refs_of_kinds(snapshot, place, ("extends",), incoming=True):
        source = node_of(ref.source_key)
        if isinstance(source, SymbolRef):
            yield source


def _has_base_outside(snapshot: Snapshot, owner: SymbolRef) -> bool:
    """Whether code from outside may know an instance of a class by a base of its own."""
    for cls in (owner, *iter_supertypes(snapshot, owner)):
        for ref in edge_refs_of_kinds(snapshot, cls, ("extends", "implements"), incoming=False):
            target = node_of(ref.target_key)
            if isinstance(target, str) and target.rpartition(".")[2] not in _PLAIN_BASES:
                return True
    return False


def _root_use(facts: FileFacts, expression: int) -> int:
    """The occurrence that a decorator begins with."""
    table = facts.expressions
    while expression >= 0 and table.kind[expression] in (ExpressionKind.CALL, ExpressionKind.MEMBER):
        expression = table.a[expression]
    if expression < 0 or table.kind[expression] != ExpressionKind.NAME:
        return NONE
    return row_at(facts.occurrences.start, facts.occurrences.end, table.c[expression])


def _definition_at(facts: FileFacts, offset: int) -> int:
    """The innermost function or class around an offset."""
    table, found = facts.definitions, NONE
    for row, start in enumerate(table.full_start):
        if start <= offset < table.full_end[row] and table.kind[row] in (*_FUNCTIONS, *TYPES):
            found = row
    return found


def _node_around(facts: FileFacts, row: int) -> int:
    """The nearest node."""
    while row != NONE and not is_node(facts, row):
        row = container(facts, row)
    return node_row(facts, row) if row != NONE else NONE
