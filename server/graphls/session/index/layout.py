"""Layout: module tables and packages, from the names of files and the text of manifests.

Owns: which files have which module name in a snapshot.
Must not know: the disk, what source files contain beyond their imports.
Invariant: a function of file names, manifests, settings and imports alone; order changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from fnmatch import translate
from functools import cache
from typing import TYPE_CHECKING

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import ATTRIBUTES
from graphls.graph.packages import DeclaredPackage
from graphls.languages.provider import Imports, Provider, no_imports
from graphls.languages.registry import providers
from graphls.linking.module_table import ModuleTable, build_modules
from graphls.session.import_words import RecordedImports, words_of
from graphls.session.index.packages import PACKAGE_MANIFESTS, declared_packages, package_names, workspace_name

if TYPE_CHECKING:
    from graphls.settings import Settings


@attrs.frozen(eq=False)
class Layout:
    """How the files of one workspace are named."""

    modules: Mapping[str, ModuleTable]
    """By language name."""
    packages: Mapping[FilePath, str]
    declared: Mapping[FilePath, DeclaredPackage]
    """What manifests say of these."""
    name: str
    """Of the workspace."""
    imports: Mapping[str, RecordedImports] = attrs.field(factory=dict[str, RecordedImports])
    """What was asked of imports, by language."""

    def rests_on(self, language: str, path: FilePath, facts: FileFacts | None) -> bool:
        """Whether a file, as it is now, says of imports what names were given for."""
        recorded = self.imports.get(language)
        if recorded is None or not recorded.words:
            return True
        now = words_of(facts, recorded.words) if facts is not None else frozenset[str]()
        return frozenset(recorded.answers.get(path, ())) == now


def lay_out(
    files: Mapping[FilePath, str],
    manifests: Mapping[FilePath, bytes],
    settings: Settings,
    folders: Collection[str] = (),
    imports: Callable[[str], Imports] | None = None,
    *,
    links: Mapping[str, str] | None = None,
) -> Layout:
    """Module tables over `files`, one for each language that has any. `files`: their languages, "" for plain ones;
    `folders`: names of several open folders; `imports`: what files of a language import; `links`: symbolic links, and
    where they lead."""
    by_language: dict[str, list[FilePath]] = {}
    known = providers()
    for path in sorted(path for path, language in files.items() if language in known):
        by_language.setdefault(files[path], []).append(path)
    recorded = {name: RecordedImports(imports(name) if imports is not None else no_imports) for name in by_language}
    modules = {
        name: build_modules(
            known[name],
            own,
            _roots(known[name], own, manifests, settings, folders, imports=recorded[name]),
            _read_by(known[name], manifests),
            links,
        )
        for name, own in by_language.items()
    }
    declared = declared_packages(manifests)
    packages = package_names(declared)
    return Layout(modules, packages, declared, workspace_name(packages, folders), recorded)


def is_manifest(path: FilePath) -> bool:
    """Whether some language reads this file to find its source roots, or it says which files tools made."""
    name = path.rpartition("/")[2]
    return name == ATTRIBUTES or _any_manifest()(name) is not None


def _reads(provider: Provider, path: FilePath) -> bool:
    return _matcher(provider.capabilities.manifests)(path.rpartition("/")[2]) is not None


@cache
def _any_manifest() -> Callable[[str], re.Match[str] | None]:
    known = (name for provider in providers().values() for name in provider.capabilities.manifests)
    return _matcher((*known, *PACKAGE_MANIFESTS))


@cache
def _matcher(names: tuple[str, ...]) -> Callable[[str], re.Match[str] | None]:
    """What matches these names and patterns of names: asked about each file of a walk."""
    return re.compile("|".join(map(translate, names)) or r"(?!)").match


def _read_by(provider: Provider, manifests: Mapping[FilePath, bytes]) -> Mapping[FilePath, bytes]:
    return {path: text for path, text in manifests.items() if _reads(provider, path)}


def _roots(
    provider: Provider,
    files: Collection[FilePath],
    manifests: Mapping[FilePath, bytes],
    settings: Settings,
    folders: Collection[str],
    *,
    imports: Imports,
) -> tuple[str, ...]:
    chosen = settings.python.roots if provider.capabilities.chosen_roots else ()
    written = tuple(root.strip("/").removeprefix("./") for root in chosen)
    if not provider.capabilities.chosen_roots:
        return provider.roots(files, _read_by(provider, manifests), imports)
    own = {root.partition("/")[0] for root in written}
    if written and not own < set(folders):
        return written
    found = _with_folders(provider.roots(files, _read_by(provider, manifests), imports), files, folders)
    # Folders that choose none have those that are found.
    rest = tuple(root for root in found if root.partition("/")[0] not in own)
    return (*sorted(written, key=lambda root: (-root.count("/"), root)), *rest)


def _with_folders(roots: tuple[str, ...], files: Collection[FilePath], folders: Collection[str]) -> tuple[str, ...]:
    """Each of several open folders is where imports begin, manifest or not, unless it is itself a package."""
    packages = {path.rpartition("/")[0] for path in files if path.endswith("/__init__.py")}
    added = [folder for folder in folders if folder not in packages and folder not in roots[: roots.index("")]]
    declared, rest = roots[: roots.index("")], tuple(root for root in roots[roots.index("") :] if root not in added)
    return (*sorted((*declared, *added), key=lambda root: (-root.count("/"), root)), *rest)
