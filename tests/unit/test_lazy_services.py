"""What a start does without is loaded when it is first wanted, and ends with the session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from graphls.session.lazy_services import LazyServices
from graphls.sources.workspace import Workspace

_START = """
import sys
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace
session = Session(Workspace.of([sys.argv[1]]), options=SessionOptions(link_all=False))
session.start()
assert session.wait("ready", 60)
assert session.snapshot().files()
print(*sorted(sys.modules))
session.close()
"""
_NOT_NEEDED = (
    "graphls.compilers.background",
    "graphls.context.pack",
    "graphls.graph.records",
    "graphls.session.prefetch",
    "graphls.session.verifying",
    "tree_sitter_language_pack",
)


def test_a_start_loads_nothing_that_only_questions_need(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.ts").write_text("const y = 1\n")
    done = subprocess.run([sys.executable, "-c", _START, str(tmp_path)], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "graphls.session.session" in loaded
    assert loaded.isdisjoint(_NOT_NEEDED)


def test_each_part_is_made_once(tmp_path: Path) -> None:
    later = LazyServices(Workspace.of([str(tmp_path)]), None, None)
    assert later.checker_service is later.checker_service
    assert later.packs is later.packs
    later.close()


def test_what_is_wanted_after_the_end_starts_no_checker(tmp_path: Path) -> None:
    from graphls.settings import Settings

    later = LazyServices(Workspace.of([str(tmp_path)]), None, None)
    later.close()
    later.checker_service.renew(Settings())
    assert not later.checker_service.enabled
