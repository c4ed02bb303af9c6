"""Table models: classes and variables that code says are tables of a database.

Owns: the declared rules of libraries that map classes to tables, from one file to its models and their columns.
Must not know: which tables there are, who asks for them.
Invariant: a model rests on a name that is written out, or on a class of the library above it whose names for tables are
    a rule of that library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, cast

import attrs

from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import shipped_models
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import container, node_row
from graphls.graph.snapshot import SymbolRef

TABLE: Final = "table"
"""The kind of uses that name tables, and columns behind a colon."""
_MEMBERS: Final = frozenset((
    DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PROPERTY,
))  # fmt: skip
_HOLDERS: Final = frozenset((DefinitionKind.CLASS, DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
_BY_RULE: Final = 0.9
"""Of a name that the library makes from that of the class."""
_CAPITALS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@attrs.frozen(eq=False)
class ModelRule:
    """How one library is told that a class is a table."""

    name: str
    endings: tuple[str, ...]
    sign: bytes
    table: re.Pattern[bytes]
    column: re.Pattern[bytes] | None
    fields: re.Pattern[bytes] | None
    inner: str
    lower: bool
    base: tuple[str, ...]
    default: tuple[str, ...]
    joins: re.Pattern[bytes] | None


@cache
def model_rules() -> Sequence[ModelRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, shipped_models()))


def _rule(raw: dict[str, object]) -> ModelRule:
    def pattern(key: str) -> re.Pattern[bytes] | None:
        return re.compile(str(raw[key]).encode(), re.MULTILINE) if key in raw else None

    def names(key: str) -> tuple[str, ...]:
        return tuple(cast("list[str]", raw.get(key, ())))

    table = pattern("table")
    if table is None:
        raise ValueError(f"the rule {raw['name']} does not say where the name of a table stands")
    return ModelRule(
        name=str(raw["name"]),
        endings=names("endings"),
        sign=str(raw["sign"]).encode(),
        table=table,
        column=pattern("column"),
        fields=pattern("fields"),
        inner=str(raw.get("inner", "")),
        lower=bool(raw.get("lower")),
        base=names("base"),
        default=names("default"),
        joins=pattern("joins"),
    )


def applicable_models(path: str, text: bytes) -> Sequence[ModelRule]:
    """The rules that may say something about a file."""
    return tuple(rule for rule in model_rules() if path.endswith(rule.endings) and rule.sign in text)


def table_models(file: FileRules, rules: Sequence[ModelRule]) -> Iterator[ContractUse]:
    """Models of one file and their columns. A column's name is `table:column`; of several names each may be it."""
    for rule in rules:
        found = dict[int, tuple[str, int, int, float]]()
        for match in rule.table.finditer(file.code.data):
            row = _holder(file.facts, rule, match)
            if row >= 0 and row not in found:
                found[row] = (_spelled(rule, match), *match.span("name"), 1.0)
        if rule.base:
            found |= _by_name(file, rule, found)
        for row, (name, start, end, confidence) in found.items():
            source = SymbolRef(file.path, node_row(file.facts, row))
            yield ContractUse(TABLE, name, source, start, end, confidence, serves=True, rule=rule.name)
            yield from _columns(file, rule, row, name)


def _spelled(rule: ModelRule, match: re.Match[bytes]) -> str:
    groups = match.groupdict()
    name, schema = match["name"].decode("utf-8", "replace"), groups.get("schema")
    name = name.lower() if rule.lower else name
    return f"{schema.decode('utf-8', 'replace')}.{name}" if schema else name


def _holder(facts: FileFacts, rule: ModelRule, match: re.Match[bytes]) -> int:
    """The class or variable that a match speaks of; -1 for none."""
    table, strings = facts.definitions, facts.strings
    named = match.groupdict().get("holder")
    if named is not None:
        wanted = named.decode("utf-8", "replace")
        rows = [row for row, kind in enumerate(table.kind) if kind == DefinitionKind.CLASS]
        return next((row for row in rows if strings[table.name[row]] == wanted), -1)
    at, found = match.start("name"), -1
    for row in range(len(table.name)):
        if table.full_start[row] > at:
            break
        if table.kind[row] in _HOLDERS and at < table.full_end[row]:
            found = row
    if found >= 0 and rule.inner:
        return container(facts, found) if strings[table.name[found]] == rule.inner else -1
    return found


def _by_name(
    file: FileRules, rule: ModelRule, written: dict[int, tuple[str, int, int, float]]
) -> dict[int, tuple[str, int, int, float]]:
    """Classes below the library's without a written name."""
    table, made = file.facts.definitions, dict[int, tuple[str, int, int, float]]()
    for row, kind in enumerate(table.kind):
        if kind == DefinitionKind.CLASS and row not in written and row in _with_bases(file.facts):
            above = file.naming.ancestors(SymbolRef(file.path, row))
            if any(name.endswith(rule.base) for name in above):
                names = " ".join(_default_names(rule, file, row))
                made[row] = (names, table.start[row], table.end[row], _BY_RULE)
    return made


def _with_bases(facts: FileFacts) -> frozenset[int]:
    return frozenset(facts.bases.definition)


def _default_names(rule: ModelRule, file: FileRules, row: int) -> Iterator[str]:
    name = file.facts.strings[file.facts.definitions.name[row]]
    folders = [part for part in file.path.split("/")[:-1] if part != "models"]
    forms = {
        "app": folders[-1] if folders else "",
        "lower": name.lower(),
        "snake": snake_name(name),
        "plural": _plural(snake_name(name)),
    }
    for form in rule.default:
        yield form.format(**forms)


def _columns(file: FileRules, rule: ModelRule, row: int, name: str) -> Iterator[ContractUse]:
    facts, data = file.facts, file.code.data
    table = facts.definitions
    if table.body[row] < 0:
        return
    for member, scope in enumerate(table.scope):
        if scope != table.body[row] or table.kind[member] not in _MEMBERS:
            continue
        start, end = table.full_start[member], table.full_end[member]
        own = facts.strings[table.name[member]]
        source = SymbolRef(file.path, node_row(facts, member))
        if rule.joins is not None and rule.joins.search(data, start, end) is not None:
            between = " ".join(f"{holder}_{own}" for holder in name.split())
            yield ContractUse(TABLE, between, source, *_own_name(facts, member), _BY_RULE, serves=True, rule=rule.name)
            continue
        if rule.fields is not None and rule.fields.search(data, start, end) is None:
            continue
        found = rule.column.search(data, start, end) if rule.column is not None else None
        span = found.span("name") if found is not None else _own_name(facts, member)
        words = [found["name"].decode("utf-8", "replace")] if found is not None else _column_names(own)
        spelled = " ".join(f"{holder}:{word}" for holder in name.split() for word in words)
        yield ContractUse(TABLE, spelled, source, *span, 1.0, serves=True, rule=rule.name)


def _own_name(facts: FileFacts, row: int) -> tuple[int, int]:
    return facts.definitions.start[row], facts.definitions.end[row]


def _column_names(name: str) -> Sequence[str]:
    """What the column of a member may be called: a declaration decides."""
    return tuple(dict.fromkeys((name, snake_name(name), f"{snake_name(name)}_id")))


def snake_name(name: str) -> str:
    """`OrderItem` is `order_item`."""
    return _CAPITALS.sub("_", name).lower()


def _plural(name: str) -> str:
    """As English has it, without its exceptions."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "z", "ch", "sh")) else f"{name}s"
