"""Checker project: the sources of a workspace as projects of Eclipse.

Owns: which folders are roots of packages, projects that see each other, the text of their files, a question about them.
Must not know: processes, requests, what builds of the workspace say.
Invariant: a function of the paths and the package clauses; projects lead to the sources, and write nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final
from urllib.parse import quote

from graphls.facts.paths import shared_parts
from graphls.languages.java.packages import source_root
from graphls.languages.language_checker import PROJECT, ProbeQuestion, SourceTree

_CLAUSE: Final = re.compile(
    r"\A\ufeff?(?>\s+|//[^\n]*\n|/\*.*?\*/|@[\w.]+(?>\([^)]*\))?)*+package\s+([\w.\s]+);", re.DOTALL
)
"""What stands before is matched in one way only: there may be thousands of comments, and no clause."""
_LOOKED_AT: Final = 3
"""Files of one folder that are asked for its package."""
_NO_TYPES: Final = ("module-info.java", "package-info.java")
_MOST_SEEN: Final = 200
"""Projects that one sees."""
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PROBE_FOLDER: Final = "probe/src/graphlsprobe"
_OTHER: Final = "package graphlsprobe;\n\nclass Other {\n  int held;\n}\n"
_TEXT: Final = """package graphlsprobe;

import java.util.List;

class Probe {
  static int held(List<Other> all) {
    return all.stream().map(one -> one).findFirst().get().held;
  }
}
"""
PROBE: Final = ProbeQuestion(_TEXT, 6, 58, 3, file=f"{_PROBE_FOLDER}/Probe.java")
"""Answered by who has taken in the projects and knows the library of Java: the field is declared in another file."""


def project_files(tree: SourceTree) -> Mapping[str, str]:
    """One project for all, several where two folders declare one type: the nearest is meant."""
    roots = package_roots(tree)
    modules = _modules(roots) if _repeats(tree.files, roots) else {"": tuple(roots)}
    names = {module: f"m{at}" for at, module in enumerate(modules)}
    made: dict[str, str] = {}
    for module, inside in modules.items():
        near = sorted(
            (other for other in modules if other != module), key=lambda one: (-shared_parts(one, module), one)
        )
        seen = [names[other] for other in near[:_MOST_SEEN]]
        folder = f"{PROJECT}/{names[module]}"
        links = {f"s{at}": root for at, root in enumerate(inside)}
        made[f"{folder}/.project"] = _description(names[module], tree.root, links)
        made[f"{folder}/.classpath"] = _class_path(links, seen, roots)
    made[f"{PROJECT}/probe/.project"] = _description("probe", "", {})
    made[f"{PROJECT}/probe/.classpath"] = _class_path({"src": "src"}, (), ())
    made[f"{PROJECT}/{_PROBE_FOLDER}/Other.java"] = _OTHER
    made[f"{PROJECT}/{_PROBE_FOLDER}/Probe.java"] = _TEXT
    return made


def package_roots(tree: SourceTree) -> Sequence[str]:
    """Folders below which the folders of files spell their packages, sorted; "" is the workspace itself."""
    folders: dict[str, list[str]] = {}
    for file in tree.files:
        folder, _, name = file.rpartition("/")
        if name != _NO_TYPES[0]:
            folders.setdefault(folder, []).append(file)
    roots: set[str] = set()
    for folder, files in folders.items():
        known = source_root(folder)
        if known is not None and known in roots:
            continue
        found = (_root_of(folder, _package(tree.text(file))) for file in files[:_LOOKED_AT])
        roots.update([root for root in found if root is not None][:1])
    return sorted(roots)


def _package(text: str) -> str:
    clause = _CLAUSE.match(text)
    return "" if clause is None else "".join(clause[1].split())


def _root_of(folder: str, package: str) -> str | None:
    """The folder that a package begins in; None where the folder does not end as the package is called."""
    inside = package.replace(".", "/")
    if not inside or folder == inside:
        return "" if inside else folder
    return folder.removesuffix(f"/{inside}") if folder.endswith(f"/{inside}") else None


def _repeats(files: Iterable[str], roots: Sequence[str]) -> bool:
    """Whether two roots have a type of one name."""
    seen: set[str] = set()
    known = frozenset(roots)
    for file in files:
        inside = _below_nearest(file, known)
        if inside is None or inside.rpartition("/")[2] in _NO_TYPES:
            continue
        if inside in seen:
            return True
        seen.add(inside)
    return False


def _below_nearest(file: str, roots: frozenset[str]) -> str | None:
    folder = file.rpartition("/")[0]
    while folder not in roots:
        if not folder:
            return None
        folder = folder.rpartition("/")[0]
    return file[len(folder) + 1 :] if folder else file


def _modules(roots: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Roots by what stands before `src`: main sources and tests of one module see one another."""
    made: dict[str, list[str]] = {}
    for root in roots:
        before, source, _ = f"/{root}/".partition("/src/")
        made.setdefault(before.strip("/") if source else root, []).append(root)
    return {module: tuple(inside) for module, inside in sorted(made.items())}


def _description(name: str, root: str, links: Mapping[str, str]) -> str:
    linked = "".join(
        f"<link><name>{link}</name><type>2</type><locationURI>{_uri(root, target)}</locationURI></link>"
        for link, target in links.items()
    )
    return (
        f"{_HEAD}<projectDescription><name>{name}</name><buildSpec><buildCommand>"
        "<name>org.eclipse.jdt.core.javabuilder</name></buildCommand></buildSpec>"
        "<natures><nature>org.eclipse.jdt.core.javanature</nature></natures>"
        f"<linkedResources>{linked}</linkedResources></projectDescription>\n"
    )


def _uri(root: str, folder: str) -> str:
    path = f"{root}/{folder}".replace("\\", "/").rstrip("/")
    return escape("file:" + quote(path if path.startswith("/") else f"/{path}"))


def _class_path(links: Mapping[str, str], seen: Sequence[str], roots: Sequence[str]) -> str:
    entries = [
        f'<classpathentry kind="src" path="{link}" excluding="{escape("|".join(_left_out(root, roots)))}"/>'
        for link, root in links.items()
    ]
    entries.extend(f'<classpathentry kind="src" combineaccessrules="false" path="/{name}"/>' for name in seen)
    entries.append('<classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER"/>')
    entries.append('<classpathentry kind="output" path="bin"/>')
    return f"{_HEAD}<classpath>{''.join(entries)}</classpath>\n"


def _left_out(root: str, roots: Sequence[str]) -> Iterator[str]:
    """Of a root: the declaration of a module, which would hide all that it does not ask for, and roots inside it."""
    yield _NO_TYPES[0]
    for other in roots:
        if other != root and (not root or other.startswith(f"{root}/")):
            yield f"{other[len(root) + 1 :] if root else other}/"
