"""Template methods: what of the workspace runs inside of methods that its classes inherit from a library.

Owns: the way from an inherited method through what libraries call on the same object to methods that override.
Must not know: occurrences, links, edges.
Invariant: a method of the workspace has an answer only as a member of the object's own class.

    class Client(httpx.Client):
        def request(self, *args, **kwargs): ...    # runs in `Client().get(url)`, which is `httpx.Client.get`

After Gamma et al., "Design Patterns" (1994), Template Method.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.extract.kinds import FUNCTION_DEFINITION, METHOD_DEFINITION, PROPERTY_DEFINITION
from graphls.languages.python.standard_templates import STANDARD_TEMPLATES
from graphls.languages.python.types.inference import PyTypeInference
from graphls.languages.python.types.values import PyClass, PyInstance, PySuper, Value, solid
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.resolve.units import is_library

MOST_METHODS: Final = 200
"""Methods of libraries that are followed from one; what lies behind them is not known."""
_CONTAINERS: Final = frozenset((
    "Mapping", "MutableMapping", "Sequence", "MutableSequence", "AbstractSet", "Set", "MutableSet",
    "UserDict", "UserList",
))  # fmt: skip
"""Classes of the library whose methods run the special methods of classes below them."""
_PROPERTY: Final = PROPERTY_DEFINITION
_RUNNING: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION, _PROPERTY})
_PROPERTIES: Final = frozenset({_PROPERTY})
_NO_NAMES: Final = frozenset[str]()
_Method = tuple[FilePath, int]


@final
class TemplateMethods:
    """Those that one file calls."""

    def __init__(self, types: PyTypeInference) -> None:
        self._types = types
        self._known: dict[tuple[object, ...], tuple[DefinitionRef, ...]] = {}

    def run_by(self, value: Value, name: str, *, read: bool = False) -> tuple[DefinitionRef, ...]:
        """What a call of a member of a value runs, or where it is a property and `read` that: nothing where the
        workspace defines that member itself."""
        start = value.start if isinstance(value, PySuper) else None
        inner = solid(value.of if isinstance(value, PySuper) else value)
        if not isinstance(inner, (PyInstance, PyClass)) or is_library(inner.file):
            return ()
        key = (inner.file, inner.row, name, start, read)
        known = self._known.get(key)
        if known is None:
            cls = PyClass(inner.file, inner.row)
            found = self._types.classes.class_member(cls, name, start)
            inherited = (
                found is not None and is_library(found.holder.file) and not self._is_done_natively(cls, found.holder)
            )
            rows = [(found.holder.file, row) for row in found.rows] if found is not None and inherited else []
            if read:
                rows = [(file, row) for file, row in rows if self._types.context.unit(file).kind[row] == _PROPERTY]
            known = self._known[key] = tuple(dict.fromkeys(self._overriding(cls, rows)))
        return known

    def is_mixed_in(self, cls: PyClass, name: str) -> bool:
        """Whether a class inherits a member of this name from an abstract container, as far as its bases are read."""
        classes = self._types.classes
        found = classes.class_member(cls, name)
        if found is None:
            names = list(map(classes.entry_name, classes.order(cls)))
            return any(one.rpartition(".")[2] in _CONTAINERS for one in names) and not any(map(_is_native, names))
        container = classes.entry_name(found.holder).rpartition(".")[2] in _CONTAINERS
        return container and not self._is_done_natively(cls, found.holder)

    def _is_done_natively(self, cls: PyClass, holder: PyClass) -> bool:
        """Whether what stubs declare in an abstract class is done by a class in C below that, which calls nothing of
        its object: `__contains__` of `dict`."""
        classes = self._types.classes
        abstract = classes.entry_name(holder).startswith("typing.")
        return abstract and any(map(_is_native, map(classes.entry_name, classes.order(cls))))

    def _overriding(self, cls: PyClass, methods: Iterable[_Method]) -> Iterator[DefinitionRef]:
        """The methods of the workspace that some of a library's reach on an object of a class."""
        queue = dict.fromkeys(methods)
        looked: set[str] = set()
        waiting = list(queue)
        for method in waiting:
            called = called_by(self._types, *method)
            for name in (called | read_by(self._types, *method)) - looked:
                looked.add(name)
                member = self._types.classes.class_member(cls, name)
                if member is None or member.crowded:
                    continue
                file, unit = member.holder.file, self._types.context.unit(member.holder.file)
                kinds = _RUNNING if name in called else _PROPERTIES
                rows = [row for row in member.rows if unit.kind[row] in kinds]
                if not is_library(file):
                    yield from (DefinitionRef(file, row) for row in rows)
                elif len(queue) < MOST_METHODS:
                    more = [(file, row) for row in rows if (file, row) not in queue]
                    queue.update(dict.fromkeys(more))
                    waiting += more


def _is_native(dotted: str) -> bool:
    """Whether a class is written in C, by its name."""
    return dotted in ("collections.deque", "array.array") or (
        dotted.startswith("builtins.") and dotted != "builtins.object"
    )


def called_by(types: PyTypeInference, file: FilePath, row: int) -> Set[str]:
    """Names of the members that a method of a library calls on its object."""
    written = types.context.world.library_calls(file).receiver.get(row)
    if written:
        return written
    return frozenset(STANDARD_TEMPLATES.get(types.library.dotted_of(file, row), ()))


def read_by(types: PyTypeInference, file: FilePath, row: int) -> Set[str]:
    """Names of the members that a method of a library reads on its object, which may be properties of classes below."""
    return types.context.world.library_calls(file).reads.get(row, _NO_NAMES)


def running(types: PyTypeInference, dotted: str, name: str) -> frozenset[str]:
    """Names of the members of a library's class that may run a member of this name on the same object."""
    cls = types.library.library_class(dotted)
    if cls is None:
        return frozenset()
    calls: dict[str, set[str]] = {}
    for entry in types.classes.order(cls):
        if isinstance(entry, External):
            continue
        unit = types.context.unit(entry.file)
        for member, rows in unit.members(unit.body[entry.row]).items():
            for row in rows:
                if unit.kind[row] in _RUNNING:
                    ran = called_by(types, entry.file, row) | read_by(types, entry.file, row)
                    calls.setdefault(member, set()).update(ran)
    found = {name}
    while more := {member for member, called in calls.items() if member not in found and not called.isdisjoint(found)}:
        found |= more
    return frozenset(found - {name})
