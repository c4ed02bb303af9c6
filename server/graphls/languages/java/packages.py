"""Packages: under which names the folder of a file may be one.

Owns: the conventions of source folders.
Must not know: what Java files contain, the disk.
Invariant: a function of the path; the clause in a file decides which of the names it is.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.paths import FilePath

MANIFESTS: Final = ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
HERE: Final = "in "
"""Before the name of a folder: whatever files stand in it. No such name ends in a slash, as those of folders of
modules do where questions are written down."""
_LANGUAGES: Final = frozenset(("java", "kotlin", "scala", "groovy", "resources"))
_SOURCES: Final = frozenset(("src", "source", "sources", "test", "tests", "java", "main", "gen", "generated"))
_MAX_NAMES: Final = 12


def source_root(folder: str) -> str | None:
    """The folder of sources that a folder is in, by convention: `src/main/java`; None where nothing tells."""
    parts = folder.split("/")
    for at in range(2, len(parts)):
        if parts[at] in _LANGUAGES and parts[at - 2] == "src":
            return "/".join(parts[: at + 1])
    return None


def package_names(path: FilePath) -> tuple[str, ...]:
    """Names of packages that the folder of a file may be: one below a source folder, else one a folder around."""
    folder = path.rpartition("/")[0]
    names = [HERE + folder]
    root = source_root(folder)
    if root is not None:
        inside = folder[len(root) + 1 :]
        return (*names, inside.replace("/", ".")) if inside else tuple(names)
    parts = folder.split("/") if folder else []
    for at in range(len(parts) - 1, max(-1, len(parts) - _MAX_NAMES), -1):
        names.append(".".join(parts[at:]))
        if at and parts[at - 1] == "src":
            break
    return tuple(names)


def dotted_name(path: FilePath) -> str:
    """The name of a file, as far as its folder says it."""
    names = package_names(path)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return f"{names[-1]}.{stem}" if len(names) > 1 else stem


def is_for_tests(path: str) -> bool:
    """Whether a path is among tests, by its folders."""
    return any(part in ("test", "tests", "androidTest", "integrationTest") for part in path.split("/")[:-1])
