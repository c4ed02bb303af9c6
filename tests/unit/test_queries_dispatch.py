"""Walks go on from a member that is called by name to those that may run in its stead, and mark these steps."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.analysis.flow.calls import FlowCalls
from graphls.context.pack import PackRequest, pack
from graphls.graph.edge_refs import Node, key_of
from graphls.graph.edges import edge_refs_at
from graphls.graph.errors import BadRequest
from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callees, callers
from graphls.queries.dispatch import POSSIBLE, dispatch_steps, is_possible
from graphls.queries.graph_kinds import edge_kinds, effect_kinds, node_kinds
from graphls.queries.impact import ImpactQuery, Stream, impact
from graphls.queries.implementation import implementations
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.trace import TraceQuery, trace
from graphls.session.memory import snapshot_of

PYTHON = """
    --- path: store.py ---
    class Store:
        def __init__(self, name: str) -> None:
            self.name = name
        def put(self, row: str) -> None:
            raise NotImplementedError
    class Disk(Store):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            prepare()
        def put(self, row: str) -> None:
            write(row)
    class Quiet(Disk):
        def put(self, row: str) -> None:
            super().put(row)
            hush()
    class Other:
        def put(self, row: str) -> None:
            elsewhere()
    def write(row: str) -> None: ...
    def hush() -> None: ...
    def prepare() -> None: ...
    def elsewhere() -> None: ...
    --- path: use.py ---
    from store import Disk, Store
    def save(store: Store) -> None:
        store.put("x")
    def named(disk: Disk) -> None:
        Disk.put(disk, "x")
    def make() -> None:
        Store("x")
"""

TYPESCRIPT = """
    --- path: store.ts ---
    export interface Store { put(row: string): void }
    export class Disk implements Store { put(row: string) { write(row) } }
    export class Quiet extends Disk { put(row: string) { super.put(row); hush() } }
    export class Other { put(row: string) { elsewhere() } }
    export function write(row: string) {}
    export function hush() {}
    export function elsewhere() {}
    --- path: use.ts ---
    import { Store } from './store'
    export function save(store: Store) { store.put('x') }
"""


@pytest.fixture(scope="module")
def python() -> Snapshot:
    return snapshot_of(dict(fixture(PYTHON).files))


@pytest.fixture(scope="module")
def typescript() -> Snapshot:
    return snapshot_of(dict(fixture(TYPESCRIPT).files))


def _name(snapshot: Snapshot, node: Node) -> str:
    return end_name(snapshot, node).rpartition(":")[2]


def _trace(snapshot: Snapshot, source: str, target: str, **about: str) -> list[tuple[str, ...]]:
    direction = "in" if about.get("direction") == "in" else "out"
    route = TraceQuery(one_symbol(snapshot, source), one_symbol(snapshot, target), direction=direction)
    return [tuple(_name(snapshot, node) for node in path.nodes) for path in trace(snapshot, route).paths]


def test_a_trace_goes_on_from_a_base_method_to_what_overrides_it(python: Snapshot) -> None:
    assert _trace(python, "use:save", "store:write") == [("save", "Store.put", "Disk.put", "write")]
    found = trace(python, TraceQuery(one_symbol(python, "use:save"), one_symbol(python, "store:write"))).paths[0]
    assert [is_possible(edge) for edge in found.edges] == [False, True, False]
    assert [edge.ambiguous for edge in found.edges] == [False, True, False]
    assert found.confidence == POSSIBLE
    # Two steps down the hierarchy.
    assert _trace(python, "use:save", "store:hush") == [("save", "Store.put", "Disk.put", "Quiet.put", "hush")]
    assert _trace(python, "store:write", "use:save", direction="in") == [("write", "Disk.put", "Store.put", "save")]


def test_a_trace_goes_on_from_a_member_of_an_interface(typescript: Snapshot) -> None:
    assert _trace(typescript, "use.ts:save", "store.ts:write") == [("save", "Store.put", "Disk.put", "write")]
    assert _trace(typescript, "use.ts:save", "store.ts:hush") == [
        ("save", "Store.put", "Disk.put", "Quiet.put", "hush")
    ]
    # `super.put()` runs the very member that it names.
    assert _trace(typescript, "store.ts:Quiet.put", "store.ts:write") == [("Quiet.put", "Disk.put", "write")]


def test_what_a_use_cannot_run_is_not_reached(python: Snapshot, typescript: Snapshot) -> None:
    assert _trace(python, "use:save", "store:elsewhere") == []
    assert _trace(typescript, "use.ts:save", "store.ts:elsewhere") == []
    # A class that is named leaves no choice, nor does making an instance.
    assert _trace(python, "use:named", "store:hush") == []
    assert _trace(python, "use:named", "store:write") == [("named", "Disk.put", "write")]
    assert _trace(python, "use:make", "store:prepare") == []
    assert _trace(python, "store:hush", "use:named", direction="in") == []


def test_the_bound_on_confidence_leaves_possible_steps_out(python: Snapshot) -> None:
    route = TraceQuery(one_symbol(python, "use:save"), one_symbol(python, "store:write"), min_confidence=0.8)
    assert trace(python, route).paths == ()


def test_impact_goes_through_what_is_overridden_both_ways(python: Snapshot) -> None:
    down = impact(python, ImpactQuery(one_symbol(python, "use:save"), "downstream", depth=4))
    found = {_name(python, one.node): one.possible for one in down.affected if isinstance(one.node, SymbolRef)}
    assert found["Store.put"] is False
    assert {name: found[name] for name in ("Disk.put", "Quiet.put", "write", "hush")} == dict.fromkeys(
        ("Disk.put", "Quiet.put", "write", "hush"), True
    )
    assert "elsewhere" not in found
    up = impact(python, ImpactQuery(one_symbol(python, "store:write"), depth=4))
    reached = {_name(python, one.node): one.possible for one in up.affected}
    assert reached["Disk.put"] is False
    assert reached["save"] is True
    # A class that changes changes its members: whoever calls what they override is met as well.
    whole = impact(python, ImpactQuery(one_symbol(python, "store:Disk"), depth=3))
    assert {_name(python, one.node): one.possible for one in whole.affected}["save"] is True


def test_impact_follows_the_kinds_that_are_named(python: Snapshot) -> None:
    def reached(symbol: str, kinds: set[str], stream: Stream = "upstream") -> set[str]:
        query = ImpactQuery(one_symbol(python, symbol), stream, 4, frozenset(kinds))
        return {_name(python, one.node) for one in impact(python, query).affected}

    # Whoever follows calls follows what may run in the stead of what is called.
    assert reached("use:save", {"calls"}, "downstream") >= {"Store.put", "Disk.put", "write"}
    assert "save" in reached("store:write", {"calls"})
    assert reached("store:Store", {"instantiates"}) >= {"make"}
    assert not reached("store:Store", {"extends"}) & {"make", "save"}
    assert "Disk" in reached("store:Store", {"extends"})
    assert reached("store:write", {"extends"}) == set()


@pytest.mark.parametrize("words", [("nope",), ("calls", "contains")])
def test_an_unknown_kind_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(BadRequest, match=f"no kind {words[-1]!r}"):
        effect_kinds(words)
    assert edge_kinds(("calls", "contains")) == {"calls", "contains"}
    with pytest.raises(BadRequest, match="no kind 'nope'"):
        edge_kinds(("nope",))
    with pytest.raises(BadRequest, match="no kind 'calls'"):
        node_kinds(("calls",))


def test_a_walk_one_way_shows_the_members_that_may_run(python: Snapshot) -> None:
    near = neighborhood(python, one_symbol(python, "use:save"), NeighborhoodQuery(depth=3, direction="out"))
    assert {"Disk.put", "write", "Quiet.put"} <= {_name(python, one.node) for one in near.nodes}
    marked = {(_name(python, edge.source), _name(python, edge.target)) for edge in near.edges if is_possible(edge)}
    assert marked == {("Disk.put", "Store.put"), ("Quiet.put", "Disk.put")}
    back = neighborhood(python, one_symbol(python, "store:write"), NeighborhoodQuery(depth=3, direction="in"))
    assert "save" in {_name(python, one.node) for one in back.nodes}


def test_outgoing_calls_say_through_what_a_member_may_run(python: Snapshot) -> None:
    found = callees(python, one_symbol(python, "use:save"))
    shown = [(_name(python, one.place), one.through and _name(python, one.through)) for one in found]
    assert shown == [("Store.put", None), ("Disk.put", "Store.put"), ("Quiet.put", "Store.put")]
    assert found[0].sites[0].confidence > found[1].sites[0].confidence
    named = callees(python, one_symbol(python, "use:named"))
    assert [_name(python, one.place) for one in named] == ["Disk.put"]


CONSTRUCTORS = """
    --- path: a.py ---
    class A:
        def __init__(self, x: int) -> None:
            prepare()
    class B(A): ...
    class C(A):
        def __init__(self) -> None: ...
    def prepare() -> None: ...
    --- path: u.py ---
    from a import A, B, C
    def makes_a(): return A(1)
    def makes_b(): return B(1)
    def makes_c(): return C()
    def looks(x): return isinstance(x, B)
    --- path: t.ts ---
    export class A { constructor(x: number) { prepare() } }
    export class B extends A {}
    export class C extends A { constructor() { super(1) } }
    export function prepare() {}
    --- path: v.ts ---
    import { A, B, C } from './t'
    export function makesA() { return new A(1) }
    export function makesB() { return new B(1) }
    export function makesC() { return new C() }
    export function looks(x: unknown) { return x instanceof B }
"""


@pytest.fixture(scope="module")
def constructed() -> Snapshot:
    return snapshot_of(dict(fixture(CONSTRUCTORS).files))


def test_a_constructor_is_run_by_those_who_make_the_class_or_one_that_inherits_it(constructed: Snapshot) -> None:
    def users(name: str) -> dict[str, bool]:
        found = impact(constructed, ImpactQuery(one_symbol(constructed, name), depth=2)).affected
        return {_name(constructed, one.node): one.possible for one in found}

    in_python = users("a:A.__init__")
    assert in_python["makes_a"] is False
    assert in_python["makes_b"] is False
    assert "looks" not in in_python
    in_typescript = users("t.ts:A.constructor")
    assert {"makesA", "makesB", "makesC"} <= in_typescript.keys()
    assert not any(in_typescript.values())
    assert "looks" not in in_typescript


@pytest.mark.parametrize(
    ("source", "target"),
    [("u:makes_a", "a:prepare"), ("u:makes_b", "a:prepare"), ("v.ts:makesA", "t.ts:prepare"),
     ("v.ts:makesB", "t.ts:prepare"), ("v.ts:makesC", "t.ts:prepare")],
)  # fmt: skip
def test_who_makes_an_instance_runs_what_the_constructor_calls(constructed: Snapshot, source: str, target: str) -> None:
    assert len(_trace(constructed, source, target)) == 1
    assert len(_trace(constructed, target, source, direction="in")) == 1


def test_a_constructor_that_calls_no_other_runs_no_other(constructed: Snapshot) -> None:
    assert _trace(constructed, "u:makes_c", "a:prepare") == []


OBJECTS = """
    --- path: types.ts ---
    export interface Storage { get(key: string): string; set: (key: string) => void; size: number }
    export type Shape = { area(): number }
    --- path: made.ts ---
    import type { Shape, Storage } from './types'
    export const memory: Storage = { get(key) { return inMemory(key) }, set: (key) => { inMemory(key) }, size: 1 }
    export const checked = { get(key: string) { return inChecked(key) } } satisfies Partial<Storage>
    export function make(): Storage { return { get(key) { return inMade(key) }, set() {}, size: 2 } }
    export class Holder { inner: Storage = { get(key) { return inHolder(key) }, set() {}, size: 3 } }
    export const round: Shape = { area: () => inRound() }
    export const other = { get(key: string) { return inOther(key) } }
    export function inMemory(key: string) { return key }
    export function inChecked(key: string) { return key }
    export function inMade(key: string) { return key }
    export function inHolder(key: string) { return key }
    export function inRound() { return 1 }
    export function inOther(key: string) { return key }
    --- path: use.ts ---
    import type { Shape, Storage } from './types'
    export function load(storage: Storage) { return storage.get('a') }
    export function measure(shape: Shape) { return shape.area() }
"""


@pytest.fixture(scope="module")
def objects() -> Snapshot:
    return snapshot_of(dict(fixture(OBJECTS).files))


@pytest.mark.parametrize(
    ("start", "end", "through"),
    [
        ("load", "inMemory", "memory.get"),
        ("load", "inChecked", "checked.get"),
        ("load", "inMade", "make.get"),
        ("load", "inHolder", "Holder.inner.get"),
        ("measure", "inRound", "round.area"),
    ],
)
def test_a_walk_goes_on_to_members_of_objects_with_a_declared_type(
    objects: Snapshot, start: str, end: str, through: str
) -> None:
    declared = {"load": "Storage.get", "measure": "Shape.area"}[start]
    way = (start, declared, through, end)
    assert way in _trace(objects, f"use.ts:{start}", f"made.ts:{end}")
    assert way[::-1] in _trace(objects, f"made.ts:{end}", f"use.ts:{start}", direction="in")


def test_objects_without_a_declared_type_and_data_stand_for_nothing(objects: Snapshot) -> None:
    assert _trace(objects, "use.ts:load", "made.ts:inOther") == []
    assert implementations(objects, one_symbol(objects, "types.ts:Storage.size")) == ()


def test_members_of_objects_are_implementations(objects: Snapshot) -> None:
    found = implementations(objects, one_symbol(objects, "types.ts:Storage.get"))
    assert {_name(objects, place) for place in found} == {"memory.get", "checked.get", "make.get", "Holder.inner.get"}
    called = {_name(objects, one.place): one.through for one in callees(objects, one_symbol(objects, "use.ts:load"))}
    assert called["Storage.get"] is None
    assert called["memory.get"] is not None
    calling = callers(objects, one_symbol(objects, "made.ts:memory.get")).calls
    assert [(_name(objects, one.place), one.through is not None) for one in calling] == [("load", True)]


def test_packs_show_what_may_run(objects: Snapshot, python: Snapshot) -> None:
    made = pack(objects, PackRequest(nodes=("use.ts:load",)))
    shown = {item.symbol.rpartition(":")[2]: item.reason for item in made.items}
    assert "possible, implements" in shown["memory"]
    assert "possible, implements" in shown["make"]
    by_task = pack(python, PackRequest(task="rows are lost when save() runs"))
    assert any("possible, overrides store:Store.put" in item.reason for item in by_task.items)


def test_a_ranking_looks_below_no_class_that_many_files_name(python: Snapshot) -> None:
    files = dict(fixture(PYTHON).files)
    more = {f"other{number}.py": b"from store import Store\nx: Store\n" for number in range(40)}
    crowded = snapshot_of({**files, **more})
    reasons = [item.reason for item in pack(crowded, PackRequest(task="rows are lost when save() runs")).items]
    assert not any("possible" in reason for reason in reasons)
    named = [item.reason for item in pack(crowded, PackRequest(nodes=("use:save",))).items]
    assert any("possible, overrides store:Store.put" in reason for reason in named)


def test_who_asks_what_overrides_does_not_wait_for_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which functions a value may be takes seconds in a large repository, and no member stands in for another by it."""
    snapshot = snapshot_of(
        {
            "a.py": "class A:\n    def run(self): pass\n\n\nclass B(A):\n    def run(self): pass\n",
            "b.py": "from a import A, B\n\nheld = [A, B]\nfor one in held:\n    one().run()\n",
        }
    )
    asked: list[SymbolRef] = []
    monkeypatch.setattr(FlowCalls, "to_place", lambda _, place: asked.append(place) or ())
    monkeypatch.setattr(FlowCalls, "from_place", lambda _, place: asked.append(place) or ())
    run, other = (one_symbol(snapshot, f"a:{name}.run") for name in "AB")
    assert implementations(snapshot, run) == (other,)
    assert dispatch_steps(snapshot, key_of(run), "out")
    assert dispatch_steps(snapshot, key_of(other), "in")
    assert asked == []
    assert list(edge_refs_at(snapshot, run, incoming=True))
    assert asked == [run], "who asks for all edges has these too"


def test_a_way_to_something_may_be_long_where_no_depth_is_asked_for() -> None:
    steps = "".join(f"def f{number}():\n    f{number + 1}()\n" for number in range(9))
    snapshot = snapshot_of({"a.py": f"{steps}def f9(): ...\n"})
    first, last = one_symbol(snapshot, "a:f0"), one_symbol(snapshot, "a:f9")
    assert [len(path.edges) for path in trace(snapshot, TraceQuery(first, last)).paths] == [9]
    assert not trace(snapshot, TraceQuery(first, last, depth=6)).paths
    assert max(len(path.edges) for path in trace(snapshot, TraceQuery(first)).paths) <= 6
