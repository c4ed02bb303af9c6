"""Linking: each occurrence of one Python file and what it means.

Owns: roles to questions, answers to targets with edge kind, resolution, confidence and rule.
Must not know: other languages, records, editors.
Invariant: `at` gives for a row exactly what `links` gives for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

from graphls.facts.columns import packed, striped
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import (
    EdgeKind,
    ImportFlag,
    Resolution,
    UnresolvedReason,
)
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    DECORATE_ROLE,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    IMPORT_ROLE,
    INHERIT_ROLE,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    MODULE_SCOPE,
    PARAMETER_DEFINITION,
    PATTERN_ROLE,
    PROPERTY_DEFINITION,
    SUBSCRIPT_EXPRESSION,
    TEXT_ROLE,
    TYPE_ROLE,
    WRITE_ROLE,
)
from graphls.languages.known import Answer, External, Module, Outcome, Spot
from graphls.languages.provider import World
from graphls.languages.python.resolution import flags
from graphls.languages.python.resolution.inference import Inferring
from graphls.languages.python.resolution.names import SINGLE, module_spots
from graphls.languages.python.resolution.values import (
    NOTHING,
    Class,
    ExternalInstance,
    Function,
    Inference,
    Instance,
    Namespace,
    Rule,
    Value,
    join,
    solid,
)
from graphls.languages.units import is_library

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_DECIDED: Final = frozenset(
    {Rule.RECEIVER, Rule.SUPER, Rule.CLASS_MEMBER, Rule.MODULE_MEMBER, Rule.ANNOTATED, Rule.CONSTRUCTED, Rule.GLOBAL}
    | {Rule.IMPORT, Rule.NARROWED, Rule.EXTERNAL, Rule.LOCAL}
)
_CALL_EDGES: dict[int, int] = {
    CLASS_DEFINITION: int(EdgeKind.INSTANTIATES),
    FUNCTION_DEFINITION: int(EdgeKind.CALLS),
    METHOD_DEFINITION: int(EdgeKind.CALLS),
}
_ROLE_EDGES: dict[int, int] = {
    INHERIT_ROLE: int(EdgeKind.EXTENDS),
    DECORATE_ROLE: int(EdgeKind.DECORATES),
    TYPE_ROLE: int(EdgeKind.TYPE_REF),
    EXPORT_ROLE: int(EdgeKind.EXPORTS),
    PATTERN_ROLE: int(EdgeKind.MATCHES_PATTERN),
    KEYWORD_ROLE: int(EdgeKind.REFERENCES),
    TEXT_ROLE: int(EdgeKind.REFERENCES),
}
_MAX_PLACES: Final = 16
"""Bindings of one variable that are shown for a use."""
# Plain integers: looking up the member of an enumeration costs as much as resolving a plain name.
_LEXICAL: Final = int(Resolution.LEXICAL)
_IMPORT: Final = int(Resolution.IMPORT)
_MEMBER: Final = int(Resolution.MEMBER)
_INFERRED: Final = int(Resolution.INFERRED)
_BUILTIN: Final = int(Rule.BUILTIN)
_EXTERNAL: Final = int(Rule.EXTERNAL)
_GLOBAL: Final = int(Rule.GLOBAL)
_IMPORTED: Final = int(Rule.IMPORT)
_KEYWORD: Final = int(Rule.KEYWORD)
_LOCAL: Final = int(Rule.LOCAL)
_MODULE_MEMBER: Final = int(Rule.MODULE_MEMBER)
_STARRED: Final = int(Rule.STAR_IMPORT)
_CLASS_MEMBER: Final = int(Rule.CLASS_MEMBER)
_CANDIDATES: Final = int(UnresolvedReason.CANDIDATES)
_DYNAMIC: Final = int(UnresolvedReason.DYNAMIC)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_MISSING_MODULE: Final = int(UnresolvedReason.MISSING_MODULE)
_OPAQUE_BASE: Final = int(UnresolvedReason.OPAQUE_BASE)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_ACCESSES: Final = int(EdgeKind.ACCESSES)
_CALLS: Final = int(EdgeKind.CALLS)
_IMPORTS: Final = int(EdgeKind.IMPORTS)
_REFERENCES: Final = int(EdgeKind.REFERENCES)
_TARGET: Final = 7
"""Width of a row of `Targets`."""
_STAR: Final = int(ImportFlag.STAR)

_Tails: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]


class PythonResolver:
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> None:
        self._path = path
        self._facts = facts
        self._asked = Inferring(path, facts, world)
        self._files: dict[str, int] = {path: 0}
        self._externals: dict[str, int] = {}
        uses = facts.occurrences
        # As lists: each row is read several times, and an array makes a number anew each time.
        self._starts: list[int] = uses.start.tolist()
        self._names: list[int] = uses.name.tolist()
        self._roles: list[int] = uses.role.tolist()
        self._scopes: list[int] = uses.scope.tolist()
        self._bases: list[int] = uses.base.tolist()
        self._bound_at = {start: row for row, start in enumerate(facts.definitions.start)}
        self._plain: dict[tuple[int, int, int], _Tails] = {}
        self._members: dict[tuple[Inference, str], Outcome] = {}
        self._tails: dict[tuple[int, int], _Tails] = {}
        self._kept: list[Outcome] = []
        self._module_parts = _module_parts(facts)
        self._shared: dict[tuple[int, int], Spot | None] = {}

    def links(self) -> Links:
        """Every occurrence of the file."""
        return self._made(range(len(self._roles)), everything=True)

    def at(self, occurrences: Collection[int], frame: bool = False) -> Links:
        """These rows of Occurrences only; `frame`: overrides and modules as well."""
        return self._made(sorted(occurrences), everything=frame)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have."""
        targets: list[int] = []
        rules: list[int] = []
        for row in sorted(occurrences):
            inference = self._value_at(row)
            spots = dict.fromkeys(spot for value in inference.values for spot in _type_spots(value))
            answer = tuple(map(self._asked.outward, spots))
            outcome = Outcome(answer, _INFERRED, 100 if inference.sure else 70, inference.rule)
            for tail, rule in self._tailed(outcome, self._roles[row]):
                targets.append(row)
                targets += tail
                rules.append(rule)
        return self._packed(targets, rules, [], [], [])

    def _made(self, wanted: Iterable[int], everything: bool) -> Links:
        targets: list[int] = []
        rules: list[int] = []
        unresolved: list[int] = []
        bases, roles, names, scopes = self._bases, self._roles, self._names, self._scopes
        plain = self._plain
        for row in wanted:
            tails: _Tails | None = None
            base, role = bases[row], roles[row]
            if base < 0:
                tails = plain.get((scopes[row], names[row], role))
            if tails is None:
                outcome = self._outcome(row, base, role)
                if role == WRITE_ROLE and self._declares(row, outcome):
                    continue
                if not outcome.answer:
                    unresolved += (row, outcome.reason)
                    continue
                tails = self._tailed(outcome, role)
                if not tails:
                    unresolved += (row, _CANDIDATES)
                    continue
                if base < 0 and self._asked.anywhere(self._asked.own, scopes[row], self._facts.strings[names[row]]):
                    plain[scopes[row], names[row], role] = tails
            for tail, rule in tails:
                targets.append(row)
                targets += tail
                rules.append(rule)
        overrides = self._overrides() if everything else []
        modules = self._modules() if everything else []
        return self._packed(targets, rules, unresolved, overrides, modules)

    def _declares(self, row: int, outcome: Outcome) -> bool:
        """`self.x = v` is itself the definition of `x`, unless something else declares it."""
        definition = self._bound_at.get(self._starts[row])
        if definition is None:
            return False
        return not outcome.answer or Spot(self._path, definition) in outcome.answer

    def _packed(
        self,
        targets: list[int],
        rules: list[int],
        unresolved: list[int],
        overrides: list[tuple[int, ...]],
        modules: list[tuple[int, ...]],
    ) -> Links:
        return Links(
            files=tuple(self._files),
            externals=tuple(self._externals),
            targets=Targets(*striped(targets, _TARGET)),
            unresolved=Unresolved(*striped(unresolved, 2)),
            overrides=Overrides.of(overrides),
            module_targets=Targets.of(modules),
            rules=packed(rules),
            reads=(),
            lookups=(),
        )

    # one occurrence

    def _outcome(self, row: int, base: int, role: int) -> Outcome:
        name = self._facts.strings[self._names[row]]
        if role == IMPORT_ROLE:
            return self._import(row, base, name)
        if role == KEYWORD_ROLE:
            return self._keyword(base, name)
        if role == EXPORT_ROLE:
            answer = self._asked.name_answer(self._asked.own, 0, name)
            return self._lexical(answer, _GLOBAL) if answer else self._exported_module(name)
        if base >= 0:
            return self._member(base, name)
        return self._name(self._scopes[row], name, self._starts[row])

    def _name(self, scope: int, name: str, use: int) -> Outcome:
        asked = self._asked
        rows = asked.lookup(asked.own, scope, name, use)
        if rows:
            return self._lexical(self._followed(rows), _LOCAL)
        answer = asked.name_answer(asked.own, scope, name, use)
        if answer and isinstance(answer[0], External) and answer[0].dotted.startswith("builtins."):
            return Outcome(answer, _LEXICAL, 100, _BUILTIN)
        if answer:
            return self._lexical(answer, _STARRED)
        starred = bool(asked.own.members(0).get("*"))
        return Outcome((), reason=_DYNAMIC if starred else _UNBOUND)

    def _followed(self, rows: tuple[int, ...]) -> Answer:
        """Bindings of the own file, and the one of them that stands for a shared name in the graph."""
        asked, own = self._asked, self._asked.own
        answer = asked.followed(own, rows)
        holder = own.scope[rows[0]]
        if own.scope_kind[holder] not in (MODULE_SCOPE, CLASS_SCOPE):
            return answer
        key = (holder, own.name[rows[0]])
        if key not in self._shared:
            self._shared[key] = self._one_for_all(holder, own.text(rows[0]))
        first = self._shared[key]
        if first is None or first in answer:
            return answer
        shared = any(isinstance(spot, Spot) and spot.file == self._path for spot in answer)
        return (*answer, first) if shared else answer

    def _one_for_all(self, holder: int, name: str) -> Spot | None:
        """The binding that stands for all of a name; None where each stands for itself."""
        own = self._asked.own
        every = own.members(holder)[name]
        if len(every) == 1 or own.kind[every[0]] in SINGLE:
            return None
        typed = (row for row in every if own.type[row] >= 0 and own.scope_kind[holder] == CLASS_SCOPE)
        return Spot(self._path, next(typed, every[0]))

    def _lexical(self, answer: Answer, rule: int) -> Outcome:
        if not answer:
            return Outcome((), reason=_MISSING_MODULE)
        spot = answer[0]
        if isinstance(spot, External):
            return Outcome(answer, _IMPORT, 100, _EXTERNAL)
        if spot.file != self._path or spot.row < 0:
            return Outcome(answer, _IMPORT, 100, _STARRED if rule == _STARRED else _IMPORTED)
        return Outcome(answer, _LEXICAL, 100, rule)

    def _exported_module(self, name: str) -> Outcome:
        """`__all__` of a package may list a submodule that nothing imports."""
        answer = self._asked.module_member(Module(self._path), name)
        return self._lexical(answer, _MODULE_MEMBER)

    def _import(self, row: int, base: int, name: str) -> Outcome:
        asked, table = self._asked, self._asked.own.expressions
        if base < 0 or table.kind[base] != MODULE_EXPRESSION:
            return Outcome((), reason=_MISSING_MODULE)
        prefix, level = asked.own.strings[table.a[base]], table.b[base]
        if row in self._module_parts or (not prefix and level == 0):
            dotted = asked.absolute(asked.own, prefix, level)
            full = f"{dotted}.{name}" if dotted else name
            module = asked.module_named(full, self._path, level > 0) if dotted is not None else None
            answer = module_spots(module)
            missing = not answer and not isinstance(module, Namespace)
            reason = _MISSING_MODULE if missing else _DYNAMIC
            return Outcome(answer, _IMPORT, 100, _IMPORTED, reason)
        module = asked.module_at(asked.own, prefix, level)
        if module is None:
            return Outcome((), reason=_MISSING_MODULE)
        answer = asked.module_member(module, name)
        rule = _EXTERNAL if answer and isinstance(answer[0], External) else _IMPORTED
        return Outcome(answer, _IMPORT, 100, rule, self._missing_in(module))

    def _missing_in(self, module: Value) -> int:
        if isinstance(module, Module):
            unit = self._asked.unit(module.file)
            if unit.dynamic or unit.members(0).get("*"):
                return _DYNAMIC
        return _MISSING_MEMBER

    def _member(self, base: int, name: str) -> Outcome:
        before = self._asked.infer(self._asked.own, base)
        known = self._members.get((before, name))
        if known is None:
            known = self._members[before, name] = self._member_of(before, name)
        return known

    def _member_of(self, before: Inference, name: str) -> Outcome:
        asked = self._asked
        values = [solid(value) for value in before.values if value != NOTHING]
        if not values:
            crowd = _CANDIDATES if before.rule == Rule.CROWD else _UNKNOWN_RECEIVER
            return Outcome((), reason=_LIMIT if asked.limited else crowd)
        found: dict[Spot | External, None] = {}
        outside = False
        for value in values:
            member = asked.find(value, name)
            if isinstance(member, tuple):
                found.update(dict.fromkeys(member))
            elif member is not None:
                if member.crowded and asked.unit(member.holder.file).kind[member.rows[0]] in SINGLE:
                    return Outcome((), reason=_CANDIDATES)
                outside = outside or bool(member.outside)
                found.update(dict.fromkeys(asked.outward(Spot(member.holder.file, row)) for row in member.rows))
            elif isinstance(value, ExternalInstance) and value.dotted and asked.unseen(value):
                found[External(f"{value.dotted}.{name}")] = None
        if not found:
            return Outcome((), reason=self._missing_member(values))
        return self._found_member(before, values, tuple(found), outside)

    def _found_member(self, before: Inference, values: list[Value], answer: Answer, outside: bool) -> Outcome:
        module = all(isinstance(value, (Module, Namespace, External)) for value in values)
        decided = before.sure and before.rule in _DECIDED and not outside
        if module:
            return Outcome(answer, _IMPORT, 100, _MODULE_MEMBER)
        resolution = _MEMBER if decided else _INFERRED
        confidence = 95 if decided else 70 if outside else 80
        rule = before.rule if before.rule not in (_LOCAL, _GLOBAL) else _CLASS_MEMBER
        return Outcome(answer, resolution, confidence, rule)

    def _missing_member(self, values: list[Value]) -> int:
        asked = self._asked
        for value in map(asked.seen, values):
            if isinstance(value, (Instance, Class)):
                if asked.class_member(value, "__getattr__"):
                    return _DYNAMIC
                if asked.opaque(value):
                    return _OPAQUE_BASE
            elif isinstance(value, Module):
                return self._missing_in(value)
            elif not isinstance(value, (Function, ExternalInstance)):
                return _UNKNOWN_RECEIVER
        return _MISSING_MEMBER

    def _keyword(self, base: int, name: str) -> Outcome:
        """`f(name=...)`: the parameter of what is called, or the field of a data class."""
        asked = self._asked
        before = asked.infer(asked.own, base) if base >= 0 else None
        found: dict[Spot | External, None] = {}
        for value in map(solid, before.values if before else ()):
            found.update(dict.fromkeys(self._parameters_named(value, name)))
        if not found:
            return Outcome((), reason=_UNKNOWN_RECEIVER)
        sure = before is not None and before.sure
        return Outcome(tuple(found), _MEMBER if sure else _INFERRED, 90, _KEYWORD)

    def _parameters_named(self, value: Value, name: str) -> list[Spot]:
        asked = self._asked
        if isinstance(value, Function):
            if is_library(value.file):
                return []
            unit = asked.unit(value.file)
            hidden = flags.VARIADIC | flags.KEYWORDS
            rows = unit.parameters(value.row)
            wanted = unit.members(unit.body[value.row]).get(name, ()) if rows else ()
            named = [
                Spot(value.file, row)
                for row in wanted
                if unit.kind[row] == PARAMETER_DEFINITION and not unit.flags[row] & hidden
            ]
            return named or self._unpacked(value.file, rows, name)
        if isinstance(value, Instance):
            found = asked.class_member(value, "__call__")
        elif isinstance(value, Class):
            found = asked.class_member(value, "__init__") or asked.class_member(value, "__new__")
            if found is None or is_library(found.holder.file):
                return self._field_named(value, name)
        else:
            return []
        if found is None or is_library(found.holder.file):
            return []
        return [spot for row in found.rows for spot in self._parameters_named(Function(found.holder.file, row), name)]

    def _unpacked(self, file: FilePath, parameters: Iterable[int], name: str) -> list[Spot]:
        """`**options: Unpack[Options]` takes the keys of a typed dictionary by name."""
        asked = self._asked
        unit = asked.unit(file)
        table, found = unit.expressions, list[Spot]()
        for row in parameters:
            annotation = unit.type[row]
            if not unit.flags[row] & flags.KEYWORDS or annotation < 0:
                continue
            if table.kind[annotation] == SUBSCRIPT_EXPRESSION and any(
                isinstance(form, External) and form.dotted.rpartition(".")[2] == "Unpack"
                for form in asked.answer_of(unit, table.a[annotation])
            ):
                keys = [value for value in asked.denote(unit, annotation) if isinstance(value, Instance)]
                found.extend(spot for key in keys for spot in self._field_named(Class(key.file, key.row), name))
        return found

    def _field_named(self, cls: Class, name: str) -> list[Spot]:
        """Classes without a written constructor take their annotated fields by name (data classes and the like)."""
        found = self._asked.class_member(cls, name)
        if found is None or is_library(found.holder.file):
            return []
        unit = self._asked.unit(found.holder.file)
        return [Spot(found.holder.file, row) for row in found.rows if unit.type[row] >= 0]

    def _value_at(self, row: int) -> Inference:
        asked = self._asked
        base, name = self._bases[row], self._facts.strings[self._names[row]]
        if base >= 0:
            values = asked.infer(asked.own, base).values
            parts = tuple(asked.member_value(value, name) for value in values if value != NOTHING)
            return join(parts)
        rows = asked.lookup(asked.own, self._scopes[row], name, self._starts[row])
        return asked.rows_value(asked.own, rows) if rows else Inference(())

    # tables

    def _tailed(self, outcome: Outcome, role: int) -> _Tails:
        """The columns of an answer behind the occurrence, with its rule; none where too many things are meant.

        Equal outcomes share them for a role.
        """
        key = (id(outcome), role)
        tails = self._tails.get(key)
        if tails is None:
            self._kept.append(outcome)
            tails = self._tails[key] = self._tails_of(outcome, role)
        return tails

    def _tails_of(self, outcome: Outcome, role: int) -> _Tails:
        answer, confidence = outcome.answer, outcome.confidence
        if len(answer) == 1:
            file, symbol = self._numbered(answer[0])
            edge = self._edge(role, answer[0])
            return (((file, symbol, edge, outcome.resolution, confidence, 0), outcome.rule),)
        nodes = {self._node(spot) for spot in answer}
        if len(nodes) > MAX_CANDIDATES:
            return ()
        if len(nodes) <= _MAX_PLACES:
            answer = answer[:_MAX_PLACES]
        ambiguous = len(nodes) > 1
        if ambiguous:
            confidence = min(confidence, max(30, confidence - 10 * len(answer)))
        shared = (outcome.resolution, confidence, int(ambiguous))
        return tuple(((*self._numbered(spot), self._edge(role, spot), *shared), outcome.rule) for spot in answer)

    def _node(self, spot: Spot | External) -> object:
        """What tells nodes apart: several bindings of one variable are one."""
        if isinstance(spot, External) or spot.row < 0:
            return spot
        unit = self._asked.unit(spot.file)
        if unit.kind[spot.row] in _CALL_EDGES and not unit.overloads(spot.row):
            return spot
        return (spot.file, unit.scope[spot.row], unit.text(spot.row))

    def _numbered(self, spot: Spot | External) -> tuple[int, int]:
        if isinstance(spot, External):
            return self._externals.setdefault(spot.dotted, len(self._externals)), EXTERNAL
        file = self._files.setdefault(spot.file, len(self._files))
        return (file, WHOLE_MODULE) if spot.row < 0 else (file if spot.file != self._path else OWN_FILE, spot.row)

    def _edge(self, role: int, spot: Spot | External) -> int:
        special = _ROLE_EDGES.get(role)
        if isinstance(spot, External):
            return _CALLS if role == CALL_ROLE else special or _REFERENCES
        if spot.row < 0:
            return _IMPORTS if role == IMPORT_ROLE else _REFERENCES
        if special is not None:
            return special
        kind = self._asked.unit(spot.file).kind[spot.row]
        if role == CALL_ROLE:
            return _CALL_EDGES.get(kind, _ACCESSES)
        return _REFERENCES if role == IMPORT_ROLE or kind in _CALL_EDGES else _ACCESSES

    def _overrides(self) -> list[tuple[int, ...]]:
        asked, own = self._asked, self._asked.own
        rows: list[tuple[int, ...]] = []
        for row, kind in enumerate(own.kind):
            if kind not in (METHOD_DEFINITION, PROPERTY_DEFINITION) or own.flags[row] & flags.SETTER:
                continue
            owner = asked.class_of_method(own, row)
            name = own.text(row)
            if owner is None or (name.startswith("__") and not name.endswith("__")):
                continue
            found = asked.class_member(owner, name, after=owner)
            if found and not is_library(found.holder.file):
                file, symbol = self._numbered(Spot(found.holder.file, found.rows[-1]))
                base = asked.unit(found.holder.file)
                abstract = bool(base.flags[found.rows[-1]] & flags.ABSTRACT)
                rows.append((row, file, symbol, int(abstract)))
        return rows

    def _modules(self) -> list[tuple[int, ...]]:
        asked, table, strings = self._asked, self._facts.imports, self._facts.strings
        rows: list[tuple[int, ...]] = []
        for row, module in enumerate(table.module):
            found = asked.module_at(asked.own, strings[module], table.level[row])
            if table.name[row] >= 0 and found is not None and not isinstance(found, External):
                member = asked.module_member(found, strings[table.name[row]])
                submodules = [spot for spot in member if isinstance(spot, Spot) and spot.row < 0]
                if submodules and (isinstance(found, Namespace) or not table.flags[row] & _STAR):
                    found = Module(submodules[0].file)
            for spot in module_spots(found):
                file, symbol = self._numbered(spot)
                rows.append((row, file, symbol, _IMPORTS, _IMPORT, 100, 0))
        return rows


def _module_parts(facts: FileFacts) -> frozenset[int]:
    """Occurrences that are parts of a module's dotted name, not names imported from it."""
    table, uses = facts.imports, facts.occurrences
    ranges = sorted(
        (table.start[row], table.end[row])
        for row, name in enumerate(table.name)
        if name >= 0 and not table.flags[row] & _STAR
    )
    starts = [start for start, _ in ranges]
    parts: list[int] = []
    for row, role in enumerate(uses.role):
        if role == IMPORT_ROLE:
            at = bisect_right(starts, uses.start[row]) - 1
            if at < 0 or ranges[at][1] <= uses.start[row]:
                parts.append(row)
    return frozenset(parts)


def _type_spots(value: Value) -> Answer:
    value = solid(value)
    if isinstance(value, (Instance, Class)):
        return (Spot(value.file, value.row),)
    if isinstance(value, ExternalInstance):
        return (External(value.dotted),)
    return ()
