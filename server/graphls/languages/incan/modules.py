"""Modules: which file of the workspace an Incan import means.

Owns: what `incan.toml` and `loaf.toml` say of source roots and libraries; the files that a module may be.
Must not know: what Incan files contain, the disk.
Invariant: files beside the importer come before those below the source root; what no file stands for is outside.

Paths of modules are kept with `/` between their words: `a/b`, `../a`, `crate/a`, `std/fs`, `rust/serde`, `pub/lib/a`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from posixpath import normpath
from typing import Final, cast

from graphls.facts.paths import FilePath
from graphls.languages.provider import World
from graphls.settings.toml_text import toml_values

MANIFESTS: Final = ("incan.toml", "loaf.toml")
ROOTS: Final = "incan:roots"
"""The question for all projects of the workspace: `folder<TAB>source root`."""
LIBRARY: Final = "incan:library:"
"""The question for the source roots of projects of a name."""
PREFIX: Final = "incan:"
STANDARD: Final = "incan-std:"
_STDLIB: Final = "stdlib/"
_ENTRIES: Final = frozenset({"mod", "__init__", "prelude"})
"""Files that stand for the folder around them."""
RUST: Final = "rust/"
PYTHON: Final = "python/"
LIBRARIES: Final = "pub/"
STD: Final = "std/"
CRATE: Final = "crate"


def module_of(path: FilePath) -> str:
    """The path of the module that a file is."""
    folder, _, last = path.rpartition("/")
    stem = last.rpartition(".")[0]
    return folder if stem in _ENTRIES and folder else f"{folder}/{stem}".strip("/")


def packages_of(path: FilePath) -> tuple[str, ...]:
    """Names under which the file of a module is asked for."""
    module = module_of(path)
    _, inside, rest = f"/{module}".partition(f"/{_STDLIB}")
    return (PREFIX + module, STANDARD + rest) if inside else (PREFIX + module,)


def module_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """What the manifests of the workspace say about source roots and libraries."""
    roots: list[str] = []
    libraries: dict[str, list[str]] = {}
    folders = {path.rpartition("/")[0] for path in files}
    for path in sorted(manifests):
        folder = path.rpartition("/")[0]
        table = _parsed(manifests[path])
        written = _text(table, "build", "source-root")
        default = _joined(folder, "src")
        has_default = any(one == default or one.startswith(f"{default}/") for one in folders)
        root = _inside(folder, written) if written else default if has_default else folder
        if root is None:
            continue
        roots.append(f"{folder}\t{root}")
        name = _text(table, "project", "name")
        if name:
            libraries.setdefault(name, []).append(root)
    found = {LIBRARY + name: tuple(places) for name, places in libraries.items()}
    return {**found, ROOTS: tuple(roots)} if roots else found


def file_of(module: str, importer: FilePath, world: World) -> FilePath | None:
    """The file of a module, as an importer means it."""
    if module.startswith((RUST, PYTHON)):
        return None
    folder = importer.rpartition("/")[0]
    if module.startswith(LIBRARIES):
        return _of_library(module.removeprefix(LIBRARIES), world, importer)
    if module == CRATE or module.startswith(f"{CRATE}/"):
        return _at(_joined(_root_around(importer, world), module[len(CRATE) + 1 :]), world)
    if module.startswith(".."):
        inside = _inside(folder, module)
        return None if inside is None else _at(inside, world)
    found = _at(_joined(folder, module), world) or _at(_joined(_root_around(importer, world), module), world)
    if found is None and module.startswith(STD):
        files = world.package(STANDARD + module.removeprefix(STD))
        return files[0] if files else None
    return found


def _of_library(rest: str, world: World, importer: FilePath) -> FilePath | None:
    name, _, inside = rest.partition("/")
    for root in world.aliases(LIBRARY + name, importer):
        found = _at(_joined(root, inside or "lib"), world)
        if found is not None:
            return found
    return None


def _at(module: str, world: World) -> FilePath | None:
    files = world.package(PREFIX + module) if module else ()
    return files[0] if files else None


def _root_around(importer: FilePath, world: World) -> str:
    """The source root of the innermost project around a file."""
    best: tuple[int, str] | None = None
    for entry in world.aliases(ROOTS, importer):
        folder, _, root = entry.partition("\t")
        around = not folder or importer.startswith(f"{folder}/")
        if around and (best is None or len(folder) > best[0]):
            best = len(folder), root
    return "" if best is None else best[1]


def _parsed(data: bytes) -> Mapping[str, object]:
    try:
        return toml_values(data.decode("utf-8", "replace"))
    except ValueError:
        return {}


def _text(table: Mapping[str, object], section: str, key: str) -> str:
    inside = table.get(section)
    value = cast("Mapping[str, object]", inside).get(key) if isinstance(inside, dict) else None
    return value if isinstance(value, str) else ""


def _joined(folder: str, inside: str) -> str:
    return f"{folder}/{inside}".strip("/")


def _inside(folder: str, written: str) -> str | None:
    """A path from a folder, None where it leaves the workspace."""
    joined = normpath(f"{folder}/{written}" if folder else written)
    if joined.startswith(".."):
        return None
    return "" if joined == "." else joined
