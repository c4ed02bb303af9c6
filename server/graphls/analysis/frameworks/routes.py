"""Routes: what decorators, calls and bases declare: routes, commands, tasks, tools.

Owns: reading path, methods, prefix and handler of a match; the name of what is declared.
Must not know: any particular framework, strings outside of calls, fixtures.
Invariant: a declaration rests on a name that resolved to what its rule says, or is marked as matched by name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import attrs

from graphls.analysis.frameworks.arguments import Argument, CodeText, choose_argument
from graphls.analysis.frameworks.declared_nodes import DeclaredNode, DerivedSpan, Handler, handlers_of
from graphls.analysis.frameworks.inline import calls_inside
from graphls.analysis.frameworks.marks import Marks, use_of
from graphls.analysis.frameworks.member_routes import member_handlers, member_routes
from graphls.analysis.frameworks.naming import MAX_STEPS, UseNames
from graphls.analysis.frameworks.rules import NamePattern, RuleSet, applies_to, is_member
from graphls.analysis.frameworks.spelled_text import SpelledText
from graphls.analysis.frameworks.strings import resolve_dotted
from graphls.analysis.frameworks.texts import chain_end, code_of
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import Value
from graphls.graph.nodes import container, dotted_name, is_test_file, node_row, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.url_paths import HOLE
from graphls.settings.framework_rules import FrameworkRule

INCLUDED = ("0", "arg")
"""Where what is taken in stands among the arguments of a call that takes in routes."""
BY_NAME = 0.5
_BARE = 0.9
_WRAPPED = 0.8
_MOST_WRAPPERS = 4
_NO_TEXT = (b"None", b"null", b"undefined")
_NOTHING = "()"
_VALUE = re.compile(rb"[^=\n]*=\s*")
"""Between the name of a variable and its value."""
DECLARING = ("route", "tool")
"""What rules yield that declares something."""
_ROUTED = re.compile(rb"""\s*\([^()"'`;]{0,80}[fr]?["'`]/""")
"""Arguments with a path among the first: what may be a route, or takes some in."""


@attrs.frozen
class RuleMatch:
    """A rule, the use that it matched, under which last name, and how sure that is."""

    rule: FrameworkRule
    use: int
    name: str
    confidence: float


@attrs.frozen
class MemberMatch:
    """A rule on bases, and the member that it speaks of."""

    rule: FrameworkRule
    row: int


class FileRules:
    """Where the rules apply in one file."""

    def __init__(self, snapshot: Snapshot, path: FilePath, rules: RuleSet, naming: UseNames) -> None:
        self.snapshot = snapshot
        self.path = path
        self.rules = rules
        self.naming = naming
        self.facts: FileFacts = snapshot.facts(path)
        self.code = code_of(snapshot, path)
        self.spelled = SpelledText(snapshot, path, naming, self.code)
        self._test = is_test_file(path)
        self._members: tuple[MemberMatch, ...] | None = None
        self._called: tuple[Marks, tuple[RuleMatch, ...]] | None = None

    def beside(self, path: FilePath) -> FileRules:
        """The same of another file."""
        return FileRules(self.snapshot, path, self.rules, self.naming)

    # ---- where rules apply

    def decorated(self, marks: Marks) -> Iterator[tuple[RuleMatch, int]]:
        """Matched decorators, each with the definition below it."""
        self.naming.prepare(self.path, [use for use, _ in marks.decorated])
        for use, definition in marks.decorated:
            match = self.match(use, self.rules.decorators)
            if match is not None:
                yield match, definition

    def called(self, marks: Marks) -> tuple[RuleMatch, ...]:
        """Matched calls."""
        if self._called is None or self._called[0] is not marks:
            self._called = marks, tuple(self._matched_calls(marks))
        return self._called[1]

    def _matched_calls(self, marks: Marks) -> Iterator[RuleMatch]:
        self.naming.prepare(self.path, marks.called)
        for use in marks.called:
            match = self.match(use, self.rules.calls)
            if match is not None:
                yield match

    def members(self, marks: Marks) -> tuple[MemberMatch, ...]:
        """Members of classes that some rule on bases speaks of."""
        if self._members is None:
            self._members = tuple(self._applicable_members(marks))
        return self._members

    def _applicable_members(self, marks: Marks) -> Iterator[MemberMatch]:
        table, texts = self.facts.definitions, self.facts.strings
        by_class: dict[int, tuple[FrameworkRule, ...]] = {}
        for row in marks.members:
            cls = container(self.facts, row)
            rules = by_class.get(cls)
            if rules is None:
                rules = by_class[cls] = tuple(self._of_class(cls))
            name = texts[table.name[row]]
            rule = next((rule for rule in rules if is_member(rule, name)), None)
            if rule is not None:
                yield MemberMatch(rule, row)

    def _of_class(self, cls: int) -> Iterator[FrameworkRule]:
        above = self.naming.ancestors(SymbolRef(self.path, cls))
        for pattern in self.rules.bases:
            if applies_to(pattern.rule, self.path) and any(pattern.matches(dotted) for dotted in above):
                yield pattern.rule

    def match(self, use: int, table: Mapping[str, tuple[NamePattern, ...]]) -> RuleMatch | None:
        """The first rule of a table for a use."""
        routed = _ROUTED.match(self.code.data, self.facts.occurrences.end[use]) is not None
        for named in self.naming.names(self.path, use, given=routed):
            last = named.dotted.rpartition(".")[2]
            for pattern in table.get(last, ()):
                if pattern.matches(named.dotted) and applies_to(pattern.rule, self.path):
                    return RuleMatch(pattern.rule, use, last, named.confidence)
        bare = self._bare(use) if table is self.rules.calls else None
        if bare is not None:
            return bare
        name = self.facts.strings[self.facts.occurrences.name[use]]
        rule = None if self.naming.targets(self.path, use) else self.rules.unresolved(table, name)
        return RuleMatch(rule, use, name, BY_NAME) if rule is not None and applies_to(rule, self.path) else None

    def _bare(self, use: int) -> RuleMatch | None:
        """A name as written that nothing binds: a global that a framework brings."""
        uses = self.facts.occurrences
        base, last = uses.base[use], self.facts.strings[uses.name[use]]
        written = f"{dotted_name(self.facts, base)}.{last}" if base >= 0 else last
        rule = self.rules.bare.get(written)
        if rule is None or not applies_to(rule, self.path):
            return None
        first = use if base < 0 else use_at(self.facts, _first_name(self.facts, base))
        if first < 0 or uses.base[first] >= 0 or self.naming.targets(self.path, first):
            return None
        return RuleMatch(rule, use, last, _BARE)

    # ---- what they declare

    def declared(self, marks: Marks) -> Iterator[DeclaredNode]:
        """Routes and tools of the file."""
        for match, definition in self.decorated(marks):
            if match.rule.yields in DECLARING and self._fits_class(match.rule, container(self.facts, definition)):
                yield self._by_decorator(match, definition)
        for match in self.called(marks):
            if match.rule.yields in DECLARING and self._fits_class(match.rule, self._class_around(match.use)):
                yield from self._by_call(match)
        seen: set[tuple[str, int]] = set()
        for member in self.members(marks):
            key = (member.rule.name, container(self.facts, member.row))
            if member.rule.yields in DECLARING and key not in seen:
                seen.add(key)
                yield self._by_base(member)

    def _fits_class(self, rule: FrameworkRule, cls: int) -> bool:
        if not rule.classes:
            return True
        name = self.facts.strings[self.facts.definitions.name[cls]] if cls >= 0 else ""
        return any(fnmatchcase(name, pattern) for pattern in rule.classes)

    def _class_around(self, use: int) -> int:
        bound = self._bound_at(use)
        return container(self.facts, bound) if bound >= 0 else -1

    def _bound_at(self, use: int) -> int:
        """The definition whose statement a use stands in, the innermost."""
        table, at = self.facts.definitions, self.facts.occurrences.start[use]
        around = (row for row, start in enumerate(table.full_start) if start <= at < table.full_end[row])
        return max(around, key=lambda row: table.full_start[row], default=-1)

    def given(self, match: RuleMatch) -> tuple[Argument, ...]:
        """The arguments of what matched."""
        end = self.facts.occurrences.end[match.use]
        return self.code.arguments(self.code.behind(end) if match.rule.curried else end)

    def _by_decorator(self, match: RuleMatch, definition: int) -> DeclaredNode:
        table = self.facts.definitions
        given = self.given(match)
        name = self.facts.strings[table.name[definition]]
        row = node_row(self.facts, definition)
        handler = Handler(
            SymbolRef(self.path, row), table.start[definition], table.end[definition], "lexical", match.confidence
        )
        entry = self._decorator_at(match.use)
        span = DerivedSpan(*entry, *entry)
        declared = self._declare(match, given, name, span, handlers=(handler,))
        return attrs.evolve(declared, by=self.called_on(match)) if match.rule.yields == "route" else declared

    def _decorator_at(self, use: int) -> tuple[int, int]:
        table, start = self.facts.decorators, self.facts.occurrences.start[use]
        row = bisect_right(table.start, start) - 1
        return table.start[row], table.end[row]

    def _by_call(self, match: RuleMatch) -> Iterator[DeclaredNode]:
        rule, end = match.rule, self.facts.occurrences.end[match.use]
        given = self.given(match)
        if rule.rows:
            yield from self._by_rows(match, given)
            return
        handler = self.code.place(given, rule.handler)
        if not given or (rule.handler and handler is None):
            return
        last = max(argument.end for argument in given)
        span = DerivedSpan(
            self.facts.occurrences.start[match.use], end, self.facts.occurrences.start[match.use], last + 1
        )
        included = self._include_targets(rule, handler) if handler else None
        if included is not None:
            inner = attrs.evolve(match, rule=attrs.evolve(rule, subkind="include"))
            yield self._declare(inner, given, "", span, included=included)
            return
        handlers = self._handlers(rule, handler.start, handler.end) if handler else ()
        handlers = tuple(attrs.evolve(one, confidence=round(one.confidence * match.confidence, 4)) for one in handlers)
        name = self._name_of(handlers)
        if rule.classes:
            name = self.facts.strings[self.facts.definitions.name[self._bound_at(match.use)]]
        inside = ()
        if handler is not None and not handlers:
            inside = calls_inside(self.snapshot, self.path, (handler.start, handler.end))
        for one in _of_each_path(match, given):
            declared = self._declare(one, given, name, span, handlers=handlers)
            declared = attrs.evolve(declared, inline=inside, by=self.called_on(match))
            if declared.name == _NOTHING and not inside:
                continue  # neither a path nor who answers is written
            yield declared
            if rule.member_decorators:
                yield from member_routes(self.snapshot, self.naming, rule, declared)

    def _by_rows(self, match: RuleMatch, given: tuple[Argument, ...]) -> Iterator[DeclaredNode]:
        """`Application([(r"/", Home), (r"/items", Items)])`, also where a variable of the file holds the list."""
        listed = self.code.place(given, match.rule.argument)
        opening = self._list_opening(listed) if listed is not None else -1
        one = attrs.evolve(match, rule=attrs.evolve(match.rule, argument=("0",), rows=False))
        for row in self.code.elements(opening) if opening >= 0 else ():
            parts = self.code.elements(row.start) if self.code.data[row.start : row.start + 1] == b"(" else ()
            if len(parts) > 1:
                handlers = self._handlers(match.rule, parts[1].start, parts[1].end)
                name = self._name_of(handlers)
                span = DerivedSpan(row.start, row.end, row.start, row.end)
                yield self._declare(one, parts, name, span, handlers=handlers)

    def _list_opening(self, argument: Argument) -> int:
        """Where the list opens that an argument is, or names."""
        if self.code.data[argument.start : argument.start + 1] == b"[":
            return argument.start
        use = self.use_ending(argument.start, argument.end)
        for target in self.naming.targets(self.path, use) if use >= 0 else ():
            place = target.place
            if place is not None and place.file == self.path and place.definition >= 0:
                return self._value_start(place.definition, b"[")
        return -1

    def _value_start(self, definition: int, sign: bytes) -> int:
        """Where the value of a variable or field of the file begins, if it does so with a sign; else -1."""
        table = self.facts.definitions
        found = _VALUE.match(self.code.data, table.end[definition], table.full_end[definition])
        return found.end() if found is not None and self.code.data.startswith(sign, found.end()) else -1

    def _by_base(self, member: MemberMatch) -> DeclaredNode:
        table = self.facts.definitions
        cls = container(self.facts, member.row)
        named = SymbolRef(self.path, node_row(self.facts, member.row))
        handler = Handler(named, table.start[member.row], table.end[member.row], "member", 0.95)
        stem = self.path.rpartition("/")[2].rpartition(".")[0]
        span = DerivedSpan(table.start[cls], table.end[cls], table.full_start[cls], table.full_end[cls])
        match = RuleMatch(member.rule, -1, "", 0.95)
        return self._declare(match, (), stem, span, handlers=(handler,))

    def _declare(
        self, match: RuleMatch, given: tuple[Argument, ...], name: str, span: DerivedSpan, *,
        handlers: tuple[Handler, ...] = (), included: tuple[Handler, ...] = (),
    ) -> DeclaredNode:  # fmt: skip
        rule = match.rule
        argument = self.code.place(given, rule.argument)
        written = self.spelled.whole(argument.start, argument.end) if argument else "" if rule.slashes else None
        about: dict[str, Value] = {"rule": rule.name}
        if self._test:
            about["test"] = True
        if rule.yields == "route":
            running = tuple(member_handlers(self.snapshot, self.naming, rule, handlers))
            handlers = (*handlers, *(handler for _, handler in running))
            verbs = dict.fromkeys(name.removeprefix("on_").upper() for name, _ in running)
            answered = tuple(verbs) if rule.class_verbs else ()
            label = self._route(match, given, written, name, about, answered=answered)
        else:
            written = self.prefix(match).partition(" ")[0] if rule.prefixed_by else written
            label = written or _as_called(rule, name) or f"({rule.subkind or rule.yields})"
            if argument is not None and written is None:
                about["computed"] = True
        confidence = match.confidence
        return DeclaredNode(
            rule.yields, rule.subkind, label, span, confidence, tuple(about.items()), handlers, included
        )

    def _route(
        self, match: RuleMatch, given: tuple[Argument, ...], written: str | None, name: str, about: dict[str, Value], *,
        answered: tuple[str, ...],
    ) -> str:  # fmt: skip
        rule = match.rule
        prefix = self.prefix(match)
        if HOLE in prefix:
            prefix, written = "", None
        path = joined_path(prefix, written, slashes=rule.slashes) if written is not None else ""
        methods = answered or self.methods(match, given)
        if written is None:
            about["computed"] = True
        about.update({"path": path, "method": "|".join(methods), "methods": methods})
        if prefix:
            about["prefix"] = prefix
        label = (path or "/") if written is not None else f"({name})"
        return f"{'|'.join(methods)} {label}" if rule.verbs or methods else label

    def called_on(self, match: RuleMatch) -> SymbolRef | None:
        """The object in front of the first dot of a chain of calls: `app` in `app.route("/").get(handler)`."""
        table, expression = self.facts.expressions, self.facts.occurrences.base[match.use]
        for _ in range(MAX_STEPS):
            if expression < 0 or table.kind[expression] != ExpressionKind.CALL:
                break
            callee = table.a[expression]
            expression = table.a[callee] if callee >= 0 and table.kind[callee] == ExpressionKind.MEMBER else -1
        use = use_of(self.facts, expression) if expression >= 0 else -1
        targets = self.naming.targets(self.path, use) if use >= 0 else ()
        return next((target.place for target in targets if target.place is not None), None)

    def methods(self, match: RuleMatch, given: tuple[Argument, ...]) -> tuple[str, ...]:
        """HTTP methods of what matched; `*` for what is worked out."""
        listed = self.code.place(given, match.rule.methods) if match.rule.methods else None
        if listed is not None:
            found = [text.upper() for text, _, _ in self.code.strings(listed.start, listed.end)]
            return tuple(dict.fromkeys(found)) or ("*",)
        own = match.name.removeprefix("add_").upper()
        return tuple(own if verb == "*" else verb for verb in match.rule.verbs)

    # ---- handlers

    def _handlers(self, rule: FrameworkRule, start: int, end: int, depth: int = 0) -> tuple[Handler, ...]:
        """What an argument that names a handler means."""
        if self.code.is_function(start, end):
            return ()
        use = self.use_ending(start, end)
        if use >= 0:
            return self._class_of_instance(rule, self._meant(use))
        written = self.code.literal(start, end)
        if written is not None:
            place = resolve_dotted(self.snapshot, written, self.path)
            return (Handler(place, start, end, "name", 0.8),) if place is not None else ()
        behind = self.code.callee_end(start, end)
        if behind < 0 or depth >= _MOST_WRAPPERS:
            return ()
        wrapping = self.use_ending(start, behind)
        if wrapping >= 0 and self.facts.strings[self.facts.occurrences.name[wrapping]] in rule.unwrap:
            dot = self.code.data.rfind(b".", start, self.facts.occurrences.start[wrapping])
            return self._handlers(rule, start, len(self.code.data[:dot].rstrip()), depth + 1)
        made = self._meant(wrapping) if wrapping >= 0 and rule.member_handlers else ()
        if made and self.naming.is_class(made[0].place):
            return made  # an instance, whose methods run
        inner = choose_argument(self.code.arguments(behind), ("0",))
        found = self._handlers(rule, inner.start, inner.end, depth + 1) if inner else ()
        return tuple(attrs.evolve(one, confidence=round(one.confidence * _WRAPPED, 4)) for one in found)

    def _name_of(self, handlers: tuple[Handler, ...]) -> str:
        return self.naming.dotted_place(handlers[0].place).rpartition(".")[2] if handlers else ""

    def _meant(self, use: int) -> tuple[Handler, ...]:
        uses = self.facts.occurrences
        return handlers_of(self.naming.targets(self.path, use), uses.start[use], uses.end[use])

    def _class_of_instance(self, rule: FrameworkRule, found: tuple[Handler, ...]) -> tuple[Handler, ...]:
        """The class whose methods run, where a variable holds an instance of it."""
        first = found[0] if found and rule.member_handlers else None
        value = self.naming.value(first.place) if first is not None else -1
        if first is None or value < 0:
            return found
        facts = self.snapshot.facts(first.place.file)
        made = use_of(facts, value) if facts.expressions.kind[value] == ExpressionKind.CALL else -1
        for target in self.naming.targets(first.place.file, made) if made >= 0 else ():
            if target.place is not None and self.naming.is_class(target.place):
                return (attrs.evolve(first, place=target.place), *found[1:])
        return found

    def _include_targets(self, rule: FrameworkRule, argument: Argument) -> tuple[Handler, ...] | None:
        """The module whose routes are taken in; empty when it is not known, None when nothing is taken in."""
        given = self.include_arguments(rule, argument)
        first = choose_argument(given, INCLUDED) if given is not None else None
        if first is None:
            return None if given is None else ()
        for place, start, end in self.spelled_modules(first):
            return (Handler(place, start, end, "name", 0.9),)
        return self._handlers(rule, first.start, first.end)

    def include_arguments(self, rule: FrameworkRule, argument: Argument) -> tuple[Argument, ...] | None:
        """What a call that takes in routes is given; None for anything else."""
        behind = self.code.callee_end(argument.start, argument.end) if rule.include else -1
        use = self.use_ending(argument.start, behind) if behind >= 0 else -1
        if use < 0 or not any(self.rules.is_include(named.dotted) for named in self.naming.names(self.path, use)):
            return None
        return self.code.arguments(behind)

    def spelled_modules(self, argument: Argument) -> Iterator[tuple[SymbolRef, int, int]]:
        """Modules of the workspace that strings name, with where they stand."""
        for text, start, end in self.code.strings(argument.start, argument.end):
            place = resolve_dotted(self.snapshot, text, self.path, words=True)
            if place is not None:
                yield place, start, end

    def use_ending(self, start: int, end: int) -> int:
        """The last name of an argument that is a chain of names and nothing else; -1 when it is not."""
        return chain_end(self.facts, self.code, start, end)

    def imported_module(self, start: int, end: int) -> SymbolRef | None:
        """The module that `require("./routes")` or `import("./routes")` in an argument brings in."""
        imports, snapshot = self.facts.imports, self.snapshot
        links = snapshot.reader.links_at(snapshot, snapshot.shards[self.path], (), True, False)
        for row, imported in enumerate(links.module_targets.occurrence):
            if start <= imports.start[imported] < end:
                return snapshot.module_target(self.path, links, row).place
        return None

    # ---- prefixes

    def prefix(self, match: RuleMatch) -> str:
        """The prefix of the object in front of the dot, or of the class around; with holes for what is worked out."""
        rule = match.rule
        if rule.class_prefix:
            return self._of_decorated(match)
        if rule.prefix_member:
            return self._of_member(match)
        base = self.facts.occurrences.base[match.use] if match.use >= 0 and rule.prefix else -1
        return self._before(self.path, base, rule) if base >= 0 else ""

    def _before(self, path: FilePath, expression: int, rule: FrameworkRule) -> str:
        """The prefix that the calls in a chain give, or that the object was made with."""
        facts = self.snapshot.facts(path)
        table = facts.expressions
        for _ in range(MAX_STEPS):
            if expression < 0 or table.kind[expression] != ExpressionKind.CALL:
                break
            callee = table.a[expression]
            if table.kind[callee] != ExpressionKind.MEMBER:
                return "" if rule.prefixed_by else self._first(path, expression, rule)
            if facts.strings[table.b[callee]] in rule.prefixed_by:
                return self._first(path, expression, rule)
            expression = table.a[callee] if rule.prefixed_by else -1
        use = use_of(facts, expression) if expression >= 0 else -1
        for target in self.naming.targets(path, use) if use >= 0 else ():
            if target.place is not None:
                return self._made_with(target.place, rule)
        return ""

    def _made_with(self, place: SymbolRef, rule: FrameworkRule) -> str:
        value, facts = self.naming.value(place), self.snapshot.facts(place.file)
        if value < 0 or facts.expressions.kind[value] != ExpressionKind.CALL:
            return ""
        if rule.prefixed_by:
            return self._before(place.file, value, rule)
        return self._first(place.file, value, rule)

    def _first(self, path: FilePath, call: int, rule: FrameworkRule) -> str:
        """What the arguments of a call spell."""
        facts = self.snapshot.facts(path)
        made = use_of(facts, call)
        code = self.code if path == self.path else code_of(self.snapshot, path)
        spelled = self.spelled if path == self.path else SpelledText(self.snapshot, path, self.naming, code)
        return _prefix(code, spelled, facts.occurrences.end[made], rule.prefix) if made >= 0 else ""

    def _of_decorated(self, match: RuleMatch) -> str:
        """What a decorator of the class around the decorated function says."""
        definition = self._decorated_by(match.use)
        around = container(self.facts, definition) if definition >= 0 else -1
        table = self.facts.decorators
        for row, decorated in enumerate(table.definition):
            use = use_of(self.facts, table.expression[row]) if around >= 0 and decorated == around else -1
            if use >= 0 and any(named.dotted in match.rule.class_prefix for named in self.naming.names(self.path, use)):
                return _prefix(self.code, self.spelled, self.facts.occurrences.end[use], match.rule.prefix)
        return ""

    def _of_member(self, match: RuleMatch) -> str:
        """What a member of the class around the decorated function spells, or of a class above it in this file."""
        definition = self._decorated_by(match.use)
        around = container(self.facts, definition) if definition >= 0 else -1
        for cls in self.naming.line(SymbolRef(self.path, around)) if around >= 0 else ():
            row = self._member_row(cls.definition, match.rule.prefix_member) if cls.file == self.path else -1
            if row >= 0:
                start = self._value_start(row, b"")
                written = self.spelled.whole(start, self.facts.definitions.full_end[row]) if start >= 0 else None
                return HOLE if written is None else written
        return ""

    def _member_row(self, cls: int, name: str) -> int:
        table, texts = self.facts.definitions, self.facts.strings
        rows = rows_with(table.name, texts.index(name)) if name in texts else ()
        return next((row for row in rows if container(self.facts, row) == cls), -1)

    def _decorated_by(self, use: int) -> int:
        table, start = self.facts.decorators, self.facts.occurrences.start[use]
        row = bisect_right(table.start, start) - 1
        return table.definition[row] if row >= 0 else -1


def _of_each_path(match: RuleMatch, given: tuple[Argument, ...]) -> Iterator[RuleMatch]:
    """The match once for each path that its call is given."""
    yield match
    first = choose_argument(given, match.rule.argument) if match.rule.repeats else None
    for argument in given if first is not None and first.position >= 0 else ():
        if first is not None and argument.position > first.position:
            yield attrs.evolve(match, rule=attrs.evolve(match.rule, argument=(str(argument.position),)))


def _first_name(facts: FileFacts, expression: int) -> int:
    """Where the first name of `a.b.c` stands."""
    table = facts.expressions
    while table.kind[expression] in (ExpressionKind.MEMBER, ExpressionKind.CALL):
        expression = table.a[expression]
    return table.c[expression] if table.kind[expression] == ExpressionKind.NAME else -1


def _prefix(code: CodeText, spelled: SpelledText, opening: int, places: tuple[str, ...]) -> str:
    """What the first of some arguments of a call that spells text says; a hole where one is given and nothing spells
    it."""
    given, unknown = code.arguments(opening), ""
    for place in places:
        found = code.place(given, (place,))
        if found is None:
            continue
        written = spelled.of(found.start, found.end)
        if written is not None:
            return written
        if (
            code.data[found.start : found.end].strip() not in _NO_TEXT
            and code.data[found.start : found.start + 1] != b"{"
        ):
            unknown = HOLE
    return unknown


def _as_called(rule: FrameworkRule, name: str) -> str:
    """The name of a function as the framework writes it."""
    if rule.camels:
        first, *others = name.split("_")
        return first + "".join(part[:1].upper() + part[1:] for part in others)
    return name.replace("_", "-") if rule.dashes else name


def joined_path(prefix: str, written: str, *, slashes: bool) -> str:
    """A path behind a prefix."""
    if not slashes:
        return f"{prefix}{written}"
    return "/" + "/".join(part.strip("/") for part in (prefix, written) if part.strip("/"))
