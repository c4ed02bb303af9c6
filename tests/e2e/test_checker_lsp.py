"""The checker behind the faces: ty, asked by a real server and by the command.

Owns: that verified edges reach editors and exports with their provenance, that what is missing is said.
Must not know: how a checker is asked.
Invariant: two complete exports are the same, byte for byte, whatever was known before.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace
from e2e.processes import descendants, survivors
from e2e.raw_client import TIMEOUT
from fixture_text import fixture

SHOP = """
    --- path: shop/__init__.py ---
    --- path: shop/model.py ---
    from __future__ import annotations
    from typing import Generic, TypeVar
    T = TypeVar("T")
    class Box(Generic[T]):
        def __init__(self, item: T) -> None:
            self.item = item
        def get(self) -> T:
            return self.item
    class Order:
        total: int = 0
        def pay(self) -> int:
            return self.total
    --- path: shop/use.py ---
    from shop.model import Box, Order
    def each(boxes: list[Box[Order]]):
        orders = [box.get() for box in boxes]
        return sorted(orders, key=lambda order: order.pay())
    def blind(thing):
        return thing.pay()
"""
BROKEN = """
    --- path: shop/broken.py ---
    from shop.model import Order
    def f() -> int:
        return Order().pay().missing
"""
PATIENT = {"checker": {"budgetMs": 60_000}}
"""What is asked here is about answers, not about how long a busy machine takes for them."""
MODEL, USE = "shop/model.py", "shop/use.py"


def until_settled(workspace: Workspace) -> dict[str, Any]:
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        session = workspace.ask("graph/status")["session"]
        if session["verification"] and session["verification"]["phase"] in ("done", "stopped"):
            return session
        time.sleep(0.05)
    raise AssertionError(session)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(tmp_path_factory.mktemp("checked") / "w", SHOP, initializationOptions=PATIENT)
    made.open(USE)
    made.ready()
    until_settled(made)
    yield made
    made.close()


def test_status_names_the_checker(shop: Workspace) -> None:
    session = shop.ask("graph/status")["session"]
    (checker,) = session["checkers"]
    assert (checker["name"], checker["state"], checker["problem"]) == ("ty", "ready", "")
    assert checker["version"]
    assert session["verification"]["phase"] == "done"
    # A header is the same whether the checker has started, by this face and the next.
    asked = shop.ask("graph/export", format="jsonl", verify="available", mode="allow-errors")
    words = ("--root", str(shop.folder), "--verify", "available", "--mode", "allow-errors")
    printed = graphls("export", *words, GRAPHLS_CACHE_DIR=str(shop.folder.parent / "other")).out
    headers = [json.loads(text.splitlines()[0]) for text in (asked["content"], printed)]
    assert headers[0]["snapshot"] == headers[1]["snapshot"]
    assert [one["providers"][0]["checker"] for one in headers] == ["ty", "ty"]


def test_definition_that_needs_inference(shop: Workspace) -> None:
    (found,) = shop.ask("textDocument/definition", **shop.at(USE, "pay"))
    assert (found["uri"], found["range"]) == (shop.uri(MODEL), shop.range(MODEL, "pay"))
    assert "Confirmed by a checker" in shop.ask("textDocument/hover", **shop.at(USE, "pay"))["contents"]["value"]


def test_references_and_callers_are_whole(shop: Workspace) -> None:
    context = {"includeDeclaration": False}
    found = shop.ask("textDocument/references", **shop.at(MODEL, "pay"), context=context)
    assert [(one["uri"], one["range"]) for one in found] == [(shop.uri(USE), shop.range(USE, "pay"))]
    (item,) = shop.ask("textDocument/prepareCallHierarchy", **shop.at(MODEL, "pay"))
    (call,) = shop.ask("callHierarchy/incomingCalls", item=item)
    assert call["fromRanges"] == [shop.range(USE, "pay")]


def test_own_answers_carry_provenance_and_settlement(shop: Workspace) -> None:
    for method in ("graph/neighborhood", "graph/node", "graph/impact"):
        found = shop.ask(method, symbol="shop.model:Order.pay")
        assert found["verification"] == {"checked": 0, "leftOut": 0, "reason": None}
    near = shop.ask("graph/neighborhood", symbol="shop.model:Order.pay", direction="in", edgeKinds=["calls"])
    assert {edge["provenance"] for edge in near["edges"]} == {"compiler_checked"}
    # What no checker knows stays undecided.
    assert shop.ask("graph/node", symbol="shop.model:Order.pay")["unresolvedSites"] == 1
    traced = shop.ask("graph/trace", source={"symbol": "shop.use:each"}, target={"symbol": "shop.model:Order.pay"})
    assert traced["paths"]
    packed = shop.ask("graph/contextPack", task="pay an order")
    assert packed["verification"]["leftOut"] == 0


def test_an_edit_is_settled_anew(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w", SHOP, initializationOptions=PATIENT)
    made.open(USE)
    made.ready()
    until_settled(made)
    text = made.fixture.files[USE].decode() + "def more(boxes: list[Box[Order]]):\n    return boxes[0].get().total\n"
    made.fixture.files[USE] = text.encode()
    document = {**made.document(USE), "version": 2}
    made.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
    (found,) = made.ask("textDocument/definition", **made.at(USE, "total"))
    assert found["range"] == made.range(MODEL, "total")
    made.close()


def test_a_missing_checker_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    options = {"checker": {"path": str(tmp_path / "nothing")}}
    made = Workspace(tmp_path / "w", SHOP, initializationOptions=options)
    made.ready()
    near = made.ask("graph/neighborhood", symbol="shop.use:each")
    assert near["verification"]["checked"] == 0
    assert "no executable file" in near["verification"]["reason"]
    assert near["edges"]
    checkers = made.ask("graph/status")["session"]["checkers"]
    assert [one["state"] for one in checkers if one["name"] == "ty"] == ["missing"]
    made.close()


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_the_checker_ends_with_the_server(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w", SHOP)
    made.open(USE)
    made.ready()
    until_settled(made)
    checkers = [process for process in descendants(made.client.process.pid) if b"server" in words_of(process)]
    assert checkers
    assert {os.readlink(f"/proc/{process}/cwd") for process in checkers} == {"/"}
    made.close()
    assert survivors(checkers, TIMEOUT) == []


def words_of(process: int) -> list[bytes]:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def test_complete_exports_are_the_same(tmp_path: Path) -> None:
    root = tmp_path / "w"
    fixture(SHOP).write(root)
    made = [
        graphls("export", "--root", str(root), "--verify", "complete", GRAPHLS_CACHE_DIR=str(tmp_path / cache))
        for cache in ("first", "second", "first")
    ]
    assert [run.code for run in made] == [0, 0, 0], made[0].err
    assert made[0].out == made[1].out == made[2].out
    header, *records = [json.loads(line) for line in made[0].out.splitlines()]
    extent = header["verification"]
    assert (extent["verify"], extent["left_out"], extent["modules"], extent["clean"]) == ("complete", 0, 3, 3)
    assert extent["uncertain"] > 0
    assert header["providers"][0]["checker"].startswith("ty ")
    assert "compiler_checked" in {record.get("provenance") for record in records}
    plain = graphls("export", "--root", str(root), GRAPHLS_CACHE_DIR=str(tmp_path / "first"))
    assert "compiler_checked" not in plain.out
    assert json.loads(plain.out.splitlines()[0])["verification"] is None


def test_errors_that_the_checker_finds(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", str(tmp_path / "cache")
    fixture(SHOP + BROKEN).write(root)
    strict = graphls("export", "--root", str(root), "--verify", "complete", GRAPHLS_CACHE_DIR=cache)
    assert (strict.code, strict.out) == (1, "")
    assert "shop/broken.py:3" in strict.err
    assert graphls("export", "--root", str(root), GRAPHLS_CACHE_DIR=cache).code == 0
    loose = ("export", "--root", str(root), "--mode", "allow-errors", "--verify", "available")
    header, *records = [json.loads(line) for line in graphls(*loose, GRAPHLS_CACHE_DIR=cache).out.splitlines()]
    assert header["degraded"]
    (found,) = (record for record in records if record.get("kind") == "diagnostic")
    assert found["attributes"]["source"] == "ty"
    owner = next(record for record in records if record.get("name") == "f" and record.get("kind") == "callable")
    (edge,) = (record for record in records if record.get("kind") == "diagnoses")
    assert (edge["source"], edge["target"]) == (found["id"], owner["id"])


def test_index_and_rules(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", str(tmp_path / "cache")
    fixture(SHOP).write(root)
    assert graphls("index", str(root), "--verify", GRAPHLS_CACHE_DIR=cache).code == 0
    status = graphls("status", "--root", str(root), "--precision", "--format", "json", GRAPHLS_CACHE_DIR=cache).json
    assert [checker["name"] for checker in status["checkers"]] == ["ty"]
    assert {"unresolved"} <= {rule["name"] for rule in status["precision"]}
    shown = graphls("show", "shop.model:Order.pay", "--root", str(root), "--verify", "--format", "json").json
    assert shown["verification"]["left_out"] == 0
    tied = ("explain", "shop.use:each", "shop.model:Order.pay", "--verify", "--format", "json")
    (edge,) = graphls(*tied, "--root", str(root)).json["edges"]
    assert edge["provenance"].startswith("compiler_")


@pytest.mark.parametrize(
    "words",
    [("changed", "--patch", "-", "--verify"), ("view", "--map", "--verify"), ("view", "--findings", "--verify")],
)
def test_what_no_checker_can_settle_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    run = graphls(*words, "--root", str(tmp_path))
    assert (run.code, "leave out --verify" in run.err) == (2, True), run.err


def test_packages_of_graphls_itself_are_none_of_the_workspace(tmp_path: Path) -> None:
    text = (
        "import click\nfrom pydantic import BaseModel\nclass M(BaseModel):\n    pass\ndef f():\n    M().model_dump()\n"
    )
    (tmp_path / "w").mkdir()
    (tmp_path / "w/a.py").write_text(text + "    click.Command('x').invoke(None)\n")
    run = graphls("export", "--root", str(tmp_path / "w"), "--verify", "complete", "--mode", "allow-errors")
    records = [json.loads(line) for line in run.out.splitlines()]
    named = {record["name"] for record in records if record.get("kind") == "external"}
    assert {"model_dump", "BaseModel.model_dump"}.isdisjoint(named)
    messages = sorted(record["attributes"]["message"] for record in records if record.get("kind") == "diagnostic")
    assert messages == ["Cannot resolve imported module `click`", "Cannot resolve imported module `pydantic`"]
    assert str(tmp_path) not in run.out


@pytest.mark.parametrize("home", ["", "home = /nowhere/bin\n"])
def test_an_environment_that_the_checker_cannot_read_is_said(tmp_path: Path, home: str) -> None:
    site = tmp_path / "w/.venv/lib/python3.12/site-packages"
    (site / "own").mkdir(parents=True)
    (site / "own/__init__.py").write_text("class Thing:\n    def act(self) -> int: ...\n")
    (tmp_path / "w/.venv/pyvenv.cfg").write_text(f"{home}version = 3.12\n")
    (tmp_path / "w/a.py").write_text("from own import Thing\ndef f(things: list[Thing]):\n    things[0].act()\n")
    run = graphls("export", "--root", str(tmp_path / "w"), "--verify", "complete")
    if home:
        assert (run.code, "own" in run.out) == (0, True), run.err
    else:
        assert (run.code, "cannot use the environment" in run.err) == (1, True), run.err
