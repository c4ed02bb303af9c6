"""Resolver: each occurrence of one file of a language with declared types, as links.

Owns: roles to questions, answers to targets with edge kind, resolution, confidence and rule.
Must not know: any particular language, records, editors.
Invariant: `at` gives for a row exactly what `links` gives for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import EdgeKind, Resolution, UnresolvedReason
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.declared.inference import DeclaredInference
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, Package, TypeName, Value
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    DECORATE_ROLE,
    ENUM_DEFINITION,
    EXPORT_ROLE,
    FUNCTION_DEFINITION,
    IMPLEMENT_ROLE,
    IMPORT_ROLE,
    INHERIT_ROLE,
    INTERFACE_DEFINITION,
    KEYWORD_ROLE,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    TYPE_ROLE,
)
from graphls.languages.resolve.link_numbers import LinkNumbers
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External

_CALL_EDGES: Final[dict[int, int]] = {
    CLASS_DEFINITION: int(EdgeKind.INSTANTIATES),
    FUNCTION_DEFINITION: int(EdgeKind.CALLS),
    METHOD_DEFINITION: int(EdgeKind.CALLS),
}
_ROLE_EDGES: Final[dict[int, int]] = {
    INHERIT_ROLE: int(EdgeKind.EXTENDS),
    IMPLEMENT_ROLE: int(EdgeKind.IMPLEMENTS),
    DECORATE_ROLE: int(EdgeKind.DECORATES),
    TYPE_ROLE: int(EdgeKind.TYPE_REF),
    KEYWORD_ROLE: int(EdgeKind.REFERENCES),
    IMPORT_ROLE: int(EdgeKind.IMPORTS),
}
_TYPES: Final = frozenset({CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION})
_RESOLUTIONS: Final[dict[int, int]] = {
    int(DeclaredRule.LOCAL): int(Resolution.LEXICAL),
    int(DeclaredRule.PACKAGE): int(Resolution.LEXICAL),
    int(DeclaredRule.BUILTIN): int(Resolution.LEXICAL),
    int(DeclaredRule.IMPORT): int(Resolution.IMPORT),
    int(DeclaredRule.EXTERNAL): int(Resolution.IMPORT),
}
_MEMBER: Final = int(Resolution.MEMBER)
_IMPORTED: Final = int(Resolution.IMPORT)
_INFERRED: Final = int(Resolution.INFERRED)
_ACCESSES: Final = int(EdgeKind.ACCESSES)
_CALLS: Final = int(EdgeKind.CALLS)
_IMPORTS: Final = int(EdgeKind.IMPORTS)
_REFERENCES: Final = int(EdgeKind.REFERENCES)
_IMPORT_RULE: Final = int(DeclaredRule.IMPORT)
_CANDIDATES: Final = int(UnresolvedReason.CANDIDATES)
_LIMIT: Final = int(UnresolvedReason.LIMIT)
_MISSING_MEMBER: Final = int(UnresolvedReason.MISSING_MEMBER)
_MISSING_MODULE: Final = int(UnresolvedReason.MISSING_MODULE)
_UNBOUND: Final = int(UnresolvedReason.UNBOUND)
_UNKNOWN_RECEIVER: Final = int(UnresolvedReason.UNKNOWN_RECEIVER)
_OUTWARD: Final[dict[int, int]] = {**_ROLE_EDGES, CALL_ROLE: _CALLS, IMPORT_ROLE: _IMPORTS}
"""Edges to what is outside, by role."""


@mypyc_attr(allow_interpreted_subclasses=True)
class DeclaredResolver:
    """Resolver of one file in one state of the world."""

    def __init__(self, path: FilePath, facts: FileFacts, types: DeclaredInference) -> None:
        self._path = path
        self._facts = facts
        self._types = types
        self._numbers = LinkNumbers(path)
        uses = facts.occurrences
        self._starts: list[int] = uses.start.tolist()
        self._names: list[int] = uses.name.tolist()
        self._roles: list[int] = uses.role.tolist()
        self._scopes: list[int] = uses.scope.tolist()
        self._bases: list[int] = uses.base.tolist()

    def __del__(self) -> None:
        # Parts of the inference may lead to each other: a garbage collection would come late.
        self._types.release()
        self._types.release_memo()

    # what a language says

    def imported(self, module: str, how: int) -> DefinitionRefs:
        """What the text of an import names; `how` is the language's own number."""
        raise NotImplementedError

    def imported_files(self, module: str) -> DefinitionRefs:
        """The files, or what is outside, that an import brings in."""
        return self.imported(module, 0)

    def keyword(self, base: int, scope: int, name: str, start: int) -> Denotation | None:
        """What the name before a colon or an equals sign means."""
        return None

    def acting_role(self, row: int, refs: DefinitionRefs) -> int:
        """The role of an occurrence by what it does with what it means: reading a property may be a call."""
        return self._roles[row]

    def named(self, found: Denotation) -> DefinitionRefs:
        """What a name means to the graph."""
        return found.refs

    def is_ambiguous(self, refs: DefinitionRefs) -> bool:
        """Whether several places are several things, of which one is meant."""
        return True

    def first_parts(self, refs: DefinitionRefs) -> DefinitionRefs:
        """Those of too many places that are answered all the same, since all of them are one thing."""
        return ()

    def overridden(self) -> list[tuple[int, DefinitionRef, int]]:
        """Definitions of the file, the members of types above that they stand for, 1 where they implement these."""
        return []

    # answers

    def links(self, paced: Callable[[Iterable[int]], Iterable[int]] | None = None) -> Links:
        """Every occurrence of the file, at the pace of whoever asks."""
        rows = range(len(self._roles))
        return self._links_for(rows if paced is None else paced(rows), everything=True)

    def at(self, occurrences: Collection[int], frame: bool = False, constructs: bool = False) -> Links:
        """These rows of Occurrences only; `frame`: overrides and modules as well."""
        return self._links_for(sorted(occurrences), everything=frame)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have."""
        targets: list[int] = []
        rules: list[int] = []
        for row in sorted(occurrences):
            found = self.resolved(row)
            value = found.value if isinstance(found, Denotation) else None
            ref = _type_ref(value)
            if ref is not None:
                targets += (row, *self._target(ref, self._roles[row]), _INFERRED, 100, 0)
                rules.append(_IMPORT_RULE)
        return self._numbers.links(targets, rules)

    def _links_for(self, rows: Iterable[int], everything: bool) -> Links:
        targets: list[int] = []
        rules: list[int] = []
        unresolved: list[int] = []
        roles = self._roles
        for row in rows:
            role = roles[row]
            if role == EXPORT_ROLE:
                continue  # the clause that names the package is no use of it
            if role == IMPORT_ROLE:
                refs, rule, resolution, reason = self._import(row), _IMPORT_RULE, _IMPORTED, _MISSING_MODULE
            else:
                found = self.resolved(row)
                if isinstance(found, int):
                    unresolved += (row, found)
                    continue
                refs, rule, reason = self.named(found), found.rule, _UNBOUND
                if not refs and isinstance(found.value, Package):
                    continue  # a part of the name of a package that no file stands for
                resolution = _RESOLUTIONS.get(rule, _MEMBER)
            if not refs or len(refs) > MAX_DECLARED:
                unresolved += (row, _CANDIDATES if refs else reason)
                refs = self.first_parts(refs) if refs else ()
            ambiguous = int(len(refs) > 1 and self.is_ambiguous(refs))
            confidence = 100 if not ambiguous else max(30, 100 - 10 * len(refs))
            role = self.acting_role(row, refs)
            for ref in refs:
                targets += (row, *self._target(ref, role), resolution, confidence, ambiguous)
                rules.append(rule)
        overrides = self._overrides() if everything else []
        modules = self._modules() if everything else []
        return self._numbers.links(targets, rules, unresolved, overrides=overrides, modules=modules)

    def resolved(self, row: int) -> Denotation | int:
        """What an occurrence means, or the reason why that is not known."""
        types = self._types
        name, base = self._facts.strings[self._names[row]], self._bases[row]
        scope, start = self._scopes[row], self._starts[row]
        if self._roles[row] == KEYWORD_ROLE:
            found = self.keyword(base, scope, name, start)
            return _UNKNOWN_RECEIVER if found is None else found
        if base < 0:
            found = types.name(types.own, scope, name, start)
            return _UNBOUND if found is None else found
        value = types.infer(types.own, base)
        if value is None:
            return _LIMIT if types.exhausted else _UNKNOWN_RECEIVER
        found = types.member(value, name)
        return _MISSING_MEMBER if found is None else found

    def found_or_reason(self, found: Denotation | None, base: int) -> Denotation | int:
        """What was found for a name, or why nothing was. `base`: what stands before it, below 0 for nothing."""
        if found is not None:
            return found
        if self._types.exhausted:
            return _LIMIT
        return _UNBOUND if base < 0 else _MISSING_MEMBER

    def _import(self, row: int) -> DefinitionRefs:
        base, table = self._bases[row], self._facts.expressions
        if base < 0 or table.kind[base] != MODULE_EXPRESSION:
            return ()
        return self.imported(self._facts.strings[table.a[base]], table.b[base])

    def _target(self, ref: DefinitionRef | External, role: int) -> tuple[int, int, int]:
        file, symbol = self._numbers.end(ref)
        if isinstance(ref, External):
            return file, symbol, _OUTWARD.get(role, _REFERENCES)
        if ref.row < 0:
            return file, symbol, _IMPORTS if role == IMPORT_ROLE else _REFERENCES
        return file, symbol, self._edge(role, ref)

    def _edge(self, role: int, ref: DefinitionRef) -> int:
        special = _ROLE_EDGES.get(role)
        if special is not None:
            return special
        kind = self._types.unit(ref.file).kind[ref.row]
        if role == CALL_ROLE:
            return _CALL_EDGES.get(kind, _ACCESSES)
        return _REFERENCES if kind in _CALL_EDGES or kind in _TYPES else _ACCESSES

    def _overrides(self) -> list[tuple[int, ...]]:
        rows: list[tuple[int, ...]] = []
        for row, ref, edge in self.overridden():
            rows.append((row, *self._numbers.end(ref), edge))
        return rows

    def _modules(self) -> list[tuple[int, ...]]:
        table, strings = self._facts.imports, self._facts.strings
        rows: list[tuple[int, ...]] = []
        for row, module in enumerate(table.module):
            for ref in self.imported_files(strings[module]):
                file, symbol, _ = self._target(ref, IMPORT_ROLE)
                rows.append((row, file, symbol, _IMPORTS, _IMPORTED, 100, 0))
        return rows


def _type_ref(value: Value | None) -> DefinitionRef | External | None:
    if isinstance(value, TypeName):
        value = value.type
    if isinstance(value, NamedType):
        return DefinitionRef(value.file, value.row)
    return External(value.dotted) if isinstance(value, Outside) and not value.dotted.endswith("?") else None
