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

    @app.post("/stock")
    def added():
        return None

    if __name__ == "__main__":
        listed()
    --- path: stock.py ---
    def items():
        return []
    --- path: tests/test_app.py ---
    from app import listed

    def test_listed():
        assert listed() == []
    --- path: tests/test_fake.py ---
    from fastapi import FastAPI

    def test_fake():
        app = FastAPI()

        @app.get("/fake")
        def fake(): ...
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
    listed = [("GET /items", ["app:listed"]), ("POST /stock", ["app:added"])]
    rows = graphls("entry", *where).json["entries"]
    assert [(row["node"]["name"], [one["symbol"] for one in row["handlers"]]) for row in rows] == listed
    assert "GET /items" in graphls("entry", "--root", str(folder)).out
    server = Workspace(folder, APP)
    try:
        server.ready()
        by_editor = server.ask("graph/entry", name="GET /items")
        assert by_editor["snapshot"] == by_agent["snapshot"]
        for name in ("needs", "tests"):
            ids = [(one["node"]["id"], one["depth"]) for one in by_editor[name]]
            assert ids == [(one["node"]["id"], one["depth"]) for one in by_agent[name]]
        rows = server.ask("graph/entries")["entries"]
        assert [(row["node"]["name"], [one["symbol"] for one in row["handlers"]]) for row in rows] == listed
        assert server.ask("graph/entries", scope="stock")["entries"] == []
        cut = server.ask("graph/entries", limit=1)
        assert (len(cut["entries"]), cut["truncated"], cut["omitted"]) == (1, True, 1)
        assert [row["node"]["name"] for row in server.ask("graph/entries", tests=True)["entries"]] == [
            "GET /items",
            "POST /stock",
            "GET /fake",
        ]
        assert server.ask("graph/entry", name="nothing")["data"]["code"] == "graphls.unknownSymbol"
        assert [one["node"]["id"] for one in server.ask("graph/tour", limit=5)["stops"]] == tour_by_agent
    finally:
        server.close()
