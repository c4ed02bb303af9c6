"""Changed code, differences and feedback, from the command line and from an editor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.cli_runs import SHOP, graphls
from e2e.lsp_workspace import Workspace
from git_folders import committed

PRICES = SHOP.files["shop/prices.py"]
TASK = "the price of an order is wrong"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    SHOP.write(tmp_path / "shop")
    committed(tmp_path / "shop")
    (tmp_path / "shop" / "shop" / "prices.py").write_bytes(PRICES.replace(b"def _never", b"def _always"))
    return tmp_path / "shop"


def test_changed_and_diff_for_people(folder: Path) -> None:
    changed = graphls("changed", "--root", str(folder))
    assert changed.code == 0
    assert "shop.prices:_always" in changed.symbols
    assert "_never" in changed.out
    assert graphls("changed", "--staged", "--root", str(folder)).out.startswith("Nothing changed.")
    diff = graphls("diff", "--root", str(folder))
    assert {"shop.prices:_always", "shop.prices:_never"} <= set(diff.symbols)
    again = graphls("diff", "HEAD", "HEAD", "--root", str(folder), "--format", "json").json
    assert again["counts"] == [0, 0, 0]
    assert again["before"] == again["after"]


def test_changed_says_where_symbols_were_and_what_they_held(folder: Path) -> None:
    (folder / "shop" / "prices.py").write_bytes(
        b"\n\n" + PRICES.replace(b"def _never", b"def _always").replace(b"sum(prices)", b"0")
    )
    changed = graphls("changed", "--root", str(folder), "--format", "json").json
    deltas = {one["symbol"].rpartition(":")[2]: one for one in changed["deltas"]}
    assert {name: one["action"] for name, one in deltas.items()}.items() >= {
        "total": "modified", "_always": "added", "_never": "deleted",
    }.items()  # fmt: skip
    total, gone, new = deltas["total"], deltas["_never"], deltas["_always"]
    assert total["after"]["start_line"] == total["before"]["start_line"] + 2
    assert total["after"]["lines"] == total["before"]["lines"]
    assert total["after"]["hash"] != total["before"]["hash"]
    assert (gone["after"], new["before"]) == (None, None)
    assert gone["before"]["hash"]
    assert (total["language"], total["node_kind"], total["kind"]) == ("python", "callable", "function")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("changed", "nowhere"), "no commit"),
        (("changed", "main", "--staged"), "Choose one"),
        (("changed", "--", "-x"), "no name of a commit"),
        (("diff", "nowhere"), "no commit"),
        (("feedback", "shop.prices:total"), "--useful"),
        (("feedback", "--useful"), "which item"),
        (("feedback", "--erase", "--useful"), "Either"),
        (("eval", "nothing.jsonl"), "cannot be read"),
    ],
)
def test_refusals(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    name, *rest = arguments
    run = graphls(name, "--root", str(folder), *rest)
    assert run.code == 2, run
    assert said in run.err
    assert "Traceback" not in run.err


def test_feedback_for_people(folder: Path, tmp_path: Path) -> None:
    more = {"GRAPHLS_CACHE_DIR": str(tmp_path / "own")}
    where = ("--root", str(folder))
    assert "shop.prices:total" in graphls("feedback", "shop.prices:total", "--useful", "-t", TASK, *where, **more).out
    assert "found useful" in graphls("explain", "-t", TASK, *where, **more).out
    (folder / "shop" / "prices.py").write_bytes(PRICES.replace(b"sum(prices)", b"0"))
    assert "no longer counts" in graphls("feedback", *where, **more).out
    assert "forgotten" in graphls("feedback", "--erase", *where, **more).out
    run = graphls("--no-cache", "feedback", "shop.prices:total", "--useful", *where)
    assert run.code == 2
    assert "cannot be kept" in run.err


def test_eval(folder: Path, tmp_path: Path) -> None:
    known = {
        "text": TASK,
        "repo": "shop",
        "declarations": [{"file": "shop/orders.py", "start_line": 10, "end_line": 11}],
    }
    gone = {"text": "x", "repo": "shop", "declarations": [{"file": "gone.py", "start_line": 1, "end_line": 1}]}
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(json.dumps(task) for task in (known, gone)))
    told = graphls("eval", str(tasks), "--root", str(folder), "--budget", "2000", "--format", "json").json
    assert (told["tasks"], told["left_out"]) == (1, 1)
    assert (told["budgets"][0]["recall"], told["budgets"][0]["same"]) == (1.0, True)
    assert {name: told["freshness"][name] for name in ("edits", "shown", "undone")} == {
        "edits": 1, "shown": 1, "undone": 1,
    }  # fmt: skip
    plain = graphls("eval", str(tasks), "--root", str(folder), "--edits", "0", "--format", "json").json
    assert plain["freshness"] is None
    assert "edited and asked again: 1 of 1 edit shown" in graphls("eval", str(tasks), "--root", str(folder)).out
    assert graphls("eval", str(tasks), "--repo", "none", "--root", str(folder)).code == 1
    tasks.write_text("{}\n")
    assert "is no task" in graphls("eval", str(tasks), "--root", str(folder)).err


def test_from_an_editor(folder: Path) -> None:
    server = Workspace(folder, SHOP)
    try:
        server.open("shop/prices.py")
        text = PRICES.decode().replace("sum(prices)", "0")
        server.tell(
            "textDocument/didChange",
            textDocument={"uri": server.uri("shop/prices.py"), "version": 2},
            contentChanges=[{"text": text}],
        )
        server.ready()
        unsaved = server.ask("graph/changedImpact", changes="unsaved")
        assert [one["node"]["symbol"] for one in unsaved["nodes"]] == ["shop.prices:total"]
        assert "shop.orders:Order.price" in {one["node"]["symbol"] for one in unsaved["affected"]}
        assert server.ask("graph/changedImpact", changes="all")["nodes"] == unsaved["nodes"]
        actions = {one["symbol"]: (one["action"], bool(one["before"])) for one in unsaved["deltas"]}
        assert all(known == (action != "added") for action, known in actions.values())
        assert {one["node"]["symbol"] for one in unsaved["nodes"]} <= set(actions)
        assert unsaved.get("links") is None
        linked = server.ask("graph/changedImpact", changes="unsaved", links=100)
        ids = {one["node"]["id"] for part in ("nodes", "affected", "ends") for one in linked[part]}
        assert linked["links"]
        assert all({one["edge"]["source"], one["edge"]["target"]} <= ids for one in linked["links"])
        assert {one["change"] for one in linked["links"]} <= {"added", "removed", None}
        diff = server.ask("graph/diff")
        assert [pair["after"]["name"] for pair in diff["changed"] if pair["after"].get("kind") == "callable"] == [
            "total"
        ]
        said = server.ask("graph/feedback", node="shop.prices:total", useful=False, task=TASK)
        assert said["verdicts"][0]["counts"]
        assert server.ask("graph/feedback", erase=True)["erased"] == 1
        assert server.ask("graph/feedback", useful=True)["data"]["code"] == "graphls.badParams"
        assert server.ask("graph/changedImpact", changes="compare")["data"]["code"] == "graphls.badParams"
        assert server.ask("graph/diff", before="nowhere")["data"]["code"] == "graphls.noHistory"
    finally:
        server.close()
