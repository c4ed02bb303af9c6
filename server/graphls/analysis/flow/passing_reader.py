"""Passing reader: what one file does with the values that its names hold, read from its text and facts.

Owns: which uses an assignment, an argument, a stored element, a return or a call of a value takes its value from.
Must not know: what names mean, other files, what is kept of it.
Invariant: a function of one file's contents; what is worked out in any other way takes its value from nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from graphls.analysis.flow.initializers import pointers, values_by_key, values_by_position
from graphls.analysis.flow.leaves import CALLING_ROLES, CHAIN, NAMING, LeafReader
from graphls.analysis.flow.library_names import (
    ADDERS,
    CALLING_BACK,
    GETTERS,
    SUBSTITUTING,
    THROUGH,
)
from graphls.analysis.flow.parameter_sets import given_values
from graphls.analysis.flow.value_lists import (
    ComputedRows,
    DecoratorRows,
    PassingTables,
    UnpackedRows,
    Words,
    packed_arguments,
    packed_leaves,
    packed_spread,
    packed_ways,
)
from graphls.analysis.flow.values import (
    Destination,
    Leaf,
    PassedArgument,
    SpreadArguments,
    Takes,
    ValueTarget,
)
from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.texts import chain_end
from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionKind, ExpressionKind, ReturnKind, Role
from graphls.graph.nodes import use_at
from graphls.languages.capabilities import Capabilities

_HOLDING: Final = frozenset(
    (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PARAMETER)
)
_CALLING_VALUES: Final = frozenset((ConstructKind.CALL, ConstructKind.DECORATOR))
_YIELDING: Final = frozenset((ReturnKind.YIELD, ReturnKind.YIELD_FROM))
_SPREAD: Final = re.compile(rb"(?:\*\*?|\.\.\.)[ \t]*")
_LONG: Final = 8
"""Of a display with so many names facts may lack those further back: the text has them."""


class PassingReader:
    """Goes through one file."""

    def __init__(self, facts: FileFacts, code: CodeText, known: Capabilities | None) -> None:
        self._facts = facts
        self._code = code
        self._known = known
        self._functional = known is not None and known.is_functional is not None
        self._values = LeafReader(facts, code, lambdas=self._functional)
        self._ways: dict[int, list[ValueTarget]] = {}
        self._names = facts.strings
        self._spread: dict[int, Sequence[SpreadArguments]] = {}

    def read(self) -> PassingTables:
        """What the file passes on."""
        facts = self._facts
        bound, (returned, yielded) = self._bound(), self._returned()
        called: dict[int, Sequence[Leaf]] = {}
        constructs = facts.constructs
        for row, kind in enumerate(constructs.kind):
            if kind in _CALLING_VALUES and constructs.operand[row] >= 0:
                leaves = tuple(self._called_at(kind, constructs.operand[row]))
                self._note(called, row, leaves, Destination.CALLED)
        given, stored = self._calls()
        called_back = self._called_back(given)
        self._subscripts(stored)
        written = self._writes()
        filled = self._initializers(bound, written)
        words = Words()
        arguments = packed_arguments(given, words), packed_arguments(filled, words)
        spread, ways = packed_spread(self._spread, words), packed_ways(self._ways, words)
        computed = [(use, base, words.number(name)) for use, (base, name) in self._values.computing.items()]
        return PassingTables(
            words=words.all(),
            bound=packed_leaves(bound),
            returned=packed_leaves(returned),
            yielded=packed_leaves(yielded),
            called=packed_leaves(called),
            called_back=packed_leaves(called_back),
            stored=packed_leaves(stored),
            written=packed_leaves(written),
            given=arguments[0],
            filled=arguments[1],
            spread=spread,
            ways=ways,
            undispatched=column(sorted(self._on_super())),
            decorators=DecoratorRows.of(tuple(self._decorators())),
            computed=ComputedRows.of(computed),
            unpacked=UnpackedRows.of(tuple(self._unpacked())),
        )

    def _called_at(self, kind: int, operand: int) -> Iterator[Leaf]:
        """What a construct calls: of `@f(x)` it is `f`. What that gives back is all that it ever gave back, and what
        was decorated may be among that."""
        table = self._facts.expressions
        makes = kind == ConstructKind.DECORATOR and table.kind[operand] == ExpressionKind.CALL
        return self._values.taken_from(table.a[operand] if makes else operand)

    def _bound(self) -> dict[int, Sequence[Leaf]]:
        table = self._facts.definitions
        bound: dict[int, Sequence[Leaf]] = {}
        for row, (declared, value) in enumerate(zip(table.type, table.value, strict=True)):
            if table.kind[row] not in _HOLDING:
                continue
            if declared >= 0:
                self._note(bound, row, tuple(self._values.declared(declared)), Destination.BOUND)
            if value >= 0:
                leaves = tuple(self._values.taken_from(value, Takes.VALUE))
                if len(leaves) >= _LONG and leaves[0].inside:
                    leaves = tuple(dict.fromkeys((*leaves, *self._values.listed(row))))
                self._note(bound, row, leaves, Destination.BOUND)
        for parameter, expression, elements in given_values(self._facts):
            leaves = tuple(self._values.taken_from(expression, Takes.ELEMENT if elements else Takes.VALUE))
            self._note(bound, parameter, leaves, Destination.BOUND)
        return bound

    def _unpacked(self) -> Iterator[tuple[int, int]]:
        table, expressions, uses = self._facts.definitions, self._facts.expressions, self._facts.occurrences
        called = {name for name, role in zip(uses.name, uses.role, strict=True) if role == Role.CALL}
        for row, value in enumerate(table.value):
            is_part = value >= 0 and expressions.kind[value] == ExpressionKind.ITEM
            if is_part and table.name[row] in called and table.kind[row] in _HOLDING:
                yield row, expressions.a[value]

    def _returned(self) -> tuple[dict[int, Sequence[Leaf]], dict[int, Sequence[Leaf]]]:
        """What functions give back, and what generators yield."""
        facts = self._facts
        returned: dict[int, dict[Leaf, None]] = {}
        yielded: dict[int, dict[Leaf, None]] = {}
        given_back = zip(facts.returns.definition, facts.returns.expression, facts.returns.kind, strict=True)
        for row, expression, kind in given_back:
            if expression < 0:
                continue
            takes = Takes.ELEMENT if kind == ReturnKind.YIELD_FROM else Takes.VALUE
            leaves = tuple(self._values.taken_from(expression, takes))
            if facts.expressions.kind[expression] == ExpressionKind.TUPLE:
                # Several values: whoever takes one of them apart is not told from who takes another.
                leaves = tuple(leaf._replace(inside=False) for leaf in leaves)
            (yielded if kind in _YIELDING else returned).setdefault(row, {}).update(dict.fromkeys(leaves))
        for found, destination in ((returned, Destination.RETURNED), (yielded, Destination.YIELDED)):
            for row, leaves in found.items():
                self._lead(leaves, destination, row)
        return {row: tuple(leaves) for row, leaves in returned.items()}, {
            row: tuple(leaves) for row, leaves in yielded.items()
        }

    def _note(
        self, known: dict[int, Sequence[Leaf]], row: int, leaves: Sequence[Leaf], destination: Destination
    ) -> None:
        if leaves:
            known[row] = (*known.get(row, ()), *leaves)
            self._lead(leaves, destination, row)

    def _lead(self, leaves: Iterable[Leaf], destination: Destination, row: int) -> None:
        for leaf in leaves:
            self._ways.setdefault(leaf.use, []).append(ValueTarget(destination, row, leaf.takes, leaf.inside))

    def _calls(self) -> tuple[dict[int, Sequence[PassedArgument]], dict[int, Sequence[Leaf]]]:
        """Arguments of calls, and what calls put into containers."""
        uses = self._facts.occurrences
        given: dict[int, Sequence[PassedArgument]] = {}
        stored: dict[int, Sequence[Leaf]] = {}
        ends = [(use, uses.end[use]) for use, role in enumerate(uses.role) if role in CALLING_ROLES]
        if self._functional:
            # Lambdas and type arguments have commas of their own: the facts tell them apart.
            for use, arguments in self._values.arguments():
                passed = ((position, name, self._values.taken_from(row)) for position, name, row in arguments)
                found = [PassedArgument(at, name, leaves) for at, name, given_ in passed if (leaves := tuple(given_))]
                if found:
                    self._give(use, found, given, stored)
            return given, stored
        for use, end in (*ends, *self._subscripted_calls()):
            arguments = self._code.arguments(end)
            self._spread_out(use, arguments)
            found = [
                PassedArgument(argument.position, argument.keyword, leaves)
                for argument in arguments
                if (leaves := tuple(self._values.in_text(argument)))
            ]
            if found:
                self._give(use, found, given, stored)
        return given, stored

    def _give(
        self,
        use: int,
        found: Sequence[PassedArgument],
        given: dict[int, Sequence[PassedArgument]],
        stored: dict[int, Sequence[Leaf]],
    ) -> None:
        """Notes what a call is given."""
        uses = self._facts.occurrences
        given[use] = found
        for one in found:
            for leaf in one.leaves:
                way = ValueTarget(Destination.GIVEN, use, leaf.takes, leaf.inside, one.position, one.keyword)
                self._ways.setdefault(leaf.use, []).append(way)
        if uses.base[use] >= 0 and self._names[uses.name[use]] in ADDERS:
            self._add(stored, uses.base[use], found[-1].leaves)

    def _on_super(self) -> set[int]:
        """`super().run(x)`, `super.run(x)`."""
        uses, table = self._facts.occurrences, self._facts.expressions
        found: set[int] = set()
        for use, (base, role) in enumerate(zip(uses.base, uses.role, strict=True)):
            if base < 0 or role != Role.CALL:
                continue
            name = table.a[base] if table.kind[base] == ExpressionKind.CALL else base
            if name >= 0 and table.kind[name] == ExpressionKind.NAME and self._names[table.a[name]] == "super":
                found.add(use)
        return found

    def _spread_out(self, use: int, arguments: Sequence[Argument]) -> None:
        """`f(*args, **kwargs)`, `f(...args)`: the first container of either kind."""
        seen: set[bool] = set()
        for one in arguments:
            sign = _SPREAD.match(self._code.data, one.start, one.end)
            if sign is None or one.keyword or (by_name := sign[0].rstrip() == b"**") in seen:
                continue
            seen.add(by_name)
            name = chain_end(self._facts, self._code, sign.end(), one.end)
            if name >= 0 and self._facts.occurrences.role[name] not in CALLING_ROLES:
                keywords = frozenset(other.keyword for other in arguments if other.keyword)
                before = sum(not other.keyword and other.start < one.start for other in arguments)
                spread = SpreadArguments(name, -1 if by_name else one.position, before, keywords)
                self._spread[use] = (*self._spread.get(use, ()), spread)
                self._lead((Leaf(name, Takes.VALUE, False),), Destination.SPREAD, use)

    def _subscripted_calls(self) -> Iterator[tuple[int, int]]:
        """`Box[int](value)`: the use of what is subscripted, and where the callee ends."""
        constructs, table = self._facts.constructs, self._facts.expressions
        for row, kind in enumerate(constructs.kind):
            operand = constructs.operand[row] if kind == ConstructKind.CALL else -1
            base = table.a[operand] if operand >= 0 and table.kind[operand] == ExpressionKind.SUBSCRIPT else -1
            use = use_at(self._facts, table.c[base]) if base >= 0 and table.kind[base] in NAMING else -1
            if use >= 0:
                yield use, constructs.end[row]

    def _called_back(self, given: Mapping[int, Sequence[PassedArgument]]) -> dict[int, Sequence[Leaf]]:
        """`sorted(items, key=f)`, `map(f, items)`."""
        uses = self._facts.occurrences
        called_back: dict[int, Sequence[Leaf]] = {}
        self._through_functions(called_back)
        for use, arguments in given.items():
            wanted = CALLING_BACK.get(self._names[uses.name[use]], ())
            if wanted == SUBSTITUTING and len(arguments) == 2:
                wanted = ("0", "repl")  # `pattern.sub(f, text)`
            for one in arguments if wanted else ():
                if one.keyword in wanted if one.keyword else str(one.position) in wanted:
                    self._note(called_back, use, one.leaves, Destination.CALLED_BACK)
        return called_back

    def _through_functions(self, called_back: dict[int, Sequence[Leaf]]) -> None:
        """`f.call(x)`, `f.apply(x, list)`."""
        uses = self._facts.occurrences
        known = () if self._code.lexis.keywords or THROUGH.isdisjoint(self._names) else self._names
        numbers = {row for row, name in enumerate(known) if name in THROUGH}
        for use, (name, role) in enumerate(zip(uses.name, uses.role, strict=True)) if numbers else ():
            if name in numbers and role == Role.CALL and uses.base[use] >= 0:
                self._note(
                    called_back,
                    use,
                    tuple(self._values.taken_from(uses.base[use], Takes.VALUE)),
                    Destination.CALLED_BACK,
                )

    def _add(self, stored: dict[int, Sequence[Leaf]], base: int, leaves: Sequence[Leaf]) -> None:
        for container in self._values.taken_from(self._container(base), Takes.VALUE):
            if container.takes == Takes.VALUE:
                self._note(stored, container.use, leaves, Destination.STORED)

    def _container(self, base: int) -> int:
        """`x.setdefault(k, []).append(v)` and `x[k].append(v)` put into `x`, as far as elements are told apart."""
        table = self._facts.expressions
        for _ in range(3):
            if table.kind[base] == ExpressionKind.SUBSCRIPT:
                base = table.a[base]
                continue
            callee = table.a[base] if table.kind[base] == ExpressionKind.CALL else -1
            if callee < 0 or table.kind[callee] != ExpressionKind.MEMBER:
                break
            if self._names[table.b[callee]] not in GETTERS:
                break
            base = table.a[callee]
        return base

    def _subscripts(self, stored: dict[int, Sequence[Leaf]]) -> None:
        """`x[k] = v`."""
        constructs = self._facts.constructs
        for row, kind in enumerate(constructs.kind):
            if kind != ConstructKind.SET_ITEM or constructs.operand[row] < 0:
                continue
            leaves = self._values.behind(constructs.end[row])
            if leaves:
                self._add(stored, constructs.operand[row], leaves)

    def _writes(self) -> dict[int, Sequence[Leaf]]:
        """`x.name = v` where that is no definition of `name`."""
        uses, table = self._facts.occurrences, self._facts.definitions
        own = set(table.start)
        written: dict[int, Sequence[Leaf]] = {}
        for use, role in enumerate(uses.role):
            is_known = uses.base[use] >= 0 or self._functional
            if role == Role.WRITE and is_known and uses.start[use] not in own:
                self._note(written, use, self._values.behind(uses.end[use]), Destination.WRITTEN)
        for use, row in self._values.lambdas_assigned() if self._functional else ():
            if use not in written:
                self._note(written, use, tuple(self._values.taken_from(row)), Destination.WRITTEN)
        return written

    def _initializers(
        self, bound: dict[int, Sequence[Leaf]], written: dict[int, Sequence[Leaf]]
    ) -> Mapping[int, Sequence[PassedArgument]]:
        known, filled = self._known, dict[int, list[PassedArgument]]()
        if known is not None and (known.tier == "typed" or known.fills_fields_in_order):
            for use, leaf in values_by_key(self._facts, self._code):
                self._note(written, use, (leaf,), Destination.WRITTEN)
        if known is not None and known.fills_fields_in_order:
            for row, leaf in pointers(self._facts, self._code):
                self._note(bound, row, (leaf,), Destination.BOUND)
            for use, one in values_by_position(self._facts, self._code):
                filled.setdefault(use, []).append(one)
                for leaf in one.leaves:
                    way = ValueTarget(Destination.FILLED, use, leaf.takes, leaf.inside, one.position)
                    self._ways.setdefault(leaf.use, []).append(way)
        return filled

    def _decorators(self) -> Iterator[tuple[int, int, int]]:
        table, facts = self._facts.decorators, self._facts
        for row, definition in enumerate(table.definition):
            chain = CHAIN.match(self._code.data, table.start[row])
            if chain is None:
                continue
            use = use_at(facts, chain.start() + chain[0].rfind(b".") + 1)
            if use >= 0:
                yield use, definition, self._code.data[chain.end() : chain.end() + 1] == b"("
