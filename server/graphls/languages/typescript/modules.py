"""Modules: which file a module's name means.

Owns: endings, index files, packages of the workspace, path mappings.
Must not know: what files contain.
Invariant: every look at the workspace goes through the world, which records it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import dirname, normpath

from graphls.facts.paths import FilePath, enclosing_folders
from graphls.languages.provider import World

WRITTEN = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
"""What a written ending may mean, in order."""
ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".d.mts", ".cts", ".d.cts", ".mjs", ".cjs")
SOURCES = (".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
CONFIG, BUNDLER, PACKAGE, FOLDER, FRAMEWORK = "config:", "bundler:", "package:", "folder:", "framework:"
"""Prefixes of the questions that manifests answer."""
JSX, JSX_SOURCES = "jsx:", "jsx sources:"
"""The question where a folder has its types of elements from, and for all places that configs name."""
AMBIENT = "ambient:"
"""The question for declaration files, which may declare for all others."""
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
MOST_DECLARATIONS = 100


class Modules:
    """Module names as files of one world see them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._found: dict[tuple[str, str], FilePath | None] = {}

    def find(self, spec: str, importer: FilePath) -> FilePath | None:
        """The file of the workspace that a module's name means to an importer."""
        folder = dirname(importer)
        key = (spec, folder)
        if key not in self._found:
            self._found[key] = self._find(spec, importer, folder)
        return self._found[key]

    def external(self, spec: str) -> bool:
        """Whether a name that no file has may be outside of the workspace."""
        return bool(spec) and not spec.startswith((".", "/", "#"))

    def _find(self, spec: str, importer: FilePath, folder: str) -> FilePath | None:
        if spec.startswith(("./", "../")) or spec in (".", ".."):
            return self._relative(spec, importer, folder)
        if not spec or spec.startswith("/") or "\t" in spec or "\n" in spec:
            return None
        for target in self._mapped(spec, folder):
            found = self._file(target, importer)
            if found:
                return found
        return None

    def _relative(self, spec: str, importer: FilePath, folder: str) -> FilePath | None:
        path = joined(folder, spec)
        if path is None:
            return None
        # A script has no ending: its language is known by its first line.
        found = self._file(path, importer) or (self._world.module(path, importer) if path else None)
        if found:
            return found
        for near in enclosing_folders(folder):
            for entry in self._world.aliases(CONFIG + near, importer):
                pattern, *roots = entry.split("\t")
                if pattern == "<roots>":
                    found = self._across(path, roots, importer)
                    if found:
                        return found
        return None

    def _across(self, path: str, roots: Sequence[str], importer: FilePath) -> FilePath | None:
        """`rootDirs`: folders that are one at run time."""
        for root in roots:
            if path.startswith(root + "/"):
                for other in roots:
                    found = self._file(f"{other}{path[len(root) :]}", importer)
                    if found:
                        return found
        return None

    def _mapped(self, spec: str, folder: str) -> Iterator[str]:
        """Paths that the nearest config, the own package and the packages of the workspace give a name."""
        for near in enclosing_folders(folder):
            entries = self._world.aliases(CONFIG + near, FilePath(near))
            if entries:
                yield from matches(spec, entries)
                break
        for kind in (BUNDLER, FRAMEWORK):
            for near in enclosing_folders(folder):
                entries = self._world.aliases(kind + near, FilePath(near))
                if entries:
                    yield from matches(spec, entries)
                    break
        for near in enclosing_folders(folder):
            entries = self._world.aliases(FOLDER + near, FilePath(near))
            if entries:
                if spec.startswith("#"):
                    yield from matches(spec, entries)
                break
        parts = spec.split("/")
        name = "/".join(parts[:2]) if spec.startswith("@") else parts[0]
        rest = "/".join((".", *parts[2 if spec.startswith("@") else 1 :]))
        yield from matches(rest, self._world.aliases(PACKAGE + name, FilePath(folder)))

    def _file(self, path: str, importer: FilePath) -> FilePath | None:
        """The file a path without or with a foreign ending means."""
        ask = self._world.module
        name = path.rpartition("/")[2]
        dot = name.rfind(".")
        ending = name[dot:] if dot > 0 else ""
        if ending in WRITTEN:
            stem = path[: -len(ending)]
            for other in WRITTEN[ending]:
                found = ask(stem + other, importer)
                if found:
                    return found
        elif ending in SOURCES:
            found = ask(path, importer)
            if found:
                return found
        if path:
            for other in ENDINGS:
                found = ask(path + other, importer)
                if found:
                    return found
        return self._folder(path, importer)

    def _folder(self, path: str, importer: FilePath) -> FilePath | None:
        for entry in self._world.aliases(FOLDER + path, importer):
            pattern, *targets = entry.split("\t")
            if pattern == ".":
                for target in targets:
                    found = self._file(target, importer) if target != path else None
                    if found:
                        return found
        for other in ENDINGS[:5]:
            index = f"{path}/index{other}" if path else f"index{other}"
            found = self._world.module(index, importer)
            if found:
                return found
        return None


def declaration_files(files: Collection[FilePath]) -> Mapping[str, tuple[str, ...]]:
    """Answers the question for declaration files: those nearest to the workspace, where there are many."""
    found = [str(file) for file in files if file.endswith(DECLARATIONS) and "node_modules/" not in file]
    chosen = sorted(sorted(found, key=lambda file: (file.count("/"), file))[:MOST_DECLARATIONS])
    return {AMBIENT: tuple(chosen)} if chosen else {}


def joined(folder: str, spec: str) -> str | None:
    """A relative name as a path; None when it leads out of the workspace."""
    path = normpath(f"{folder}/{spec}" if folder else spec)
    if path.startswith(".."):
        return None
    return "" if path == "." else path


def matches(name: str, entries: Sequence[str]) -> Iterator[str]:
    """Targets of the patterns that fit a name: exact ones first, then those with the longest beginning."""
    fitting: list[tuple[int, str, Sequence[str]]] = []
    for entry in entries:
        pattern, *targets = entry.split("\t")
        start, star, end = pattern.partition("*")
        if not star:
            if pattern == name:
                fitting.append((1 << 20, "", targets))
        elif name.startswith(start) and name.endswith(end) and len(name) >= len(start) + len(end):
            fitting.append((len(start), name[len(start) : len(name) - len(end) if end else None], targets))
    for _, middle, targets in sorted(fitting, key=lambda fit: -fit[0]):
        for target in targets:
            yield target.replace("*", middle)
