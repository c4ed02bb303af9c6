"""Mounts: calls that take in the routes of a router, application or plugin under a path.

Owns: reading what one call takes in, and the path.
Must not know: any particular framework, which routes there are.
Invariant: a path that is not written out mounts nothing; what is taken in is what a name, an import or a call leads to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

import attrs

from graphls.analysis.frameworks.arguments import Argument, choose_argument
from graphls.analysis.frameworks.declared_nodes import Mount
from graphls.analysis.frameworks.marks import Marks, use_of
from graphls.analysis.frameworks.routes import INCLUDED, FileRules, RuleMatch, joined_path
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_at
from graphls.graph.snapshot import SymbolRef
from graphls.graph.url_paths import HOLE

_SUMMAND = re.compile(rb"\s*\+\s*([A-Za-z_][\w.]*)")
_IMPORTS = (b"require", b"import")
_FILE = 2**31 - 1
"""Behind the end of any file."""
_CALLABLE = (DefinitionKind.FUNCTION, DefinitionKind.METHOD)
_What = tuple[SymbolRef, bool]
"""What is taken in, and whether it is what a function gives back."""


def mounts_of(file: FileRules, marks: Marks) -> Iterator[Mount]:
    """What one file takes in, in source order."""
    for match in file.called(marks):
        if match.rule.yields == "mount":
            yield from _mounts(file, match)
        elif match.rule.include:
            yield from _inclusions(file, match)


def _mounts(file: FileRules, match: RuleMatch) -> Iterator[Mount]:
    given = file.given(match)
    path_argument = file.code.place(given, match.rule.argument)
    written = file.spelled.whole(path_argument.start, path_argument.end) if path_argument is not None else ""
    taken = [one for one in given if str(one.position) in match.rule.handler or one.keyword in match.rule.handler]
    if written is None and path_argument is not None and path_argument in taken and _may_run(file, path_argument):
        written = ""  # a router in the place of the path
    elif path_argument in taken:
        taken.remove(path_argument)
    if written is None or HOLE in file.prefix(match):
        return
    own, replaces = file.prefix(match), match.rule.replaces and path_argument is not None
    prefix = joined_path(own, written, slashes=True) if own or written else ""
    start, by = file.facts.occurrences.start[match.use], file.called_on(match)
    if not match.rule.handler and prefix:
        others = (one for one in given if one is not path_argument)
        but = tuple(text for one in others for text, _, _ in file.code.strings(one.start, one.end))
        framework = match.rule.name.partition(".")[0]
        yield Mount(file.path, start, by, prefix, None, file.path, (0, 0), False, framework=framework, but=but)
    for argument in _each(file, taken):
        if file.code.is_function(argument.start, argument.end):
            span = argument.start, argument.end
            yield Mount(file.path, start, by, prefix, None, file.path, span, False, replaces)
            continue
        for place, made in _taken(file, argument, match.rule.unwrap):
            table = file.snapshot.facts(place.file).definitions
            span = table.full_start[place.definition], table.full_end[place.definition]
            yield Mount(file.path, start, by, prefix, place, place.file, span, made, replaces)


def _each(file: FileRules, taken: Iterable[Argument]) -> Iterator[Argument]:
    """Arguments, and in the place of a list what it lists."""
    for argument in taken:
        listed = file.code.data[argument.start : argument.start + 1] == b"["
        yield from file.code.elements(argument.start) if listed else (argument,)


def _inclusions(file: FileRules, match: RuleMatch) -> Iterator[Mount]:
    """`path("polls/", include("polls.urls"))`: a module, a list of routes or a router that is taken in."""
    given = file.given(match)
    path, handler = (file.code.place(given, places) for places in (match.rule.argument, match.rule.handler))
    written = file.spelled.whole(path.start, path.end) if path is not None else None
    if handler is None or written is None:
        return
    argument = choose_argument(file.include_arguments(match.rule, handler) or (), INCLUDED)
    if argument is None:
        return
    start, prefix = file.facts.occurrences.start[match.use], written.lstrip("^")
    for place in (place for one in (argument, *_added(file, argument)) for place in _included(file, one)):
        table = file.snapshot.facts(place.file).definitions
        if place.definition < 0:
            what, span = None, (0, _FILE)
        else:
            what, span = place, (table.full_start[place.definition], table.full_end[place.definition])
        yield Mount(file.path, start, None, prefix, what, place.file, span, made=False, verbatim=True)
    if file.code.elements(argument.start):
        span = argument.start, argument.end
        yield Mount(file.path, start, None, prefix, None, file.path, span, made=False, verbatim=True)


def _added(file: FileRules, argument: Argument) -> Iterator[Argument]:
    """What a list that is written out takes in by name: `[path(...), *router.urls] + more`."""
    parts = file.code.elements(argument.start)
    if not parts:
        return
    for one in parts:
        if file.code.data[one.start : one.start + 1] == b"*":
            yield attrs.evolve(one, start=one.start + 1)
    at = file.code.behind(argument.start)
    while (more := _SUMMAND.match(file.code.data, at, argument.end)) is not None:
        yield attrs.evolve(argument, start=more.start(1), end=more.end(1))
        at = more.end()


def _included(file: FileRules, argument: Argument) -> Iterator[SymbolRef]:
    """The module, list or router that an argument names; of `(routes, "name")` the routes."""
    modules = [place for place, _, _ in file.spelled_modules(argument)]
    if modules:
        yield from modules
        return
    parts = file.code.elements(argument.start) if file.code.data[argument.start : argument.start + 1] == b"(" else ()
    if parts:
        yield from _included(file, parts[0])
        return
    use = file.use_ending(argument.start, argument.end)
    for target in file.naming.targets(file.path, use) if use >= 0 else ():
        if target.place is not None:
            yield target.place
            return
    owner = use_of(file.facts, file.facts.occurrences.base[use]) if use >= 0 else -1
    for target in file.naming.targets(file.path, owner) if owner >= 0 else ():
        if target.place is not None and target.place.definition >= 0:  # `router.urls`
            yield target.place


def _may_run(file: FileRules, argument: Argument) -> bool:
    """Whether what stands in the place of the path is a router or a function, and no path that is worked out."""
    if file.code.is_function(argument.start, argument.end) or file.code.callee_end(argument.start, argument.end) >= 0:
        return True
    for place, _ in _taken(file, argument):
        value = file.naming.value(place)
        facts = file.snapshot.facts(place.file)
        if facts.definitions.kind[place.definition] in _CALLABLE:
            return True
        if value >= 0 and facts.expressions.kind[value] in (ExpressionKind.CALL, ExpressionKind.SUBSCRIPT):
            return True
    return False


def _taken(file: FileRules, argument: Argument, unwrap: Collection[str] = ()) -> Iterator[_What]:
    """What an argument stands for: a name, a module that is brought in right there, or what a function gives back.
    `unwrap`: members whose call stands for the object that they are called on, `users.routes()`."""
    use = file.use_ending(argument.start, argument.end)
    if use >= 0:
        yield from ((place, False) for place in _named(file, use))
        return
    behind = file.code.callee_end(argument.start, argument.end)
    if behind < 0:
        return
    if file.code.data[argument.start : behind].strip() in _IMPORTS:
        module = file.imported_module(argument.start, argument.end)
        if module is not None:
            yield from ((place, False) for place in _given(file, module))
        return
    called = file.use_ending(argument.start, behind)
    owner = _unwrapped(file, called, unwrap)
    if owner >= 0:
        yield from ((place, False) for place in _named(file, owner))
        return
    for target in file.naming.targets(file.path, called) if called >= 0 else ():
        for place in _given(file, target.place) if target.place is not None else ():
            if file.snapshot.facts(place.file).definitions.kind[place.definition] in _CALLABLE:
                yield place, True


def _unwrapped(file: FileRules, called: int, unwrap: Collection[str]) -> int:
    """The use that a member is called on which stands for its object; -1 where it is none of these."""
    uses = file.facts.occurrences
    if called < 0 or uses.base[called] < 0 or file.facts.strings[uses.name[called]] not in unwrap:
        return -1
    return use_of(file.facts, uses.base[called])


def _named(file: FileRules, use: int) -> Iterator[SymbolRef]:
    for target in file.naming.targets(file.path, use):
        if target.place is not None:
            yield from _given(file, target.place)


def _given(file: FileRules, place: SymbolRef) -> Iterator[SymbolRef]:
    """The thing itself; of a module what it exports as a whole."""
    facts = file.snapshot.facts(place.file)
    table = facts.definitions
    if place.definition < 0:
        flag = DefinitionFlag.DEFAULT_EXPORT
        for row in [row for row, flags in enumerate(table.flags) if flags & flag][:2]:
            yield from _given(file, SymbolRef(place.file, row))
    elif table.kind[place.definition] == DefinitionKind.IMPORT:
        yield from _passed_on(file, place)
    else:
        yield place


def _passed_on(file: FileRules, place: SymbolRef) -> Iterator[SymbolRef]:
    """What a binding that only passes something on leads to: `module.exports = router`."""
    facts, path = file.snapshot.facts(place.file), FilePath(place.file)
    value = facts.definitions.value[place.definition]
    if value < 0 or facts.expressions.kind[value] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
        return
    use = use_of(facts, value)
    use = use if use >= 0 else use_at(facts, facts.definitions.start[place.definition])
    for target in file.naming.targets(path, use) if use >= 0 else ():
        if target.place is not None and target.place != place and target.place.definition >= 0:
            kind = file.snapshot.facts(target.place.file).definitions.kind[target.place.definition]
            if kind != DefinitionKind.IMPORT:
                yield target.place
