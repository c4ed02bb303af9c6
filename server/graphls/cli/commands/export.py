"""Export: the graph as records.

Owns: arguments of `graphls export`, where the lines go.
Must not know: records, their order.
Invariant: nothing is written when the export is refused; a named file is whole or as it was before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.empty_workspace import refuse_if_empty
from graphls.cli.guard import NEGATIVE, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import At, Root
from graphls.cli.output_files import check_place, made_file, made_folder, write_whole
from graphls.cli.rendering.words import counted, sized, visible
from graphls.cli.verification import available, complete
from graphls.facts.paths import FilePath
from graphls.graph.export import Export, ExportOptions, ExportRefused, export, exportable
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.records import Counts
from graphls.graph.scope import WORKSPACE, Scope
from graphls.graph.snapshot import Snapshot

_SHOWN = 20
_DATABASES = frozenset(("sqlite", "duckdb"))
_FOLDERS = {"parquet": "parquet", "csv": "csv", "neo4j": "csv"}
"""Formats that are a folder of files, with the ending of these."""


class Mode(StrEnum):
    """What becomes of files that do not parse or that, verified, have errors."""

    CHECKED = "checked"
    ALLOW_ERRORS = "allow-errors"


class VerifyMode(StrEnum):
    """How far a checker vouches for the graph."""

    NONE = "none"
    AVAILABLE = "available"
    COMPLETE = "complete"


class Derived(StrEnum):
    """What may be written besides the graph."""

    FINDINGS = "findings"
    REPORTS = "reports"
    DECISIONS = "decisions"
    CLONES = "clones"
    DISPATCHES = "dispatches"
    HISTORY = "history"
    COVERAGE = "coverage"
    PROCESSES = "processes"
    COMMUNITIES = "communities"


class ExportFormat(StrEnum):
    """How records are written."""

    JSONL = "jsonl"
    JSON = "json"
    GRAPHML = "graphml"
    DOT = "dot"
    MERMAID = "mermaid"
    SVG = "svg"
    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    PARQUET = "parquet"
    CSV = "csv"
    NEO4J = "neo4j"
    SCIP = "scip"
    COMPACT = "compact"
    HTML = "html"


_WHOLE = {ExportFormat.SCIP: "An index of SCIP", ExportFormat.HTML: "A page"}
"""Formats that are made of a snapshot in place of records, as errors name them."""
_OF_NOW = frozenset((Derived.HISTORY.value, Derived.COVERAGE.value, Derived.COMMUNITIES.value))
COMMAND = CommandEntry(
    help="Write the graph, one record a line.",
    rank=50,
    read_only=True,
    synonyms=("dump",),
)


def run(
    ctx: typer.Context,
    *,
    root: Root = ".",
    at: At = "",
    format: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="How records are written.")
    ] = ExportFormat.JSONL,
    mode: Annotated[
        Mode,
        typer.Option(
            "--mode", help="Refuse a graph with errors (files that do not parse; what a checker finds), or report them."
        ),
    ] = Mode.CHECKED,
    verify: Annotated[
        VerifyMode,
        typer.Option("--verify", help="With the answers of the checker: none, those at hand, or every one."),
    ] = VerifyMode.NONE,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to; standard output if not given. A folder for some formats."
        ),
    ] = "",
    scope: Annotated[
        str,
        typer.Option("--scope", metavar="KIND:NAME", help="package:NAME, folder:PATH or file:PATH; else everything."),
    ] = "",
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", "-k", metavar="KIND", help="Kinds of nodes and edges to write; repeat."),
    ] = None,
    sites: Annotated[bool, typer.Option("--sites", help="A record for every use of a name too.")] = False,
    findings: Annotated[bool, typer.Option("--findings", help="Architecture findings too.")] = False,
    decisions: Annotated[bool, typer.Option("--decisions", help="Records of decisions too.")] = False,
    clones: Annotated[bool, typer.Option("--clones", help="Edges between functions that are alike too.")] = False,
    more: Annotated[
        list[Derived] | None, typer.Option("--with", help="Records that are made from the graph and history; repeat.")
    ] = None,
    locals: Annotated[bool, typer.Option("--locals", help="Variables and parameters of functions too.")] = False,
) -> None:
    whole = _WHOLE.get(format)
    wanted = _wanted(more or (), at, findings=findings, decisions=decisions, clones=clones)
    chosen = _scope(scope)
    to_disk = _goes_to_disk(format, output)
    if whole and (kind or sites or wanted or locals):
        raise UsageError(
            f"{whole} is whole: leave out --kind, --sites, --with, --findings, --decisions, --clones, --locals."
        )
    if format is ExportFormat.HTML and chosen.kind == "package":
        raise UsageError("A page is of a folder or a file: give --scope folder:PATH.")
    options = ExportOptions(
        mode=mode.value, scope=chosen, kinds=tuple(kind or ()), sites=sites, locals=locals, verify=verify.value
    )
    with opened(ctx, root, "complete", checker=verify is not VerifyMode.NONE, at=at) as workspace:
        if mode is Mode.CHECKED:
            refuse_if_empty(workspace)
        workspace, options = _verified(workspace, options, verify)
        options = _with_derived(options, workspace, wanted)
        try:
            if whole:
                made, what = _made_whole(workspace, options, format)
            else:
                made = export(workspace.snapshot, options)
                what = _counts(made.header.counts)
        except ExportRefused as refused:
            _explain(refused)
            raise typer.Exit(NEGATIVE) from None
        if isinstance(made, Export) and to_disk:
            size = _stored(made, format, output)
        elif not output or output == "-":
            _print(_chunks(made, format))
            return
        else:
            size = write_whole(output, _chunks(made, format))
    sys.stderr.write(f"{visible(output)}: {what}; {sized(size)}\n")


@attrs.frozen(eq=False)
class _Index:
    """What an index of SCIP is made of."""

    snapshot: Snapshot
    files: Sequence[FilePath]

    def chunks(self) -> Iterator[bytes]:
        from graphls.tables.scip_index import scip_chunks  # few exports are an index

        return scip_chunks(self.snapshot, self.files)


@attrs.frozen(eq=False)
class _Page:
    """What a page is made of."""

    snapshot: Snapshot
    scope: Scope
    layers: Sequence[Sequence[str]]

    def chunks(self) -> Iterator[bytes]:
        from graphls.cli.viewing.page import page  # few exports are a page
        from graphls.cli.viewing.pictures import map_picture

        yield page(map_picture(self.snapshot, self.scope.name.strip("/"), self.layers)).encode()


def _made_whole(workspace: OpenWorkspace, options: ExportOptions, format: ExportFormat) -> tuple[_Index | _Page, str]:
    """What is no stream of records, and how much it is of."""
    snapshot, files, _ = exportable(workspace.snapshot, options)
    what = counted(len(files), "file")
    if format is ExportFormat.HTML:
        return _Page(snapshot, options.scope, workspace.settings.findings.layers), what
    return _Index(snapshot, files), what


def _print(chunks: Iterator[bytes]) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.writelines(chunks)
    sys.stdout.buffer.flush()


def _chunks(made: Export | _Index | _Page, format: ExportFormat) -> Iterator[bytes]:
    if not isinstance(made, Export):
        return made.chunks()
    if format is ExportFormat.JSONL:
        return made.lines()
    return (text.encode("utf-8", "backslashreplace") for text in WHOLE_GRAPH[format.value](made.records()))


def _stored(made: Export, format: ExportFormat, output: str) -> int:
    """Writes tables, into a file or a folder."""
    from graphls.tables.columns import tables  # few exports are tables
    from graphls.tables.csv_files import write_csv
    from graphls.tables.duckdb_file import LibraryMissing, write_duckdb, write_parquet
    from graphls.tables.sqlite_file import write_sqlite

    try:
        match format:
            case ExportFormat.SQLITE:
                return made_file(output, lambda path: write_sqlite(path, made.records()))
            case ExportFormat.DUCKDB:
                return made_file(output, lambda path: write_duckdb(path, made.records()))
            case _:
                names = frozenset(f"{name}.{_FOLDERS[format.value]}" for name in tables())
                if format is ExportFormat.PARQUET:
                    return made_folder(output, names, lambda folder: write_parquet(folder, made.records()))
                neo4j = format is ExportFormat.NEO4J
                return made_folder(output, names, lambda folder: write_csv(folder, made.records(), neo4j=neo4j))
    except LibraryMissing as error:
        raise UsageError(f"{error}") from None


def _goes_to_disk(format: ExportFormat, output: str) -> bool:
    """Whether a format is tables. Raises UsageError where there is no place for what is written."""
    to_disk = format.value in _DATABASES or format.value in _FOLDERS
    if to_disk and output in ("", "-"):
        raise UsageError(f"The format {format.value} cannot go to standard output. Name a place with --output.")
    if output not in ("", "-"):
        check_place(output, folder=format.value in _FOLDERS)
    return to_disk


def _verified(
    workspace: OpenWorkspace, options: ExportOptions, verify: VerifyMode
) -> tuple[OpenWorkspace, ExportOptions]:
    """With the answers of the checker, as far as they are wanted."""
    if verify is VerifyMode.NONE:
        return workspace, options
    whole = verify is VerifyMode.COMPLETE
    workspace = (complete if whole else available)(workspace)
    named = workspace.session.checker_service.checkers(versions=whole)
    return workspace, attrs.evolve(options, checkers=named)


def _wanted(more: Sequence[Derived], at: str, **switches: bool) -> list[str]:
    """Names of derived records: those of `--with`, and those that have a switch of their own. Raises UsageError."""
    wanted = [*(one.value for one in more), *(name for name, on in switches.items() if on)]
    if at and _OF_NOW.intersection(wanted):
        raise UsageError("History, coverage and communities are of what is checked out: leave out --at.")
    return wanted


def _with_derived(options: ExportOptions, workspace: OpenWorkspace, wanted: Sequence[str]) -> ExportOptions:
    if not wanted:
        return options
    from graphls.queries.coverage_reports import CoverageRefused  # few exports want any of this
    from graphls.session.derived_records import with_derived
    from graphls.session.health_report import HealthSources

    sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
    try:
        return with_derived(options, workspace.snapshot, sources, wanted)
    except CoverageRefused as refused:
        raise UsageError(str(refused)) from None


def _scope(text: str) -> Scope:
    if not text:
        return WORKSPACE
    kind, _, name = text.partition(":")
    return Scope(kind, name)


def _counts(counts: Counts) -> str:
    parts = [counted(counts.nodes, "node"), counted(counts.edges, "edge"), counted(counts.diagnostics, "diagnostic")]
    return ", ".join([*parts, counted(counts.unresolved_sites, "unresolved site")])


def _explain(refused: ExportRefused) -> None:
    lines = [f"graphls: {visible(refused.message)}"]
    for node in refused.diagnostics[:_SHOWN]:
        place = f"{node.file}:{node.range[0] + 1}" if node.range else str(node.file)
        lines.append(f"  {visible(place)}  {visible(str(node.attributes.get('message', node.name)))}")
    left = len(refused.diagnostics) - _SHOWN
    if left > 0:
        lines.append(f"  and {left:,} more")
    sys.stderr.write("\n".join(lines) + "\n")
