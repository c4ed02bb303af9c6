"""Inference: what names and members mean in C.

Owns: what a file includes, names of types and tags, members of structs, results of calls.
Must not know: how occurrences become links, other languages.
Invariant: what several included files declare under one name is answered as several; nobody guesses which one is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.facts.definer_keys import type_key
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_DECLARED
from graphls.languages.c.types.included_files import MOST_OTHER_FILES, IncludedFiles
from graphls.languages.c.types.system import LATE_NAMES, SYSTEM_NAMES, is_system_macro
from graphls.languages.declared.inference import BUILTIN, DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import (
    Anonymous,
    DeclaredRule,
    Denotation,
    Functions,
    NamedType,
    Outside,
    Package,
    TypeName,
    Value,
)
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    FUNCTION_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    OVERLOAD_FLAG,
    STATIC_FLAG,
    TYPE_ALIAS_DEFINITION,
    TYPE_ONLY_FLAG,
    VARIABLE_DEFINITION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.structural_value import DefinitionRef, External

TAGS: Final = "struct"
"""The literal whose members are the tags that a file sees."""
OUTSIDE: Final = "c."
"""Before the names of what system headers declare, and other headers that are not in the workspace."""
MOST_PLACES: Final = 8
_SOURCES: Final = (".c", ".cpp", ".cc", ".cxx")
_HEADERS: Final = frozenset((
    "dirent.h", "fcntl.h", "math.h", "netdb.h", "pthread.h", "poll.h", "regex.h", "signal.h", "socket.h", "stat.h",
    "stdio.h", "stdlib.h", "string.h", "strings.h", "termios.h", "time.h", "unistd.h", "wait.h",
))  # fmt: skip
"""Headers of the system that a library of C has itself."""
_MOST_NESTED: Final = 6
"""Macros within macros that write members."""
_FEW_FILES: Final = 16
_FEW_NAMES: Final = 16
"""Where a file sees more files, and is asked for more names, it is written down who declares what."""
_BUILTIN: Final = int(DeclaredRule.BUILTIN)
_EXTERNAL: Final = int(DeclaredRule.EXTERNAL)
_IMPORT: Final = int(DeclaredRule.IMPORT)
_LOCAL: Final = int(DeclaredRule.LOCAL)
_MEMBER: Final = int(DeclaredRule.MEMBER)
_COMPILER: Final = ("__builtin_", "__sync_", "__atomic_", "__has_")
_PREDEFINED: Final = frozenset((
    "__func__", "__FUNCTION__", "__FILE__", "__LINE__", "__DATE__", "__TIME__", "__VA_ARGS__", "__cplusplus",
    "__STDC__", "__STDC_VERSION__", "__GNUC__", "__GNUC_MINOR__", "__clang__", "_MSC_VER", "__auto_type", "defined",
    "va_arg", "_Generic",
))  # fmt: skip


class CInference(DeclaredInference):
    """What one file of C and the files that it includes denote."""

    __deletable__ = ("files",)

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        self.files = IncludedFiles(world, self.written_exports)
        self._declared: dict[tuple[FilePath, str, bool], tuple[DefinitionRef, ...]] = {}
        self._own: frozenset[str] | None = None
        self._asked: dict[FilePath, int] = {}
        self._names: dict[FilePath, dict[str, list[FilePath]]] = {}
        """Of files that see many others, which of these declare a name."""

    def release(self) -> None:
        """Ends the questions: what leads back here is let go."""
        del self.files

    # names

    def name(self, unit: DeclaredUnit, scope: int, name: str, offset: int) -> Denotation | None:
        """What a plain name means where it stands. A block declares a variable twice in branches of `#if` alone."""
        found = super().name(unit, scope, name, offset)
        if found is None or found.rule != _LOCAL or len(found.refs) != 1:
            return found
        first = found.refs[0]
        if not isinstance(first, DefinitionRef) or unit.kind[first.row] != VARIABLE_DEFINITION:
            return found
        rows = unit.members(unit.scope[first.row]).get(name, ())
        if len(rows) < 2 or offset < 0:
            return found
        seen = [row for row in rows if unit.kind[row] == VARIABLE_DEFINITION and unit.visible_from[row] <= offset]
        refs = tuple([DefinitionRef(unit.file, row) for row in reversed(seen)])
        return Denotation(refs, found.value, found.rule) if len(refs) > 1 else found

    def declared(self, file: FilePath, name: str, *, tags: bool) -> tuple[DefinitionRef, ...]:
        """What a file and those that it includes declare under a name: definitions first, then prototypes."""
        key = (file, name, tags)
        known = self._declared.get(key)
        if known is None:
            found: list[tuple[bool, bool, DefinitionRef]] = []
            for other in self._naming(file, name):
                unit = self.unit(other)
                for row in unit.members(0).get(name, ()):
                    if bool(unit.flags[row] & TYPE_ONLY_FLAG) == tags:
                        prototype = bool(unit.flags[row] & OVERLOAD_FLAG)
                        found.append((prototype, other != self.path, DefinitionRef(other, row)))
            found.sort(key=_order)
            # Prototypes are places of one thing; of definitions one more than a use may mean, so that it is said.
            defined = sum(1 for prototype, _, _ in found if not prototype)
            most = max(MOST_PLACES, min(defined, MAX_DECLARED + 1))
            known = self._declared[key] = tuple([ref for _, _, ref in found[:most]])
        return known

    def _naming(self, file: FilePath, name: str) -> Sequence[FilePath]:
        """A file and those that it includes, of which only they that declare a name once many names were asked for."""
        files = self.files.visible(file)
        if len(files) <= _FEW_FILES:
            return files
        known = self._names.get(file)
        if known is None:
            asked = self._asked[file] = self._asked.get(file, 0) + 1
            if asked <= _FEW_NAMES:
                return files
            known = self._names[file] = {}
            for other in files:
                for one in self.unit(other).members(0):
                    known.setdefault(one, []).append(other)
        return known.get(name, ())

    def _seen(self, unit: DeclaredUnit, name: str, *, tags: bool) -> tuple[DefinitionRef, ...]:
        """What a name means in a file, which may rest on what the file that includes it has included before."""
        refs = self.declared(unit.file, name, tags=tags)
        return refs if refs or unit.file == self.path else self.declared(self.path, name, tags=tags)

    def outer(self, unit: DeclaredUnit, name: str) -> Denotation | None:
        """Declarations of the file, of those that it includes, the compiler's own names, what is outside."""
        refs = self._seen(unit, name, tags=False)
        if refs and is_system_macro(name) and all(map(self._is_for_other_systems, refs)):
            return self._outside(name, declared=True) or self._found(refs)
        refs = refs or self._declared_beside(name) or self._declared_around(name)
        return self._found(refs) if refs else self._outside(name)

    def _declared_beside(self, name: str) -> tuple[DefinitionRef, ...]:
        """A header that does not include what it uses rests on what was included before it: what one header alone
        declares, of the same folder."""
        if self.path.endswith(_SOURCES) or name in SYSTEM_NAMES:
            return ()
        macro = name.isupper()
        if self.written_exports(self.path) and not macro:
            return ()
        files = [file for file in self.world.defining(name) if file != self.path][:MOST_OTHER_FILES]
        found = [
            DefinitionRef(file, row)
            for file in files
            for row in self.unit(file).members(0).get(name, ())
            if not self.unit(file).flags[row] & (TYPE_ONLY_FLAG | STATIC_FLAG)
        ]
        homes = {ref.file for ref in found}
        called = not macro or all(self.unit(ref.file).kind[ref.row] == FUNCTION_DEFINITION for ref in found)
        if len(homes) != 1 or not called:
            return ()
        home = homes.pop()
        beside = home.rpartition("/")[0] == self.path.rpartition("/")[0] and not home.endswith(_SOURCES)
        return tuple(found) if beside else ()

    def _declared_around(self, name: str) -> tuple[DefinitionRef, ...]:
        """The macros under a name of files that include this one as a list: each defines it before."""
        if self.path.endswith(_SOURCES) or name in SYSTEM_NAMES:
            return ()
        found: list[DefinitionRef] = []
        for file in [file for file in self.world.defining(name) if file != self.path][:MOST_OTHER_FILES]:
            unit = self.unit(file)
            rows = [row for row in unit.members(0).get(name, ()) if self._is_macro_at(DefinitionRef(file, row))]
            if rows and self.path in self.files.included(file):
                found += [DefinitionRef(file, row) for row in rows]
        return tuple(found[:MOST_PLACES])

    def _is_for_other_systems(self, ref: DefinitionRef) -> bool:
        """Whether a declaration of a name of the system is one for systems that lack it: a macro, or a prototype that
        no header of the name of one of the system's has."""
        if self._is_macro_at(ref):
            return True
        unit = self.unit(ref.file)
        if unit.kind[ref.row] == TYPE_ALIAS_DEFINITION:
            return ref.file.rpartition("/")[2] not in _HEADERS
        if unit.kind[ref.row] != FUNCTION_DEFINITION or unit.text(ref.row) in LATE_NAMES:
            return False
        return bool(unit.flags[ref.row] & OVERLOAD_FLAG) and ref.file.rpartition("/")[2] not in _HEADERS

    def _is_macro_at(self, ref: DefinitionRef) -> bool:
        unit, row = self.unit(ref.file), ref.row
        if unit.kind[row] == FUNCTION_DEFINITION:
            return unit.body[row] < 0 and not unit.flags[row] & OVERLOAD_FLAG
        return unit.kind[row] == CONSTANT_DEFINITION

    def _outside(self, name: str, *, declared: bool = False) -> Denotation | None:
        """What system headers declare. `declared`: what the workspace declares under the name is for other systems."""
        if name in _PREDEFINED or name.startswith(_COMPILER):
            return Denotation((External(BUILTIN + name),), Outside(BUILTIN + name), _BUILTIN)
        if name in self._own_names() and not is_system_macro(name):
            return None  # where scopes do not lead to it, they may be misread
        if self.files.sees_outside(self.path) and (
            declared or not self.files.is_declared_in_other_file(self.path, name)
        ):
            return Denotation((External(OUTSIDE + name),), Outside(OUTSIDE + name), _EXTERNAL)
        return None

    def _own_names(self) -> frozenset[str]:
        """Names that the file itself declares somewhere."""
        if self._own is None:
            self._own = frozenset([self.own.text(row) for row in range(len(self.own.kind))])
        return self._own

    def _found(self, refs: tuple[DefinitionRef, ...]) -> Denotation:
        value: Value | None = None
        for ref in refs:
            value = self.row_value(self.unit(ref.file), ref.row)
            if value is not None and not (isinstance(value, Functions) and self._is_macro(value)):
                break
        return Denotation(refs, value, _LOCAL if refs[0].file == self.path else _IMPORT)

    def _is_macro(self, value: Functions) -> bool:
        return not self.unit(value.file).returns(value.rows[0])

    def import_value(self, unit: DeclaredUnit, row: int) -> Value | None:
        """Includes bind no name."""
        return None

    # types and values

    def _denote(self, unit: DeclaredUnit, row: int) -> Value | None:
        """A written type; `typeof` takes values."""
        kind = unit.expressions.kind[row]
        if kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            value = self.infer(unit, row)
            return value.type if isinstance(value, TypeName) else value
        return super()._denote(unit, row)

    def _infer(self, unit: DeclaredUnit, row: int) -> Value | None:
        """A value; the tags that a file sees are members of a literal."""
        table = unit.expressions
        if table.kind[row] == LITERAL_EXPRESSION and unit.strings[table.a[row]] == TAGS:
            return Package(unit.file, TAGS)
        return super()._infer(unit, row)

    def called(self, callee: Value | None, unit: DeclaredUnit, arguments: Sequence[int]) -> Value | None:
        """The result of a call; a pointer to a function has the type of its result."""
        if isinstance(callee, Functions):
            other = self.unit(callee.file)
            returns = other.returns(callee.rows[0])
            return self.infer(other, returns[0][0]) if returns else None
        if isinstance(callee, TypeName):
            return callee.type
        return Outside(f"{OUTSIDE}?") if isinstance(callee, Outside) else callee

    def called_outside(self, callee: Outside, arguments: Sequence[Value | None]) -> Value | None:
        """What a function outside gives back is outside."""
        return Outside(f"{OUTSIDE}?")

    # members

    def find_member(self, holder: Value, name: str) -> Denotation | None:
        """A member of a struct or union; a tag."""
        if isinstance(holder, Package):
            return self._tag(FilePath(holder.name or ""), name)
        if isinstance(holder, TypeName):
            holder = holder.type
        if isinstance(holder, NamedType):
            return self._of_type(holder, name)
        return self._in_scope(holder.file, holder.scope, name) if isinstance(holder, Anonymous) else None

    def _of_type(self, holder: NamedType, name: str) -> Denotation | None:
        """A member of a struct; of one that included files define several times, for several systems, of each."""
        unit = self.unit(holder.file)
        found = self._in_scope(holder.file, unit.body[holder.row], name)
        refs: list[DefinitionRef] = []
        tags = bool(unit.flags[holder.row] & TYPE_ONLY_FLAG)
        for ref in self.declared(self.path, unit.text(holder.row), tags=tags):
            other = self.unit(ref.file)
            if ref.file != holder.file and other.kind[ref.row] == CLASS_DEFINITION and other.body[ref.row] >= 0:
                more = self._in_scope(ref.file, other.body[ref.row], name)
                if more is not None:
                    found = found or more
                    refs += [one for one in more.refs if isinstance(one, DefinitionRef)]
        if found is None or not refs:
            return found
        return Denotation(tuple(dict.fromkeys((*found.refs, *refs))), found.value, _MEMBER)

    def _written(self, unit: DeclaredUnit, row: int, name: str, depth: int) -> Denotation | None:
        """A member that a macro of another file writes; of several macros of a name, as systems have them, of each."""
        refs: list[DefinitionRef] = []
        value: Value | None = None
        for base, keyword in unit.bases(row) if row >= 0 and depth < _MOST_NESTED else ():
            if keyword < 0 or unit.expressions.kind[base] != NAME_EXPRESSION:
                continue
            macro = unit.strings[unit.expressions.a[base]]
            for ref in self._seen(unit, macro, tags=False):
                other = self.unit(ref.file)
                body = other.body[ref.row] if other.kind[ref.row] == CONSTANT_DEFINITION else -1
                found = self._in_scope(ref.file, body, name, depth + 1) if body >= 0 else None
                if found is not None:
                    value = value if value is not None else found.value
                    refs += [one for one in found.refs if isinstance(one, DefinitionRef)]
        return Denotation(tuple(dict.fromkeys(refs)), value, _MEMBER) if refs else None

    def _in_scope(self, file: FilePath, scope: int, name: str, depth: int = 0) -> Denotation | None:
        unit = self.unit(file)
        rows = unit.members(scope).get(name, ()) if scope >= 0 else ()
        if not rows:
            return self._written(unit, unit.scope_owner[scope], name, depth) if scope >= 0 else None
        refs = tuple([DefinitionRef(file, row) for row in rows])
        return Denotation(refs, self.row_value(unit, rows[0]), _MEMBER)

    def _tag(self, file: FilePath, name: str) -> Denotation | None:
        unit = self.unit(file)
        refs = self._seen(unit, name, tags=True)
        if not any(self._is_definition(ref) for ref in refs):
            refs = (*self._defined_elsewhere(name), *refs)
        if not refs and unit.own:
            rows = [row for row, flags in enumerate(unit.flags) if flags & TYPE_ONLY_FLAG and unit.text(row) == name]
            refs = tuple([DefinitionRef(file, row) for row in rows])
        if not refs and name not in SYSTEM_NAMES:  # the name of a macro that stands for a tag
            refs = tuple([ref for ref in self._seen(unit, name, tags=False) if self._is_constant(ref)])
        return self._found(refs) if refs else self._outside(name)

    def _is_definition(self, ref: DefinitionRef) -> bool:
        return not self.unit(ref.file).flags[ref.row] & OVERLOAD_FLAG

    def _defined_elsewhere(self, name: str) -> tuple[DefinitionRef, ...]:
        """The one definition of a tag in a file that is not included: what others only announce or point at."""
        seen, found = self.files.seen(self.path), list[DefinitionRef]()
        others = [file for file in self.world.defining(type_key(name)) if file not in seen]
        for file in others if len(others) <= MOST_OTHER_FILES else ():
            unit = self.unit(file)
            found += [
                DefinitionRef(file, row)
                for row in unit.members(0).get(name, ())
                if unit.flags[row] & TYPE_ONLY_FLAG and not unit.flags[row] & OVERLOAD_FLAG
            ]
        return tuple(found) if len(found) == 1 else ()

    def _is_constant(self, ref: DefinitionRef) -> bool:
        return self.unit(ref.file).kind[ref.row] == CONSTANT_DEFINITION

    # linkage

    def prototypes(self, row: int) -> list[DefinitionRef]:
        """Declarations in included files of what the own file defines."""
        own = self.own
        refs = self.declared(self.path, own.text(row), tags=False)
        kind = own.kind[row]
        return [
            ref
            for ref in refs
            if ref.file != self.path
            and self.unit(ref.file).kind[ref.row] == kind
            and self.unit(ref.file).flags[ref.row] & OVERLOAD_FLAG
            and (kind != FUNCTION_DEFINITION or own.body[row] >= 0)
        ]


def _order(entry: tuple[bool, bool, DefinitionRef]) -> tuple[bool, bool]:
    return entry[0], entry[1]
