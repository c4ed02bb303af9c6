"""Applying changes: the client's text, or a stated loss of sync."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.facts.lines import LineIndex
from graphls.session.documents.document import (
    AppliedChange,
    OutOfSync,
    Position,
    TextChange,
    apply,
    lose,
    open_document,
)

PIECES = ["a", "bcd", "\n", "\r", "\r\n", "é", "😀", "\t", "\f"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
PLACES = st.tuples(st.integers(0, 5), st.integers(0, 8))


def opened(text: str = "one\ntwo\n"):
    return open_document("k", 1, text, "python")


def change(text: str, start: Position | None = None, end: Position | None = None) -> TextChange:
    return TextChange(text, None if start is None else (start, end or start))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([change("X", (0, 1), (0, 2))], "oXe\ntwo\n"),
        ([change("", (0, 3), (1, 0))], "onetwo\n"),
        ([change("!", (0, 99))], "one!\ntwo\n"),
        ([change("", (0, 0), (99, 0))], ""),
        ([change("new")], "new"),
        ([change("a", (2, 0)), change("b", (2, 1))], "one\ntwo\nab"),
        ([change("", (50, 0)), change("healed")], "healed"),
        ([change("\ud800", (0, 0))], "\ufffdone\ntwo\n"),
    ],
)
def test_changes_apply_in_order(changes: list[TextChange], text: str) -> None:
    result = apply(opened(), 2, changes, "utf-16")
    assert isinstance(result, AppliedChange)
    assert result.document.data == text.encode()
    assert (result.document.version, result.skipped, result.document.synced) == (2, 0, True)


@pytest.mark.parametrize(
    ("version", "changes", "reason", "synced"),
    [
        (1, [change("x", (0, 0))], "stale", True),
        (0, [change("x")], "stale", True),
        (2, [change("x", (1, 1), (0, 0))], "inverted", False),
        (2, [change("x", (3, 0))], "beyond", False),
        (2, [change("ok", (0, 0)), change("x", (7, 0))], "beyond", False),
        (2, [change("x", (0, -1))], "beyond", False),
    ],
)
def test_a_change_that_cannot_be_right_is_dropped_whole(
    version: int, changes: list[TextChange], reason: str, synced: bool
) -> None:
    result = apply(opened(), version, changes, "utf-16")
    assert isinstance(result, OutOfSync)
    assert result.document is not None
    assert (result.reason, result.document.synced) == (reason, synced)
    assert result.document.data == b"one\ntwo\n"
    assert result.advice


def test_sync_is_lost_until_a_full_text() -> None:
    lost = apply(opened(), 2, [change("x", (9, 0))], "utf-16")
    assert isinstance(lost, OutOfSync)
    still = apply(lost.document, 3, [change("x", (0, 0))], "utf-16")
    assert isinstance(still, OutOfSync)
    assert still.reason == "lost"
    healed = apply(still.document, 4, [change("fresh")], "utf-16")
    assert isinstance(healed, AppliedChange)
    assert healed.document.synced


def test_a_lost_document_takes_no_ranges() -> None:
    result = apply(lose(opened()), 2, [change("x", (0, 0))], "utf-16")
    assert isinstance(result, OutOfSync)
    assert result.reason == "lost"


def test_an_unopened_document_stays_unopened() -> None:
    assert apply(None, 1, [change("x")], "utf-16") == OutOfSync(None, "unopened")


def test_a_skipped_version_is_applied_and_reported() -> None:
    result = apply(opened(), 5, [change("x", (0, 0))], "utf-16")
    assert isinstance(result, AppliedChange)
    assert result.skipped == 3


@given(TEXTS, st.lists(st.tuples(TEXTS, PLACES, PLACES), max_size=4))
def test_edits_lead_from_the_old_bytes_to_the_new(text: str, edits: list[tuple[str, Position, Position]]) -> None:
    changes = [TextChange(new, (min(a, b), max(a, b))) for new, a, b in edits]
    before = opened(text)
    result = apply(before, 2, changes, "utf-16")
    if isinstance(result, OutOfSync):
        assert result.reason == "beyond"
        return
    data = before.data
    for edit, (new, _, _) in zip(result.edits, edits, strict=True):
        after = data[: edit.start] + new.encode() + data[edit.old_end :]
        assert edit.new_end == edit.start + len(new.encode())
        assert edit.old_end_point == LineIndex(data).row_column(edit.old_end)
        assert edit.new_end_point == LineIndex(after).row_column(edit.new_end)
        assert edit.start_point == LineIndex(after).row_column(edit.start)
        data = after
    assert data == result.document.data
