"""Annotations: what decisions and history say of code, beside other answers."""

from __future__ import annotations

from pathlib import Path

import attrs

from git_folders import committed
from graphls.analysis.decisions import decisions, governing
from graphls.analysis.finding import Evidence, Finding, finding_id
from graphls.context.formats import Heading, compact, markdown
from graphls.context.pack import PackRequest, pack
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.annotations import AnnotationsCache
from graphls.lsp.hover_text import HoverContext, plain
from graphls.queries.hover import hover
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.annotations import AnnotationSource, change_notes
from graphls.session.finding_views import priority_reasons
from graphls.session.memory import snapshot_of
from graphls.sources.workspace import Workspace

ADR = """---
graphls_decision: true
title: Rows are written by one writer
affected_symbols:
  - path: app/store.py
    symbol_path: Store
---
Because.
"""
STORE = "# WHY: Small.\n\nclass Store:\n    def save(self):\n        return 1\n\n\ndef free():\n    return Store()\n"
FILES = {"app/__init__.py": "", "app/store.py": STORE, "app/web.py": "from app.store import free\n", "adr/1.md": ADR}
SAVE, FREE = "app.store:Store.save", "app.store:free"


def titles(snapshot: Snapshot, symbol: str) -> list[str]:
    return [one.title for one in governing(snapshot, decisions(snapshot), one_symbol(snapshot, symbol))]


def repository(folder: Path, rounds: int = 4) -> AnnotationSource:
    """The two modules change together, and a third file never again."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for number in range(rounds):
        for path in ("app/store.py", "adr/1.md"):
            (folder / path).write_text(FILES[path] + "\n" * number)
        committed(folder, f"round {number}")
    return AnnotationSource(Workspace.of([str(folder)]), None)


def test_a_decision_about_a_class_governs_its_methods_and_a_lone_comment_not_all_of_its_file() -> None:
    snapshot = snapshot_of(FILES)
    assert titles(snapshot, SAVE) == ["Rows are written by one writer"]
    assert titles(snapshot, FREE) == []
    assert titles(snapshot, "app.store") == ["WHY: Small."]


def test_only_comments_of_the_files_asked_about_are_read() -> None:
    snapshot = snapshot_of(FILES)
    assert [one.title for one in decisions(snapshot, ())] == ["Rows are written by one writer"]
    assert len(decisions(snapshot, (FilePath("app/store.py"),))) == 2


def test_a_change_is_told_what_is_on_record_and_what_it_leaves_alone(tmp_path: Path) -> None:
    source, snapshot = repository(tmp_path), snapshot_of(FILES)
    notes = change_notes(source.of(snapshot), ["app/store.py"], [one_symbol(snapshot, SAVE)])
    (one,) = notes.decisions
    assert (one.title, one.file, one.line, one.governs) == ("Rows are written by one writer", "adr/1.md", 1, (SAVE,))
    file = (notes.history or ())[0]
    assert (file.file, file.commits, file.window, file.authors, file.hidden) == (
        "app/store.py",
        4,
        4,
        1,
        ("app/__init__.py",),
    )
    assert [(left.file, left.count) for left in notes.left_behind] == [("adr/1.md", 4)]
    assert notes.without == ""


def test_new_commits_are_seen_and_the_same_state_gives_the_same(tmp_path: Path) -> None:
    source, snapshot = repository(tmp_path), snapshot_of(FILES)
    first = source.of(snapshot).history("app/store.py")
    assert source.of(snapshot).history("app/store.py") == first
    (tmp_path / "app/store.py").write_text("x = 1\n")
    committed(tmp_path, "more")
    after = source.of(snapshot).history("app/store.py")
    assert first is not None
    assert after is not None
    assert (first.commits, after.commits) == (4, 5)


def test_without_history_the_reason_is_said_and_nothing_is_zero(tmp_path: Path) -> None:
    known = AnnotationSource(Workspace.of([str(tmp_path)]), None).of(snapshot_of(FILES))
    notes = change_notes(known, ["app/store.py"], [])
    assert notes.history is None
    assert notes.left_behind == ()
    assert "git" in notes.without
    assert known.history("app/store.py") is None


def test_packs_name_the_decisions_that_govern_their_items() -> None:
    snapshot = snapshot_of(FILES)
    made = pack(snapshot, PackRequest(nodes=(SAVE,), budget=2_000))
    (row,) = [one for one in made.decisions if one.file == "adr/1.md"]
    assert made.items[row.items[0]].symbol in {SAVE, "app.store:Store"}
    heading = Heading(snapshot="s", revision=1, fresh=True, coverage="")
    assert "d adr/1.md:1 Rows are written by one writer (accepted) governs" in compact(made, heading)
    assert "## Decisions" in markdown(made, heading)
    assert made.used <= made.budget
    assert pack(snapshot_of({**FILES, "adr/1.md": "no decision\n"}), PackRequest(nodes=(FREE,))).decisions == ()


def test_hover_names_decisions_and_the_history_of_hot_files_as_long_as_they_are_true(tmp_path: Path) -> None:
    source, snapshot = repository(tmp_path), snapshot_of(FILES)
    cache, place = AnnotationsCache(), one_symbol(snapshot, SAVE)
    assert cache.decisions(snapshot, place) == ()
    cache.compute(snapshot, source)
    edited = snapshot_of({**FILES, "app/store.py": STORE + "\n"})
    assert cache.decisions(edited, one_symbol(edited, SAVE)) == ()
    found = hover(snapshot, place.file, STORE.index("save"))
    assert found is not None
    history = source.of(snapshot).history("app/store.py")
    assert history is not None
    text = plain(found, HoverContext(decisions=cache.decisions(snapshot, place), history=history))
    assert "Governed by Rows are written by one writer (accepted, adr/1.md:1)" in text
    assert "Its file changes often: 4 of the last 4 commits, 1 author, a 100 %" in text


def test_findings_say_why_they_press_here(tmp_path: Path) -> None:
    snapshot = snapshot_of(FILES)
    place = one_symbol(snapshot, SAVE)
    found = Finding(
        id=finding_id("x", ("y",)), rule="x", category="idiom", priority="P3", confidence="high", title="t",
        pressure="", suggestions=(), risks=(), measures={}, caveats=(),
        evidence=(Evidence(place.file, STORE.index("save"), STORE.index("save") + 4, "", place),),
    )  # fmt: skip
    known = AnnotationSource(Workspace.of([str(tmp_path)]), None).of(snapshot)
    assert priority_reasons(known, found) == ("governed by Rows are written by one writer (accepted)",)
    elsewhere = attrs.evolve(
        found, evidence=(Evidence(FilePath("app/web.py"), 0, 1, "", SymbolRef(FilePath("app/web.py"), -1)),)
    )
    assert priority_reasons(known, elsewhere) == ()
