"""Leaves: what the value of an expression or of a stretch of text is taken from.

Owns: which uses of names a value may come from, through displays, choices, calls and containers.
Must not know: what names mean, other files, where the value goes.
Invariant: a function of one file's contents; what is worked out in any other way is taken from nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Final

from graphls.analysis.flow.library_names import (
    BINDING,
    CONTAINERS,
    FIELD_MAKERS,
    GETTERS,
    GIVING_BACK,
    SAME_ELEMENTS,
    SIDE_BY_SIDE,
    TRANSPARENT,
    VIEWS,
    WRAPPING,
)
from graphls.analysis.flow.values import (
    Leaf,
    Takes,
    awaited,
    inside_of_container,
    written_use,
)
from graphls.analysis.frameworks.arguments import Argument, CodeText
from graphls.analysis.frameworks.texts import chain_end
from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ExpressionKind, OccurrenceFlag, Role
from graphls.graph.file_edges import rows_between
from graphls.graph.nodes import last_name, use_at, use_named

CALLING_ROLES: Final = frozenset((Role.CALL, Role.DECORATE))
NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))
_DECLARED: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.CLASS))
_NAMED: Final = NAMING | {ExpressionKind.FUNCTION}
_WRITTEN_OUT: Final = _NAMED | {ExpressionKind.TYPE, ExpressionKind.LAMBDA}
_AROUND: Final = frozenset((ExpressionKind.AWAIT, ExpressionKind.NARROWED, ExpressionKind.STARRED, ExpressionKind.ITEM))
_ELEMENTS: Final = frozenset((ExpressionKind.SUBSCRIPT, ExpressionKind.ELEMENT))
_BOTH_SIDES: Final = frozenset((ExpressionKind.UNION, ExpressionKind.OPERATION))
_WHOLE: Final = frozenset((Takes.VALUE, Takes.ELEMENT))
_JOINING: Final = frozenset(("+", "|"))
_DISPLAYS: Final = frozenset((ExpressionKind.COLLECTION, ExpressionKind.TUPLE))
_PREFIX: Final = re.compile(rb"""[fF]["']([A-Za-z_]\w*)\{|["']([A-Za-z_]\w*)(?:%s["']\s*%|["']\s*\+)""")
_ELEMENT_END: Final = re.compile(rb"\s*[,}\])]")
_STORED: Final = re.compile(rb"[ \t]*=(?![=>])[ \t]*")
_ADDED: Final = re.compile(rb"[ \t]*\+?=(?![=>])[ \t]*")
"""Where handlers of events are functions one more is added so."""
_SIGNS: Final = re.compile(
    rb"(?:\([A-Za-z_][\w \t]*\**\)[ \t]*)?&?(?:(?:[A-Za-z_][\w.]*)?::(?:[A-Za-z_]\w*::)*)?(?=[A-Za-z_])"
)
"""A cast, what takes the address of a function, what it is in: `(handler)&run`, `this::run`, `Task::run` are `run`."""
_NEW_OPERATOR: Final = "construct"
_NEW: Final = re.compile(rb"new[ \t]+(?=[A-Za-z_$])")
_WRITTEN: Final = re.compile(rb"(?:async[ \t]+)?function(?:[ \t]*\*[ \t]*|[ \t]+)([A-Za-z_$][\w$]*)[ \t]*(?=\()")
CHAIN: Final = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_EITHER: Final = re.compile(rb"\s+(?:or|\|\||\?\?)\s+|\s+if\s.*?\selse\s+", re.DOTALL)
_TERNARY: Final = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[(\[{]|[)\]}]|\s\?\s+|\s:\s+", re.DOTALL
)
MOST_CHOICES: Final = 20
"""Of a declared type; one with more may be anything."""
_MOST_NESTED: Final = 6
_LONGEST: Final = 400
"""Bytes of an argument that are looked at."""
_LONGEST_DISPLAY: Final = 4000
"""The same where it is written out as a container."""


class LeafReader:
    """Reads values in one file."""

    def __init__(self, facts: FileFacts, code: CodeText, *, lambdas: bool = False) -> None:
        self._facts = facts
        self._lambdas = lambdas
        """What a lambda gives that does nothing but call a function is taken to be this."""
        self._code = code
        self._names = facts.strings
        self._declared_functions: Set[int] | None = None
        self.computing: dict[int, tuple[int, str]] = {}
        """Of what was read: `FilePassing.computed`."""
        self._displays = (b"(", b"[", b"{") if code.lexis.keywords else (b"(", b"[")
        """What opens a container, where arguments may have names: elsewhere braces are objects with members."""

    def taken_from(self, row: int, takes: Takes = Takes.VALUE, depth: int = 0) -> Iterator[Leaf]:
        """What the value of an expression is taken from."""
        table, facts = self._facts.expressions, self._facts
        if row < 0 or depth > _MOST_NESTED:
            return
        kind, a, deeper = table.kind[row], table.a[row], depth + 1
        if kind in _WRITTEN_OUT:
            yield from self._written_out(kind, row, takes)
        elif kind == ExpressionKind.ITEM and (side := self._side_by_side(a, table.b[row])) is not None:
            yield from self.taken_from(side, Takes.ELEMENT, deeper) if takes != Takes.RESULT else ()
        elif kind in _AROUND:
            found = self.taken_from(a, takes, deeper)
            yield from map(awaited, found) if kind == ExpressionKind.AWAIT else found
        elif kind in _BOTH_SIDES:
            yield from (leaf for item in self._sides(row, takes) for leaf in self.taken_from(item, takes, deeper))
        elif kind in _ELEMENTS and takes != Takes.RESULT:
            yield from self._element(row, takes, deeper)
        elif kind == ExpressionKind.CALL:
            yield from self._called(row, takes, deeper)
        elif kind in _DISPLAYS and takes in _WHOLE:
            for item in facts.list_at(a):
                found = self.taken_from(item, Takes.VALUE, deeper)
                yield from found if takes == Takes.ELEMENT else inside_of_container(found)

    def _written_out(self, kind: int, row: int, takes: Takes) -> Iterator[Leaf]:
        """What a name, a lambda or a type stands for."""
        if kind == ExpressionKind.TYPE:
            yield from self._object(self._facts.expressions.a[row]) if takes == Takes.VALUE else ()
        elif kind == ExpressionKind.LAMBDA:
            yield from self._stood_for(row, takes)
        elif (use := self._use_of(row)) != -1:
            yield Leaf(use, takes, False)

    def _sides(self, row: int, takes: Takes) -> Sequence[int]:
        """The values of which an expression is one, or the containers that it joins."""
        table = self._facts.expressions
        if table.kind[row] == ExpressionKind.UNION:
            return self._facts.list_at(table.a[row])
        return (table.a[row], table.b[row]) if takes in _WHOLE and self._joins(row) else ()

    def _joins(self, row: int, depth: int = 0) -> bool:
        """Whether an operation makes one container of two: where one side is written out, `[a] + others + [b]`."""
        table = self._facts.expressions
        if depth > _MOST_NESTED or row < 0 or table.kind[row] != ExpressionKind.OPERATION:
            return row >= 0 and table.kind[row] in _DISPLAYS
        sides = table.a[row], table.b[row]
        return self._names[table.c[row]] in _JOINING and any(self._joins(side, depth + 1) for side in sides)

    def _use_of(self, row: int) -> int:
        """The use of a name, or what stands for that of a function with a name that is written here; -1 for none."""
        table = self._facts.expressions
        if table.kind[row] != ExpressionKind.FUNCTION:
            return use_at(self._facts, table.c[row])
        is_function = self._facts.definitions.kind[table.a[row]] == DefinitionKind.FUNCTION
        return written_use(table.a[row]) if is_function else -1

    def _object(self, row: int) -> Iterator[Leaf]:
        """An object of a type; of `new Type() { void run() { ... } }` the functions under their own names."""
        if not self._lambdas or row < 0 or self._facts.expressions.kind[row] != ExpressionKind.OBJECT:
            yield from self.declared(row)
            return
        table, scope = self._facts.definitions, self._facts.expressions.a[row]
        for method in rows_with(table.scope, scope):
            if table.kind[method] == DefinitionKind.METHOD:
                yield Leaf(written_use(method), Takes.VALUE, False)

    def _stood_for(self, row: int, takes: Takes) -> Iterator[Leaf]:
        """`Type::name`, `Type::new`, `x -> name(x)`: the function that these call."""
        table, flags = self._facts.expressions, self._facts.occurrences.flags
        use = use_at(self._facts, table.c[row])
        if use >= 0 and flags[use] & OccurrenceFlag.REFERRED:
            yield Leaf(use, takes, False)
            return
        row = table.a[row]
        calls = row >= 0 and table.kind[row] == ExpressionKind.CALL
        if calls:
            use = use_named(self._facts, table.a[row])
        elif row >= 0 and table.kind[row] in NAMING:
            use = use_at(self._facts, table.c[row])
        else:
            return
        if use >= 0 and (flags[use] & OccurrenceFlag.REFERRED or (calls and self._lambdas)):
            yield Leaf(use, takes, False)

    def lambdas_assigned(self) -> Iterator[tuple[int, int]]:
        """`x = Type::name`, `x = y -> name(y)`: the use that is assigned to, the lambda."""
        table = self._facts.expressions
        for row, kind in enumerate(table.kind):
            target = table.b[row] if kind == ExpressionKind.NARROWED and not table.c[row] else -1
            if target >= 0 and table.kind[table.a[row]] == ExpressionKind.LAMBDA and table.kind[target] in NAMING:
                use = use_at(self._facts, table.c[target])
                if use >= 0 and self._facts.occurrences.role[use] == Role.WRITE:
                    yield use, table.a[row]

    def arguments(self) -> Iterator[tuple[int, Sequence[tuple[int, str, int]]]]:
        """The calls of the file, each with its arguments: position or -1, name, expression."""
        table, facts = self._facts.expressions, self._facts
        for row, kind in enumerate(table.kind):
            use = use_named(facts, table.a[row]) if kind == ExpressionKind.CALL else -1
            if use >= 0 and not facts.occurrences.flags[use] & OccurrenceFlag.REFERRED:
                names = facts.list_at(table.c[row]) if table.c[row] >= 0 else ()
                spelled = [self._names[one] if one >= 0 else "" for one in names]
                given = facts.list_at(table.b[row])
                spelled += [""] * (len(given) - len(spelled))
                yield (
                    use,
                    [
                        (-1 if name else at, name, argument)
                        for at, (argument, name) in enumerate(zip(given, spelled, strict=False))
                    ],
                )

    def _element(self, row: int, takes: Takes, depth: int) -> Iterator[Leaf]:
        """`x[k]`, what a loop takes from `x`; also `new X()`: facts have operators as literals with operands."""
        table = self._facts.expressions
        a = table.a[row]
        if table.kind[a] != ExpressionKind.LITERAL or self._names[table.a[a]] != _NEW_OPERATOR:
            # Containers in containers are not told apart.
            yield from self.taken_from(self._viewed(a), Takes.ELEMENT, depth)
        elif takes == Takes.VALUE:
            for made in self._facts.list_at(table.b[row])[:1]:
                called = (leaf for leaf in self.taken_from(made, Takes.VALUE, depth) if leaf.takes == Takes.VALUE)
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

    def declared(self, row: int, depth: int = 0) -> Iterator[Leaf]:
        """A name of a type: an object of it."""
        table, facts = self._facts.expressions, self._facts
        kind, a = table.kind[row], table.a[row]
        if kind in NAMING:
            use = use_at(facts, table.c[row])
            if use >= 0:
                yield Leaf(use, Takes.RESULT, False)
        elif depth < _MOST_NESTED and kind == ExpressionKind.UNION:
            items = facts.list_at(a)
            for item in items if len(items) <= MOST_CHOICES else ():
                yield from self.declared(item, depth + 1)
        elif depth < _MOST_NESTED and kind == ExpressionKind.SUBSCRIPT:
            yield from self.declared(a, depth + 1)
            base = table.kind[a]
            name = self._names[table.a[a] if base == ExpressionKind.NAME else table.b[a]] if base in NAMING else ""
            for item in facts.list_at(table.b[row]) if name in TRANSPARENT else ():
                yield from self.declared(item, depth + 1)

    def listed(self, row: int) -> Iterator[Leaf]:
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

    def _same_value(self, callee: int, name: str, arguments: Sequence[int]) -> Sequence[int] | None:
        """What a call gives back as it is, or has the same elements as; None where a call gives something else."""
        table = self._facts.expressions
        is_member = table.kind[callee] == ExpressionKind.MEMBER
        if name in GIVING_BACK and arguments:
            given = arguments[-1] if name == "cast" else arguments[0]
            return (given, table.a[callee]) if name == BINDING and is_member else (given,)
        is_iterator = table.kind[callee] == ExpressionKind.NAME and name in SAME_ELEMENTS
        if name in CONTAINERS or is_iterator or (is_member and name in VIEWS):
            return (table.a[callee],) if name in VIEWS else arguments
        return None

    def _called(self, row: int, takes: Takes, depth: int) -> Iterator[Leaf]:
        table = self._facts.expressions
        callee, arguments = table.a[row], self._facts.list_at(table.b[row])
        kind = table.kind[callee] if callee >= 0 else -1
        if takes == Takes.ELEMENT and callee >= 0:
            yield from self._elements_of_result(callee, arguments, depth)
        if callee < 0 or takes != Takes.VALUE:
            return
        if kind == ExpressionKind.SUBSCRIPT and table.kind[table.a[callee]] in NAMING:
            # `Box[int]()` is a call of `Box`; of a container it is one of an element, which is known below.
            yield from self.taken_from(table.a[callee], Takes.RESULT, depth)
        name = ""
        if kind in NAMING:
            name = self._names[table.a[callee] if kind == ExpressionKind.NAME else table.b[callee]]
        same = self._same_value(callee, name, arguments)
        if same is not None:
            for one in same:
                yield from self.taken_from(one, takes, depth)
            return
        if name in FIELD_MAKERS:
            yield from self._field_defaults(table.c[callee])
        yield from self._wrapped(callee, arguments, depth)
        if name == "getattr":
            yield from self._looked_up(table.c[callee])
            for default in arguments[2:]:
                yield from self.taken_from(default, takes, depth)
            return
        if kind == ExpressionKind.MEMBER and name in GETTERS:
            yield from self.taken_from(table.a[callee], Takes.ELEMENT, depth)
        yield from (
            Leaf(leaf.use, Takes.RESULT, leaf.inside)
            for leaf in self.taken_from(callee, Takes.VALUE, depth)
            if leaf.takes == Takes.VALUE
        )

    def _wrapped(self, callee: int, arguments: Sequence[int], depth: int) -> Iterator[Leaf]:
        """`connect(state)(Page)`, `observer(Page)`: what wraps a function is, as far as calling goes, the function."""
        table = self._facts.expressions
        if not arguments:
            return
        if table.kind[callee] == ExpressionKind.CALL:
            wraps = len(arguments) == 1 and self._is_declared_function(arguments[0])
        else:
            wraps = last_name(self._facts, callee) in WRAPPING and not self._is_own(callee)
        if wraps:
            yield from self.taken_from(arguments[0], Takes.VALUE, depth)

    def _is_declared_function(self, row: int) -> bool:
        """Whether a value is the name of a function or class that this file declares."""
        table = self._facts.expressions
        return row >= 0 and table.kind[row] == ExpressionKind.NAME and table.a[row] in self._declared()

    def _is_own(self, row: int) -> bool:
        """Whether a name is declared here, or brought from a file that the import names by its place."""
        table, imports, strings = self._facts.expressions, self._facts.imports, self._facts.strings
        if table.kind[row] != ExpressionKind.NAME:
            return False
        name, names = table.a[row], self._facts.definitions.name
        near = (
            bound
            for bound, level, module in zip(imports.definition, imports.level, imports.module, strict=True)
            if bound >= 0 and (level > 0 or (module >= 0 and strings[module].startswith(".")))
        )
        return name in self._declared() or any(names[bound] == name for bound in near)

    def _declared(self) -> Set[int]:
        """Names of the functions and classes that this file declares."""
        if self._declared_functions is None:
            named = zip(self._facts.definitions.name, self._facts.definitions.kind, strict=True)
            self._declared_functions = {name for name, kind in named if kind in _DECLARED}
        return self._declared_functions

    def _elements_of_result(self, callee: int, arguments: Sequence[int], depth: int) -> Iterator[Leaf]:
        """`for x in f(y)`; containers in containers are not told apart."""
        table = self._facts.expressions
        kind = table.kind[callee]
        name = (
            self._names[table.a[callee] if kind == ExpressionKind.NAME else table.b[callee]] if kind in NAMING else ""
        )
        if kind == ExpressionKind.MEMBER and name in GETTERS:
            yield from self.taken_from(table.a[callee], Takes.ELEMENT, depth)
        elif name in CONTAINERS or name in SIDE_BY_SIDE or name in SAME_ELEMENTS:
            yield from (leaf for item in arguments for leaf in self.taken_from(item, Takes.ELEMENT, depth))
        else:
            called = (leaf for leaf in self.taken_from(callee, Takes.VALUE, depth) if leaf.takes == Takes.VALUE)
            yield from (Leaf(leaf.use, Takes.RESULT_ELEMENT, False) for leaf in called if not leaf.inside)

    def _field_defaults(self, offset: int) -> Iterator[Leaf]:
        """`field(default=f)`, `field(default_factory=A)`: what the field holds where nobody gives it a value."""
        use = use_at(self._facts, offset)
        for one in self._code.arguments(self._facts.occurrences.end[use]) if use >= 0 else ():
            if one.keyword == "default":
                yield from self.in_text(one)
            elif one.keyword in ("factory", "default_factory"):
                made = (leaf for leaf in self.in_text(one) if leaf.takes == Takes.VALUE)
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
            self.computing[use] = (receiver, (name[1] or name[2]).decode())
            yield Leaf(use, Takes.COMPUTED, False)

    def in_text(self, argument: Argument) -> Iterator[Leaf]:
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
        if not self._code.lexis.keywords and (sign := _SIGNS.match(data, start, end)) is not None:
            start = sign.end()
        if data[start : start + 1] in self._displays and depth <= 2 and data[end - 1 : end] in (b")", b"]", b"}"):
            yield from self._inside(start, end, depth)
            return
        if depth <= 2 and not self._code.lexis.keywords and (chosen := self._chosen(start, end)):
            for one in chosen:
                yield from self._span(*one, depth + 1)
            return
        new = _NEW.match(data, start, end)
        chain = CHAIN.match(data, new.end() if new is not None else start, end)
        if chain is None or depth > 2:
            return
        if chain.end() == end:
            use = chain_end(facts, self._code, start, end)
            if use >= 0 and self._is_value(use):
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

    def _is_value(self, use: int) -> bool:
        uses = self._facts.occurrences
        return uses.role[use] not in CALLING_ROLES or bool(uses.flags[use] & OccurrenceFlag.REFERRED)

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
            base = self._facts.occurrences.base[use] if name == BINDING else -1
            yield from self.taken_from(base, Takes.VALUE) if base >= 0 else ()
            return
        base = self._facts.occurrences.base[use]
        if base >= 0 and name in GETTERS:
            yield from self.taken_from(base, Takes.ELEMENT)
        yield Leaf(use, Takes.RESULT, False)

    def behind(self, at: int) -> tuple[Leaf, ...]:
        """What is assigned to a target that ends there."""
        data = self._code.data
        sign = (_ADDED if self._lambdas else _STORED).match(data, at)
        start = sign.end() if sign is not None else at
        if sign is not None and not self._code.lexis.keywords and (address := _SIGNS.match(data, start)) is not None:
            start = address.end()
        chain = CHAIN.match(data, start) if sign is not None else None
        if chain is None:
            return ()
        end = chain.end()
        if data[end : end + 1] == b"(":
            end = self._code.behind(end)
        stop = re.compile(rb"[ \t]*(?:#[^\n]*|//[^\n]*|;|\n|\r|\Z)").match(data, end)
        return tuple(self._span(chain.start(), end)) if stop is not None else ()


def _closes(data: bytes, opening: int, end: int) -> bool:
    """Whether a bracket closes right before an offset, and not before."""
    depth = 0
    for at in range(opening, end):
        character = data[at : at + 1]
        depth += (character in b"([") - (character in b")]")
        if depth == 0:
            return at == end - 1
    return False
