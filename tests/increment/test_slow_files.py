"""Slow files: who asks about another file does not wait until an open file is read that takes long.

Owns: an open file whose reading takes as long as the test wants, questions and edits meanwhile, edits by the thousand.
Must not know: the protocol, what is slow about a file.
Invariant: what an answer lacks of such a file is pending in its snapshot; in the end all is as a fresh index has it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphls.languages.registry import provider_of
from graphls.session import pauses
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.documents.open_files import REUSE_FROM_BYTES, OpenFile, ParsedFile
from graphls.session.session import Session
from increment.session_folder import PATIENCE, everything, from_scratch, key, session_over, settle, write

FILES = {"a.py": "def f():\n    return 1\n", "b.py": "from a import f\n\nf()\n"}
A, B = key("a.py"), key("b.py")
NEW = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"


@pytest.fixture(autouse=True)
def _all_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "SLOW_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "SLOW_SECONDS", -1.0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    with session_over(tmp_path) as made:
        made.open(A, FILES["a.py"].encode())
        settle(made)
        yield made


class Gate:
    """Readings wait here, each told of, until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        parse = OpenFile.parse

        def waiting(file: OpenFile) -> ParsedFile | None:
            self.entered.set()
            assert self.opened.wait(PATIENCE)
            return parse(file)

        monkeypatch.setattr(OpenFile, "parse", waiting)


def test_who_asks_about_another_file_does_not_wait(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, before = Gate(monkeypatch), session.snapshot()
    try:
        session.change(A, NEW)
        assert gate.entered.wait(PATIENCE)
        snapshot = session.snapshot(B)
        assert snapshot.pending == (A,)
        assert snapshot.shards[A] is before.shards[A]
        assert (session.is_slow(), session.is_slow(A), session.is_slow(B)) == (True, True, False)
        # Nobody who edits waits either.
        session.change(A, NEW + b"\n\nh = g\n")
        assert session.snapshot(B).pending == (A,)
    finally:
        gate.opened.set()
    for about in (A, None):
        snapshot = session.snapshot(about)
        assert snapshot.text(A) == NEW + b"\n\nh = g\n"
        assert snapshot.pending == ()
    assert everything(settle(session)) == from_scratch(session.snapshot())


def test_who_looks_at_the_disk_holds_nobody_up(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, found = Gate(monkeypatch), list[tuple[str, ...]]()
    looking = threading.Thread(target=lambda: session.looked("prefer-fresh", 0.0))
    asking = threading.Thread(target=lambda: found.append(session.snapshot(B).pending))
    try:
        session.change(A, NEW)
        looking.start()
        assert gate.entered.wait(PATIENCE)
        asking.start()
        asking.join(20)
        assert found == [(A,)]
    finally:
        gate.opened.set()
        looking.join(PATIENCE)
        asking.join(PATIENCE)


def test_a_file_that_was_slow_once_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """After edits that are read at once comes one for which all is read anew."""
    clock = iter([0.0, 5.0, 5.0, 5.01])
    monkeypatch.setattr(open_files, "SLOW_SECONDS", 0.1)
    monkeypatch.setattr(open_files.time, "thread_time", lambda: next(clock))
    file = OpenFile(A, NEW, provider_of(A, NEW))
    assert file.is_slow
    file.parse()
    assert (file.is_slow, file.was_slow) == (True, True)
    file.change(NEW + b"x = 1\n", ())
    copy = file.copy_to_read()
    copy.parse()
    file.take_back(copy)
    assert (file.is_slow, file.was_slow) == (True, False)


@pytest.mark.parametrize("data", [FILES["a.py"].encode(), NEW])
def test_a_file_that_was_just_opened_is_pending_only_where_it_differs(
    session: Session, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    session.close_document(A)
    settle(session)
    gate = Gate(monkeypatch)
    try:
        session.open(A, data)
        assert gate.entered.wait(PATIENCE)
        assert session.snapshot(B).pending == ((A,) if data == NEW else ())
    finally:
        gate.opened.set()
    assert settle(session).text(A) == data


def test_a_file_may_be_closed_while_it_is_read(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    try:
        session.change(A, NEW)
        assert gate.entered.wait(PATIENCE)
        session.close_document(A)
    finally:
        gate.opened.set()
    snapshot = settle(session)
    assert snapshot.text(A) == FILES["a.py"].encode()
    assert everything(snapshot) == from_scratch(snapshot)


def test_a_failing_reading_leaves_the_file_out(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise RecursionError

    with monkeypatch.context() as patched:
        patched.setattr(open_files, "understand", failing)
        session.change(A, NEW)
        assert [one.path for one in settle(session).skipped] == [A]
    session.change(A, NEW + b"\n")
    snapshot = settle(session)
    assert snapshot.skipped == ()
    assert everything(snapshot) == from_scratch(snapshot)


@pytest.mark.parametrize("name", ["a.py", "a.ts"])
def test_edits_while_it_is_read_are_not_lost(tmp_path: Path, name: str) -> None:
    """Each reading goes on from the tree of the one before, by the edits since then."""
    piece = "class C%d {\n  m() { return this.n(1) }\n}\n" if name == "a.ts" else "def f%d(x):\n    return x.y\n\n\n"
    text = "".join(piece % number for number in range(REUSE_FROM_BYTES // len(piece) + 1))
    write(tmp_path, {name: text, "b.py": FILES["b.py"]})
    chosen = random.Random(11)
    with session_over(tmp_path) as session:
        document = open_document(name, 1, text, "")
        session.open(key(name), document.data)
        for number in range(60):
            spot = (chosen.randrange(document.lines.line_count), chosen.randrange(12))
            end = (spot[0], spot[1] + 1) if number % 3 == 2 else spot
            change = TextChange(chosen.choice(("x", ".", "\n", "y", "")), (spot, end))
            applied = apply(document, document.version + 1, [change], "utf-16")
            assert isinstance(applied, AppliedChange)
            document = applied.document
            # A client that sends all of its text leaves no edits behind.
            session.change(key(name), document.data, applied.edits if number % 20 else ())
            if number % 7 == 0:
                assert session.snapshot(B).text(B) is not None
        snapshot = settle(session)
        assert snapshot.text(key(name)) == document.data
        assert everything(snapshot) == from_scratch(snapshot)


def test_an_answer_that_says_what_it_lacks_does_not_wait_long(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of the whole workspace names a file that is slow to read; who asks about that file waits for it."""
    monkeypatch.setattr(pauses, "WHILE_READING", 0.01)
    gate, found = Gate(monkeypatch), list[tuple[str, ...]]()
    asking = threading.Thread(target=lambda: found.append(session.looked("prefer-fresh", 0.0, A)[1].pending))
    try:
        session.change(A, NEW)
        assert session.looked("prefer-fresh", 0.0)[1].pending == (A,)
        asking.start()
        assert gate.entered.wait(PATIENCE)
        assert found == []
    finally:
        gate.opened.set()
        asking.join(PATIENCE)
    assert found == [()]
    session.change(A, NEW + b"\n\nh = g\n")
    assert session.looked("prefer-fresh", 0.0, whole=True)[1].pending == ()


@pytest.mark.parametrize("text", [FILES["a.py"].encode(), NEW])
def test_nobody_waits_for_a_text_that_is_known(session: Session, monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    """What was just opened says what the disk does, and what was typed and taken away what was read before."""
    gate, known = Gate(monkeypatch), FILES["a.py"].encode()
    try:
        session.change(A, NEW)
        assert session.is_slow()
        session.change(A, text)
        assert session.is_slow() == (text != known)
        if text == known:
            assert session.snapshot().pending == ()
    finally:
        gate.opened.set()
    assert everything(settle(session)) == from_scratch(session.snapshot())
