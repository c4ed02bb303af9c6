"""Resolver uses: code that says which field of a schema of GraphQL it answers.

Owns: the declared rules of libraries that do so in the text or by classes, from one file to fields by name.
Must not know: which schema there is, other files but for what a class inherits.
Invariant: a name says the type and the field; whether they exist is for who compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import attrs

from graphls.analysis.frameworks.code_first_graphql import code_first
from graphls.analysis.frameworks.declared_nodes import ContractUse
from graphls.analysis.frameworks.marks import use_of
from graphls.analysis.frameworks.nesting import Nesting
from graphls.analysis.frameworks.routes import FileRules
from graphls.analysis.frameworks.rules import fitting_rules, shipped_table, text_pattern, words_of
from graphls.facts.cached_property import cached_property
from graphls.facts.kinds import DefinitionKind
from graphls.graph.nodes import container, lasting_row, node_row
from graphls.graph.snapshot import SymbolRef
from graphls.languages.config.graphql import EMBEDDED, FIELD, SCHEMA

BELOW: Final = "graphql class"
"""The kind of uses that say of a class which type it is, and what is above it."""
FOLDED: Final = "~"
"""What stands before names of which capitals and underscores do not count."""
_ATTRIBUTES: Final = frozenset((
    DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.FIELD, DefinitionKind.PROPERTY,
))  # fmt: skip
_MEMBERS: Final = _ATTRIBUTES | {DefinitionKind.METHOD, DefinitionKind.FUNCTION}
_CALLABLE: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FUNCTION, *_ATTRIBUTES))
_LIKELY: Final = 0.9


@attrs.frozen(eq=False)
class ResolverRule:
    """How one library is told what answers a field."""

    name: str
    base: tuple[str, ...]
    holder_class: re.Pattern[bytes] | None
    member: re.Pattern[bytes] | None
    bound: re.Pattern[bytes] | None
    strip: str
    inherited: bool
    folded: bool
    pattern: re.Pattern[bytes] | None
    holder: re.Pattern[bytes] | None
    part: re.Pattern[bytes] | None
    maps: re.Pattern[bytes] | None


@cache
def resolver_rules() -> Sequence[ResolverRule]:
    """The rules that come with the package."""
    return tuple(map(_rule, range(len(shipped_table("resolvers")))))


@cache
def _rule(number: int) -> ResolverRule:
    raw = shipped_table("resolvers")[number]
    return ResolverRule(
        name=str(raw["name"]),
        base=words_of(raw, "base"),
        holder_class=text_pattern(raw, "class"),
        member=text_pattern(raw, "member"),
        bound=text_pattern(raw, "bound"),
        strip=str(raw.get("strip", "")),
        inherited=bool(raw.get("inherited")),
        folded=bool(raw.get("folded")),
        pattern=text_pattern(raw, "pattern"),
        holder=text_pattern(raw, "holder"),
        part=text_pattern(raw, "part"),
        maps=text_pattern(raw, "maps"),
    )


def applicable_resolvers(path: str, text: bytes) -> Sequence[ResolverRule]:
    """The rules that may say something about a file."""
    return tuple(rule for rule in _fitting(path, text) if rule.maps is None)


def may_be_map(path: str, text: bytes) -> bool:
    """Whether a file may hold objects whose members are types, by its text."""
    known = (rule.maps for rule in _fitting(path, text) if rule.maps is not None)
    return any(maps.search(text) is not None for maps in known)


def _fitting(path: str, text: bytes) -> Iterator[ResolverRule]:
    return map(_rule, fitting_rules("resolvers", path, text))


def resolver_uses(file: FileRules, rules: Sequence[ResolverRule]) -> Iterator[ContractUse]:
    """Fields that one file answers, by rule."""
    return _ResolverReader(file).uses(rules) if rules else iter(())


def made_uses(file: FileRules) -> Iterator[ContractUse]:
    """Fields that calls of one file make: what is around such a call answers them."""
    entries = code_first(file.path, file.code.data).entries
    if not entries:
        return
    table = file.facts.definitions
    holders = (row for row, body in enumerate(table.body) if body >= 0 or table.kind[row] in _ATTRIBUTES)
    around = Nesting((table.full_start[row], table.full_end[row], row) for row in holders)
    for entry in entries:
        if entry.kind == FIELD and not entry.name.startswith(f"{SCHEMA}."):
            row = around.around(entry.start)
            source = SymbolRef(file.path, lasting_row(file.facts, row) if row >= 0 else -1)
            yield ContractUse(
                EMBEDDED, entry.name, source, entry.start, entry.end, _LIKELY, serves=True, rule="code-first"
            )


def rows_by(column: Iterable[int]) -> Mapping[int, Sequence[int]]:
    """The rows of each value of a column."""
    found: dict[int, list[int]] = {}
    for row, value in enumerate(column):
        found.setdefault(value, []).append(row)
    return found


class _ResolverReader:
    """The resolvers of one file."""

    def __init__(self, file: FileRules) -> None:
        self._file = file
        self._facts = file.facts
        table = file.facts.definitions
        self._by_start = {start: row for row, start in enumerate(table.start) if table.kind[row] in _CALLABLE}
        bodies = (row for row, body in enumerate(table.body) if body >= 0)
        self._around = Nesting((table.full_start[row], table.full_end[row], row) for row in bodies)

    def uses(self, rules: Sequence[ResolverRule]) -> Iterator[ContractUse]:
        """By rule, in source order."""
        for rule in rules:
            if rule.pattern is not None:
                yield from self._by_text(rule, rule.pattern)
            else:
                yield from self._by_class(rule)

    @cached_property
    def _by_scope(self) -> Mapping[int, Sequence[int]]:
        """Definitions of each scope."""
        return rows_by(self._facts.definitions.scope)

    @cached_property
    def _by_class_row(self) -> Mapping[int, Sequence[int]]:
        """Bases of each class."""
        return rows_by(self._facts.bases.definition)

    # ---- in the text

    def _by_text(self, rule: ResolverRule, pattern: re.Pattern[bytes]) -> Iterator[ContractUse]:
        holders, data = self._holders(rule), self._file.code.data
        for of, start, end in self._parts(rule):
            for match in pattern.finditer(data, start, end):
                said = {key: text.decode("utf-8", "replace") for key, text in match.groupdict().items() if text}
                owner = of or said.get("of") or said.get("of2") or said.get("root") or said.get("first", "")
                if "holder" in said:
                    owner = holders.get(said["holder"], "")
                field = said.get("as") or said.get("name", "")
                if owner and field:
                    group = "name" if "name" in said else "as"
                    yield self._use(rule, f"{owner}.{field}", self._place(match, group), match.span(group))

    def _holders(self, rule: ResolverRule) -> Mapping[str, str]:
        """Variables that stand for types."""
        found = rule.holder.finditer(self._file.code.data) if rule.holder is not None else ()
        return {one["name"].decode(): (one["of"] or one["root"] or b"").decode("utf-8", "replace") for one in found}

    def _parts(self, rule: ResolverRule) -> Iterator[tuple[str, int, int]]:
        data = self._file.code.data
        if rule.part is None:
            yield "", 0, len(data)
            return
        found = list(rule.part.finditer(data))
        for number, part in enumerate(found):
            end = found[number + 1].start() if number + 1 < len(found) else len(data)
            yield part["of"].decode("utf-8", "replace"), part.end(), end

    def _place(self, match: re.Match[bytes], group: str) -> int:
        """The definition that a match names: at its place, or the one of the file of that name, or what is around."""
        found = self._by_start.get(match.start(group), -1)
        if found >= 0 or group != "name":
            return found if found >= 0 else self._around.around(match.start(group))
        table, wanted = self._facts.definitions, match[group].decode("utf-8", "replace")
        rows = (row for row in self._by_start.values() if self._facts.strings[table.name[row]] == wanted)
        return next(rows, self._around.around(match.start(group)))

    # ---- by classes

    def _by_class(self, rule: ResolverRule) -> Iterator[ContractUse]:
        table, data = self._facts.definitions, self._file.code.data
        for row, kind in enumerate(table.kind):
            if kind != DefinitionKind.CLASS or table.body[row] < 0:
                continue
            above = self._file.naming.ancestors(SymbolRef(self._file.path, row)) if rule.base else ()
            said = None
            if rule.holder_class is not None:
                said = rule.holder_class.search(data, table.full_start[row], table.start[row])
            if said is None and not any(name in rule.base for name in above):
                continue
            written = said["of"] if said is not None else None
            own = self._facts.strings[table.name[row]] if rule.inherited else ""
            yield from self._of_class(rule, row, own if written is None else written.decode("utf-8", "replace"))

    def _of_class(self, rule: ResolverRule, cls: int, owner: str) -> Iterator[ContractUse]:
        table, facts = self._facts.definitions, self._facts
        if rule.inherited:
            yield from self._bases(rule, cls, owner)
        dotted = self._file.naming.dotted_place(SymbolRef(self._file.path, cls)) if rule.inherited else ""
        for row in self._by_scope.get(table.body[cls], ()):
            if table.kind[row] not in _MEMBERS or container(facts, row) != cls:
                continue
            answered = self._member(rule, row, owner)
            if answered is not None:
                of, field = answered
                yield self._use(rule, f"{of}.{field}", row, (table.start[row], table.end[row]), dotted)

    def _member(self, rule: ResolverRule, row: int, owner: str) -> tuple[str, str] | None:
        """Type and field that a member answers."""
        table, data = self._facts.definitions, self._file.code.data
        name = self._facts.strings[table.name[row]]
        if rule.member is None:
            return (owner, name.removeprefix(rule.strip)) if owner else None
        said = rule.member.search(data, table.full_start[row], table.start[row])
        if said is None:
            plain = rule.bound if table.kind[row] in _ATTRIBUTES else None
            bound = plain is not None and plain.search(data, table.end[row], table.full_end[row]) is not None
            return (owner, name) if bound and owner else None
        groups = {key: text.decode("utf-8", "replace") for key, text in said.groupdict().items() if text}
        of = groups.get("root") or owner
        return (of, groups.get("as") or groups.get("as2") or name) if of else None

    def _bases(self, rule: ResolverRule, cls: int, owner: str) -> Iterator[ContractUse]:
        """What is above a class: its members answer for the class below."""
        facts, naming, path = self._facts, self._file.naming, self._file.path
        own = naming.dotted_place(SymbolRef(path, cls))
        for row, definition in enumerate(facts.bases.definition):
            use = (
                use_of(facts, facts.bases.expression[row]) if definition == cls and facts.bases.keyword[row] < 0 else -1
            )
            for target in naming.targets(path, use) if use >= 0 else ():
                if target.place is not None and target.place.definition >= 0:
                    name = f"{owner} {own} {naming.dotted_place(target.place)}"
                    span = facts.occurrences.start[use], facts.occurrences.end[use]
                    yield ContractUse(BELOW, name, SymbolRef(path, cls), *span, 1.0, serves=True, rule=rule.name)

    def _use(self, rule: ResolverRule, field: str, row: int, span: tuple[int, int], dotted: str = "") -> ContractUse:
        """`field` has its type before the dot; `dotted` is the class that classes below may inherit it from."""
        name = f"{FOLDED if rule.folded else ''}{field}"
        source = SymbolRef(self._file.path, node_row(self._facts, row) if row >= 0 else -1)
        full = f"{name} {dotted}" if dotted else name
        return ContractUse(EMBEDDED, full, source, *span, _LIKELY, serves=True, rule=rule.name)
