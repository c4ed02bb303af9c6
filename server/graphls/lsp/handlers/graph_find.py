"""Find: graph/find.

Owns: whether names are compared or words ranked.
Must not know: how names are matched, how words are ranked, which filters there are.
Invariant: matches come best first, and the total says how many there were.
"""

from __future__ import annotations

from graphls.context.search import SearchQuery
from graphls.context.vectors import built_in_provider
from graphls.graph.derivation import DIAGNOSTIC
from graphls.graph.errors import BadRequest
from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import FindResult, FoundNode
from graphls.lsp.params import FindParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.verification import with_reported
from graphls.lsp.views import envelope, node_view
from graphls.queries.find import QUALITIES, FindQuery, find
from graphls.queries.find_filter import checked_filter

MAX_LIMIT = 1_000


@custom("graph/find", FindParams, FindResult)
def found(context: Context, params: FindParams) -> FindResult:
    """Symbols by name, or what words are about."""
    if DIAGNOSTIC in params.kinds or params.severities:
        context = with_reported(context)
    limit = min(max(params.limit, 1), MAX_LIMIT)
    only = checked_filter(context.snapshot, params.kinds, params.languages, params.under, params.severities)
    if params.by != "names":
        return _ranked(context, SearchQuery(text=params.text, method=params.by, only=only, limit=limit))
    answer = find(context.snapshot, FindQuery(params.text, params.mode, only, limit, locals=True, documents=True))
    proto = to_proto(context)
    return FindResult(
        **envelope(context.snapshot, answer.coverage, answer.next_step),
        matches=[
            *(FoundNode(node=node_view(proto, one.place), match=QUALITIES[one.quality]) for one in answer.matches),
            *(FoundNode(node=node_view(proto, node), match="inside") for node in answer.derived),
        ],
        total=answer.total,
    )


def _ranked(context: Context, query: SearchQuery) -> FindResult:
    """Declarations best first, sections of documents behind them."""
    if query.method in ("vectors", "both") and built_in_provider() is None:
        raise BadRequest("Vectors need numpy and scipy: pip install 'graphls[vectors]', or rank by words.")
    answer = context.session.session.search(context.snapshot, query)
    proto = to_proto(context)
    return FindResult(
        **envelope(context.snapshot, answer.coverage, answer.next_step),
        matches=[
            FoundNode(node=node_view(proto, hit.place), match="ranked", score=hit.score, words=list(hit.words))
            for hit in (*answer.hits, *answer.sections)
        ],
        total=answer.total,
    )


FEATURES: tuple[Declaration, ...] = (found,)
