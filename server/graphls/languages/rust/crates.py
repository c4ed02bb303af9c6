"""Crates: which files are crates and which file a module is in.

Owns: what `Cargo.toml` says of packages, targets and dependencies; the names of files of modules.
Must not know: what Rust files contain, the disk.
Invariant: the innermost package around a file decides; what no manifest of the workspace names by path is outside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Final, cast

import attrs

from graphls.facts.paths import FilePath
from graphls.languages.provider import World
from graphls.settings.toml_text import toml_values

MANIFESTS: Final = ("Cargo.toml",)
PACKAGES: Final = "rust:packages"
"""The question for the folders of all packages of the workspace."""
PACKAGE: Final = "rust:package:"
"""The question what the package in a folder is: lines of words with tabs between them."""
ROOT_NAMES: Final = frozenset({"lib.rs", "main.rs"})
_TARGETS: Final = ("bin", "test", "example", "bench")
_FOLDERS: Final = (
    ("src/bin", "autobins"),
    ("tests", "autotests"),
    ("examples", "autoexamples"),
    ("benches", "autobenches"),
)
_DEPENDENCIES: Final = ("dependencies", "dev-dependencies", "build-dependencies")

MAX_INLINE: Final = 4
"""Modules in braces, one in another, around one that is a file."""

Table = Mapping[str, object]


@attrs.frozen
class CargoPackage:
    """One package, as its manifest says."""

    folder: str
    library: str
    """How other crates call its library, "" for none."""
    library_file: str
    roots: Sequence[str]
    """Files that are crates, the library first."""
    dependencies: Mapping[str, str | None]
    """How its files call other crates -> folder of their package; None for those outside."""
    edition: str


def package_folders(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> tuple[str, ...]:
    """Folders of packages, the deepest first, then the workspace."""
    found = {path.rpartition("/")[0] for path in manifests if b"[package]" in manifests[path]}
    return (*sorted(found - {""}, key=lambda folder: (-folder.count("/"), folder)), "")


def package_around(path: str, folders: Collection[str]) -> str:
    """The folder of the innermost package around a file."""
    folder = path.rpartition("/")[0]
    known = folders if isinstance(folders, (set, frozenset)) else frozenset(folders)
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return folder


def crate_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """What the manifests of the workspace say about crates."""
    tables = {path.rpartition("/")[0]: _parsed(manifests[path]) for path in sorted(manifests)}
    folders = {folder for folder, table in tables.items() if "package" in table}
    if not folders:
        return {}
    by_folder: dict[str, list[str]] = {folder: [] for folder in folders}
    for path in files:
        if path.endswith(".rs"):
            by_folder.get(package_around(path, folders), []).append(path)
    found: dict[str, tuple[str, ...]] = {PACKAGES: tuple(sorted(folders))}
    names = {folder: _library_name(tables[folder]) for folder in folders}
    for folder in sorted(folders):
        found[PACKAGE + folder] = tuple(_described(folder, tables, names, sorted(by_folder[folder])))
    return found


def _described(
    folder: str, tables: Mapping[str, Table], names: Mapping[str, str], files: Sequence[str]
) -> Iterator[str]:
    table, known = tables[folder], frozenset(files)
    library = _joined(folder, _text(_table(table, "lib"), "path") or "src/lib.rs")
    if library in known:
        yield f"lib\t{names[folder]}\t{library}"
    package = _table(table, "package")
    edition = package.get("edition")
    if isinstance(edition, dict):
        edition = _text(_table(_table(_workspace(folder, tables)[1], "workspace"), "package"), "edition")
    yield f"edition\t{edition or '2015'}"
    roots = dict.fromkeys(path for path in _roots(folder, table, files) if path in known and path != library)
    for path in roots:
        yield f"root\t{path}"
    for name, given in _dependencies(table):
        yield f"dep\t{name.replace('-', '_')}\t{_dependency(folder, name, given, tables)}"


def _roots(folder: str, table: Table, files: Sequence[str]) -> Iterator[str]:
    yield _joined(folder, "src/main.rs")
    build = _table(table, "package").get("build")
    yield _joined(folder, build if isinstance(build, str) else "build.rs")
    for kind in _TARGETS:
        for target in _tables(table.get(kind)):
            path = _text(target, "path")
            if path:
                yield _joined(folder, path)
    package = _table(table, "package")
    for below, automatic in _FOLDERS:
        if package.get(automatic) is False:
            continue
        begin = _joined(folder, below) + "/"
        for path in files:
            inside = path[len(begin) :] if path.startswith(begin) else ""
            if inside and ("/" not in inside or (inside.endswith("/main.rs") and inside.count("/") == 1)):
                yield path


def _dependencies(table: Table) -> Iterator[tuple[str, object]]:
    for kind in _DEPENDENCIES:
        yield from _table(table, kind).items()
    for target in _table(table, "target").values():
        for kind in _DEPENDENCIES:
            yield from _table(_as_table(target), kind).items()


def _dependency(folder: str, name: str, given: object, tables: Mapping[str, Table]) -> str:
    """The folder of a package that a dependency means, `-` for one outside."""
    table, home = _as_table(given), folder
    if table.get("workspace") is True:
        home, root = _workspace(folder, tables)
        table = _as_table(_table(_table(root, "workspace"), "dependencies").get(name))
    path = _text(table, "path")
    if not path:
        return "-"
    there = _joined(home, path)
    return there if "package" in tables.get(there, {}) else "-"


def _workspace(folder: str, tables: Mapping[str, Table]) -> tuple[str, Table]:
    """The manifest of the workspace around a package."""
    while True:
        if "workspace" in tables.get(folder, {}):
            return folder, tables[folder]
        if not folder:
            return "", {}
        folder = folder.rpartition("/")[0]


def _library_name(table: Table) -> str:
    name = _text(_table(table, "lib"), "name") or _text(_table(table, "package"), "name")
    return name.replace("-", "_")


def _parsed(data: bytes) -> Table:
    try:
        return cast("Table", toml_values(data.decode("utf-8", "replace")))
    except ValueError:
        return {}


def _as_table(value: object) -> Table:
    return cast("Table", value) if isinstance(value, dict) else {}


def _table(table: Table, key: str) -> Table:
    return _as_table(table.get(key))


def _tables(value: object) -> Iterator[Table]:
    if isinstance(value, list):
        yield from (_as_table(one) for one in cast("list[object]", value))


def _text(table: Table, key: str) -> str:
    value = table.get(key)
    return value if isinstance(value, str) else ""


def _joined(folder: str, path: str) -> str:
    joined = normpath(f"{folder}/{path}" if folder else path)
    return "" if joined == "." else joined


def package_of(path: FilePath, world: World) -> CargoPackage | None:
    """The package that a file belongs to; None where no manifest is around it."""
    folders = world.aliases(PACKAGES, path)
    folder = package_around(path, folders)
    return package_in(folder, path, world) if folder in folders else None


def package_in(folder: str, importer: FilePath, world: World) -> CargoPackage | None:
    """The package in a folder."""
    entries = world.aliases(PACKAGE + folder, importer)
    if not entries:
        return None
    library, file, edition = "", "", "2015"
    roots: list[str] = []
    dependencies: dict[str, str | None] = {}
    for entry in entries:
        word, *rest = entry.split("\t")
        if word == "lib":
            library, file = rest
            roots.insert(0, file)
        elif word == "edition":
            edition = rest[0]
        elif word == "root":
            roots.append(rest[0])
        else:
            dependencies[rest[0]] = None if rest[1] == "-" else rest[1]
    return CargoPackage(folder, library, file, tuple(roots), dependencies, edition)


def home_of(path: str, root: bool) -> str:
    """The folder in which the modules of a file are. `root`: it is a crate."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    if root or stem == "mod":
        return folder
    return f"{folder}/{stem}" if folder else stem


def module_files(home: str, name: str) -> tuple[str, str]:
    """The two files that `mod name;` may mean."""
    start = f"{home}/{name}" if home else name
    return f"{start}.rs", f"{start}/mod.rs"


def written_file(path: FilePath, home: str, inline: bool, written: str) -> str:
    """The file that `#[path = "..."]` means. `inline`: the module is in the braces of another one."""
    return _joined(home if inline else path.rpartition("/")[0], written)


def parent_files(path: str) -> Iterator[str]:
    """Files that may declare the module in a file, the likeliest first."""
    folder, _, name = path.rpartition("/")
    if name == "mod.rs":
        folder = folder.rpartition("/")[0]
    for _ in range(MAX_INLINE):
        start = f"{folder}/" if folder else ""
        for stem in ("mod.rs", "lib.rs", "main.rs"):
            if start + stem != path:
                yield start + stem
        if not folder:
            return
        yield f"{folder}.rs"
        folder = folder.rpartition("/")[0]  # `mod a { mod b; }` is in `a/b.rs`


def module_word(path: str) -> str:
    """What the module in a file is called, as far as its name tells."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    return folder.rpartition("/")[2] if stem in ("mod", "lib", "main") else stem
