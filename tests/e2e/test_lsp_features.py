"""Each standard and own request once, over a real server."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from e2e.lsp_workspace import Workspace
from graphls.facts.own_output import is_export
from graphls.graph.formats import WHOLE_GRAPH

SHOP = """
    --- path: shop/__init__.py ---
    from shop.core import Order
    --- path: shop/core.py ---
    import json
    import os

    class Priced:
        def total(self) -> int:
            return 0

    class Order(Priced):
        '''An order.'''
        def total(self) -> int:
            return tax(1)

    def tax(amount: int) -> int:
        return amount
    --- path: shop/web.py ---
    from shop.core import Order
    def view() -> int:
        order = Order()
        return order.total()
    --- path: test_web.py ---
    from shop.web import view
    def test_view():
        assert view()
    --- path: guide/read.rst ---
    See :func:`shop.web.view`.
    --- path: broken.py ---
    def half(:
"""
WEB, CORE = "shop/web.py", "shop/core.py"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    hierarchical = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
    made = Workspace(tmp_path_factory.mktemp("e2e") / "w", SHOP, capabilities=hierarchical)
    made.ready()
    yield made
    made.close()


def _spots(locations: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(location["uri"].rpartition("/w/")[2], location["range"]) for location in locations]


def test_definition_declaration_type_definition_implementation(shop: Workspace) -> None:
    at = shop.at(WEB, "Order", 1)
    assert _spots(shop.ask("textDocument/definition", **at)) == [(CORE, shop.range(CORE, "Order"))]
    assert _spots(shop.ask("textDocument/declaration", **at)) == [(WEB, shop.range(WEB, "Order"))]
    variable = shop.at(WEB, "order", 1)
    assert _spots(shop.ask("textDocument/typeDefinition", **variable)) == [(CORE, shop.range(CORE, "Order"))]
    base = shop.at(CORE, "Priced")
    assert _spots(shop.ask("textDocument/implementation", **base)) == [(CORE, shop.range(CORE, "Order"))]


def test_references_put_the_declaration_first(shop: Workspace) -> None:
    found = shop.ask("textDocument/references", **shop.at(CORE, "tax", 1), context={"includeDeclaration": True})
    assert _spots(found) == [(CORE, shop.range(CORE, "tax", 1)), (CORE, shop.range(CORE, "tax", 0))]
    found = shop.ask("textDocument/references", **shop.at(CORE, "tax", 1), context={"includeDeclaration": False})
    assert _spots(found) == [(CORE, shop.range(CORE, "tax", 0))]


def test_rename_edits_what_has_the_name_and_refuses_what_is_not_ours(shop: Workspace) -> None:
    at = shop.at(CORE, "tax", 1)
    assert shop.ask("textDocument/prepareRename", **at) == {"range": shop.range(CORE, "tax", 1), "placeholder": "tax"}
    found = shop.ask("textDocument/rename", **at, newName="duty")
    edits = [
        (change["textDocument"]["uri"].rpartition("/w/")[2], change["edits"]) for change in found["documentChanges"]
    ]
    assert edits == [(CORE, [{"range": shop.range(CORE, "tax", one), "newText": "duty"} for one in (0, 1)])]
    refused = shop.ask("textDocument/rename", **at, newName="Order")
    assert refused["message"] == "shop.core:Order is declared there already."
    refused = shop.ask("textDocument/prepareRename", **shop.at(CORE, "json"))
    assert "declared outside the workspace" in refused["message"]


def test_a_class_is_renamed_from_its_constructor_with_its_file(tmp_path: Path) -> None:
    text = "--- path: p/Shop.java ---\npackage p;\npublic class Shop { Shop() {} static Shop one = new Shop(); }\n"
    able = {"workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename"]}}}
    with contextlib.closing(Workspace(tmp_path / "w", text, capabilities=able)) as made:
        made.ready()
        found = made.ask("textDocument/rename", **made.at("p/Shop.java", "Shop", 1), newName="Store")
    edits, moved = found["documentChanges"]
    assert len(edits["edits"]) == 4
    assert (moved["kind"], moved["newUri"].rpartition("/w/")[2]) == ("rename", "p/Store.java")


def test_imports_follow_a_file_that_moves(shop: Workspace) -> None:
    old = shop.document(CORE)["uri"]
    files = [{"oldUri": old, "newUri": old.replace("core.py", "basket.py")}]
    found = shop.ask("workspace/willRenameFiles", files=files)
    edits = {
        change["textDocument"]["uri"].rpartition("/w/")[2]: [edit["newText"] for edit in change["edits"]]
        for change in found["documentChanges"]
    }
    assert edits[WEB] == ["shop.basket"]
    assert shop.ask("workspace/willRenameFiles", files=[{"oldUri": old, "newUri": "file:///elsewhere/x.py"}]) is None


def test_monikers_are_the_symbols_of_an_index(shop: Workspace) -> None:
    assert shop.ask("textDocument/moniker", **shop.at(WEB, "total")) == [
        {"scheme": "graphls", "identifier": "graphls pip . . `shop.core`/Order#total().", "unique": "scheme",
         "kind": "export"}
    ]  # fmt: skip
    (found,) = shop.ask("textDocument/moniker", **shop.at(CORE, "amount"))
    assert (found["unique"], found["kind"]) == ("document", "local")


def test_hover_and_highlight(shop: Workspace) -> None:
    shown = shop.ask("textDocument/hover", **shop.at(WEB, "Order", 1))
    assert "class Order" in shown["contents"]["value"]
    assert "An order" in shown["contents"]["value"]
    assert len(shop.ask("textDocument/documentHighlight", **shop.at(WEB, "Order", 1))) == 2
    assert (
        shop.ask("textDocument/hover", textDocument=shop.document(WEB), position={"line": 500, "character": 9}) is None
    )


def test_symbols(shop: Workspace) -> None:
    outline = shop.ask("textDocument/documentSymbol", textDocument=shop.document(CORE))
    assert [entry["name"] for entry in outline] == ["Priced", "Order", "tax"]
    found = shop.ask("workspace/symbol", query="ord")
    assert found[0]["name"] == "Order"
    assert found[0]["location"]["range"] == shop.range(CORE, "Order")


def test_hierarchies(shop: Workspace) -> None:
    item = shop.ask("textDocument/prepareCallHierarchy", **shop.at(CORE, "tax", 1))[0]
    assert (item["data"]["complete"], item["data"]["unresolvedSites"]) == (True, 0)
    incoming = shop.ask("callHierarchy/incomingCalls", item=item)
    assert [call["from"]["name"] for call in incoming] == ["total"]
    outgoing = shop.ask("callHierarchy/outgoingCalls", item=incoming[0]["from"])
    assert [call["to"]["name"] for call in outgoing] == ["tax"]
    item = shop.ask("textDocument/prepareTypeHierarchy", **shop.at(CORE, "Order"))[0]
    above = shop.ask("typeHierarchy/supertypes", item=item)
    assert [base["name"] for base in above] == ["Priced"]
    assert [sub["name"] for sub in shop.ask("typeHierarchy/subtypes", item=above[0])] == ["Order"]


def test_documents_have_links_to_what_they_name(shop: Workspace) -> None:
    (found,) = shop.ask("textDocument/documentLink", textDocument=shop.document("guide/read.rst"))
    assert found["target"].endswith("/shop/web.py#L2")
    assert found["tooltip"] == "shop.web:view"


def test_folds_and_selections(shop: Workspace) -> None:
    folds = shop.ask("textDocument/foldingRange", textDocument=shop.document(CORE))
    assert {"startLine": 0, "endLine": 1, "kind": "imports"} in folds
    place = shop.at(CORE, "amount", 1)
    ladder = shop.ask("textDocument/selectionRange", textDocument=place["textDocument"], positions=[place["position"]])
    assert ladder[0]["range"] == shop.range(CORE, "amount", 1)
    assert ladder[0]["parent"]["range"] != ladder[0]["range"]


def test_lenses_are_counted_when_resolved(shop: Workspace) -> None:
    lenses = shop.ask("textDocument/codeLens", textDocument=shop.document(CORE))
    at = shop.range(CORE, "tax", 1)
    lens = shop.ask("codeLens/resolve", **next(lens for lens in lenses if lens["range"] == at))
    assert lens["command"]["title"].startswith("1 caller")


def test_diagnostics_are_pulled_and_unchanged_the_second_time(shop: Workspace) -> None:
    report = shop.ask("textDocument/diagnostic", textDocument=shop.document("broken.py"))
    assert report["items"][0]["severity"] == 1
    again = shop.ask(
        "textDocument/diagnostic", textDocument=shop.document("broken.py"), previousResultId=report["resultId"]
    )
    assert again["kind"] == "unchanged"


def test_files_outside_have_no_answer(shop: Workspace) -> None:
    outside = {"textDocument": {"uri": "file:///nowhere/else.py"}, "position": {"line": 0, "character": 0}}
    assert shop.ask("textDocument/definition", **outside) == []
    assert shop.ask("textDocument/hover", **outside) is None
    assert shop.ask("graph/neighborhood", **outside)["data"]["code"] == "graphls.outsideWorkspace"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("graph/neighborhood", {"symbol": "shop.core:tax", "edgeKinds": ["eats"]}),
        ("graph/neighborhood", {"symbol": "shop.core:tax", "nodeKinds": ["eats"]}),
        ("graph/trace", {"source": {"symbol": "shop.core:tax"}, "kinds": ["eats"]}),
        ("graph/impact", {"symbol": "shop.core:tax", "kinds": ["eats"]}),
        ("graph/find", {"text": "tax", "kinds": ["eats"]}),
    ],
)
def test_kinds_that_do_not_exist_are_refused(shop: Workspace, method: str, params: dict[str, Any]) -> None:
    assert "no kind 'eats'" in shop.ask(method, **params)["message"]


def test_own_requests_carry_the_envelope(shop: Workspace) -> None:
    order: dict[str, object] = {"symbol": "shop.core:Order"}
    asked: dict[str, Mapping[str, object]] = {
        "graph/neighborhood": {**order, "depth": 2, "includeSites": True},
        "graph/find": {"text": "ord"},
        "graph/node": order,
        "graph/trace": {"source": {"symbol": "shop.web:view"}, "target": {"symbol": "shop.core:tax"}},
        "graph/impact": {"symbol": "shop.core:tax"},
        "graph/summary": {},
        "graph/status": {},
        "graph/findings": {},
        "graph/contextPack": {"task": "change how tax is computed", "budget": 500},
        "graph/export": {"mode": "allow-errors", "scope": "shop"},
    }
    announced = shop.capabilities["experimental"]["graphls"]["methods"]
    for method, params in asked.items():
        assert method in announced
        answer = shop.ask(method, **params)
        assert {"snapshot", "revision", "fresh", "complete", "unresolvedSites", "truncated", "omitted", "next"} <= set(
            answer
        ), (method, answer)


def test_neighborhood_by_position_and_by_symbol_agree(shop: Workspace) -> None:
    by_symbol = shop.ask("graph/neighborhood", symbol="shop.core:Order", depth=1)
    by_position = shop.ask("graph/neighborhood", **shop.at(WEB, "Order", 1), depth=1)
    by_id = shop.ask("graph/neighborhood", node=by_symbol["root"]["id"], depth=1)
    assert by_symbol == by_position == by_id
    known = {by_symbol["root"]["id"], *(node["id"] for node in by_symbol["nodes"])}
    assert all({edge["source"], edge["target"]} <= known for edge in by_symbol["edges"])
    assert by_symbol["root"]["range"] == shop.range(CORE, "Order")


def test_trace_and_explain(shop: Workspace) -> None:
    found = shop.ask("graph/trace", source={"symbol": "shop.web:view"}, target={"symbol": "shop.core:tax"})
    names = {node["id"]: node["symbol"] for node in found["nodes"]}
    path = found["paths"][0]
    assert [names[node] for node in path["nodes"]] == ["shop.web:view", "shop.core:Order.total", "shop.core:tax"]
    why = shop.ask("graph/explain", node="shop.web:view", edge=path["edges"][0]["id"])
    assert why["explanation"]["sites"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("graph/node", {"symbol": "nothing_called_so"}, "graphls.unknownSymbol"),
        ("graph/node", {"symbol": "total"}, "graphls.ambiguousSymbol"),
        ("graph/node", {}, "graphls.badParams"),
        ("graph/findings", {"rules": ["no.such"]}, "graphls.badParams"),
        ("graph/findings", {"scope": "nowhere"}, "graphls.badParams"),
        ("graph/impact", {"symbol": "shop.core:tax", "limit": -1}, "graphls.badParams"),
        ("graph/impact", {"symbol": "shop.core:tax", "depth": 0}, "graphls.badParams"),
        ("graph/trace", {"source": {"symbol": "shop.core:tax"}, "minConfidence": 2}, "graphls.badParams"),
        ("graph/export", {"mode": "allow-errors", "destination": "../x.jsonl"}, "graphls.outsideWorkspace"),
        ("graph/neighborhood", {"symbol": "shop.core:Order", "depth": 9}, "graphls.badParams"),
        ("graph/trace", {"source": {"symbol": "shop.core:tax"}, "depth": 100}, "graphls.badParams"),
        ("graph/impact", {"symbol": "shop.core:tax", "depth": 7}, "graphls.badParams"),
        ("graph/changedImpact", {"depth": 7}, "graphls.badParams"),
        ("graph/neighborhood", {"symbol": "shop.core:Order", "direction": "up"}, "graphls.badParams"),
        ("graph/neighborhood", {"symbol": 5}, "graphls.badParams"),
        ("graph/export", {"format": "word"}, "graphls.badParams"),
        ("graph/export", {"mode": "allow-errors", "destination": "../out.jsonl"}, "graphls.outsideWorkspace"),
        ("graph/export", {}, "graphls.degraded"),
        ("graph/export", {"mode": "allow-errors", "derived": ["weather"]}, "graphls.badParams"),
        ("graph/export", {"mode": "allow-errors", "derived": ["coverage"]}, "graphls.badParams"),
        ("graph/export", {"mode": "allow-errors", "derived": ["history"]}, "graphls.noHistory"),
        ("graph/contextPack", {}, "graphls.badParams"),
        ("graph/summary", {"scope": "nowhere"}, "graphls.badParams"),
    ],
)
def test_refusals_say_why(shop: Workspace, method: str, params: dict[str, object], code: str) -> None:
    error = shop.ask(method, **params)
    assert error["data"]["code"] == code, error
    assert str(shop.folder) not in error["message"]


def test_an_export_has_what_is_derived(shop: Workspace) -> None:
    lines = shop.ask("graph/export", mode="allow-errors", derived=["communities", "processes"])["content"].splitlines()
    kinds = {json.loads(line).get("kind") for line in lines}
    assert {"community", "member_of"} <= kinds


def test_export_goes_to_a_file_of_the_workspace(shop: Workspace) -> None:
    inline = shop.ask("graph/export", mode="allow-errors")
    written = shop.ask("graph/export", mode="allow-errors", destination="out.jsonl")
    assert written["content"] is None if "content" in written else True
    assert (shop.folder / "out.jsonl").read_text() == inline["content"]


@pytest.mark.parametrize("wanted", ["jsonl", *WHOLE_GRAPH])
def test_an_export_replaces_an_export_and_nothing_else(shop: Workspace, wanted: str) -> None:
    options = {"mode": "allow-errors", "format": wanted}
    for name, text in (("shop.py", None), ("graphls.toml", "[files]\n"), ("notes.txt", "mine\n"), ("empty", "")):
        if text is not None:
            (shop.folder / name).write_text(text, "utf-8")
        there = shop.folder / name if text is not None else next(shop.folder.rglob("*.py"))
        before = there.read_bytes()
        error = shop.ask("graph/export", **options, destination=there.relative_to(shop.folder).as_posix())
        assert error["data"]["code"] == "graphls.badParams"
        assert there.read_bytes() == before
    for _ in range(2):
        assert shop.ask("graph/export", **options, destination=f"twice.{wanted}")["destination"] == f"twice.{wanted}"
    told = shop.ask("graph/export", **options, destination="notes.txt", overwrite=True)
    assert told["destination"] == "notes.txt"
    assert is_export((shop.folder / "notes.txt").read_bytes()[:400])
    for name in ("graphls.toml", "notes.txt", "empty", f"twice.{wanted}"):
        (shop.folder / name).unlink()
