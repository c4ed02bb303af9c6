"""Results: what each tool answers besides the envelope.

Owns: the fields of every answer; the command line's JSON has the same names for the same things.
Must not know: how an answer is found, the protocol.
Invariant: a field never changes its meaning; names and text of source stand in fields of their own only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from graphls.context.pack import Item, PackLink
from graphls.queries.status import Status
from graphls.queries.summary import Summary
from graphls.queries.things import Link, Thing


@attrs.frozen(kw_only=True)
class Context:
    """Code for a task, most valuable first; lines count from 1, the last is included."""

    id: str
    task: str
    budget: int
    used: int
    tokenizer: str
    items: tuple[Item, ...]
    links: tuple[PackLink, ...]


@attrs.frozen(kw_only=True)
class Merit:
    """One reason why an item is in a pack, and what it added."""

    kind: str
    score: float
    note: str


@attrs.frozen(kw_only=True)
class Explained:
    """An item without its text, with every merit."""

    node: str
    symbol: str
    file: str
    start_line: int
    end_line: int
    detail: str
    score: float
    reason: str
    tokens: int
    factor: float
    merits: tuple[Merit, ...]


@attrs.frozen(kw_only=True)
class Explanation:
    """Why a pack holds what it holds. `words` to `files`: what was read from the task."""

    id: str
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    symbols: tuple[str, ...]
    files: tuple[str, ...]
    changed_weights: Mapping[str, Any]
    items: tuple[Explained, ...]


@attrs.frozen(kw_only=True)
class Step:
    """A node near the root, with the edges that tie it to the root and to nodes before it."""

    depth: int
    node: Thing
    edges: tuple[Link, ...]


@attrs.frozen(kw_only=True)
class Around:
    """Nearest first."""

    root: Thing
    nodes: tuple[Step, ...]


@attrs.frozen(kw_only=True)
class Way:
    """One path: nodes from the start on, and the edges between them."""

    confidence: float
    nodes: tuple[Thing, ...]
    edges: tuple[Link, ...]


@attrs.frozen(kw_only=True)
class Ways:
    """Shortest first. `exhausted`: everything within the depth was visited, so no path means that there is none."""

    exhausted: bool
    visited: int
    paths: tuple[Way, ...]


@attrs.frozen(kw_only=True)
class Reached:
    """One node, how far away it is, and how sure the way to it is."""

    depth: int
    via: str
    confidence: float
    test: bool
    possible: bool = False
    node: Thing


@attrs.frozen(kw_only=True)
class Effects:
    """Nearest first. `changed`: the subject with what changes along with it; `counts`: nodes at each distance."""

    stream: str
    changed: tuple[Thing, ...]
    packages: tuple[str, ...]
    routes: tuple[Thing, ...]
    """Routes and tools through which the change can be met."""
    counts: tuple[int, ...]
    tests: int
    affected: tuple[Reached, ...]
    edges: tuple[Link, ...] = ()
    """Those that were walked, where they were asked for."""
    edges_omitted: int = 0


@attrs.frozen(kw_only=True)
class Differing:
    """A record that only one side has, or both with other `fields`; as an export writes it."""

    change: Literal["added", "removed", "changed"]
    fields: tuple[str, ...]
    before: Any
    after: Any


@attrs.frozen(kw_only=True)
class Differences:
    """What it takes to make one graph into the other: nodes before edges; added, then removed, then changed.

    `counts`: records of each kind, before the limit; `moved`: nodes that are the same at another place.
    """

    before: str
    after: str
    files_added: tuple[str, ...]
    files_removed: tuple[str, ...]
    files_changed: tuple[str, ...]
    moved: int
    counts: tuple[int, ...]
    records: tuple[Differing, ...]


@attrs.frozen(kw_only=True)
class Entry:
    """A way into the program. `needs`: what its handlers lead to, nearest first; `tests`: those that reach them."""

    entry: Thing
    edges: tuple[Link, ...]
    handlers: tuple[Thing, ...]
    tests: tuple[Reached, ...]
    needs: tuple[Reached, ...]


@attrs.frozen(kw_only=True)
class Tie:
    """A direct edge with the node at its other end. `direction`: `in` or `out`."""

    direction: str
    edge: Link
    node: Thing


@attrs.frozen(kw_only=True)
class About:
    """One symbol. `counts`: edges by direction and kind, all of them; `source`: its text, where it was asked for."""

    node: Thing
    source: str | None
    members: tuple[Thing, ...]
    counts: Mapping[str, int]
    ties: tuple[Tie, ...]


@attrs.frozen(kw_only=True)
class Matches:
    """Best matches first."""

    total: int
    matches: tuple[Thing, ...]


@attrs.frozen(kw_only=True)
class Shape:
    """The shape of a scope."""

    summary: Summary


@attrs.frozen(kw_only=True)
class Progress:
    """How far the background work is; `total` 0: not known yet."""

    stage: str
    done: int
    total: int


@attrs.frozen(kw_only=True)
class CheckerState:
    """A checker of the workspace: what it is doing, and what went wrong last."""

    name: str
    version: str
    state: str
    problem: str


@attrs.frozen(kw_only=True)
class Standing:
    """What the graph holds, and what it could not take in."""

    workspace: str
    answered_by: Literal["own", "editor"]
    """A session of this server, or that of a language server, with the buffers that its editor has not saved."""
    status: Status
    progress: Progress
    checkers: tuple[CheckerState, ...]
    problems: tuple[str, ...]
