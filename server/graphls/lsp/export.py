"""Export: the records of a scope, inline or into a file of the workspace.

Owns: the cap on what goes inline, parts for clients that take them.
Must not know: records, formats.
Invariant: what did not fit is said; a file is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final

import attrs

from graphls.analysis.records import attached_nodes
from graphls.facts.own_output import is_export
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest, GraphError
from graphls.graph.export import Export, ExportOptions, export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import ExportResult
from graphls.lsp.params import ExportParams
from graphls.lsp.scopes import scope_of
from graphls.lsp.views import envelope
from graphls.queries.answer import Coverage
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.derived_records import OF_NOW, with_derived
from graphls.session.health_report import HealthSources
from graphls.sources.workspace import OutsideWorkspaceError
from graphls.sources.write import InTheWay, check_writable, write_inside

MAX_INLINE: Final = 4_000_000


def exported(context: Context, params: ExportParams) -> ExportResult:
    """The answer to graph/export."""
    if params.format not in ("jsonl", *WHOLE_GRAPH):
        known = ", ".join(("jsonl", *WHOLE_GRAPH))
        raise BadRequest(f"{params.format!r} is no format of this request. Use one of: {known}.")
    if params.freshness == "require-fresh" and context.snapshot.pending:
        raise _not_fresh(context.snapshot.pending)
    if params.destination is not None:
        _check_destination(context, params.destination, overwrite=params.overwrite)
    options = ExportOptions(
        mode=params.mode,
        scope=scope_of(context.snapshot, params.scope),
        kinds=params.kinds,
        sites=params.sites,
        verify=params.verify,
        checkers=context.session.session.checker_service.checkers(versions=False),
    )
    with context.progress.begin("graphls export"):
        if params.findings:
            session = context.session
            answer = session.findings.compute(context.snapshot, session.settings, session.known_findings())
            options = attrs.evolve(options, attached=attached_nodes(context.snapshot, answer.findings))
        if params.derived:
            options = _with_derived(context, options, params)
        made = export(context.snapshot, options)
        lines = _cancellable(context, _lines(made, params.format))
        destination, lines_out, omitted = None, list[bytes](), 0
        if params.destination is not None:
            destination = _written(context, params.destination, lines, overwrite=params.overwrite)
        else:
            lines_out, omitted = _capped(lines)
    header = made.header
    rest = context.partial.deliver([line.decode() for line in lines_out])
    return ExportResult(
        **envelope(context.snapshot, Coverage(truncated=omitted > 0, omitted=omitted)),
        counts=header.counts,
        degraded=header.degraded,
        destination=destination,
        content="".join(rest) if params.destination is None else None,
    )


def _with_derived(context: Context, options: ExportOptions, params: ExportParams) -> ExportOptions:
    if params.at and OF_NOW.intersection(params.derived):
        raise BadRequest("History, coverage and communities are of what is checked out: leave out `at`.")
    session = context.session.session
    sources = HealthSources(session.workspace, session.settings, session.store)
    try:
        return with_derived(options, context.snapshot, sources, params.derived)
    except CoverageRefused as refused:
        raise BadRequest(str(refused)) from None


def _not_fresh(pending: Sequence[FilePath]) -> GraphError:
    """A file of records outlives its answer: written half-way through a change, it would be the graph of no state."""
    what = "changed files are" if len(pending) > 1 else "changed file is"
    advice = "Ask again, or with prefer-fresh."
    return GraphError("graphls.notReady", f"Nothing is exported: {len(pending)} {what} not read yet. {advice}")


def _lines(made: Export, wanted: str) -> Iterable[bytes]:
    if wanted == "jsonl":
        return made.lines()
    return (text.encode() for text in WHOLE_GRAPH[wanted](made.records()))


def _check_destination(context: Context, destination: str, *, overwrite: bool) -> None:
    """Making the records may take minutes, which are lost where they cannot be written."""
    with _sentences(destination):
        check_writable(context.session.session.workspace, destination, lambda head: overwrite or is_export(head))


def _written(context: Context, destination: str, lines: Iterable[bytes], *, overwrite: bool) -> str:
    with _sentences(destination):
        return write_inside(
            context.session.session.workspace, destination, lines, lambda head: overwrite or is_export(head)
        )


@contextmanager
def _sentences(destination: str) -> Generator[None]:
    """Why nothing is written there, in words."""
    try:
        yield
    except InTheWay:
        advice = "It is there and no export. Give the name of a new file, or overwrite: true to replace it."
        raise BadRequest(f"{destination!r} is not written. {advice}") from None
    except OutsideWorkspaceError:
        advice = "Give a path of a file in an existing folder of the workspace."
        raise GraphError("graphls.outsideWorkspace", f"{destination!r} can not be written. {advice}") from None
    except OSError as error:
        raise BadRequest(f"{destination!r} can not be written: {error.strerror or 'the disk refused'}.") from None


def _capped(lines: Iterable[bytes]) -> tuple[list[bytes], int]:
    lines_out, size, omitted = list[bytes](), 0, 0
    for line in lines:
        size += len(line)
        if size <= MAX_INLINE:
            lines_out.append(line)
        else:
            omitted += 1
    return lines_out, omitted


def _cancellable(context: Context, lines: Iterable[bytes]) -> Iterable[bytes]:
    for number, line in enumerate(lines):
        if number % 1000 == 0:
            context.cancel.check()
        yield line
