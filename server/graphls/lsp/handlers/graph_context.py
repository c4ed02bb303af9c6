"""Packs: graph/contextPack, graph/explain and graph/export.

Owns: the params as requests of the layers below, the cap on inline content.
Must not know: how code is ranked, how records are written.
Invariant: an export to a path goes inside the workspace or is refused.
"""

from __future__ import annotations

from graphls.context.formats import Heading, compact, markdown
from graphls.context.pack import Pack, PackRequest, coverage, next_step
from graphls.graph.errors import BadRequest
from graphls.lsp.export import exported
from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import ExplainResult, ExportResult, PackResult
from graphls.lsp.params import ExplainParams, ExportParams, PackParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.scopes import required_path
from graphls.lsp.verification import seeing
from graphls.lsp.views import edge_view, envelope, found_edge
from graphls.queries.answer import answer


def _packed(context: Context, params: PackParams, *, explain: bool) -> tuple[Context, PackRequest, Pack]:
    """The pack, and the context with the snapshot that it was made from."""
    request = PackRequest(
        task=params.task,
        files=tuple(required_path(context, file) for file in params.files),
        nodes=params.nodes,
        budget=params.budget if params.budget is not None else context.session.settings.pack.budget,
        weights=params.weights,
        explain=explain,
        format=params.format,
        tests=params.tests,
        at=params.at,
    )
    snapshot, found = context.session.session.pack(context.snapshot, request)
    return seeing(context, snapshot), request, found


@custom("graph/contextPack", PackParams, PackResult, kind="long")
def packed(context: Context, params: PackParams) -> PackResult:
    """The code that a task needs."""
    context, request, found = _packed(context, params, explain=params.explain)
    pack_answer = coverage(context.snapshot, request, found)
    heading = Heading.of(answer(context.snapshot, pack_answer))
    render = {"compact": compact, "markdown": markdown}.get(params.format)
    text = render(found, heading) if render else None
    return PackResult(**envelope(context.snapshot, pack_answer, next_step(found.items)), pack=found, text=text)


@custom("graph/explain", ExplainParams, ExplainResult, kind="long")
def explained(context: Context, params: ExplainParams) -> ExplainResult:
    """Why a pack holds a node, or what an edge rests on."""
    if params.edge and params.node:
        edge = found_edge(context.snapshot, params.node, params.edge)
        return ExplainResult(**envelope(context.snapshot), explanation=edge_view(to_proto(context), edge, sites=True))
    if params.pack is None:
        raise BadRequest("Give an edge with the node it starts at, or a pack (and a node in it).")
    context, request, found = _packed(context, params.pack, explain=True)
    items = [item for item in found.items if not params.node or params.node in (item.node, item.symbol)]
    return ExplainResult(
        **envelope(context.snapshot, coverage(context.snapshot, request, found), next_step(found.items)),
        explanation={"pack": found.id, "account": found.explanation, "items": items},
    )


@custom("graph/export", ExportParams, ExportResult, kind="long", whole=True)
def written(context: Context, params: ExportParams) -> ExportResult:
    """The records of a scope."""
    return exported(context, params)


FEATURES: tuple[Declaration, ...] = (packed, explained, written)
