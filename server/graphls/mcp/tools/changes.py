"""Changes: what edits touch and may reach, how the graph of one commit differs from that of another.

Owns: changed_code_impact, graph_diff.
Must not know: version control, how reach is computed.
Invariant: names that are gone are listed beside what is reached.
"""

from __future__ import annotations

from typing import Any, cast

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ChangedCodeImpact, GraphDiff
from graphls.mcp.results import Differences, Differing
from graphls.queries.answer import answer
from graphls.queries.changed import Wanted, changed
from graphls.queries.changed_shown import Touched, touched
from graphls.queries.diff import Compare, diff
from graphls.queries.diff_shown import shown
from graphls.session.before import before_edits
from graphls.session.comparing import edits
from graphls.session.revisions import compared
from graphls.sources.limits import Limits


def changed_code(asked: Asked, request: ChangedCodeImpact) -> Reply:
    """What the edits of a working tree reach."""
    bench = asked.workbench
    limits = Limits.of(bench.settings.files)
    found = edits(bench.workspace, asked.snapshot, limits, request.changes, request.base)
    wanted = Wanted(request.depth, request.min_confidence, request.include_tests, request.limit)
    answered = changed(
        asked.snapshot,
        found,
        wanted,
        lambda edits: before_edits(asked.snapshot, bench.settings, edits, bench.workspace.prefixes),
    )
    contents = touched(asked.things, answered, request.changes, request.base)
    return Reply(answer(asked.snapshot, answered.coverage, listed=request.unresolved), contents, "affected")


def differing(asked: Asked, request: GraphDiff) -> Reply:
    """The records that two states do not have in common."""
    bench, live = asked.workbench, asked.snapshot
    before, after = (compared(bench.workspace, live, bench.settings, name) for name in (request.before, request.after))
    found = diff(before, after, Compare("all" if request.all_edges else "changed", request.limit))
    form = shown(found)
    records = (
        *(Differing(change="added", fields=(), before=None, after=record) for record in form.added),
        *(Differing(change="removed", fields=(), before=record, after=None) for record in form.removed),
        *(Differing(change="changed", **cast("dict[str, Any]", pair)) for pair in form.changed),
    )
    contents = Differences(
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
        contents=Touched,
        run=changed_code,
    ),
    ToolEntry(
        name="graph_diff",
        title="What differs between two commits",
        description="How the graph of one commit, branch or tag differs from another, or from the files as they are "
        "now: symbols and edges that were added, removed or changed, with the fields that changed. A symbol that only "
        "moved is counted, not listed.",
        request=GraphDiff,
        contents=Differences,
        run=differing,
    ),
)
