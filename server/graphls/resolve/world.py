"""World: what a resolver may see of other files, with every look written down.

Owns: answers about modules and surfaces; the record of dependencies.
Must not know: how a language resolves names.
Invariant: a resolver that got the same answers to the recorded questions gives the same links.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceHash
from graphls.languages.provider import ModuleName
from graphls.resolve.modules import ModuleTable

SurfaceReader = Callable[[FilePath], Surface]


class RecordingWorld:
    """The `World` given to the resolver of one file."""

    def __init__(self, modules: ModuleTable, surfaces: SurfaceReader) -> None:
        self._modules = modules
        self._surfaces = surfaces
        self._reads: dict[FilePath, Surface] = {}
        self._lookups: dict[str, FilePath | None] = {}
        self._namespaces: dict[str, bool] = {}

    def module(self, dotted: str, importer: FilePath) -> FilePath | None:
        """The file of an absolute module name, as the importer sees it."""
        if dotted in self._lookups:
            return self._lookups[dotted]
        found = self._lookups[dotted] = self._modules.find(dotted, importer)
        return found

    def namespace(self, dotted: str, importer: FilePath) -> bool:
        """Whether the name is a folder of modules."""
        found = self._namespaces.get(dotted)
        if found is None:
            found = self._namespaces[dotted] = self._modules.has_namespace(dotted)
        return found

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a file of the workspace."""
        return self._modules.names.get(file) or ModuleName(file, False, "")

    def surface(self, file: FilePath) -> Surface:
        """What a file shows to others."""
        found = self._reads.get(file)
        if found is None:
            found = self._reads[file] = self._surfaces(file)
        return found

    def reads(self) -> tuple[str, ...]:
        """Files looked at, sorted."""
        return tuple(sorted(self._reads))

    def lookups(self) -> tuple[str, ...]:
        """Module questions with their answers, sorted."""
        asked = [f"{dotted}\t{answer or ''}" for dotted, answer in self._lookups.items()]
        asked += [f"{dotted}/\t{'/' if answer else ''}" for dotted, answer in self._namespaces.items()]
        return tuple(sorted(asked))


def dependencies(links: Links, hashes: Callable[[FilePath], SurfaceHash | None]) -> str:
    """Digest of all that the links rest on outside their own file, as it is now."""
    digest = blake2b(digest_size=16)
    for read in links.reads:
        digest.update(f"{read}\n{hashes(FilePath(read)) or ''}\n".encode(errors="surrogatepass"))
    for lookup in links.lookups:
        digest.update(f"{lookup}\n".encode(errors="surrogatepass"))
    return digest.hexdigest()


def lookups_hold(links: Links, modules: ModuleTable, importer: FilePath) -> bool:
    """Whether every module question would be answered as it was."""
    for lookup in links.lookups:
        dotted, _, answer = lookup.partition("\t")
        if dotted.endswith("/"):
            if modules.has_namespace(dotted[:-1]) != bool(answer):
                return False
        elif (modules.find(dotted, importer) or "") != answer:
            return False
    return True
