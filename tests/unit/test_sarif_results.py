"""Results of logs: what they hold by run, policy, place and symbol, what several tools say, what comes back."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator, Mapping, Sequence

import pytest

from graphls.analysis.findings import findings
from graphls.analysis.sarif.imported import SarifReport
from graphls.analysis.sarif.log import sarif_log
from graphls.analysis.sarif.results import ResultFilter, ResultRow, RunRow, log_rows, same_defects
from graphls.session.ingested_logs import forget, ingest_log, ingested_logs
from graphls.session.log_history import repeated, repeated_rules
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

FILES = {"app/m.py": "class A:\n    def go(self):\n        x = 1\n\n\ndef stop():\n    y = 1\n"}


def result(rule: str, line: int, path: str = "app/m.py", **more: object) -> dict[str, object]:
    place = {"artifactLocation": {"uri": path}, "region": {"startLine": line}}
    return {"ruleId": rule, "message": {"text": f"{rule} at fault"}, "locations": [{"physicalLocation": place}], **more}


def log(*runs: dict[str, object]) -> bytes:
    return json.dumps({"version": "2.1.0", "runs": list(runs)}).encode()


def tool_run(tool: str, results: Sequence[object], **more: object) -> dict[str, object]:
    rules = [{"id": "P1", "properties": {"policy_id": "team.size", "skill_id": "split", "principle_ids": ["small"]}}]
    return {"tool": {"driver": {"name": tool, "version": "1.2", "rules": rules}}, "results": results, **more}


ONE = tool_run(
    "lint",
    [
        result("P1", 3),
        result("P2", 7, properties={"policy_id": "team.names"}),
        result("P2", 7, partialFingerprints={"primaryLocationLineHash": "abc:1"}),
        result("P3", 1, "gone/away.py"),
    ],
    automationDetails={"id": "nightly", "guid": "g-1"},
    invocations=[{"endTimeUtc": "2026-01-01T00:00:00Z"}],
)
TWO = tool_run("scan", [result("S1", 7, partialFingerprints={"primaryLocationLineHash": "abc:1"}), result("S2", 3)])


def rows(wanted: ResultFilter | None = None) -> tuple[tuple[RunRow, ...], tuple[ResultRow, ...]]:
    return log_rows(snapshot_of(FILES), [SarifReport("ci.sarif", log(ONE, TWO))], wanted or ResultFilter())


def test_runs_say_what_the_log_says_of_them() -> None:
    (first, second), found = rows()
    assert (first.tool, first.version, first.category, first.guid) == ("lint", "1.2", "nightly", "g-1")
    assert (first.produced_at, first.results, first.unlinked) == ("2026-01-01T00:00:00Z", 4, 1)
    assert (second.index, second.category, second.results, second.unlinked) == (1, "", 2, 0)
    assert len({one.id for one in found}) == 6
    assert rows() == rows()


def test_properties_of_results_win_over_those_of_rules() -> None:
    by_rule = {(one.rule, one.policy, one.skill, one.principles) for one in rows()[1] if one.rule in ("P1", "P2")}
    assert by_rule == {
        ("P1", "team.size", "split", ("small",)),
        ("P2", "team.names", "", ()),
        ("P2", "", "", ()),
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ResultFilter(rule="P1"), ["P1"]),
        (ResultFilter(rule="scan/S1"), ["S1"]),
        (ResultFilter(rule="Scan/s1"), ["S1"]),
        (ResultFilter(policy="team.size"), ["P1"]),
        (ResultFilter(skill="split"), ["P1"]),
        (ResultFilter(path="app"), ["P1", "P2", "P2", "S1", "S2"]),
        (ResultFilter(path="ap"), []),
        (ResultFilter(path="gone/away.py"), ["P3"]),
        (ResultFilter(run="ci.sarif", rule="P3"), ["P3"]),
        (ResultFilter(symbol="app.m:A.go"), ["P1", "S2"]),
        (ResultFilter(symbol="app.m:A"), ["P1", "S2"]),
        (ResultFilter(symbol="app.m:stop"), ["P2", "P2", "S1"]),
    ],
)
def test_each_question_has_its_results(wanted: ResultFilter, found: list[str]) -> None:
    runs, chosen = rows(wanted)
    assert [one.rule for one in chosen] == found
    assert [one.rule for one in rows(ResultFilter(run=runs[1].id))[1]] == ["S1", "S2"]


def test_what_no_file_has_is_there_and_tied_to_nothing() -> None:
    (away,) = rows(ResultFilter(rule="P3"))[1]
    assert (away.status, away.symbol, away.finding, away.line) == ("unlinked", "", "", 1)


def test_one_defect_that_two_tools_see_is_one() -> None:
    found = [([f"{row.tool}/{row.rule}" for row in one.results], one.line) for one in same_defects(rows()[1])]
    assert found == [(["lint/P1", "scan/S2"], 3), (["lint/P2", "scan/S1"], 7)]


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Iterator[BlobStore]:
    opened = BlobStore(StoreOptions(str(tmp_path / "cache")))
    yield opened
    opened.close()


def test_what_comes_back_is_reopened_and_the_same_log_twice_is_one_time(
    store: BlobStore, tmp_path: pathlib.Path
) -> None:
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of(FILES)

    def take(*results: object) -> tuple[int | None, int | None, int]:
        taken = ingest_log(store, workspace, snapshot, SarifReport("ci", log(tool_run("lint", results))))
        return taken.new, taken.gone, taken.reopened

    assert take(result("A", 3), result("B", 7)) == (None, None, 0)
    assert take(result("A", 3)) == (0, 1, 0)
    assert take(result("A", 3)) == (0, 0, 0)
    assert take(result("A", 3), result("B", 7), result("C", 7)) == (2, 0, 1)
    found = [(one.rule, one.times, one.of, one.reopened, one.open) for one in repeated(store, workspace)]
    assert found == [("lint/A", 3, 3, False, True), ("lint/B", 2, 3, True, True)]
    assert len(ingested_logs(store, workspace)) == 1
    forget(store, workspace, "ci")
    assert repeated(store, workspace) == ()


def test_a_rule_fails_again_where_it_says_something_new(store: BlobStore, tmp_path: pathlib.Path) -> None:
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of(FILES)

    def take(name: str, *results: object) -> Mapping[str, Mapping[str, int]] | None:
        ingest_log(store, workspace, snapshot, SarifReport(name, log(tool_run("lint", results))))
        return repeated_rules(store, workspace)

    assert repeated_rules(store, workspace) is None
    # Once is no repetition, and nobody can tell from one log.
    assert take("ci", result("A", 3)) is None
    # What stays counts once, however often the log comes.
    assert take("ci", result("A", 3), result("B", 7)) == {}
    assert take("ci", result("B", 7)) == {}
    assert take("ci", result("A", 3), result("B", 7)) == {"app/m.py": {"lint/A": 2}}
    # Another place of the same rule is a failure as well.
    assert take("ci", result("A", 3), result("A", 7)) == {"app/m.py": {"lint/A": 3}}


def test_what_this_program_exports_comes_back_at_the_same_symbols() -> None:
    files = {"app/m.py": "class A:\n    def _left(self):\n        return 1\n\n\ndef _gone():\n    return 2\n"}
    snapshot = snapshot_of(files)
    answered = findings(snapshot, Settings())
    exported = sarif_log(snapshot, answered, answered.findings)
    moved = snapshot_of({"app/m.py": "\n" * 50 + files["app/m.py"]})
    for state in (snapshot, moved):
        _, found = log_rows(state, [SarifReport("own", exported)], ResultFilter())
        assert {one.symbol for one in found} == {"app.m:A._left", "app.m:_gone"}
        assert {one.status for one in found} == {"open"}
    again = findings(moved, Settings())
    first, second = (
        json.loads(log)["runs"][0]["results"] for log in (exported, sarif_log(moved, again, again.findings))
    )
    assert [one["partialFingerprints"] for one in first] == [one["partialFingerprints"] for one in second]


def test_own_results_in_a_log_are_counted_apart(store: BlobStore, tmp_path: pathlib.Path) -> None:
    files = {"app/m.py": "class A:\n    def _left(self):\n        return 1\n\n\ndef _gone():\n    return 2\n"}
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of(files)
    answered = findings(snapshot, Settings())
    own = SarifReport("own", sarif_log(snapshot, answered, answered.findings))
    taken = ingest_log(store, workspace, snapshot, own)
    assert (taken.results, taken.unlinked, taken.own, taken.tools) == (0, 0, 2, ("graphls",))
    other = ingest_log(store, workspace, snapshot, SarifReport("ci", log(tool_run("lint", [result("A", 3)]))))
    assert (other.results, other.own) == (1, 0)
