"""Document report: links of documents that lead nowhere, checked against the disk.

Owns: the records of an answer.
Must not know: layout, formats of documents.
Invariant: a file that is on the disk, whether the graph has it or not, is not missing.
"""

from __future__ import annotations

import attrs

from graphls.analysis.document_references import BrokenReference, document_references
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.node_views import Presenter
from graphls.queries.scope import paths_in
from graphls.settings import Settings
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source
from graphls.sources.source_files import SkippedSource
from graphls.sources.workspace import Workspace


@attrs.frozen(kw_only=True)
class BrokenLink:
    """One link that leads nowhere. `cause`: what is not there, `missing` by name."""

    file: str
    line: int
    column: int
    text: str
    cause: str
    missing: str


@attrs.frozen(kw_only=True)
class DocumentReport:
    """Links of documents. `unsettled`: those that may lead to what is not in the graph: pages of a site, pictures."""

    documents: int
    resolved: int
    unsettled: int
    broken: tuple[BrokenLink, ...]


def document_report(workspace: Workspace, snapshot: Snapshot, settings: Settings, scope: str = "") -> DocumentReport:
    """The links of the documents in a scope. Raises BadRequest where there is no such scope."""
    found, things = document_references(snapshot, paths_in(snapshot, scope)), Presenter(snapshot)
    limits = SourceLimits.of(settings.files)
    broken = tuple(
        BrokenLink(file=spot.file, line=spot.line, column=spot.column, text=one.at.text,
                   cause=one.cause, missing=one.missing)
        for one in found.broken
        if _is_gone(workspace, limits, one)
        for spot in (things.position(one.at.file, one.at.start),)
    )  # fmt: skip
    there = len(found.broken) - len(broken)
    return DocumentReport(
        documents=found.documents, resolved=found.resolved, unsettled=found.unsettled + there, broken=broken
    )


def _is_gone(workspace: Workspace, limits: SourceLimits, one: BrokenReference) -> bool:
    if one.cause != "file":
        return True
    found = read_source(workspace, FilePath(one.missing), limits)
    return isinstance(found, SkippedSource) and found.gone
