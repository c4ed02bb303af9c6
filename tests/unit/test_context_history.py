"""Packs of a workspace with history: which commits count, for every state that is asked."""

from __future__ import annotations

from pathlib import Path

from git_folders import committed, git
from graphls.context.pack import PackRequest
from graphls.session.memory import snapshot_of
from graphls.session.packs import Packs
from graphls.session.verifying import CheckerService
from graphls.settings import merge
from graphls.sources.workspace import Workspace


def test_commits_up_to_what_is_asked_count(tmp_path: Path) -> None:
    files = {"pay.py": "def fee(bill):\n    return bill\n", "mail.py": "def send(bill):\n    print(bill)\n"}
    workspace, snapshot, (settings, _) = Workspace.of([str(tmp_path)]), snapshot_of(files), merge({}, {}, trusted=False)
    packs = Packs(workspace, None, CheckerService(workspace))

    def led(at: str = "", **weights: float) -> list[str]:
        request = PackRequest(task="the bill of parcels", at=at, weights={"recent": 0.0, **weights})
        made = packs.made(snapshot, request, settings)[1]
        return [item.file for item in made.items if "commits like the task" in item.reason]

    assert led() == []
    for number, (name, text) in enumerate(files.items()):
        (tmp_path / name).write_text(text)
        committed(tmp_path, ("parcels", "parcels of mail")[number])
        assert sorted(led()) == sorted(tuple(files)[: number + 1])
    assert led("HEAD~1") == ["pay.py"]
    assert led(history=0.0) == []
    git(tmp_path, "checkout", "-q", "HEAD~1")
    assert led() == ["pay.py"]
    assert led("main") != led("HEAD")


def test_what_was_changed_of_late_comes_first(tmp_path: Path) -> None:
    text = "def gross(bill):\n    return bill * 1\n\n\ndef net(bill):\n    return bill * 1\n"
    workspace, (settings, _) = Workspace.of([str(tmp_path)]), merge({}, {}, trusted=False)
    packs = Packs(workspace, None, CheckerService(workspace))

    def first(**weights: float) -> str:
        snapshot = snapshot_of({"pay.py": (tmp_path / "pay.py").read_text()})
        return packs.made(snapshot, PackRequest(task="the bill", weights=weights), settings)[1].items[0].symbol

    def write(changed: str) -> None:
        (tmp_path / "pay.py").write_text(changed)

    write(text)
    assert first() == "pay:gross"
    committed(tmp_path, "one")
    write(text[::-1].replace("1", "2", 1)[::-1])
    assert first() == "pay:net"
    committed(tmp_path, "two")
    assert first() == "pay:net"
    assert first(recent=0.0) == "pay:gross"
    write(text.replace("1", "2"))
    assert first() == "pay:gross"
