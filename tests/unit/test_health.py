"""Health: the evidence adds up, what is not known is missing, and one body under two names is one family."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from graphls.analysis.git_signals import git_signals
from graphls.analysis.health import MARKERS, FileHealth, HealthInput, workspace_health
from graphls.analysis.risk import hidden_couplings
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.clone_families import clone_families, clones_elsewhere
from graphls.session.health_trend import HealthSnapshot, add_to_trend, health_trend
from graphls.session.memory import snapshot_of
from graphls.settings import HealthSettings, parse_settings
from graphls.settings.health_weights import HEALTH_MARKERS
from graphls.sources.git_log import GitHistory, LoggedCommit, LoggedFile
from graphls.sources.workspace import Workspace
from graphls.store.blobs import StoreOptions, opened_store

BODY = """def {0}({1}):
    {2} = []
    for one in {1}:
        if one > {3}:
            {2}.append(one * {3})
    return sorted({2})
"""
GO = """package p

func {0}({1} []int) int {{
	total := 0
	for _, {2} := range {1} {{
		total += {2} * 3
	}}
	return total
}}
"""
TS = """export function {0}({1}: number[]) {{
  let total = 0
  for (const {2} of {1}) {{
    total += {2} * 3
  }}
  return total
}}
"""
DEEP = "def deep(a):\n" + "".join(f"{'    ' * (n + 1)}if a > {n}:\n" for n in range(5)) + f"{'    ' * 6}return a\n"


def test_bodies_with_other_names_are_one_family_and_an_edit_ends_it() -> None:
    files = {"a.py": BODY.format("first", "rows", "found", 1), "b.py": BODY.format("second", "items", "kept", 20)}
    files["c.py"] = BODY.format("other", "rows", "found", 1).replace("sorted", "max").replace("append", "extend(1).x")
    snapshot = snapshot_of(files)
    (family,) = clone_families(snapshot)
    assert [symbol_name(snapshot, place) for place in family.members] == ["a:first", "b:second"]
    assert set(clones_elsewhere((family,)).values()) == {1}
    files["b.py"] = files["b.py"].replace("one *", "one + 1 *")
    assert clone_families(snapshot_of(files)) == ()


@pytest.mark.parametrize(("ending", "text"), [("go", GO), ("ts", TS)])
def test_clones_of_other_languages(ending: str, text: str) -> None:
    files = {f"x.{ending}": text.format("one", "rows", "row"), f"y.{ending}": text.format("two", "all", "it")}
    assert len(clone_families(snapshot_of(files))) == 1


STORING = "class {0}:\n    def {1}(self, {2}, {3}, {4}):\n" + "".join(
    f"        self.{{{number}}} = {{{number}}}\n" for number in (2, 3, 4, 2, 3)
)


def test_constructors_that_only_store_what_they_are_given_are_no_clones() -> None:
    def families(name: str, more: str = "") -> int:
        files = {"a.py": STORING.format("A", name, "x", "y", "z"), "b.py": STORING.format("B", name, "p", "q", "r")}
        return len(clone_families(snapshot_of({path: text + more for path, text in files.items()})))

    assert (families("__init__"), families("take")) == (0, 1)
    assert families("__init__", "        if self:\n            raise\n") == 1


def health(snapshot: Snapshot, given: HealthInput | None = None) -> dict[str, FileHealth]:
    given = given or HealthInput(signals=None, coverage=None, clones={})
    return {one.file: one for one in workspace_health(Views(snapshot), given).files}


def test_items_add_up_and_say_what_they_rest_on() -> None:
    snapshot = snapshot_of({"deep.py": DEEP, "long.py": "x = 1\n" * 400, "plain.py": "def f(): ...\n"})
    found = health(snapshot)
    assert [(item.marker, item.measure) for item in found["deep.py"].items] == [
        ("deep_nesting", 5), ("complex_conditional", 5),
    ]  # fmt: skip
    assert found["deep.py"].impact == sum(item.delta for item in found["deep.py"].items) == 14
    assert [item.marker for item in found["long.py"].items] == ["large_file"]
    assert (found["plain.py"].items, found["plain.py"].health) == ((), 100)


def test_history_and_coverage_count_only_where_they_are() -> None:
    snapshot = snapshot_of({"hot.py": "def f(): ...\n", "cold.py": "def g(): ...\n"})
    answered = workspace_health(Views(snapshot), HealthInput(signals=None, coverage=None, clones={}))
    assert answered.absent == ("history", "coverage", "linter logs")
    hot, others = LoggedFile("hot.py", "", 9, 9), tuple(LoggedFile(f"{n}.py", "", 1, 0) for n in range(12))
    commits = tuple(LoggedCommit(f"{n}", n, f"p{n}", f"p{n}@x", "", 1, (hot,)) for n in range(5))
    commits = (*commits, LoggedCommit("first", 0, "p", "p@x", "", 13, (*others,)))
    signals = git_signals(GitHistory("h", commits, 6))
    known = HealthInput(signals=signals, coverage={"hot.py": 10.0}, clones={})
    markers = {name: [item.marker for item in one.items] for name, one in health(snapshot, known).items()}
    assert markers["hot.py"] == ["ownership_risk", "git_hotspot", "hotspot_without_test_evidence"]
    assert markers["cold.py"] == []


def test_what_a_framework_asks_for_in_each_folder_costs_no_more_than_five_copies() -> None:
    snapshot = snapshot_of({"page.py": "def page(): ...\n"})
    place = SymbolRef(FilePath("page.py"), 1)
    for copies, delta in ((2, 12), (25, 30)):
        given = HealthInput(signals=None, coverage=None, clones={place: copies})
        (item,) = health(snapshot, given)["page.py"].items
        assert (item.measure, item.delta) == (copies, delta)


def test_hidden_coupling_is_of_code_that_no_edge_ties() -> None:
    files = {"a.py": "import b\n", "b.py": "x = 1\n", "c.py": "y = 1\n", "notes.txt": "n\n"}
    together = tuple(LoggedFile(name, "", 1, 0) for name in files)
    commits = tuple(LoggedCommit(f"{n}", n, "p", "p@x", "", 4, together) for n in range(3))
    snapshot, signals = snapshot_of(files), git_signals(GitHistory("h", commits, 3))
    hidden = hidden_couplings(snapshot, signals)
    assert hidden == {"a.py": 1, "b.py": 1, "c.py": 2}
    given = HealthInput(signals=signals, coverage=None, clones={}, hidden=hidden)
    (item,) = (one for one in health(snapshot, given)["c.py"].items if one.marker == "hidden_coupling")
    assert (item.measure, item.delta) == (2, 12)


def test_rules_that_fail_again_and_again_count_for_each_time() -> None:
    snapshot = snapshot_of({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    failures = {FilePath("a.py"): {"ruff/F401": 3, "ruff/E501": 2}, FilePath("gone.py"): {"ruff/F401": 5}}
    given = HealthInput(signals=None, coverage=None, clones={}, failures=failures)
    found = health(snapshot, given)
    assert [(item.marker, item.rule, item.measure, item.delta) for item in found["a.py"].items] == [
        ("repeated_lint_hook_failure", "ruff/E501", 2, 8), ("repeated_lint_hook_failure", "ruff/F401", 3, 12),
    ]  # fmt: skip
    assert found["b.py"].items == ()
    assert workspace_health(Views(snapshot), given).absent == ("history", "coverage")


def test_weights_and_overrides_count_and_drop_what_weighs_nothing() -> None:
    snapshot = snapshot_of({"tests/test_deep.py": DEEP, "deep.py": DEEP, "old/x/deep.py": DEEP})
    table = {
        "weights": {"deep_nesting": 0.5},
        "overrides": [{"glob": "tests/**", "weights": {"*": 0}}, {"glob": "old/**", "weights": {"deep_nesting": 2}}],
    }
    settings, problems = parse_settings({"health": table})
    assert not problems
    found = health(snapshot, HealthInput(signals=None, coverage=None, clones={}, settings=settings.health))
    assert [(item.marker, item.delta) for item in found["deep.py"].items] == [
        ("deep_nesting", 3.5), ("complex_conditional", 7),
    ]  # fmt: skip
    assert (found["tests/test_deep.py"].items, found["tests/test_deep.py"].health) == ((), 100)
    assert found["old/x/deep.py"].impact == 21


WRONG: list[tuple[dict[str, object], str]] = [
    ({"weights": {"large": 1}}, "large_file"),
    ({"weights": {"large_file": -1}}, "from 0 to 100"),
    ({"overrides": [{"weights": {}}]}, "glob"),
]


@pytest.mark.parametrize(("table", "word"), WRONG)
def test_wrong_weights_are_problems(table: dict[str, object], word: str) -> None:
    settings, (problem,) = parse_settings({"health": table})
    assert word in problem.message
    assert settings.health == HealthSettings()


def test_every_marker_has_a_weight() -> None:
    assert set(HEALTH_MARKERS) == MARKERS.keys()


def test_the_trend_has_one_row_a_commit_and_twenty_at_most(tmp_path: Path) -> None:
    workspace = Workspace.of([str(tmp_path)])
    row = HealthSnapshot(head="a", snapshot="s:1", health=80.0, files=3, targets=1)
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as store:
        assert health_trend(store, workspace) == ()
        for one in (row, attrs.evolve(row, health=81.5), attrs.evolve(row, head="b")):
            add_to_trend(store, workspace, one)
        assert [(one.head, one.health) for one in health_trend(store, workspace)] == [("a", 81.5), ("b", 80.0)]
        for number in range(25):
            add_to_trend(store, workspace, attrs.evolve(row, head="", snapshot=f"s:{number}"))
        assert [one.snapshot for one in health_trend(store, workspace)] == [f"s:{number}" for number in range(5, 25)]
        store.clear()
        assert health_trend(store, workspace) == ()
    assert health_trend(None, workspace) == ()


def test_tests_come_after_all_that_is_no_test() -> None:
    worst, bad = DEEP + "\n" * 500, "x = 1\n" * 900
    files = {"tests/a.py": worst, "spec/story_spec.rb": "x = 1\n" * 500, "pkg/run_test.go": "package p\n" * 500}
    judged = workspace_health(
        Views(snapshot_of({**files, "app.py": bad})), HealthInput(signals=None, coverage=None, clones={})
    )
    assert judged.files[0].file == "app.py"
    assert judged.files[0].priority < judged.files[1].priority
    assert {one.file for one in judged.files[1:]} == set(files)
