"""Diff: graph/diff.

Owns: the params as two states of the workspace.
Must not know: version control, how records are compared.
Invariant: records are those of an export.
"""

from __future__ import annotations

from typing import Final

from graphls.graph.wire import to_wire
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import ChangedRecordView, DiffResult
from graphls.lsp.params import DiffParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope
from graphls.queries.diff import DiffQuery
from graphls.session.comparison import PATIENCE, difference

_PART: Final = 0.6
"""Of the time of a request, in which what another process finds is waited for."""


@custom("graph/diff", DiffParams, DiffResult, kind="long", whole=True)
def differing(context: Context, params: DiffParams) -> DiffResult:
    """How the graph of one commit differs from that of another, or from the files as they are."""
    live, session = context.snapshot, context.session.session
    limit = context.session.settings.server.request_ms
    waits = _PART * limit / 1_000 if limit else PATIENCE
    query = DiffQuery(params.edges, params.limit)
    found = difference(session, live, (params.before, params.after), query, waits=waits)
    return DiffResult(
        **envelope(live, found.coverage),
        before=found.before,
        after=found.after,
        files_added=list(found.files_added),
        files_removed=list(found.files_removed),
        files_changed=list(found.files_changed),
        added=[to_wire(record) for record in found.added],
        removed=[to_wire(record) for record in found.removed],
        changed=[
            ChangedRecordView(fields=list(pair.fields), before=to_wire(pair.before), after=to_wire(pair.after))
            for pair in found.changed
        ],
        moved=found.moved,
        counts=list(found.counts),
        names=found.names,
        without_flow=list(found.without_flow),
    )


FEATURES: tuple[Declaration, ...] = (differing,)
