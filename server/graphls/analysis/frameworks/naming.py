"""Naming: the dotted names that the uses of one file stand for.

Owns: names of resolved targets, of members of what a class inherits, of what a decorator makes of a function.
Must not know: what a name leads to, output.
Invariant: a name rests on what resolution answers for the text; what it does not answer has no name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from graphls.analysis.frameworks.callback_arguments import CallbackArgument, callback_arguments, first_parameter
from graphls.analysis.frameworks.given_parameters import GivenArgument, arguments_given
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.rules import RuleSet, applies_to
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import container, qualified_name, use_at
from graphls.graph.snapshot import Snapshot, SymbolRef, Target, rows_of

MAX_ANCESTORS = 60
MAX_STEPS = 20
"""Calls in a chain, and values that lead to others."""
_MOST_HANDS = 3
"""Functions through which a thing is handed on."""
_HANDED = 0.9
_LITERAL = ExpressionKind.LITERAL
_SUPER = "super"
_MAKING = ("construct", "apply", "Promise")
"""Rules of languages whose value is what their first operand makes."""


@attrs.frozen
class NameCandidate:
    """What a use may be called, and how sure that is."""

    dotted: str
    confidence: float


class UseNames:
    """Names of uses in one snapshot, by graphls' own links; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._targets: dict[tuple[FilePath, int], tuple[Target, ...]] = {}
        self._ancestors: dict[SymbolRef, tuple[str, ...]] = {}
        self._made: dict[SymbolRef, tuple[NameCandidate, ...]] = {}
        self._callbacks: dict[FilePath, tuple[CallbackArgument, ...]] = {}
        self._handed: dict[SymbolRef, tuple[NameCandidate, ...]] = {}
        self._given_uses: dict[SymbolRef, tuple[GivenArgument, ...]] = {}

    def prepare(self, path: FilePath, uses: Collection[int]) -> None:
        """Looks up several uses at once."""
        missing = sorted({use for use in uses if (path, use) not in self._targets})
        if not missing:
            return
        snapshot = self._snapshot
        links = snapshot.own_links_at(path, missing)
        for use in missing:
            rows = rows_of(links.targets, use)
            self._targets[path, use] = tuple(snapshot.target(path, links, row) for row in rows)

    def targets(self, path: FilePath, use: int) -> tuple[Target, ...]:
        """What a use means."""
        self.prepare(path, (use,))
        return self._targets[path, use]

    def names(self, path: FilePath, use: int, *, given: bool = False) -> Iterator[NameCandidate]:
        """Every name of a use, surest first: its own, then those by the object in front of the dot. `given`: where
        that is a parameter without a type, also by what callers hand to it, which costs a look at them."""
        targets = self.targets(path, use)
        for target in targets:
            yield NameCandidate(self.dotted(target), target.confidence)
        facts = self._snapshot.facts(path)
        base = facts.occurrences.base[use]
        if base >= 0:
            last = facts.strings[facts.occurrences.name[use]]
            for owner in self._owners(path, base):
                yield NameCandidate(f"{owner.dotted}.{last}", owner.confidence)
            for above in () if targets else self._above_around(facts, path, use):
                yield NameCandidate(f"{above}.{last}", _HANDED)
            for owner in self._given_names(path, use_of(facts, base)) if given else ():
                yield NameCandidate(f"{owner.dotted}.{last}", owner.confidence)

    def _above_around(self, facts: FileFacts, path: FilePath, use: int) -> tuple[str, ...]:
        """The classes above that around a use, where `super()` stands in front of its dot."""
        table, base = facts.expressions, facts.occurrences.base[use]
        callee = table.a[base] if table.kind[base] == ExpressionKind.CALL else -1
        if callee < 0 or table.kind[callee] != ExpressionKind.NAME or facts.strings[table.a[callee]] != _SUPER:
            return ()
        owner = facts.occurrences.owner[use]
        cls = container(facts, owner) if owner >= 0 else -1
        return self.ancestors(SymbolRef(path, cls)) if cls >= 0 else ()

    def _given_names(self, path: FilePath, use: int, depth: int = 0) -> Iterator[NameCandidate]:
        """What callers hand to the parameter that a use names, or whose member it is."""
        if use < 0 or depth >= _MOST_HANDS:
            return
        targets, facts = self.targets(path, use), self._snapshot.facts(path)
        base = facts.occurrences.base[use]
        if not targets and base >= 0:
            member = facts.strings[facts.occurrences.name[use]]
            for owner in self._given_names(path, use_of(facts, base), depth + 1):
                yield NameCandidate(f"{owner.dotted}:{member}", owner.confidence)
        for target in targets:
            for given in self._arguments_given(target.place) if target.place is not None else ():
                found = self.names(given.file, given.use) if given.made else self._owners_of_use(given.file, given.use)
                for owner in found:
                    yield NameCandidate(owner.dotted, round(owner.confidence * _HANDED, 4))
                if not given.made:
                    yield from self._given_names(given.file, given.use, depth + 1)

    def _arguments_given(self, place: SymbolRef) -> tuple[GivenArgument, ...]:
        """What calls hand to a parameter without a type."""
        known = self._given_uses.get(place)
        if known is None:
            table = self._snapshot.facts(place.file).definitions
            row = place.definition
            untyped = row >= 0 and table.kind[row] == DefinitionKind.PARAMETER and table.type[row] < 0
            found = arguments_given(self._snapshot, place, self.targets) if untyped else ()
            known = self._given_uses[place] = tuple(found)
        return known

    def dotted(self, target: Target) -> str:
        """The dotted name of a target, `module.Class.method` for a place."""
        return target.external if target.place is None else self.dotted_place(target.place)

    def dotted_place(self, place: SymbolRef) -> str:
        """`module.Class.method`."""
        module = self._snapshot.module_name(place.file).dotted
        if place.definition < 0:
            return module
        return f"{module}.{qualified_name(self._snapshot.facts(place.file), place.definition)}"

    def ancestors(self, place: SymbolRef) -> tuple[str, ...]:
        """Dotted names of all classes above a class, in the workspace and outside, nearest first."""
        known = self._ancestors.get(place)
        if known is None:
            known = self._ancestors[place] = tuple(self._above(place))
        return known

    def owners(self, path: FilePath, expression: int) -> Iterator[NameCandidate]:
        """Names of what an expression may be an instance of, and of the calls that gave it."""
        yield from self._owners(path, expression)

    def value(self, place: SymbolRef) -> int:
        """The expression a variable was bound to, -1 for none."""
        return self._snapshot.facts(place.file).definitions.value[place.definition] if place.definition >= 0 else -1

    def is_class(self, place: SymbolRef) -> bool:
        """Whether a place is a class of the workspace."""
        table = self._snapshot.facts(place.file).definitions
        return place.definition >= 0 and table.kind[place.definition] == DefinitionKind.CLASS

    def _above(self, place: SymbolRef) -> Iterator[str]:
        for cls in self.line(place):
            yield from map(self.dotted, self._bases(cls))

    def line(self, place: SymbolRef) -> Iterator[SymbolRef]:
        """A class, and what it extends in the workspace, nearest first."""
        queue, seen = [place], {place}
        for cls in queue:
            if len(queue) > MAX_ANCESTORS:
                return
            yield cls
            for target in self._bases(cls):
                if target.place is not None and target.place.definition >= 0 and target.place not in seen:
                    seen.add(target.place)
                    queue.append(target.place)

    def _bases(self, place: SymbolRef) -> Iterator[Target]:
        facts = self._snapshot.facts(place.file)
        for row, definition in enumerate(facts.bases.definition):
            if definition == place.definition and facts.bases.keyword[row] < 0:
                use = use_of(facts, facts.bases.expression[row])
                if use >= 0:
                    yield from self.targets(place.file, use)

    def _owners(
        self, path: FilePath, expression: int, seen: frozenset[SymbolRef] = frozenset()
    ) -> Iterator[NameCandidate]:
        """Classes that the object in front of a dot may be an instance of, and calls that gave it."""
        facts = self._snapshot.facts(path)
        if expression < 0 or len(seen) > MAX_STEPS:
            return
        if facts.expressions.kind[expression] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
            yield from self._given(path, expression, seen)
            return
        use = use_at(facts, facts.expressions.c[expression])
        if use >= 0:
            yield from self._owners_of_use(path, use, seen)
            yield from self._outside_members(path, expression, use, seen)

    def _owners_of_use(
        self, path: FilePath, use: int, seen: frozenset[SymbolRef] = frozenset()
    ) -> Iterator[NameCandidate]:
        targets = self.targets(path, use)
        for target in targets:
            if target.place is not None and target.place.definition >= 0:
                yield from self._decorated_names(target.place)
                yield from self._callback_names(target.place)
        for target in self._types(path, use):
            yield NameCandidate(self.dotted(target), 0.95)
            if target.place is not None and target.place.definition >= 0:
                yield from (NameCandidate(dotted, 0.9) for dotted in self.ancestors(target.place))
        for target in targets:
            if target.place is not None and target.place not in seen:
                yield from self._given(target.place.file, self.value(target.place), seen | {target.place})

    def _outside_members(
        self, path: FilePath, expression: int, use: int, seen: frozenset[SymbolRef]
    ) -> Iterator[NameCandidate]:
        """What hangs on an object of outside, behind a colon, which `*` does not pass: a database on an application has
        no routes."""
        facts = self._snapshot.facts(path)
        if facts.expressions.kind[expression] != ExpressionKind.MEMBER:
            return
        if any(target.place is not None for target in self.targets(path, use)):
            return
        member = facts.strings[facts.expressions.b[expression]]
        for owner in self._owners(path, facts.expressions.a[expression], seen):
            yield NameCandidate(f"{owner.dotted}:{member}", round(owner.confidence * 0.95, 4))

    def _given(self, path: FilePath, expression: int, seen: frozenset[SymbolRef]) -> Iterator[NameCandidate]:
        """What a call gives is named like the call: `express()` as `express`, `app.route("/")` as `express.route`."""
        facts = self._snapshot.facts(path)
        table = facts.expressions
        while expression >= 0 and table.kind[expression] != ExpressionKind.CALL:
            if table.kind[expression] != ExpressionKind.SUBSCRIPT or table.kind[table.a[expression]] != _LITERAL:
                return
            if facts.strings[table.a[table.a[expression]]] not in _MAKING:
                return
            expression = next(iter(facts.list_at(table.b[expression])), -1)
            if expression >= 0 and table.kind[expression] in (ExpressionKind.NAME, ExpressionKind.MEMBER):
                yield from self._called(path, expression, seen)
                return
        if expression >= 0:
            yield from self._called(path, table.a[expression], seen)

    def _called(self, path: FilePath, callee: int, seen: frozenset[SymbolRef]) -> Iterator[NameCandidate]:
        """Names of what is called, by an expression that ends in a name."""
        facts = self._snapshot.facts(path)
        table = facts.expressions
        if callee >= 0 and table.kind[callee] == ExpressionKind.MODULE:
            yield from self._module(path, table.a[callee])
            return
        if callee >= 0 and table.kind[callee] == ExpressionKind.SUBSCRIPT:
            yield from self._given(path, callee, seen)
            return
        use = use_of(facts, callee) if callee >= 0 else -1
        if use < 0:
            return
        for target in self.targets(path, use):
            if target.place is None:
                yield NameCandidate(target.external, 0.95)
        if table.kind[callee] == ExpressionKind.MEMBER:
            last = facts.strings[table.b[callee]]
            for owner in self._owners(path, table.a[callee], seen):
                yield NameCandidate(f"{owner.dotted}.{last}", owner.confidence)

    def _module(self, path: FilePath, spelled: int) -> Iterator[NameCandidate]:
        """A module outside the workspace that is called itself."""
        snapshot = self._snapshot
        imports = snapshot.facts(path).imports
        links = snapshot.reader.links_at(snapshot, snapshot.shards[path], (), True, False)
        for row, imported in enumerate(links.module_targets.occurrence):
            target = snapshot.module_target(path, links, row)
            if imports.module[imported] == spelled and target.place is None:
                yield NameCandidate(target.external, 0.95)
                return

    def _types(self, path: FilePath, use: int) -> tuple[Target, ...]:
        snapshot = self._snapshot
        links = snapshot.reader.types_at(snapshot, snapshot.shards[path], (use,))
        return tuple(snapshot.target(path, links, row) for row in rows_of(links.targets, use))

    def _callback_names(self, place: SymbolRef) -> tuple[NameCandidate, ...]:
        """What a call hands to the function whose first parameter this is."""
        known = self._handed.get(place)
        if known is None:
            self._handed[place] = ()  # A function that is handed to what it was handed is handed nothing.
            known = self._handed[place] = tuple(self._find_callback_names(place))
        return known

    def _find_callback_names(self, place: SymbolRef) -> Iterator[NameCandidate]:
        row, table = place.definition, self._snapshot.facts(place.file).definitions
        if table.kind[row] != DefinitionKind.PARAMETER or table.type[row] >= 0 or not self._rules.callbacks:
            return
        if place.file not in self._callbacks:
            self._callbacks[place.file] = tuple(callback_arguments(self._snapshot, place.file, self._rules))
        for callback in self._callbacks[place.file]:
            if callback.parameter == row or (callback.named >= 0 and self._takes(place, callback.named)):
                yield from self._names_by_callback(place.file, callback.use)

    def _takes(self, place: SymbolRef, named: int) -> bool:
        """Whether a use names the function whose first parameter this is."""
        facts = self._snapshot.facts(place.file)
        function = facts.scopes.owner[facts.definitions.scope[place.definition]]
        if function < 0 or first_parameter(facts, function) != place.definition:
            return False
        return any(target.place == SymbolRef(place.file, function) for target in self.targets(place.file, named))

    def _names_by_callback(self, path: FilePath, use: int) -> Iterator[NameCandidate]:
        for named in self.names(path, use):
            for pattern in self._rules.calls.get(named.dotted.rpartition(".")[2], ()):
                if pattern.rule.hands and pattern.matches(named.dotted) and applies_to(pattern.rule, path):
                    yield NameCandidate(pattern.rule.hands, min(0.9, named.confidence))
                    return

    def _decorated_names(self, place: SymbolRef) -> tuple[NameCandidate, ...]:
        """What decorators make of a function: a command group and the like."""
        known = self._made.get(place)
        if known is None:
            self._made[place] = ()  # A function that decorates itself makes nothing.
            known = self._made[place] = tuple(self._make(place))
        return known

    def _make(self, place: SymbolRef) -> Iterator[NameCandidate]:
        facts = self._snapshot.facts(place.file)
        if facts.definitions.kind[place.definition] not in (DefinitionKind.FUNCTION, DefinitionKind.METHOD):
            return
        for row, definition in enumerate(facts.decorators.definition):
            use = use_of(facts, facts.decorators.expression[row]) if definition == place.definition else -1
            if use < 0 or facts.strings[facts.occurrences.name[use]] not in self._rules.decorators:
                continue
            for named in self.names(place.file, use):
                rule = self._rules.decorator(named.dotted)
                if rule is not None and rule.becomes:
                    yield NameCandidate(rule.becomes, named.confidence)
                    break
