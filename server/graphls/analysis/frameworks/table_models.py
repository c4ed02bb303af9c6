"""Table models: classes and variables that code says are tables of a database.

Owns: the declared rules of libraries that map classes to tables, from one file to its models and their columns.
Must not know: which tables there are, who asks for them.
Invariant: a model rests on a name that is written out, or on a class of the library above it whose names for tables are
    a rule of that library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

import attrs

from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import shipped_table, text_pattern, words_of
from graphls.facts.cached_property import cached_property
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
_Written: TypeAlias = tuple[str, int, int, float]
"""The name of a table, where it stands, and how sure it is."""
_CLASS: Final = re.compile(rb"^[ \t]*class\s+(\w+)", re.MULTILINE)
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
    return tuple(map(_rule, shipped_table("models")))


def _rule(raw: dict[str, object]) -> ModelRule:
    table = text_pattern(raw, "table")
    if table is None:
        raise ValueError(f"the rule {raw['name']} does not say where the name of a table stands")
    return ModelRule(
        name=str(raw["name"]),
        endings=words_of(raw, "endings"),
        sign=str(raw["sign"]).encode(),
        table=table,
        column=text_pattern(raw, "column"),
        fields=text_pattern(raw, "fields"),
        inner=str(raw.get("inner", "")),
        lower=bool(raw.get("lower")),
        base=words_of(raw, "base"),
        default=words_of(raw, "default"),
        joins=text_pattern(raw, "joins"),
    )


def applicable_models(path: str, text: bytes) -> Sequence[ModelRule]:
    """The rules that may say something about a file."""
    return tuple(rule for rule in model_rules() if path.endswith(rule.endings) and rule.sign in text)


def model_signs(rules: Sequence[ModelRule], text: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """Last parts of the tables that a text may say its models are, and what their classes may be called in names that
    libraries make; folded."""
    tables = (found["name"] for rule in rules for found in rule.table.finditer(text))
    named = frozenset(name.decode("utf-8", "replace").rpartition(".")[2].casefold() for name in tables)
    if not any(rule.base for rule in rules):
        return named, frozenset()
    classes = [found[1].decode("utf-8", "replace") for found in _CLASS.finditer(text)]
    forms = {form for name in classes for form in (name.casefold(), snake_name(name), plural_name(snake_name(name)))}
    return named, frozenset(forms) | {name for name in named if any(rule.joins for rule in rules)}


def table_models(file: FileRules, rules: Sequence[ModelRule]) -> Iterator[ContractUse]:
    """Models of one file and their columns. A column's name is `table:column`; of several names each may be it."""
    return _ModelReader(file).models(rules) if rules else iter(())


class _ModelReader:
    """The models of one file."""

    def __init__(self, file: FileRules) -> None:
        self._file = file
        self._facts = file.facts
        table, kinds = file.facts.definitions, file.facts.definitions.kind
        holders = (row for row, kind in enumerate(kinds) if kind in _HOLDERS)
        self._holders = Nesting((table.full_start[row], table.full_end[row], row) for row in holders)
        self._members: dict[int, list[int]] = {}
        """Scope -> members that may be columns."""
        for row, scope in enumerate(table.scope):
            if kinds[row] in _MEMBERS:
                self._members.setdefault(scope, []).append(row)

    def models(self, rules: Sequence[ModelRule]) -> Iterator[ContractUse]:
        """Those that rules speak of."""
        for rule in rules:
            found = dict[int, _Written]()
            for match in rule.table.finditer(self._file.code.data):
                row = self._holder(rule, match)
                if row >= 0 and row not in found:
                    found[row] = _spelled(rule, match), *match.span("name"), 1.0
            if rule.base:
                found |= self._by_name(rule, found)
            for row, (name, start, end, confidence) in found.items():
                source = SymbolRef(self._file.path, node_row(self._facts, row))
                yield ContractUse(TABLE, name, source, start, end, confidence, serves=True, rule=rule.name)
                yield from self._columns(rule, row, name)

    @cached_property
    def _classes(self) -> Mapping[str, int]:
        """The first class of each name."""
        table, strings = self._facts.definitions, self._facts.strings
        rows = (row for row, kind in enumerate(table.kind) if kind == DefinitionKind.CLASS)
        found: dict[str, int] = {}
        for row in rows:
            found.setdefault(strings[table.name[row]], row)
        return found

    def _holder(self, rule: ModelRule, match: re.Match[bytes]) -> int:
        """The class or variable that a match speaks of; -1 for none."""
        named = match.groupdict().get("holder")
        if named is not None:
            return self._classes.get(named.decode("utf-8", "replace"), -1)
        found = self._holders.around(match.start("name"))
        if found >= 0 and rule.inner:
            name = self._facts.strings[self._facts.definitions.name[found]]
            return container(self._facts, found) if name == rule.inner else -1
        return found

    def _by_name(self, rule: ModelRule, written: Mapping[int, _Written]) -> dict[int, _Written]:
        """Classes below the library's without a written name."""
        table, made = self._facts.definitions, dict[int, _Written]()
        for row in sorted(set(self._facts.bases.definition)):
            if table.kind[row] == DefinitionKind.CLASS and row not in written:
                above = self._file.naming.ancestors(SymbolRef(self._file.path, row))
                if any(name.endswith(rule.base) for name in above):
                    names = " ".join(_default_names(rule, self._file, row))
                    made[row] = names, table.start[row], table.end[row], _BY_RULE
        return made

    def _columns(self, rule: ModelRule, row: int, name: str) -> Iterator[ContractUse]:
        facts, data = self._facts, self._file.code.data
        table = facts.definitions
        for member in self._members.get(table.body[row], ()) if table.body[row] >= 0 else ():
            start, end = table.full_start[member], table.full_end[member]
            own = facts.strings[table.name[member]]
            span = table.start[member], table.end[member]
            confidence, spelled = 1.0, ""
            if rule.joins is not None and rule.joins.search(data, start, end) is not None:
                confidence, spelled = _BY_RULE, " ".join(f"{holder}_{own}" for holder in name.split())
            elif rule.fields is None or rule.fields.search(data, start, end) is not None:
                found = rule.column.search(data, start, end) if rule.column is not None else None
                span = found.span("name") if found is not None else span
                words = [found["name"].decode("utf-8", "replace")] if found is not None else _column_names(own)
                spelled = " ".join(f"{holder}:{word}" for holder in name.split() for word in words)
            if spelled:
                source = SymbolRef(self._file.path, node_row(facts, member))
                yield ContractUse(TABLE, spelled, source, *span, confidence, serves=True, rule=rule.name)


def _spelled(rule: ModelRule, match: re.Match[bytes]) -> str:
    groups = match.groupdict()
    name, schema = match["name"].decode("utf-8", "replace"), groups.get("schema")
    name = name.lower() if rule.lower else name
    return f"{schema.decode('utf-8', 'replace')}.{name}" if schema else name


def _default_names(rule: ModelRule, file: FileRules, row: int) -> Iterator[str]:
    name = file.facts.strings[file.facts.definitions.name[row]]
    folders = [part for part in file.path.split("/")[:-1] if part != "models"]
    forms = {
        "app": folders[-1] if folders else "",
        "lower": name.lower(),
        "snake": snake_name(name),
        "plural": plural_name(snake_name(name)),
    }
    for form in rule.default:
        yield form.format(**forms)


def _column_names(name: str) -> Sequence[str]:
    """What the column of a member may be called: a declaration decides."""
    return tuple(dict.fromkeys((name, snake_name(name), f"{snake_name(name)}_id")))


def snake_name(name: str) -> str:
    """`OrderItem` is `order_item`."""
    return _CAPITALS.sub("_", name).lower()


def plural_name(name: str) -> str:
    """As English has it, without its exceptions."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "z", "ch", "sh")) else f"{name}s"
