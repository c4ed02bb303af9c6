"""Text files: every text file of a workspace has a node, those that were not read say why.

Owns: files of unknown kinds, files that are too large or odd, files that are no text, what becomes of them later.
Must not know: how files are listed and read.
Invariant: what is no text stays out; nothing but nodes of files and what leads to them is added.
"""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.conformance import conformance
from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import snapshot_id
from graphls.graph.records import Edge, Node
from graphls.graph.scope import Scope
from graphls.graph.snapshot import Snapshot
from graphls.languages.plain_names import may_be_text
from graphls.session.options import SessionOptions
from graphls.session.session import Session
from graphls.settings import Settings
from graphls.settings.tree import FilesSettings
from increment.session_folder import session_over, settle, write

FILES: dict[str, str | bytes] = {
    "a.py": "x = 1\n",
    "LICENSE": "Do what you like.\n",
    "data/words.csv": "one,two\n",
    "data/long.csv": "1," * 600 + "\n",
    "data/table.weird": "1 2 3\n",
    "data/odd.weird": b"caf\xe9 \x80\n",
    "data/some.blob": b"a\0b" * 3,
    "data/large.blob": b"a\0b" * 1000,
    "large.py": "y = 1\n" * 400,
    "logo.png": b"plain words, whatever its name says",
    "nul.py": b"x = 0\0\n",
}
SETTINGS = attrs.evolve(Settings(), files=FilesSettings(max_bytes=1_000))
SMALL = SessionOptions(settings=lambda: SETTINGS)


def change(session: Session, root: Path, files: dict[str, str | bytes], gone: str) -> Snapshot:
    write(root, files)
    (root / gone).unlink()
    session.files_changed([FilePath(path) for path in (*files, gone)])
    return settle(session)


def test_every_text_file_has_a_node_and_says_why_it_was_not_read(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path, options=SMALL) as session:
        made = export(session.snapshot(), ExportOptions(mode="allow-errors"))
        records = list(made.records())
        nodes = {one.file: one for one in records if isinstance(one, Node) and one.kind == "file"}
        reasons = {path: str(node.attributes.get("skipped", "")) for path, node in nodes.items()}
        assert reasons == {
            "LICENSE": "",
            "a.py": "",
            "data/long.csv": "larger than 1,000 bytes (1,201)",
            "data/odd.weird": "not valid UTF-8 at byte 3",
            "data/table.weird": "",
            "data/words.csv": "",
            "large.py": "larger than 1,000 bytes (2,400)",
        }
        assert nodes["LICENSE"].content_hash
        assert nodes["LICENSE"].attributes["size"] == 18
        held = {one.target for one in records if isinstance(one, Edge) and one.kind == "contains"}
        assert {node.id for node in nodes.values()} <= held
        lines = [json.loads(line) for line in made.lines()]
        # What no language reads is no reason to doubt the code.
        assert [one["file"] for one in lines[0]["problems"]] == ["large.py", "nul.py"]
        assert not conformance(made.lines()).breaches
        part = export(session.snapshot(), ExportOptions(mode="allow-errors", scope=Scope("folder", "data")))
        assert {one.file for one in part.records() if isinstance(one, Node) and one.kind == "file"} == {
            path for path in nodes if path is not None and path.startswith("data/")
        }


def test_what_was_not_read_is_followed(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path, options=SMALL) as session:
        before = session.snapshot()
        after = change(session, tmp_path, {"data/long.csv": "1\n", "data/odd.weird": "fine\n"}, "LICENSE")
        assert {one.path for one in before.unread} - {one.path for one in after.unread} == {
            "data/long.csv",
            "data/odd.weird",
        }
        assert {"data/long.csv", "data/odd.weird"} <= after.shards.keys()
        assert "LICENSE" not in after.shards
        last = change(session, tmp_path, {"data/words.csv": "2," * 600}, "large.py")
        assert [one.path for one in last.unread] == ["data/words.csv"]
        assert len({snapshot_id(one) for one in (before, after, last)}) == 3


@pytest.mark.parametrize("name", ["a.png", "b.SO", "c.py.swp", "d~", ".#e.py", "x/y.woff2", "sub/.git"])
def test_names_of_what_is_no_text(name: str) -> None:
    assert not may_be_text(name)


@pytest.mark.parametrize("name", ["LICENSE", "a.po", "b.unheard", ".gitignore", "c.svg", "d.py"])
def test_names_of_what_may_be_text(name: str) -> None:
    assert may_be_text(name)
