"""Nodes: which binding sites of a file are things of the graph, and what kind of thing.

Owns: the row that stands for several sites of one name, kinds, qualified names.
Must not know: other files, identity, output.
Invariant: answers are functions of one file's facts (and, for tests, of its path).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import lru_cache

import attrs

from graphls.facts.columns import NONE, Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ReturnKind, Role, ScopeKind
from graphls.facts.paths import FilePath
from graphls.languages.capabilities import TEST_CLASSES, Capabilities
from graphls.languages.registry import capabilities_of

_SPECS = ("_spec.lua", "_spec.rb")
"""Ends of names of tests where frameworks look for these; elsewhere a specification is called so."""
_VARIABLES = frozenset(
    {
        DefinitionKind.VARIABLE,
        DefinitionKind.CONSTANT,
        DefinitionKind.FIELD,
        DefinitionKind.ENUM_MEMBER,
        DefinitionKind.PARAMETER,
        DefinitionKind.TYPE_ALIAS,
    }
)
_VALUES = _VARIABLES - {DefinitionKind.PARAMETER} | {DefinitionKind.IMPORT}
"""What has no code of its own that runs."""
_CALLABLES = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD})
_TYPES = frozenset({DefinitionKind.CLASS, DefinitionKind.INTERFACE, DefinitionKind.TYPE_ALIAS, DefinitionKind.ENUM})
_NEVER = frozenset({DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})
# A function, class or type that is declared inside a function is a thing of its own; a variable there is not.
_FEW = 8
_FEW_BASES = 64
_ANYWHERE = frozenset(
    {
        DefinitionKind.FUNCTION,
        DefinitionKind.METHOD,
        DefinitionKind.CLASS,
        DefinitionKind.PROPERTY,
        DefinitionKind.INTERFACE,
        DefinitionKind.ENUM,
        DefinitionKind.NAMESPACE,
        DefinitionKind.TYPE_ALIAS,
    }
)
# Plain integers: arithmetic on enum members costs ten times as much.
_TEST_PREFIXES = ("test",)
_TEST_BASES = ("TestCase",)
_SETTER = int(DefinitionFlag.SETTER)
_DELETER = int(DefinitionFlag.DELETER)
_INSTANCE = int(DefinitionFlag.INSTANCE)
_OVERLOAD = int(DefinitionFlag.OVERLOAD)
_STAR = int(DefinitionFlag.STAR)
_SHARED = int(DefinitionFlag.SHARED)
_EXPORTED = int(DefinitionFlag.EXPORTED)
_TYPE_ONLY = int(DefinitionFlag.TYPE_ONLY)
"""Types and values of one name are two things where a language keeps them apart."""
_PLAIN = frozenset({ExpressionKind.NAME, ExpressionKind.LITERAL})
_QUALIFIERS = _PLAIN | {ExpressionKind.MEMBER, ExpressionKind.ELEMENT}
_OPEN_SCOPES = frozenset({ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE, ScopeKind.OBJECT})


@attrs.frozen
class NodeKind:
    """Kind and subkind as records spell them; `subkind` may be ""."""

    kind: str
    subkind: str


_FIXED: Mapping[int, NodeKind] = {
    DefinitionKind.FUNCTION: NodeKind("callable", "function"),
    DefinitionKind.METHOD: NodeKind("method", ""),
    DefinitionKind.CLASS: NodeKind("declaration", "class"),
    DefinitionKind.VARIABLE: NodeKind("declaration", "variable"),
    DefinitionKind.CONSTANT: NodeKind("declaration", "constant"),
    DefinitionKind.FIELD: NodeKind("field", ""),
    DefinitionKind.PROPERTY: NodeKind("declaration", "property"),
    DefinitionKind.PARAMETER: NodeKind("declaration", "parameter"),
    DefinitionKind.TYPE_PARAMETER: NodeKind("declaration", "type_parameter"),
    DefinitionKind.TYPE_ALIAS: NodeKind("declaration", "type_alias"),
    DefinitionKind.ENUM_MEMBER: NodeKind("enum_variant", ""),
    DefinitionKind.IMPORT: NodeKind("import", ""),
    DefinitionKind.INTERFACE: NodeKind("declaration", "interface"),
    DefinitionKind.ENUM: NodeKind("declaration", "enum"),
    DefinitionKind.NAMESPACE: NodeKind("declaration", "namespace"),
}


def node_row(facts: FileFacts, row: int) -> int:
    """What stands for `row`: its declaration or first site, its implementation, the property it writes, or itself."""
    if row < 0:
        return row
    table = facts.definitions
    kind, flags = table.kind[row], table.flags[row]
    if kind in _VARIABLES:
        written = _written_property(facts, row) if flags & _INSTANCE else NONE
        if written != NONE:
            return written
        space = flags & _TYPE_ONLY
        same = (other for other in _siblings(facts, row) if table.kind[other] in _VARIABLES)
        alike = [other for other in same if table.flags[other] & _TYPE_ONLY == space]
        return next((other for other in alike if is_declared(facts, other)), alike[0])
    if kind in _CALLABLES and flags & _OVERLOAD:
        same = [other for other in _siblings(facts, row) if table.kind[other] == kind]
        later = (other for other in same if other > row and not table.flags[other] & _OVERLOAD)
        return next(later, same[0])
    return row


def symbol_row(facts: FileFacts, row: int) -> int:
    """The row of the symbol that a row belongs to: a property is one symbol, though its setter is a node of its own,
    which code runs that names the property."""
    getter = getter_of(facts, row)
    return node_row(facts, row) if getter == NONE else getter


def symbol_rows(facts: FileFacts) -> Column:
    """`symbol_row` of every definition."""
    rows = node_rows(facts)
    for row, getter in getters_by_setter(facts).items():
        rows[row] = getter
    return rows


def getter_of(facts: FileFacts, row: int) -> int:
    """The property whose setter or deleter a row is, NONE where it is none or stands alone."""
    table = facts.definitions
    if row < 0 or table.kind[row] != DefinitionKind.PROPERTY or not table.flags[row] & _SETTER:
        return NONE
    return max((other for other in _siblings(facts, row) if other < row and _is_getter(facts, other)), default=NONE)


def declares_half(facts: FileFacts, owner: int, use: int, getter: int) -> bool:
    """Whether a use of a property is the one in `@x.setter` or `@x.deleter` above `owner`, which runs nothing of it."""
    if owner < 0 or getter_of(facts, owner) != getter:
        return False
    return facts.occurrences.start[use] < facts.definitions.start[owner]


def getters_by_setter(facts: FileFacts) -> Mapping[int, int]:
    """All setters and deleters of properties of a file, each with its property."""
    halves = [row for row, flags in enumerate(facts.definitions.flags) if flags & _SETTER]
    pairs = ((row, getter_of(facts, row)) for row in halves)
    return {row: getter for row, getter in pairs if getter != NONE}


def _written_property(facts: FileFacts, row: int) -> int:
    """The property that `self.x = 1` writes in the class that declares it; NONE where `x` is a field."""
    return next((other for other in _siblings(facts, row) if _is_getter(facts, other)), NONE)


def node_rows(facts: FileFacts) -> Column:
    """`node_row` of every definition, in one pass."""
    table = facts.definitions
    rows = column(range(len(table)))
    stands: dict[tuple[int, int, int], int] = {}
    keys: list[tuple[int, tuple[int, int, int]]] = []
    flagged: set[tuple[int, int]] = set()
    properties: dict[tuple[int, int], int] = {}
    for row, (name, scope, kind, flags) in enumerate(
        zip(table.name, table.scope, table.kind, table.flags, strict=True)
    ):
        if kind in _VARIABLES:
            key = (scope, name, flags & _TYPE_ONLY)
            before = stands.setdefault(key, row)
            if before != row and not is_declared(facts, before) and is_declared(facts, row):
                stands[key] = row
            keys.append((row, key))
        elif kind == DefinitionKind.PROPERTY and not flags & _SETTER:
            properties.setdefault((scope, name), row)
        elif flags & _OVERLOAD:
            flagged.add((scope, name))
    for row, key in keys:
        written = properties.get(key[:2], NONE) if properties and table.flags[row] & _INSTANCE else NONE
        rows[row] = written if written != NONE else stands[key]
    if flagged:
        _stand_for(facts, flagged, rows)
    return rows


def _stand_for(facts: FileFacts, flagged: Collection[tuple[int, int]], rows: Column) -> None:
    """Implementations for their overloads, as `node_row` has them."""
    table = facts.definitions
    groups: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(zip(table.scope, table.name, strict=True)):
        if key in flagged:
            groups.setdefault(key, []).append(row)
    for group in groups.values():
        first: dict[int, int] = {}
        for row in group:
            first.setdefault(table.kind[row], row)
        later: dict[int, int] = {}
        for row in reversed(group):
            kind, flags = table.kind[row], table.flags[row]
            if kind in _CALLABLES and flags & _OVERLOAD:
                rows[row] = later.get(kind, first[kind])
            else:
                later[kind] = row


def node_row_lookup(facts: FileFacts, count: int) -> Callable[[int], int]:
    """`node_row` of one file, for whoever asks so often: many bindings of one name are gone through once."""
    if count <= _FEW:
        return lambda row: node_row(facts, row)
    rows = node_rows(facts)
    return lambda row: rows[row] if row >= 0 else row


def is_declared(facts: FileFacts, row: int) -> bool:
    """Whether a binding gives an attribute of a class its type, wherever in the class that is written."""
    table = facts.definitions
    return table.type[row] >= 0 and facts.scopes.kind[table.scope[row]] == ScopeKind.CLASS


def is_node(facts: FileFacts, row: int, locals: bool = False) -> bool:
    """Whether the row stands for a thing of the graph. Variables of a function and parameters only with `locals`."""
    if row < 0:
        return True
    if node_row(facts, row) != row:
        return False
    return locals or is_lasting(facts, row)


def is_lasting(facts: FileFacts, row: int) -> bool:
    """Whether what the row binds outlives a call: anything but parameters and variables of functions."""
    table = facts.definitions
    kind = table.kind[row]
    if kind in _ANYWHERE:
        return True
    return kind not in _NEVER and facts.scopes.kind[table.scope[row]] in _OPEN_SCOPES


def lasting_row(facts: FileFacts, row: int) -> int:
    """The node that a row belongs to: what stands for it, or the nearest lasting one around it; -1 for the module."""
    row = node_row(facts, row)
    while row >= 0 and not is_lasting(facts, row):
        row = node_row(facts, container(facts, row))
    return row


def container(facts: FileFacts, row: int) -> int:
    """Row of the definition in whose scope the name is bound, or whose method it is; -1 for the module."""
    around = scope_owner(facts, facts.definitions.scope[row])
    holder = receiver_name(facts, row)
    return _receiver_row(facts, around, holder) if holder else around


def receiver_name(facts: FileFacts, row: int) -> str:
    """The name of the type that a member is declared for outside of it, with dots; "" for anything else."""
    table = facts.definitions
    scope = table.scope[row]
    if scope == 0:
        return last_name(facts, table.type[row]) if table.kind[row] == DefinitionKind.METHOD else ""
    if scope < 0 or facts.scopes.owner[scope] >= 0 or facts.scopes.kind[scope] != ScopeKind.CLASS:
        return ""
    return _qualifier(facts, table.value[row])


def _qualifier(facts: FileFacts, expression: int) -> str:
    """`A.B` of what `A::B::` before a name is in facts."""
    table, names = facts.expressions, list[str]()
    while expression >= 0 and table.kind[expression] in _QUALIFIERS:
        if table.kind[expression] in _PLAIN:
            names.append(facts.strings[table.a[expression]])
            break
        if table.kind[expression] == ExpressionKind.MEMBER:
            names.append(facts.strings[table.b[expression]])
        expression = table.a[expression]
    return ".".join(reversed(names))


def _receiver_row(facts: FileFacts, around: int, holder: str) -> int:
    """The type of this file that a member is declared for, looked for outwards; -1 where another file declares it."""
    types = _named_types(facts)
    while around >= 0:
        found = types.get(f"{qualified_name(facts, around)}.{holder}", NONE)
        if found >= 0:
            return found
        around = container(facts, around)
    return types.get(holder, NONE)


@lru_cache(maxsize=4)
def _named_types(facts: FileFacts) -> Mapping[str, int]:
    """The first type of each qualified name that a file declares, definitions before what only says that they are
    there: whoever asks for one member asks for all of the file."""
    table = facts.definitions
    rows = [row for row, kind in enumerate(table.kind) if kind in _TYPES and table.name[row] >= 0]
    rows.sort(key=lambda row: bool(table.flags[row] & _OVERLOAD))
    found: dict[str, int] = {}
    for row in rows:
        found.setdefault(qualified_name(facts, row), row)
    return found


def scope_owner(facts: FileFacts, scope: int) -> int:
    """Row of the innermost definition that opened this scope or one around it; -1 for the module."""
    owner, parent = facts.scopes.owner, facts.scopes.parent
    while scope > 0 and owner[scope] < 0:
        scope = parent[scope]
    return owner[scope] if scope > 0 else -1


def outer_functions(facts: FileFacts, row: int) -> tuple[int, ...]:
    """The functions around a function, the innermost first, as long as they give back what is declared in them."""
    giving, found = facts.returns, list[int]()
    row = scope_owner(facts, facts.definitions.scope[row])
    while row >= 0 and any(giving.kind[use] == ReturnKind.FUNCTION for use in giving.rows_where("definition", row)):
        found.append(row)
        row = scope_owner(facts, facts.definitions.scope[row])
    return tuple(found)


def running_owner(facts: FileFacts, row: int) -> int:
    """The innermost function, class or namespace whose code a use belongs to that `row` owns; -1 for the module.

    A variable owns its initialiser, which runs with the code around it.
    """
    table = facts.definitions
    while row >= 0 and table.kind[row] in _VALUES:
        row = table.owner[row]
    return row


def shared_initialisers(facts: FileFacts) -> Mapping[int, Sequence[int]]:
    """A definition that owns an initialiser -> those bound together with it, `b` and `c` of `a, b, c = make()`."""
    table = facts.definitions
    found: dict[int, list[int]] = {}
    last: dict[int, int] = {}
    if not any(flags & _SHARED for flags in table.flags):
        return found
    for row, (flags, scope) in enumerate(zip(table.flags, table.scope, strict=True)):
        if not flags & _SHARED:
            last[scope] = row
        elif scope in last:
            found.setdefault(last[scope], []).append(row)
    return found


def initialiser_owner(facts: FileFacts, row: int) -> int:
    """The definition that owns the uses in the initialiser of `row`: itself, or the one that it is bound with."""
    table = facts.definitions
    scope = table.scope[row] if row >= 0 else -1
    before = row
    while before >= 0 and (table.flags[before] & _SHARED or table.scope[before] != scope):
        before -= 1
    return before if row >= 0 and before >= 0 else row


def sources(facts: FileFacts, owners: Collection[int]) -> Mapping[int, Sequence[int]]:
    """Owners of uses -> the nodes that these are uses by, -1 for the module: more than one where they share an
    initialiser."""
    table, shared = facts.definitions, shared_initialisers(facts)
    found: dict[int, Sequence[int]] = {}
    node_row_of = node_row_lookup(facts, len(owners))
    for owner in owners:
        row = owner
        while row >= 0 and not is_lasting(facts, row):
            row = table.owner[row]
        others = (other for other in shared.get(owner, ()) if is_lasting(facts, other))
        found[owner] = tuple(dict.fromkeys((node_row_of(row), *map(node_row_of, others))))
    return found


def owners_of(facts: FileFacts, node: int) -> Set[int]:
    """The owners whose uses are uses by this node: `sources` the other way round."""
    table, shared = facts.definitions, shared_initialisers(facts)
    stands: dict[int, bool] = {}

    def is_node_of(row: int) -> bool:
        # What stands for a row has its name.
        if row < 0 or node < 0 or table.name[row] != table.name[node]:
            return row == node
        if row not in stands:
            stands[row] = node_row(facts, row) == node
        return stands[row]

    found: set[int] = set()
    for owner in set(facts.occurrences.owner):
        row = owner
        while row >= 0 and not is_lasting(facts, row):
            row = table.owner[row]
        others = shared.get(owner, ())
        if is_node_of(row) or any(is_lasting(facts, other) and is_node_of(other) for other in others):
            found.add(owner)
    return found


def own_uses(facts: FileFacts, row: int, mine: Collection[int] | None = None) -> list[int]:
    """The occurrences that belong to a definition, in order: what it uses itself, not what is declared inside it.

    `mine`: all rows that one row stands for, where the caller knows them: to find them takes as long as there are
    definitions of the name.
    """
    if row < 0:
        return facts.occurrences.rows_where("owner", -1)
    if mine is None:
        named = list(rows_named(facts, facts.definitions.name[row]))
        node_row_of = node_row_lookup(facts, len(named))
        mine = [other for other in named if node_row_of(other) == node_row_of(row)]
    owners = {*mine, *[initialiser_owner(facts, other) for other in mine]}
    if len(owners) > _FEW:
        return [use for use, owner in enumerate(facts.occurrences.owner) if owner in owners]
    return sorted(use for owner in owners for use in facts.occurrences.rows_where("owner", owner))


def use_at(facts: FileFacts, offset: int) -> int:
    """The occurrence that starts at an offset, -1 for none."""
    starts = facts.occurrences.start
    row = bisect_left(starts, offset)
    return row if offset >= 0 and row < len(starts) and starts[row] == offset else -1


def qualified_name(facts: FileFacts, row: int) -> str:
    """Dotted name inside the module; "" for the module itself."""
    names: list[str] = []
    while row >= 0:
        names.append(_half_of(facts, row) + facts.strings[facts.definitions.name[row]])
        holder = receiver_name(facts, row)
        if holder:
            names.append(holder)
        row = scope_owner(facts, facts.definitions.scope[row])
    return ".".join(reversed(names))


def qualified_names(facts: FileFacts) -> list[str]:
    """`qualified_name` of every definition; what opens a scope mostly stands before what the scope holds."""
    table, strings = facts.definitions, facts.strings
    names: list[str] = []
    prefixes: dict[int, str] = {0: ""}
    methods = DefinitionKind.METHOD in table.kind
    for row, (name, scope, flags) in enumerate(zip(table.name, table.scope, table.flags, strict=True)):
        holder = receiver_name(facts, row) if methods and not scope else ""
        prefix = f"{holder}." if holder else prefixes.get(scope)
        if prefix is None:
            around = scope_owner(facts, scope)
            prefix = f"{qualified_name(facts, around)}." if around >= 0 else ""
            outside = receiver_name(facts, row)
            prefix = prefixes[scope] = f"{prefix}{outside}." if outside else prefix
        half = _half_of(facts, row) if flags & _SETTER else ""
        names.append(prefix + half + strings[name])
    return names


def _half_of(facts: FileFacts, row: int) -> str:
    """What stands before the name of the setter or deleter of a property, as in SCIP; "" for all else."""
    if getter_of(facts, row) == NONE:
        return ""
    return "<delete>" if facts.definitions.flags[row] & _DELETER else "<set>"


def kind_of(facts: FileFacts, path: str, row: int, language: str) -> NodeKind:
    """Kind of the node a row stands for; -1 is the module. `language`: of the file, which its name may not tell."""
    if row < 0:
        return NodeKind("module", "")
    table = facts.definitions
    kind = table.kind[row]
    if kind == DefinitionKind.IMPORT:
        return NodeKind("api_member" if table.flags[row] & _EXPORTED else "import", "")
    if kind == DefinitionKind.CLASS:
        return NodeKind("declaration", _class_subkind(facts, row))
    if kind == DefinitionKind.PROPERTY and getter_of(facts, row) != NONE:
        return NodeKind("method", "deleter" if table.flags[row] & _DELETER else "setter")
    known = capabilities_of(language) if kind in _CALLABLES else None
    if known is not None and known.test_annotations and row in _annotated(facts, known.test_annotations):
        return NodeKind("test", "")
    prefixes, bases = (_TEST_PREFIXES, _TEST_BASES) if known is None else (known.test_prefixes, known.test_bases)
    named = kind in _CALLABLES and facts.strings[table.name[row]].startswith(prefixes)
    if named and _is_test(facts, path, row, bases) and not _is_hidden(facts, row, known):
        return NodeKind("test", "")
    return _FIXED[kind]


def _is_hidden(facts: FileFacts, row: int, known: Capabilities | None) -> bool:
    """Whether a language says that no other file can use a function, and so no runner."""
    if known is None or not known.tests_are_offered or known.exports is None:
        return False
    scope = facts.definitions.scope[row]
    if scope == 0:
        return row not in known.exports.offered(FilePath(""), facts)
    return facts.scopes.kind[scope] not in _OPEN_SCOPES


@lru_cache(maxsize=4)
def _annotated(facts: FileFacts, names: Set[str]) -> Set[int]:
    """Definitions with an annotation of one of these names: whoever asks for one asks for all of the file."""
    table, strings = facts.decorators, facts.strings
    return {
        row
        for row, name in zip(table.definition, table.name, strict=True)
        if name >= 0 and strings[name].rpartition(".")[2] in names
    }


def is_test_file(path: str) -> bool:
    """Whether a file holds tests, by where it is and what it is called."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return (
        stem.startswith("test_")
        or stem.endswith(("_test", ".test", ".spec"))
        or name.endswith(_SPECS)
        or stem in ("tests", "test")
        or not {"tests", "test", "__tests__"}.isdisjoint(folders)
    )


def base_names(facts: FileFacts, row: int) -> Iterator[str]:
    """Last name of each base of a class, as written."""
    bases = facts.bases
    few = len(bases) <= _FEW_BASES
    for index in bases.rows_where("definition", row) if few else _bases_by_class(facts).get(row, ()):
        if bases.keyword[index] < 0:
            yield last_name(facts, bases.expression[index])


@lru_cache(maxsize=4)
def _bases_by_class(facts: FileFacts) -> Mapping[int, Sequence[int]]:
    """Rows of bases by their class: whoever asks for one class of a file with many asks for all of them."""
    found: dict[int, list[int]] = {}
    for index, row in enumerate(facts.bases.definition):
        found.setdefault(row, []).append(index)
    return found


def use_named(facts: FileFacts, expression: int) -> int:
    """The use that names an expression, in front of arguments of types (`A<B>`); -1 where none does."""
    table = facts.expressions
    while expression >= 0 and table.kind[expression] in (ExpressionKind.SUBSCRIPT, ExpressionKind.TYPE):
        expression = table.a[expression]
    is_named = expression >= 0 and table.kind[expression] in (ExpressionKind.NAME, ExpressionKind.MEMBER)
    return use_at(facts, table.c[expression]) if is_named else -1


def last_name(facts: FileFacts, expression: int) -> str:
    """The last name of `a.b[c]()`: "b"; "" where the expression has none."""
    table = facts.expressions
    while expression >= 0:
        kind = table.kind[expression]
        if kind == ExpressionKind.NAME:
            return facts.strings[table.a[expression]]
        if kind == ExpressionKind.MEMBER:
            return facts.strings[table.b[expression]]
        if kind not in (ExpressionKind.SUBSCRIPT, ExpressionKind.CALL, ExpressionKind.TYPE):
            return ""
        expression = table.a[expression]
    return ""


def dotted_name(facts: FileFacts, expression: int) -> str:
    """`a.b.c` of an expression that is such a chain, or a call of one; "" of any other."""
    table, names = facts.expressions, list[str]()
    while expression >= 0:
        kind = table.kind[expression]
        if kind == ExpressionKind.NAME:
            return ".".join([facts.strings[table.a[expression]], *reversed(names)])
        if kind == ExpressionKind.MEMBER:
            names.append(facts.strings[table.b[expression]])
        elif kind != ExpressionKind.CALL or names:
            return ""
        expression = table.a[expression]
    return ""


def rows_named(facts: FileFacts, name: int) -> Iterator[int]:
    """Definitions of a name (an index of strings), in source order."""
    return iter(facts.definitions.rows_where("name", name))


def _siblings(facts: FileFacts, row: int) -> Iterator[int]:
    table = facts.definitions
    scope = table.scope[row]
    return (other for other in rows_named(facts, table.name[row]) if table.scope[other] == scope)


def _is_getter(facts: FileFacts, row: int) -> bool:
    table = facts.definitions
    return table.kind[row] == DefinitionKind.PROPERTY and not table.flags[row] & _SETTER


def _class_subkind(facts: FileFacts, row: int) -> str:
    for name in base_names(facts, row):
        if name.endswith(("Enum", "Flag")):
            return "enum"
        if name == "Protocol":
            return "protocol"
    return "class"


def _is_test(facts: FileFacts, path: str, row: int, bases: tuple[str, ...]) -> bool:
    around = container(facts, row)
    if facts.definitions.kind[row] == DefinitionKind.FUNCTION:
        return around < 0 and is_test_file(path)
    if around < 0:
        return False
    if any(name.endswith(bases) for name in base_names(facts, around)):
        return True
    return is_test_file(path) and facts.strings[facts.definitions.name[around]].startswith(TEST_CLASSES)


_PASSING = (Role.EXPORT, Role.READ)


def passed_occurrence(facts: FileFacts, row: int) -> int:
    """The occurrence that names what a binding brings in or passes on: `name` of `export default name` and of
    `module.exports = name` as well."""
    found = import_occurrence(facts, row)
    if found != NONE or row == NONE:
        return found
    table, uses = facts.definitions, facts.occurrences
    name = _index(facts.strings, last_name(facts, table.value[row]))
    first, last = (bisect_left(uses.start, offset) for offset in (table.full_start[row], table.full_end[row]))
    passed = [use for use in range(first, last) if uses.role[use] in _PASSING and uses.name[use] == name]
    return passed[-1] if passed else NONE


def _index(strings: Sequence[str], text: str) -> int:
    try:
        return strings.index(text)
    except ValueError:
        return NONE


def import_occurrence(facts: FileFacts, row: int) -> int:
    """The occurrence that names what an import binding brings in; -1 for a star or when there is none.

    `from m import x` and `import a.b` bind at the name itself; `x as y` binds after the last name of the path. An
    export that gives no other name, `export { x }`, names the thing itself.
    """
    if row == NONE or facts.definitions.flags[row] & _STAR:
        return NONE
    definitions, uses = facts.definitions, facts.occurrences
    first = bisect_left(uses.start, definitions.full_start[row])
    for use in range(bisect_left(uses.start, definitions.start[row] + 1) - 1, first - 1, -1):
        if uses.role[use] == Role.IMPORT:
            return use
        if uses.role[use] == Role.EXPORT and uses.start[use] == definitions.start[row]:
            return use
    return NONE
