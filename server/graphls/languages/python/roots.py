"""Roots: the folders that top-level modules are found in, and module names under them.

Owns: source roots from file names and manifests; the module name of a file.
Must not know: the disk, installed packages, who imports what.
Invariant: depends on names and the manifests' bytes only, never on their order; the workspace itself comes last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.provider import ModuleName
from graphls.languages.python.manifests import source_folders
from graphls.languages.python.stub_names import stub_name

MANIFESTS: Final = ("pyproject.toml", "setup.cfg", "setup.py")
ENDINGS: Final = (".py", ".pyi", ".pyw")
PACKAGE: Final = "__init__"
PACKAGE_FILES: Final = ("__init__.py", "__init__.pyi")
SOURCE_FOLDERS: Final = frozenset(("src", "lib", "python"))
"""Names that hold sources by custom, when they hold no package file themselves."""


def roots(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> tuple[str, ...]:
    """Declared source roots, deepest first, then the workspace (""), then folders that only look like roots.

    What stands behind the workspace serves the files below it alone: nothing says that others see it.
    """
    packages = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in PACKAGE_FILES}
    folders = {path.rpartition("/")[0] for path in files if path.endswith(ENDINGS)}
    parents = {above for folder in folders for above in (folder, *_above(folder))}
    found: set[str] = set()
    sources = {folder for folder in parents if folder.rpartition("/")[2] == "src"}
    for manifest, data in manifests.items():
        project, _, name = manifest.rpartition("/")
        found.add(project)
        sources.update(folder for folder in _declared(project, name, data) if folder in parents)
        sources.update(f for f in (_join(project, name) for name in SOURCE_FOLDERS) if f in parents)
    found |= sources
    found -= {"", *packages}
    within = tuple(f"{folder}/" for folder in sources & found)
    # A folder without a package file below a root that is known to hold sources is a namespace package.
    tops = {_top(folder, packages) for folder in packages}
    guessed = {top for top in tops if not top.startswith(within) or not packages.isdisjoint(_above(top))}
    guessed |= {folder for folder in _test_folders(files) if folder not in packages}
    guessed -= {"", *packages, *found}
    return (*_deepest(found), "", *_deepest(guessed))


def _deepest(folders: set[str]) -> list[str]:
    return sorted(folders, key=lambda root: (-root.count("/"), root))


def _declared(project: str, name: str, data: bytes) -> Iterator[str]:
    for folder in source_folders(name, data):
        if not folder.startswith("/"):
            yield _join(project, folder)


def _join(project: str, folder: str) -> str:
    """A folder below a project; the project itself when it leads out of the workspace."""
    joined = normpath(f"{project}/{folder}" if project else folder or ".")
    return "" if joined == "." else project if joined.startswith("..") else joined


def _above(folder: str) -> Iterator[str]:
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _top(folder: str, packages: set[str]) -> str:
    """The folder that holds the topmost package around a package."""
    while folder in packages:
        if not folder:
            return ""
        folder = folder.rpartition("/")[0]
    return folder


def _test_folders(files: Collection[FilePath]) -> Iterator[str]:
    """Folders of tests: the test runner puts them on the path when they are no packages."""
    for path in files:
        folder, _, name = path.rpartition("/")
        if name == "conftest.py" or (name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))):
            yield folder


def module_name(path: FilePath, roots: tuple[str, ...]) -> ModuleName:
    """The name under the deepest root that holds the file."""
    folder, _, name = path.rpartition("/")
    best, local, dotted, others = _folder_names(folder, roots)
    stem = name.rpartition(".")[0] if name.endswith(ENDINGS) else name
    spelled = _inside(dotted, stem)
    also = tuple([_inside(other, stem) for other in others])
    if path.endswith(".pyi"):
        also = (*also, stub_name(spelled))
    return ModuleName(spelled, stem == PACKAGE, best, local, also)


def _inside(folder: str, stem: str) -> str:
    """The dotted name of a file in a folder of this dotted name."""
    if stem == PACKAGE:
        return folder
    return f"{folder}.{stem}" if folder else stem


@lru_cache(maxsize=64)
def _folder_names(folder: str, roots: tuple[str, ...]) -> tuple[str, bool, str, tuple[str, ...]]:
    """Of a folder: the deepest root around it, whether only files below that see it, its dotted names from there and
    from the other roots that serve it. Files come sorted by path, so few folders are asked for at a time."""
    order = _order(roots)
    around = sorted((above for above in (folder, *_above(folder)) if above in order), key=order.__getitem__)
    best = max(around, key=len, default="")
    served = order.get("", len(roots))
    local = order.get(best, served + 1) > served and "" in order
    others = tuple([_dotted(folder, root) for root in around if order[root] <= served]) if local else ()
    return best, local, _dotted(folder, best), others


@lru_cache(maxsize=2)
def _order(roots: tuple[str, ...]) -> Mapping[str, int]:
    """Where each root stands: a file asks for the folders above it, however many roots there are."""
    return {root: place for place, root in reversed(tuple(enumerate(roots)))}


def _dotted(folder: str, root: str) -> str:
    """The dotted name of a folder under a root."""
    return (folder[len(root) + 1 :] if root else folder).replace("/", ".")
