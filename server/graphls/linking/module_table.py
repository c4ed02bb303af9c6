"""Module table: which file a module name means, and the name of a file.

Owns: the module table of a workspace, the choice between equally named modules.
Must not know: how a language spells imports, what files contain.
Invariant: a function of the set of file names and the source roots alone; order of files changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import attrs

from graphls.facts.paths import FilePath, shared_parts
from graphls.languages.provider import ModuleName, Provider
from graphls.languages.registry import is_stub
from graphls.linking.definers import Definers, record_of
from graphls.linking.folder_links import LINKS, with_links
from graphls.linking.libraries import Libraries


@attrs.frozen(eq=False)
class ModuleTable:
    """Module names of one language in one workspace."""

    names: Mapping[FilePath, ModuleName]
    files: Mapping[str, tuple[FilePath, ...]]
    """Dotted name to files, sorted; several when projects of one workspace repeat a name."""
    namespaces: Mapping[str, tuple[str, ...]]
    """Dotted names of folders without a file of their own, with their source roots; with a slash behind those that
    only files below them see."""
    aliases: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict[str, tuple[str, ...]])
    """What manifests say about a key; the language alone knows what keys and entries mean."""
    packages: Mapping[str, tuple[FilePath, ...]] = attrs.field(factory=dict[str, "tuple[FilePath, ...]"])
    """The files of packages that consist of several, sorted."""
    links: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Symbolic links inside the workspace, and where they lead."""
    definers: Definers | None = None
    """Which files define a name; None where the language does not ask."""
    libraries: Libraries | None = None
    """What is known of modules outside the workspace."""
    _package_records: dict[str, str] = attrs.field(factory=dict[str, str], init=False, repr=False)

    def find(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The file of a module as the importer sees it: the nearest root wins, then the first name."""
        files = [file for file in self.files.get(dotted, ()) if self._sees(importer, file, dotted)]
        if not files:
            return None
        if len(files) == 1:
            return files[0]
        return max(files, key=lambda file: (shared_parts(file, importer), not is_stub(file), _reverse(file)))

    def _sees(self, importer: FilePath, file: FilePath, dotted: str) -> bool:
        name = self.names[file]
        return not name.local or importer.startswith(f"{name.root}/") or dotted in name.also

    def package_record(self, name: str) -> str:
        """The files of a package as lookups write them down: their names, of many a digest. Each file of a package asks
        for all of them, so that names would fill a square."""
        known = self._package_records.get(name)
        if known is None:
            known = self._package_records[name] = record_of(self.packages.get(name, ()))
        return known

    def has_namespace(self, dotted: str, importer: FilePath) -> bool:
        """Whether the name is a folder of modules without a file of its own, as the importer sees it."""
        roots = self.namespaces.get(dotted, ())
        return any(not root.endswith("/") or importer.startswith(root) for root in roots)

    def is_shared(self, dotted: str) -> bool:
        """Whether the file of a name depends on who asks: several have it, or only some see it."""
        files = self.files.get(dotted, ())
        return len(files) > 1 or any(self.names[file].local for file in files)

    def is_local(self, dotted: str) -> bool:
        """Whether only some files see a folder of modules under this name."""
        return any(root.endswith("/") for root in self.namespaces.get(dotted, ()))


def build_modules(
    provider: Provider,
    files: Collection[FilePath],
    roots: tuple[str, ...],
    manifests: Mapping[FilePath, bytes] | None = None,
    links: Mapping[str, str] | None = None,
) -> ModuleTable:
    """The table for all files of one language."""
    known = frozenset(files)
    own = {file: provider.module_name(file, roots, known) for file in sorted(files)}
    names = with_links(provider, own, roots, links or {})
    by_name: dict[str, list[FilePath]] = {}
    for file, name in names.items():
        for dotted in dict.fromkeys((name.dotted, *name.also)) if name.also else (name.dotted,):
            by_name.setdefault(dotted, []).append(file)
    namespaces: dict[str, set[str]] = {}
    for name in names.values():
        spelled = [(name.dotted, f"{name.root}/" if name.local else name.root)]
        for dotted, root in [*spelled, *((dotted, "") for dotted in name.also)] if name.also else spelled:
            parent = dotted.rpartition(".")[0]
            while parent and parent not in by_name and root not in namespaces.get(parent, ()):
                namespaces.setdefault(parent, set()).add(root)
                parent = parent.rpartition(".")[0]
    packages: dict[str, list[FilePath]] = {}
    for file in sorted(names):
        for package in names[file].packages:
            packages.setdefault(package, []).append(file)
    module_aliases = provider.capabilities.module_aliases
    return ModuleTable(
        names=names,
        files={dotted: tuple(found) for dotted, found in by_name.items()},
        namespaces={dotted: tuple(sorted(found)) for dotted, found in namespaces.items()},
        aliases={**_said(links), **({} if module_aliases is None else module_aliases(files, manifests or {}))},
        packages={package: tuple(found) for package, found in packages.items()},
        links=links or {},
    )


def _said(links: Mapping[str, str] | None) -> Mapping[str, tuple[str, ...]]:
    return {LINKS: tuple(f"{link}\t{target}" for link, target in sorted(links.items()))} if links else {}


def _reverse(text: str) -> tuple[int, ...]:
    return tuple(-ord(character) for character in text)
