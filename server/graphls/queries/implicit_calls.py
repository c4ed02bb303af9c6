"""Implicit calls: who runs a method without naming it, and what code runs in that way.

Owns: which edges of the graph are such calls, of which definitions they are sought at all.
Must not know: LSP types, how constructs are resolved.
Invariant: an edge that also names the method is no implicit call; nothing is sought of what no construct can run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.graph.edges import edges_of, edges_to
from graphls.graph.evidence import RawEdge
from graphls.graph.nodes import qualified_name
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.unnamed_runs import answers_any_name, may_run_unnamed
from graphls.queries.rows import name_of

_IMPLICIT = "implicit"


def runs_unnamed(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is a method that the language runs for constructs which do not name it, or a function whose name
    no call spells: `operator==`, a module's own `__getattr__`."""
    known = snapshot.capabilities(place.file)
    if place.definition == NONE or known is None or known.is_run_unnamed is None:
        return False
    facts = snapshot.facts(place.file)
    kind, name = facts.definitions.kind[place.definition], name_of(facts, place.definition)
    if answers_any_name(snapshot, place):
        return True
    if kind != DefinitionKind.METHOD and (kind != DefinitionKind.FUNCTION or name.isidentifier()):
        return False
    return known.is_run_unnamed(name) or (known.constructors_named_by_class and _is_called_like_class(facts, place))


def _is_called_like_class(facts: FileFacts, place: SymbolRef) -> bool:
    around = qualified_name(facts, place.definition).rpartition(".")[0]
    return around.rpartition(".")[2] == name_of(facts, place.definition)


def implicit_calls_to(snapshot: Snapshot, place: SymbolRef, *, held: bool = False) -> tuple[RawEdge, ...]:
    """Calls of a method by constructs, or of what a variable holds, one edge a caller, by file; where the budget of the
    request ends the search, those that were found. `held`: the place is known to be handed on as a value."""
    if not held and not may_run_unnamed(snapshot, place):
        return ()
    found: list[RawEdge] = []
    with contextlib.suppress(BudgetSpentError):
        found.extend(_implicit(edges_to(snapshot, place)))
    return tuple(found)


def implicit_calls_from(snapshot: Snapshot, place: SymbolRef) -> tuple[RawEdge, ...]:
    """Methods that constructs of a definition run, one edge each; likewise."""
    found: list[RawEdge] = []
    with contextlib.suppress(BudgetSpentError):
        found.extend(_implicit(edges_of(snapshot, place)))
    return tuple(found)


def constructs_of(edge: RawEdge) -> str:
    """Which constructs call, as `for, with`."""
    return str(edge.attributes.get(_IMPLICIT, "")).replace(",", ", ")


def _implicit(edges: Iterator[RawEdge]) -> Iterator[RawEdge]:
    return (edge for edge in edges if edge.attributes.get(_IMPLICIT))
