"""Many documents: an editor, or whoever says to be one, opens more of them than people look at.

Owns: what is kept of many open documents, who waits until they are read.
Must not know: the protocol, how a document is read.
Invariant: in the end all is as a fresh index has it, and what is kept does not grow with the documents.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from graphls.facts.codec import encode
from graphls.languages.registry import provider_of
from graphls.session import state
from graphls.session.documents import open_files
from graphls.session.documents.open_files import MOST_REMEMBERED, OpenFile, ParsedFile, RememberedFiles
from graphls.session.index.extraction import understand
from increment.session_folder import PATIENCE, everything, from_scratch, key, session_over, settle, write

FILES = {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(2 * MOST_REMEMBERED)}
NEW = {name: f"{text}\n\ng = {name[:-3].replace('m', 'f')}\n" for name, text in FILES.items()}
ASKED = key("asked.py")


def test_of_many_documents_something_is_kept_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand documents of 16,000 bytes took ten gigabytes."""
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    remembered, files = RememberedFiles(), list[OpenFile]()
    for name, text in FILES.items():
        files.append(OpenFile(key(name), text.encode(), provider_of(key(name), text.encode())))
        files[-1].parse()
        remembered.note(files[-1])
    assert [file.remembers for file in files] == [False] * MOST_REMEMBERED + [True] * MOST_REMEMBERED
    for file in (files[0], files[-1]):
        file.change(file.data + b"\n\nx = 1\n", [])
        made = file.parse()
        remembered.note(file)
        assert made is not None
        assert file.provider is not None
        facts, surface = understand(file.provider, file.path, file.data)
        assert (encode(made.facts), encode(made.surface)) == (encode(facts), encode(surface))
    assert sum(file.remembers for file in files) == MOST_REMEMBERED
    remembered.forget()
    assert not any(file.remembers for file in files)


def test_who_asks_about_another_file_does_not_wait_for_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hover waited half a minute for two hundred documents that were opened at once, each read in no time."""
    write(tmp_path, {**FILES, str(ASKED): "from m0 import f0\n\nf0()\n"})
    opened, parse = threading.Event(), OpenFile.parse

    def waiting(file: OpenFile) -> ParsedFile | None:
        assert file.path == ASKED or opened.wait(PATIENCE)
        return parse(file)

    with session_over(tmp_path) as session:
        settle(session)
        monkeypatch.setattr(state, "MOST_BYTES_AT_ONCE", sum(map(len, NEW.values())) - 1)
        monkeypatch.setattr(OpenFile, "parse", waiting)
        session.open(ASKED, b"from m0 import f0\n\nf0()\n")
        for name, text in NEW.items():
            session.open(key(name), text.encode())
        snapshot = session.snapshot(ASKED)
        assert set(snapshot.pending) == set(map(key, NEW))
        opened.set()
        settled = settle(session)
        assert everything(settled) == from_scratch(settled)
        assert all(settled.text(key(name)) == text.encode() for name, text in NEW.items())
