"""Changes: what edits touch and may reach.

Owns: changed_code_impact.
Must not know: version control, how reach is computed.
Invariant: names that are gone are listed beside what is reached.
"""

from __future__ import annotations

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ChangedCodeImpact
from graphls.queries.answer import answer
from graphls.queries.changed import Wanted, changed
from graphls.queries.changed_shown import Touched, touched
from graphls.session.comparing import edits
from graphls.sources.limits import Limits


def changed_code(asked: Asked, request: ChangedCodeImpact) -> Reply:
    """What the edits of a working tree reach."""
    limits = Limits.of(asked.workbench.settings.files)
    found = edits(asked.workbench.workspace, asked.snapshot, limits, request.changes, request.base)
    wanted = Wanted(request.depth, request.min_confidence, request.include_tests, request.limit)
    answered = changed(asked.snapshot, found, wanted)
    contents = touched(asked.things, answered, request.changes, request.base)
    return Reply(answer(asked.snapshot, answered.coverage), contents, "affected")


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
)
