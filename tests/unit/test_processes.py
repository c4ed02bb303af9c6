"""Processes, centrality and the page about a workspace."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from graphls.analysis.centrality import CentralityInput, central_files
from graphls.analysis.flow.calls import FlowCalls
from graphls.analysis.git_signals import git_signals
from graphls.analysis.views import Views
from graphls.graph.errors import BadRequest
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import symbol_name
from graphls.graph.request_budget import budget_of_steps, limited, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.impact_view import impact_view
from graphls.queries.node_views import Presenter
from graphls.queries.process_roots import named_callers
from graphls.queries.processes import ProcessesAnswer, known_processes, process_name, processes
from graphls.queries.summary import Counted
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.community_report import community_report
from graphls.session.health_report import HealthSources
from graphls.session.memory import snapshot_of
from graphls.session.overview_report import overview_report
from graphls.settings import Settings
from graphls.sources.git_log import GitHistory, LoggedCommit, LoggedFile
from graphls.sources.workspace import Workspace

FILES = {
    "app/__init__.py": "",
    "app/main.py": "from app.store import *\ndef run():\n    prepare()\n\ndef prepare():\n    save(Store())\n",
    "app/store.py": (
        "class Store:\n    def write(self):\n        flush()\n\n"
        "class Disk(Store):\n    def write(self):\n        sync()\n\n\n"
        "def save(store: Store):\n    store.write()\n\n\ndef flush():\n    pass\n\n\ndef sync():\n    pass\n"
    ),
    "tests/test_main.py": "from app.main import run\n\n\ndef test_run():\n    run()\n",
    "app/loop.py": "def again():\n    back()\n\n\ndef back():\n    again()\n",
}


def chains(snapshot: Snapshot, found: ProcessesAnswer) -> list[list[str]]:
    def short(place: object) -> str:
        return symbol_name(snapshot, place).partition(":")[2] if isinstance(place, SymbolRef) else "?"

    return [[short(step.place) for step in one.steps] for one in found.processes]


def test_chains_begin_where_nothing_calls_and_pass_what_may_run_instead() -> None:
    snapshot = snapshot_of(FILES)
    found = processes(snapshot)
    assert chains(snapshot, found) == [
        ["run", "prepare", "save", "Store.write", "flush"],
        ["run", "prepare", "save", "Disk.write", "sync"],
    ]
    assert process_name(snapshot, found.processes[0]) == "app.main:run -> app.store:flush"
    possible = [[step.possible for step in one.steps] for one in found.processes]
    assert possible == [[False] * 5, [False, False, False, True, False]]
    assert found.processes[0].confidence > found.processes[1].confidence
    assert not any(one.declared for one in found.processes)
    assert found.coverage.completeness.gaps  # a choice of chains is never all of them


def test_what_passes_a_place_is_said_where_it_costs_little_or_is_known() -> None:
    large = "X = 1\n" * 15_000
    for files, known in ((FILES, True), ({**FILES, "app/table.py": large}, False)):
        snapshot = snapshot_of(files)
        place = one_symbol(snapshot, "app.store:Store.write")
        for asked in (False, True):
            if asked:
                processes(snapshot)
            passing = known_processes(snapshot, (place,))
            names = None if passing is None else [process_name(snapshot, one) for one in passing]
            assert names == (["app.main:run -> app.store:flush"] if known or asked else None)
    nothing = snapshot_of({"m.py": "def alone(): ...\n"})
    assert known_processes(nothing, (one_symbol(nothing, "m:alone"),)) == ()


def test_chains_through_a_place_and_the_cut() -> None:
    snapshot = snapshot_of(FILES)
    assert len(processes(snapshot, one_symbol(snapshot, "app.store:Disk")).processes) == 1
    assert len(processes(snapshot, one_symbol(snapshot, "app.main")).processes) == 2
    nothing = processes(snapshot, one_symbol(snapshot, "app.loop:again"))
    assert nothing.processes == ()
    assert nothing.coverage.empty
    cut = processes(snapshot, limit=1)
    assert (len(cut.processes), cut.coverage.truncated, cut.coverage.omitted) == (1, True, 1)


def test_chains_and_communities_of_a_part(tmp_path: Path) -> None:
    more = {
        f"lib/{path}": text.replace("app.", "lib.app.") for path, text in FILES.items() if path != "tests/test_main.py"
    }
    snapshot = snapshot_of({**FILES, **more})
    assert {step.place.file for one in processes(snapshot, scope="lib").processes for step in one.steps[:1]
            if isinstance(step.place, SymbolRef)} == {"lib/app/main.py"}  # fmt: skip
    assert len(processes(snapshot, scope=".").processes) == len(processes(snapshot).processes)
    with pytest.raises(BadRequest):
        processes(snapshot, scope="nowhere")
    pytest.importorskip("networkx")
    sources = HealthSources(Workspace.of([str(tmp_path)]), Settings(), None)
    found = community_report(snapshot, sources, scope="lib")
    assert found.communities
    assert all(any(path.startswith("lib/") for path in one.members) for one in found.communities)
    assert found.total < community_report(snapshot, sources).total


def test_an_impact_names_communities_once_somebody_has_asked_for_them(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    snapshot = snapshot_of(FILES)
    place = one_symbol(snapshot, "app.main:run")
    found, things = impact(snapshot, ImpactQuery(place, "downstream")), Presenter(snapshot)
    assert impact_view(things, found, "downstream").communities is None
    report = community_report(snapshot, HealthSources(Workspace.of([str(tmp_path)]), Settings(), None))
    names = impact_view(things, found, "downstream").communities
    files = {place.file, *(one.node.file for one in found.affected if not isinstance(one.node, str))}
    assert names
    assert set(names) == {one.name for one in report.communities if not files.isdisjoint(one.members)}


def test_chains_end_where_code_of_others_is_called() -> None:
    snapshot = snapshot_of({
        "main.py": "from vendor.log import log\n\ndef main():\n    first()\n\ndef first():\n    second()\n\n"
        "def second():\n    log()\n",
        "vendor/__init__.py": "",
        "vendor/log.py": "def log():\n    write()\n\ndef write():\n    pass\n",
    })  # fmt: skip
    assert chains(snapshot, processes(snapshot)) == [["main", "first", "second"]]
    through = processes(snapshot, one_symbol(snapshot, "vendor.log:write"))
    assert chains(snapshot, through) == [["main", "first", "second", "log", "write"]]


def test_where_a_program_begins_comes_before_what_calls_more() -> None:
    main = "from app.store import *\n\ndef main():\n    first()\n\ndef first():\n    save(Store())\n\nmain()\n"
    snapshot = snapshot_of({**FILES, "app/script.py": main, "docs/shown.py": main})
    assert [chain[0] for chain in chains(snapshot, processes(snapshot))] == [
        "main",
        "run",
        "main",
        "run",
        "main",
        "main",
    ]


def test_entries_are_found_without_a_search_of_calls_by_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(FILES)
    assert snapshot.derivation is not None
    flow = type(snapshot.derivation.calls(snapshot))
    searched = list[str]()
    monkeypatch.setattr(flow, "from_file", lambda _, path: searched.append(path) or ())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert len(processes(snapshot).processes) == 2
    assert searched == []


def test_no_more_entries_are_walked_than_it_takes() -> None:
    more = {f"app/m{n}.py": f"from app.store import *\ndef go{n}():\n    save(Store())\n" for n in range(9)}
    snapshot = snapshot_of({**FILES, **more})
    found, every = processes(snapshot, limit=2), processes(snapshot)
    assert found.processes == every.processes[:2]
    assert (found.entries, found.cut, found.coverage.truncated) == (10, 8, True)
    assert (every.entries, every.cut) == (10, 0)


def test_a_declared_entry_comes_first() -> None:
    served = {
        **FILES,
        "app/web.py": "from flask import Flask\nfrom app.main import prepare\n\napp = Flask(__name__)\n\n\n"
        "@app.route('/save')\ndef view():\n    prepare()\n",
    }
    snapshot = snapshot_of(served)
    found = processes(snapshot)
    assert found.declared == 1
    assert chains(snapshot, found)[0] == ["?", "view", "prepare", "save", "Store.write", "flush"]
    assert [one.declared for one in found.processes] == [True, True, False, False]
    assert processes(snapshot_of(dict(reversed(served.items())))).processes == found.processes
    page = overview_report(snapshot, HealthSources(Workspace.of(["/nowhere"]), Settings(), None))
    assert page.entries == (Counted("route", 1),)


def test_points_of_a_central_file_are_the_sum_of_what_is_said() -> None:
    files = tuple(LoggedFile(path, "", 1, 0) for path in ("app/loop.py", "app/store.py"))
    commits = tuple(LoggedCommit(f"{n}", n, "p", "p@x", "", 2, files) for n in range(3))
    views = Views(snapshot_of(FILES))
    store = views.snapshot.shards["app/store.py"].path  # pyright: ignore[reportArgumentType]
    given = CentralityInput(signals=git_signals(GitHistory("h", commits, 3)), health={store: 1.5}, findings={store: 2})
    first = central_files(views, given)[0]
    assert first.file == store
    assert {row.signal: row.points for row in first.signals} == {
        "imported by": 4, "common commits": 6, "without an import": 8, "health priority": 3.0, "findings": 6,
    }  # fmt: skip
    assert first.score == 27
    without = central_files(views, CentralityInput(signals=None, health={}, findings={}))
    assert {row.signal for one in without for row in one.signals} == {"imported by", "imports"}


def test_the_page_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    sources = HealthSources(Workspace.of([str(tmp_path)]), Settings(), None)
    page = overview_report(snapshot_of(FILES), sources)
    assert page.head is None
    assert "There is no history: churn, owners and common commits are missing." in page.warnings
    assert [one.command for one in page.suggested_actions] == ["the setting findings.coverage"]
    assert page.processes[0].name == "app.main:run -> app.store:flush"
    assert page == overview_report(snapshot_of(FILES), sources)
    assert "The index is empty: no file was read." in overview_report(snapshot_of({}), sources).warnings


def _searched_by_flow(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The places from which calls by flow are sought from now on."""
    assert snapshot.derivation is not None
    flow = type(snapshot.derivation.calls(snapshot))
    searched, search = list[str](), flow.from_place

    def from_place(calls: FlowCalls, place: SymbolRef) -> Iterable[RawEdge]:
        searched.append(symbol_name(snapshot, place).partition(":")[2])
        return search(calls, place)

    monkeypatch.setattr(flow, "from_place", from_place)
    return searched


def test_calls_by_flow_are_sought_once_and_where_they_may_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = "".join(f"def step{n}():\n    prepare()\n\n" for n in range(4))
    many = "from app.main import prepare\n\ndef main():\n    step0()\n    step1()\n    step2()\n    step3()\n\n" + steps
    snapshot = snapshot_of({**FILES, "app/many.py": many})
    searched = _searched_by_flow(snapshot, monkeypatch)
    found = processes(snapshot)
    assert "main" not in searched
    assert "step0" in searched
    assert chains(snapshot, found)[0] == ["main", "step0", "prepare", "save", "Store.write", "flush"]
    searched.clear()
    assert processes(snapshot) == found
    assert searched == []


def test_a_question_that_ends_early_has_the_chains_through_a_place() -> None:
    busy = "from app.store import *\n" + "".join(f"def busy{n}():\n    save(Store())\n\n" for n in range(60))
    snapshot = snapshot_of({**FILES, "app/busy.py": busy})
    with limited(budget_of_steps(80)):
        found = processes(snapshot, one_symbol(snapshot, "app.store:Disk.write"))
        assert spent_reason() == "time"
    assert chains(snapshot, found)[0] == ["busy0", "save", "Disk.write", "sync"]
    assert found.cut


def test_a_search_of_callers_that_ended_goes_on_where_it_was() -> None:
    files = {f"m{n}.py": f"def run{n}():\n    used{n}()\n\ndef used{n}(): ...\n" for n in range(12)}
    whole, known, seen = named_callers(snapshot_of(files)), snapshot_of(files), list[int]()
    for _ in range(12):
        with limited(budget_of_steps(20)):
            seen.append(len(named_callers(known).roots))
    assert seen[0] < seen[1] < seen[2] <= len(whole.roots) == 12
    assert named_callers(known) == whole
    assert seen == sorted(seen)
    assert seen[-1] == 12


def test_an_entry_that_calls_much_else_has_chains_through_a_place() -> None:
    calls = "".join(f"    other{n}()\n" for n in range(8))
    others = "".join(f"def other{n}():\n    inner{n}()\n\n\ndef inner{n}(): ...\n\n\n" for n in range(8))
    snapshot = snapshot_of({
        "lib.py": f"{others}def begin():\n{calls}    asked()\n\n\ndef asked():\n    then()\n\n\ndef then(): ...\n",
    })  # fmt: skip
    found = processes(snapshot, one_symbol(snapshot, "lib:asked"))
    assert chains(snapshot, found) == [["begin", "asked", "then"]]
    assert found.entries == 1


def test_what_only_circles_call_begins_a_chain_of_its_own() -> None:
    text = "def a():\n    b()\n\n\ndef b():\n    c()\n\n\ndef c():\n    d()\n    a()\n\n\ndef d(): ...\n"
    snapshot = snapshot_of({"lib.py": text})
    assert chains(snapshot, processes(snapshot, one_symbol(snapshot, "lib:b"))) == [["b", "c", "d"], ["b", "c", "a"]]


def test_a_main_that_a_script_runs_begins_chains_before_tools_of_development() -> None:
    main = "def main():\n    first()\n\n\ndef first():\n    last()\n\n\ndef last(): ...\n"
    snapshot = snapshot_of({
        "pkg/__init__.py": "",
        "pkg/app.py": main,
        "run_it.py": "from pkg.app import main\n\nmain()\n",
        "tools/bench.py": main + "\n\ndef more():\n    main()\n    first()\n",
        "noxfile.py": main,
        "pkg/inner.py": "def shown():\n    rest()\n\n\ndef rest(): ...\n\n\ndef offered():\n    shown()\n\n\n"
        "def _hidden():\n    shown()\n    shown()\n    rest()\n",
    })  # fmt: skip
    names = [process_name(snapshot, one).partition(" -> ")[0] for one in processes(snapshot).processes]
    assert names == ["pkg.app:main", "pkg.inner:offered", "noxfile:main", "tools.bench:more"]


def test_chains_have_ends_of_their_own_as_long_as_there_are_some() -> None:
    both = "".join(
        f"def go{n}():\n    one{n}()\n    shared()\n\n\ndef one{n}():\n    end{n}()\n\n\ndef end{n}(): ...\n\n\n"
        for n in range(3)
    )
    snapshot = snapshot_of(
        {"lib.py": both + "def shared():\n    deep()\n\n\ndef deep():\n    end()\n\n\ndef end(): ...\n"}
    )
    ends = [chain[-1] for chain in chains(snapshot, processes(snapshot))]
    assert ends == ["end", "end1", "end2", "end0", "end", "end"]
