"""Reported problems: what logs of other tools say, as it enters a snapshot.

Owns: from open results of logs to problems of files, which logs these are.
Must not know: formats, how a problem becomes a node.
Invariant: a result that is suppressed, stale or decided against is none; without logs there is nothing to read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

import attrs

from graphls.analysis.finding import Finding
from graphls.analysis.review_marks import ReviewMarks, read_marks
from graphls.analysis.sarif.imported import OBSERVED, SarifReport, imported_findings
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.diagnoses import diagnosis_edges, with_reports
from graphls.graph.edge_records import AttachedEdge, EdgeRecords
from graphls.graph.export import AttachedNode
from graphls.graph.memo import Memo
from graphls.graph.node_records import derived_record
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import FileProblem
from graphls.session.ingested_logs import ingested_logs
from graphls.session.reports import file_text, sarif_reports
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_SEVERITIES: Final[Mapping[str, str]] = {"P1": "error", "P2": "warning", "P3": "information", "info": "hint"}
_BY_FILE: Final = Memo["Mapping[FilePath, tuple[FileProblem, ...]]"]("reported problems")


@attrs.frozen(eq=False)
class LoggedProblems:
    """What logs say, read when somebody asks for a file."""

    digest: str
    _logs: tuple[SarifReport, ...]
    _marks: ReviewMarks

    def problems(self, snapshot: Snapshot, path: FilePath) -> Sequence[FileProblem]:
        """Those of one file, by position."""
        return _BY_FILE.once(snapshot, lambda: _by_file(snapshot, self._logs, self._marks)).get(path, ())


def with_logs(snapshot: Snapshot, workspace: Workspace, settings: Settings, store: BlobStore | None) -> Snapshot:
    """The same contents, seen with what logs say that settings name and that are kept."""
    logs = (*sarif_reports(workspace, settings), *ingested_logs(store, workspace))
    if not logs:
        return with_reports(snapshot, None)
    digest = blake2b(digest_size=16)
    for log in logs:
        digest.update(repr((log.name, log.seen)).encode("utf-8", "surrogatepass"))
        digest.update(log.text or b"")
    marks = file_text(workspace, settings.findings.reviews)
    digest.update(marks)
    return with_reports(snapshot, LoggedProblems(digest.hexdigest(), logs, read_marks(marks)))


def reported_nodes(snapshot: Snapshot) -> tuple[AttachedNode, ...]:
    """What logs say as an export takes it in: what the text and a checker say is in it anyway."""
    records, made = EdgeRecords(snapshot), list[AttachedNode]()
    for path in snapshot.shards if snapshot.reports is not None else ():
        for edge in diagnosis_edges(snapshot, path):
            if isinstance(edge.source, DerivedNode) and isinstance(edge.target, SymbolRef):
                node = derived_record(snapshot, edge.source)
                if node.provenance == OBSERVED:
                    made.append(AttachedNode(node, (AttachedEdge(records.record(edge), node.kind, edge.target),)))
    return tuple(made)


def _by_file(
    snapshot: Snapshot, logs: Sequence[SarifReport], marks: ReviewMarks
) -> Mapping[FilePath, tuple[FileProblem, ...]]:
    found: dict[FilePath, list[FileProblem]] = {}
    said = imported_findings(snapshot, logs).findings
    marks = marks.following(snapshot, said)
    for one in said:
        if marks.apply(snapshot, one).status == "open":
            found.setdefault(one.at.file, []).append(_problem(one))
    return {path: tuple(problems) for path, problems in found.items()}


def _problem(one: Finding) -> FileProblem:
    message = one.title.partition(": ")[2] or one.title
    return FileProblem(
        start=one.at.start,
        end=one.at.end,
        code=one.rule.partition("/")[2] or one.rule,
        severity=_SEVERITIES[one.priority],
        message=message,
        source=one.tool,
    )
