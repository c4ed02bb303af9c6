"""Inputs of links: whether an edit of a few files affects links is told without unpacking all that these rest on.

Owns: links of a small workspace, surfaces and names that may have changed.
Must not know: how links are stored.
Invariant: the answer is that of the unpacked inputs.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import attrs

from graphls.facts.paths import FilePath
from graphls.session.link.link_entries import LinkEntry, is_affected
from graphls.session.options import SessionOptions
from graphls.session.session import Session
from graphls.session.snapshot_contents import SnapshotContents
from graphls.sources.workspace import Workspace

FILES = {
    "a.py": "def f(): return 1\n",
    "aa.py": "def g(): return 2\n",
    "b.py": "from a import f\nf()\n",
    "c.py": "import aa\naa.g()\n",
}


def packed(entry: LinkEntry) -> LinkEntry:
    return attrs.evolve(entry)


def test_links_that_an_edit_affects_are_found_without_their_inputs(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    session = Session(Workspace.of([str(tmp_path)]), options=SessionOptions(look=False))
    session.start()
    try:
        assert session.wait("complete", 60)
        reader = session.snapshot().reader
        assert isinstance(reader, SnapshotContents)
        entries = [reader.entries[FilePath(name)] for name in FILES]
    finally:
        session.close()
    paths, affected = [FilePath(name) for name in FILES], set[str]()
    for count in (1, 2):
        for surfaces in map(frozenset, combinations(paths, count)):
            for names in (frozenset[str](), frozenset({"a"}), frozenset({"aa", "nothing"})):
                for entry in entries:
                    fresh, inputs = packed(entry), packed(entry).inputs
                    said = is_affected(fresh, surfaces, names)
                    assert said == bool(surfaces & set(inputs.reads) or names & inputs.lookups)
                    affected |= {entry.path} if said else set()
                    assert not attrs.asdict(fresh, recurse=False)["_inputs"]
    assert affected >= {"b.py", "c.py"}
