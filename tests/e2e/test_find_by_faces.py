"""Names and words with filters, asked of the command line, an editor's server and agents: they find the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_workspace import agent_over
from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace
from fixture_text import fixture

SHOP = fixture(
    """
    --- path: shop/basket.py ---
    def basket_total():
        '''The gross price of a basket.'''
    class BasketPrice:
        '''Keeps what a basket costs.'''
    --- path: web/basket.ts ---
    /** The gross price of a basket, in the page. */
    export function basketTotal() {}
    --- path: tests/test_basket.py ---
    def test_basket_total(): ...
    --- path: docs/basket.md ---
    # Basket

    ## Basket totals

    The gross price of a basket.
    """
)
NAMES: list[tuple[dict[str, Any], list[str]]] = [
    ({"kinds": ["test"]}, ["test_basket_total"]),
    ({"kinds": ["heading"]}, ["Basket totals"]),
    ({"languages": ["typescript"]}, ["basketTotal"]),
    ({"under": "shop"}, ["basket_total"]),
    ({"kinds": ["function"], "languages": ["python"], "under": "shop"}, ["basket_total"]),
]
QUESTION = "where is the gross price of baskets kept"
WORDS: list[tuple[dict[str, Any], list[str]]] = [
    ({"kinds": ["class"]}, ["BasketPrice"]),
    ({"kinds": ["heading"]}, ["Basket totals", "Basket"]),
    ({"languages": ["typescript"]}, ["basketTotal"]),
    ({"kinds": ["function"], "under": "shop"}, ["basket_total"]),
]


def _options(filters: dict[str, Any]) -> list[str]:
    words = [("--kind", one) for one in filters.get("kinds", ())]
    words += [("--language", one) for one in filters.get("languages", ())]
    words += [("--under", filters["under"])] if "under" in filters else []
    return [part for pair in words for part in pair]


def _names(nodes: list[dict[str, Any]]) -> list[str]:
    return [node["name"] for node in nodes]


@pytest.mark.parametrize(("text", "cases", "by"), [("basket total", NAMES, "names"), (QUESTION, WORDS, "words")])
async def test_faces_find_the_same(
    tmp_path: Path, text: str, cases: list[tuple[dict[str, Any], list[str]]], by: str
) -> None:
    folder = tmp_path / "shop"
    editor = Workspace(folder, SHOP)
    editor.ready()
    async with agent_over(folder) as agent:
        for filters, expected in cases:
            run = graphls("find", text, *_options(filters), "--root", str(folder), "--format", "json").json
            shown = [*run["matches"], *(one["node"] for one in run.get("sections", ()))]
            assert _names(shown) == expected, filters
            said = await agent.ask("where", text=text, **filters)
            assert _names(said["matches"]) == expected, filters
            asked = editor.ask("graph/find", text=text, by=by, **filters)
            assert _names([one["node"] for one in asked["matches"]]) == expected, filters
    refused = graphls("find", text, "--language", "cobol", "--root", str(folder))
    assert (refused.code, "no language 'cobol'" in refused.err) == (2, True)
    assert "no language 'cobol'" in editor.ask("graph/find", text=text, languages=["cobol"])["message"]
    editor.close()
