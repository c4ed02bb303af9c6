"""Procedures: routers of tRPC, the procedures in them, and the calls of clients that are typed by a router.

Owns: which calls make routers and clients, what the members of a router are, the paths of procedures.
Must not know: HTTP, which procedures there are in other files, how paths are joined.
Invariant: a router or client is one that leads to the library; a member that is neither procedure nor router declares
    nothing.

A procedure is a route whose path are the keys that lead to it. Source: https://trpc.io/docs/server/routers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
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
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file, last_name, node_row, rows_named, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef

PROCEDURE: Final = "procedure"
CLIENT: Final = "trpc.client"
_RULE: Final = "trpc.procedure"
_MAKER: Final = "initTRPC"
_ROUTER: Final = re.compile(r"@trpc/server(?:/[\w/-]+)?\.(?:\w+\.)*(router|mergeRouters)\Z")
_MERGED: Final = "mergeRouters"
_LAZY: Final = re.compile(r"@trpc/server(?:/[\w/-]+)?\.(?:experimental_)?lazy\Z")
_THEN: Final = re.compile(rb"\.\s*then\s*\(\s*\(?\s*(\w+)\s*\)?\s*=>\s*\1\s*\.\s*(\w+)")
"""`import("./slow").then((m) => m.slowRouter)`."""
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
_CALLER, _FACTORY = "createCaller", "createCallerFactory"
_BOUND: Final = re.compile(rb"\s*(?::[^=\n;]*)?=\s*\{")
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
    callers: frozenset[str]
    """Names of what calls procedures in this process, and of what makes it."""
    starts: frozenset[str]
    """Names of what procedures begin with: `publicProcedure`."""


def router_words(snapshot: Snapshot) -> frozenset[str]:
    """Names by which files that make routers are found; none where nothing does."""
    return _words(snapshot).routers


def may_have_procedures(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file may make routers, or ask for procedures, by its names alone."""
    words = _words(snapshot)
    if not words.routers or not snapshot.shards[path].language:
        return False
    names = set(snapshot.facts(path).strings)
    return not names.isdisjoint(words.routers | words.callers | words.starts) or (
        words.clients and not names.isdisjoint(ASKED_BY)
    )


def may_make_routers(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether a file may make routers, by its names alone."""
    words = _words(snapshot).routers | _words(snapshot).starts
    return bool(words and snapshot.shards[path].language) and not words.isdisjoint(snapshot.facts(path).strings)


def procedures(file: FileRules, whole: Snapshot) -> tuple[tuple[DeclaredNode, ...], tuple[Mount, ...]]:
    """What the routers of one file declare, and what they take in. `whole`: who watches notes nothing of the names."""
    nodes: list[DeclaredNode] = []
    mounts: list[Mount] = []
    reader = _RouterReader(file, nodes, mounts)
    for use, router in _routers(file, router_words(whole)):
        reader.read(use, router)
    for record, place in _records(file, _words(whole).starts):
        reader.read_record(record, place)
    return tuple(nodes), tuple(mounts)


def procedure_uses(file: FileRules, whole: Snapshot) -> Iterator[ContractUse]:
    """Procedures that clients in one file ask for."""
    words = _words(whole)
    if not (words.clients or words.callers):
        return
    facts, uses = file.facts, file.facts.occurrences
    for use, name in enumerate(uses.name):
        if uses.role[use] != Role.CALL or uses.base[use] < 0:
            continue
        keys, root = _chain(facts, uses.base[use])
        path = _procedure_path(file, words, facts.strings[name], keys, root) if root >= 0 else ""
        if path:
            source = SymbolRef(file.path, node_row(facts, uses.owner[use]))
            yield ContractUse("http", f"* /{path}", source, uses.start[use], uses.end[use], _SURE, rule=CLIENT)


def _procedure_path(file: FileRules, words: _RouterWords, name: str, keys: tuple[str, ...], root: int) -> str:
    """The path that a call asks for: of a client, or of what calls procedures in this process."""
    if words.callers and _is_caller(file, words, SymbolRef(file.path, -1), root):
        return "/".join((*keys, name))
    asks = keys and words.clients and name in ASKED_BY
    if not asks:
        return ""
    known = any(_CLIENTS.match(named.dotted) for named in file.naming.owners(file.path, root))
    return "/".join(keys) if known or _is_client(file, file.path, root) else ""


def _is_client(file: FileRules, path: FilePath, expression: int, steps: int = 0) -> bool:
    """Whether an expression is what a hook of the library gives: `useTRPC()` of `{ useTRPC } = createTRPCContext()`."""
    facts = file.snapshot.facts(path)
    table = facts.expressions
    kind = table.kind[expression]
    if kind == ExpressionKind.CALL:
        return _is_client(file, path, table.a[expression], steps)
    hook = kind == ExpressionKind.MEMBER and facts.strings[table.b[expression]].startswith("use")
    named_there = (kind == ExpressionKind.NAME or hook) and table.c[expression] >= 0
    use = use_at(facts, table.c[expression]) if named_there else -1
    if use < 0 or steps >= _STEPS:
        return False
    if any(_CLIENTS.match(named.dotted) for named in file.naming.names(path, use)):
        return True
    values = _values(file, path, table.c[expression])
    return any(
        file.snapshot.facts(place.file).expressions.kind[value] in (ExpressionKind.CALL, ExpressionKind.MEMBER)
        and _is_client(file, FilePath(place.file), value, steps + 1)
        for place, value in values
    )


def _is_caller(file: FileRules, words: _RouterWords, where: SymbolRef, expression: int, steps: int = 0) -> bool:
    """Whether an expression is what `createCaller(context)` gave. `where`: its file."""
    facts, path = file.snapshot.facts(where.file), FilePath(where.file)
    table = facts.expressions
    kind = table.kind[expression]
    if steps >= _STEPS or kind not in (ExpressionKind.NAME, ExpressionKind.CALL):
        return False
    if kind == ExpressionKind.CALL:
        return _makes_caller(file, words, path, table.a[expression], steps + 1)
    if facts.strings[table.a[expression]] not in words.callers:
        return False
    return any(
        _is_caller(file, words, place, value, steps + 1) for place, value in _values(file, path, table.c[expression])
    )


def _makes_caller(file: FileRules, words: _RouterWords, path: FilePath, callee: int, steps: int) -> bool:
    """Whether calling an expression gives one: `router.createCaller`, `createCallerFactory(router)`."""
    facts = file.snapshot.facts(path)
    table = facts.expressions
    kind = table.kind[callee] if callee >= 0 else -1
    if steps >= _STEPS:
        return False
    if kind == ExpressionKind.MEMBER:
        return facts.strings[table.b[callee]] == _CALLER
    if kind == ExpressionKind.CALL:
        return _is_factory(facts, table.a[callee])
    if kind != ExpressionKind.NAME or facts.strings[table.a[callee]] not in words.callers:
        return False
    values = _values(file, path, table.c[callee])
    return any(
        file.snapshot.facts(place.file).expressions.kind[value] == ExpressionKind.CALL
        and _is_factory(file.snapshot.facts(place.file), file.snapshot.facts(place.file).expressions.a[value])
        for place, value in values
    )


def _is_factory(facts: FileFacts, callee: int) -> bool:
    table = facts.expressions
    if callee < 0 or table.kind[callee] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
        return False
    name = table.a[callee] if table.kind[callee] == ExpressionKind.NAME else table.b[callee]
    return facts.strings[name] == _FACTORY


def _values(file: FileRules, path: FilePath, start: int) -> Iterator[tuple[SymbolRef, int]]:
    """What the name at a place is bound to."""
    use = use_at(file.snapshot.facts(path), start)
    for target in file.naming.targets(path, use) if use >= 0 else ():
        value = file.naming.value(target.place) if target.place is not None else -1
        if target.place is not None and value >= 0:
            yield target.place, value


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
    starts: set[str] = set()
    for path in snapshot.files_with_name(_MAKER):
        facts = snapshot.facts(path)
        table, expressions = facts.definitions, facts.expressions
        for row, value in enumerate(table.value):
            member = value >= 0 and expressions.kind[value] == ExpressionKind.MEMBER
            if member and facts.strings[expressions.b[value]] in ("router", _MERGED):
                names.add(facts.strings[table.name[row]])
            if value >= 0 and _begins_procedures(facts, value, starts):
                starts.add(facts.strings[table.name[row]])
        names |= {"router", _MERGED}
    clients = bool(names) and any(True for name in _CREATORS for _ in snapshot.files_with_name(name))
    callers = _caller_names(snapshot) if names else frozenset[str]()
    return _RouterWords(frozenset(names), clients, callers, frozenset(starts))


def _begins_procedures(facts: FileFacts, expression: int, known: Set[str]) -> bool:
    """Whether a value is `t.procedure`, or what calls make of it or of a known one: `publicProcedure.use(...)`."""
    table = facts.expressions
    while expression >= 0 and table.kind[expression] in (ExpressionKind.MEMBER, ExpressionKind.CALL):
        if table.kind[expression] == ExpressionKind.MEMBER and facts.strings[table.b[expression]] == PROCEDURE:
            return True
        expression = table.a[expression]
    return (
        expression >= 0
        and table.kind[expression] == ExpressionKind.NAME
        and facts.strings[table.a[expression]] in known
    )


def _caller_names(snapshot: Snapshot) -> frozenset[str]:
    """Names of variables that hold callers or what makes them, and the words of the library."""
    names: set[str] = set()
    for path in {*snapshot.files_with_name(_CALLER), *snapshot.files_with_name(_FACTORY)}:
        facts = snapshot.facts(path)
        table, expressions = facts.definitions, facts.expressions
        names |= {_CALLER, _FACTORY}
        for row, value in enumerate(table.value):
            callee = expressions.a[value] if value >= 0 and expressions.kind[value] == ExpressionKind.CALL else -1
            while callee >= 0 and expressions.kind[callee] == ExpressionKind.CALL:
                callee = expressions.a[callee]
            last = last_name(facts, callee) if callee >= 0 else ""
            if last in (_CALLER, _FACTORY):
                names.add(facts.strings[table.name[row]])
    return frozenset(names)


def caller_words(snapshot: Snapshot) -> frozenset[str]:
    """Names by which files that call procedures in their own process are found."""
    return _words(snapshot).callers


def _routers(file: FileRules, words: frozenset[str]) -> Iterator[tuple[int, SymbolRef | None]]:
    """Calls that make routers outside of others, each with the variable that it is bound to."""
    uses, table = file.facts.occurrences, file.facts.definitions
    end = -1
    for use, name in enumerate(uses.name):
        if uses.role[use] != Role.CALL or file.facts.strings[name] not in words or uses.start[use] < end:
            continue
        if not _maker(file, file.path, use):
            continue
        end = _code(file).behind(uses.end[use])
        bound = (
            row for row in range(len(table))
            if table.value[row] >= 0 and table.full_start[row] <= uses.start[use] < table.full_end[row]
            and use_of(file.facts, table.value[row]) == use
        )  # fmt: skip
        row = next(bound, -1)
        yield use, SymbolRef(file.path, row) if row >= 0 else None


def _records(file: FileRules, starts: frozenset[str]) -> Iterator[tuple[Argument, SymbolRef]]:
    """Objects of a module that hold procedures without a call around them, for a router of another place to take in:
    `const posts = { all: publicProcedure.query(...) } satisfies TRPCRouterRecord`."""
    facts, code = file.facts, _code(file)
    if starts.isdisjoint(facts.strings):
        return
    for row, scope in enumerate(facts.definitions.scope):
        record = _object_of(facts, code, row) if scope == 0 else None
        if record is not None and any(_is_procedure(file, code, one, starts) for one in code.members(record)):
            yield record, SymbolRef(file.path, row)


def _object_of(facts: FileFacts, code: CodeText, row: int) -> Argument | None:
    """The object literal that a variable is bound to."""
    table = facts.definitions
    value = _BOUND.match(code.data, table.end[row], table.full_end[row])
    return Argument("", -1, value.end() - 1, table.full_end[row]) if value is not None else None


def _is_procedure(file: FileRules, code: CodeText, member: Argument, starts: frozenset[str]) -> bool:
    """Whether a member is a procedure that begins with one of the library."""
    opening = code.callee_end(member.start, member.end)
    if opening < 0 or _KINDS.search(code.data, member.start, opening) is None:
        return False
    use = use_at(file.facts, member.start)
    if use < 0 or file.facts.strings[file.facts.occurrences.name[use]] not in starts:
        return False
    places = (target.place for target in file.naming.targets(file.path, use))
    return any(place is not None and _MAKER in file.snapshot.facts(place.file).strings for place in places)


def _maker(file: FileRules, path: FilePath, use: int, steps: int = 0) -> str:
    """What the function of the library is called that a name leads to, by itself or by what it was bound to; ""."""
    made = next((found[1] for named in file.naming.names(path, use) if (found := _ROUTER.match(named.dotted))), "")
    if made:
        return made
    for target in file.naming.targets(path, use) if steps < _STEPS else ():
        place = target.place
        value = file.naming.value(place) if place is not None else -1
        if place is not None and value >= 0:
            facts = file.snapshot.facts(place.file)
            if facts.expressions.kind[value] in (ExpressionKind.NAME, ExpressionKind.MEMBER):
                there = use_at(facts, facts.expressions.c[value])
                made = _maker(file, FilePath(place.file), there, steps + 1) if there >= 0 else ""
                if made:
                    return made
    return ""


def _exported(file: FileRules, path: FilePath, name: str) -> list[SymbolRef]:
    """Routers that a module offers: of this name, else by default, else the only one."""
    facts = file.snapshot.facts(path)
    table = facts.definitions
    default = [row for row, flags in enumerate(table.flags) if flags & DefinitionFlag.DEFAULT_EXPORT]
    rows = [row for row, value in enumerate(table.value) if value >= 0 and table.scope[row] == 0]
    chosen = [row for row in rows if facts.strings[table.name[row]] == name] if name else default or rows
    found = [place for row in chosen for place in _bound_routers(file, SymbolRef(path, row))]
    return found if name or default or len(found) == 1 else []


def _bound_routers(file: FileRules, place: SymbolRef, steps: int = 0) -> Iterator[SymbolRef]:
    """The variable itself where it holds a router, or the one that it passes on."""
    facts = file.snapshot.facts(place.file)
    value = facts.definitions.value[place.definition]
    if value < 0 or steps >= _STEPS:
        return
    kind = facts.expressions.kind[value]
    if kind == ExpressionKind.NAME:
        # `export default mine` has no use of its own: the name is that of a variable of the module.
        table, name = facts.definitions, facts.expressions.a[value]
        for row in rows_named(facts, name):
            if table.scope[row] == 0 and row != place.definition:
                yield from _bound_routers(file, SymbolRef(place.file, row), steps + 1)
    elif kind == ExpressionKind.CALL:
        made = use_of(facts, value)
        if made >= 0 and _maker(file, FilePath(place.file), made):
            yield place


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
        if _maker(self._file, self._file.path, use) == _MERGED:
            self._merged(given, "", router, uses.start[use], 0)
        elif given:
            self._object(given[0], "", router, uses.start[use], 0)

    def read_record(self, record: Argument, place: SymbolRef) -> None:
        """All that an object of procedures declares."""
        self._object(record, "", place, record.start, 0)

    def _merged(self, given: tuple[Argument, ...], path: str, router: SymbolRef | None, start: int, depth: int) -> None:
        """Routers that become one."""
        for one in given if depth < _DEEP else ():
            self._member(one, path, router, start, depth + 1)

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
        maker = _maker(file, file.path, made) if made >= 0 else ""
        if maker == _MERGED:
            self._merged(code.arguments(opening), path, router, start, depth)
        elif maker:
            given = code.arguments(opening)
            if given:
                self._object(given[0], path, router, start, depth + 1)
        elif made >= 0 and any(_LAZY.match(named.dotted) for named in file.naming.names(file.path, made)):
            self._lazy(member, path, router, start)

    def _lazy(self, member: Argument, path: str, router: SymbolRef | None, start: int) -> None:
        """`lazy(() => import("./slow"))`: the router that a module exports by default, the one that is named, or the
        only one."""
        module = self._file.imported_module(member.start, member.end)
        if module is None:
            return
        named = _THEN.search(self._code.data, member.start, member.end)
        places = _exported(self._file, FilePath(module.file), named[2].decode() if named is not None else "")
        for place in places:
            self._mount(place, path, router, start)

    def _mount(self, place: SymbolRef, path: str, router: SymbolRef | None, start: int) -> None:
        where, table = FilePath(place.file), self._file.snapshot.facts(place.file).definitions
        span = table.full_start[place.definition], table.full_end[place.definition]
        self._mounts.append(Mount(self._file.path, start, router, path, place, where, span, made=False))

    def _named(self, member: Argument, use: int, path: str, router: SymbolRef | None, start: int) -> None:
        """A member that stands for a procedure or router of another place."""
        file = self._file
        targets = file.naming.targets(file.path, use)
        for target in targets:
            place = target.place
            if place is None or place.definition < 0:
                continue
            value, facts = file.naming.value(place), file.snapshot.facts(place.file)
            if _object_of(facts, code_of(file.snapshot, FilePath(place.file)), place.definition) is not None:
                self._mount(place, path, router, start)
                return
            made = use_of(facts, value) if value >= 0 and facts.expressions.kind[value] == ExpressionKind.CALL else -1
            if made < 0:
                continue
            name = facts.strings[facts.occurrences.name[made]]
            if name in ("query", "mutation", "subscription"):
                handlers = handlers_of((target,), file.facts.occurrences.start[use], file.facts.occurrences.end[use])
                self._nodes.append(self._node(member, path, name, by=router, handlers=handlers))
                return
            if _maker(file, FilePath(place.file), made):
                self._mount(place, path, router, start)
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
