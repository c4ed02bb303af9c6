"""Diagnostics: syntax problems and findings of one file as the client shows them.

Owns: severities, codes, related places, the result id.
Must not know: who asks, when they are sent.
Invariant: same file contents and same findings, same result id.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import blake2b

from lsprotocol import types

from graphls.analysis.finding import Finding
from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.lsp.findings import FindingsCache
from graphls.lsp.to_proto import ToProto
from graphls.queries.problems import problems

SOURCE = "graphls"
SYNTAX_ERRORS = "syntaxErrors"
MAX_RELATED = 20
_SEVERITIES = {
    "P1": types.DiagnosticSeverity.Warning,
    "P2": types.DiagnosticSeverity.Information,
    "P3": types.DiagnosticSeverity.Hint,
    "info": types.DiagnosticSeverity.Hint,
}

_OF_PROBLEMS = {
    ProblemKind.PARTIAL: types.DiagnosticSeverity.Warning,
    ProblemKind.MINIFIED: types.DiagnosticSeverity.Hint,
}


def diagnostics(
    proto: ToProto, known: FindingsCache, uri: str, path: FilePath, disabled: Collection[str] = ()
) -> list[types.Diagnostic]:
    """Everything to say about one document, a file or a cell. `disabled`: services that the settings leave out."""
    syntax = [
        types.Diagnostic(
            proto.positions.range(path, problem.start, problem.end),
            problem.text,
            severity=_OF_PROBLEMS.get(problem.kind, types.DiagnosticSeverity.Error),
            code=f"{problem.kind.name.lower()}",
            source=SOURCE,
        )
        for problem in (() if SYNTAX_ERRORS in disabled else problems(proto.snapshot, path))
        if proto.is_in(uri, path, problem.start)
    ]
    findings = (found for found in known.findings_in(proto.snapshot, path) if proto.is_in(uri, path, found.at.start))
    return [*syntax, *(_finding(proto, found) for found in findings)]


def result_id(proto: ToProto, known: FindingsCache, path: FilePath) -> str:
    """Equal ids mean equal lists."""
    shard = proto.snapshot.shards.get(path)
    digest = blake2b((shard.content if shard else "").encode(), digest_size=12)
    for found in known.findings_in(proto.snapshot, path):
        digest.update(f"{found.id}{found.title}{[(item.file, item.start) for item in found.evidence]}".encode())
    return digest.hexdigest()


def _finding(proto: ToProto, found: Finding) -> types.Diagnostic:
    at = found.at
    return types.Diagnostic(
        proto.positions.range(at.file, at.start, at.end),
        _message(found),
        severity=_SEVERITIES[found.priority],
        code=found.rule,
        source=SOURCE,
        related_information=_related(proto, found),
        data={"finding": found.id},
    )


def _message(found: Finding) -> str:
    caveats = f" ({'; '.join(found.caveats)})" if found.caveats else ""
    return f"{found.title}. {found.pressure}{caveats}".strip()


def _related(proto: ToProto, found: Finding) -> Sequence[types.DiagnosticRelatedInformation] | None:
    evidence = [item for item in found.evidence[1 : MAX_RELATED + 1] if item.file in proto.snapshot.shards]
    return [
        types.DiagnosticRelatedInformation(proto.location(item.file, item.start, item.end), item.note or "evidence")
        for item in evidence
    ] or None
