"""Passing: what one file does with the values that its names hold, as far as the text shows.

Owns: which uses an assignment, an argument, a stored element, a return or a call of a value takes its value from.
Must not know: what names mean, other files.
Invariant: a function of one file's contents; what is worked out in any other way takes its value from nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import attrs

from graphls.analysis.flow.library_names import (
    ADDERS,
    CALLING_BACK,
    CONTAINERS,
    FIELD_MAKERS,
    GETTERS,
    GIVING_BACK,
    SAME_ELEMENTS,
    SIDE_BY_SIDE,
    SUBSTITUTING,
    THROUGH,
    TRANSPARENT,
    VIEWS,
)
from graphls.analysis.flow.parameter_sets import given_values
from graphls.analysis.flow.values import (
    Destination,
    Leaf,
    PassedArgument,
    SpreadArguments,
    Takes,
    ValueTarget,
    awaited,
    inside_of_container,
    written_use,
)
from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.marks import use_at
from graphls.analysis.frameworks.texts import chain_end, code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionKind, ExpressionKind, ReturnKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.edges import rows_between
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_HOLDING: Final = frozenset(
    (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PARAMETER)
)
_CALLING: Final = frozenset((Role.CALL, Role.DECORATE))
_NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))
_NAMED: Final = _NAMING | {ExpressionKind.FUNCTION}
_AROUND: Final = frozenset((ExpressionKind.AWAIT, ExpressionKind.NARROWED, ExpressionKind.STARRED, ExpressionKind.ITEM))
_ELEMENTS: Final = frozenset((ExpressionKind.SUBSCRIPT, ExpressionKind.ELEMENT))
_YIELDING: Final = frozenset((ReturnKind.YIELD, ReturnKind.YIELD_FROM))
_DISPLAYS: Final = frozenset((ExpressionKind.COLLECTION, ExpressionKind.TUPLE))
_PREFIX: Final = re.compile(rb"""[fF]["']([A-Za-z_]\w*)\{|["']([A-Za-z_]\w*)(?:%s["']\s*%|["']\s*\+)""")
_ELEMENT_END: Final = re.compile(rb"\s*[,}\])]")
_SPREAD: Final = re.compile(rb"(?:\*\*?|\.\.\.)[ \t]*")
_STORED: Final = re.compile(rb"[ \t]*=(?![=>])[ \t]*")
_NEW_OPERATOR: Final = "construct"
_NEW: Final = re.compile(rb"new[ \t]+(?=[A-Za-z_$])")
_WRITTEN: Final = re.compile(rb"(?:async[ \t]+)?function(?:[ \t]*\*[ \t]*|[ \t]+)([A-Za-z_$][\w$]*)[ \t]*(?=\()")
_CHAIN: Final = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_EITHER: Final = re.compile(rb"\s+(?:or|\|\||\?\?)\s+|\s+if\s.*?\selse\s+", re.DOTALL)
_TERNARY: Final = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[(\[{]|[)\]}]|\s\?\s+|\s:\s+", re.DOTALL
)
MOST_CHOICES: Final = 20
"""Of a declared type; one with more may be anything."""
_MOST_NESTED: Final = 6
_LONG: Final = 8
"""Of a display with so many names facts may lack those further back: the text has them."""
_LONGEST: Final = 400
"""Bytes of an argument that are looked at."""
_LONGEST_DISPLAY: Final = 4000
"""The same where it is written out as a container."""


@attrs.frozen(eq=False)
class FilePassing:
    """What one file passes on, from both ends."""

    bound: Mapping[int, Sequence[Leaf]]
    """Definition -> what its value is taken from."""
    returned: Mapping[int, Sequence[Leaf]]
    """Function -> what it gives back."""
    yielded: Mapping[int, Sequence[Leaf]]
    """Generator -> its elements."""
    called: Mapping[int, Sequence[Leaf]]
    """Construct that calls a value -> what that is taken from."""
    given: Mapping[int, Sequence[PassedArgument]]
    """Use that is called -> its arguments, as far as they are names."""
    spread: Mapping[int, Sequence[SpreadArguments]]
    """Use that is called -> the containers whose elements are its further arguments."""
    undispatched: Collection[int]
    """Uses that call a member of `super`: no override of it runs there."""
    called_back: Mapping[int, Sequence[Leaf]]
    """Use of what a library may declare -> the arguments that this calls then."""
    stored: Mapping[int, Sequence[Leaf]]
    """Use of a container -> what is put into it there."""
    written: Mapping[int, Sequence[Leaf]]
    """Use of a member that is written to -> what it is given."""
    decorated: Mapping[int, tuple[int, bool]]
    """Use that names a decorator -> the definition below, and whether the decorator is the result of a call."""
    decorators: Mapping[int, Sequence[tuple[int, bool]]]
    """The inverse."""
    computed: Mapping[int, tuple[int, str]]
    """Use of what looks a member up by a name that is worked out -> use of the object, what the name begins with."""
    ways: Mapping[int, Sequence[ValueTarget]]
    """Use -> where its value goes."""


_MEMO: Final = Memo["FilePassing"]("passing", rests_on_links=False)


def passing_of(snapshot: Snapshot, path: FilePath) -> FilePassing:
    """That of one file; kept with its contents."""
    shard = snapshot.shards[path]
    return _MEMO.once(shard, lambda: _Reader(snapshot.facts(path), code_of(snapshot, path)).read())


def is_passing_known(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether that needs no reading."""
    return _MEMO.get(snapshot.shards[path]) is not None


_OPERANDS: Final = Memo["Mapping[int, Sequence[Operand]]"]("operands", rests_on_links=False)


class Operand(NamedTuple):
    """A construct (row) whose operand is taken from a use."""

    row: int
    takes: Takes
    inside: bool


def operands_of(snapshot: Snapshot, path: FilePath) -> Mapping[int, Sequence[Operand]]:
    """Use -> constructs whose operand it is, of one file; kept with its contents."""
    shard = snapshot.shards[path]

    def read() -> Mapping[int, Sequence[Operand]]:
        facts = snapshot.facts(path)
        found: dict[int, list[Operand]] = {}
        reader = _Reader(facts, code_of(snapshot, path))
        for row, operand in enumerate(facts.constructs.operand):
            for leaf in reader.leaves(operand) if operand >= 0 else ():
                found.setdefault(leaf.use, []).append(Operand(row, leaf.takes, leaf.inside))
        return found

    return _OPERANDS.once(shard, read)


def leaves_reader(snapshot: Snapshot, path: FilePath) -> Callable[[int], Iterator[Leaf]]:
    """What tells what the value of an expression of one file is taken from."""
    return _Reader(snapshot.facts(path), code_of(snapshot, path)).leaves


class _Reader:
    """Goes through one file."""

    def __init__(self, facts: FileFacts, code: CodeText) -> None:
        self._facts = facts
        self._code = code
        self._ways: dict[int, list[ValueTarget]] = {}
        self._names = facts.strings
        self._computing: dict[int, tuple[int, str]] = {}
        self._spread: dict[int, Sequence[SpreadArguments]] = {}
        self._displays = (b"(", b"[", b"{") if code.lexis.keywords else (b"(", b"[")
        """What opens a container, where arguments may have names: elsewhere braces are objects with members."""

    def read(self) -> FilePassing:
        facts = self._facts
        bound, (returned, yielded) = self._bound(), self._returned()
        called: dict[int, Sequence[Leaf]] = {}
        constructs = facts.constructs
        for row, kind in enumerate(constructs.kind):
            if kind == ConstructKind.CALL and constructs.operand[row] >= 0:
                leaves = tuple(self._leaves(constructs.operand[row], Takes.VALUE))
                self._note(called, row, leaves, Destination.CALLED)
        given, stored = self._calls()
        called_back = self._called_back(given)
        self._subscripts(stored)
        written = self._writes()
        decorated, decorators = self._decorators()
        ends = decorated, decorators, self._computing, self._ways
        return FilePassing(
            bound, returned, yielded, called, given, self._spread, self._on_super(), called_back, stored, written, *ends
        )

    def _bound(self) -> dict[int, Sequence[Leaf]]:
        table = self._facts.definitions
        bound: dict[int, Sequence[Leaf]] = {}
        for row, (declared, value) in enumerate(zip(table.type, table.value, strict=True)):
            if table.kind[row] not in _HOLDING:
                continue
            if declared >= 0:
                self._note(bound, row, tuple(self._declared(declared)), Destination.BOUND)
            if value >= 0:
                leaves = tuple(self._leaves(value, Takes.VALUE))
                if len(leaves) >= _LONG and leaves[0].inside:
                    leaves = tuple(dict.fromkeys((*leaves, *self._listed(row))))
                self._note(bound, row, leaves, Destination.BOUND)
        for parameter, expression, elements in given_values(self._facts):
            leaves = tuple(self._leaves(expression, Takes.ELEMENT if elements else Takes.VALUE))
            self._note(bound, parameter, leaves, Destination.BOUND)
        return bound

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
            leaves = tuple(self._leaves(expression, takes))
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

    # ---- expressions

    def leaves(self, row: int) -> Iterator[Leaf]:
        """What the value of an expression is taken from."""
        return self._leaves(row, Takes.VALUE)

    def _leaves(self, row: int, takes: Takes, depth: int = 0) -> Iterator[Leaf]:
        """What the value of an expression is taken from."""
        table, facts = self._facts.expressions, self._facts
        if row < 0 or depth > _MOST_NESTED:
            return
        kind, a, deeper = table.kind[row], table.a[row], depth + 1
        if kind in _NAMED:
            use = self._use_of(row)
            if use != -1:
                yield Leaf(use, takes, False)
        elif kind == ExpressionKind.ITEM and (side := self._side_by_side(a, table.b[row])) is not None:
            yield from self._leaves(side, Takes.ELEMENT, deeper) if takes != Takes.RESULT else ()
        elif kind in _AROUND:
            found = self._leaves(a, takes, deeper)
            yield from map(awaited, found) if kind == ExpressionKind.AWAIT else found
        elif kind == ExpressionKind.UNION:
            yield from (leaf for item in facts.list_at(a) for leaf in self._leaves(item, takes, deeper))
        elif kind in _ELEMENTS and takes != Takes.RESULT:
            yield from self._element(row, takes, deeper)
        elif kind == ExpressionKind.TYPE and takes == Takes.VALUE:
            yield from self._declared(a)
        elif kind == ExpressionKind.CALL:
            yield from self._called(row, takes, deeper)
        elif kind in _DISPLAYS and takes in (Takes.VALUE, Takes.ELEMENT):
            for item in facts.list_at(a):
                found = self._leaves(item, Takes.VALUE, deeper)
                yield from found if takes == Takes.ELEMENT else inside_of_container(found)

    def _use_of(self, row: int) -> int:
        """The use of a name, or what stands for that of a function with a name that is written here; -1 for none."""
        table = self._facts.expressions
        if table.kind[row] != ExpressionKind.FUNCTION:
            return use_at(self._facts, table.c[row])
        is_function = self._facts.definitions.kind[table.a[row]] == DefinitionKind.FUNCTION
        return written_use(table.a[row]) if is_function else -1

    def _element(self, row: int, takes: Takes, depth: int) -> Iterator[Leaf]:
        """`x[k]`, what a loop takes from `x`; also `new X()`: facts have operators as literals with operands."""
        table = self._facts.expressions
        a = table.a[row]
        if table.kind[a] != ExpressionKind.LITERAL or self._names[table.a[a]] != _NEW_OPERATOR:
            # Containers in containers are not told apart.
            yield from self._leaves(self._viewed(a), Takes.ELEMENT, depth)
        elif takes == Takes.VALUE:
            for made in self._facts.list_at(table.b[row])[:1]:
                called = (leaf for leaf in self._leaves(made, Takes.VALUE, depth) if leaf.takes == Takes.VALUE)
                yield from (Leaf(leaf.use, Takes.RESULT, leaf.inside) for leaf in called)

    def _side_by_side(self, row: int, position: int) -> int | None:
        """The container that one part of an element of `zip(a, b)` or `enumerate(a)` is of; -1 for a number."""
        table = self._facts.expressions
        call = table.a[row] if row >= 0 and table.kind[row] == ExpressionKind.ELEMENT else -1
        callee = table.a[call] if call >= 0 and table.kind[call] == ExpressionKind.CALL else -1
        if callee < 0 or table.kind[callee] != ExpressionKind.NAME:
            return None
        name, arguments = self._names[table.a[callee]], self._facts.list_at(table.b[call])
        if name == "enumerate":
            return arguments[0] if position == 1 and arguments else -1
        is_zip = name in SIDE_BY_SIDE and 0 <= position < len(arguments)
        return arguments[position] if is_zip else None

    def _declared(self, row: int, depth: int = 0) -> Iterator[Leaf]:
        """A name of a type: an object of it."""
        table, facts = self._facts.expressions, self._facts
        kind, a = table.kind[row], table.a[row]
        if kind in _NAMING:
            use = use_at(facts, table.c[row])
            if use >= 0:
                yield Leaf(use, Takes.RESULT, False)
        elif depth < _MOST_NESTED and kind == ExpressionKind.UNION:
            items = facts.list_at(a)
            for item in items if len(items) <= MOST_CHOICES else ():
                yield from self._declared(item, depth + 1)
        elif depth < _MOST_NESTED and kind == ExpressionKind.SUBSCRIPT:
            yield from self._declared(a, depth + 1)
            base = table.kind[a]
            name = self._names[table.a[a] if base == ExpressionKind.NAME else table.b[a]] if base in _NAMING else ""
            for item in facts.list_at(table.b[row]) if name in TRANSPARENT else ():
                yield from self._declared(item, depth + 1)

    def _listed(self, row: int) -> Iterator[Leaf]:
        """The elements of a long display that are names alone."""
        uses, table, data = self._facts.occurrences, self._facts.definitions, self._code.data
        for use in rows_between(uses.start, table.end[row], table.full_end[row]):
            if uses.role[use] == Role.READ and _ELEMENT_END.match(data, uses.end[use]):
                first = uses.start[use]
                while data[first - 1 : first] == b"." or data[first - 1 : first].isalnum() or data[first - 1] == 0x5F:
                    first -= 1
                if data[:first].rstrip()[-1:] in (b",", b":", b"[", b"{", b"("):
                    yield Leaf(use, Takes.VALUE, True)

    def _viewed(self, row: int) -> int:
        """The container behind `values()` and the like."""
        table = self._facts.expressions
        if row >= 0 and table.kind[row] == ExpressionKind.CALL:
            callee = table.a[row]
            if callee >= 0 and table.kind[callee] == ExpressionKind.MEMBER:
                return table.a[callee] if self._names[table.b[callee]] in VIEWS else row
            arguments = self._facts.list_at(table.b[row])
            if callee >= 0 and table.kind[callee] == ExpressionKind.NAME and len(arguments) == 1:
                return self._viewed(arguments[0]) if self._names[table.a[callee]] in SAME_ELEMENTS else row
        return row

    def _called(self, row: int, takes: Takes, depth: int) -> Iterator[Leaf]:
        table = self._facts.expressions
        callee, arguments = table.a[row], self._facts.list_at(table.b[row])
        kind = table.kind[callee] if callee >= 0 else -1
        if takes == Takes.ELEMENT and callee >= 0:
            yield from self._elements_of_result(callee, arguments, depth)
        if callee < 0 or takes != Takes.VALUE:
            return
        if kind == ExpressionKind.SUBSCRIPT and table.kind[table.a[callee]] in _NAMING:
            # `Box[int]()` is a call of `Box`; of a container it is one of an element, which is known below.
            yield from self._leaves(table.a[callee], Takes.RESULT, depth)
        name = ""
        if kind in _NAMING:
            name = self._names[table.a[callee] if kind == ExpressionKind.NAME else table.b[callee]]
        if name in GIVING_BACK and arguments:
            yield from self._leaves(arguments[-1] if name == "cast" else arguments[0], takes, depth)
            return
        if name in CONTAINERS or (kind == ExpressionKind.MEMBER and name in VIEWS):
            inside = [table.a[callee]] if name in VIEWS else arguments
            for item in inside:
                yield from self._leaves(item, takes, depth)
            return
        if name in FIELD_MAKERS:
            yield from self._field_defaults(table.c[callee])
        if name == "getattr":
            yield from self._looked_up(table.c[callee])
            for default in arguments[2:]:
                yield from self._leaves(default, takes, depth)
            return
        if kind == ExpressionKind.MEMBER and name in GETTERS:
            yield from self._leaves(table.a[callee], Takes.ELEMENT, depth)
        yield from (
            Leaf(leaf.use, Takes.RESULT, leaf.inside)
            for leaf in self._leaves(callee, Takes.VALUE, depth)
            if leaf.takes == Takes.VALUE
        )

    def _elements_of_result(self, callee: int, arguments: Sequence[int], depth: int) -> Iterator[Leaf]:
        """`for x in f(y)`; containers in containers are not told apart."""
        table = self._facts.expressions
        kind = table.kind[callee]
        name = (
            self._names[table.a[callee] if kind == ExpressionKind.NAME else table.b[callee]] if kind in _NAMING else ""
        )
        if kind == ExpressionKind.MEMBER and name in GETTERS:
            yield from self._leaves(table.a[callee], Takes.ELEMENT, depth)
        elif name in CONTAINERS or name in SIDE_BY_SIDE or name in SAME_ELEMENTS:
            yield from (leaf for item in arguments for leaf in self._leaves(item, Takes.ELEMENT, depth))
        else:
            called = (leaf for leaf in self._leaves(callee, Takes.VALUE, depth) if leaf.takes == Takes.VALUE)
            yield from (Leaf(leaf.use, Takes.RESULT_ELEMENT, False) for leaf in called if not leaf.inside)

    def _field_defaults(self, offset: int) -> Iterator[Leaf]:
        """`field(default=f)`, `field(default_factory=A)`: what the field holds where nobody gives it a value."""
        use = use_at(self._facts, offset)
        for one in self._code.arguments(self._facts.occurrences.end[use]) if use >= 0 else ():
            if one.keyword == "default":
                yield from self._in_text(one)
            elif one.keyword in ("factory", "default_factory"):
                made = (leaf for leaf in self._in_text(one) if leaf.takes == Takes.VALUE)
                yield from (leaf._replace(takes=Takes.RESULT) for leaf in made)

    def _looked_up(self, offset: int) -> Iterator[Leaf]:
        """`getattr(x, "name")`, `getattr(self, f"visit_{kind}")`."""
        use = use_at(self._facts, offset)
        if use < 0:
            return
        arguments = self._code.arguments(self._facts.occurrences.end[use])
        if len(arguments) < 2:
            return
        data, (first, second) = self._code.data, arguments[:2]
        uses = self._facts.occurrences
        for text in rows_between(uses.start, second.start, second.end):
            if uses.role[text] == Role.TEXT:
                yield Leaf(text, Takes.VALUE, False)
                return
        name = _PREFIX.match(data, second.start, second.end)
        receiver = chain_end(self._facts, self._code, first.start, first.end)
        if name is not None and receiver >= 0:
            self._computing[use] = (receiver, (name[1] or name[2]).decode())
            yield Leaf(use, Takes.COMPUTED, False)

    # ---- text

    def _calls(self) -> tuple[dict[int, Sequence[PassedArgument]], dict[int, Sequence[Leaf]]]:
        """Arguments of calls, and what calls put into containers."""
        uses = self._facts.occurrences
        given: dict[int, Sequence[PassedArgument]] = {}
        stored: dict[int, Sequence[Leaf]] = {}
        ends = [(use, uses.end[use]) for use, role in enumerate(uses.role) if role in _CALLING]
        for use, end in (*ends, *self._subscripted_calls()):
            arguments = self._code.arguments(end)
            self._spread_out(use, arguments)
            found = [
                PassedArgument(argument.position, argument.keyword, leaves)
                for argument in arguments
                if (leaves := tuple(self._in_text(argument)))
            ]
            if not found:
                continue
            given[use] = found
            for one in found:
                for leaf in one.leaves:
                    way = ValueTarget(Destination.GIVEN, use, leaf.takes, leaf.inside, one.position, one.keyword)
                    self._ways.setdefault(leaf.use, []).append(way)
            if uses.base[use] >= 0 and self._names[uses.name[use]] in ADDERS:
                self._add(stored, uses.base[use], found[-1].leaves)
        return given, stored

    def _on_super(self) -> Collection[int]:
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
            if name >= 0 and self._facts.occurrences.role[name] not in _CALLING:
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
            use = use_at(self._facts, table.c[base]) if base >= 0 and table.kind[base] in _NAMING else -1
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
                self._note(called_back, use, tuple(self._leaves(uses.base[use], Takes.VALUE)), Destination.CALLED_BACK)

    def _add(self, stored: dict[int, Sequence[Leaf]], base: int, leaves: Sequence[Leaf]) -> None:
        for container in self._leaves(self._container(base), Takes.VALUE):
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

    def _in_text(self, argument: Argument) -> Iterator[Leaf]:
        written = _WRITTEN.match(self._code.data, argument.start, argument.end)
        if written is not None:  # a function with a name, however long
            found = rows_between(self._facts.definitions.start, written.start(1), written.end(1))
            yield from (Leaf(written_use(row), Takes.VALUE, False) for row in found[:1])
            return
        display = self._code.data[argument.start : argument.start + 1] in self._displays
        if argument.end - argument.start <= (_LONGEST_DISPLAY if display else _LONGEST):
            yield from self._span(argument.start, argument.end)

    def _span(self, start: int, end: int, depth: int = 0) -> Iterator[Leaf]:
        """What a stretch of text that is one value is taken from."""
        data, facts = self._code.data, self._facts
        if data[start : start + 1] in self._displays and depth <= 2 and data[end - 1 : end] in (b")", b"]", b"}"):
            yield from self._inside(start, end, depth)
            return
        if depth <= 2 and not self._code.lexis.keywords and (chosen := self._chosen(start, end)):
            for one in chosen:
                yield from self._span(*one, depth + 1)
            return
        new = _NEW.match(data, start, end)
        chain = _CHAIN.match(data, new.end() if new is not None else start, end)
        if chain is None or depth > 2:
            return
        if chain.end() == end:
            use = chain_end(facts, self._code, start, end)
            if use >= 0 and facts.occurrences.role[use] not in _CALLING:
                yield Leaf(use, Takes.VALUE, False)
            return
        if self._code.callee_end(start, end) == chain.end():
            use = use_at(facts, chain.start() + chain[0].rfind(b".") + 1)
            yield from self._result(use, chain.end(), depth)
            return
        if data[chain.end() : chain.end() + 1] == b"[" and _closes(data, chain.end(), end):
            use = use_at(facts, chain.start() + chain[0].rfind(b".") + 1)
            if use >= 0:
                yield Leaf(use, Takes.ELEMENT, False)
            return
        choice = _EITHER.search(data, start, end)
        if choice is not None:
            yield from self._span(start, choice.start(), depth + 1)
            yield from self._span(choice.end(), end, depth + 1)

    def _inside(self, start: int, end: int, depth: int) -> Iterator[Leaf]:
        """What a stretch in brackets holds."""
        if self._code.behind(start) != end:
            return
        items = self._code.elements(start)
        is_group = (
            len(items) == 1
            and self._code.data[start : start + 1] == b"("
            and b"," not in self._code.data[items[0].end : end]
        )
        for item in items:
            leaves = self._span(item.start, item.end, depth + 1)
            yield from leaves if is_group else inside_of_container(leaves)

    def _chosen(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        """The two values of `condition ? a : b`; none of anything else."""
        opened, inner, first = 0, 0, -1
        for mark in _TERNARY.finditer(self._code.data, start, end):
            sign = mark[0].strip()
            if sign not in (b"?", b":"):
                opened += (sign in b"([{") - (sign in b")]}") if len(sign) == 1 else 0
            elif opened == 0 and sign == b"?":
                inner += first >= 0
                first = mark.end() if first < 0 else first
            elif opened == 0 and first >= 0:
                if not inner:
                    return (first, mark.start()), (mark.end(), end)
                inner -= 1
        return ()

    def _result(self, use: int, callee_end: int, depth: int) -> Iterator[Leaf]:
        if use < 0:
            return
        name = self._names[self._facts.occurrences.name[use]]
        if name in GIVING_BACK:
            arguments = [one for one in self._code.arguments(callee_end) if not one.keyword]
            if arguments:
                one = arguments[-1 if name == "cast" else 0]
                yield from self._span(one.start, one.end, depth + 1)
            return
        base = self._facts.occurrences.base[use]
        if base >= 0 and name in GETTERS:
            yield from self._leaves(base, Takes.ELEMENT)
        yield Leaf(use, Takes.RESULT, False)

    def _behind(self, at: int) -> tuple[Leaf, ...]:
        """What is assigned to a target that ends there."""
        data = self._code.data
        sign = _STORED.match(data, at)
        chain = _CHAIN.match(data, sign.end()) if sign is not None else None
        if chain is None:
            return ()
        end = chain.end()
        if data[end : end + 1] == b"(":
            end = self._code.behind(end)
        stop = re.compile(rb"[ \t]*(?:#[^\n]*|//[^\n]*|;|\n|\r|\Z)").match(data, end)
        return tuple(self._span(chain.start(), end)) if stop is not None else ()

    def _subscripts(self, stored: dict[int, Sequence[Leaf]]) -> None:
        """`x[k] = v`."""
        constructs = self._facts.constructs
        for row, kind in enumerate(constructs.kind):
            if kind != ConstructKind.SET_ITEM or constructs.operand[row] < 0:
                continue
            leaves = self._behind(constructs.end[row])
            if leaves:
                self._add(stored, constructs.operand[row], leaves)

    def _writes(self) -> dict[int, Sequence[Leaf]]:
        """`x.name = v` where that is no definition of `name`."""
        uses, table = self._facts.occurrences, self._facts.definitions
        own = set(table.start)
        written: dict[int, Sequence[Leaf]] = {}
        for use, role in enumerate(uses.role):
            if role == Role.WRITE and uses.base[use] >= 0 and uses.start[use] not in own:
                self._note(written, use, self._behind(uses.end[use]), Destination.WRITTEN)
        return written

    def _decorators(self) -> tuple[dict[int, tuple[int, bool]], dict[int, Sequence[tuple[int, bool]]]]:
        table, facts = self._facts.decorators, self._facts
        decorated: dict[int, tuple[int, bool]] = {}
        decorators: dict[int, list[tuple[int, bool]]] = {}
        for row, definition in enumerate(table.definition):
            chain = _CHAIN.match(self._code.data, table.start[row])
            if chain is None:
                continue
            use = use_at(facts, chain.start() + chain[0].rfind(b".") + 1)
            if use < 0:
                continue
            by_call = self._code.data[chain.end() : chain.end() + 1] == b"("
            decorated[use] = (definition, by_call)
            decorators.setdefault(definition, []).append((use, by_call))
        return decorated, {definition: tuple(found) for definition, found in decorators.items()}


def _closes(data: bytes, opening: int, end: int) -> bool:
    """Whether a bracket closes right before an offset, and not before."""
    depth = 0
    for at in range(opening, end):
        character = data[at : at + 1]
        depth += (character in b"([") - (character in b")]")
        if depth == 0:
            return at == end - 1
    return False
