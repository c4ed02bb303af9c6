"""Worker snapshot: the module tables and surfaces of one snapshot, as a worker was told them.

Owns: linking of single files in that snapshot.
Must not know: files of the workspace on disk, other workers. Libraries it reads itself.
Invariant: gives the links that the session would make in the same snapshot, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

from graphls.facts.codec import CodecError, decode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.facts.validity import check_facts, check_surface
from graphls.languages.provider import ModuleName
from graphls.languages.registry import providers
from graphls.linking.definers import Definers
from graphls.linking.linker import EMPTY_SURFACE, LinkingFailedError, link_file
from graphls.linking.module_table import ModuleTable
from graphls.session.link.libraries import decode_libraries
from graphls.session.link.link_entries import LinkedFile, make_entry
from graphls.session.link.link_index import packed_index
from graphls.session.link.outside_tables import with_libraries
from graphls.session.process.frames import Message

_SnapshotMessage: TypeAlias = tuple[
    str, Mapping[str, str], Mapping[str, Message], Mapping[str, bytes], Mapping[str, str], Mapping[str, str]
]
"""Kind, languages by path, module tables by language, surfaces by content key, surface hashes and keys by path."""
_TableMessage: TypeAlias = tuple[
    Mapping[FilePath, tuple[str, bool, str, bool, tuple[str, ...], tuple[str, ...]]],
    Mapping[str, tuple[FilePath, ...]],
    Mapping[str, tuple[str, ...]],
    Mapping[str, tuple[str, ...]],
    Mapping[str, tuple[FilePath, ...]],
    Mapping[str, str],
    Mapping[FilePath, bytes] | None,
]


class WorkerSnapshot:
    """Module tables and surfaces of one snapshot."""

    def __init__(self, message: Message, before: WorkerSnapshot | None) -> None:
        """`before`: what was told last; libraries that are still the same are kept."""
        _, self._languages, modules, self._surfaces, self._hashes, self._keys = cast("_SnapshotMessage", message[:6])
        known = None if before is None else before.libraries
        self.libraries = libraries = decode_libraries(cast("tuple[object, ...]", message[6]), known)
        self._modules = with_libraries({name: table_of(parts) for name, parts in modules.items()}, libraries)
        self._decoded: dict[str, Surface] = {}
        self._lacks = False
        """Somebody asked for a surface that the session did not have either."""

    def surface(self, path: FilePath) -> Surface:
        key = self._keys.get(path)
        if key is None:
            return EMPTY_SURFACE
        found = self._decoded.get(key)
        if found is None:
            self._lacks = self._lacks or key not in self._surfaces
            found = self._decoded[key] = decode(Surface, self._surfaces[key])
        return found

    def link(self, path: FilePath, content: str, facts: bytes) -> tuple[object, ...]:
        language = self._languages[path]
        modules, problem, self._lacks = self._modules[language], "", False
        try:
            decoded = decode(FileFacts, facts)
        except CodecError:
            return (None,)
        try:
            links = link_file(
                providers()[language], path, decoded, self.surface(path), modules=modules, surfaces=self.surface
            )
        except LinkingFailedError as failure:
            if self._lacks:
                return (None,)
            try:  # what the store gave may be to blame: the session makes that again
                check_facts(decoded)
                for surface in self._decoded.values():
                    check_surface(surface)
            except CodecError:
                return (None,)
            links, problem = failure.links, str(failure)[:300]
        except Exception:  # noqa: BLE001 (the session links the file itself, and names what fails)
            return (None,)
        own = LinkedFile(path, content, decoded)
        try:
            made = make_entry(own, links, modules=modules, hashes=self._hash_of, problem=problem)
        except Exception:  # noqa: BLE001 (likewise)
            return (None,)
        index = packed_index(made.index)
        packed = made.encoded, made.dependencies
        return (content, made.digest, packed, made.complete, index, problem)

    def _hash_of(self, path: FilePath) -> str:
        return self._hashes.get(path, "")


def table_of(parts: Message) -> ModuleTable:
    """The table that `table_message` spelled, without libraries."""
    names, files, namespaces, aliases, packages, links, columns = cast("_TableMessage", parts)
    named = {path: ModuleName(*name) for path, name in names.items()}
    definers = None if columns is None else Definers(columns)
    return ModuleTable(named, files, namespaces, aliases, packages, links, definers)
