"""Naming: the dotted names that the uses of one file stand for.

Owns: names of resolved targets, of members of what a class inherits, of what a decorator makes of a function.
Must not know: what a name leads to, output.
Invariant: a name rests on what resolution answers for the text; what it does not answer has no name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from graphls.analysis.frameworks.handed import Handing, first_parameter, handings
from graphls.analysis.frameworks.marks import use_at, use_of
from graphls.analysis.frameworks.rules import RuleSet, speaks_of
from graphls.facts.kinds import DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Place, Snapshot, Target, rows_of

MAX_ANCESTORS = 60
MAX_STEPS = 20
"""Calls in a chain, and values that lead to others."""
_LITERAL = ExpressionKind.LITERAL
_MAKING = ("construct", "apply", "Promise")
"""Rules of languages whose value is what their first operand makes."""


@attrs.frozen
class Named:
    """What a use may be called, and how sure that is."""

    dotted: str
    confidence: float


class Naming:
    """Names of uses in one snapshot, by graphls' own links; remembers what it looked up."""

    def __init__(self, snapshot: Snapshot, rules: RuleSet) -> None:
        self._snapshot = snapshot
        self._rules = rules
        self._targets: dict[tuple[FilePath, int], tuple[Target, ...]] = {}
        self._ancestors: dict[Place, tuple[str, ...]] = {}
        self._made: dict[Place, tuple[Named, ...]] = {}
        self._handings: dict[FilePath, tuple[Handing, ...]] = {}
        self._handed: dict[Place, tuple[Named, ...]] = {}

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

    def names(self, path: FilePath, use: int) -> Iterator[Named]:
        """Every name of a use, surest first: its own, then those by the object in front of the dot."""
        targets = self.targets(path, use)
        for target in targets:
            yield Named(self.dotted(target), target.confidence)
        facts = self._snapshot.facts(path)
        base = facts.occurrences.base[use]
        if base >= 0:
            last = facts.strings[facts.occurrences.name[use]]
            for owner in self._owners(path, base):
                yield Named(f"{owner.dotted}.{last}", owner.confidence)

    def dotted(self, target: Target) -> str:
        """The dotted name of a target, `module.Class.method` for a place."""
        return target.external if target.place is None else self.dotted_place(target.place)

    def dotted_place(self, place: Place) -> str:
        """`module.Class.method`."""
        module = self._snapshot.module_name(place.file).dotted
        if place.definition < 0:
            return module
        return f"{module}.{qualified_name(self._snapshot.facts(place.file), place.definition)}"

    def ancestors(self, place: Place) -> tuple[str, ...]:
        """Dotted names of all classes above a class, in the workspace and outside, nearest first."""
        known = self._ancestors.get(place)
        if known is None:
            known = self._ancestors[place] = tuple(self._above(place))
        return known

    def value(self, place: Place) -> int:
        """The expression a variable was bound to, -1 for none."""
        return self._snapshot.facts(place.file).definitions.value[place.definition] if place.definition >= 0 else -1

    def _above(self, place: Place) -> Iterator[str]:
        queue, seen = [place], {place}
        for cls in queue:
            if len(queue) > MAX_ANCESTORS:
                return
            for target in self._bases(cls):
                yield self.dotted(target)
                if target.place is not None and target.place.definition >= 0 and target.place not in seen:
                    seen.add(target.place)
                    queue.append(target.place)

    def _bases(self, place: Place) -> Iterator[Target]:
        facts = self._snapshot.facts(place.file)
        for row, definition in enumerate(facts.bases.definition):
            if definition == place.definition and facts.bases.keyword[row] < 0:
                use = use_of(facts, facts.bases.expression[row])
                if use >= 0:
                    yield from self.targets(place.file, use)

    def _owners(self, path: FilePath, expression: int, seen: frozenset[Place] = frozenset()) -> Iterator[Named]:
        """Classes that the object in front of a dot may be an instance of, and calls that gave it."""
        facts = self._snapshot.facts(path)
        if expression < 0 or len(seen) > MAX_STEPS:
            return
        if facts.expressions.kind[expression] not in (ExpressionKind.NAME, ExpressionKind.MEMBER):
            yield from self._given(path, expression, seen)
            return
        use = use_at(facts, facts.expressions.c[expression])
        if use < 0:
            return
        targets = self.targets(path, use)
        for target in targets:
            if target.place is not None and target.place.definition >= 0:
                yield from self._made_of(target.place)
                yield from self._handed_to(target.place)
        for target in self._types(path, use):
            yield Named(self.dotted(target), 0.95)
            if target.place is not None and target.place.definition >= 0:
                yield from (Named(dotted, 0.9) for dotted in self.ancestors(target.place))
        for target in targets:
            if target.place is not None and target.place not in seen:
                yield from self._given(target.place.file, self.value(target.place), seen | {target.place})

    def _given(self, path: FilePath, expression: int, seen: frozenset[Place]) -> Iterator[Named]:
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

    def _called(self, path: FilePath, callee: int, seen: frozenset[Place]) -> Iterator[Named]:
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
                yield Named(target.external, 0.95)
        if table.kind[callee] == ExpressionKind.MEMBER:
            last = facts.strings[table.b[callee]]
            for owner in self._owners(path, table.a[callee], seen):
                yield Named(f"{owner.dotted}.{last}", owner.confidence)

    def _module(self, path: FilePath, spelled: int) -> Iterator[Named]:
        """A module outside the workspace that is called itself."""
        snapshot = self._snapshot
        imports = snapshot.facts(path).imports
        links = snapshot.reader.links_at(snapshot, snapshot.shards[path], (), True)
        for row, imported in enumerate(links.module_targets.occurrence):
            target = snapshot.module_target(path, links, row)
            if imports.module[imported] == spelled and target.place is None:
                yield Named(target.external, 0.95)
                return

    def _types(self, path: FilePath, use: int) -> tuple[Target, ...]:
        snapshot = self._snapshot
        links = snapshot.reader.types_at(snapshot, snapshot.shards[path], (use,))
        return tuple(snapshot.target(path, links, row) for row in rows_of(links.targets, use))

    def _handed_to(self, place: Place) -> tuple[Named, ...]:
        """What a call hands to the function whose first parameter this is."""
        known = self._handed.get(place)
        if known is None:
            self._handed[place] = ()  # A function that is handed to what it was handed is handed nothing.
            known = self._handed[place] = tuple(self._hand(place))
        return known

    def _hand(self, place: Place) -> Iterator[Named]:
        row, table = place.definition, self._snapshot.facts(place.file).definitions
        if table.kind[row] != DefinitionKind.PARAMETER or table.type[row] >= 0 or not self._rules.handing:
            return
        if place.file not in self._handings:
            self._handings[place.file] = tuple(handings(self._snapshot, place.file, self._rules))
        for handing in self._handings[place.file]:
            if handing.parameter == row or (handing.named >= 0 and self._takes(place, handing.named)):
                yield from self._handed_by(place.file, handing.use)

    def _takes(self, place: Place, named: int) -> bool:
        """Whether a use names the function whose first parameter this is."""
        facts = self._snapshot.facts(place.file)
        function = facts.scopes.owner[facts.definitions.scope[place.definition]]
        if function < 0 or first_parameter(facts, function) != place.definition:
            return False
        return any(target.place == Place(place.file, function) for target in self.targets(place.file, named))

    def _handed_by(self, path: FilePath, use: int) -> Iterator[Named]:
        for named in self.names(path, use):
            for pattern in self._rules.calls.get(named.dotted.rpartition(".")[2], ()):
                if pattern.rule.hands and pattern.matches(named.dotted) and speaks_of(pattern.rule, path):
                    yield Named(pattern.rule.hands, min(0.9, named.confidence))
                    return

    def _made_of(self, place: Place) -> tuple[Named, ...]:
        """What decorators make of a function: a command group and the like."""
        known = self._made.get(place)
        if known is None:
            self._made[place] = ()  # A function that decorates itself makes nothing.
            known = self._made[place] = tuple(self._make(place))
        return known

    def _make(self, place: Place) -> Iterator[Named]:
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
                    yield Named(rule.becomes, named.confidence)
                    break
