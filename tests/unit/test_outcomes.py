"""Outcomes: what becomes of findings that agents are shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_workspace import agent_over
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from graphls.session.outcomes import Outcomes, effects
from graphls.settings import Settings
from graphls.settings.tree import FindingsSettings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import StoreOptions, opened_store

UNUSED = "maintainability.unused_definition"
TEXT = "def a():\n    return 1\n\n\ndef _gone():\n    return 2\n"
FIXED = TEXT.replace("\n\n\ndef _gone():\n    return 2\n", "\n")


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Outcomes]:
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as made:
        yield Outcomes(made, Workspace.of([str(tmp_path)]))


def said(text: str, settings: Settings | None = None) -> tuple[Snapshot, FindingSet]:
    snapshot = snapshot_of({"m.py": text})
    return snapshot, findings(snapshot, settings or Settings(), KnownFindings(b"", b""))


def shown(known: Outcomes, text: str = TEXT) -> None:
    snapshot, answered = said(text)
    known.note(snapshot, answered, answered.findings)


def now(known: Outcomes, text: str, settings: Settings | None = None) -> tuple[str, int]:
    (one,) = known.look(*said(text, settings))
    return one.outcome, one.attempts


def test_the_way_of_a_finding(known: Outcomes) -> None:
    shown(known)
    assert now(known, "# moved\n" + TEXT) == ("suggested", 0)
    edited = TEXT.replace("return 2", "return 3")
    assert now(known, edited) == ("attempted", 1)
    assert now(known, edited) == ("attempted", 1)
    assert now(known, FIXED) == ("fixed", 1)
    assert now(known, FIXED) == ("fixed", 1)
    assert now(known, edited) == ("repeated", 1)
    assert now(known, FIXED) == ("fixed", 1)
    (effect,) = effects(known.rows())
    assert (effect.rule, effect.shown, effect.counts["fixed"]) == (UNUSED, 1, 1)


def test_a_finding_whose_symbol_moved_to_another_file_is_the_same(known: Outcomes) -> None:
    shown(known)
    for body, expected in (("return 2", ("suggested", 0)), ("return 3", ("attempted", 1))):
        snapshot = snapshot_of({"m.py": FIXED, "n.py": f"def _gone():\n    {body}\n"})
        (one,) = known.look(snapshot, findings(snapshot, Settings(), KnownFindings(b"", b"")))
        assert (one.outcome, one.attempts, one.file) == (*expected, "n.py")
    assert [one.file for one in known.rows()] == ["n.py"]
    assert now(known, FIXED) == ("fixed", 1)


def test_what_nobody_looked_for_is_not_fixed(known: Outcomes) -> None:
    shown(known)
    off = Settings(findings=FindingsSettings(rules={UNUSED: "off"}))
    assert now(known, FIXED, off) == ("unknown", 0)
    assert now(known, TEXT) == ("suggested", 0)


def test_what_a_comment_closed_is_closed(known: Outcomes) -> None:
    shown(known)
    assert now(known, TEXT.replace("_gone():", f"_gone():  # graphls: ignore[{UNUSED}] plugin"))[0] == "closed"


def test_closed_ones_are_not_noted_and_all_can_be_forgotten(known: Outcomes) -> None:
    shown(known, TEXT.replace("_gone():", f"_gone():  # graphls: ignore[{UNUSED}] plugin"))
    assert known.rows() == ()
    shown(known)
    shown(known)
    assert len(known.rows()) == 1
    known.prune()
    assert known.erase() == 1


def test_old_ones_go(tmp_path: Path) -> None:
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as store:
        here = Workspace.of([str(tmp_path)])
        shown(Outcomes(store, here, clock=lambda: 1_000.0))
        later = Outcomes(store, here, clock=lambda: 1_000.0 + 91 * 86_400)
        assert later.rows() == ()
        snapshot, answered = said(FIXED)
        later.note(snapshot, answered, ())
        assert later.erase() == 0  # whoever notes drops the old ones
    assert Outcomes(None, here).rows() == ()


async def test_an_agent_that_asks_for_findings_is_shown_them(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "m.py").write_text(TEXT)
    async with agent_over(folder) as agent:
        await agent.ask("graph", query="findings", proposed={"n.py": "def _new(): ...\n"})
        await agent.ask("graph", query="findings")
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as store:
        (one,) = Outcomes(store, Workspace.of([str(folder)])).rows()
    assert (one.rule, one.file, one.outcome) == (UNUSED, "m.py", "suggested")
