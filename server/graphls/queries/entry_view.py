"""Entry view: what stands behind a route, tool, command or job, as faces for people and agents show it.

Owns: the record of an answer.
Must not know: layout, JSON, frameworks.
Invariant: the same answer gives the same record on every face.
"""

from __future__ import annotations

from typing import Final

import attrs

from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import is_test_file
from graphls.queries.entry import EntryAnswer
from graphls.queries.impact_view import Reached, reached_views
from graphls.queries.node_views import EdgeView, NodeView, Presenter

_ERROR: Final = 400


@attrs.frozen(kw_only=True)
class InputView:
    """A parameter as it is declared."""

    name: str
    declared: str
    required: bool


@attrs.frozen(kw_only=True)
class ConsumerView:
    """Code that asks for an entry."""

    symbol: str
    at: str
    confidence: float
    test: bool


@attrs.frozen(kw_only=True)
class MiddlewareView:
    """What runs before a handler. `symbol`: what the name means, null where nobody knows; `path`: "" for all."""

    name: str
    how: str
    path: str
    at: str
    symbol: str | None


@attrs.frozen(kw_only=True)
class ErrorView:
    """An answer with a status from 400 on, and the keys that it is written with."""

    status: int
    keys: tuple[str, ...]
    at: str


@attrs.frozen(kw_only=True)
class MismatchView:
    """A key that code reads from the answer, and that no answer has."""

    key: str
    symbol: str
    at: str


@attrs.frozen(kw_only=True)
class EntryView:
    """A way into the program.

    `inline`: its handler has no name and calls `handlers`; `description`: what it says of itself; `inputs`: parameters
    of handlers, or of a schema in the call;
    `response_types`, `response_fields`: classes that it says it answers with, and their fields; `response_keys`: keys
    of objects that its handlers write out where they answer, `more_keys` where there may be others; `errors`: answers
    with a status from 400 on; `mismatches`: keys that consumers read and no answer has, where both stand in the text
    whole; `middleware`: what runs before, that of the application first; `middleware_gap`: what is known to be missing
    from it, "" where nothing is; `consumers`: code that asks for it;
    `needs`: what its handlers lead to, nearest first; `tests`: those that reach them.
    """

    entry: NodeView
    edges: tuple[EdgeView, ...]
    handlers: tuple[NodeView, ...]
    inline: bool
    description: str
    inputs: tuple[InputView, ...]
    response_types: tuple[str, ...]
    response_fields: tuple[str, ...]
    response_keys: tuple[str, ...]
    more_keys: bool
    errors: tuple[ErrorView, ...]
    middleware: tuple[MiddlewareView, ...]
    middleware_gap: str
    consumers: tuple[ConsumerView, ...]
    mismatches: tuple[MismatchView, ...]
    tests: tuple[Reached, ...]
    needs: tuple[Reached, ...]


def entry_view(presenter: Presenter, found: EntryAnswer) -> EntryView:
    """The record of an answer."""
    contract = found.contract
    good = [one for one in contract.answers if one.status < _ERROR]
    return EntryView(
        entry=presenter.node(found.entry),
        edges=presenter.edges(found.edges),
        handlers=tuple(presenter.node(place) for place in found.handlers),
        inline=found.inline,
        description=contract.description,
        inputs=tuple(InputView(name=one.name, declared=one.declared, required=one.required) for one in contract.inputs),
        response_types=tuple(map(presenter.symbol, contract.response_types)),
        response_fields=tuple(dict.fromkeys(one.name for one in contract.response_fields)),
        response_keys=tuple(dict.fromkeys(key for one in good for key in one.keys)),
        more_keys=any(one.more for one in good),
        errors=tuple(
            ErrorView(status=one.status, keys=one.keys, at=str(presenter.position(one.file, one.start)))
            for one in contract.answers
            if one.status >= _ERROR
        ),
        middleware=tuple(
            MiddlewareView(
                name=one.name,
                how=one.how,
                path=one.path,
                at=str(presenter.position(one.file, one.at)),
                symbol=None if one.place is None else presenter.symbol(one.place),
            )
            for one in contract.middleware
        ),
        middleware_gap=contract.middleware_gap,
        consumers=tuple(_consumer(presenter, edge) for edge in contract.consumers),
        mismatches=tuple(
            MismatchView(
                key=one.key, symbol=presenter.symbol(one.reader), at=str(presenter.position(one.file, one.start))
            )
            for one in contract.mismatches
        ),
        tests=reached_views(presenter, found.tests),
        needs=reached_views(presenter, found.needs),
    )


def _consumer(presenter: Presenter, edge: RawEdge) -> ConsumerView:
    path, start = edge.sites[0][:2] if edge.sites else (edge.source.file, 0)
    return ConsumerView(
        symbol=presenter.symbol(edge.source),
        at=str(presenter.position(path, start)),
        confidence=edge.confidence,
        test=is_test_file(path),
    )
