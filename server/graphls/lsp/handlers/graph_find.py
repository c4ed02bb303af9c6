"""Find: graph/find.

Owns: kinds by the names that records use.
Must not know: how names are matched.
Invariant: matches come best first, and the total says how many there were.
"""

from __future__ import annotations

from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import FindResult, FoundNode
from graphls.lsp.params import FindParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope, node_view
from graphls.queries.find import QUALITIES, FindQuery, find

MAX_LIMIT = 1_000


@custom("graph/find", FindParams, FindResult)
def found(context: Context, params: FindParams) -> FindResult:
    """Symbols by name."""
    limit = min(max(params.limit, 1), MAX_LIMIT)
    wanted = FindQuery(
        params.text, params.mode, frozenset(params.kinds), frozenset(params.languages), limit, locals=True
    )
    answer = find(context.snapshot, wanted)
    proto = to_proto(context)
    return FindResult(
        **envelope(context.snapshot, answer.coverage, answer.next_step),
        matches=[
            *(FoundNode(node=node_view(proto, one.place), match=QUALITIES[one.quality]) for one in answer.matches),
            *(FoundNode(node=node_view(proto, node), match="inside") for node in answer.derived),
        ],
        total=answer.total,
    )


FEATURES: tuple[Declaration, ...] = (found,)
