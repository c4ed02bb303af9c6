"""First lines: files whose first line says which language they are in, while it changes.

Owns: scripts without a known ending and files known by their base names, on disk, in buffers, in a cache, in a commit.
Must not know: how a first line is read, how a language is.
Invariant: whatever a file was before, the session ends with what a fresh index of the same contents says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from graphls.session.session import Session
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.editor import Step, assert_as_fresh, steps_with
from increment.session_folder import anew, everything, exported, from_scratch, key, session_over, settle, write

PYTHON = "#!/usr/bin/env python3\nfrom shop import sell\n\nsell()\n"
SHELL = "#!/bin/bash\n. ./lib.sh\ngo\n"
NODE = "#!/usr/bin/env -S node --no-warnings\nconst { area } = require('./area');\narea(1);\n"
RUBY = "#!/usr/bin/ruby -w\nrequire_relative 'order'\nOrder.new.total\n"
PLAIN = "sell go area total\n"
FILES = {
    "shop.py": "def sell(): ...\n",
    "lib.sh": "go() { :; }\n",
    "area.js": "function area(r) { return r; }\nmodule.exports = { area };\n",
    "order.rb": "class Order\n  def total\n    1\n  end\nend\n",
    "tool": PYTHON,
    "other": SHELL,
    "Rakefile": "require_relative 'order'\nOrder.new.total\n",
}
TEXTS = {"python": PYTHON, "bash": SHELL, "typescript": NODE, "ruby": RUBY, "": PLAIN}


def check(session: Session, path: str, language: str) -> None:
    snapshot = settle(session)
    assert snapshot.shards[key(path)].language == language
    assert everything(snapshot) == from_scratch(snapshot)
    assert exported(snapshot) == exported(anew(snapshot))


@pytest.mark.parametrize("after", TEXTS)
@pytest.mark.parametrize("before", TEXTS)
def test_a_file_changes_its_language_on_disk(tmp_path: Path, before: str, after: str) -> None:
    write(tmp_path, {**FILES, "tool": TEXTS[before]})
    with session_over(tmp_path) as session:
        check(session, "tool", before)
        write(tmp_path, {"tool": TEXTS[after] + "\n"})
        session.files_changed([key("tool")])
        check(session, "tool", after)
        (tmp_path / "tool").unlink()
        session.files_changed([key("tool")])
        assert everything(settle(session)) == from_scratch(settle(session))


def test_a_buffer_changes_its_language_with_each_text(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        session.open(key("tool"), PYTHON.encode())
        for language in ("bash", "", "python", "ruby", "typescript", "", "ruby"):
            session.change(key("tool"), TEXTS[language].encode())
            check(session, "tool", language)
        session.close_document(key("tool"))
        check(session, "tool", "python")


def test_a_first_line_is_typed_letter_by_letter(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "tool": ""})
    with session_over(tmp_path) as session:
        session.open(key("tool"), b"")
        languages: list[str] = []
        for length in range(0, len(PYTHON), 3):
            session.change(key("tool"), PYTHON[:length].encode())
            snapshot = settle(session)
            assert everything(snapshot) == from_scratch(snapshot)
            languages.append(snapshot.shards[key("tool")].language)
        assert languages == sorted(languages)
        assert languages[-1] == "python"


def test_a_script_that_becomes_unreadable_is_none(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        write(tmp_path, {"tool": b"#!/usr/bin/env python3\n\0"})
        session.files_changed([key("tool")])
        snapshot = settle(session)
        assert key("tool") not in snapshot.shards
        assert key("tool") not in snapshot.modules["python"].names
        write(tmp_path, {"tool": PYTHON})
        session.files_changed([key("tool")])
        check(session, "tool", "python")


def test_what_was_kept_of_scripts_is_found_again(tmp_path: Path) -> None:
    root = tmp_path / "space"
    write(root, FILES)
    for path in FILES:
        os.utime(root / path, (10**9, 10**9))
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(root, store) as session:
        first = everything(settle(session))
    with session_over(root, store) as session:
        assert everything(settle(session)) == first
        assert not session.work.extracted
    write(root, {"tool": SHELL})
    with session_over(root, store) as session:
        check(session, "tool", "bash")


@given(
    steps=steps_with(
        [text.encode() for text in TEXTS.values()] + [b"#!", b"\n#!/bin/sh\n", b"#!/usr/bin/env ", b"ruby\n"], 10
    )
)
@settings(max_examples=4)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    files = {path: text.encode() for path, text in FILES.items() if "." in path}
    scripts = {f"{language}_{at}.cgi": TEXTS[language].encode() for language in TEXTS for at in range(2)}
    assert_as_fresh({**files, **scripts}, (".cgi",), steps)


def test_several_folders_name_scripts_by_their_folder(tmp_path: Path) -> None:
    write(tmp_path, {"one/tool": PYTHON, "one/shop.py": FILES["shop.py"], "two/Rakefile": RUBY})
    session = Session(Workspace.of([str(tmp_path / "one"), str(tmp_path / "two")]))
    session.start()
    try:
        assert session.wait("complete", 60)
        languages = {path: shard.language for path, shard in session.snapshot().shards.items()}
        assert languages == {"one/shop.py": "python", "one/tool": "python", "two/Rakefile": "ruby"}
    finally:
        session.close()


def notebook(source: str) -> str:
    cell: dict[str, object] = {"cell_type": "code", "source": source.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def test_cells_change_in_a_buffer(tmp_path: Path) -> None:
    """Also through texts that are no JSON."""
    write(tmp_path, {**FILES, "n.ipynb": notebook("import shop\nshop.sell()\n")})
    with session_over(tmp_path) as session:
        session.open(key("n.ipynb"), (tmp_path / "n.ipynb").read_bytes())
        after = notebook("%time from shop import sell\nsell()\n# é\n")
        for text in (after, after[:-9], after + "x", "", notebook("sell(\n"), after):
            session.change(key("n.ipynb"), text.encode())
            check(session, "n.ipynb", "python")


@given(
    steps=steps_with([notebook(text).encode() for text in TEXTS.values()] + [b'"', b"\\n", b"%%bash\\n", b"\\u00"], 8)
)
@settings(max_examples=4)
def test_any_edits_of_notebooks_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    files = {path: text.encode() for path, text in FILES.items() if "." in path}
    notebooks = {f"n{at}.ipynb": notebook(f"from shop import sell\nx{at} = sell()\n!ls\n").encode() for at in range(3)}
    assert_as_fresh({**files, **notebooks}, (".ipynb", ".py"), steps)


PYX = """from shop import sell
from other cimport Thing
cdef class A(Thing):
    cdef int run(self, Thing t):
        return <int>sell()
"""


@given(steps=steps_with([PYX.encode(), b"cdef int a\n", b"cdef ", b"(", b"<A>", b"cdef:\n    A b\n", b'"""'], 8))
@settings(max_examples=4)
def test_any_edits_of_cython_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    files = {path: text.encode() for path, text in FILES.items() if "." in path}
    cython = {
        "a.pyx": PYX.encode(),
        "other.pyx": b"cdef class Thing: pass\n",
        "other.pxd": b"cdef class Thing:\n  pass\n",
    }
    assert_as_fresh({**files, **cython}, (".pyx", ".pxd", ".py"), steps)
