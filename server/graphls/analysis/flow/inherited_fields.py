"""Inherited fields: what a class of the workspace gives to the constructor of a library's class, and reads of itself.

Owns: which fields those are (`fget` of `property`), the calls that fill them, the uses that read them.
Must not know: where values go from there.
Invariant: such a field is known by its name and by the class of the workspace that is right below the library's; the
    classes below that share it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from graphls.analysis.flow.class_members import GIVING
from graphls.analysis.flow.places import Places, Use
from graphls.facts.columns import rows_with
from graphls.facts.kinds import DefinitionKind, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.nodes import container, use_at
from graphls.graph.snapshot import SymbolRef

_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "property": ("fget", "fset", "fdel"),
    "cached_property": ("func",),
    "partial": ("func",),
    "partialmethod": ("func",),
    "singledispatchmethod": ("func",),
}
"""Classes of Python's own library -> fields that hold the first arguments of their constructors."""
_NAMES: Final = frozenset(name for names in _FIELDS.values() for name in names)
_CONSTRUCTORS: Final = frozenset(("__init__", "__new__"))


class InheritedField(NamedTuple):
    """A field that a library's class has, of the class of the workspace that extends it."""

    owner: SymbolRef
    name: str


class InheritedFields:
    """Those of one snapshot; remembers what it looked up."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._owners: dict[SymbolRef, SymbolRef | None] = {}
        self._read: dict[FilePath, Mapping[InheritedField, Sequence[int]]] = {}

    def names(self, owner: SymbolRef) -> Sequence[str]:
        """The fields that a class has from a library's class which it extends, in the order of the arguments."""
        facts = self._places.facts(owner.file)
        uses = facts.occurrences
        for use in rows_with(uses.owner, owner.definition):
            names = _FIELDS.get(facts.strings[uses.name[use]], ()) if uses.role[use] == Role.INHERIT else ()
            if names and not self._places.meant(owner.file, use):
                return names
        return ()

    def owner(self, cls: SymbolRef) -> SymbolRef | None:
        """The class, of one and those above it, that has such fields."""
        if cls not in self._owners:
            line = (cls, *self._places.classes.above(cls))
            self._owners[cls] = next((one for one in line if self.names(one)), None)
        return self._owners[cls]

    def meant(self, path: FilePath, use: int) -> InheritedField | None:
        """The field that `self.fget` means in a method."""
        facts = self._places.facts(path)
        uses = facts.occurrences
        name = facts.strings[uses.name[use]] if use >= 0 else ""
        if name not in _NAMES or uses.base[use] < 0 or self._places.meant(path, use):
            return None
        base, table = uses.base[use], facts.expressions
        receiver = use_at(facts, table.c[base]) if table.kind[base] == ExpressionKind.NAME else -1
        for place in self._places.meant(path, receiver) if receiver >= 0 else ():
            known = self._places.kind(place) == DefinitionKind.PARAMETER
            cls = self._places.classes.owner_of_receiver(place) if known else None
            owner = self.owner(cls[0]) if cls is not None else None
            if owner is not None and name in self.names(owner):
                return InheritedField(owner, name)
        return None

    def uses(self, field: InheritedField) -> Iterator[Use]:
        """The inverse."""
        files = dict.fromkeys(cls.file for cls in (field.owner, *self._places.classes.below(field.owner)))
        yield from ((path, use) for path in files for use in self._read_in(path).get(field, ()))

    def _read_in(self, path: FilePath) -> Mapping[InheritedField, Sequence[int]]:
        known = self._read.get(path)
        if known is None:
            facts = self._places.facts(path)
            numbers = {number for number, text in enumerate(facts.strings) if text in _NAMES}
            found: dict[InheritedField, list[int]] = {}
            for use, name in enumerate(facts.occurrences.name if numbers else ()):
                if name in numbers and (field := self.meant(path, use)) is not None:
                    found.setdefault(field, []).append(use)
            known = self._read[path] = found
        return known

    def fillers(self, owner: SymbolRef) -> Iterator[Use]:
        """Calls whose arguments such fields hold: of `super().__init__`, of classes without a constructor."""
        files: dict[FilePath, None] = {}
        for cls in (owner, *self._places.classes.below(owner)):
            files[cls.file] = None
            if self._places.classes.constructor(cls) is None:
                yield from self._places.every_use(cls)
        for path in files:
            for use in sorted(self._places.passing(path).undispatched):
                if self.filled_above(path, use) == owner:
                    yield path, use

    def filled_above(self, path: FilePath, use: int) -> SymbolRef | None:
        """The class whose fields a call of a library's constructor by `super` fills."""
        facts = self._places.facts(path)
        uses = facts.occurrences
        if facts.strings[uses.name[use]] not in _CONSTRUCTORS or self._places.meant(path, use):
            return None
        method = uses.owner[use]
        owner = container(facts, method) if method >= 0 and facts.definitions.kind[method] in GIVING else -1
        return self.owner(self._places.canonical(SymbolRef(path, owner))) if owner >= 0 else None

    def filled_by(self, cls: SymbolRef) -> SymbolRef | None:
        """The same of a call of a class."""
        is_class = self._places.kind(cls) == DefinitionKind.CLASS
        return self.owner(cls) if is_class and self._places.classes.constructor(cls) is None else None

    def filled(self, owner: SymbolRef, position: int, keyword: str) -> str:
        """The name of the field that an argument fills; "" where it is none of them."""
        names = self.names(owner)
        if keyword:
            return keyword if keyword in names else ""
        return names[position] if 0 <= position < len(names) else ""
