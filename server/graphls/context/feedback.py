"""Feedback: what somebody said about an item of a pack, and what it is worth now.

Owns: verdicts, the root that each is tied to, keeping them in the store, their merit for a like task.
Must not know: LSP types, the command line, other merits.
Invariant: a verdict counts only while everything around its node is as it was when it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, cast

import attrs
import msgpack

from graphls.context.candidates import Candidates, Reason
from graphls.context.seeds import SeedContext, unit_of
from graphls.context.terms import Task, read_task
from graphls.facts.codec import CodecError, decode, encode
from graphls.graph.addresses import digest_of, format_id
from graphls.graph.edge_refs import Node
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.errors import GraphError
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.memo import MemoTable
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import one_symbol
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

MOST: Final = 1_000
"""The oldest verdicts go when there are more."""
_MOST_EDGES: Final = 400
_LEAST_LIKENESS: Final = 0.2
_NO_TASK: Final = 0.5
"""Likeness where the verdict names no task."""
_LONGEST_TASK: Final = 4_000
_MEMO: Final = MemoTable[str, "tuple[SymbolRef, str] | None"]("feedback roots")


@attrs.frozen
class Verdict:
    """What was said. `root`: of the node and everything directly around it, at that time."""

    node: str
    symbol: str
    useful: bool
    task: str
    pack: str
    root: str


@attrs.frozen(kw_only=True)
class FeedbackStatus:
    """A verdict, and whether it still counts."""

    verdict: Verdict
    counts: bool


class NoStore(GraphError):
    """There is nowhere to keep feedback."""

    def __init__(self, problem: str = "") -> None:
        reason = problem or "The cache is switched off"
        super().__init__("graphls.notKept", f"{reason}: feedback cannot be kept. Enable the cache (cache.enabled).")


def verdict_on(snapshot: Snapshot, node: str, *, useful: bool, task: str = "", pack: str = "") -> Verdict:
    """A verdict about a node that exists. Raises UnknownSymbol and AmbiguousSymbol."""
    place = one_symbol(snapshot, node)
    return Verdict(
        node=node_id(snapshot, place),
        symbol=symbol_name(snapshot, place),
        useful=useful,
        task=task[:_LONGEST_TASK],
        pack=pack,
        root=vicinity_root(snapshot, place),
    )


def vicinity_root(snapshot: Snapshot, place: SymbolRef) -> str:
    """Root over a node's text, its direct edges, and the texts at their other ends."""
    # What checkers add as time goes on is no change of the code.
    own = attrs.evolve(snapshot, verification=None)
    parts = {f"{edge.kind}>{_leaf(own, edge.target)}" for edge in edges_of(own, place)}
    parts |= {f"{edge.kind}<{_leaf(own, edge.source)}" for edge in edges_to(own, place)}
    return format_id("r", digest_of(_leaf(own, place), *sorted(parts)[:_MOST_EDGES]))


def feedback_status(snapshot: Snapshot, verdicts: Iterable[Verdict]) -> tuple[FeedbackStatus, ...]:
    """Each verdict, and whether its root is still that of the node."""
    return tuple(FeedbackStatus(verdict=verdict, counts=_place(snapshot, verdict) is not None) for verdict in verdicts)


# ---------------------------------------------------------------- ranking


def add_feedback(context: SeedContext, task: Task, verdicts: Sequence[Verdict], found: Candidates) -> None:
    """Merit, or the opposite, for declarations that were judged for a task like this one."""
    words = {*task.title, *task.body}
    for verdict in verdicts:
        like = likeness(words, verdict.task)
        place = _place(context.snapshot, verdict) if like >= _LEAST_LIKENESS else None
        key = unit_of(context, place) if place is not None else None
        if key is not None:
            sign = 1 if verdict.useful else -1
            judgement = "useful" if verdict.useful else "not useful"
            note = f"found {judgement} for {'a like task' if verdict.task else 'any task'}"
            reason = Reason("feedback", sign * context.weights.feedback * like, note)
            found.add(key, context.corpus[key.file].starts[key.unit], reason)


def likeness(words: set[str], task: str) -> float:
    """Share of words that two tasks have in common, from 0 to 1."""
    if not task.strip():
        return _NO_TASK
    other = read_task(task)
    theirs = {*other.title, *other.body}
    both = len(words) + len(theirs)
    return 2 * len(words & theirs) / both if both else 0.0


# ---------------------------------------------------------------- keeping


def feedback_of(store: BlobStore | None, workspace: Workspace) -> tuple[Verdict, ...]:
    """What was said about a workspace on this machine, oldest first."""
    raw = store.get("feedback", _key(workspace)) if store is not None else None
    if raw is None:
        return ()
    try:
        rows = msgpack.unpackb(raw)
        return tuple(decode(Verdict, row) for row in cast("list[bytes]", rows))
    except (CodecError, ValueError, TypeError, msgpack.UnpackException):
        return ()


def store_feedback(store: BlobStore | None, workspace: Workspace, verdict: Verdict) -> tuple[Verdict, ...]:
    """Adds a verdict; an earlier one about the same node and task goes. Raises NoStore."""
    known = feedback_of(store, workspace)
    rest = [one for one in known if (one.node, one.task) != (verdict.node, verdict.task)]
    return _store(store, workspace, (*rest, verdict)[-MOST:])


def erase_feedback(store: BlobStore | None, workspace: Workspace, node: str = "") -> int:
    """Forgets what was said about a node (id or symbol), or everything; answers how many verdicts went."""
    known = feedback_of(store, workspace)
    left = tuple(one for one in known if node and node not in (one.node, one.symbol))
    if len(left) != len(known):
        _store(store, workspace, left)
    return len(known) - len(left)


def _store(store: BlobStore | None, workspace: Workspace, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    if store is None:
        raise NoStore
    rows = msgpack.packb([encode(verdict) for verdict in verdicts])
    if not store.put("feedback", _key(workspace), rows):
        raise NoStore(store.problem or "")
    return verdicts


def _key(workspace: Workspace) -> str:
    return digest_of("feedback 1", *(folder.root for folder in workspace.folders)).hex()


def _place(snapshot: Snapshot, verdict: Verdict) -> SymbolRef | None:
    """Where the node is, if all around it is as it was."""
    places = _MEMO.of(snapshot)
    if verdict.node not in places:
        try:
            place = one_symbol(snapshot, verdict.node)
        except GraphError:
            places[verdict.node] = None
        else:
            places[verdict.node] = (place, vicinity_root(snapshot, place))
    found = places[verdict.node]
    return found[0] if found is not None and found[1] == verdict.root else None


def _leaf(snapshot: Snapshot, node: Node) -> str:
    if isinstance(node, str):
        return node
    if not isinstance(node, SymbolRef):
        return f"{node.kind} {node.name}"
    if node.definition < 0:
        # A module as a neighbour is its name: what else it holds is not around the node.
        return node_id(snapshot, node)
    text = snapshot.text(node.file) or b""
    table = snapshot.facts(node.file).definitions
    piece = text[table.full_start[node.definition] : table.full_end[node.definition]]
    return f"{node_id(snapshot, node)} {blake2b(piece, digest_size=16).hexdigest()}"
