"""Calls by flow of the state before an edit: at hand where a question may not search, and said to be of that state.

Owns: edits after which the calls of all files were known, questions of little time.
Must not know: how a search goes.
Invariant: whoever has the time finds what a fresh workspace has, and nothing of an earlier state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from graphls.analysis.flow import earlier_calls
from graphls.facts.paths import FilePath
from graphls.graph.derived_edges import derived_edges_of, derived_edges_to
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import symbol_name
from graphls.graph.request_budget import RequestBudget, limited, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import Cause
from graphls.queries.node import node
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.session.session import Session
from increment.session_folder import anew, session_over, settle, write

FILES = {
    "hooks.py": "HOOKS = []\n\n\ndef first(): ...\n\n\ndef second(): ...\n",
    "fill.py": "import hooks\n\nhooks.HOOKS.append(hooks.first)\nhooks.HOOKS.append(hooks.second)\n",
    "run.py": "import hooks\n\n\ndef run():\n    for hook in hooks.HOOKS:\n        hook()\n",
    "late.py": "import hooks\n\n\ndef late():\n    hooks.HOOKS[0]()\n",
}
FIRST, RUN = "hooks:first", "run:run"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    with session_over(tmp_path) as made:
        snapshot = settle(made)
        assert snapshot.derivation is not None
        snapshot.derivation.calls(snapshot).complete()
        yield made


def _edited(session: Session, files: Mapping[str, str]) -> Snapshot:
    for path, text in files.items():
        session.open(FilePath(path), text.encode())
    return settle(session)


def _in_no_time(snapshot: Snapshot, name: str, *, incoming: bool = True) -> list[tuple[str, object]]:
    """The other ends that a question without time for a search has, each with the state that it is of."""
    place = one_symbol(snapshot, name)
    with limited(RequestBudget(lambda part: "time" if part < 1 else "")):
        edges = (derived_edges_to if incoming else derived_edges_of)(snapshot, place)
        assert spent_reason()
    return sorted((_other(snapshot, edge, incoming=incoming), edge.attributes.get("state", "")) for edge in edges)


def _other(snapshot: Snapshot, edge: RawEdge, *, incoming: bool) -> str:
    other = edge.source if incoming else edge.target
    assert isinstance(other, SymbolRef)
    return symbol_name(snapshot, other)


def test_what_questions_found_serves_as_well(tmp_path: Path) -> None:
    own = "def act(): ...\n\n\nACTS = {'a': act}\n\n\ndef do():\n    ACTS['a']()\n"
    write(tmp_path, {**FILES, "own.py": own})
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        assert len(derived_edges_to(snapshot, one_symbol(snapshot, FIRST))) == 2
        snapshot = _edited(session, {"hooks.py": "\n" + FILES["hooks.py"]})
        assert _in_no_time(snapshot, FIRST) == [("late:late", "earlier"), ("run:run", "earlier")]
        # More is asked of the next state, and then of a third.
        for name in (FIRST, "hooks:second", RUN, "late:late", "own:do"):
            derived_edges_of(snapshot, one_symbol(snapshot, name))
        session.change(FilePath("hooks.py"), ("\n\n" + FILES["hooks.py"]).encode())
        assert _in_no_time(settle(session), "own:act") == [("own:do", "earlier")]


def test_without_an_earlier_state_little_time_finds_little() -> None:
    assert _in_no_time(snapshot_of(FILES), FIRST) == []


def test_callers_of_what_is_edited_are_those_of_before(session: Session) -> None:
    snapshot = _edited(session, {"hooks.py": "import os\n\n\ndef zeroth(): ...\n\n\n" + FILES["hooks.py"]})
    assert _in_no_time(snapshot, FIRST) == [("late:late", "earlier"), ("run:run", "earlier")]
    assert _in_no_time(snapshot, RUN, incoming=False) == [("hooks:first", "earlier"), ("hooks:second", "earlier")]


def test_what_an_edited_file_calls_is_not_that_of_before(session: Session) -> None:
    snapshot = _edited(session, {"run.py": "\n" + FILES["run.py"]})
    assert _in_no_time(snapshot, FIRST) == [("late:late", "earlier")]
    assert _in_no_time(snapshot, RUN, incoming=False) == []


def test_an_edit_after_an_edit(session: Session) -> None:
    _edited(session, {"hooks.py": "\n" + FILES["hooks.py"]})
    session.change(FilePath("hooks.py"), ("x = 1\n" + FILES["hooks.py"].replace("def second(): ...", "")).encode())
    snapshot = settle(session)
    assert _in_no_time(snapshot, FIRST) == [("late:late", "earlier"), ("run:run", "earlier")]
    assert _in_no_time(snapshot, RUN, incoming=False) == [("hooks:first", "earlier")]


def test_an_answer_says_that_calls_are_of_an_earlier_state(session: Session) -> None:
    snapshot = _edited(session, {"hooks.py": "\n" + FILES["hooks.py"]})
    with limited(RequestBudget(lambda part: "time" if part < 1 else "")):
        found = node(snapshot, one_symbol(snapshot, FIRST))
    causes = {gap.cause for gap in found.coverage.completeness.gaps}
    assert {Cause.TIME_LIMIT, Cause.EARLIER} <= causes
    whole = node(snapshot, one_symbol(snapshot, FIRST))
    assert not {Cause.TIME_LIMIT, Cause.EARLIER} & {gap.cause for gap in whole.coverage.completeness.gaps}


def test_who_has_the_time_searches(session: Session) -> None:
    snapshot = _edited(session, {"fill.py": "import hooks\n\nhooks.HOOKS.append(hooks.second)\n"})
    # The search has to go into the edited file, where the earlier state knows nothing of the edit.
    assert _in_no_time(snapshot, RUN, incoming=False) == [("hooks:first", "earlier"), ("hooks:second", "earlier")]
    fresh = anew(snapshot)
    for name in (FIRST, "hooks:second", RUN, "late:late"):
        for ask in (derived_edges_of, derived_edges_to):
            assert ask(snapshot, one_symbol(snapshot, name)) == ask(fresh, one_symbol(fresh, name))
    assert snapshot.derivation is not None
    calls = snapshot.derivation.calls(snapshot)
    calls.complete()
    assert not calls.has_earlier


def test_little_is_left_of_it_after_a_checkout(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier_calls, "_MOST_CHANGED", 1)
    _edited(session, {"hooks.py": "\n" + FILES["hooks.py"]})
    snapshot = _edited(session, {"late.py": ""})
    assert _in_no_time(snapshot, FIRST) == []
