"""Moniker: the canonical names of what stands at a position.

Owns: kind and uniqueness as LSP has them.
Must not know: how canonical names are spelled.
Invariant: what only its own file can name is unique in its document alone.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.graph.monikers import SCHEME, external_moniker, moniker
from graphls.lsp.from_proto import Context, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.queries.symbol import meaning


@feature(types.TEXT_DOCUMENT_MONIKER)
def monikers(context: Context, params: types.MonikerParams) -> list[types.Moniker] | None:
    """One for each thing that the name may mean, the best first."""
    where = offset_of(context, to_proto(context), params)
    found = meaning(context.snapshot, *where) if where else None
    if found is None:
        return None
    code = (place for place in found.places if context.snapshot.shards[place.file].language)
    inside = [_inside(moniker(context.snapshot, place)) for place in code]
    outside = [external_moniker(context.snapshot, name) for name in found.externals]
    return inside + [
        types.Moniker(SCHEME, symbol, types.UniquenessLevel.Scheme, types.MonikerKind.Import) for symbol in outside
    ]


def _inside(symbol: str) -> types.Moniker:
    if symbol.startswith("local "):
        return types.Moniker(SCHEME, symbol, types.UniquenessLevel.Document, types.MonikerKind.Local)
    return types.Moniker(SCHEME, symbol, types.UniquenessLevel.Scheme, types.MonikerKind.Export)


FEATURES: tuple[Declaration, ...] = (monikers,)
