"""Unread: words of files that no language reads, while files change.

Owns: that answers follow edits of such files and of what they name, with and without a store.
Must not know: which words count.
Invariant: an answer is that of a fresh index of the same contents.
"""

from __future__ import annotations

from pathlib import Path

from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot
from graphls.queries.completeness import CoverageClaim, completeness
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.session import Session
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import anew, session_over, settle, write

FILES = {
    "app/__init__.py": "",
    "app/tools.py": "def frobnicate(): ...\n\n\ndef twiddle(): ...\n",
    "conf.yaml": "call: do app.tools.frobnicate\n",
}


def uses(snapshot: Snapshot, name: str) -> int:
    return completeness(snapshot, CoverageClaim(uses_of=(one_symbol(snapshot, f"app.tools:{name}"),))).sites


def changed(session: Session, root: Path, path: str, text: str) -> Snapshot:
    write(root, {path: text})
    session.files_changed([FilePath(path)])
    return settle(session)


def test_answers_follow_unread_files(tmp_path: Path) -> None:
    root = tmp_path / "w"
    write(root, FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    for _ in range(2):
        with session_over(root, store) as session:
            before = settle(session)
            assert (uses(before, "frobnicate"), uses(before, "twiddle")) == (1, 0)
            after = changed(session, root, "conf.yaml", "call: do app.tools.twiddle\n")
            assert (uses(after, "frobnicate"), uses(after, "twiddle")) == (0, 1)
            assert snapshot_id(after) != snapshot_id(before)
            grown = changed(session, root, "app/tools.py", FILES["app/tools.py"] + "\n\ndef wobble(): ...\n")
            assert (uses(grown, "twiddle"), uses(grown, "wobble")) == (1, 0)
            new = changed(session, root, "run.sh", "python -c 'import app.tools as t; app.tools.wobble()'\n")
            assert uses(new, "wobble") == 1
            assert snapshot_id(new) == snapshot_id(anew(new))
            (root / "run.sh").unlink()
            session.files_changed([FilePath("run.sh")])
            assert uses(settle(session), "wobble") == 0
            changed(session, root, "app/tools.py", FILES["app/tools.py"])
            changed(session, root, "conf.yaml", FILES["conf.yaml"])
