"""Encodings: files in other encodings than UTF-8 are read, with positions of the text that people see.

Owns: marks, declarations of PEP 263, what is wrong with either; that every reader of a file agrees.
Must not know: what the text means.
Invariant: a file is read as its language reads it, or named with the reason.
"""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.sources.encodings import EncodingError, utf8_text
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source, read_text
from graphls.sources.source_files import SkippedSource, SourceText
from graphls.sources.workspace import Workspace

RIGHT = [
    ("a.py", "# -*- coding: latin-1 -*-\nx = 'é'\n", "latin-1"),
    ("a.py", "#!/usr/bin/env python\n# vim: set fileencoding=cp1251 :\nx = 'д'\n", "cp1251"),
    ("a.pyi", "\f # coding=shift_jis\nx = '日本'\n", "shift_jis"),
    ("a.py", "# coding: latin-1-unix\r\nx = 'é'\r\n", "latin-1"),
    ("a.py", "# coding: utf-8-unix\nx = 'é'\n", "utf-8"),
    ("a.PY", "# coding: iso-8859-15\nx = '€'\n", "iso-8859-15"),
    ("a.py", "x = 1\n# coding: latin-1\ny = 'é'\n", "utf-8"),
    ("a.ts", "// coding: latin-1\nconst x = 'é'\n", "utf-8"),
]
WRONG = [
    ("a.py", b"# coding: nonsense\nx = 1\n", "declares the encoding nonsense, which is not known"),
    ("a.py", b"# coding: rot13\nx = 1\n", "declares the encoding rot13, which no source file can have"),
    ("a.py", b"# coding: utf-16\nx = 1\n", "declares the encoding utf-16, which no source file can have"),
    ("a.py", b"# coding: ascii\nx = '\xe9'\n", "declares the encoding ascii, but is not valid so at byte 21"),
    ("a.ts", codecs.BOM_UTF16_LE + b"a\0\0\xd8", "begins as UTF-16, but is not valid so at byte 2"),
    ("a.txt", codecs.BOM_UTF32_LE + b"a\0\0", "begins as UTF-32, but is not valid so at byte 0"),
]


@pytest.mark.parametrize(("name", "text", "encoding"), RIGHT)
def test_declared_encodings_are_read(name: str, text: str, encoding: str) -> None:
    assert utf8_text(name, text.encode(encoding)) == text.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.ts", "a.py", "notes.txt"])
def test_marks_say_how_a_file_is_written(name: str, encoding: str) -> None:
    text = "const größe = '𝒳'\r\n"
    data = text.encode(encoding)
    mark = b"" if encoding in ("utf-16", "utf-32") else "\ufeff".encode(encoding)
    assert utf8_text(name, mark + data) == text.encode()


@pytest.mark.parametrize(("name", "data", "reason"), WRONG)
def test_wrong_encodings_are_named(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    with pytest.raises(EncodingError, match=reason):
        utf8_text(name, data)
    (tmp_path / name).write_bytes(data)
    found = read_source(Workspace.of([str(tmp_path)]), FilePath(name), SourceLimits())
    assert isinstance(found, SkippedSource)
    assert found.reason == reason
    assert read_text(str(tmp_path / name), 1_000) is None


def test_a_mark_of_utf_8_is_kept(tmp_path: Path) -> None:
    data = codecs.BOM_UTF8 + b"x = 1\n"
    (tmp_path / "a.py").write_bytes(data)
    found = read_source(Workspace.of([str(tmp_path)]), FilePath("a.py"), SourceLimits())
    assert isinstance(found, SourceText)
    assert found.data == data
