"""Rival: the same tasks of an agent with the tools of code-review-graph, which builds its graph without a model.

Owns: the program's index of a tree, a fixed policy of its calls, the sites that its answers name.
Must not know: tasks, truth, other policies.
Invariant: its answers count without the path of the tree, which is long only because of where the bench runs.

The program is called as its own page tells agents to: `semantic_search_nodes_tool` for a name that is looked for, else
`query_graph_tool` with `callers_of` and `references_to` for each meaning of the name in the file that the task is about.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

NAME = "code-review-graph"
_PATTERNS = ("callers_of", "references_to")


async def ask_rival(
    program: Path, root: Path, name: str, file: str, search: bool
) -> tuple[int, int, frozenset[tuple[str, int]]]:
    """Bytes, calls and sites shown for a declaration of a file, or for a search."""
    environment = {**os.environ, "CRG_OFFLINE": "1"}
    subprocess.run([program, "build", "--repo", str(root), "--quiet"], env=environment, check=True, capture_output=True)
    size, calls, sites = 0, 0, set[tuple[str, int]]()
    async with Client(
        StdioServerParameters(command=str(program), args=["serve"], cwd=str(root), env=environment), mode="legacy"
    ) as client:

        async def call(tool: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
            nonlocal size, calls
            result = await client.call_tool(tool, {**asked, "repo_root": str(root)})
            text = "".join(str(getattr(part, "text", "")) for part in result.content).replace(f"{root}/", "")
            size, calls = size + len(text.encode()), calls + 1
            found: Mapping[str, Any] = json.loads(text)
            sites.update(_sites(found))
            return found

        if search:
            await call("semantic_search_nodes_tool", {"query": name})
            return size, calls, frozenset(sites)
        for pattern in _PATTERNS:
            found = await call("query_graph_tool", {"pattern": pattern, "target": name})
            if found.get("status") == "ambiguous":
                for meaning in _meanings(found, name, file):
                    await call("query_graph_tool", {"pattern": pattern, "target": f"{root}/{meaning}"})
    return size, calls, frozenset(sites)


def _meanings(found: Mapping[str, Any], name: str, file: str) -> Iterator[str]:
    for one in found.get("candidates", ()):
        if one.get("name") == name and one.get("file_path") == file:
            yield str(one["qualified_name"])


def _sites(found: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for row in (*found.get("results", ()), *found.get("candidates", ())):
        path = str(row.get("file_path", ""))
        yield path, int(row.get("line_start") or 0)
        line = (row.get("call_site") or {}).get("line")
        if line:
            yield path, int(line)
    for edge in found.get("edges", ()):
        yield str(edge.get("file_path", "")), int(edge.get("line") or 0)
