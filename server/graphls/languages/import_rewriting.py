"""Import rewriting: what a language brings so that imports follow files that get another path.

Owns: the contract between the core and a language, and the values that pass between them.
Must not know: any particular language, links, edits of protocols.
Invariant: a change without `doubt` leaves the import with the meaning that it had; what cannot be written as an import
    is a change without a text, so that someone says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.provider import ModuleName, World

PathAfter: TypeAlias = Callable[[FilePath], FilePath]
"""The path that a file will have; the same one for files that stay."""


@attrs.frozen(eq=False)
class ImportingFile:
    """A file, by its path before, and what its imports and names mean before."""

    path: FilePath
    text: bytes
    facts: FileFacts
    modules: Mapping[int, FilePath]
    """Row of `Imports` -> the file that it names, where there is exactly one."""
    uses: Mapping[int, FilePath]
    """Row of `Occurrences`, imports apart -> the module of the workspace that it means."""
    roots: Mapping[str, str]
    """Folders from which modules of the workspace have their names -> where these will be."""


@attrs.frozen
class ImportChange:
    """A stretch of bytes and its new text; None: it cannot be written. `doubt`: why someone should look at it first."""

    start: int
    end: int
    text: str | None
    doubt: str = ""


class ImportRewriter(Protocol):
    """Writes imports anew."""

    def changes(self, file: ImportingFile, after: PathAfter, world: World) -> Iterator[ImportChange]:
        """Changes of one file, in offsets of its text before, in any order, none of them twice."""
        ...


def module_after(name: ModuleName, path: FilePath, roots: Mapping[str, str]) -> str | None:
    """The dotted name below the root that a module had, else below the nearest one; None outside of all roots."""
    # Below the workspace itself everything has a name, and hardly anything can be imported by it.
    others = sorted((root for root in roots.values() if root), key=len, reverse=True)
    for root in (roots.get(name.root, name.root), *others):
        inside = f"{root}/" if root else ""
        if path.startswith(inside):
            return path[len(inside) :].rpartition(".")[0].replace("/", ".")
    return None
