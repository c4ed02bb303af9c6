"""Federation: repositories that a workspace lists answer as one graph, on the command line and for agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.cli_runs import graphls
from fixture_text import fixture
from git_folders import committed, git
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.repositories import NAME, RegistryRefused, read_list, with_repository, workspace_of, write_list

REPOSITORIES = fixture(
    """
    --- path: shop/pyproject.toml ---
    [project]
    name = "shop"
    version = "2.0"
    --- path: shop/shop/__init__.py ---
    from shop.prices import total
    --- path: shop/shop/prices.py ---
    def total(prices):
        return sum(prices)
    --- path: api/pyproject.toml ---
    [project]
    name = "shop-api"
    dependencies = ["shop>=1,<2"]
    --- path: api/server.py ---
    from flask import Flask
    from shop import total

    app = Flask(__name__)


    @app.get("/orders/<number>")
    def order(number):
        return str(total([number]))
    --- path: desk/desk.py ---
    import os

    import requests

    BASE = os.environ["SHOP"]


    def load(number):
        return requests.get(f"{BASE}/orders/{number}")
    """
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three repositories beside each other, listed."""
    folder = tmp_path / "all"
    for path, text in REPOSITORIES.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
    for name in ("shop", "api", "desk"):
        git(folder / name, "init", "-q")
        committed(folder / name, "one")
    assert graphls("workspace", "scan", "--root", str(folder)).code == 0
    return folder


def test_what_ties_the_repositories_is_named(root: Path) -> None:
    answer = graphls("workspace", "status", "--root", str(root), "--format", "json").json
    assert [(one["alias"], one["files"], one["stale"]) for one in answer["repos"]] == [
        ("api", 2, ""),
        ("desk", 1, ""),
        ("shop", 3, ""),
    ]
    assert answer["packages"] == [
        {"consumer": "api", "provider": "shop", "package": "shop", "wanted": [">=1,<2"], "here": "2.0"}
    ]
    ties = {(one["consumer"], one["provider"], one["kind"], one["via"]): one["examples"] for one in answer["crossings"]}
    assert ties["api", "shop", "calls", ""] == ["server:order -> shop.prices:total"]
    assert ties["desk", "api", "references", "http"] == ["desk:load -> route GET /orders/<number>"]
    together = answer["common_commits"]
    assert {(one["one"], one["other"]) for one in together} == {("api", "desk"), ("api", "shop"), ("desk", "shop")}
    assert answer["without_history"] == []
    assert answer["complete"]


def test_a_repository_that_takes_no_part_is_named(root: Path, tmp_path: Path) -> None:
    (root / "bare").mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a.py").write_text("a = 1\n")
    for name in ("desk", "api"):
        assert graphls("workspace", "remove", name, "--root", str(root)).code == 0
    for path in (root / "bare", tmp_path / "far"):
        assert graphls("workspace", "add", str(path), "--root", str(root)).code == 0
    run = graphls("workspace", "status", "--root", str(root), "--format", "json")
    assert [(one["alias"], one["files"], one["stale"]) for one in run.json["repos"]] == [
        ("bare", 0, "no file of it was read"),
        ("far", 0, "left out: outside of the workspace, --trust takes it in"),
        ("shop", 3, ""),
    ]
    assert not run.json["complete"]
    text = graphls("workspace", "status", "--root", str(root)).out
    assert "no repository uses another one among those that were read" in text
    assert "the commits of bare are not known" in text
    assert "raise the limit" not in text
    for words in (("impact", "shop.prices:total"), ("find", "total"), ("entry",), ("summary",), ("findings",)):
        asked = graphls(*words, "--root", str(root), "--format", "json").json
        assert (asked["complete"], asked["next"]["kind"]) == (False, "inspect"), words
        assert "unread_folders" in {gap["cause"] for gap in asked["causes"]}, words
        assert graphls("--trust", *words, "--root", str(root)).code == 0
    whole = graphls("--trust", "workspace", "status", "--root", str(root), "--format", "json")
    assert [one["files"] for one in whole.json["repos"]] == [0, 1, 3]


def test_impact_crosses_repositories_and_one_alone_can_be_asked(root: Path) -> None:
    reached = graphls("impact", "shop.prices:total", "--root", str(root), "--format", "json")
    assert "api/server.py" in reached.out
    assert "desk/desk.py" in reached.out
    alone = graphls("--repo", "shop", "impact", "shop.prices:total", "--root", str(root), "--format", "json")
    assert alone.code == 0
    assert "server.py" not in alone.out
    assert graphls("--repo", "shop", "find", "total", "--root", str(root / "shop")).code == 2
    unknown = graphls("--repo", "nowhere", "find", "total", "--root", str(root))
    assert unknown.code == 2
    assert "api, desk, shop" in unknown.err


def test_changes_are_those_of_every_repository(root: Path) -> None:
    (root / "shop/shop/prices.py").write_text("def total(prices):\n    return 0\n")
    (root / "desk/desk.py").write_text("def load(number):\n    return None\n")
    found = graphls("changed", "--root", str(root), "--format", "json").json
    assert {one["file"] for one in found["files"]} == {"desk/desk.py", "shop/shop/prices.py"}
    assert "api/server.py" in json.dumps(found["affected"])


def test_a_repository_that_is_gone_is_a_warning_and_answers_say_so(root: Path) -> None:
    (root / "api").rename(root / "elsewhere")
    for words in (("impact", "shop.prices:total"), ("changed",)):
        run = graphls(*words, "--root", str(root), "--format", "json")
        assert (run.code, "answers are without this repository" in run.err) == (0, True), words
        assert not run.json["complete"], words
        assert {"cause": "unread_folders", "direction": "in", "count": 1, "shown": 0} in run.json["causes"], words
    assert "1 folder or repository could not be read" in graphls("impact", "shop.prices:total", "--root", str(root)).out
    listed = graphls("workspace", "--root", str(root), "--format", "json").json
    assert [one["stale"] for one in listed["repos"]] == ["the folder is not there", "", ""]


def test_the_list_is_kept_by_alias_for_this_user_alone(root: Path) -> None:
    added = graphls("workspace", "add", str(root / "shop"), "--root", str(root))
    assert (added.code, "listed already, as shop" in added.err) == (2, True)
    assert graphls("workspace", "remove", "desk", "--root", str(root)).code == 0
    assert graphls("workspace", "remove", "desk", "--root", str(root)).code == 2
    again = graphls("workspace", "add", str(root / "desk"), "--alias", "front-end", "--root", str(root))
    assert again.code == 0
    assert [one.alias for one in read_list(str(root)).repositories] == ["api", "front-end", "shop"]
    assert (root / NAME).stat().st_mode & 0o777 == 0o600
    (root / "api/new.py").write_text("x = 1\n")
    committed(root / "api", "two")
    listed = graphls("workspace", "list", "--root", str(root), "--format", "json").json["repos"]
    assert listed[0]["stale"].startswith("another commit")
    graphls("workspace", "refresh", "--root", str(root))
    listed = graphls("workspace", "list", "--root", str(root), "--format", "json").json["repos"]
    assert not any(one["stale"] for one in listed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "is no JSON"),
        ('{"schema_version": 2, "repos": []}', "this version reads 1"),
        ('{"schema_version": 1, "repos": [{"alias": "../x", "path": "y"}]}', "lists no repository"),
    ],
)
def test_a_list_that_cannot_be_used_says_what_to_do(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / NAME).parent.mkdir()
    (tmp_path / NAME).write_text(text)
    with pytest.raises(RegistryRefused, match=said):
        workspace_of(str(tmp_path), trusted=False)


def test_a_list_leads_out_of_its_folder_only_where_the_user_trusts_it(tmp_path: Path) -> None:
    (tmp_path / "in/here").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    root = str((tmp_path / "in").resolve())
    outside = with_repository(root, (), str(tmp_path / "out"), "")
    write_list(root, (with_repository(root, (), "here", ""), outside))
    workspace, problems = workspace_of(root, trusted=False)
    assert [folder.name for folder in workspace.folders] == ["here"]
    assert "outside of the workspace" in problems[0]
    assert [folder.name for folder in workspace_of(root, trusted=True)[0].folders] == ["here", "out"]


def test_folders_that_cannot_be_listed_make_answers_incomplete(root: Path) -> None:
    """The same for a session of any face, such as that for agents."""
    (root / "api").rename(root / "elsewhere")
    workspace, _ = workspace_of(str(root.resolve()), trusted=False)
    session = Session(workspace, Settings(), None, SessionOptions())
    try:
        session.start()
        assert session.wait("complete", 120)
        assert [one.path for one in session.snapshot().skipped] == ["api/."]
    finally:
        session.close()
