"""Surfaces: what of a file's facts others can see.

Owns: the choice of visible scopes and symbols, and the reduction of expressions to what is visible.
Must not know: any particular language, other files.
Invariant: an edit that leaves visible names, annotations, evident values and returns alone leaves the surface alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphls.facts.codec import encode
from graphls.facts.columns import (
    Bases,
    Column,
    ColumnPacker,
    Constructs,
    Decorators,
    Definitions,
    Dispatches,
    Expressions,
    Imports,
    ListItems,
    Lists,
    Literals,
    Metrics,
    Narrowings,
    Occurrences,
    Problems,
    Regions,
    Returns,
    Scopes,
    column,
    pack_column,
)
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag
from graphls.facts.surface import Surface, SurfaceScopes, Symbols
from graphls.languages.extract.facts_builder import D_BODY, D_OWNER, EXPRESSION, USE
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    CLASS_SCOPE,
    COLLECTION_EXPRESSION,
    ELEMENT_EXPRESSION,
    ENTER_EXPRESSION,
    EXCEPTION_EXPRESSION,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    FUNCTION_EXPRESSION,
    FUNCTION_RETURN,
    FUNCTION_SCOPE,
    ITEM_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    PARAMETER_DEFINITION,
    RETURN_RETURN,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    TYPE_PARAMETERS_SCOPE,
    UNION_EXPRESSION,
)
from graphls.languages.extract.yielding import release_entries, release_rows, yield_now
from graphls.languages.incremental.fragments import (
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    FileLayout,
    Fragment,
    FragmentCache,
    FragmentChange,
    FragmentSurface,
    PatchedRun,
)
from graphls.languages.resolve.reached import OPEN_SCOPES, EscapingRows, escaping_rows, fragment_escapes

_TURN: Final = 0xFF
_MANY: Final = 0xFFF
"""Rows between turns of other threads, less one; where a row takes no more than a look."""
MAX_DEPTH: Final = 24
"""Nesting of one visible expression; deeper parts are unknown."""
MAX_BINDINGS: Final = 4
MAX_WEIGHED: Final = 256
"""A local name with more bindings than this has no evident value."""
MAX_COPIES: Final = 400
"""Expressions copied for one symbol; adversarial code gets unknown beyond it."""

_AUGMENTED: Final = int(DefinitionFlag.AUGMENTED)
_CLOSED: Final = frozenset({CLASS_SCOPE, OBJECT_SCOPE})
_PARAMETERS: Final = frozenset({PARAMETER_DEFINITION, TYPE_PARAMETER_DEFINITION})
_BASED: Final = frozenset(
    {
        CALL_EXPRESSION,
        SUBSCRIPT_EXPRESSION,
        AWAIT_EXPRESSION,
        ELEMENT_EXPRESSION,
        ITEM_EXPRESSION,
        ENTER_EXPRESSION,
        EXCEPTION_EXPRESSION,
        STARRED_EXPRESSION,
        TYPE_EXPRESSION,
    }
)
_LISTED: Final = frozenset({UNION_EXPRESSION, TUPLE_EXPRESSION, COLLECTION_EXPRESSION})
_OWNED: Final = frozenset({OBJECT_EXPRESSION, FUNCTION_EXPRESSION})
_NOWHERE: Final[dict[str, list[int]]] = {}
_NONE: Final[list[int]] = []
_CALLABLE: Final = frozenset({FUNCTION_SCOPE, TYPE_PARAMETERS_SCOPE})
_TYPED: Final = frozenset({LAMBDA_SCOPE, TYPE_PARAMETERS_SCOPE})
"""Scopes of function types and conditional types."""


def build_surface(facts: FileFacts) -> tuple[FileFacts, Surface]:
    """The surface of a file, and its facts with `definitions.surface` filled in."""
    surface, symbols, _ = _whole(facts)
    return facts.with_surface_rows(symbols), surface


def build_surface_incrementally(facts: FileFacts, cache: FragmentCache) -> tuple[FileFacts, Surface]:
    """The same, of facts that were read with this memory: the surface of those before where one piece differs of which
    others see the same."""
    read = _reading(facts, cache)
    if read is None:
        return build_surface(facts)
    known = _same_surface(facts, read.change, read.surface, read.surface_facts)
    if known is None or read.change is None:
        surface, read.symbols, alone = _whole(facts)
        read.surface = surface if alone else None
    else:
        surface, read.symbols = known, _with_fragment(read.symbols, read.change)
    read.surface_facts = read.facts
    return facts.with_surface_rows(read.symbols), surface


def _reading(facts: FileFacts, cache: FragmentCache) -> FileLayout | PatchedRun | None:
    """What these facts were made as: a text of sound pieces, or a broken one with a run of its own."""
    layout = cache.layout
    if layout is not None and layout.reported_facts is facts:
        return layout
    base = cache.broken_layout or layout
    run = base.run if base is not None else None
    return run if run is not None and run.reported_facts is facts else None


def _same_surface(
    facts: FileFacts, change: FragmentChange | None, surface: Surface | None, surface_facts: FileFacts | None
) -> Surface | None:
    """The surface of the facts before, where it is that of these too."""
    if change is None or surface is None or change.facts is not surface_facts:
        return None
    # A file without object literals gives nothing back.
    same = (OBJECT_SCOPE in change.facts.scopes.kind) == (OBJECT_SCOPE in facts.scopes.kind)
    return surface if same and _has_same_surface(change) else None


def _whole(facts: FileFacts) -> tuple[Surface, Column, bool]:
    """The surface of a file, the row in it of each definition, and whether pieces of the file decide what they show:
    where a function gives others back, what is seen of those rests on it."""
    builder = _SurfaceBuilder(facts)
    builder.choose_scopes()
    builder.choose_symbols()
    alone = not builder.escapes.definitions and not builder.escapes.truncated
    surface, symbols = builder.build(), pack_column(builder.symbol_of)
    release_entries(builder.copied, builder.scope_of)
    release_entries(builder.bound.get(0, {}))
    release_entries(builder.bound)
    release_rows(builder.expressions, builder.ends, builder.items, builder.symbol_of)
    return surface, symbols, alone


def _has_same_surface(change: FragmentChange) -> bool:
    """Whether others see the same of both pieces."""
    before, after = _fragment_surface(change.before), _fragment_surface(change.after)
    return bool(after.visible) and before.visible == after.visible


def _with_fragment(symbols: Column, change: FragmentChange) -> Column:
    """Rows in an unchanged surface of the definitions of facts with one other piece."""
    first, (old, _) = change.first, change.ends
    base = next((symbol for symbol in symbols[first:old] if symbol >= 0), 0) - 1
    made = [symbol + base if symbol >= 0 else -1 for symbol in _fragment_surface(change.after).symbols]
    return symbols[:first] + pack_column(made) + symbols[old:]


def _fragment_surface(fragment: Fragment) -> FragmentSurface:
    """What others see of a piece that stands in the module or in a class: that rests on nothing outside of it, but for
    expressions that a file has once, which are seen where they are met first."""
    fragment_surface = fragment.surface
    if fragment_surface is None:
        builder = _SurfaceBuilder(_facts_of(fragment))
        builder.choose_scopes()
        builder.choose_symbols()
        surface = builder.build()
        met = tuple([_named(fragment, row) for row in builder.copied if row in fragment.shared])
        escapes = fragment_escapes(builder.facts, builder.bound, builder.scope_of.__contains__, OUTER_SCOPES)
        decided = not builder.truncated and not escapes.truncated and not escapes.objects and not escapes.definitions
        seen: tuple[object, ...] = (encode(surface), met, escapes.outer_names) if decided else ()
        fragment_surface = fragment.surface = FragmentSurface(seen, builder.symbol_of[OUTER_DEFINITIONS:])
    return fragment_surface


def _named(fragment: Fragment, row: int) -> tuple[object, ...]:
    kind, word, text, how = fragment.shared[row]
    return (kind, word, fragment.tables.strings[text] if text >= 0 else None, how)


def _facts_of(fragment: Fragment) -> FileFacts:
    """A file that holds nothing but the piece."""
    part = fragment.tables
    around = [[MODULE_SCOPE, -1, 0, 0, -1], [part.scopes[1][0], 0, 0, 0, -1]]
    owner = [0] * D_BODY + [-1] * (D_OWNER - D_BODY + 1)
    packing = ColumnPacker()
    packing.rows([*around, *part.scopes[OUTER_SCOPES:]])
    packing.rows([owner, *part.definitions[OUTER_DEFINITIONS:]])
    packing.flat(part.occurrences, USE)
    packing.flat(part.expressions, EXPRESSION)
    packing.rows(part.lists)
    packing.flat(part.items, 1)
    packing.rows(part.decorators)
    packing.rows(part.bases)
    packing.rows(part.returns)
    tables = packing.packed()
    return FileFacts(
        strings=tuple(part.strings),
        scopes=Scopes.from_valid_columns(next(tables)),
        definitions=Definitions.from_valid_columns(next(tables)),
        occurrences=Occurrences.from_valid_columns(next(tables)),
        expressions=Expressions.from_valid_columns(next(tables)),
        lists=Lists.from_valid_columns(next(tables)),
        items=ListItems.from_valid_columns(next(tables)),
        decorators=Decorators.from_valid_columns(next(tables)),
        bases=Bases.from_valid_columns(next(tables)),
        returns=Returns.from_valid_columns(next(tables)),
        imports=Imports.from_valid_columns([]),
        regions=Regions.from_valid_columns([]),
        narrowings=Narrowings.from_valid_columns([]),
        dispatches=Dispatches.from_valid_columns([]),
        metrics=Metrics.from_valid_columns([]),
        literals=Literals.from_valid_columns([]),
        constructs=Constructs.from_valid_columns([]),
        problems=Problems.from_valid_columns([]),
        lines=column((0,)),
        size=0,
        ascii=True,
        doc="",
        generated=False,
    )


class _SurfaceBuilder:
    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        # Looked at for each expression: one step each, not three.
        self.texts = facts.strings
        self.kind: Column = facts.expressions.kind
        self.a: Column = facts.expressions.a
        self.b: Column = facts.expressions.b
        self.c: Column = facts.expressions.c
        self.parents: Column = facts.scopes.parent
        self.scope_of: dict[int, int] = {}
        self.scopes: list[int] = []
        self.rows: list[int] = []
        self.symbol_of: list[int] = [-1] * len(facts.definitions)
        self.strings: dict[str, int] = {"": 0}
        self.expressions: list[int] = []
        """Rows of `EXPRESSION` numbers one after the other."""
        self.ends: list[int] = []
        self.items: list[int] = []
        """The items of all lists, and where each list of them ends."""
        self.copied: dict[int, int] = {}
        self.budget = 0
        self._hidden_rows: dict[tuple[int, str], Sequence[int]] = {}
        self.truncated = False
        """Something was left out because there was too much."""
        self.bound = _bindings_by_scope(facts)
        self.escapes = EscapingRows()
        self.given_back = self._functions_given_back()
        """Functions that the function around them gives back, whatever its annotation says."""

    def choose_scopes(self) -> None:
        """The module, classes reached through open scopes, the functions directly in these, and what they give back."""
        self._choose_scopes()
        self.escapes = escaping_rows(self.facts, self.bound, self.scope_of.__contains__)
        if self.escapes.objects or self.escapes.definitions:
            self.scope_of.clear()
            self.scopes.clear()
            self._choose_scopes()

    def _choose_scopes(self) -> None:
        scopes, bound_in = self.facts.scopes, self.facts.definitions.scope
        kinds, owners, parents = scopes.kind, scopes.owner, scopes.parent
        count = len(kinds)
        late: list[int] = []
        bodies = zip(self.facts.definitions.body, self.facts.definitions.kind, strict=True)
        filled = {body for body, kind in bodies if body >= 0 and kind == PARAMETER_DEFINITION}
        for step, row in enumerate(_and_then(range(count), late)):
            if step & _TURN == 0:
                yield_now()
            kind, owner = kinds[row], owners[row]
            if row == 0:
                visible = True
            elif step < count and owner >= 0 and bound_in[owner] > row:
                late.append(row)  # the scope that its owner is bound in comes later
                continue
            else:
                holder = bound_in[owner] if owner >= 0 else parents[row]
                visible = (
                    holder in self.scope_of
                    and kinds[holder] in OPEN_SCOPES
                    and (kind in OPEN_SCOPES or kind in _CALLABLE or (kind == LAMBDA_SCOPE and owner >= 0))
                    and parents[row] in self.scope_of
                )
                visible = visible or row in self.escapes.objects or self._is_returned(row, kind, owner)
                visible = visible or (row in filled and parents[row] in self.scope_of)
                visible = visible or (owner in self.given_back and parents[row] in self.scope_of)
                visible = visible or (kind == OBJECT_SCOPE and owner < 0 and self._in_named_type(parents[row]))
            if visible:
                self.scope_of[row] = len(self.scopes)
                self.scopes.append(row)

    def _functions_given_back(self) -> frozenset[int]:
        table, definitions = self.facts.returns, self.facts.definitions
        found: list[int] = []
        for row in range(len(table)):
            if row & _MANY == 0:
                yield_now()
            if table.kind[row] == FUNCTION_RETURN:
                expression, body = table.expression[row], definitions.body[table.definition[row]]
                named = self.a[expression] if self.kind[expression] == CALL_EXPRESSION else expression
                if self.kind[named] != NAME_EXPRESSION:
                    continue
                inside = self.bound.get(body, _NOWHERE).get(self.texts[self.a[named]], _NONE)
                found += [other for other in inside if definitions.kind[other] == FUNCTION_DEFINITION]
        return frozenset(found)

    def _in_named_type(self, scope: int) -> bool:
        """Whether a scope is in a visible type that has a name and type parameters, however deep in its parts."""
        scopes = self.facts.scopes
        while scope not in self.scope_of:
            if scopes.kind[scope] not in _TYPED:
                return False
            scope = scopes.parent[scope]
        owner = scopes.owner[scope]
        named = scopes.kind[scope] == TYPE_PARAMETERS_SCOPE and owner >= 0
        return named and self.facts.definitions.kind[owner] == TYPE_ALIAS_DEFINITION

    def _is_returned(self, row: int, kind: int, owner: int) -> bool:
        """A scope of a function or class that a visible function gives back, or of a function in its class."""
        if owner < 0 or not self.escapes.definitions:
            return False
        parent = self.facts.scopes.parent[row]
        return owner in self.escapes.definitions or (kind == FUNCTION_SCOPE and parent in self.scope_of)

    def choose_symbols(self) -> None:
        """Everything bound in an open scope, and the parameters of visible functions and classes, with the name that a
        class may have inside of itself only."""
        kinds = self.facts.scopes.kind
        definitions = self.facts.definitions
        own_kinds = definitions.kind
        for row, scope in enumerate(definitions.scope):
            if row & _MANY == 0:
                yield_now()
            known = kinds[scope] in OPEN_SCOPES or kinds[scope] == TYPE_PARAMETERS_SCOPE
            visible = scope in self.scope_of and (known or own_kinds[row] in _PARAMETERS)
            given = row in self.given_back and scope in self.scope_of
            if visible or given or row in self.escapes.definitions:
                self.symbol_of[row] = len(self.rows)
                self.rows.append(row)

    def build(self) -> Surface:
        """The tables, symbols in source order."""
        facts = self.facts
        exports = _exports(facts) if EXPORT_ROLE in facts.occurrences.one("role") else ()
        listed = bool(self.bound.get(0, {}).get("__all__"))
        packing = ColumnPacker()
        packing.rows(self._symbols())
        packing.rows(self._decorators())
        packing.rows(self._bases())
        packing.rows(self._returns())
        packing.rows(self._scopes())
        packing.flat(self.expressions, EXPRESSION)
        packing.rows(list(zip([0, *self.ends[:-1]], self.ends, strict=True)) if self.ends else [])
        packing.flat(self.items, 1)
        symbols, decorators, bases, returns, scopes, expressions, lists, items = packing.packed()
        return Surface(
            strings=tuple(self.strings),
            scopes=SurfaceScopes.from_valid_columns(scopes),
            symbols=Symbols.from_valid_columns(symbols),
            expressions=Expressions.from_valid_columns(expressions),
            lists=Lists.from_valid_columns(lists),
            items=ListItems.from_valid_columns(items),
            decorators=Decorators.from_valid_columns(decorators),
            bases=Bases.from_valid_columns(bases),
            returns=Returns.from_valid_columns(returns),
            exports=tuple(dict.fromkeys(exports)) if exports else None,
            dynamic="__getattr__" in self.bound.get(0, {}) or (listed and not exports),
        )

    def _scopes(self) -> list[tuple[int, ...]]:
        kinds, owners = self.facts.scopes.kind, self.facts.scopes.owner
        made: list[tuple[int, ...]] = []
        for row in self.scopes:
            if len(made) & _TURN == 0:
                yield_now()
            made.append((kinds[row], self._around(row), self.symbol_of[owners[row]] if owners[row] >= 0 else -1))
        return made

    def _around(self, row: int) -> int:
        """The innermost visible scope around one: blocks may stand between a function and what gives it back."""
        at = self.parents[row]
        while at >= 0 and at not in self.scope_of:
            at = self.parents[at]
        return self.scope_of[at] if at >= 0 else -1

    def _symbols(self) -> list[tuple[int, ...]]:
        table, strings = self.facts.definitions, self.texts
        names, kinds, scopes, flags, owners = table.name, table.kind, table.scope, table.flags, table.owner
        bodies, types, values = table.body, table.type, table.value
        seen: dict[tuple[int, int, int], int] = {}
        made: list[tuple[int, ...]] = []
        for row in self.rows:
            if len(made) & _TURN == 0:
                yield_now()
            self.budget = MAX_COPIES
            scope, name, kind, owner = scopes[row], names[row], kinds[row], owners[row]
            ordinal = seen[scope, name, kind] = seen.get((scope, name, kind), -1) + 1
            made.append(
                (
                    self._string(strings[name]),
                    kind,
                    flags[row],
                    self.scope_of.get(scope, -1),
                    self.scope_of.get(bodies[row], -1),
                    self._copy(types[row], 0),
                    self._copy(values[row], 0),
                    self.symbol_of[owner] if owner >= 0 else -1,
                    ordinal,
                )
            )
        return made

    def _decorators(self) -> list[tuple[int, ...]]:
        table, strings = self.facts.decorators, self.facts.strings
        made: list[tuple[int, ...]] = []
        for row, definition in enumerate(table.definition):
            if row & _TURN == 0:
                yield_now()
            if definition >= 0 and self.symbol_of[definition] >= 0:
                self.budget = MAX_COPIES
                expression = self._copy(table.expression[row], 0)
                name = self._string(strings[table.name[row]]) if table.name[row] >= 0 else -1
                made.append((self.symbol_of[definition], expression, -1, -1, name, -1))
        return made

    def _bases(self) -> list[tuple[int, ...]]:
        table, strings = self.facts.bases, self.facts.strings
        made: list[tuple[int, ...]] = []
        for row, definition in enumerate(table.definition):
            if row & _TURN == 0:
                yield_now()
            if self.symbol_of[definition] >= 0:
                self.budget = MAX_COPIES
                keyword = self._string(strings[table.keyword[row]]) if table.keyword[row] >= 0 else -1
                made.append((self.symbol_of[definition], self._copy(table.expression[row], 0), keyword))
        return made

    def _returns(self) -> list[tuple[int, ...]]:
        """Per function: its annotation where it has one, else its distinct evident values; functions given back."""
        table, kinds = self.facts.returns, self.facts.expressions.kind
        made: list[tuple[int, ...]] = []
        annotated: set[int] = set()
        seen: dict[int, set[tuple[int, int]]] = {}
        for row, definition in enumerate(table.definition):
            if row & _TURN == 0:
                yield_now()
            expression, kind = table.expression[row], table.kind[row]
            if self.symbol_of[definition] < 0 or (definition in annotated and kind != FUNCTION_RETURN):
                continue
            first = definition not in seen
            if first and kind == RETURN_RETURN and expression >= 0 and kinds[expression] == TYPE_EXPRESSION:
                annotated.add(definition)
            self.budget = MAX_COPIES
            value = (self._copy(expression, 0), kind)
            known = seen.setdefault(definition, set())
            if value not in known:
                known.add(value)
                made.append((self.symbol_of[definition], *value))
        return made

    def _string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def _list(self, row: int, depth: int) -> int:
        return -1 if row < 0 else self._listed([self._copy(item, depth) for item in self.facts.list_at(row)])

    def _listed(self, items: list[int]) -> int:
        self.items += items
        self.ends.append(len(self.items))
        return len(self.ends) - 1

    def _copy(self, row: int, depth: int) -> int:
        """The visible form of an expression; -1 when it rests on what others cannot see."""
        if row < 0:
            return -1
        if depth > MAX_DEPTH or self.budget <= 0:
            self.truncated = True
            return -1
        found = self.copied.get(row)
        if found is not None:
            return found
        self.budget -= 1
        self.copied[row] = -1
        made = self._form(row, depth + 1)
        self.copied[row] = made
        return made

    def _form(self, row: int, depth: int) -> int:
        """By the kind of the expression; the frequent ones first, and no table, whose entries would not be native."""
        kind = self.kind[row]
        if kind == NAME_EXPRESSION:
            return self.name(row, depth)
        if kind == MEMBER_EXPRESSION:
            return self.member(row, depth)
        if kind in _BASED:
            return self.based(row, depth)
        if kind == LITERAL_EXPRESSION:
            return self.literal(row, depth)
        if kind in _LISTED:
            return self.listed(row, depth)
        if kind == MODULE_EXPRESSION:
            return self.module(row, depth)
        if kind in _OWNED:
            return self.owned(row, depth)
        return self.narrowed(row, depth) if kind == NARROWED_EXPRESSION else -1

    def _add(self, kind: int, a: int, b: int = -1, c: int = -1) -> int:
        rows = self.expressions
        rows += (kind, a, b, c)
        if len(rows) & _TURN == 0:
            yield_now()
        return len(rows) // EXPRESSION - 1

    def name(self, row: int, depth: int) -> int:
        """A name seen from outside: local names are replaced by what they are bound to."""
        name, scope = self.texts[self.a[row]], self.b[row]
        parents = self.parents
        at = scope
        while at >= 0:
            visible = self.scope_of.get(at)
            rows = self.bound.get(at, _NOWHERE).get(name, _NONE)
            if visible is None and rows:
                return self._local(rows, depth)
            if visible is not None:
                hidden = self._hidden(at, name, rows)
                if hidden:
                    return self._local(rows, depth)
                if not rows and self.escapes.definitions:
                    outer = self._hidden_around(parents[at], name)
                    if outer:
                        return self._local(outer, depth)
                return self._add(NAME_EXPRESSION, self._string(name), visible, -1)
            at = parents[at]
        return -1

    def _hidden(self, scope: int, name: str, rows: Sequence[int]) -> Sequence[int]:
        """Those of the rows that bind a name in a scope which others cannot see."""
        if len(rows) <= MAX_BINDINGS:
            return [row for row in rows if self.symbol_of[row] < 0]
        found = self._hidden_rows.get((scope, name))
        if found is None:
            found = self._hidden_rows[scope, name] = [row for row in rows if self.symbol_of[row] < 0]
        return found

    def _hidden_around(self, scope: int, name: str) -> Sequence[int]:
        """What a name means that a function given back does not bind itself, where others cannot see that."""
        while scope >= 0:
            rows = self.bound.get(scope, _NOWHERE).get(name, _NONE)
            if rows and self.facts.scopes.kind[scope] not in _CLOSED:
                hidden = scope not in self.scope_of or self._hidden(scope, name, rows)
                return rows if hidden else _NONE
            scope = self.parents[scope]
        return _NONE

    def _local(self, rows: Sequence[int], depth: int) -> int:
        definitions = self.facts.definitions
        if rows and rows[0] in self.escapes.definitions:
            return self._add(FUNCTION_EXPRESSION, self.symbol_of[rows[0]])
        if len(rows) > MAX_WEIGHED:
            return -1
        rows = [row for row in rows if not definitions.flags[row] & _AUGMENTED]
        if not rows or len(rows) > MAX_BINDINGS:
            return -1
        values: list[int] = []
        for row in rows:
            annotation = self._copy(definitions.type[row], depth)
            if annotation >= 0:
                return self._add(TYPE_EXPRESSION, annotation)
            value = self._copy(definitions.value[row], depth)
            if value < 0:
                return -1
            values.append(value)
        if len(values) == 1:
            return values[0]
        return self._add(UNION_EXPRESSION, self._listed(list(dict.fromkeys(values))))

    def member(self, row: int, depth: int) -> int:
        """`base.name` with a visible base."""
        base = self._copy(self.a[row], depth)
        if base < 0:
            return -1
        return self._add(MEMBER_EXPRESSION, base, self._string(self.texts[self.b[row]]), -1)

    def based(self, row: int, depth: int) -> int:
        """Kinds with one operand that must be visible, and a plain number or list in `b`."""
        kind = self.kind[row]
        base = self._copy(self.a[row], depth)
        if base < 0:
            return -1
        if kind == CALL_EXPRESSION:
            return self._add(kind, base, self._list(self.b[row], depth), self._argument_names(self.c[row]))
        return self._add(kind, base, self._list(self.b[row], depth) if kind == SUBSCRIPT_EXPRESSION else self.b[row])

    def _argument_names(self, row: int) -> int:
        """The names of the arguments of a call, -1 for one that stands at its position."""
        names = self.facts.list_at(row) if row >= 0 else None
        return -1 if names is None else self._listed([self._string(self.texts[n]) if n >= 0 else -1 for n in names])

    def listed(self, row: int, depth: int) -> int:
        """Kinds that hold a list of expressions."""
        kind = self.kind[row]
        if kind == COLLECTION_EXPRESSION:
            name = self._string(self.texts[self.b[row]])
            return self._add(kind, self._list(self.a[row], depth), name, self._list(self.c[row], depth))
        return self._add(kind, self._list(self.a[row], depth))

    def literal(self, row: int, depth: int) -> int:
        """The type of a literal; its text only where it is a string, which annotations and calls may need."""
        strings = self.texts
        text = self._string(strings[self.b[row]]) if self.b[row] >= 0 and depth > 1 else -1
        return self._add(LITERAL_EXPRESSION, self._string(strings[self.a[row]]), text)

    def module(self, row: int, depth: int) -> int:
        """A module by name."""
        return self._add(MODULE_EXPRESSION, self._string(self.texts[self.a[row]]), self.b[row])

    def owned(self, row: int, depth: int) -> int:
        """Kinds that refer to a definition or scope of this file."""
        kind = self.kind[row]
        if kind == OBJECT_EXPRESSION:
            scope = self.scope_of.get(self.a[row], -1)
            return self._add(kind, scope) if scope >= 0 else -1
        symbol = self.symbol_of[self.a[row]]
        return self._add(kind, symbol) if symbol >= 0 else -1

    def narrowed(self, row: int, depth: int) -> int:
        """A proved type: the class, if visible."""
        proved = self._copy(self.b[row], depth)
        base = self._copy(self.a[row], depth)
        return self._add(NARROWED_EXPRESSION, base, proved, self.c[row]) if proved >= 0 else base


def _and_then(rows: Iterable[int], late: Iterable[int]) -> Iterator[int]:
    """Rows, then those that were put off meanwhile."""
    yield from rows
    yield from late


def _bindings_by_scope(facts: FileFacts) -> dict[int, dict[str, list[int]]]:
    grouped: dict[int, dict[str, list[int]]] = {}
    strings = facts.strings
    for row, (scope, name) in enumerate(zip(facts.definitions.scope, facts.definitions.name, strict=True)):
        if row & _MANY == 0:
            yield_now()
        bound = grouped.get(scope)
        if bound is None:
            bound = grouped[scope] = {}
        text = strings[name]
        rows = bound.get(text)
        if rows is None:
            bound[text] = [row]
        else:
            rows.append(row)
    return grouped


def _exports(facts: FileFacts) -> tuple[str, ...]:
    uses = facts.occurrences
    rows = zip(uses.name, uses.role, strict=True)
    return tuple(facts.strings[name] for name, role in rows if role == EXPORT_ROLE)
