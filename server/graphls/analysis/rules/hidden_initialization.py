"""Hidden initialization: importing a module reaches out to disk, network or other modules' state.

Owns: which calls at module level count, and which effects of the called function are told.
Must not know: how calls were resolved.
Invariant: a claim names the call, the function it surely reaches, and the effect inside that function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from graphls.analysis.finding import Claim, Evidence, Rule
from graphls.analysis.views import Views, is_call
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    OccurrenceFlag,
    Role,
    ScopeKind,
)
from graphls.facts.paths import FilePath
from graphls.graph.nodes import running_owner
from graphls.graph.snapshot import SymbolRef

_OUTSIDE: Final = (
    "builtins.open", "builtins.input", "io.open", "os.makedirs", "os.mkdir", "os.listdir", "os.scandir", "os.walk",
    "os.remove", "os.system", "os.popen", "subprocess.", "socket.", "urllib.request.", "http.client.", "requests.",
    "httpx.", "sqlite3.connect", "shutil.", "threading.Thread", "multiprocessing.",
)  # fmt: skip
_OUTSIDE_LAST: Final = frozenset(name.rpartition(".")[2] for name in _OUTSIDE) - {""}
_METHODS: Final = frozenset(("read_text", "read_bytes", "write_text", "write_bytes", "urlopen", "create_connection"))
_SUSPECTS: Final = (
    _OUTSIDE_LAST
    | _METHODS
    | {"run", "Popen", "check_output", "check_call", "call", "get", "post", "request", "socket"}
)
_MUTATORS: Final = frozenset(("append", "add", "update", "setdefault", "extend", "insert", "clear", "register"))
_BEGUN_BY_OTHERS: Final = DefinitionFlag.ASYNC | DefinitionFlag.GENERATOR
_IGNORED: Final = OccurrenceFlag.MAIN_GUARD | OccurrenceFlag.TYPE_CHECKING


@attrs.frozen
class _Effect:
    """Something a function may do, as its own file tells it. `occurrence` -1: no link is needed to be sure."""

    function: int
    name: str
    start: int
    end: int
    occurrence: int
    state: str
    """The module-level name that is changed, or "" for something outside the program."""


def check(views: Views) -> Iterator[Claim]:
    """One claim for each module and function that its import runs."""
    effects = {path: _effects_of(views, path) for path in views.sources()}
    everywhere = frozenset(effect.name for found in effects.values() for effect in found)
    inside = frozenset(effect.name for path, found in effects.items() if views.in_scope(path) for effect in found)
    for path in views.sources(programs=False):
        names = everywhere if views.in_scope(path) else inside
        if names:
            calls = views.per_file("module calls", path, lambda facts: tuple(_module_calls(facts)))
            yield from _claims(views, path, [row for row, name in calls if name in names], effects)


def _effects_of(views: Views, path: FilePath) -> tuple[_Effect, ...]:
    rows = views.per_file("effects", path, lambda facts: tuple(attrs.astuple(effect) for effect in _effects(facts)))
    return tuple(_Effect(*row) for row in rows)


def _effects(facts: FileFacts) -> Iterator[_Effect]:
    """Suspected effects of the functions at module level."""
    functions = {
        row: facts.strings[facts.definitions.name[row]]
        for row, kind in enumerate(facts.definitions.kind)
        if kind == DefinitionKind.FUNCTION and facts.definitions.scope[row] == 0
    }
    yield from _rebound(facts, functions)
    table = facts.occurrences
    state = _state(facts)
    for row, role in enumerate(table.role):
        owner = table.owner[row]
        if role != Role.CALL or owner not in functions:
            continue
        name = facts.strings[table.name[row]]
        changed = _changed(facts, row, state) if name in _MUTATORS else ""
        if changed:
            yield _Effect(owner, functions[owner], table.start[row], table.end[row], -1, changed)
        elif name in _SUSPECTS:
            yield _Effect(owner, functions[owner], table.start[row], table.end[row], row, "")


def _rebound(facts: FileFacts, functions: dict[int, str]) -> Iterator[_Effect]:
    table = facts.definitions
    for row, flags in enumerate(table.flags):
        if flags & DefinitionFlag.GLOBAL and table.scope[row] == 0 and table.owner[row] in functions:
            owner, name = table.owner[row], facts.strings[table.name[row]]
            if not _is_memo(facts, row):
                yield _Effect(owner, functions[owner], table.start[row], table.end[row], -1, name)


def _is_memo(facts: FileFacts, row: int) -> bool:
    """Whether a function makes on first use what it hands out: it looks at the name before it binds it, and after."""
    table, uses = facts.definitions, facts.occurrences
    owner, start, end = table.owner[row], table.start[row], table.full_end[row]
    rows = rows_with(uses.name, table.name[row])
    reads = [uses.start[at] for at in rows if uses.owner[at] == owner and uses.role[at] == Role.READ]
    # The statement that says whose name it is (`global x`) is one of those before.
    return sum(at < start for at in reads) > 1 and any(at > end for at in reads)


def _state(facts: FileFacts) -> frozenset[int]:
    """Names of variables at module level."""
    table = facts.definitions
    kinds = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT)
    return frozenset(
        name
        for name, kind, scope in zip(table.name, table.kind, table.scope, strict=True)
        if scope == 0 and kind in kinds
    )


def _changed(facts: FileFacts, occurrence: int, state: frozenset[int]) -> str:
    """The module-level variable that a mutating call is made on."""
    base = facts.occurrences.base[occurrence]
    if base < 0 or facts.expressions.kind[base] != ExpressionKind.NAME:
        return ""
    name = facts.expressions.a[base]
    bound = {
        scope for known, scope in zip(facts.definitions.name, facts.definitions.scope, strict=True) if known == name
    }
    scope = facts.expressions.b[base]
    while scope > 0 and scope not in bound:
        scope = facts.scopes.parent[scope]
    return facts.strings[name] if scope == 0 and name in state else ""


def _module_calls(facts: FileFacts) -> Iterator[tuple[int, str]]:
    """Calls that run when the module is imported: not in a class, a decorator or a guarded part."""
    table = facts.occurrences
    for row, role in enumerate(table.role):
        if role != Role.CALL or running_owner(facts, table.owner[row]) >= 0 or table.flags[row] & _IGNORED:
            continue
        if facts.scopes.kind[table.scope[row]] in (ScopeKind.MODULE, ScopeKind.COMPREHENSION):
            yield row, facts.strings[table.name[row]]


def _claims(
    views: Views, path: FilePath, calls: list[int], effects: dict[FilePath, tuple[_Effect, ...]]
) -> Iterator[Claim]:
    for row in calls:
        for target in views.sure_targets(path, row):
            if target.place is None or not is_call(target) or not _runs(views, target.place):
                continue
            known = [e for e in effects.get(target.place.file, ()) if e.function == target.place.definition]
            effect = next((e for e in known if _holds(views, path, target.place, e)), None)
            if effect is not None:
                yield _claim(views, SymbolRef(path, row), target.place, effect)


def _runs(views: Views, callee: SymbolRef) -> bool:
    """Whether a call surely runs the body: what a decorator made of a function may do something else, and neither a
    generator nor a coroutine has begun when the call is over."""
    facts = views.snapshot.facts(callee.file)
    made = callee.definition in facts.decorators.definition
    return not made and not facts.definitions.flags[callee.definition] & _BEGUN_BY_OTHERS


def _holds(views: Views, path: FilePath, callee: SymbolRef, effect: _Effect) -> bool:
    """Whether a suspected effect is one, and reaches beyond the importing module."""
    if effect.state:
        return callee.file != path
    targets = views.snapshot.targets(callee.file, effect.occurrence)
    if not targets:
        facts = views.snapshot.facts(callee.file)
        return facts.strings[facts.occurrences.name[effect.occurrence]] in _METHODS
    return any(target.external.startswith(_OUTSIDE) for target in targets if target.external)


def _claim(views: Views, call: SymbolRef, callee: SymbolRef, effect: _Effect) -> Claim:
    """`call` carries a row of Occurrences here: where the module calls the function."""
    facts = views.snapshot.facts(call.file)
    start, end = facts.occurrences.start[call.definition], facts.occurrences.end[call.definition]
    module, function = views.module(call.file), views.symbol(callee)
    does = f"changes {effect.state}" if effect.state else "reaches outside the program"
    return Claim(
        key=(module, function, effect.state),
        title=f"Importing {module} runs {effect.name}, which {does}",
        pressure="The effect happens to whoever imports the module first, at a moment that no caller chose.",
        confidence="medium",
        evidence=(
            Evidence(call.file, start, end, f"{module} calls it while it loads", SymbolRef(call.file, -1)),
            Evidence(callee.file, effect.start, effect.end, f"{function} {does} here", callee),
        ),
        suggestions=("Call it from the program's start-up.", "Do it on first use, behind a function."),
        risks=("Tests and tools that only import the module have the effect too.",),
        measures={"function": function, "state": effect.state or "outside"},
        caveats=("Effects of what the function calls in turn, and of methods, are not followed.",),
    )


RULE = Rule(
    code="arch.hidden_initialization",
    category="architecture",
    priority="P3",
    title="Hidden initialization",
    doc="""A call at module level of a function of this workspace that itself reads or writes files, starts processes,
    uses the network, or changes module-level state of another module. Decorators, class bodies, the part that runs as a
    program, tests, and files that are settings or scripts do not count.""",
    check=check,
    enabled=False,
)
