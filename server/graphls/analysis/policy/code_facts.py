"""Code facts: what expressions see of files, symbols and changes.

Owns: names and types of the fields.
Must not know: expressions, rules, version control.
Invariant: every field of a row is there in each row of its kind; a number that nobody measured is -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from graphls.analysis.policy.link_facts import COMMAND, COMMANDS, EDGE, EDGES
from graphls.analysis.policy.measure_facts import HEALTH, HEALTH_SAMPLE, RISK, RISK_SAMPLE
from graphls.analysis.policy.predicates import Fact
from graphls.analysis.policy.similarity_facts import SIMILARITY
from graphls.analysis.policy.syntax_facts import SYNTAX
from graphls.analysis.views import Views, is_test
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.node_records import FileNodes
from graphls.graph.nodes import is_lasting, is_node, node_row, qualified_name
from graphls.graph.records import Node
from graphls.graph.snapshot import Snapshot, SymbolRef

Row = Mapping[str, Fact]
VERSION: Final = 4
SYMBOL: Final[Row] = {
    "kind": "function", "name": "run", "path": "Job.run", "file": "a", "line": 1, "lines": 1, "parameters": 0,
    "branches": 0, "depth": 0, "async": False, "exported": False, "test": False, "decorators": ("",),
}  # fmt: skip
IMPORT: Final[Row] = {"path": "a", "line": 1, "language": "", "test": False}
FILE: Final[Row] = {
    "path": "a/b", "name": "b", "ext": "", "folder": "a", "language": "", "lines": 1, "bytes": 1,
    "generated": False, "test": False,
}  # fmt: skip
FILE_CHANGE: Final[Row] = {
    "path": "a", "old_path": "", "status": "modified", "language": "", "test": False,
    "lines_before": 1, "lines_after": 1, "line_delta": 0,
}  # fmt: skip
CHANGED_SYMBOL: Final[Row] = {
    "kind": "function", "path": "a:Job.run", "file": "a", "line": 1, "action": "modified", "lines_before": 1,
    "line_count": 1, "line_delta": 0, "drift": "", "test": False,
}  # fmt: skip
HUNK: Final[Row] = {
    "path": "a", "old_path": "", "status": "modified", "language": "", "test": False, "line": 1,
    "added": ("",), "removed": ("",), "cut": False,
}  # fmt: skip
BRANCH: Final[Row] = {"branch": "main", "head": "", "detached": False}
NO_BRANCH: Final[Row] = {"branch": "", "head": "", "detached": False}
FINDING: Final[Row] = {
    "rule": "arch.import_cycle", "tool": "graphls", "category": "architecture", "priority": "P2", "confidence": "high",
    "title": "a", "evidence_tier": "syntax_inferred", "file": "a", "line": 1, "symbol": "a:run", "language": "",
    "test": False,
}  # fmt: skip
SAMPLES: Final[Mapping[str, Row]] = {
    "file": {
        "file": FILE, "symbols": (SYMBOL,), "imports": (IMPORT,), "python_ast": (SYNTAX,),
        "similarity_facts": (SIMILARITY,), EDGES: (EDGE,), COMMANDS: (COMMAND,), HEALTH: HEALTH_SAMPLE,
        RISK: RISK_SAMPLE, "schema_version": VERSION,
    },
    "symbol": {"symbol": SYMBOL, "file": FILE, "schema_version": VERSION},
    "finding": {"finding": FINDING, "schema_version": VERSION},
    "change": {
        "changed_symbols": (CHANGED_SYMBOL,), "file_changes": (FILE_CHANGE,), "similarity_facts": (SIMILARITY,),
        "diff": (HUNK,), "git": BRANCH, "schema_version": VERSION,
    },
}  # fmt: skip
"""Scope -> facts, as an example of their types."""


def file_row(views: Views, path: FilePath) -> Row:
    """One file."""
    shard, folder = views.snapshot.shards[path], path.rpartition("/")[0]
    name = path.rpartition("/")[2]
    text = views.snapshot.text(path) or b""
    return {
        "path": path,
        "name": name,
        "ext": f".{name.rpartition('.')[2]}" if "." in name.lstrip(".") else "",
        "folder": folder,
        "language": shard.language,
        "lines": text.count(b"\n") + bool(text and not text.endswith(b"\n")),
        "bytes": len(text),
        "generated": bool(shard.language) and views.is_made_by_tool(path),
        "test": is_test(path),
    }


def symbol_rows(snapshot: Snapshot, path: FilePath) -> Iterator[tuple[SymbolRef, Row]]:
    """The symbols of a file, in order of place."""
    if not snapshot.shards[path].language:
        return
    facts, nodes = snapshot.facts(path), FileNodes(snapshot, path)
    measured = {row: at for at, row in enumerate(facts.metrics.definition)}
    for row in range(len(facts.definitions)):
        if not (is_lasting(facts, row) and is_node(facts, row) and node_row(facts, row) == row):
            continue
        node = nodes.node(row)
        if node.kind in ("import", "parameter", "api_member"):
            continue
        at = measured.get(row, -1)
        yield SymbolRef(path, row), {**_symbol(facts, row, node), **_measures(facts, at), "test": is_test(path)}


def import_rows(views: Views, path: FilePath) -> tuple[Row, ...]:
    """Files of the workspace that a file imports, as they surely resolve."""
    snapshot = views.snapshot
    if not snapshot.shards[path].language:
        return ()
    facts = snapshot.facts(path)
    return tuple(
        {"path": edge.target, "line": facts.line_column(edge.start)[0] + 1,
         "language": snapshot.shards[edge.target].language, "test": is_test(edge.target)}
        for edge in views.imports_of(path)
    )  # fmt: skip


def _symbol(facts: FileFacts, row: int, node: Node) -> Row:
    table = facts.definitions
    first, last = facts.line_column(table.full_start[row])[0], facts.line_column(table.full_end[row])[0]
    return {
        "kind": node.subkind or node.kind,
        "name": facts.strings[table.name[row]],
        "path": qualified_name(facts, row),
        "file": node.file or "",
        "line": facts.line_column(table.start[row])[0] + 1,
        "lines": last - first + 1,
        "parameters": _parameters(facts, row),
        "async": bool(table.flags[row] & DefinitionFlag.ASYNC),
        "exported": bool(node.exported),
        "decorators": tuple(_decorators(facts, row)),
    }


def _measures(facts: FileFacts, at: int) -> Row:
    metrics = facts.metrics
    return {"branches": metrics.branches[at] if at >= 0 else -1, "depth": metrics.nesting[at] if at >= 0 else -1}


def _parameters(facts: FileFacts, row: int) -> int:
    """Parameters but for the receiver, without those of functions inside; -1 for what takes none."""
    table = facts.definitions
    if table.body[row] < 0:
        return -1
    inside = rows_with(table.scope, table.body[row])
    return sum(
        table.kind[one] == DefinitionKind.PARAMETER and not table.flags[one] & DefinitionFlag.RECEIVER for one in inside
    )


def _decorators(facts: FileFacts, row: int) -> Iterator[str]:
    table = facts.decorators
    for at, owner in enumerate(table.definition):
        if owner == row:
            yield facts.strings[table.name[at]] if table.name[at] >= 0 else ""
