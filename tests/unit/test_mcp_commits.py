"""Tools asked about a commit: what `at` answers is what a server beside a checkout of that commit answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_workspace import agent_over
from e2e.cli_runs import SHOP
from git_folders import committed, git
from graphls.mcp.profiles import TOOLS
from graphls.session.outcomes import Outcomes

TOTAL = "shop.prices:total"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("where", {"text": "total"}),
    ("understand", {"symbol": TOTAL, "source": True}),
    ("context", {"symbols": [TOTAL]}),
    ("map", {}),
    ("changes", {"changes": "compare", "base": "v2"}),
    ("graph", {"query": "impact", "symbol": TOTAL}),
    ("graph", {"query": "neighbors", "symbol": "shop/orders.py", "depth": 2}),
    ("graph", {"query": "trace", "symbol": "test_orders:test_price", "target": TOTAL}),
    ("graph", {"query": "similar", "symbol": TOTAL}),
    ("graph", {"query": "tour"}),
    ("graph", {"query": "entries"}),
    ("graph", {"query": "entry", "name": "/hello"}),
)
ABOUT_COMMITS = {
    query.name for tool in TOOLS for query in tool.queries if "at" in query.request.model_fields
}  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Two commits, `v1` and `v2`, and an edit that nobody committed; a checkout of the first beside it."""
    folder = tmp_path / "shop"
    SHOP.write(folder)
    (folder / "web.py").write_text(
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/hello')\ndef hello(): ...\n"
    )
    committed(folder, "one")
    git(folder, "tag", "v1")
    prices = folder / "shop" / "prices.py"
    prices.write_bytes(prices.read_bytes().replace(b"def total", b"def sum_up"))
    committed(folder, "two")
    git(folder, "tag", "v2")
    prices.write_bytes(b"def dirty(): ...\n")
    git(folder, "worktree", "add", "-q", "../copy/shop", "v1")
    return folder


async def test_a_commit_answers_as_its_checkout_does(shop: Path) -> None:
    async with agent_over(shop) as agent, agent_over(shop.parent / "copy" / "shop") as checkout:
        for tool, arguments in ASKED:
            then, there = await agent.ask(tool, **arguments, at="v1"), await checkout.ask(tool, **arguments)
            for answer in (then, there):
                answer.pop("revision")
                answer.pop("id", None)  # of the pack, for who says whether it was of use
                answer.pop("notes", None)  # history's, of what is checked out
            assert then == there, tool
        assert (await agent.ask("where", text="sum_up", mode="exact", at="v2"))["total"] == 1
        assert (await agent.ask("where", text="sum_up", mode="exact"))["total"] == 0
        git(shop, "tag", "-f", "v1", "v2")
        assert (await agent.ask("where", text="sum_up", mode="exact", at="v1"))["total"] == 1


async def test_what_is_no_matter_of_a_commit_is_refused(shop: Path) -> None:
    assert {str(arguments.get("query", tool)) for tool, arguments in ASKED} == ABOUT_COMMITS
    async with agent_over(shop) as agent:
        for tool, arguments, said in (
            ("change_plan", {"symbol": TOTAL}, "at: this is about the files as they are"),
            ("graph", {"query": "health"}, "at: this is about the files as they are"),
            ("changes", {"changes": "staged"}, "leave changes or at out"),
            ("changes", {"proposed": {"x.py": "y = 1\n"}}, "leave that or at out"),
            ("graph", {"query": "similar", "code": "def f(): ...", "language": "python"}, "leave at out"),
        ):
            assert said in await agent.refused(tool, **arguments, at="v1"), tool
        assert "There is no commit 'nowhere'" in await agent.refused("map", at="nowhere")
        assert "no name of a commit" in await agent.refused("map", at="--upload-pack=touch")


async def test_findings_since_a_commit(shop: Path) -> None:
    (shop / "shop" / "prices.py").write_bytes(b"def dirty(): ...\n")
    async with agent_over(shop) as agent:
        now = await agent.ask("graph", query="findings")
        since = await agent.ask("graph", query="findings", since="v1")
        gone = [one["title"] for one in since["findings"] if one["rule"] == "arch.public_api_drift"]
        assert "shop.prices:total is gone" in gone
        assert not any(one["rule"] == "arch.public_api_drift" for one in now["findings"])
        only = await agent.ask("graph", query="findings", since="v1", rules=["arch.public_api_drift"])
        assert len(only["findings"]) == len(gone)
        assert "since" in await agent.refused("graph", query="findings", rules=["arch.public_api_drift"])
        known = Outcomes(agent.state.store, agent.state.workspace).rows()
        assert not any(one.rule == "arch.public_api_drift" for one in known)
