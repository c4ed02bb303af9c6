"""Import: questions about an export, wherever it comes from.

Owns: arguments of `graphls import`, names of exports that become one, the layout of answers.
Must not know: workspaces, how an export is read.
Invariant: read-only; a file that breaks a rule of `graphls check` is refused as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.output_files import write_whole
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted, visible
from graphls.graph.codegraph import NotCodegraph, is_codegraph, read_codegraph
from graphls.graph.exported_graph import ExportedGraph, NotConforming, read_export, symbol_of
from graphls.graph.merged_export import MergeRefused, merged_export
from graphls.graph.records import Node

_CANDIDATES = 10
_NAME = re.compile(r"[\w.-]*\w[\w.-]*")


COMMAND = CommandEntry(help="Ask about exports, or write them again as one.", rank=80)


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Exports as JSON lines, codegraph of a compiler too; several, as FILE or NAME=FILE, become one.",
        ),
    ],
    *,
    find: Annotated[str, typer.Option("--find", metavar="TEXT", help="Nodes whose name holds the text.")] = "",
    show: Annotated[str, typer.Option("--show", metavar="SYMBOL", help="One node with its edges.")] = "",
    source: Annotated[str, typer.Option("--from", metavar="SYMBOL", help="Where a trace begins.")] = "",
    target: Annotated[str, typer.Option("--to", metavar="SYMBOL", help="Where it leads.")] = "",
    other: Annotated[str, typer.Option("--diff", metavar="FILE", help="What another export has instead.")] = "",
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Write the export again.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows of an answer.")] = 50,
) -> None:
    page = TextPage()
    graph = _read(files[0]) if len(files) == 1 else _merged(page, files)
    page.line(f"{visible(graph.header.workspace.name)}  snapshot {graph.header.snapshot}  {graph.header.mode}")
    if find:
        _rows(page, [_row(node) for node in graph.found(find)], limit)
    if show:
        node = _one(graph, show)
        page.rows([_row(node)])
        _rows(page, [(way, edge.kind, *_row(end)) for way, edge, end in graph.around(node)], limit)
    if source and target:
        _trace(page, graph, source, target)
    if other:
        changes = [(one.change, *_changed(graph, one.record)) for one in graph.differences(_read(other))]
        _rows(page, changes, limit)
    if output:
        write_whole(output, graph.lines())
    if not (find or show or source or other):
        counts = graph.header.counts
        page.line(f"{counted(counts.nodes, 'node')}, {counted(counts.edges, 'edge')}, "
                  f"{counted(counts.unresolved_sites, 'unresolved site')}")  # fmt: skip
    if graph.header.degraded or graph.header.counts.unresolved_sites:
        left = counted(graph.header.counts.unresolved_sites, "use")
        page.note(f"not complete: {left} of names could not be resolved when the export was made")
    page.write()


def _read(file: str) -> ExportedGraph:
    try:
        with open(file, "rb") as stream:
            first = stream.readline()
            stream.seek(0)
            return read_codegraph(stream) if is_codegraph(first) else read_export(stream)
    except NotCodegraph as error:
        raise UsageError(f"{file!r} is no export of a compiler: {error}.") from error
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read: {error.strerror or error}.") from error
    except NotConforming as error:
        if file.endswith(".scip"):
            raise UsageError(f"{file!r} is an index of SCIP: take it in with graphls index --scip.") from error
        raise UsageError(f"{file!r} is no export: {error}. See graphls check.") from error


def _merged(page: TextPage, files: Sequence[str]) -> ExportedGraph:
    """One graph of several exports, each below a folder that is called as its workspace, or as the user says."""
    parts: dict[str, ExportedGraph] = {}
    for file in files:
        name, named, path = file.partition("=")
        chosen = bool(named) and not os.path.exists(file)
        graph = _read(path if chosen else file)
        path = path if chosen else file
        name = name if chosen else graph.header.workspace.name.rpartition("/")[2]
        if not _NAME.fullmatch(name) or name in parts:
            why = "two exports are called so" if name in parts else "it is no name of a folder"
            raise UsageError(f"{path!r} would be {name!r}: {why}. Give another name as NAME={path}.")
        parts[name] = graph
    try:
        found = merged_export(parts)
    except MergeRefused as error:
        raise UsageError(f"{error}.") from error
    for node, name in found.differing[:_CANDIDATES]:
        page.note(f"{symbol_of(node)} ({node.kind}) is described in several ways: that of {name} is kept")
    if len(found.differing) > _CANDIDATES:
        page.note(f"and {len(found.differing) - _CANDIDATES:,} more outside of all exports")
    return found.graph


def _one(graph: ExportedGraph, text: str) -> Node:
    found = graph.named(text)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"{text!r} names nothing in the export; try --find.")
    listed = ", ".join(f"{symbol_of(node)} ({node.kind}, {node.id})" for node in found[:_CANDIDATES])
    raise UsageError(f"{text!r} names {len(found)} nodes: {listed}. Give an id.")


def _trace(page: TextPage, graph: ExportedGraph, source: str, target: str) -> None:
    way = graph.path(_one(graph, source), _one(graph, target))
    if way is None:
        page.line("No way leads there in the export.")
        page.write()
        raise NegativeAnswer
    page.rows([(edge.kind, *_row(graph.nodes[edge.target])) for edge in way])


def _changed(graph: ExportedGraph, record: object) -> Sequence[Part]:
    if isinstance(record, Node):
        return _row(record)
    return str(getattr(record, "kind", "")), str(getattr(record, "id", "")), ""


def _row(node: Node) -> tuple[str, str, str]:
    line = f":{node.range[0] + 1}" if node.range and node.file else ""
    return node.subkind or node.kind, symbol_of(node), f"{node.file or ''}{line}"


def _rows(page: TextPage, rows: Iterable[Sequence[Part]], limit: int) -> None:
    listed = list(rows)
    page.rows(listed[:limit])
    if len(listed) > limit:
        page.note(f"and {len(listed) - limit:,} more")
    if not listed:
        page.line("nothing")
