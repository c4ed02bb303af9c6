"""Procedures: routers of tRPC, the procedures in them, and the calls of clients that are typed by a router.

Owns: which calls make routers and clients, what the members of a router are, the paths of procedures.
Must not know: HTTP, which procedures there are in other files, how paths are joined.
Invariant: a router or client is one that leads to the library; a member that is neither procedure nor router declares
    nothing.

A procedure is a route whose path are the keys that lead to it. Source: https://trpc.io/docs/server/routers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.declared_nodes import (
    ContractUse,
    DeclaredNode,
    DerivedSpan,
    Handler,
    Mount,
    handlers_of,
)
from graphls.analysis.frameworks.inline import calls_inside
from graphls.analysis.frameworks.marks import use_at, use_of
from graphls.analysis.frameworks.routes import FileRules
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file, node_row
from graphls.graph.snapshot import Snapshot, SymbolRef

PROCEDURE: Final = "procedure"
CLIENT: Final = "trpc.client"
_RULE: Final = "trpc.procedure"
_MAKER: Final = "initTRPC"
_ROUTER: Final = re.compile(r"@trpc/server(?:/[\w/]+)?\.(?:\w+\.)*router\Z")
_CLIENTS: Final = re.compile(r"@trpc/[\w/-]+\.create\w+(?:\.\w+)*\Z")
_CREATORS: Final = ("createTRPCReact", "createTRPCClient", "createTRPCProxyClient", "createTRPCNext",
                    "createTRPCContext", "createTRPCOptionsProxy", "createTRPCQueryUtils")  # fmt: skip
_KINDS: Final = re.compile(rb"\.\s*(query|mutation|subscription)\s*(?:<[^<>()]*>)?\s*\Z")
ASKED_BY: Final = frozenset((
    "query", "mutate", "subscribe", "useQuery", "useSuspenseQuery", "useInfiniteQuery", "useSuspenseInfiniteQuery",
    "usePrefetchQuery", "useMutation", "useSubscription", "queryOptions", "infiniteQueryOptions", "mutationOptions",
    "subscriptionOptions", "fetch", "prefetch", "ensureData", "invalidate", "refetch", "getData", "setData", "cancel",
    "queryKey",
))  # fmt: skip
"""Last names of what clients call."""
_LONGEST: Final = 1_000_000
_DEEP: Final = 8
_STEPS: Final = 4
_SURE: Final = 0.95
_WORDS: Final = Memo["_RouterWords"]("routers of procedures")


@attrs.frozen(eq=False)
class _RouterWords:
    """Names under which a workspace makes routers, and whether it makes clients."""

    routers: frozenset[str]
    clients: bool


def router_words(snapshot: Snapshot) -> frozenset[str]:
    """Names by which files that make routers are found; none where nothing does."""
    return _words(snapshot).routers


def may_have_procedures(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file may make routers, or ask for procedures, by its names alone."""
    words = _words(snapshot)
    if not words.routers or not snapshot.shards[path].language:
        return False
    names = set(snapshot.facts(path).strings)
    return not names.isdisjoint(words.routers) or (words.clients and not names.isdisjoint(ASKED_BY))


def may_make_routers(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file may make routers, by its names alone."""
    words = _words(snapshot).routers
    return bool(words and snapshot.shards[path].language) and not words.isdisjoint(snapshot.facts(path).strings)


def procedures(file: FileRules, whole: Snapshot) -> tuple[tuple[DeclaredNode, ...], tuple[Mount, ...]]:
    """What the routers of one file declare, and what they take in. `whole`: who watches notes nothing of the names."""
    nodes: list[DeclaredNode] = []
    mounts: list[Mount] = []
    reader = _RouterReader(file, nodes, mounts)
    for use, router in _routers(file, router_words(whole)):
        reader.read(use, router)
    return tuple(nodes), tuple(mounts)


def procedure_uses(file: FileRules, whole: Snapshot) -> Iterator[ContractUse]:
    """Procedures that clients in one file ask for."""
    if not _words(whole).clients:
        return
    facts, uses = file.facts, file.facts.occurrences
    for use, name in enumerate(uses.name):
        if uses.role[use] != Role.CALL or facts.strings[name] not in ASKED_BY or uses.base[use] < 0:
            continue
        keys, root = _chain(facts, uses.base[use])
        if not keys or root < 0:
            continue
        if any(_CLIENTS.match(named.dotted) for named in file.naming.owners(file.path, root)):
            source = SymbolRef(file.path, node_row(facts, uses.owner[use]))
            path = "/".join(keys)
            yield ContractUse("http", f"* /{path}", source, uses.start[use], uses.end[use], _SURE, rule=CLIENT)


def _chain(facts: FileFacts, expression: int) -> tuple[tuple[str, ...], int]:
    """Names behind the first one of `a.b.c`, and the expression of that; it may be a call as `useUtils()`."""
    table, names = facts.expressions, list[str]()
    while expression >= 0 and table.kind[expression] == ExpressionKind.MEMBER:
        names.append(facts.strings[table.b[expression]])
        expression = table.a[expression]
    return tuple(reversed(names)), expression


def _words(snapshot: Snapshot) -> _RouterWords:
    return _WORDS.once(snapshot, lambda: _looked(snapshot))


def _looked(snapshot: Snapshot) -> _RouterWords:
    names: set[str] = set()
    for path in snapshot.files_with_name(_MAKER):
        facts = snapshot.facts(path)
        table, expressions = facts.definitions, facts.expressions
        for row, value in enumerate(table.value):
            member = value >= 0 and expressions.kind[value] == ExpressionKind.MEMBER
            if member and facts.strings[expressions.b[value]] == "router":
                names.add(facts.strings[table.name[row]])
        names.add("router")
    clients = bool(names) and any(True for name in _CREATORS for _ in snapshot.files_with_name(name))
    return _RouterWords(frozenset(names), clients)


def _routers(file: FileRules, words: frozenset[str]) -> Iterator[tuple[int, SymbolRef | None]]:
    """Calls that make routers outside of others, each with the variable that it is bound to."""
    uses, table = file.facts.occurrences, file.facts.definitions
    end = -1
    for use, name in enumerate(uses.name):
        if uses.role[use] != Role.CALL or file.facts.strings[name] not in words or uses.start[use] < end:
            continue
        if not _makes_router(file, file.path, use):
            continue
        end = _code(file).behind(uses.end[use])
        bound = (
            row for row in range(len(table))
            if table.value[row] >= 0 and table.full_start[row] <= uses.start[use] < table.full_end[row]
            and use_of(file.facts, table.value[row]) == use
        )  # fmt: skip
        row = next(bound, -1)
        yield use, SymbolRef(file.path, row) if row >= 0 else None


def _makes_router(file: FileRules, path: FilePath, use: int, steps: int = 0) -> bool:
    """Whether a name leads to the function of the library: by itself, or by what it was bound to."""
    if any(_ROUTER.match(named.dotted) for named in file.naming.names(path, use)):
        return True
    for target in file.naming.targets(path, use) if steps < _STEPS else ():
        place = target.place
        value = file.naming.value(place) if place is not None else -1
        if place is not None and value >= 0:
            facts = file.snapshot.facts(place.file)
            if facts.expressions.kind[value] in (ExpressionKind.NAME, ExpressionKind.MEMBER):
                there = use_at(facts, facts.expressions.c[value])
                if there >= 0 and _makes_router(file, FilePath(place.file), there, steps + 1):
                    return True
    return False


def _code(file: FileRules) -> CodeText:
    return attrs.evolve(file.code, longest=_LONGEST)


class _RouterReader:
    """The members of routers of one file."""

    def __init__(self, file: FileRules, nodes: list[DeclaredNode], mounts: list[Mount]) -> None:
        self._file = file
        self._code = _code(file)
        self._nodes = nodes
        self._mounts = mounts
        self._test = is_test_file(file.path)

    def read(self, use: int, router: SymbolRef | None) -> None:
        """All that one call declares."""
        uses = self._file.facts.occurrences
        given = self._code.arguments(uses.end[use])
        if given:
            self._object(given[0], "", router, uses.start[use], 0)

    def _object(self, holder: Argument, prefix: str, router: SymbolRef | None, start: int, depth: int) -> None:
        for member in self._code.members(holder) if depth < _DEEP else ():
            self._member(member, f"{prefix}/{member.keyword}", router, start, depth)

    def _member(self, member: Argument, path: str, router: SymbolRef | None, start: int, depth: int) -> None:
        file, code = self._file, self._code
        if code.data[member.start : member.start + 1] == b"{":
            self._object(member, path, router, start, depth + 1)
            return
        use = file.use_ending(member.start, member.end)
        if use >= 0:
            self._named(member, use, path, router, start)
            return
        opening = code.callee_end(member.start, member.end)
        kind = _KINDS.search(code.data, member.start, opening) if opening >= 0 else None
        if kind is not None:
            self._nodes.append(self._inline(member, opening, path, kind[1].decode(), router))
            return
        made = file.use_ending(member.start, len(code.data[:opening].rstrip())) if opening >= 0 else -1
        if made >= 0 and _makes_router(file, file.path, made):
            given = code.arguments(opening)
            if given:
                self._object(given[0], path, router, start, depth + 1)

    def _named(self, member: Argument, use: int, path: str, router: SymbolRef | None, start: int) -> None:
        """A member that stands for a procedure or router of another place."""
        file = self._file
        targets = file.naming.targets(file.path, use)
        for target in targets:
            place = target.place
            value = file.naming.value(place) if place is not None else -1
            if place is None or value < 0:
                continue
            facts = file.snapshot.facts(place.file)
            made = use_of(facts, value) if facts.expressions.kind[value] == ExpressionKind.CALL else -1
            if made < 0:
                continue
            name = facts.strings[facts.occurrences.name[made]]
            if name in ("query", "mutation", "subscription"):
                handlers = handlers_of((target,), file.facts.occurrences.start[use], file.facts.occurrences.end[use])
                self._nodes.append(self._node(member, path, name, by=router, handlers=handlers))
                return
            if _makes_router(file, FilePath(place.file), made):
                table = facts.definitions
                span = table.full_start[place.definition], table.full_end[place.definition]
                where = FilePath(place.file)
                self._mounts.append(Mount(file.path, start, router, path, place, where, span, made=False))
                return

    def _inline(self, member: Argument, opening: int, path: str, kind: str, router: SymbolRef | None) -> DeclaredNode:
        file = self._file
        given = next(iter(self._code.arguments(opening)), None)
        handlers: tuple[Handler, ...] = ()
        inside: tuple[Handler, ...] = ()
        if given is not None:
            use = file.use_ending(given.start, given.end)
            if use >= 0:
                uses = file.facts.occurrences
                handlers = handlers_of(file.naming.targets(file.path, use), uses.start[use], uses.end[use])
            else:
                inside = calls_inside(file.snapshot, file.path, (given.start, given.end))
        return self._node(member, path, kind, by=router, handlers=handlers, inside=inside)

    def _node(
        self, member: Argument, path: str, kind: str, *, by: SymbolRef | None, handlers: tuple[Handler, ...],
        inside: tuple[Handler, ...] = (),
    ) -> DeclaredNode:  # fmt: skip
        method = kind.upper()
        test: tuple[tuple[str, bool], ...] = (("test", True),) if self._test else ()
        line = self._code.data.find(b"\n", member.start, member.end)
        span = DerivedSpan(member.start, line if line >= 0 else member.end, member.start, member.end)
        about = (("rule", _RULE), *test, ("path", path), ("method", method), ("methods", (method,)))
        name = f"{method} {path}"
        return DeclaredNode("route", PROCEDURE, name, span, _SURE, about, handlers, inline=inside, by=by)
