"""Entry, shown: what stands behind a route, tool, command or job, as faces for people and agents show it.

Owns: the record of an answer.
Must not know: layout, JSON, frameworks.
Invariant: the same answer gives the same record on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.entry import EntryAnswer
from graphls.queries.impact_shown import Reached, reached
from graphls.queries.things import Link, Thing, Things


@attrs.frozen(kw_only=True)
class Entry:
    """A way into the program. `needs`: what its handlers lead to, nearest first; `tests`: those that reach them."""

    entry: Thing
    edges: tuple[Link, ...]
    handlers: tuple[Thing, ...]
    tests: tuple[Reached, ...]
    needs: tuple[Reached, ...]


def entry_shown(things: Things, found: EntryAnswer) -> Entry:
    """The record of an answer."""
    return Entry(
        entry=things.thing(found.entry),
        edges=things.links(found.edges),
        handlers=tuple(things.thing(place) for place in found.handlers),
        tests=reached(things, found.tests),
        needs=reached(things, found.needs),
    )
