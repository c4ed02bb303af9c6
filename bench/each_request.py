"""Each request: what a running language server takes for every request about the symbols that much leads to.

Owns: the list of requests, the time and processor time of each, first and again.
Must not know: what the numbers should be, beyond the bar of a request.
Invariant: every request of the graph and the standard ones are asked, each alone; an answer that is not whole says so
    and is marked `partial`.

    python bench/each_request.py ROOT SYMBOL ... [--cache FOLDER] [--task TEXT] [--installed]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from latency import Client

_BAR = 2.0
_ABOUT_ALL: dict[str, dict[str, Any]] = {
    "graph/map": {},
    "graph/summary": {},
    "graph/status": {},
    "graph/findings": {},
    "graph/risk": {},
    "graph/health": {},
    "graph/entries": {},
    "graph/tour": {},
    "graph/changedImpact": {},
    "graph/tests": {},
    "graph/diff": {},
    "workspace/symbol": {"query": "get"},
    "graph/find": {"text": "get", "limit": 500},
}
_ABOUT_ONE: dict[str, dict[str, Any]] = {
    "graph/node": {"limit": 500, "includeSites": True},
    "graph/neighborhood": {"depth": 1, "limit": 2_000, "includeSites": True},
    "graph/neighborhood 3": {"depth": 3, "limit": 2_000},
    "graph/impact": {"depth": 6, "limit": 500},
    "graph/impact downstream": {"depth": 6, "direction": "downstream"},
    "graph/tests": {},
}
_AT_PLACE = (
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
)
_OF_FILE = ("textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/codeLens", "textDocument/diagnostic")
_OF_ITEMS = {
    "textDocument/prepareCallHierarchy": ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"),
    "textDocument/prepareTypeHierarchy": ("typeHierarchy/supertypes", "typeHierarchy/subtypes"),
}


class Asking:
    """One server; what was over the bar."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.over: list[str] = []

    def ask(self, what: str, name: str, /, **params: Any) -> Any:
        """Asks twice and prints one line."""
        method = what.split()[0]
        told: list[str] = []
        result: Any = None
        for turn in ("first", "again"):
            result, seconds = self.client.ask(method, **params)
            text = json.dumps(result)
            partial = any(word in text for word in ('"time_limit"', "budgetSpent", "took more work", "symbols may run"))
            marked = " partial" if partial else ""
            told.append(f"{turn} {seconds:6.2f} s, {self.client.cpu:6.2f} CPU-s{marked}")
            if seconds > _BAR:
                self.over.append(f"{what} {name} {turn} {seconds:.2f} s, {self.client.cpu:.2f} CPU-s{marked}")
        refused = f"  {result['code']}: {result['message'][:80]}" if isinstance(result, dict) and "code" in result else ""
        print(f"{what:36} {name:44} {'; '.join(told)}{refused}", flush=True)
        return result

    def about(self, symbol: str, task: str) -> None:
        """Every request about one symbol."""
        found = self.ask("graph/find", symbol, text=symbol, limit=5)
        matches = found.get("matches") or []
        if not matches:
            return
        node = matches[0]["node"]
        for what, params in _ABOUT_ONE.items():
            self.ask(what, symbol, node=node["id"], **params)
        self.ask("graph/trace", symbol, source={"node": node["id"]}, direction="in", depth=6)
        self.ask("graph/contextPack", symbol, task=f"{task} {symbol}", budget=8_000)
        self.ask("graph/explain pack", symbol, pack={"task": f"{task} {symbol}"})
        at = {"textDocument": {"uri": node["uri"]}, "position": node["range"]["start"]}
        for what in _AT_PLACE:
            more: dict[str, Any] = {}
            if what.endswith("references"):
                more = {"context": {"includeDeclaration": True}}
            elif what.endswith("rename"):
                more = {"newName": "renamed_by_a_bench"}
            items = self.ask(what, symbol, **at, **more)
            for further in _OF_ITEMS.get(what, ()):
                if isinstance(items, list) and items:
                    self.ask(further, symbol, item=items[0])
        for what in _OF_FILE:
            self.ask(what, symbol, textDocument=at["textDocument"])


def main() -> int:
    """Prints a line a request; 1 where one was over the bar and whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("symbols", nargs="+")
    parser.add_argument("--cache", default="")
    parser.add_argument("--task", default="change how it works:")
    parser.add_argument("--installed", action="store_true", help="the graphls of this Python, not of this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        client = Client(options.root.resolve(), options.cache or folder, {"checker": {"enabled": False}})
        try:
            print(f"complete after {client.complete():.1f} s")
            asking = Asking(client)
            for symbol in options.symbols:
                asking.about(symbol, options.task)
            for what, params in _ABOUT_ALL.items():
                asking.ask(what, "", **params)
        finally:
            client.raw.close()
    print(f"over {_BAR:g} s:", *asking.over, sep="\n  ")
    return 1 if asking.over else 0


if __name__ == "__main__":
    sys.exit(main())
