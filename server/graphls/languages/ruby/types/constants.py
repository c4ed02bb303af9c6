"""Constants: what names of classes, modules and constants mean.

Owns: whole names, the parts of open classes, what a class inherits from and mixes in.
Must not know: methods, how occurrences become links.
Invariant: a name means what the workspace declares under its whole name; all else is outside.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, repeat
from typing import Final, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath, shared_parts
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import DeclaredRule, Denotation, NamedType, Outside, TypeName, Value
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CLASS_SCOPE,
    CONSTANT_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_SCOPE,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    NAMESPACE_SCOPE,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
LOCAL: Final = int(DeclaredRule.LOCAL)
PACKAGE: Final = int(DeclaredRule.PACKAGE)
ROOT: Final = "::"
UNKNOWN: Final = Outside("?")
"""A class above that is computed."""
MOST_FILES: Final = 64
"""Files that declare one last name; of more, those decide that have a part of what it is in, or are called like it."""
MOST_ABOVE: Final = 80
_BODIES: Final = frozenset({CLASS_SCOPE, NAMESPACE_SCOPE})
_HOLDING: Final = frozenset({MODULE_SCOPE, CLASS_SCOPE, NAMESPACE_SCOPE})
_NAMED: Final = frozenset({CLASS_DEFINITION, NAMESPACE_DEFINITION, CONSTANT_DEFINITION})
_TYPES: Final = frozenset({CLASS_DEFINITION, NAMESPACE_DEFINITION})
_TESTS: Final = frozenset(("test", "tests", "spec", "specs", "features", "fixtures", "testdata", "benchmark"))
_CODE: Final = frozenset(("lib", "app"))
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


_MOST_TAILS: Final = 64
_CALLED: Final[dict[str, tuple[Sequence[FilePath], Sequence[FilePath]]]] = {}
"""What `_called_like` gave last for the name of a file, with the very files that it was asked about."""


def is_constant(name: str) -> bool:
    """Whether a name is that of a constant."""
    return name[:1].isupper()


def file_name(whole: str) -> str:
    """How the file of a constant is called by custom: `Some::HTTPClient` is in `some/http_client.rb`."""
    return "/".join([_HUMP.sub("_", part).lower() for part in whole.split(ROOT)]) + ".rb"


def is_test(file: str) -> bool:
    """Whether a file is among tests, whose classes others do not see."""
    for part in file.split("/")[:-1]:
        if part in _CODE:
            return False
        if part in _TESTS:
            return True
    return file.endswith(("_spec.rb", "_test.rb"))


@final
class PartsOfClass:
    """Members and bases of all parts of a class, in the order of these."""

    def __init__(self, refs: tuple[DefinitionRef, ...]) -> None:
        self.refs = refs
        self.bases: list[tuple[str, DeclaredUnit, int]] = []
        """Each with the word that brings it in, "" for the class above."""
        self.members: dict[str, list[tuple[DeclaredUnit, int]]] = {}

    def add(self, unit: DeclaredUnit, row: int) -> None:
        """One part."""
        for expression, keyword in unit.bases(row):
            self.bases.append((unit.strings[keyword] if keyword >= 0 else "", unit, expression))
        if unit.body[row] >= 0:
            for name, rows in unit.members(unit.body[row]).items():
                self.members.setdefault(name, []).extend([(unit, member) for member in rows])


def _called_like(files: Sequence[FilePath], tail: str) -> Sequence[FilePath]:
    """Of too many files that declare a constant those that are called like it, else those in the fewest folders. Each
    file asks for itself and has the same ones at hand: all are gone through once."""
    known = _CALLED.get(tail)
    if known is not None and known[0] is files:
        return known[1]
    below = "/" + tail
    called = [file for file in files if file.endswith(below) or file == tail]
    if not called:
        least = min(map(str.count, files, repeat("/")))
        called = list(islice((file for file in files if file.count("/") == least), MOST_FILES))
    if len(_CALLED) >= _MOST_TAILS:
        _CALLED.clear()
    _CALLED[tail] = (files, called)
    return called


class RubyConstants(DeclaredInference):
    """Constants of one file and of those that it can see."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self._declared: dict[str, tuple[DefinitionRef, ...]] = {}
        self._holding: dict[FilePath, dict[str, list[int]]] = {}
        """The scopes of a file that declare a name."""
        self._parts: dict[str, PartsOfClass] = {}
        self._ordered: dict[DefinitionRef, tuple[Sequence[DefinitionRef], tuple[DefinitionRef, ...], int]] = {}
        """By the first of some declarations."""
        self._in_tests = is_test(path)

    # whole names

    def whole(self, unit: DeclaredUnit, row: int) -> str:
        """The whole name of a class or constant."""
        return self.guarded(("whole", unit.file, row), lambda: self._whole(unit, row), "")

    def _whole(self, unit: DeclaredUnit, row: int) -> str:
        name, prefix = unit.text(row), unit.type[row]
        if prefix < 0:
            outer = self.whole_of_scope(unit, unit.scope[row])
            return f"{outer}{ROOT}{name}" if outer else name
        before = self.spelled(unit, prefix)
        return name if before == ROOT or not before else f"{before}{ROOT}{name}"

    def whole_of_scope(self, unit: DeclaredUnit, scope: int) -> str:
        """The whole name of the innermost class around, "" for none."""
        while scope > 0:
            if unit.scope_kind[scope] in _BODIES:
                owner = unit.scope_owner[scope]
                return self.whole(unit, owner) if owner >= 0 else ""
            scope = unit.scope_parent[scope]
        return ""

    def spelled(self, unit: DeclaredUnit, row: int) -> str:
        """The whole name of what an expression that names a constant means, "" for anything else."""
        if row < 0:
            return ""
        table = unit.expressions
        if table.kind[row] == NAME_EXPRESSION:
            name = unit.strings[table.a[row]]
            if name == ROOT:
                return ROOT
            found = self.constant(unit, table.b[row], name) if is_constant(name) else None
            return self._name_of(found, name)
        if table.kind[row] != MEMBER_EXPRESSION:
            return ""
        name, base = unit.strings[table.b[row]], self.spelled(unit, table.a[row])
        if not base:
            return ""
        return self._name_of(self.inside(base, name), name if base == ROOT else f"{base}{ROOT}{name}")

    def _name_of(self, found: Denotation | None, otherwise: str) -> str:
        value = found.value if found is not None else None
        if isinstance(value, TypeName) and isinstance(value.type, NamedType):
            return self.whole(self.unit(value.type.file), value.type.row)
        return otherwise

    # what files declare

    def declared(self, whole: str) -> tuple[DefinitionRef, ...]:
        """The declarations of a constant by its whole name: all parts of a class."""
        known = self._declared.get(whole)
        if known is None:
            self._declared[whole] = ()
            known = self._declared[whole] = self._find(whole)
        return known

    def _find(self, whole: str) -> tuple[DefinitionRef, ...]:
        name = whole.rpartition(ROOT)[2]
        files = self.world.defining(name) if name else ()
        found: list[DefinitionRef] = []
        for file in self._likely(files, whole):
            unit = self.unit(file)
            rows = self._rows_called(unit, name)
            found += [DefinitionRef(file, row) for row in rows if self.whole(unit, row) == whole]
        return self._seen(found)

    def _likely(self, files: Sequence[FilePath], whole: str) -> Sequence[FilePath]:
        """All files that declare a name; of too many those that are called like it."""
        if len(files) <= MOST_FILES:
            return files
        tail = file_name(whole)
        holder = whole.rpartition(ROOT)[0]
        parts = frozenset([ref.file for ref in self.declared(holder)]) if holder else frozenset[FilePath]()
        inside = sorted(parts.intersection(files)) if parts else []
        if inside:
            return inside[:MOST_FILES]
        called = _called_like(files, tail)
        at = bisect_left(files, self.path)
        own = at < len(files) and files[at] == self.path and self.path not in called
        return [*called, self.path] if own else called

    def _rows_called(self, unit: DeclaredUnit, name: str) -> Sequence[int]:
        """Classes and constants of one name in a file, scope by scope."""
        known = self._holding.get(unit.file)
        if known is None:
            known = self._holding[unit.file] = {}
            for scope, kind in enumerate(unit.scope_kind):
                for one, rows in unit.members(scope).items() if kind in _HOLDING else ():
                    chosen = [row for row in rows if unit.kind[row] in _NAMED]
                    if chosen:
                        known.setdefault(one, []).extend(chosen)
        return known.get(name, ())

    def _seen(self, found: list[DefinitionRef]) -> tuple[DefinitionRef, ...]:
        """Declarations that the file can mean: tests of one place do not see those of another; what only holds other
        classes is no declaration where there is a better one."""
        real = [ref for ref in found if self.unit(ref.file).kind[ref.row] != NAMESPACE_DEFINITION]
        found = real or found
        plain = [ref for ref in found if not is_test(ref.file)]
        if not self._in_tests:
            return tuple(plain)
        own = [ref for ref in found if ref.file == self.path and ref not in plain]
        if plain or own:
            return (*plain, *own)
        shared = [shared_parts(ref.file, self.path) for ref in found]
        return tuple([ref for ref, count in zip(found, shared, strict=True) if count == max(shared)])

    # names where they stand

    def constant(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        """What the plain name of a constant means in a scope."""
        while scope > 0 and unit.scope_kind[scope] not in _BODIES:
            scope = unit.scope_parent[scope]
        return self.guarded(("const", unit.file, scope, name), lambda: self._constant(unit, scope, name), None)

    def _constant(self, unit: DeclaredUnit, scope: int, name: str) -> Denotation | None:
        innermost, at = "", scope
        while at > 0:
            if unit.scope_kind[at] in _BODIES:
                around = self.whole_of_scope(unit, at)
                innermost = innermost or around
                refs = self.declared(f"{around}{ROOT}{name}") if around else ()
                if refs:
                    return self.made(refs)
            at = unit.scope_parent[at]
        for above in self.above(innermost)[1:] if innermost else ():
            refs = self.declared(f"{self.name_of(above)}{ROOT}{name}") if isinstance(above, NamedType) else ()
            if refs:
                return self.made(refs)
        return self.inside(ROOT, name)

    def inside(self, whole: str, name: str) -> Denotation:
        """A constant of a class or module, by the whole name of that."""
        if whole == ROOT:
            refs = self.declared(name)
            return self.made(refs) if refs else outside(name)
        refs = self.declared(f"{whole}{ROOT}{name}")
        if refs:
            return self.made(refs)
        for above in self.above(whole)[1:]:
            refs = self.declared(f"{self.name_of(above)}{ROOT}{name}") if isinstance(above, NamedType) else ()
            if refs:
                return self.made(refs)
        return outside(f"{whole}{ROOT}{name}")

    def made(self, refs: Sequence[DefinitionRef]) -> Denotation:
        """Declarations of one constant as an answer."""
        first = refs[0]
        unit, (nearest, rule) = self.unit(first.file), self._in_order(refs)
        if unit.kind[first.row] in _TYPES:
            return Denotation(nearest, TypeName(NamedType(first.file, first.row)), rule)
        return Denotation(nearest, self.row_value(unit, first.row), rule)

    def _in_order(self, refs: Sequence[DefinitionRef]) -> tuple[tuple[DefinitionRef, ...], int]:
        """The nearest first, and by which rule they are found: once for all uses of a class that is opened again."""
        known = self._ordered.get(refs[0])
        if known is None or known[0] is not refs:
            rule = LOCAL if any(ref.file == self.path for ref in refs) else PACKAGE
            known = self._ordered[refs[0]] = refs, self._nearest(refs), rule
        return known[1], known[2]

    def _nearest(self, refs: Sequence[DefinitionRef]) -> tuple[DefinitionRef, ...]:
        """The file that is called like the class first, then those nearest to the top."""
        if len(refs) == 1:
            return tuple(refs)
        unit = self.unit(refs[0].file)
        tail = "/" + file_name(self.whole(unit, refs[0].row))
        return tuple(sorted(refs, key=lambda ref: (not f"/{ref.file}".endswith(tail), ref.file.count("/"), ref.file)))

    # types above

    def name_of(self, value: NamedType) -> str:
        """The whole name of a class."""
        return self.whole(self.unit(value.file), value.row)

    def type_named(self, whole: str) -> Value | None:
        """An instance of the class of a whole name."""
        refs = self.declared(whole)
        if not refs or self.unit(refs[0].file).kind[refs[0].row] not in _TYPES:
            return None
        return NamedType(refs[0].file, refs[0].row)

    def bases_of(self, whole: str, words: frozenset[str]) -> list[Value]:
        """What the parts of a class name as the class above, or mix in, in the order of the text."""
        found: list[Value] = []
        for word, unit, expression in self.parts(whole).bases:
            if word in words:
                value = self.infer(unit, expression)
                found.append(value.type if isinstance(value, TypeName) else UNKNOWN)
        return found

    def parts(self, whole: str) -> PartsOfClass:
        """What all parts of a class declare, gone through once: a class may be opened again thousands of times."""
        refs = self.declared(whole)
        known = self._parts.get(whole)
        # While the declarations are looked for, there are none yet.
        if known is None or known.refs is not refs:
            known = self._parts[whole] = PartsOfClass(refs)
            for ref in refs:
                known.add(self.unit(ref.file), ref.row)
        return known

    def above(self, whole: str) -> tuple[Value, ...]:
        """A class and all that its instances have methods from, the nearest first."""
        return self.guarded(("above", whole), lambda: self._above(whole), ())

    def _above(self, whole: str) -> tuple[Value, ...]:
        own = self.type_named(whole)
        if own is None:
            return ()
        found: list[Value] = []
        for word in ("prepend", "", "include"):
            if not word:
                found.append(own)
                continue
            for one in reversed(self.bases_of(whole, frozenset((word,)))):
                found += self._all_above(one)
        for one in self.bases_of(whole, frozenset(("",)))[:1]:
            found += self._all_above(one)
        # The class itself counts first for those who ask what is above it.
        return tuple([own, *[one for one in dict.fromkeys(found) if one != own]][:MOST_ABOVE])

    def _all_above(self, value: Value) -> Sequence[Value]:
        return self.above(self.name_of(value)) or (value,) if isinstance(value, NamedType) else (value,)

    def prepended(self, whole: str) -> list[Value]:
        """Modules whose methods come before those of a class."""
        return self.bases_of(whole, frozenset(("prepend",)))


def outside(dotted: str) -> Denotation:
    """A constant that no file declares."""
    return Denotation((External(dotted),), TypeName(Outside(dotted)), EXTERNAL)
