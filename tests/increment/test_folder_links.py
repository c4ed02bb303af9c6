"""Folder links: what is imported through a symbolic link of the workspace leads to the file that is there.

Owns: links of folders and files, in both languages; links that come, go and lead elsewhere while a session runs.
Must not know: how names are spelled.
Invariant: a file is in the graph once, under its real path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.session import Session
from graphls.sources.workspace import Workspace
from increment.session_folder import everything, key, session_over, settle, write

FILES = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "libs/common/__init__.py": "",
    "libs/common/tools.py": "from .deep import g\ndef f(): g()\n",
    "libs/common/deep.py": "def g(): ...\n",
    "app/__init__.py": "",
    "app/main.py": "from app.shared.tools import f\nfrom .shared import deep\nf(); deep.g()\n",
    "app/alone.py": "from app.single import g\ng()\n",
    "web/main.ts": "import { h } from './shared/h'\nimport whole from './shared'\nh(); whole()\n",
    "web/alone.ts": "import { h } from './single'\nh()\n",
    "packages/common/h.ts": "export function h() {}\n",
    "packages/common/index.ts": "export default function start() {}\n",
}
LINKS = {
    "app/shared": "../libs/common",
    "app/single.py": "../libs/common/deep.py",
    "web/shared": "../packages/common",
    "web/single.ts": "../packages/common/h.ts",
}
USES = {
    "libs/common/tools.py:f": 2,
    "libs/common/deep.py:g": 5,
    "packages/common/h.ts:h": 4,
    "packages/common/index.ts:start": 2,
}


def linked(root: Path) -> None:
    write(root, FILES)
    for link, target in LINKS.items():
        os.symlink(target, root / link)


def uses(snapshot: Snapshot) -> dict[str, int]:
    """Uses in other files, and open ones."""
    found: dict[str, int] = {}
    for symbol in USES:
        answer = references(snapshot, one_symbol(snapshot, symbol))
        assert not answer.completeness.gaps, symbol
        found[symbol] = len(answer.uses)
    return found


def anew(root: Path) -> Mapping[str, tuple[object, ...]]:
    with session_over(root) as other:
        return everything(other.snapshot())


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Workspace.of([str(tmp_path / "space")]))


def test_names_through_links_lead_to_the_real_files(tmp_path: Path, session: Session) -> None:
    linked(tmp_path / "space")
    try:
        session.start()
        settle(session)
        snapshot = session.snapshot()
        assert uses(snapshot) == USES
        assert FilePath("app/shared/tools.py") not in snapshot.shards
        assert not [one for one in snapshot.skipped if "shared" in one.path]
    finally:
        session.close()


@pytest.mark.parametrize("link", ["app/shared", "web/shared"])
def test_links_that_come_and_go(tmp_path: Path, session: Session, link: str) -> None:
    root = tmp_path / "space"
    linked(root)
    target = os.readlink(root / link)
    (root / link).unlink()
    try:
        session.start()
        settle(session)
        os.symlink(target, root / link)
        session.files_changed([key(link)])
        settle(session)
        assert uses(session.snapshot()) == USES
        assert everything(session.snapshot()) == anew(root)
        (root / link).unlink()
        session.files_changed([key(link)])
        settle(session)
        assert everything(session.snapshot()) == anew(root)
    finally:
        session.close()
