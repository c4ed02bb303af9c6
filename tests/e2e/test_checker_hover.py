"""Checker hover: types in hovers, and definitions in packages that graphls does not read.

Owns: that a hover says the type that the checker knows, in the language of its file, and that definition leads outside.
Must not know: how a checker is asked.
Invariant: without a checker a hover says what graphls knows, in the same language.

TypeScript needs what `test_checker_typescript` needs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.lsp_workspace import Workspace
from e2e.raw_client import TIMEOUT
from graphls.compilers.checkers import NoChecker, find_typescript_checker
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings

NAMED = os.environ.get("GRAPHLS_TEST_TYPESCRIPT", "")
SHOP = """
    --- path: shop.py ---
    import json
    def total(prices: list[int]) -> dict[str, int]:
        return {"sum": sum(prices)}
    made = total([1, 2])
    text = json.dumps(made)
    def unsaid(x):
        return x
    untold = unsaid(made)
    --- path: web/package.json ---
    {"name": "web", "dependencies": {"pad": "1"}}
    --- path: web/tsconfig.json ---
    {"compilerOptions": {"module": "nodenext", "strict": true}}
    --- path: web/shop.ts ---
    import { pad } from 'pad'
    export const total = (prices: number[]) => ({ sum: prices.length })
    export const made = total([1, 2])
    export const shown = pad('\\u202e')
    --- path: .gitignore ---
    node_modules
    --- path: web/node_modules/pad/package.json ---
    {"name": "pad", "version": "1.0.0", "types": "index.d.ts"}
    --- path: web/node_modules/pad/index.d.ts ---
    // π: a line before, and
    export declare function pad(text: string): string
"""
PY, TS = "shop.py", "web/shop.ts"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Workspace]]:
    made: list[Workspace] = []

    def start() -> Workspace:
        if not made:
            checker = {"budgetMs": 60_000, **({"typescriptPath": NAMED} if NAMED and NAMED != "none" else {})}
            options: dict[str, Any] = {"initializationOptions": {"checker": checker}}
            made.append(Workspace(tmp_path_factory.mktemp("shown") / "w", SHOP, **options))
            made[0].ready()
            # Each question starts its checker where it does not run, and waits for the answer.
            for path in (PY, TS):
                made[0].open(path)
        return made[0]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def web(shop: Callable[[], Workspace]) -> Workspace:
    if NAMED == "none" or isinstance(find_typescript_checker(CheckerSettings(typescript_path=NAMED)), NoChecker):
        pytest.skip("there is no TypeScript 7 to ask")
    return shop()


def _hover(workspace: Workspace, path: str, text: str, occurrence: int = 0, wanted: str = "") -> str:
    """The hover, once it holds what is wanted: a checker may still be starting."""
    end = time.monotonic() + (TIMEOUT if wanted else 0)
    while True:
        shown = workspace.ask("textDocument/hover", **workspace.at(path, text, occurrence))["contents"]["value"]
        if wanted in shown or time.monotonic() > end:
            return shown
        time.sleep(0.05)


def test_a_hover_of_python_says_the_type(shop: Callable[[], Workspace]) -> None:
    shown = _hover(shop(), PY, "made", wanted="Type by ty")
    assert "```python\nmade = total([1, 2])\n```" in shown
    assert "```python\ndict[str, int]\n```" in shown


def test_a_type_that_the_checker_does_not_know_is_none(shop: Callable[[], Workspace]) -> None:
    _hover(shop(), PY, "made", wanted="Type by ty")
    assert "Unknown" not in _hover(shop(), PY, "untold")


def test_a_hover_of_typescript_says_the_type(web: Workspace) -> None:
    shown = _hover(web, TS, "made", wanted="Type by ")
    assert "```typescript\nmade = total([1, 2])\n```" in shown
    assert "sum: number" in shown
    assert "python" not in shown


def test_a_hover_of_a_package_says_the_type(web: Workspace) -> None:
    assert "function pad(text: string): string" in _hover(web, TS, "pad(", wanted="Type by ")


def test_definition_leads_into_node_modules(web: Workspace) -> None:
    _hover(web, TS, "pad(", wanted="Type by ")
    (found,) = web.ask("textDocument/definition", **web.at(TS, "pad("))
    assert found["uri"].endswith("web/node_modules/pad/index.d.ts")
    assert found["range"]["start"] == {"line": 1, "character": 24}


def test_definition_leads_into_the_standard_library(shop: Callable[[], Workspace]) -> None:
    _hover(shop(), PY, "dumps", wanted="Type by ty")
    (found,) = shop().ask("textDocument/definition", **shop().at(PY, "dumps"))
    assert "/json/__init__.py" in found["uri"]


def test_without_a_checker_the_language_is_right(tmp_path: Path) -> None:
    options: dict[str, Any] = {"initializationOptions": {"checker": {"enabled": False}}}
    made = Workspace(tmp_path / "w", SHOP, **options)
    made.ready()
    shown = _hover(made, TS, "made")
    assert shown.startswith("```typescript\nmade = total([1, 2])\n```")
    assert "Type by" not in shown
    made.close()
