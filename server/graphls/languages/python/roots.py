"""Roots: the folders that top-level modules are found in, and module names under them.

Owns: source roots from file names, manifests and, where both leave it open, imports; the module name of a file.
Must not know: the disk, installed packages, where imports stand.
Invariant: the order of files and manifests is without effect; a folder inside a package gives no top-level names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import translate
from functools import lru_cache
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath, enclosing_folders
from graphls.languages.provider import Imports, ModuleName
from graphls.languages.python.manifests import declared
from graphls.languages.python.standard_names import STANDARD
from graphls.languages.python.syntax.stub_names import stub_name

MANIFESTS: Final = ("pyproject.toml", "setup.cfg", "setup.py")
ENDINGS: Final = (".py", ".pyi", ".pyw", ".pyx", ".pxd")
CYTHON: Final = (".pyx", ".pxd", ".pxi")
INCLUDED: Final = ".pxi"
"""Named with their ending: `include` alone leads to them, as an import of this name."""
PACKAGE: Final = "__init__"
PACKAGE_FILES: Final = ("__init__.py", "__init__.pyi")
SOURCE_FOLDERS: Final = frozenset(("src", "lib", "python"))
"""Names that hold sources by custom, when they hold no package file themselves."""


def roots(files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports) -> tuple[str, ...]:
    """Declared source roots, deepest first, then the workspace (""), then folders that only look like roots.

    What stands behind the workspace serves the files below it alone: nothing says that others see it.
    """
    packages = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in PACKAGE_FILES}
    folders = {path.rpartition("/")[0] for path in files if path.endswith(ENDINGS)}
    parents = {above for folder in folders for above in enclosing_folders(folder)}
    declarations = {path: declared(path.rpartition("/")[2], data) for path, data in manifests.items()}
    found = {manifest.rpartition("/")[0] for manifest in manifests}
    named = {folder for folder in parents if folder.rpartition("/")[2] == "src"}
    sources = {
        folder for manifest, declaration in declarations.items() for folder in _joined(manifest, declaration.folders)
    } & parents
    sources |= {_join(project, name) for project in found for name in SOURCE_FOLDERS} & parents
    # What lies inside a package is named by it. A project in there (data of tests, say) serves itself alone.
    inside = {folder for folder in found | sources if _is_inside(folder, packages)}
    sources |= {folder for folder in named if not _is_inside(folder, packages)}
    found = (found | sources) - {"", *packages, *inside}
    within = tuple(f"{folder}/" for folder in sources & found)
    tops = {_top(folder, packages) for folder in packages}
    tops = {top for top in tops if not top.startswith(within) and not _is_inside(top, packages)} - {"", *found}
    packed = tuple(
        path for manifest, declaration in declarations.items() for path in _joined(manifest, declaration.packages)
    )
    guessed = _imported_from(tops - _namespaces(tops, packages, packed), files, imports, (*found, ""))
    tests = {folder for folder in _test_folders(files) if not _is_inside(folder, packages)}
    guessed = (guessed | tests | inside) - {"", *packages, *found}
    return (*_deepest(found), "", *_deepest(guessed))


def _namespaces(tops: set[str], packages: set[str], packed: tuple[str, ...]) -> set[str]:
    """Folders above topmost packages that a manifest packs as namespaces, as `google/cloud` of `google*`."""
    plain = {path for path in packed if "*" not in path}
    patterns = [re.compile(translate(path)).match for path in packed if "*" in path and not path.startswith("*")]
    inner_packages: dict[str, list[str]] = {}
    for package in packages:
        inner_packages.setdefault(_top(package, packages), []).append(package)
    return {
        top
        for top in tops
        if any(
            path in plain or any(match(path) for match in patterns)
            for path in (top, *filter(None, _above(top)), *inner_packages.get(top, ()))
        )
    }


def _imported_from(
    tops: set[str], files: Collection[FilePath], imports: Imports, declared: tuple[str, ...]
) -> set[str]:
    """Those of the folders above topmost packages that top-level modules are found in, as far as imports tell.

    An import below a folder that only this reading explains makes it a root. Else one that names its modules through
    it, as `google.cloud.storage` does, says that it is a namespace; and where no import says either, it is a root.
    """
    if not tops:
        return tops
    tops_of = _names_in((*tops, *declared), files)
    known = STANDARD.union(*(tops_of[root] for root in declared))
    wide = {top: _dotted(top, max((root for root in declared if _holds(root, top)), key=len)) for top in tops}
    heads = {name for top in tops for name in tops_of[top] - known} | {name.partition(".")[0] for name in wide.values()}
    spelled = imports(heads)
    found: set[str] = set()
    for top in tops:
        own = tops_of[top] - known
        below = (dotted for path, names in spelled.items() if path.startswith(f"{top}/") for dotted in names)
        through = {f"{wide[top]}.{name}" for name in tops_of[top]}
        if any(dotted.partition(".")[0] in own for dotted in below) or not any(
            dotted in through or any(dotted.startswith(f"{name}.") for name in through)
            for names in spelled.values()
            for dotted in names
        ):
            found.add(top)
    return found


def _names_in(folders: Collection[str], files: Collection[FilePath]) -> Mapping[str, set[str]]:
    """Names of modules and folders of modules that lie right in each of these folders."""
    names: dict[str, set[str]] = {folder: set() for folder in folders}
    for path in files:
        if path.endswith(ENDINGS):
            below = path
            for above in _above(path):
                if above in names:
                    names[above].add(below.rpartition("/")[2].partition(".")[0])
                below = above
    return names


def _holds(root: str, folder: str) -> bool:
    return not root or folder == root or folder.startswith(f"{root}/")


def _is_inside(folder: str, packages: set[str]) -> bool:
    """Whether a folder lies below a package; that the workspace itself has a package file says nothing of folders."""
    return any(above in packages for above in _above(folder) if above)


def _deepest(folders: set[str]) -> list[str]:
    return sorted(folders, key=lambda root: (-root.count("/"), root))


def _joined(manifest: FilePath, written: Collection[str]) -> Iterator[str]:
    """Paths that a manifest spells, from the workspace."""
    project = manifest.rpartition("/")[0]
    return (_join(project, path) for path in written if not path.startswith("/"))


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
    if not name.endswith((*ENDINGS, INCLUDED)):
        # No import can name it: `import tool` does not mean the script `tool`.
        best, local, _, _ = _folder_names(folder, roots)
        return ModuleName(path if folder else f"./{path}", False, best, local)
    stem = name if name.endswith(INCLUDED) else name.rpartition(".")[0]
    best, local, dotted, others = _folder_names(folder, roots)
    while local and _inside(dotted, stem).partition(".")[0] in STANDARD:
        wider = tuple(root for root in roots if len(root) < len(best))
        best, local, dotted, others = _folder_names(folder, wider)
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
    around = sorted((above for above in enclosing_folders(folder) if above in order), key=order.__getitem__)
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
