"""Request budgets: what a request that may do little answers, and what it leaves behind.

Owns: every question under budgets of 0, 1, 2, ... steps: partial and said, or equal to the whole; nothing half is kept.
Must not know: clocks of the machine, faces.
Invariant: budgets count steps or read a clock that the test moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from graphls.analysis.findings import findings
from graphls.analysis.flow.calls import FlowCalls
from graphls.cli.rendering.answers import caveats
from graphls.context.candidates import UnitKey
from graphls.context.pack import PackRequest, coverage, pack
from graphls.context.packing import SourceLines
from graphls.context.term_cache import ready_terms
from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.graph import derived_edges
from graphls.graph.edges import linked_edges_to
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import symbol_name
from graphls.graph.request_budget import (
    BudgetSpentError,
    PartOfBudget,
    RequestBudget,
    SpentReason,
    budget_of,
    budget_of_steps,
    is_spent_to,
    limited,
    spend,
    spent_reason,
)
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Answer, Coverage, answer
from graphls.queries.call_hierarchy import callees, callers
from graphls.queries.change_plan import PlannedSite, change_plan
from graphls.queries.changed import FileDiff, changed_impact
from graphls.queries.completeness import Cause
from graphls.queries.entry_list import entry_list
from graphls.queries.find import FindQuery, find
from graphls.queries.impact import AffectedNode, ImpactQuery, impact
from graphls.queries.neighborhood import NearNode, NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.processes import processes
from graphls.queries.references import references
from graphls.queries.summary import summary
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.tests_to_run import UNFINISHED, select_tests
from graphls.queries.trace import TraceQuery, trace
from graphls.queries.type_hierarchy import all_subtypes
from graphls.session.community_report import community_report
from graphls.session.health_report import HealthSources, health_report
from graphls.session.memory import snapshot_of
from graphls.session.overview_report import centrality_report, overview_report
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from increment.session_folder import write

FILES = {
    "shop/__init__.py": "",
    "shop/base.py": "class Base:\n    def run(self): return 1\n\ndef helper(x):\n    return Base().run()\n",
    "shop/cart.py": "from shop.base import Base, helper\nclass Cart(Base):\n    def run(self): return helper(self)\n",
    **{
        f"shop/use{number}.py": "from shop.base import helper\nfrom shop.cart import Cart\n\n"
        f"def use{number}(cart):\n    helper(1)\n    Cart().run()\n    cart.run()\n"
        for number in range(8)
    },
    **{
        f"shop/web{number}.py": "from fastapi import FastAPI\n\napp = FastAPI()\n\n"
        f'@app.get("/carts{number}")\ndef carts{number}():\n    return {number}\n'
        for number in range(3)
    },
    "tests/test_shop.py": "from shop.cart import Cart\n\ndef test_cart():\n    assert Cart().run()\n",
}


def _snapshot() -> Snapshot:
    return snapshot_of(FILES)


def _references(snapshot: Snapshot) -> tuple[object, Answer]:
    found = references(snapshot, one_symbol(snapshot, "shop.base:helper"))
    gaps = found.completeness.gaps
    return found.uses, _answer_with(snapshot, bool(gaps))


def _answer_with(snapshot: Snapshot, _: bool) -> Answer:
    return answer(snapshot)


def _callers(snapshot: Snapshot) -> tuple[object, Answer]:
    return callers(snapshot, one_symbol(snapshot, "shop.cart:Cart.run")).calls, answer(snapshot)


def _near(snapshot: Snapshot) -> tuple[object, Answer]:
    found = neighborhood(snapshot, one_symbol(snapshot, "shop.base:helper"), NeighborhoodQuery(depth=3))
    return found.nodes, answer(snapshot, found.coverage)


def _impact(snapshot: Snapshot) -> tuple[object, Answer]:
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "shop.base:Base.run"), edges=50))
    return (found.affected, found.edges), answer(snapshot, found.coverage)


def _trace(snapshot: Snapshot) -> tuple[object, Answer]:
    found = trace(snapshot, TraceQuery(one_symbol(snapshot, "tests.test_shop:test_cart"), None))
    return found.paths, answer(snapshot, found.coverage)


def _node(snapshot: Snapshot) -> tuple[object, Answer]:
    found = node(snapshot, one_symbol(snapshot, "shop.base:helper"))
    return found.groups, answer(snapshot, found.coverage)


def _find(snapshot: Snapshot) -> tuple[object, Answer]:
    found = find(snapshot, FindQuery("use"))
    return found.matches, answer(snapshot, found.coverage)


def _find_member(snapshot: Snapshot) -> tuple[object, Answer]:
    found = find(snapshot, FindQuery("Cart.run"))
    return found.matches, answer(snapshot, found.coverage)


def _plan(snapshot: Snapshot) -> tuple[object, Answer]:
    found = change_plan(snapshot, one_symbol(snapshot, "shop.base:Base.run"), "signature")
    return (found.sites, found.tests), answer(snapshot, found.coverage)


def _processes(snapshot: Snapshot) -> tuple[object, Answer]:
    found = processes(snapshot)
    return found.processes, answer(snapshot, found.coverage)


def _entries(snapshot: Snapshot) -> tuple[object, Answer]:
    found = entry_list(snapshot)
    return found.entries, answer(snapshot, found.coverage)


def _report(snapshot: Snapshot) -> tuple[object, Answer]:
    sources = HealthSources(Workspace.of([]), Settings(), None)
    return (overview_report(snapshot, sources), centrality_report(snapshot, sources)), answer(snapshot)


def _communities(snapshot: Snapshot) -> tuple[object, Answer]:
    return community_report(snapshot, HealthSources(Workspace.of([]), Settings(), None)), answer(snapshot)


def _summary(snapshot: Snapshot) -> tuple[object, Answer]:
    return summary(snapshot), answer(snapshot)


def _findings(snapshot: Snapshot) -> tuple[object, Answer]:
    return findings(snapshot, Settings()).findings, answer(snapshot)


def _pack(snapshot: Snapshot) -> tuple[object, Answer]:
    request = PackRequest(task="change helper", nodes=("shop.base:helper",))
    made = pack(snapshot, request)
    return made, answer(snapshot, coverage(snapshot, request, made))


def _pack_of_words(snapshot: Snapshot) -> tuple[object, Answer]:
    ready_terms(snapshot, None)
    return _pack(snapshot)


def _health(snapshot: Snapshot) -> tuple[object, Answer]:
    found = health_report(snapshot, HealthSources(Workspace.of([]), Settings(), None))
    assert spent_reason() or (found.files_judged == len(FILES) and "clones" not in found.absent)
    return found, answer(snapshot)


def _changed(snapshot: Snapshot) -> tuple[object, Answer]:
    path = FilePath("shop/base.py")
    earlier = FILES[path].replace("helper", "old_helper").replace("return 1", "return 2").encode()
    edits = (FileDiff(path, "modified", before=earlier),)
    before = snapshot_of({**FILES, path: earlier.decode()})
    found = changed_impact(snapshot, edits, before=lambda _: before)
    return (found.nodes, found.affected, found.removed), answer(snapshot, found.coverage)


def _tests(snapshot: Snapshot) -> tuple[object, Answer]:
    found = select_tests(snapshot, (one_symbol(snapshot, "shop.base:Base.run"),))
    # Who may leave out no test runs all of them.
    assert (found.whole == (UNFINISHED,)) == bool(spent_reason())
    return found.tests, answer(snapshot, found.coverage)


QUESTIONS: dict[str, Callable[[Snapshot], tuple[object, Answer]]] = {
    "references": _references,
    "callers": _callers,
    "neighborhood": _near,
    "impact": _impact,
    "trace": _trace,
    "changed": _changed,
    "node": _node,
    "find": _find,
    "summary": _summary,
    "findings": _findings,
    "pack": _pack,
    "tests": _tests,
    "pack of words": _pack_of_words,
    "health": _health,
    "find a member": _find_member,
    "plan": _plan,
    "processes": _processes,
    "entries": _entries,
    "report": _report,
    "communities": _communities,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_whole_or_says_that_it_is_not(question: str) -> None:
    ask = QUESTIONS[question]
    whole, said = ask(_snapshot())
    assert "time_limit" not in {str(gap.cause) for gap in said.causes}
    partial = 0
    snapshot = _snapshot()
    for steps in (*range(8), *(8 * 2**power for power in range(9))):
        with limited(budget_of_steps(steps)):
            found, said = ask(snapshot)
            spent = spent_reason()
        assert bool(spent) == ("time_limit" in {str(gap.cause) for gap in said.causes})
        assert not (spent and said.complete)
        # Nobody could raise a limit that nothing was left out by.
        assert not spent or all(gap.count for gap in said.causes if gap.cause == Cause.LIMIT)
        if not spent:
            assert found == whole
            break
        partial += 1
        # What a request that ended early leaves behind is nothing that a later one takes for the whole.
        assert ask(snapshot)[0] == whole
        snapshot = _snapshot()
    else:
        pytest.fail("no budget was enough")
    assert partial, f"{question} takes no steps"


def test_entries_are_partial_at_every_step_and_never_refused() -> None:
    query = 'QUERY = gql("""query { carts { id } }""")\n'
    files = {
        **{name: text + (query if "web" in name else "") for name, text in FILES.items()},
        "schema.graphql": "type Query {\n  carts: [Cart]\n}\n\ntype Cart {\n  id: ID\n}\n",
        # What answers a schema is looked for in all files: no entry of code has to wait for that.
        **{
            f"web/answers{number}.ts": "export const resolvers = { Query: { carts: () => 1 } };\n"
            for number in range(9)
        },
    }
    whole, counts = entry_list(snapshot_of(files)).entries, list[int]()
    for steps in range(1_000):
        snapshot = snapshot_of(files)
        with limited(budget_of_steps(steps)):
            found = entry_list(snapshot)
            spent = spent_reason()
        counts.append(len(found.entries))
        assert found.entries == whole[: counts[-1]]
        assert found.coverage.truncated == bool(spent)
        if not spent:
            break
    assert counts == sorted(counts)
    assert counts[-1] == len(whole) == 4


def test_what_was_not_looked_at_is_not_said_to_be_nowhere() -> None:
    snapshot = _snapshot()
    with limited(budget_of_steps(0)):
        found = find(snapshot, FindQuery("Cart.run"))
        cut = answer(snapshot, found.coverage, found.next_step)
    assert not found.matches
    assert (cut.next.kind, cut.next.request) == ("inspect", "again")
    found = find(snapshot, FindQuery("no_such_name"))
    assert answer(snapshot, found.coverage, found.next_step).next.kind == "outside"


def test_what_links_give_of_a_node_is_there_where_following_values_takes_too_long() -> None:
    line = "".join(f"def p{number}(f):\n    p{number + 1}(f)\n" for number in range(50)) + "def p50(f): f()\n"
    files = {"app.py": f"{line}def hub(f):\n    p0(hub)\n    f()\n\ndef user():\n    hub(user)\n"}

    def ask(steps: int) -> tuple[set[tuple[str, bool]], set[str], str]:
        snapshot = snapshot_of(files)
        hub = one_symbol(snapshot, "app:hub")
        with limited(budget_of_steps(steps)):
            groups = {(group.kind, group.incoming) for group in node(snapshot, hub).groups}
            called = {symbol_name(snapshot, one.place) for one in callees(snapshot, hub)}
            return groups, called, spent_reason()

    whole, called, _ = ask(100_000)
    assert {("calls", False), ("calls", True)} <= whole
    for steps in (0, 10, 20, 40):  # none is refused
        found, some, spent = ask(steps)
        assert spent
        assert ("calls", False) in found
        assert "app:p0" in some <= called
    assert found == whole


@pytest.mark.parametrize("question", ["impact", "neighborhood", "tests", "plan", "trace"])
def test_answers_hold_what_links_give_where_following_values_has_no_end(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(flow: FlowCalls, place: SymbolRef) -> Iterator[RawEdge]:
        while True:
            spend()
        yield

    monkeypatch.setattr(FlowCalls, "to_place", endless)
    monkeypatch.setattr(FlowCalls, "from_place", endless)
    snapshot = _snapshot()
    hub = one_symbol(snapshot, "shop.base:Base.run")
    direct = {SymbolRef(edge.source.file, edge.source.definition) for edge in _links_to(snapshot, hub)}
    assert direct
    with limited(budget_of_steps(2_000)):
        found, said = QUESTIONS[question](snapshot)
        assert spent_reason()
    assert said.is_cut_short
    if question == "impact":
        affected, _ = cast("tuple[tuple[AffectedNode, ...], object]", found)
        assert direct <= {one.node for one in affected}
    elif question == "plan":
        sites, tests = cast("tuple[tuple[PlannedSite, ...], tuple[AffectedNode, ...]]", found)
        assert {"shop/base.py", "shop/cart.py"} <= {site.file for site in sites}
        assert tests
    assert found


def _links_to(snapshot: Snapshot, place: SymbolRef) -> list[RawEdge]:
    return [edge for edge in linked_edges_to(snapshot, place) if edge.kind == "calls"]


def test_a_part_of_a_budget_ends_a_search_and_leaves_the_rest() -> None:
    def search(part: float) -> int:
        done = 0
        with PartOfBudget(part):
            for _ in range(50):
                spend()
                done += 1
        return done

    assert search(0.5) == 50
    with limited(budget_of_steps(40)):
        assert search(0.5) == 20
        assert spent_reason() == "time"
        assert search(0.5) == 0
        spend()
        with pytest.raises(BudgetSpentError):
            search(1.0)
        with pytest.raises(BudgetSpentError):
            search(0.1)
    short = iter((True, False))
    with limited(budget_of(0, lambda: next(short, False))):
        assert search(0.5) == 0
        assert spent_reason() == "memory", "what was left out is said though there is memory again"
        assert search(0.5) == 50
    with limited(budget_of_steps(40)), pytest.raises(ZeroDivisionError), PartOfBudget(0.5):
        raise ZeroDivisionError


def test_pages_go_on_where_the_budget_ended() -> None:
    snapshot = _snapshot()
    root = one_symbol(snapshot, "shop.base:helper")
    whole = neighborhood(snapshot, root, NeighborhoodQuery(depth=2)).nodes
    got: list[NearNode] = []
    cursor = ""
    for steps in range(40, 400, 40):
        with limited(budget_of_steps(steps)):
            page = neighborhood(snapshot, root, NeighborhoodQuery(depth=2, cursor=cursor))
        got += page.nodes
        cursor = page.coverage.cursor
        if not cursor:
            break
    assert tuple(got) == whole


def test_a_walk_leaves_what_it_takes_to_put_its_nodes_into_words() -> None:
    """A neighborhood of two thousand nodes took the time of a request, and was put into words after it."""
    count = 1_500
    calls = "".join(f"def c{n}():\n    hub()\n    c{n // 2}()\n" for n in range(count))
    snapshot = snapshot_of({"m.py": f"def hub():\n    pass\n{calls}"})
    root = one_symbol(snapshot, "m:hub")
    whole = neighborhood(snapshot, root, NeighborhoodQuery(depth=3, limit=2_000))
    assert len(whole.nodes) >= count
    steps = 0

    def over(part: float) -> SpentReason:
        nonlocal steps
        steps += 1
        return "time" if steps >= 1_000 * part else ""

    with limited(RequestBudget(over)):
        found = neighborhood(snapshot, root, NeighborhoodQuery(depth=3, limit=2_000))
    assert found.coverage.truncated
    assert 700 < steps <= 860, "an eighth and more is left"


def test_ids_of_tests_are_there_where_classes_below_are_not_looked_for() -> None:
    files = {
        "lib.py": "def run(): pass\n",
        "tests/test_a.py": "from lib import run\n\nclass TestA:\n    def test_run(self):\n        run()\n",
        "tests/test_b.py": "from tests.test_a import TestA\n\nclass TestB(TestA): pass\n",
    }
    seen = set[tuple[str, ...]]()
    for steps in range(200):
        snapshot = snapshot_of(files)
        with limited(budget_of_steps(steps)):
            found = select_tests(snapshot, (one_symbol(snapshot, "lib:run"),))
            spent = spent_reason()
        assert spent or not found.whole
        seen.update(test.ids for test in found.tests)
        if not spent:
            break
    own = "tests/test_a.py::TestA::test_run"
    assert seen >= {(own,), (own, "tests/test_b.py::TestB::test_run", "tests/test_b.py::TestA::test_run")}


def test_what_health_measured_is_there_for_the_next_request() -> None:
    snapshot, judged = _snapshot(), list[int]()
    while not judged or judged[-1] < len(FILES):
        assert len(judged) < 2 * len(FILES), "each request begins anew"
        with limited(budget_of_steps(5)):
            judged.append(health_report(snapshot, HealthSources(Workspace.of([]), Settings(), None)).files_judged)
            assert spent_reason()
    assert judged == sorted(judged)


def test_a_step_has_a_part_of_a_budget() -> None:
    now = [0.0]
    with limited(budget_of(2_000, lambda: False, lambda: now[0], lambda: now[0])):
        assert not is_spent_to(0.5)
        assert not spent_reason()
        now[0] = 1.1
        assert is_spent_to(0.5)
        assert spent_reason() == "time"
        spend()  # the others go on
    assert not is_spent_to(0.5)


def test_a_budget_reads_its_clock() -> None:
    now = [5.0]
    budget = budget_of(2_000, lambda: False, lambda: now[0], lambda: now[0])
    with limited(budget):
        spend()
        now[0] = 6.9
        spend()
        now[0] = 7.1
        with pytest.raises(BudgetSpentError):
            spend()
        now[0] = 5.0
        with pytest.raises(BudgetSpentError):
            spend()
    spend()


def test_the_clock_of_work_is_asked_once_the_time_may_be_over() -> None:
    asked, wall = [0], [0.0]

    def worked() -> float:
        asked[0] += 1
        return wall[0]

    with limited(budget_of(2_000, lambda: False, worked, lambda: wall[0])):
        for wall[0] in (0.5, 1.0, 1.2):
            spend()
        assert asked[0] == 1, "at the start"
        wall[0] = 1.9
        spend()
        wall[0] = 2.1
        with pytest.raises(BudgetSpentError):
            spend()


def test_on_a_busy_machine_a_budget_is_time_on_the_wall() -> None:
    worked, wall = [0.0], [0.0]
    with limited(budget_of(2_000, lambda: False, lambda: worked[0], lambda: wall[0])):
        spend()
        worked[0], wall[0] = 0.2, 5.0  # it got next to nothing of the machine
        spend()
        worked[0], wall[0] = 0.3, 1.2
        spend()
        worked[0], wall[0] = 1.0, 1.8  # at half of the speed the rest takes .12 seconds more
        spend()
        wall[0] = 1.9
        with pytest.raises(BudgetSpentError):
            spend()


@pytest.mark.parametrize(("pace", "ends"), [(1.0, 2.0), (3.0, 1.76), (5.0, 1.52), (6.0, 1.5), (12.0, 3.0)])
def test_a_slow_machine_leaves_time_for_the_rest(pace: float, ends: float) -> None:
    """What is done once a budget is spent takes as much longer as what was done before; an eighth is work."""
    wall = [0.0]
    budget = budget_of(2_000, lambda: False, lambda: wall[0] / pace, lambda: wall[0])
    wall[0] = ends - 0.01
    assert not budget.limit(1.0)
    wall[0] = ends + 0.01
    assert budget.limit(1.0) == "time"


def test_a_pack_whose_time_is_nearly_over_looks_at_the_best_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each declaration that may be shown is a file that has to be read."""
    snapshot = snapshot_of({f"a{i}.py": f"def helper_{i}():\n    return {i}\n" for i in range(60)})
    request, looked_at = PackRequest(task="change helper"), list[str]()
    size = SourceLines.size

    def looked(self: SourceLines, key: UnitKey) -> int:
        looked_at.append(key.file)
        return size(self, key)

    ready_terms(snapshot, None)
    monkeypatch.setattr(SourceLines, "size", looked)
    pack(snapshot, request)
    assert len(set(looked_at)) == 60
    looked_at.clear()
    with limited(RequestBudget(lambda part: "time" if part == 0.8 else "")):
        made = pack(snapshot, request)
        assert spent_reason() == "time"
    assert made.items
    assert 24 <= len(set(looked_at)) < 45, "the best, and what is named as left out"


def test_linking_a_large_file_ends_with_the_budget_and_leaves_nothing(tmp_path: Path) -> None:
    path = FilePath("big.py")
    write(tmp_path, {path: "def f(x): return f(x)\n" * 400})
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", 60)
        snapshot = session.snapshot()
        with limited(budget_of_steps(1)):
            with pytest.raises(BudgetSpentError):
                snapshot.links(path)
            assert spent_reason() == "time"
        assert path in snapshot.not_linked()
        assert encode(snapshot.links(path)) == encode(snapshot_of({path: "def f(x): return f(x)\n" * 400}).links(path))
    finally:
        session.close()


def test_without_a_limit_of_time_memory_still_ends_work() -> None:
    short = [False]
    with limited(budget_of(0, lambda: short[0], lambda: 0.0)):
        spend()
        short[0] = True
        with pytest.raises(BudgetSpentError) as refused:
            spend()
        found = answer(_snapshot())
    assert refused.value.data == {"reason": "memory"}
    assert [str(gap.cause) for gap in found.causes] == ["memory_limit"]
    assert not found.complete


def test_no_budget_is_no_limit() -> None:
    with limited(None):
        spend()
        assert not spent_reason()
    with limited(RequestBudget(lambda _: "")):
        spend()


def test_a_terminal_has_words_for_each_cause_that_counts_uses() -> None:
    snapshot = snapshot_of({"a.py": "def f(x): return f(x)\n" * 100 + "def other(y): return y\n"})
    found = answer(snapshot, Coverage(completeness=references(snapshot, one_symbol(snapshot, "a:f#2")).completeness))
    assert [str(gap.cause) for gap in found.causes] == ["too_many_candidates"]
    assert "too many candidates" in next(iter(caveats(found)))


def test_what_a_request_ended_in_goes_on_in_the_next_one() -> None:
    """A hierarchy of more classes than one request may look at: asked again and again, it is known in the end."""
    files = {"a.py": "class C0:\n    def m(self): pass\n"} | {
        f"c{number}.py": f"from {'a' if number == 1 else f'c{number - 1}'} import C{number - 1}\n\n\n"
        f"class C{number}(C{number - 1}):\n    def m(self): pass\n"
        for number in range(1, 40)
    }
    snapshot, tries = snapshot_of(files), 0
    while True:
        tries += 1
        assert tries < 40, "each request begins anew"
        with limited(budget_of_steps(30)):
            try:
                found = all_subtypes(snapshot, SymbolRef(FilePath("a.py"), 0))
            except BudgetSpentError:
                continue
        assert len(found) == 39
        assert tries > 2
        break


def test_a_way_that_links_give_is_found_where_calls_of_values_take_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = snapshot_of({
        "a.py": "from b import second\n\ndef first(call):\n    call()\n    second()\n",
        "b.py": "def second():\n    third()\n\ndef third(): ...\n",
    })  # fmt: skip
    time_used = 0.0

    def searching(*_: object) -> list[object]:
        nonlocal time_used
        time_used = 0.8
        spend()
        raise AssertionError("the part is spent")

    monkeypatch.setattr(derived_edges, "_calls", searching)
    route = TraceQuery(one_symbol(snapshot, "a:first"), one_symbol(snapshot, "b:third"))
    with limited(RequestBudget(lambda part: "time" if time_used > part else "")):
        found = trace(snapshot, route)
    assert [len(path.edges) for path in found.paths] == [2]
    assert not found.exhausted
    assert {gap.cause for gap in found.coverage.completeness.gaps} == {Cause.TIME_LIMIT}


def test_rules_that_look_through_files_do_so_while_there_is_time() -> None:
    text = b"from flask import Flask\nfrom a import get\napp = Flask('x')\n\n@app.route('/x')\ndef f():\n    get()\n"
    users = {f"use{number}.py": text for number in range(40)}
    snapshot = snapshot_of({"a.py": b"def get(): ...\n", **users})
    assert snapshot.derivation is not None
    place = SymbolRef(FilePath("a.py"), 0)
    with limited(budget_of_steps(10)), pytest.raises(BudgetSpentError):
        snapshot.derivation.edges_to(snapshot, place)
    assert snapshot.derivation.edges_to(snapshot, place) == ()
