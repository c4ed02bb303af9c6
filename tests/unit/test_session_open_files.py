"""Open files outlive a fault of what they keep.

Owns: what an open document says when reading with a memory of an earlier text fails.
Must not know: sessions, how a memory works.
Invariant: the answer is that of a reading from scratch, and the fault is told in the log.
"""

from __future__ import annotations

import logging

import pytest
from tree_sitter import Node

from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.python.provider import PROVIDER
from graphls.languages.python.syntax import extraction
from graphls.session.documents.open_files import REMEMBER_FROM_BYTES, OpenFile
from graphls.session.index.extraction import understand

PATH = FilePath("a.py")
ONE = b"def f(x):\n    return x.y\n\n\n"
TEXT = ONE * (REMEMBER_FROM_BYTES // len(ONE) + 1)


def _broken(*_: object) -> Node:
    raise IndexError


def test_a_lasting_fault_is_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    held = OpenFile(PATH, TEXT, PROVIDER)
    assert held.parse() is not None
    data = TEXT.replace(b"x.y", b"x.z", 1)
    monkeypatch.setattr(extraction, "patch_facts", _broken)
    held.change(data, [])
    # A reading with an empty memory fails as well here, so what is wrong is not the memory: that is raised.
    with caplog.at_level(logging.ERROR), pytest.raises(IndexError):
        held.parse()
    monkeypatch.undo()
    assert "read from scratch" in caplog.text
    assert held.parse() is not None


def test_a_memory_that_fails_once_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    held = OpenFile(PATH, TEXT, PROVIDER)
    held.parse()
    whole, failed = extraction.patch_facts, [False]

    def once(data: bytes, root: Node, memory: FragmentCache) -> FileFacts | None:
        if failed[0]:
            return whole(data, root, memory)
        failed[0] = True
        raise IndexError

    monkeypatch.setattr(extraction, "patch_facts", once)
    for name in (b"x.z", b"x.q"):
        data = TEXT.replace(b"x.y", name, 1)
        held.change(data, [])
        made = held.parse()
        facts, surface = understand(PROVIDER, PATH, data)
        assert made is not None
        assert (encode(made.facts), encode(made.surface)) == (encode(facts), encode(surface))
    assert failed == [True]
