"""Navigation: definition, declaration, type definition, implementation.

Owns: the choice between links and plain locations.
Must not know: how destinations are found.
Invariant: no destination is an empty list, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.linking.libraries import LibraryDefinition
from graphls.lsp.from_proto import Context, WithPosition, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.verification import settled_at
from graphls.queries.declaration import declaration
from graphls.queries.definition import Destinations, definition
from graphls.queries.implementation import implementation
from graphls.queries.type_definition import type_definition

Query = Callable[[Snapshot, FilePath, int], Destinations | None]


def _handler(query: Query, client: str) -> Callable[[Context, WithPosition], Any]:
    def answer(context: Context, params: WithPosition) -> Any:
        context = settled_at(context, params)
        proto = to_proto(context)
        where = offset_of(context, proto, params)
        found = query(context.snapshot, *where) if where else None
        if found is None:
            return []
        outside = proto.outside(found) or (_beyond(context, found) if query is definition else ())
        return proto.destinations(found, outside, links=_takes_links(context.client, client))

    return answer


def _beyond(context: Context, found: Destinations) -> Sequence[LibraryDefinition]:
    """Where the checker says that a name of a package is defined, which graphls does not read."""
    if not found.externals or any(place.file != found.origin.file for place in found.places):
        return ()
    verifying = context.session.session.checker_service
    shown = verifying.hover(context.snapshot, found.origin.file, found.origin.start)
    return shown.places(context.cancel.check) if shown is not None else ()


def _takes_links(client: types.ClientCapabilities, name: str) -> bool:
    return bool(getattr(getattr(client.text_document, name, None), "link_support", False))


FEATURES: tuple[Declaration, ...] = (
    feature(types.TEXT_DOCUMENT_DEFINITION, kind="quick")(_handler(definition, "definition")),
    feature(types.TEXT_DOCUMENT_DECLARATION, kind="quick")(_handler(declaration, "declaration")),
    feature(types.TEXT_DOCUMENT_TYPE_DEFINITION, kind="quick")(_handler(type_definition, "type_definition")),
    feature(types.TEXT_DOCUMENT_IMPLEMENTATION)(_handler(implementation, "implementation")),
)
