"""Own requests about a commit: what `at` answers is what a server beside a checkout of that commit answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from e2e.cli_runs import SHOP
from e2e.lsp_workspace import Workspace
from git_folders import committed, git

TOTAL = "shop.prices:total"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("graph/find", {"text": "total"}),
    ("graph/node", {"symbol": TOTAL}),
    ("graph/neighborhood", {"symbol": TOTAL, "depth": 2}),
    ("graph/trace", {"source": {"symbol": "test_orders:test_price"}, "target": {"symbol": TOTAL}}),
    ("graph/impact", {"symbol": TOTAL}),
    ("graph/changedImpact", {"changes": "compare", "base": "v2"}),
    ("graph/entry", {"name": "/hello"}),
    ("graph/entries", {}),
    ("graph/tour", {}),
    ("graph/summary", {}),
    ("graph/map", {}),
    ("graph/tests", {"symbol": TOTAL}),
    ("graph/tests", {"changes": "compare", "base": "v2"}),
    ("graph/contextPack", {"task": "round the total of an order", "budget": 2000}),
    ("graph/explain", {"pack": {"task": "round the total of an order", "budget": 2000}}),
    ("graph/export", {"mode": "allow-errors"}),
)


def test_a_commit_answers_as_its_checkout_does(tmp_path: Path) -> None:
    folder, other = tmp_path / "shop", tmp_path / "copy" / "shop"
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
    git(folder, "worktree", "add", "-q", "../copy/shop", "v1")
    prices.write_bytes(b"def dirty(): ...\n")
    answers: list[list[dict[str, Any]]] = []
    for root, more in ((folder, {"at": "v1"}), (other, {})):
        server = Workspace(root, SHOP)
        try:
            server.ready()
            answers.append([_plain(server, server.ask(method, **_at(asked, more))) for method, asked in ASKED])
            if more:
                refused = server.ask("graph/changedImpact", changes="staged", at="v1")
                assert refused["data"]["code"] == "graphls.badParams"
                assert server.ask("graph/find", text="x", at="nowhere")["data"]["code"] == "graphls.noHistory"
                assert server.ask("graph/find", text="sum_up", mode="exact", at="v2")["total"] == 1
                assert server.ask("graph/find", text="sum_up", mode="exact")["total"] == 0
        finally:
            server.close()
    for (method, _), then, checkout in zip(ASKED, *answers, strict=True):
        assert then == checkout, method


def _at(asked: dict[str, Any], more: dict[str, str]) -> dict[str, Any]:
    """A question about a commit; of a pack that is explained it is the pack's."""
    return {"pack": {**asked["pack"], **more}} if "pack" in asked else {**asked, **more}


def _plain(server: Workspace, answer: dict[str, Any]) -> Any:
    """Without what is of the server, of history and of checkers, which read files as they are."""
    held = {key: value for key, value in answer.items() if key not in ("revision", "notes", "verification")}
    return json.loads(json.dumps(held).replace(server.folder.as_uri(), ""))
