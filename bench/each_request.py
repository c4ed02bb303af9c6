"""Each request: what a running language server takes for every request about the symbols that much leads to.

Owns: the lists of requests and of tools for agents, the time and processor time of each, first and again.
Must not know: what the numbers should be, beyond the bar of a request.
Invariant: every request of the graph, the standard ones and every tool are asked, each alone; an answer that is not
    whole says so and is marked `partial`. The server of the tools is one of its own, over the same cache.

    python bench/each_request.py ROOT SYMBOL ... [--cache FOLDER] [--task TEXT] [--entry NAME] [--installed]
        [--faces lsp,mcp]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Protocol

from latency import INSTALLED, SERVER, Client, processor_seconds

_BAR = 2.0
ABOUT_ALL: dict[str, dict[str, Any]] = {
    "graph/map": {},
    "graph/summary": {},
    "graph/status": {},
    "graph/schema": {},
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
    "textDocument/declaration",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/moniker",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
)
_OF_FILE = (
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/diagnostic",
)
_OF_ITEMS = {
    "textDocument/prepareCallHierarchy": ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"),
    "textDocument/prepareTypeHierarchy": ("typeHierarchy/supertypes", "typeHierarchy/subtypes"),
}
_TOOLS_ABOUT_ONE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("where", {}),
    ("understand", {"source": True, "limit": 500}),
    ("change_plan", {}),
    ("change_plan", {"change": "rename"}),
    ("context", {}),
    ("graph", {"query": "neighbors", "depth": 3, "limit": 2_000}),
    ("graph", {"query": "impact", "depth": 6, "limit": 5_000}),
    ("graph", {"query": "impact", "depth": 6, "stream": "downstream"}),
    ("graph", {"query": "trace", "direction": "in"}),
    ("graph", {"query": "decisions"}),
    ("graph", {"query": "processes"}),
    ("graph", {"query": "explain"}),
    ("graph", {"query": "similar"}),
    ("graph", {"query": "risk"}),
)
TOOLS_ABOUT_ALL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("map", {}),
    ("where", {"text": "where are values of settings read"}),
    ("changes", {}),
    *(
        ("graph", {"query": query})
        for query in (
            *("communities", "decisions", "docs", "entries", "findings", "health", "processes", "report", "risk"),
            *("tour", "diff"),
        )
    ),
)
_PARTIAL = ('"time_limit"', "budgetSpent", "took more work", "symbols may run")


class Agent:
    """The server of the tools, asked as `Client` is."""

    def __init__(self, root: Path, cache: str) -> None:
        environment = {**os.environ, "PYTHONPATH": "" if INSTALLED else str(SERVER), "GRAPHLS_CACHE_DIR": cache}
        words = ("mcp", "--no-join", "--no-verify", "--max-bytes", "10000000", "--root", str(root))
        self.process = subprocess.Popen(
            [sys.executable, *(["-P"] if INSTALLED else []), "-m", "graphls", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.cpu = 0.0
        self._number = 0
        about = {"name": "bench", "version": "1"}
        self._call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})

    def ask(self, tool: str, /, **arguments: object) -> tuple[Any, float]:
        """The result of a tool, and the seconds it took."""
        used, begun = self.processor(), time.perf_counter()
        answer = self._call("tools/call", {"name": tool, "arguments": {**arguments, "format": "json"}})
        seconds, self.cpu = time.perf_counter() - begun, self.processor() - used
        result = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            said = answer.get("error", {}).get("message") or result["content"][0]["text"]
            return {"code": "refused", "message": said}, seconds
        return result, seconds

    def processor(self) -> float:
        """Processor time of its process; 0 where the system does not tell."""
        return processor_seconds(self.process.pid)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                return message
        raise AssertionError(f"no answer to {method} {params}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


class Asked(Protocol):
    """Who answers."""

    cpu: float

    def ask(self, method: str, /, **params: object) -> tuple[Any, float]:
        """The result, and the seconds it took."""
        ...


class Asking:
    """One server; what was over the bar."""

    def __init__(self, client: Asked) -> None:
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
            partial = any(word in text for word in _PARTIAL)
            marked = " partial" if partial else ""
            told.append(f"{turn} {seconds:6.2f} s, {self.client.cpu:6.2f} CPU-s{marked}")
            if seconds > _BAR:
                self.over.append(f"{what} {name} {turn} {seconds:.2f} s, {self.client.cpu:.2f} CPU-s{marked}")
        refused = (
            f"  {result['code']}: {result['message'][:80]}" if isinstance(result, dict) and "code" in result else ""
        )
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


def tools_about(asking: Asking, symbol: str, task: str) -> None:
    """Every tool about one symbol."""
    for tool, given in _TOOLS_ABOUT_ONE:
        query, more = given.get("query", ""), dict(given)
        if tool == "where":
            more["text"] = symbol
        elif tool == "context" or query == "explain":
            more |= {"task": f"{task} {symbol}", "budget": 8_000}
        else:
            more["symbol"] = symbol
        asking.ask(f"{tool} {query} {given.get('change', given.get('stream', ''))}", symbol, **more)


def main() -> int:
    """Prints a line a request; 1 where one was over the bar and whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("symbols", nargs="+")
    parser.add_argument("--cache", default="")
    parser.add_argument("--task", default="change how it works:")
    parser.add_argument("--entry", default="", help="a route, tool or command for the requests about one")
    parser.add_argument("--faces", type=lambda text: text.split(","), default=["lsp", "mcp"])
    parser.add_argument("--installed", action="store_true", help="the graphls of this Python, not of this folder")
    options = parser.parse_args()
    root, over = options.root.resolve(), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or folder
        if "lsp" in options.faces:
            over += through_editor(root, cache, options)
        if "mcp" in options.faces:
            over += through_tools(root, cache, options)
    print(f"over {_BAR:g} s:", *over, sep="\n  ")
    return 1 if over else 0


def through_editor(root: Path, cache: str, options: argparse.Namespace) -> list[str]:
    """What of the requests of an editor was over the bar."""
    client = Client(root, cache, {"checker": {"enabled": False}})
    try:
        print(f"complete after {client.complete():.1f} s")
        asking = Asking(client)
        for symbol in options.symbols:
            asking.about(symbol, options.task)
        for what, params in ABOUT_ALL.items():
            asking.ask(what, "", **params)
        if options.entry:
            asking.ask("graph/entry", options.entry, name=options.entry)
        return asking.over
    finally:
        client.raw.close()


def through_tools(root: Path, cache: str, options: argparse.Namespace) -> list[str]:
    """The same of the tools for agents."""
    agent = Agent(root, cache)
    try:
        asking = Asking(agent)
        _, seconds = agent.ask("map")
        print(f"first tool after {seconds:.1f} s, {agent.cpu:.1f} CPU-s")
        for symbol in options.symbols:
            tools_about(asking, symbol, options.task)
        for tool, given in TOOLS_ABOUT_ALL:
            asking.ask(f"{tool} {given.get('query', '')}", "", **given)
        if options.entry:
            asking.ask("graph entry", options.entry, query="entry", name=options.entry)
        return asking.over
    finally:
        agent.close()


if __name__ == "__main__":
    sys.exit(main())
