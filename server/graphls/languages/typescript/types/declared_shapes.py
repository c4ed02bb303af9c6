"""Declared shapes: which class or interface of a package's declaration files a class of its scripts is.

Owns: the comparison of names, of classes and of their members.
Must not know: values, occurrences, rows of links.
Invariant: only a class that shares most of its members, or most of the declared ones, is what is declared; of several
    declarations it is the one whose name it has, then the one that shares most.

A package of scripts that has declaration files says there what its users get. Nothing in the text leads from such a
declaration to the code: users are typed by the interface `FastifyReply`, the objects are made by what a script calls
`Reply`. TypeScript compares types by their members; so is done here, by names alone, as scripts have no types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.extract.kinds import CLASS_DEFINITION, CLASS_SCOPE, FUNCTION_DEFINITION
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.typescript.modules import AMBIENT
from graphls.languages.typescript.types.inference import TsTypeInference
from graphls.languages.typescript.types.names import ASSIGNED
from graphls.languages.typescript.types.units import TsShape, TsUnit

MOST_COMPARED: Final = 100_000
"""Classes of one script times those that its package declares; of more none is compared."""
_LEAST: Final = 3
"""Members that both have where their names agree."""
_LEAST_UNNAMED: Final = 6
"""The same where nothing but members says so."""
_NOTHING: Final = (False, 0)
_MAKING: Final = frozenset((CLASS_DEFINITION, FUNCTION_DEFINITION))


class DeclaredShapes:
    """Those of the classes of one script."""

    def __init__(self, types: TsTypeInference) -> None:
        self._types = types

    def matches(self, folder: str) -> Iterator[tuple[int, DefinitionRef]]:
        """Rows of own classes and constructor functions, with what they are of what a package, a folder, declares."""
        own = self._types.own
        made = [shape for row in self._making() if len((shape := TsShape.of(own, row)).members) >= _LEAST]
        declaring = self._declaring(folder) if made else []
        if len(made) * sum(len(unit.shapes()) for unit in declaring) > MOST_COMPARED:
            return
        for shape in made:
            name = _spelled(own.text(shape.row)) or _spelled(own.file.rpartition("/")[2].partition(".")[0])
            best = _NOTHING
            found: DefinitionRef | None = None
            for unit in declaring:
                for declared in unit.shapes():
                    share = _share(name, shape, _spelled(unit.text(declared.row)), declared)
                    if share > best:
                        best, found = share, DefinitionRef(unit.file, declared.row)
            if found is not None:
                yield shape.row, found

    def _making(self) -> Iterator[int]:
        own = self._types.own
        owners = {owner for owner, kind in zip(own.scope_owner, own.scope_kind, strict=True) if kind == CLASS_SCOPE}
        yield from sorted(row for row in owners if row >= 0 and own.kind[row] in _MAKING)

    def _declaring(self, folder: str) -> list[TsUnit]:
        """The declaration files of the package."""
        context = self._types.context
        inside = f"{folder}/" if folder else ""
        files = context.world.aliases(AMBIENT, context.own.file)
        return [context.unit(FilePath(file)) for file in files if file.startswith(inside)]


def _spelled(name: str) -> str:
    """What of a name is the same however it is written; "" for none."""
    return "" if name == ASSIGNED else name.replace("_", "").replace("-", "").lower()


def _share(name: str, own: TsShape, other_name: str, declared: TsShape) -> tuple[bool, int]:
    """Whether the names agree, and how many members a class shares with what it may be; none where it is not that."""
    common = len(own.members & declared.members)
    if name and (other_name.endswith(name) or name.endswith(other_name)):
        smaller = min(len(own.members), len(declared.members))
        return (True, common) if common >= _LEAST and 2 * common >= smaller else _NOTHING
    # Options have the names of what they are for, but no methods.
    has_all = common >= _LEAST_UNNAMED and 4 * common >= 3 * len(declared.members)
    return (False, common) if has_all and len(own.members & declared.methods) >= _LEAST else _NOTHING
