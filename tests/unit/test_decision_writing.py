"""Decision writing: records that are added, linked and taken in.

Owns: folders with records of each form, reading back what was written.
Must not know: how a record is put together.
Invariant: what was asked for is read back, and no file that was there is replaced.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.analysis.decision_text import NewDecision, file_name, form_of, with_links
from graphls.analysis.decisions import Decision, decisions
from graphls.graph.errors import BadRequest
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.session.decision_writing import DecisionWriter
from graphls.session.memory import snapshot_of
from graphls.sources.workspace import Workspace

CODE = {"app/__init__.py": "", "app/store.py": "class Store:\n    def save(self): ...\n    def load(self): ...\n"}
NYGARD = "# 1. Rows\n\nDate: 2024-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nX\n\n## Decision\n\nY\n"
MADR = "---\nstatus: accepted\n---\n# Rows\n\n## Considered Options\n\n* a\n\n## Decision Outcome\n\nChosen: a\n"
NEW = NewDecision(
    title='Keep "rows": by key', rationale="Because.\n\nReally.", alternatives=("columns",), author="Ana: B",
    paths=("app/__init__.py",), symbols=(("app/store.py", "Store.save"),),
)  # fmt: skip


def folder(tmp_path: Path, files: dict[str, str]) -> tuple[DecisionWriter, Path]:
    for name, text in {**CODE, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return DecisionWriter(Workspace.of([str(tmp_path)]), now(tmp_path)), tmp_path


def now(tmp_path: Path) -> Snapshot:
    files = (path for path in sorted(tmp_path.rglob("*")) if path.is_file())
    return snapshot_of({path.relative_to(tmp_path).as_posix(): path.read_bytes().decode() for path in files})


def read(tmp_path: Path, file: str) -> tuple[Decision, set[str]]:
    snapshot = now(tmp_path)
    (found,) = [one for one in decisions(snapshot) if one.file == file]
    return found, {symbol_name(snapshot, place) for place in found.governs}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "docs/decisions/0001-keep-rows-by-key.md"),
        ({"doc/adr/0001-rows.md": NYGARD, "doc/adr/0007-cols.md": NYGARD}, "doc/adr/0008-keep-rows-by-key.md"),
        ({"adr/adr-001_rows.md": MADR}, "adr/adr-002_keep_rows_by_key.md"),
        ({"docs/decisions/rows.md": MADR, "docs/decisions/README.md": "# How"}, "docs/decisions/keep-rows-by-key.md"),
        ({"docs/adr/adr-template.md": NYGARD}, "docs/adr/0001-keep-rows-by-key.md"),
    ],
)
def test_a_record_is_read_back(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    writer, root = folder(tmp_path, files)
    assert writer.add(NEW).file == expected
    found, governed = read(root, expected)
    assert (found.title.removeprefix("8. "), found.status) == (NEW.title, "accepted")
    assert governed == {"app", "app.store:Store.save"}
    assert not found.lost


def test_form_of_the_repository(tmp_path: Path) -> None:
    writer, _ = folder(tmp_path, {"docs/adr/0001-rows.md": NYGARD})
    text = writer.add(NEW).text
    assert "# 2. Keep" in text
    assert "\nDate: 2" in text
    assert "## Status\n\nAccepted\n\n## Decision\n\nBecause." in text
    assert "status:" not in text
    madr = form_of({"0001-rows.md": MADR})
    assert (madr.form, madr.width, madr.next_number) == ("madr", 4, 2)
    assert file_name(form_of({"a.md": "# A"}), "??") == "decision.md"


def test_nothing_is_replaced_and_dry_runs_write_nothing(tmp_path: Path) -> None:
    writer, root = folder(tmp_path, {"docs/adr/0001-rows.md": NYGARD})
    (root / "docs/adr/0002-keep-rows-by-key.md").write_text("mine")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    dry = DecisionWriter(writer.workspace, writer.snapshot, dry=True)
    dry.add(NEW)
    dry.link("docs/adr/0001-rows.md", ["app/store.py"], [])
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    assert writer.add(NEW).file == "docs/adr/0003-keep-rows-by-key.md"
    assert (root / "docs/adr/0002-keep-rows-by-key.md").read_text() == "mine"
    with pytest.raises(BadRequest, match="this title"):
        DecisionWriter(writer.workspace, now(root)).add(NEW)


@pytest.mark.parametrize("text", [NYGARD, MADR, MADR.replace("\n", "\r\n"), NYGARD.replace("\n", "\r\n")])
def test_links_are_added_to_what_is_there(tmp_path: Path, text: str) -> None:
    file = "docs/adr/0001-rows.md"
    writer, root = folder(tmp_path, {file: text})
    assert writer.link(file, ["app/__init__.py"], [("app/store.py", "Store.save")]).what == "linked"
    again = DecisionWriter(writer.workspace, now(root))
    assert again.link(file, ["app/__init__.py"], [("app/store.py", "Store.save")]).what == "skipped"
    again.link(file, [], [("app/store.py", "Store.load")])
    found, governed = read(root, file)
    assert governed == {"app", "app.store:Store.save", "app.store:Store.load"}
    assert found.status == "accepted"
    written = (root / file).read_bytes().decode()
    assert written.endswith(text.rpartition("---")[2])
    assert ("\r\n" in written) == ("\r\n" in text)
    assert written.count("\n") == written.count("\r\n") or "\r\n" not in text


def test_a_list_in_one_line_is_no_place() -> None:
    text = "---\nstatus: accepted\naffected_paths: [a.py]\n---\n# T\n"
    assert with_links(text, ["b.py"], []) is None
    assert (
        with_links("---\naffected_paths:\n- a.py\n---\n", ["b.py"], []) == "---\naffected_paths:\n- a.py\n- b.py\n---\n"
    )


def test_a_document_becomes_a_record_by_a_status(tmp_path: Path) -> None:
    writer, root = folder(tmp_path, {"notes/why.md": "# Why rows\n\nText.\n", "docs/adr/0001.md": "# Cols\n"})
    with pytest.raises(BadRequest, match="--status"):
        writer.link("notes/why.md", ["app/store.py"], [])
    for file, title in (("notes/why.md", "Why rows"), ("docs/adr/0001.md", "Cols")):
        writer.link(file, ["app/store.py"], [], "proposed")
        found, governed = read(root, file)
        assert (found.title, found.status, governed) == (title, "proposed", {"app.store"})


def test_comments_and_strangers_are_refused(tmp_path: Path) -> None:
    writer, _ = folder(tmp_path, {"app/why.py": "# WHY: so it is.\nX = 1\n"})
    (inline,) = decisions(writer.snapshot)
    for wanted in (inline.id, "n:zzzzzzzzzz", "docs/none.md"):
        with pytest.raises(BadRequest):
            writer.link(wanted, ["app/store.py"], [])


def test_taking_in_from_elsewhere(tmp_path: Path) -> None:
    writer, root = folder(tmp_path / "here", {"docs/adr/0001-rows.md": MADR, "docs/adr/0002-same.md": MADR})
    there = tmp_path / "there"
    there.mkdir()
    for name, text in (
        ("0001-rows.md", MADR + "Other.\n"), ("0002-same.md", MADR), ("0003-new.md", NYGARD),
        ("notes.md", "# Decision\n\nNo.\n"), ("adr-template.md", MADR),
        ("odd.md", "---\ngraphls_decision: [true\n---\n# Odd\n"),
    ):  # fmt: skip
        (there / name).write_text(text)
    made = {Path(one.file).name: one for one in writer.take_in([str(there)])}
    assert {name: one.what for name, one in made.items()} == {
        "0001-rows.md": "skipped", "0002-same.md": "skipped", "0003-new.md": "imported", "notes.md": "skipped",
        "odd.md": "skipped",
    }  # fmt: skip
    assert made["odd.md"].why == "its front matter is no YAML"
    assert (root / "docs/adr/0003-new.md").read_text() == NYGARD
    assert (root / "docs/adr/0001-rows.md").read_text() == MADR
    assert [one.why for one in DecisionWriter(writer.workspace, now(root)).take_in([str(root / "docs/adr")])] == [
        "it is read where it stands"
    ] * 3
    with pytest.raises(BadRequest):
        writer.take_in([str(tmp_path / "nowhere")])
