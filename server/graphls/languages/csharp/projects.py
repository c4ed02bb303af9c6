"""Projects: which files are compiled together, and which other projects they see.

Owns: what project files say of references and of files elsewhere.
Must not know: what C# files contain, the disk.
Invariant: the innermost project around a file decides; what no project file names is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from hashlib import blake2b
from posixpath import normpath
from typing import Final

from graphls.facts.paths import FilePath

MANIFESTS: Final = ("*.csproj", "*.shproj", "*.projitems", "Directory.Build.props", "Directory.Build.targets")
SEEN: Final = "csharp:seen:"
"""The question for the folders whose files a project sees, its own first."""
PACKAGES: Final = "csharp:packages:"
"""The question for the first names of packages that a project references."""
USINGS: Final = "csharp:usings:"
"""The question for namespaces that project files open for all files of a project."""
PROJECTS: Final = "csharp:projects"
"""The question for which folders are those of projects, as a digest: they decide which project a file is in."""
_PACKAGE: Final = re.compile(r"<(?:PackageReference|Reference)\b[^<>]*?\bInclude\s*=\s*\"([\w.]+)")
_USING: Final = re.compile(r"<Using\b[^<>]*?\bInclude\s*=\s*\"([\w.]+)\"")
_IMPLICIT: Final = re.compile(r"<ImplicitUsings>\s*(?:enable|true)\s*<", re.IGNORECASE)
_ALWAYS: Final = ("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Threading.Tasks")
_INCLUDED: Final = re.compile(r"<(ProjectReference|Compile|Import)\b[^<>]*?\b(?:Include|Project)\s*=\s*\"([^\"]*)\"")


def project_folders(manifests: Mapping[FilePath, bytes]) -> tuple[str, ...]:
    """Folders of projects, the deepest first, then the workspace."""
    found = {path.rpartition("/")[0] for path in manifests if path.endswith((".csproj", ".projitems"))}
    return (*sorted(found - {""}, key=lambda folder: (-folder.count("/"), folder)), "")


def project_around(path: str, folders: Collection[str]) -> str:
    """The folder of the innermost project around a file."""
    folder = path.rpartition("/")[0]
    known = folders if isinstance(folders, (set, frozenset)) else frozenset(folders)
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return folder


def project_aliases(files: Collection[FilePath], manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """The folders that each project sees."""
    folders = frozenset(project_folders(manifests))
    named: dict[str, list[str]] = {}
    for path in sorted(manifests):
        named.setdefault(path.rpartition("/")[2].lower(), []).append(path.rpartition("/")[0])
    direct: dict[str, dict[str, None]] = {folder: {} for folder in folders}
    for path in sorted(manifests):
        home = path.rpartition("/")[0]
        targets = _named(home, manifests[path], folders, named)
        common = path.rpartition("/")[2].startswith("Directory.Build.")
        for folder in folders if common else (home,):
            if folder == home or (common and (not home or folder.startswith(f"{home}/"))):
                direct.setdefault(folder, {}).update(dict.fromkeys(targets))
    found = {SEEN + folder: _closure(folder, direct) for folder in sorted(folders)}
    listed = "\n".join(sorted(folders)).encode("utf-8", "surrogatepass")
    found[PROJECTS] = (blake2b(listed, digest_size=16).hexdigest(),)
    for folder in sorted(folders):
        text = "\n".join([manifests[path].decode("utf-8", "replace") for path in _around(folder, manifests)])
        implied = _ALWAYS if _IMPLICIT.search(text) else ()
        usings = tuple(dict.fromkeys((*implied, *_USING.findall(text))))
        packages = tuple(sorted({name.partition(".")[0] for name in _PACKAGE.findall(text)}))
        found.update({key + folder: said for key, said in ((USINGS, usings), (PACKAGES, packages)) if said})
    return found


def _around(folder: str, manifests: Mapping[FilePath, bytes]) -> list[FilePath]:
    """The project files of a folder, and what the folders around say for all projects below them."""
    found: list[FilePath] = []
    for path in sorted(manifests):
        home, _, name = path.rpartition("/")
        above = not home or folder.startswith(f"{home}/")
        if home == folder or (above and name.startswith("Directory.Build.")):
            found.append(path)
    return found


def _named(home: str, text: bytes, folders: Collection[str], named: Mapping[str, list[str]]) -> list[str]:
    """Folders of projects that a project file names."""
    found: list[str] = []
    for kind, raw in _INCLUDED.findall(text.decode("utf-8", "replace")):
        for one in raw.split(";"):
            spelled = one.strip().replace("\\", "/")
            last = spelled.rpartition("/")[2]
            if kind != "Compile" and not last.endswith((".csproj", ".projitems")):
                continue
            if kind == "Compile" and ".." not in spelled:
                continue
            spelled = spelled.replace("$(MSBuildThisFileDirectory)", "")
            path = normpath(f"{home}/{spelled}" if home else spelled)
            folder = path.partition("*")[0].rpartition("/")[0]
            if "$(" in path or (kind != "Compile" and folder not in folders):
                homes = named.get(last.lower(), [])
                folder = homes[0] if len(homes) == 1 else ""
            around = project_around(f"{folder}/x", folders) if folder and not folder.startswith("..") else ""
            if around:
                found.append(around)
    return found


def _closure(folder: str, direct: Mapping[str, Mapping[str, None]]) -> tuple[str, ...]:
    seen = {folder: None}
    pending = [folder]
    while pending:
        for other in direct.get(pending.pop(0), ()):
            if other not in seen:
                seen[other] = None
                pending.append(other)
    return tuple(seen)
