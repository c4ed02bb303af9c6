"""Buffers: what becomes of odd contents, failing extraction and a storm of edits in an open file.

Owns: buffers that cannot be understood, ten thousand keystrokes.
Must not know: the protocol, what facts say.
Invariant: a session over any buffer comes to rest, names what it leaves out, and ends where a fresh index begins.
"""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.session import Session
from graphls.settings import FilesSettings, Settings
from graphls.sources.workspace import Workspace
from increment.session_folder import PATIENCE, everything, from_scratch, key, session_over, settle, write
from increment.test_equal_to_scratch import FILES as REAL

FILES = {"a.py": "def f():\n    return 1\n", "b.py": "from a import f\n\nf()\n"}
A = key("a.py")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    settings = Settings(files=FilesSettings(max_bytes=50_000, max_line_bytes=10_000))
    made = Session(Workspace.of([str(tmp_path)]), settings)
    made.start()
    try:
        assert made.wait("complete", PATIENCE)
        yield made
    finally:
        made.close()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\0\n", "binary"),
        (b"x = 1\n" * 10_000, "larger than"),
        (b"x = [" + b"1, " * 5_000 + b"]\n", "a line longer than"),
        (b"x = '\xff'\n", "not valid UTF-8"),
    ],
)
def test_a_buffer_that_no_file_may_be_is_left_out_by_name(session: Session, data: bytes, reason: str) -> None:
    session.open(A, data)
    left_out = {skipped.path: skipped.reason for skipped in settle(session).skipped}
    assert reason in left_out[A]
    session.change(A, b"def f():\n    return 2\n")
    snapshot = settle(session)
    assert snapshot.skipped == ()
    assert everything(snapshot) == from_scratch(snapshot)


ABSURD = {
    "brackets": "[" * 100_000,
    "closed brackets": "x = " + "[" * 50_000 + "]" * 50_000,
    "operators": "x = 1" + " + a" * 20_000,
    "calls": "x = a" + ".b()" * 20_000,
    "quotes": "\"'" * 40_000,
    "templates": "`${" * 30_000,
}


@pytest.mark.parametrize("name", ["a.py", "a.ts"])
@pytest.mark.parametrize("text", ABSURD.values(), ids=ABSURD)
def test_absurd_code_comes_to_rest(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: "x = 1\n", "b.py": "def f():\n    pass\nf()\n"})
    with session_over(tmp_path) as session:
        session.open(key(name), text.encode())
        snapshot = settle(session)
        assert snapshot.links(key("b.py")).targets
        assert everything(snapshot) == from_scratch(snapshot)


def test_failing_extraction_leaves_a_file_out_and_comes_to_rest(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def failing(*_: object) -> None:
        asked.append("once")
        raise RecursionError("too deep")

    with monkeypatch.context() as patched:
        patched.setattr(open_files, "understand", failing)
        session.open(A, b"def g():\n    pass\n")
        assert [(one.path, one.reason) for one in settle(session).skipped] == [
            (A, "extraction failed: RecursionError: too deep")
        ]
        assert session.wait("complete", PATIENCE)
        session.snapshot()
        assert asked == ["once"]
    session.change(A, b"def f():\n    return 3\n")
    snapshot = settle(session)
    assert snapshot.skipped == ()
    assert everything(snapshot) == from_scratch(snapshot)


def test_failing_elsewhere_on_the_way_leaves_a_file_out_too(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("graphls.session.documents.buffers.encode", lambda *_: 1 / 0)
        session.open(A, b"def g():\n    pass\n")
        (skipped,) = settle(session).skipped
        assert skipped.reason.startswith("extraction failed: ZeroDivisionError")
    session.close_document(A)
    assert everything(settle(session)) == from_scratch(session.snapshot())
    assert session.snapshot().skipped == ()


def test_resolvers_of_earlier_states_go_without_a_search_for_cycles(session: Session) -> None:
    reference: weakref.ref[object] | None = None
    session.open(A, FILES["a.py"].encode())
    gc.disable()
    try:
        for number in range(3):
            session.change(A, b"import b\nx = b.f\n" + b"x.y\n" * number)
            snapshot = session.snapshot()
            snapshot.reader.types_at(snapshot, snapshot.shards[A], [0])
            assert reference is None or reference() is None
            resolvers = snapshot.reader._resolvers  # type: ignore[attr-defined]
            reference = weakref.ref(resolvers.get(A))
            del snapshot, resolvers
    finally:
        gc.enable()


def test_ten_thousand_edits_end_where_a_fresh_index_begins(tmp_path: Path) -> None:
    """As an editor sends them, with a question now and then; other files use what is edited."""
    write(tmp_path, REAL)
    path = max(REAL, key=lambda name: len(REAL[name]))
    chosen = random.Random(7)
    with session_over(tmp_path) as session:
        document = open_document(path, 1, REAL[path].decode(), "python")
        session.open(key(path), document.data)
        for number in range(10_000):
            spot = (chosen.randrange(document.lines.line_count), chosen.randrange(40))
            end = (spot[0], spot[1] + 1) if number % 3 == 2 else spot
            change = TextChange(chosen.choice(("x", ".", "\n", "(", ")", "'", "é", "😀", "")), (spot, end))
            applied = apply(document, document.version + 1, [change], "utf-16")
            assert isinstance(applied, AppliedChange)
            document = applied.document
            session.change(key(path), document.data, applied.edits)
            if number % 500 == 0:
                assert session.snapshot().text(key(path)) == document.data
        snapshot = settle(session)
        assert snapshot.text(key(path)) == document.data
        assert everything(snapshot) == from_scratch(snapshot)
