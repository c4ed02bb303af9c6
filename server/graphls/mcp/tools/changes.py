"""Changes: what edits touch and may reach, how the graph of one commit differs from that of another.

Owns: changed_code_impact, graph_diff.
Must not know: version control, how reach is computed.
Invariant: names that are gone are listed beside what is reached.
"""

from __future__ import annotations

from typing import Any, cast

from graphls.mcp.paging import Reply
from graphls.mcp.requests import ChangedCodeImpact, GraphDiff
from graphls.mcp.results import DiffReply, DiffRow
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer
from graphls.queries.changed import ChangesQuery, changed_impact
from graphls.queries.changed_view import ChangesView, changes_view
from graphls.queries.diff import DiffQuery, diff
from graphls.queries.diff_view import diff_view
from graphls.session.before import before_edits
from graphls.session.comparing import edits
from graphls.session.revisions import compared
from graphls.sources.limits import SourceLimits


def changed_code(context: ToolContext, request: ChangedCodeImpact) -> Reply:
    """What the edits of a working tree reach."""
    bench = context.state
    limits = SourceLimits.of(bench.settings.files)
    found = edits(bench.workspace, context.snapshot, limits, request.changes, request.base)
    wanted = ChangesQuery(request.depth, request.min_confidence, request.include_tests, request.limit)
    answered = changed_impact(
        context.snapshot,
        found,
        wanted,
        lambda edits: before_edits(context.snapshot, bench.settings, edits, bench.workspace.prefixes),
    )
    contents = changes_view(context.things, answered, request.changes, request.base)
    return Reply(answer(context.snapshot, answered.coverage, listed=request.unresolved), contents, "affected")


def differing(context: ToolContext, request: GraphDiff) -> Reply:
    """The records that two states do not have in common."""
    bench, live = context.state, context.snapshot
    before, after = (compared(bench.workspace, live, bench.settings, name) for name in (request.before, request.after))
    found = diff(before, after, DiffQuery("all" if request.all_edges else "changed", request.limit))
    form = diff_view(found)
    records = (
        *(DiffRow(change="added", fields=(), before=None, after=record) for record in form.added),
        *(DiffRow(change="removed", fields=(), before=record, after=None) for record in form.removed),
        *(DiffRow(change="changed", **cast("dict[str, Any]", pair)) for pair in form.changed),
    )
    contents = DiffReply(
        before=form.before,
        after=form.after,
        files_added=form.files_added,
        files_removed=form.files_removed,
        files_changed=form.files_changed,
        moved=form.moved,
        counts=form.counts,
        names=form.names,
        records=records,
    )
    return Reply(answer(live, found.coverage), contents, "records")


TOOLS = (
    ToolEntry(
        name="changed_code_impact",
        title="Impact of what was edited",
        description="After you edited and before you commit: the symbols that changed lines belong to, which names are "
        "gone and who still spells them, and all that may be affected, with the tests to run.",
        request=ChangedCodeImpact,
        contents=ChangesView,
        run=changed_code,
    ),
    ToolEntry(
        name="graph_diff",
        title="What differs between two commits",
        description="How the graph of one commit, branch or tag differs from another, or from the files as they are "
        "now: symbols and edges that were added, removed or changed, with the fields that changed. A symbol that only "
        "moved is counted, not listed.",
        request=GraphDiff,
        contents=DiffReply,
        run=differing,
    ),
)
