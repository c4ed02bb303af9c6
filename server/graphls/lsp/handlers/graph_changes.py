"""Changes: graph/changedImpact.

Owns: the params as edits.
Must not know: version control, how symbols are found.
Invariant: unsaved buffers count as what a file holds.
"""

from __future__ import annotations

from functools import cache

from graphls.graph.diagnoses import diagnostic_counts
from graphls.graph.snapshot import Snapshot
from graphls.lsp.changed_links_view import with_links
from graphls.lsp.changed_symbols_view import changed_file_view, symbol_delta_view
from graphls.lsp.from_proto import Context, proto_of, to_proto
from graphls.lsp.messages import ChangedImpactResult, ChangedNodeView, RemovedView
from graphls.lsp.params import ChangedImpactParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.verification import with_reported
from graphls.lsp.views import affected_views, id_of, listing, node_view
from graphls.queries.annotation_views import NO_NOTES
from graphls.queries.changed import ChangesQuery, changed_impact
from graphls.queries.changed_links import changed_links
from graphls.queries.impact import MAX_EDGES
from graphls.queries.impact_view import by_depth
from graphls.queries.symbol_deltas import deltas_in_time
from graphls.session.annotations import change_notes
from graphls.session.before import before_edits
from graphls.session.comparing import edits
from graphls.sources.limits import SourceLimits


@custom("graph/changedImpact", ChangedImpactParams, ChangedImpactResult, kind="long")
def touched(context: Context, params: ChangedImpactParams) -> ChangedImpactResult:
    """What edits touch and may reach."""
    context = context if params.at else with_reported(context)
    snapshot, proto, session = context.snapshot, to_proto(context), context.session.session
    limits = SourceLimits.of(session.settings.files)
    found = edits(session.workspace, snapshot, limits, params.changes, params.base, at=params.at)
    edges = MAX_EDGES if params.links else 0
    wanted = ChangesQuery(params.depth, params.min_confidence, params.include_tests, max(params.limit, 1), edges)

    @cache
    def before() -> Snapshot:
        return before_edits(snapshot, session.settings, found, session.workspace.prefixes)

    answered = changed_impact(snapshot, found, wanted, lambda _: before())
    links = changed_links(snapshot, before(), found, answered, params.links) if params.links else None
    paths = [str(file.edit.old_path or file.edit.path) for file in answered.files]
    places = [one.place for one in answered.nodes]
    known = None if params.at else session.annotations.in_time(snapshot, {place.file for place in places})
    deltas = deltas_in_time(before, snapshot, answered)
    notes = NO_NOTES if known is None else change_notes(known, paths, places)
    wrong = diagnostic_counts(snapshot, places)
    result = ChangedImpactResult(
        **listing(proto, answered.coverage, params.unresolved),
        files=[changed_file_view(proto, file) for file in answered.files],
        nodes=[
            ChangedNodeView(node=node_view(proto, node.place), lines=node.lines, added=node.added,
                            diagnostics=wrong.get(node.place, 0))
            for node in answered.nodes
        ],
        removed=[
            RemovedView(file=gone.file, name=gone.qualified, kind=gone.kind, mentions=gone.mentions,
                        mentioned_in=list(gone.mentioned_in))
            for gone in answered.removed
        ],
        affected=affected_views(proto, answered.affected),
        tests=[id_of(snapshot, one.node) for one in answered.affected if one.kind == "test"],
        packages=list(answered.packages),
        by_depth=None if answered.coverage.truncated else list(by_depth(answered.affected)),
        importers=None if answered.coverage.truncated else len(answered.importers),
        notes=notes,
        deltas=None if deltas is None else list(map(symbol_delta_view, deltas)),
    )  # fmt: skip
    return result if links is None else with_links(proto, proto_of(context, links.before), result, links)


FEATURES: tuple[Declaration, ...] = (touched,)
