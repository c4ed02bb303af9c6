"""Open workspace: what a session does while a command looks for its answer."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from graphls.cli.main import loaded
from graphls.cli.open_workspace import opened
from graphls.session.process import foreground


@pytest.mark.parametrize("stays", [False, True])
def test_work_ahead_gives_way_to_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, stays: bool) -> None:
    """What nobody asked for took half of the processor from a command; a server has its own count of requests."""
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(foreground, "_QUIET", -1.0)
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "one.py").write_text("def one(): ...\n")
    ctx = typer.Context(loaded("map"))
    with opened(ctx, str(tmp_path / "space"), "complete", stays=stays) as workspace:
        assert workspace.session.foreground.is_quiet() is stays
    assert workspace.session.foreground.is_quiet()
