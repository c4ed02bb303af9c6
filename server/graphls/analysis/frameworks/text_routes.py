"""Text routes: routes by annotations and calls, as languages write them that no rule over names reads.

Owns: the declared rules about their text, which function answers, the paths that classes, groups and blocks are under.
Must not know: any particular framework, other files.
Invariant: a path is written out; a call is a route only where what it is given may answer: a function, or one without a
    name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler, Mount, handlers_of
from graphls.analysis.frameworks.inline import calls_inside
from graphls.analysis.frameworks.routes import FileRules, joined_path
from graphls.analysis.frameworks.rules import rule_heads, shipped_table, text_pattern
from graphls.analysis.frameworks.text_resources import resource_actions
from graphls.analysis.frameworks.texts import without_comments
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import Value
from graphls.graph.nodes import container, is_test_file, node_row, rows_named, use_at
from graphls.graph.snapshot import SymbolRef

_TABLE: Final = "routes"
_PATTERNS: Final = (
    *("annotation", "path", "methods", "call", "inner", "chained", "group", "block", "nest", "resources"),
    *("predicate", "headed", "listed", "given", "stripped", "taken"),
)
_RUNNING: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
_HOLDING: Final = frozenset((DefinitionKind.CLASS, DefinitionKind.INTERFACE))
_FARTHEST: Final = 3_000
"""Bytes between an annotation and what it stands above."""
_MOST_WRAPPERS: Final = 3
_MOST_GROUPS: Final = 8
_SURE: Final = 0.95
_LIKELY: Final = 0.85
_FUNCTION: Final = re.compile(
    rb"func\s*\(|function\s*\(|fn\s*\(|static\s+fn\b|(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>|async\s+move\b|\|"
)
"""The beginning of a function without a name."""
_LAST_NAME: Final = re.compile(rb"(?:&?[\w$]+\s*(?:\.|::|->)\s*)*([A-Za-z_]\w*)\Z")
_VERB_IN_PATH: Final = re.compile(r"([A-Z]+) +[\w.-]*(/.*)\Z", re.DOTALL)
_ANY: Final = frozenset(("ANY", "HANDLE", "HANDLEFUNC"))
_SHORT: Final = {"DEL": "DELETE"}
_OTHERS: Final = re.compile(rb"\"([^\"]*)\"")
_CALL_BEHIND: Final = re.compile(rb"\s*(?:\?\s*)?\.\s*\w+\s*(?:::\s*<[^()]*>\s*)?(?=\()")
"""The next call of a chain."""
_PLAIN_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_MOST_GROUPED: Final = 100
"""Variables that stand for a router below a path, in one file."""


@attrs.frozen(eq=False)
class TextRouteRule:
    """How one framework writes routes, see the head of the table."""

    name: str
    without: bytes
    annotation: re.Pattern[bytes] | None
    path: re.Pattern[bytes] | None
    methods: re.Pattern[bytes] | None
    alone: bool
    call: re.Pattern[bytes] | None
    inner: re.Pattern[bytes] | None
    chained: re.Pattern[bytes] | None
    group: re.Pattern[bytes] | None
    block: re.Pattern[bytes] | None
    nest: re.Pattern[bytes] | None
    resources: re.Pattern[bytes] | None
    predicate: re.Pattern[bytes] | None
    headed: re.Pattern[bytes] | None
    listed: re.Pattern[bytes] | None
    given: re.Pattern[bytes] | None
    stripped: re.Pattern[bytes] | None
    taken: re.Pattern[bytes] | None
    invoked: str
    trailing: bool
    slashed: bool
    conventional: bool
    documented: bool
    chain: bool
    pathless: bool


@attrs.frozen
class _Annotation:
    start: int
    verbs: tuple[str, ...]
    paths: tuple[str, ...]


@attrs.frozen
class _RoutePath:
    """The path of a route behind that of what it stands in. `computed`: the name of what answers, where the path is
    made of names."""

    prefix: str
    path: str
    computed: str = ""


@attrs.frozen(eq=False)
class _Notes:
    """Annotations by the definition that they stand above."""

    above: Mapping[int, Sequence[_Annotation]]

    def paths(self, row: int) -> Sequence[str]:
        """The paths above one."""
        return [path for note in self.above.get(row, ()) for path in note.paths]


@attrs.frozen
class _RouteBlock:
    start: int
    end: int
    path: str


@cache
def text_route_rules() -> Sequence[TextRouteRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, shipped_table(_TABLE)))


def _rule(row: dict[str, object]) -> TextRouteRule:
    patterns = {key: text_pattern(row, key) for key in _PATTERNS}
    return TextRouteRule(
        name=str(row["name"]),
        without=str(row.get("without", "")).encode(),
        invoked=str(row.get("invoked", "")),
        alone=bool(row.get("alone")),
        trailing=bool(row.get("trailing")),
        slashed=bool(row.get("slashed")),
        conventional=bool(row.get("conventional")),
        documented=bool(row.get("documented")),
        chain=bool(row.get("chain")),
        pathless=bool(row.get("pathless")),
        **patterns,
    )


def applicable_routes(path: str, text: bytes) -> Sequence[TextRouteRule]:
    """The rules that may say something about a file."""
    rules = text_route_rules()
    fitting = (rules[number] for number, head in enumerate(rule_heads(_TABLE)) if head.fits(path, text))
    return tuple(rule for rule in fitting if not rule.without or rule.without not in text)


def text_routes(file: FileRules) -> tuple[Sequence[DeclaredNode], Sequence[Mount]]:
    """What a file declares, and the functions that it has declare more below a path, by rule."""
    rules = applicable_routes(file.path, file.code.data)
    nodes, mounts = list[DeclaredNode](), list[Mount]()
    if rules:
        reader = _RouteReader(file)
        documented = _RouteReader(file, documented=True) if any(rule.documented for rule in rules) else reader
        for rule in rules:
            groups = reader.groups(rule)
            nodes += (documented if rule.documented else reader).annotated(rule)
            nodes += reader.listed(rule)
            nodes += reader.called(rule, groups)
            mounts += reader.mounted(rule, groups)
    return nodes, mounts


class _RouteReader:
    """Reads one file without its comments."""

    def __init__(self, file: FileRules, *, documented: bool = False) -> None:
        self._file = file
        self._code = attrs.evolve(file.code, data=without_comments(file.code.data, documented=documented))
        self._facts = file.facts
        table = file.facts.definitions
        rows = (row for row, kind in enumerate(table.kind) if kind in _RUNNING or kind in _HOLDING)
        self._rows = sorted(rows, key=lambda row: table.start[row])
        self._starts = [table.start[row] for row in self._rows]

    # ---- annotations

    def annotated(self, rule: TextRouteRule) -> Iterator[DeclaredNode]:
        """Functions below annotations, where these alone make routes."""
        if rule.listed is not None:
            return
        above = self.annotations(rule)
        table = self._facts.definitions
        notes = _Notes(above)
        for row in above:
            if table.kind[row] in _RUNNING:
                for path, verbs in _written_paths(above[row]):
                    if verbs or (rule.alone and notes.paths(row)):
                        yield self._below(rule, row, verbs, path, notes)

    def annotations(self, rule: TextRouteRule) -> dict[int, list[_Annotation]]:
        """By what they stand above."""
        above: dict[int, list[_Annotation]] = {}
        for found in rule.annotation.finditer(self._code.data) if rule.annotation is not None else ():
            at = bisect_right(self._starts, found.end())
            if at < len(self._rows) and self._starts[at] - found.end() < _FARTHEST:
                above.setdefault(self._rows[at], []).append(self._annotation(rule, found))
        return above

    def listed(self, rule: TextRouteRule) -> Iterator[DeclaredNode]:
        """Functions that a call names, which annotations above them, in whatever file, give paths."""
        read: dict[FilePath, Mapping[int, Sequence[_Annotation]]] = {}
        for found in rule.listed.finditer(self._code.data) if rule.listed is not None else ():
            for given in self._code.arguments(found.end()):
                for handler in self._handlers(given):
                    path = handler.place.file
                    if path not in read:
                        read[path] = _RouteReader(self._file.beside(path)).annotations(rule)
                    span = DerivedSpan(given.start, given.end, given.start, given.end)
                    for note in read[path].get(handler.place.definition, ()):
                        for written in note.paths or ("",):
                            known = _RoutePath("", written)
                            yield self._node(rule, note.verbs, known, span, handlers=(handler,))

    def _annotation(self, rule: TextRouteRule, found: re.Match[bytes]) -> _Annotation:
        data, start = self._code.data, found.end()
        while data[start : start + 1].isspace():
            start += 1
        end = self._code.behind_bracket(start) - 1 if data[start : start + 1] == b"(" else start
        verb = found.groupdict().get("verb")
        listed = rule.methods.finditer(data, start, end) if rule.methods is not None and not verb else ()
        verbs = [verb] if verb else [one["verb"] for one in listed]
        path = rule.path.search(data[start + 1 : end]) if rule.path is not None and end > start else None
        paths = () if path is None else (path["path"], *_OTHERS.findall(path.groupdict().get("others") or b""))
        written = tuple(one.decode("utf-8", "replace") for one in paths)
        return _Annotation(found.start(), tuple(one.decode().upper() for one in verbs), written)

    def _below(self, rule: TextRouteRule, row: int, verbs: tuple[str, ...], path: str, notes: _Notes) -> DeclaredNode:
        table, strings = self._facts.definitions, self._facts.strings
        cls = container(self._facts, row)
        prefix = next(iter(notes.paths(cls)), "")
        name = strings[table.name[row]]
        owner = strings[table.name[cls]] if cls >= 0 else ""
        words = {"[controller]": owner.removesuffix("Controller"), "[action]": name}
        for word, said in words.items():
            prefix, path = prefix.replace(word, said), path.replace(word, said)
        start = min(note.start for note in notes.above[row])
        handler = Handler(
            SymbolRef(self._file.path, node_row(self._facts, row)), table.start[row], table.end[row], "lexical", _SURE
        )
        span = DerivedSpan(start, table.end[row], start, table.full_end[row])
        known = _RoutePath(prefix, path, computed=name if rule.conventional and not prefix and not path else "")
        return self._node(rule, verbs, known, span, handlers=(handler,))

    # ---- calls

    def called(self, rule: TextRouteRule, groups: Mapping[str, str]) -> Iterator[DeclaredNode]:
        """Calls that are given a path and what answers."""
        opened = _OpenBlocks(self._blocks(rule))
        for found, given in self._calls(rule):
            before = opened.path_at(found.end())
            first, written = self._spelled_path(rule, given)
            behind = given[1:]
            if written is None and rule.pathless and given:
                written, behind = "", given
            spelled = _VERB_IN_PATH.match(written or "")
            if written is None or (rule.slashed and written and not written.startswith("/") and not spelled):
                continue
            base = (found.groupdict().get("base") or b"").decode()
            prefix = joined_path(before, groups.get(base, ""), slashes=True)
            first, path = (spelled[1], spelled[2]) if spelled else (first, written)
            yield from self._answered(rule, (found, given, behind), first, _RoutePath(prefix, path))

    def _spelled_path(self, rule: TextRouteRule, given: Sequence[Argument]) -> tuple[str | None, str | None]:
        """The verb and the path that a first argument is, or that a call in its place is given."""
        if not given:
            return None, "" if rule.trailing else None
        found = rule.predicate.match(self._code.data, given[0].start, given[0].end) if rule.predicate else None
        if found is None:
            return None, self._code.literal(given[0].start, given[0].end)
        verb = (found.groupdict().get("verb") or b"").decode()
        return verb or None, found["path"].decode("utf-8", "replace")

    def _calls(self, rule: TextRouteRule) -> Sequence[tuple[re.Match[bytes], tuple[Argument, ...]]]:
        """Calls that may declare a route. What they name is looked up at once."""
        if rule.call is None:
            return ()
        calls = [(found, self._code.arguments(found.end())) for found in rule.call.finditer(self._code.data)]
        last = (
            _LAST_NAME.match(self._code.data, given[-1].start, given[-1].end) for _, given in calls if len(given) > 1
        )
        self._file.naming.prepare(
            self._file.path,
            [use for name in last if name is not None and (use := use_at(self._facts, name.start(1))) >= 0],
        )
        return calls

    def _answered(
        self,
        rule: TextRouteRule,
        called: tuple[re.Match[bytes], Sequence[Argument], Sequence[Argument]],
        first: str | None,
        known: _RoutePath,
    ) -> Iterator[DeclaredNode]:
        """`called`: a call, what it is given, and what of this stands behind the path."""
        found, given, rest = called
        behind = self._code.behind(found.end()) if given else found.end()
        span = DerivedSpan(found.start(), behind, found.start(), behind)
        verb = first or (found.groupdict().get("verb") or b"").decode().upper()
        if rule.inner is not None and rest:
            pairs = list(rule.inner.finditer(self._code.data, rest[0].start, rest[-1].end))
            many = rule.resources.match(verb.encode()) if rule.resources is not None else None
            if many is not None:
                yield from self._of_resource(rule, bool(many["api"]), known, span, pairs)
                return
            for pair in pairs:
                own = (pair.groupdict().get("verb") or b"").decode().upper() or verb
                yield self._node(rule, _verbs(own), known, span, handlers=self._named(pair, rule.invoked))
            if pairs:
                return
        if rule.trailing:
            block = _block_behind(self._code, behind)
            if block is not None:
                inside = calls_inside(self._file.snapshot, self._file.path, block)
                yield self._node(rule, _verbs(verb), known, span, inline=inside)
            return
        if not rest:
            return
        last = rest[-1]
        chained = rule.chained.match(self._code.data, behind) if rule.chained is not None else None
        verbs = _verbs(verb)
        if chained is not None and rule.methods is not None:
            listed = rule.methods.finditer(self._code.data, chained.end(), self._code.behind_bracket(chained.end() - 1))
            verbs = tuple(one["verb"].decode().upper() for one in listed)
        handlers = self._handlers(last)
        if handlers:
            yield self._node(rule, verbs, known, span, handlers=handlers)
        elif self._is_function(last):
            inside = calls_inside(self._file.snapshot, self._file.path, (last.start, last.end))
            yield self._node(rule, verbs, known, span, inline=inside)

    def _is_function(self, argument: Argument) -> bool:
        return _FUNCTION.match(self._code.data, argument.start, argument.end) is not None

    def _handlers(self, argument: Argument, depth: int = 0) -> tuple[Handler, ...]:
        """What an argument names, also within calls that wrap it."""
        data = self._code.data
        named = _LAST_NAME.match(data, argument.start, argument.end)
        if named is not None:
            found = self._at(named.start(1))
            return tuple(one for one in found if self._kind(one.place) in _RUNNING | _HOLDING)
        behind = self._code.callee_end(argument.start, argument.end)
        if behind < 0 or depth >= _MOST_WRAPPERS:
            return ()
        for inner in self._code.arguments(behind):
            found = self._handlers(inner, depth + 1)
            if found:
                return tuple(attrs.evolve(one, confidence=round(one.confidence * _LIKELY, 4)) for one in found)
        return ()

    def _of_resource(
        self,
        rule: TextRouteRule,
        api: bool,
        known: _RoutePath,
        span: DerivedSpan,
        pairs: Sequence[re.Match[bytes]],
    ) -> Iterator[DeclaredNode]:
        """Routes that a resource stands for, as far as the calls behind it leave them."""
        chain = self._code.data[span.end : self._code.data.find(b";", span.end)].decode("utf-8", "replace")
        for action in resource_actions(known.path, chain, api=api):
            handlers = tuple(one for pair in pairs[:1] for one in self._named(pair, action.name))
            path = attrs.evolve(known, path=action.path)
            yield self._node(rule, action.verbs, path, span, handlers=handlers)

    def _named(self, pair: re.Match[bytes], invoked: str = "") -> tuple[Handler, ...]:
        """`invoked`: the method, where the text names the class alone."""
        groups = pair.groupdict()
        method = (groups.get("member") or b"").decode() or (invoked if groups.get("class") else "")
        if not method:
            named = _LAST_NAME.match(pair["handler"])
            return self._at(pair.start("handler") + named.start(1)) if named is not None else ()
        classes = self._at(pair.start("class"))
        found = ((one, self._member(one.place, method)) for one in classes)
        start, end = pair.span("member" if groups.get("member") else "class")
        return tuple(
            Handler(place, start, end, one.resolution, round(one.confidence * _SURE, 4))
            for one, place in found
            if place is not None
        )

    def _member(self, cls: SymbolRef, name: str) -> SymbolRef | None:
        facts = self._file.snapshot.facts(cls.file)
        if cls.definition < 0 or name not in facts.strings:
            return None
        rows = rows_named(facts, facts.strings.index(name))
        return next((SymbolRef(cls.file, row) for row in rows if container(facts, row) == cls.definition), None)

    def _at(self, start: int) -> tuple[Handler, ...]:
        use = use_at(self._facts, start)
        if use < 0:
            return ()
        uses, naming = self._facts.occurrences, self._file.naming
        return handlers_of(naming.targets(self._file.path, use), uses.start[use], uses.end[use])

    def _kind(self, place: SymbolRef) -> int:
        return self._file.snapshot.facts(place.file).definitions.kind[place.definition] if place.definition >= 0 else -1

    # ---- prefixes

    def mounted(self, rule: TextRouteRule, groups: Mapping[str, str]) -> Iterator[Mount]:
        """Calls of functions that are given a router below a path, `users.register(v1.Group("/users"))`, and of those
        whose router is put below one, `.nest("/users", users::router())`."""
        data = self._code.data
        for found in rule.nest.finditer(data) if rule.nest is not None else ():
            given = self._code.arguments(found.end())
            if len(given) < 2:
                continue
            path = self._code.literal(given[0].start, given[0].end)
            called = self._code.callee_end(given[1].start, given[1].end)
            named = _LAST_NAME.match(data, given[1].start, called) if called >= 0 else None
            if path is not None and named is not None:
                yield from self._below_path(found.start(), named.start(1), joined_path("", path, slashes=True))
        names = b"|".join(re.escape(name).encode() for name in list(groups)[:_MOST_GROUPED])
        given_to = re.compile(rb"(\w+)\(\s*(?:[\w.&]+\s*,\s*){0,4}(" + names + rb")\s*[,)]")
        for call in given_to.finditer(data) if groups else ():
            yield from self._below_path(call.start(), call.start(1), groups[call[2].decode()])
        yield from self._taken(rule)
        for made in rule.given.finditer(data) if rule.given is not None else ():
            given = self._code.arguments(made.end())
            path = self._code.literal(given[0].start, given[0].end) if given else None
            if path is not None:
                before = groups.get(made["base"].decode(), "")
                yield from self._below_path(made.start(), made.start("callee"), joined_path(before, path, slashes=True))

    def _taken(self, rule: TextRouteRule) -> Iterator[Mount]:
        """Functions that a call in a block is given, which are routes or declare some."""
        opened = _OpenBlocks(self._blocks(rule)) if rule.taken is not None else None
        for found in rule.taken.finditer(self._code.data) if rule.taken is not None else ():
            path = opened.path_at(found.end()) if opened is not None else ""
            for given in self._code.arguments(found.end()) if path else ():
                called = self._code.callee_end(given.start, given.end)
                named = _LAST_NAME.match(self._code.data, given.start, called if called >= 0 else given.end)
                if named is not None:
                    yield from self._below_path(found.start(), named.start(1), path)

    def _below_path(self, start: int, callee: int, path: str) -> Iterator[Mount]:
        for one in self._at(callee):
            if self._kind(one.place) in _RUNNING:
                table = self._file.snapshot.facts(one.place.file).definitions
                span = table.full_start[one.place.definition], table.full_end[one.place.definition]
                yield Mount(self._file.path, start, None, path, None, one.place.file, span, made=False)

    def groups(self, rule: TextRouteRule) -> Mapping[str, str]:
        """Variables that stand for a router below a path -> that path. Of equal names in a file the last counts."""
        made: dict[str, tuple[str, str]] = {}
        for found in rule.group.finditer(self._code.data) if rule.group is not None else ():
            given = self._code.arguments(found.end())
            path = self._code.literal(given[0].start, given[0].end) if given else None
            if path is not None:
                made[found["name"].decode()] = found["base"].decode(), path
        for found in rule.stripped.finditer(self._code.data) if rule.stripped is not None else ():
            given = self._code.arguments(found.end())
            if len(given) < 2:
                continue
            path = self._file.spelled.whole(given[0].start, given[0].end)
            name = self._code.data[given[1].start : given[1].end].strip()
            if path and _PLAIN_NAME.fullmatch(name):
                made.setdefault(name.decode(), ("", path))
        return {name: self._group_path(name, made) for name in made}

    def _group_path(self, name: str, made: Mapping[str, tuple[str, str]]) -> str:
        parts: list[str] = []
        for _ in range(_MOST_GROUPS):
            if name not in made:
                break
            base, path = made[name]
            parts.append(path)
            if base == name:
                break
            name = base
        return joined_path("", "/".join(part.strip("/") for part in reversed(parts)), slashes=True)

    def _blocks(self, rule: TextRouteRule) -> Iterator[_RouteBlock]:
        for found in rule.headed.finditer(self._code.data) if rule.headed is not None else ():
            block = _block_behind(self._code, found.end())
            if block is not None:
                yield _RouteBlock(*block, found["path"].decode("utf-8", "replace"))
        for found in rule.block.finditer(self._code.data) if rule.block is not None else ():
            given = self._code.arguments(found.end())
            path = self._spelled_path(rule, given)[1] if given else None
            behind = self._code.behind(found.end())
            if path is None:
                continue
            if rule.chain:
                yield _RouteBlock(behind, _chain_end(self._code, behind), path)
            elif rule.trailing:
                block = _block_behind(self._code, behind)
                if block is not None:
                    yield _RouteBlock(*block, path)
            elif len(given) > 1:
                yield _RouteBlock(given[-1].start, given[-1].end, path)
            elif (called := _CHAINED.match(self._code.data, behind)) is not None:
                opening = called.end() - 1
                yield _RouteBlock(opening, self._code.behind_bracket(opening), path)

    def _node(
        self,
        rule: TextRouteRule,
        verbs: tuple[str, ...],
        known: _RoutePath,
        span: DerivedSpan,
        *,
        handlers: tuple[Handler, ...] = (),
        inline: tuple[Handler, ...] = (),
    ) -> DeclaredNode:
        whole = "" if known.computed else joined_path(known.prefix, known.path, slashes=True)
        about: dict[str, Value] = {"rule": f"text.{rule.name}"}
        if is_test_file(self._file.path):
            about["test"] = True
        if known.computed:
            about["computed"] = True
        about.update({"path": whole, "method": "|".join(verbs), "methods": verbs})
        label = " ".join(filter(None, ("|".join(verbs), whole or f"({known.computed})")))
        return DeclaredNode("route", "", label, span, _SURE, tuple(about.items()), handlers, inline=inline)


def _written_paths(notes: Sequence[_Annotation]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Paths of annotations above one function, each with its verbs: its own, else those that stand without a path."""
    loose = [verb for note in notes for verb in note.verbs if not note.paths]
    every = dict.fromkeys(loose or (verb for note in notes for verb in note.verbs))
    if not any(note.paths for note in notes):
        yield "", tuple(every)
    for note in notes:
        for path in note.paths:
            yield path, note.verbs or tuple(every)


class _OpenBlocks:
    """The blocks around places that are asked for in source order."""

    def __init__(self, blocks: Iterator[_RouteBlock]) -> None:
        self._waiting = sorted(blocks, key=lambda block: (block.start, -block.end), reverse=True)
        self._opened: list[_RouteBlock] = []

    def path_at(self, place: int) -> str:
        """The path of what stands at a place."""
        while self._waiting and self._waiting[-1].start <= place:
            self._opened.append(self._waiting.pop())
        self._opened = [block for block in self._opened if block.end > place]
        return joined_path("", "/".join(block.path.strip("/") for block in self._opened), slashes=True)


def _chain_end(code: CodeText, at: int) -> int:
    """Where the calls that are chained behind a call end."""
    while (called := _CALL_BEHIND.match(code.data, at)) is not None:
        at = code.behind_bracket(called.end())
    return at


_CHAINED: Final = re.compile(rb"(?:\s*->\s*(?!group\b)\w+\([^()]*\))*\s*->\s*group\s*\(")


def _verbs(verb: str) -> tuple[str, ...]:
    return () if not verb or verb in _ANY else (_SHORT.get(verb, verb),)


def _block_behind(code: CodeText, at: int) -> tuple[int, int] | None:
    """The block in braces that begins behind a place."""
    while code.data[at : at + 1].isspace():
        at += 1
    return (at, code.behind_bracket(at)) if code.data[at : at + 1] == b"{" else None
