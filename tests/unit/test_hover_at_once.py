"""Hover at once: what takes much reading to know is said to be unknown, until somebody has read it.

Owns: routes that a function handles, callers that do not name it, in files of a size that nobody waits for.
Must not know: frameworks but for one route, the protocol.
Invariant: nothing unknown is told as none.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.request_budget import RequestBudget, budget_of_steps, is_spent_to, limited, spend, spent_reason
from graphls.graph.snapshot import Snapshot
from graphls.lsp.hover_text import HoverContext, plain
from graphls.queries.hover import hover
from graphls.queries.references import FEW_BYTES
from graphls.session.memory import snapshot_of
from graphls.session.publishing import EVERYTHING

APP = b"from flask import Flask\n\napp = Flask('a')\n\n\ndef show():\n    return 1\n\n\nshown = show\n"
ROUTES = b"from app import app, show\n\napp.add_url_rule('/price', view_func=show)\nheld = [show]\nheld[0]()\n"
MUCH = b"\n".join(b"def f%d():\n    return %d\n" % (number, number) for number in range(FEW_BYTES // 20))


def _hover(snapshot: Snapshot, pending: tuple[FilePath, ...] = ()) -> str:
    found = hover(snapshot, FilePath("app.py"), APP.index(b"show()"))
    assert found is not None
    return plain(found, HoverContext(pending=pending))


def test_what_needs_much_reading_is_not_known_yet() -> None:
    snapshot = snapshot_of({"app.py": APP, "routes.py": ROUTES + MUCH})
    assert len(ROUTES + MUCH) > FEW_BYTES
    text = _hover(snapshot)
    assert "Routes and tools that it handles are not known yet" in text
    assert "implicit callers are not counted yet" in text
    assert snapshot.derivation is not None
    snapshot.derivation.prepare(snapshot, lambda: False)
    for path in snapshot.shards:
        list(snapshot.derivation.calls(snapshot).from_file(path))
    assert "yet" not in _hover(snapshot)


def test_what_needs_little_reading_is_known() -> None:
    assert "yet" not in _hover(snapshot_of({"app.py": APP, "routes.py": ROUTES}))


def test_callers_that_do_not_name_it_have_a_small_part_of_the_time() -> None:
    held = b"".join(b"\nother%d = held\nother%d[0]()\n" % (number, number) for number in range(40))
    snapshot = snapshot_of({"app.py": APP, "held.py": b"from app import show\n\nheld = [show]\n" + held})
    with limited(budget_of_steps(400)):
        assert "No caller found; handed on as a value 2 times; implicit callers are not counted yet" in _hover(snapshot)
        assert not is_spent_to(0.5)
    assert "1 implicit caller; handed on as a value 2 times" in _hover(snapshot)


def test_a_hover_that_may_do_no_more_says_what_its_file_says() -> None:
    users = {f"use{number}.py": b"from app import show\n\nshow()\n" for number in range(40)}
    snapshot = snapshot_of({"app.py": APP, **users})
    with limited(budget_of_steps(2)):
        text = _hover(snapshot)
    assert "def show()" in text
    assert "Callers are not counted yet: that takes more work than a hover may do, ask again" in text
    assert "Called by 40 callers" in _hover(snapshot)


def test_files_with_edits_that_are_not_read_are_named() -> None:
    pending = tuple(FilePath(f"{name}.py") for name in "bcd")
    text = _hover(snapshot_of({"app.py": APP}), pending=pending)
    assert "Without changes that are not read yet, of b.py, c.py, 1 more file" in text


def test_a_workspace_that_is_not_listed_is_said_to_be() -> None:
    text = _hover(snapshot_of({"app.py": APP}), pending=(EVERYTHING,))
    assert "The workspace is still being read: what other files say is missing" in text


def test_a_place_in_code_without_a_name_waits_a_part_of_the_time_for_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a file derives may rest on all files around it, and mostly there is no name."""

    def looked_for(*_: object) -> None:
        spend()
        raise AssertionError("it goes on though its part is over")

    snapshot = snapshot_of({"a.py": "x = 1  # here\n", "a.yaml": "key: value\n"})
    monkeypatch.setattr("graphls.queries.hover.document_name_at", looked_for)
    with limited(RequestBudget(lambda part: "time" if part <= 0.06 else "")):
        assert hover(snapshot, FilePath("a.py"), 9) is None
        assert spent_reason() == "time"
        with pytest.raises(AssertionError):
            hover(snapshot, FilePath("a.yaml"), 6)
