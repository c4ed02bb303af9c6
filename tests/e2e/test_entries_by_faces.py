"""One entry and one tour, asked of the command line, an editor's server and an agent's: the same records."""

from __future__ import annotations

from pathlib import Path

from agent_workspace import agent_over
from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace
from fixture_text import fixture

APP = fixture(
    """
    --- path: app.py ---
    from fastapi import FastAPI
    from stock import items

    app = FastAPI()

    @app.get("/items")
    def listed():
        return items()

    if __name__ == "__main__":
        listed()
    --- path: stock.py ---
    def items():
        return []
    --- path: tests/test_app.py ---
    from app import listed

    def test_listed():
        assert listed() == []
    """
)


async def test_faces_give_the_same_records(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    async with agent_over(folder, APP) as agent:
        by_agent = await agent.ask("graph", query="entry", name="GET /items")
        assert "Did you mean route GET /items?" in await agent.refused("graph", query="entry", name="/item")
        asked = await agent.ask("graph", query="tour", limit=5)
        tour_by_agent = [one["node"]["id"] for one in asked["stops"]]
    assert [one["symbol"] for one in by_agent["handlers"]] == ["app:listed"]
    assert {"stock:items"} <= {one["node"]["symbol"] for one in by_agent["needs"]}
    assert by_agent["tests"]
    where = ("--root", str(folder), "--format", "json")
    by_line = graphls("entry", "GET /items", *where).json
    for name in ("snapshot", "entry", "edges", "handlers", "needs", "tests", "unresolved_sites"):
        assert by_line[name] == by_agent[name], name
    words = graphls("entry", "/items", "--root", str(folder))
    assert words.code == 0
    assert "stock:items" in words.out
    assert [one["node"]["id"] for one in graphls("tour", "-n", "5", *where).json["stops"]] == tour_by_agent
    assert "app" in graphls("tour", "--root", str(folder)).out
    server = Workspace(folder, APP)
    try:
        server.ready()
        by_editor = server.ask("graph/entry", name="GET /items")
        assert by_editor["snapshot"] == by_agent["snapshot"]
        for name in ("needs", "tests"):
            ids = [(one["node"]["id"], one["depth"]) for one in by_editor[name]]
            assert ids == [(one["node"]["id"], one["depth"]) for one in by_agent[name]]
        assert server.ask("graph/entry", name="nothing")["data"]["code"] == "graphls.unknownSymbol"
        assert [one["node"]["id"] for one in server.ask("graph/tour", limit=5)["stops"]] == tour_by_agent
    finally:
        server.close()
