"""Entry list: every route, tool, command and job of a workspace, with what handles it.

Owns: which of the nodes that rules derive are entries of a program, their handlers, bounds.
Must not know: frameworks, rules, records, LSP types.
Invariant: by file and position, what is below hidden folders, in examples or made by others last, and what documents
    offer after what code declares; what tests declare is listed only where that is asked for; what is left out is
    counted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.file_roles import serves_development
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import BudgetSpentError, is_spent, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.scope import files_in

MAX_LIMIT = 5_000
_TAKING_IN = "include"
_OPERATION = "graphql"


@attrs.frozen
class ListedEntry:
    """An entry, and the functions and classes that it runs. `inline`: its handler has no name; it calls these."""

    entry: DerivedNode
    handlers: tuple[SymbolRef, ...]
    inline: bool


@attrs.frozen
class EntryList:
    """Entries of a scope."""

    entries: tuple[ListedEntry, ...]
    coverage: Coverage


def entry_list(snapshot: Snapshot, scope: str = "", limit: int = 500, *, tests: bool = False) -> EntryList:
    """What a program is entered by. `tests`: what tests declare too."""
    limit, found, omitted = min(max(limit, 1), MAX_LIMIT), list[ListedEntry](), 0
    # What was found by the end of the budget is an answer, which says that there may be more.
    with contextlib.suppress(BudgetSpentError):
        for node in entries_in(snapshot, scope, tests=tests):
            spend()
            if len(found) < limit:
                found.append(ListedEntry(node, *handling_of(snapshot, node)))
            else:
                omitted += 1
    cut = is_spent()
    # Of files that nobody could look at nobody counted the entries.
    left = 0 if cut else omitted
    return EntryList(tuple(found), Coverage(truncated=cut or omitted > 0, omitted=left, empty=not found))


def declared_entries(snapshot: Snapshot, scope: str = "") -> Iterator[DerivedNode]:
    """Those of the program that something handles."""
    return (node for node in entries_in(snapshot, scope) if handlers_of(snapshot, node))


def handlers_of(snapshot: Snapshot, node: DerivedNode) -> tuple[SymbolRef, ...]:
    """What an entry runs."""
    return handling_of(snapshot, node)[0]


def handling_of(snapshot: Snapshot, node: DerivedNode) -> tuple[tuple[SymbolRef, ...], bool]:
    """What an entry runs, and whether that is written in its place: then these are what it calls."""
    edges = () if snapshot.derivation is None else snapshot.derivation.handled_by(snapshot, node)
    handlers = dict.fromkeys(edge.target for edge in edges if isinstance(edge.target, SymbolRef))
    return tuple(handlers), any(("via", "inline") in edge.attributes.items() for edge in edges)


def entries_in(snapshot: Snapshot, scope: str = "", *, tests: bool = False) -> Iterator[DerivedNode]:
    """All of them, by file and position, whether something handles them or not; what schemas and interfaces in
    documents offer after what code declares, which does not wait for the search of code that answers those. Raises
    BudgetSpentError: what a file declares is worked out for whoever asks first."""
    derivation = snapshot.derivation
    if derivation is None:
        return
    among = files_in(snapshot, scope) if scope else snapshot.shards
    resolvers: list[DerivedNode] = []
    for path in sorted(among, key=partial(_order, snapshot)):
        if not tests and (is_test_file(path) or not derivation.may_declare(snapshot, path)):
            continue
        spend()
        for node in sorted(derivation.nodes(snapshot, path), key=lambda node: (node.start, node.name)):
            # The routes that are taken in are entries, with the path before them.
            if node.in_document or node.subkind == _TAKING_IN or (node.test and not tests):
                continue
            if node.subkind == _OPERATION:
                resolvers.append(node)
            else:
                yield node
    offered = [node for node in derivation.operations(snapshot) if node.file in among and (tests or not node.test)]
    offered = [node for node in offered if tests or not is_test_file(node.file)]
    yield from sorted(offered, key=lambda node: (*_order(snapshot, node.file), node.start))
    # What a schema offers is an entry by that, and not again by the code that answers it.
    answering = {place for node in offered for place in handlers_of(snapshot, node)} if resolvers else set[SymbolRef]()
    yield from (node for node in resolvers if answering.isdisjoint(handlers_of(snapshot, node)))


def _order(snapshot: Snapshot, path: FilePath) -> tuple[bool, FilePath]:
    """What a program is about before what stands beside it."""
    hidden = any(name.startswith(".") for name in path.split("/")[:-1])
    return hidden or serves_development(path) or comes_last(snapshot, path), path
