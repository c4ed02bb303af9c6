"""Broad dispatcher: what history and coverage have to say before a broad choice is a finding."""

from __future__ import annotations

import attrs
import pytest

from graphls.analysis.change_history import ChangeHistory, HistorySource
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.analysis.git_signals import git_signals
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import FindingsSettings, Settings
from made_history import made_history

RULE = "arch.broad_dispatcher"
PAIR = ("app/events.py", "app/manager.py")
ON = Settings(findings=FindingsSettings(rules={RULE: "P3"}))


def dispatcher(cases: int) -> str:
    body = "".join(f"    elif event == 'case{number}':\n        return {number}\n" for number in range(1, cases))
    return f"def run(event):\n    if event == 'case0':\n        return 0\n{body}    return None\n"


def files(cases: int = 6, manager: str = "x = 1\n") -> dict[str, str]:
    return {"app/events.py": dispatcher(cases), "app/manager.py": manager}


def said(snapshot: Snapshot, together: int = 4, covered: float | None = None) -> FindingSet:
    known = None if covered is None else {one_symbol(snapshot, "app.events:run"): covered}
    source = HistorySource("now", lambda _: ChangeHistory(git_signals(made_history((together, PAIR))), known))
    return findings(snapshot, ON, KnownFindings(history=source))


@pytest.mark.parametrize(
    ("cases", "manager", "together", "covered", "confidence"),
    [
        (6, "x = 1\n", 4, None, "low"),
        (6, "x = 1\n", 4, 20.0, "medium"),
        (6, "x = 1\n", 4, 50.0, ""),
        (5, "x = 1\n", 4, None, ""),
        (6, "x = 1\n", 2, None, ""),
        (6, "import app.events\n", 4, None, ""),
    ],
)
def test_a_broad_choice_needs_history_that_nothing_explains(
    cases: int, manager: str, together: int, covered: float | None, confidence: str
) -> None:
    found = said(snapshot_of(files(cases, manager)), together, covered).findings
    assert [one.confidence for one in found] == ([confidence] if confidence else [])
    if found:
        (one,) = found
        assert [evidence.file for evidence in one.evidence] == ["app/events.py", "app/manager.py"]
        assert one.measures["changes_with"] == (f"app/manager.py ({together})",)
        assert one.measures.get("covered_percent") == (None if covered is None else round(covered))
        assert one.evidence_tier == "process_observed"


def test_without_history_the_rule_is_named_and_not_silent() -> None:
    def refuse(_: Snapshot) -> ChangeHistory:
        raise BadRequest("There is no git repository.")

    snapshot = snapshot_of(files())
    answered = findings(snapshot, ON, KnownFindings(history=HistorySource("none", refuse)))
    assert [(one.rule, one.reason) for one in answered.failures] == [(RULE, "There is no git repository.")]
    assert not findings(snapshot, attrs.evolve(ON, findings=FindingsSettings())).failures
