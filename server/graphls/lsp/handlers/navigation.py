"""Navigation: definition, declaration, type definition, implementation.

Owns: the choice between links and plain locations.
Must not know: how destinations are found.
Invariant: no destination is an empty list, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.linking.libraries import LibraryDefinition
from graphls.lsp.from_proto import Context, WithPosition, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.unread_edits import found_elsewhere, tell_of, with_edits_in_time
from graphls.lsp.verification import seeing, settled_at
from graphls.queries.declaration import declaration
from graphls.queries.definition import Destinations, definition
from graphls.queries.implementation import implementation
from graphls.queries.type_definition import type_definition

Query = Callable[[Snapshot, FilePath, int], Destinations | None]


def _handler(query: Query, client: str) -> Callable[[Context, WithPosition], Any]:
    def answer(context: Context, params: WithPosition) -> Any:
        context = settled_at(context, params)
        found = _found(query, context, params)
        if found_elsewhere(context, params, found):
            # Where it stands now, if anywhere, is known only once edits are read.
            context = settled_at(seeing(context, context.take_soon()), params)
            found = _found(query, context, params)
            tell_of(context, found_elsewhere(context, params, found))
        return _locations(query, client, context, found)

    return answer


def _locations(query: Query, client: str, context: Context, found: Destinations | None) -> Any:
    if found is None:
        return []
    proto = to_proto(context)
    outside = proto.outside(found) or (_beyond(context, found) if query is definition else ())
    return proto.destinations(found, outside, links=_takes_links(context.client, client))


def _found(query: Query, context: Context, params: WithPosition) -> Destinations | None:
    where = offset_of(context, to_proto(context), params)
    return query(context.snapshot, *where) if where else None


def _beyond(context: Context, found: Destinations) -> Sequence[LibraryDefinition]:
    """Where the checker says that a name of a package is defined, which graphls does not read."""
    if not found.externals or any(place.file != found.origin.file for place in found.places):
        return ()
    verifying = context.session.session.checker_service
    shown = verifying.hover(context.snapshot, found.origin.file, found.origin.start)
    return shown.places(context.cancel.check) if shown is not None else ()


def _takes_links(client: types.ClientCapabilities, name: str) -> bool:
    return bool(getattr(getattr(client.text_document, name, None), "link_support", False))


@feature(types.TEXT_DOCUMENT_IMPLEMENTATION, workspace=True, one_document=True)
def implemented(context: Context, params: WithPosition) -> Any:
    """What implements or overrides, wherever it stands."""
    context = settled_at(with_edits_in_time(context, params.text_document.uri), params)
    return _locations(implementation, "implementation", context, _found(implementation, context, params))


_quick = partial(feature, kind="quick", one_document=True)
FEATURES: tuple[Declaration, ...] = (
    _quick(types.TEXT_DOCUMENT_DEFINITION)(_handler(definition, "definition")),
    _quick(types.TEXT_DOCUMENT_DECLARATION)(_handler(declaration, "declaration")),
    _quick(types.TEXT_DOCUMENT_TYPE_DEFINITION)(_handler(type_definition, "type_definition")),
    implemented,
)
