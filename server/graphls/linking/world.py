"""World: what a resolver may see of other files, with every look written down.

Owns: answers about modules and surfaces; noting what was asked.
Must not know: how a language resolves names.
Invariant: a resolver that got the same answers to the recorded questions gives the same links.
"""

from __future__ import annotations

from collections.abc import Callable

from graphls.facts.library_calls import NO_CALLS, LibraryCalls
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import LIBRARY, ModuleName
from graphls.linking.definers import NEXT, number_of
from graphls.linking.dependencies import ALIAS, DEFINES, PACKAGE, library_lookup
from graphls.linking.module_table import ModuleTable

SurfaceReader = Callable[[FilePath], Surface]


class RecordingWorld:
    """The `World` given to the resolver of one file."""

    def __init__(self, modules: ModuleTable, surfaces: SurfaceReader) -> None:
        self._modules = modules
        self._surfaces = surfaces
        self._reads: dict[FilePath, Surface] = {}
        self._lookups: dict[str, FilePath | None] = {}
        self._namespaces: dict[str, bool] = {}
        self._libraries = modules.libraries
        self._outside = False
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._packages: dict[str, tuple[FilePath, ...]] = {}
        self._defining: dict[int, tuple[FilePath, ...]] = {}

    def module(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The file of an absolute module name, as the importer sees it."""
        key = f"{dotted}{NEXT}{importer}" if self._modules.is_shared(dotted) else dotted
        if key in self._lookups:
            return self._lookups[key]
        found = self._lookups[key] = self._modules.find(dotted, importer)
        return found

    def namespace(self, dotted: str, importer: FilePath) -> bool:
        """Whether the name is a folder of modules."""
        key = f"{dotted}{NEXT}{importer}" if self._modules.is_local(dotted) else dotted
        found = self._namespaces.get(key)
        if found is None:
            found = self._namespaces[key] = self._modules.has_namespace(dotted, importer)
        return found

    def package(self, name: str) -> tuple[FilePath, ...]:
        """The files that belong to a package."""
        found = self._packages.get(name)
        if found is None:
            found = self._packages[name] = self._modules.packages.get(name, ())
        return found

    def defining(self, name: str) -> tuple[FilePath, ...]:
        """The files that define a name."""
        number = number_of(name)
        found = self._defining.get(number)
        if found is None:
            definers = self._modules.definers
            found = self._defining[number] = () if definers is None else definers.files(number)
        return found

    def aliases(self, key: str, importer: FilePath) -> tuple[str, ...]:
        """What the manifests of the workspace say about a key."""
        found = self._aliases.get(key)
        if found is None:
            found = self._aliases[key] = self._modules.aliases.get(key, ())
        return found

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a file."""
        if self._libraries is not None and file.startswith(LIBRARY):
            return self._libraries.name_of(file)
        return self._modules.names.get(file) or ModuleName(file, False, "")

    def surface(self, file: FilePath) -> Surface:
        """What a file shows to others."""
        if self._libraries is not None and file.startswith(LIBRARY):
            return self._libraries.surface(file)
        found = self._reads.get(file)
        if found is None:
            found = self._reads[file] = self._surfaces(file)
        return found

    def library(self, dotted: str) -> FilePath | None:
        """The file of a module outside the workspace."""
        self._outside = True
        return None if self._libraries is None else self._libraries.find(dotted)

    def library_calls(self, file: FilePath) -> LibraryCalls:
        """What functions of a library file call on their object and of their arguments."""
        self._outside = True
        return NO_CALLS if self._libraries is None else self._libraries.library_calls(file)

    def library_memo(self) -> dict[object, object]:
        """Answers that rest on libraries alone."""
        self._outside = True
        return {} if self._libraries is None else self._libraries.memo

    def reads(self) -> tuple[str, ...]:
        """Files looked at, sorted."""
        return tuple(sorted(self._reads))

    def lookups(self) -> tuple[str, ...]:
        """Module questions with their answers, sorted."""
        records = [f"{dotted}\t{answer or ''}" for dotted, answer in self._lookups.items()]
        records += [f"{dotted}/\t{'/' if answer else ''}" for dotted, answer in self._namespaces.items()]
        records += [f"{ALIAS}{key}\t{NEXT.join(answer)}" for key, answer in self._aliases.items()]
        records += [f"{PACKAGE}{name}\t{self._modules.package_record(name)}" for name in self._packages]
        definers = self._modules.definers
        records += [f"{DEFINES}{one}\t{definers.record(one) if definers else ''}" for one in self._defining]
        records += [library_lookup(self._modules)] if self._outside else []
        return tuple(sorted(records))
