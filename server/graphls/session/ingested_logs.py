"""Ingested logs: results of other tools that stay with a workspace, on this machine.

Owns: keeping logs between runs with what they are about, naming, replacing and forgetting them.
Must not know: formats, what becomes of results.
Invariant: a log of the same name replaces the one before; one that is refused changes nothing that is kept.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from typing import Final, cast

import attrs

from graphls.analysis.sarif.anchors import Anchor, SeenText
from graphls.analysis.sarif.imported import SarifReport, imported_findings, seen_text
from graphls.analysis.sarif.reading import SarifRefused
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.session.feedback_rows import rows_from, start_of_rows
from graphls.session.log_history import forget_history, note_log
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_FORM: Final = "kept log 1"


@attrs.frozen(kw_only=True)
class IngestResult:
    """What a log brought. `own`: results of this program, which are no findings of the log; `new` and `gone`: beside
    the one of the same name before, null where there was none."""

    name: str
    results: int
    unlinked: int
    own: int
    tools: tuple[str, ...]
    new: int | None
    gone: int | None
    reopened: int = 0
    """Of the new ones, those that were there at an earlier time."""


def ingest_log(store: BlobStore, workspace: Workspace, snapshot: Snapshot, report: SarifReport) -> IngestResult:
    """Keeps a log in the place of the one of its name. Raises BadRequest."""
    earlier = [one for one in ingested_logs(store, workspace) if one.name == report.name]
    try:
        seen = seen_text(snapshot, report)
    except SarifRefused as refused:
        raise BadRequest(f"{report.name} {refused}.") from None
    brought = imported_findings(snapshot, (attrs.evolve(report, seen=seen),))
    ids = {one.id for one in brought.findings}
    then = {one.id for one in imported_findings(snapshot, earlier).findings}
    rows = [(number, *attrs.astuple(one)) for number, one in sorted(seen.anchors.items())]
    entry = (report.name, zlib.compress(report.text or b""), sorted(seen.contents.items()), rows)
    if not store.put("feedback", start_of_rows(_FORM, workspace) + report.name, encode_plain(entry)):
        raise BadRequest(f"{report.name} cannot be kept: {store.problem or 'the cache takes nothing'}.")
    digest = blake2b(report.text or b"", digest_size=12).hexdigest()
    return IngestResult(
        name=report.name,
        results=len(brought.findings),
        unlinked=brought.unlinked.get(report.name, 0),
        own=brought.own.get(report.name, 0),
        tools=tuple(sorted(brought.tools)),
        new=len(ids - then) if earlier else None,
        gone=len(then - ids) if earlier else None,
        reopened=note_log(store, workspace, report.name, digest, brought.findings),
    )


def ingested_logs(store: BlobStore | None, workspace: Workspace) -> tuple[SarifReport, ...]:
    """All that are kept, by name."""
    if store is None:
        return ()
    names = rows_from(store, start_of_rows(_FORM, workspace))
    raw = store.get_many("feedback", names)
    found = (_report(raw[name]) for name in names if name in raw)
    return tuple(attrs.evolve(one, relative=workspace.relative) for one in found if one is not None)


def forget(store: BlobStore, workspace: Workspace, name: str) -> None:
    """Drops a log. Raises BadRequest."""
    known = [one.name for one in ingested_logs(store, workspace)]
    if name not in known:
        raise BadRequest(f"No log {name!r} is kept. Those that are: {', '.join(known) or 'none'}.")
    store.delete("feedback", (start_of_rows(_FORM, workspace) + name,))
    forget_history(store, workspace, name)


@lru_cache(maxsize=16)
def _report(raw: bytes) -> SarifReport | None:
    try:
        row = cast("tuple[str, bytes, tuple[tuple[str, str], ...], tuple[tuple[object, ...], ...]]", decode_plain(raw))
        name, packed, contents, rows = row
        anchors: dict[int, Anchor] = {}
        for number, symbol, text, start, end in rows:
            anchors[int(str(number))] = Anchor(str(symbol), str(text), int(str(start)), int(str(end)))
        return SarifReport(name, zlib.decompress(packed), seen=SeenText(dict(contents), anchors))
    except (CodecError, TypeError, ValueError, zlib.error):
        return None
