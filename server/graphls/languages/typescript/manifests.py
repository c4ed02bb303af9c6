"""Manifests: what `tsconfig.json` and `package.json` files say about module names.

Owns: paths, base folders, root folders, entry points, exports, imports and dependencies of packages, as entries by key.
Must not know: which modules anyone asks for, the disk.
Invariant: a manifest that cannot be read says nothing; an entry is `pattern<TAB>target...`, all paths of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from graphls.facts.paths import FilePath
from graphls.languages.json_text import Json, read_json
from graphls.languages.typescript.modules import CONFIG, FOLDER, JSX, JSX_SOURCES, PACKAGE, joined
from graphls.languages.typescript.packages import DEPENDS, KINDS

MANIFESTS = ("package.json", "*tsconfig*.json", "jsconfig*.json", "base.json", "pnpm-workspace.yaml")
"""`base.json` is what packages of shared configs call the one that others extend."""
CONFIGS = ("tsconfig.json", "jsconfig.json")
CONDITIONS = ("source", "development", "types", "import", "module", "node", "require", "default", "browser")
"""Conditions of entry points, those nearest to source text first."""
_BUILT = (("dist/", "src/"), ("lib/", "src/"), ("build/", "src/"), ("out/", "src/"), ("dist/", ""))
"""Folders of built files, and where their sources are by custom."""
MAX_EXTENDS = 8
_OWN_FOLDER = "${configDir}"
"""The folder of the config that is read, in whichever of those that it extends this stands."""


def aliases(manifests: Mapping[FilePath, bytes]) -> Mapping[str, tuple[str, ...]]:
    """Entries of all manifests of a workspace, by key."""
    parsed = {path: read_json(data) for path, data in sorted(manifests.items()) if path.endswith(".json")}
    found: dict[str, tuple[str, ...]] = {}
    for path, content in parsed.items():
        folder, _, name = path.rpartition("/")
        if name == "package.json":
            _package(folder, content, found)
        elif name in CONFIGS:
            entries = tuple(dict.fromkeys(entry for one in _together(path, parsed) for entry in _config(one, parsed)))
            if entries and CONFIG + folder not in found:
                found[CONFIG + folder] = entries
            jsx = _jsx(path, parsed)
            if jsx and JSX + folder not in found:
                found[JSX + folder] = (jsx,)
    sources = {_source(content) for path, content in parsed.items() if not path.endswith("package.json")} - {""}
    if sources:
        found[JSX_SOURCES] = tuple(sorted(sources))
    return found


def _source(config: Json) -> str:
    return _text(_object(config.get("compilerOptions")).get("jsxImportSource"))


def _jsx(path: FilePath, parsed: Mapping[FilePath, Json]) -> str:
    """Where a config says that the types of elements come from: a module, or what makes elements."""
    options = _options(path, parsed, 0)
    source, factory = (_text(options.get(key, ("", ""))[1]) for key in ("jsxImportSource", "jsxFactory"))
    return f"source\t{source}" if source else f"factory\t{factory}" if factory else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) and not set(value) & set("\0\t\n\r") else ""


def _texts(value: object) -> Sequence[str]:
    given = cast("Sequence[object]", value) if isinstance(value, list) else [value]
    return [text for text in map(_text, given) if text]


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


# ---------------------------------------------------------------- tsconfig


def _together(path: FilePath, parsed: Mapping[FilePath, Json]) -> Iterator[FilePath]:
    """A config, and those beside it that it refers to: of a solution file each speaks for some files of its folder."""
    yield path
    folder, references = path.rpartition("/")[0], parsed[path].get("references")
    for reference in cast("Sequence[object]", references) if isinstance(references, list) else ():
        target = joined(folder, _text(_object(reference).get("path")))
        if target is not None and target.rpartition("/")[0] == folder and FilePath(target) in parsed:
            yield FilePath(target)


def _config(path: FilePath, parsed: Mapping[FilePath, Json]) -> Iterator[str]:
    """Paths, then what lies under the base folder, then folders that are one."""
    options, own = _options(path, parsed, 0), path.rpartition("/")[0]
    paths_home, paths = options.get("paths", ("", None))
    base_home, base = options.get("baseUrl", ("", None))
    root = _placed(base_home, _text(base), own) if _text(base) else None
    anchor = root if root is not None else paths_home
    for pattern, targets in _object(paths).items():
        spelled = [_placed(anchor, target, own) for target in _texts(targets)]
        existing = [target for target in spelled if target is not None]
        if _text(pattern) and existing:
            yield "\t".join((pattern, *existing))
    if root is not None:
        yield f"*\t{root}/*" if root else "*\t*"
    home, roots = options.get("rootDirs", ("", None))
    merged = [folder for folder in (_placed(home, text, own) for text in _texts(roots)) if folder]
    if len(merged) > 1:
        yield "\t".join(("<roots>", *merged))


def _placed(home: str, text: str, own: str) -> str | None:
    """A path that a config in `home` gives, as the config in `own` has it."""
    return (
        joined(own, text[len(_OWN_FOLDER) :].lstrip("/") or ".") if text.startswith(_OWN_FOLDER) else joined(home, text)
    )


def _options(path: FilePath, parsed: Mapping[FilePath, Json], depth: int) -> dict[str, tuple[str, object]]:
    """Compiler options with the folder of the config that gives them; the nearest config wins."""
    content = parsed.get(path, {})
    folder = path.rpartition("/")[0]
    options: dict[str, tuple[str, object]] = {}
    if depth < MAX_EXTENDS:
        for base in _texts(content.get("extends")):
            options.update(_options(_extended(folder, base, parsed), parsed, depth + 1))
    options.update({name: (folder, value) for name, value in _object(content.get("compilerOptions")).items()})
    return options


def _extended(folder: str, base: str, parsed: Mapping[FilePath, Json]) -> FilePath:
    """The config that another one extends; one of a package may be a package of the workspace."""
    path = joined(folder, base) if base.startswith(".") else _in_package(base, parsed)
    for candidate in (path, f"{path}.json", f"{path}/tsconfig.json"):
        if candidate is not None and FilePath(candidate) in parsed:
            return FilePath(candidate)
    return FilePath(path or base)


def _in_package(base: str, parsed: Mapping[FilePath, Json]) -> str | None:
    parts = base.split("/")
    name = "/".join(parts[:2]) if base.startswith("@") else parts[0]
    rest = "/".join(parts[2 if base.startswith("@") else 1 :])
    for path, content in parsed.items():
        if path.rpartition("/")[2] == "package.json" and content.get("name") == name:
            return joined(path.rpartition("/")[0], rest or "tsconfig.json")
    return None


# ---------------------------------------------------------------- package.json


def _package(folder: str, content: Json, found: dict[str, tuple[str, ...]]) -> None:
    """Entry points of a package for its importers, and its own imports."""
    name = _text(content.get("name"))
    mains = [_text(content.get(key)) for key in ("source", "types", "typings", "module", "main")]
    main = [target for text in mains if text for target in _sources(folder, text)]
    outer = list(_exports(folder, content.get("exports")))
    inner = [entry for key, value in _object(content.get("imports")).items() for entry in _entry(folder, key, value)]
    depends = sorted({key for kind in KINDS for key in _object(content.get(kind)) if _text(key)})
    if depends:
        found[DEPENDS + folder] = tuple(depends)
    own = [entry for entry in (_joined(".", main), *inner) if entry]
    if own:
        found[FOLDER + folder] = tuple(own)
    if name and PACKAGE + name not in found:
        fallback = _joined(".", [*main, f"{folder}/src" if folder else "src", folder])
        deep = "" if outer else f"./*\t{folder}/*" if folder else "./*\t*"
        guessed = f"./*\t{folder}/src/*" if folder else "./*\tsrc/*"
        built = [f"./{made}*\t{folder}/{source}*" if folder else f"./{made}*\t{source}*" for made, source in _BUILT]
        found[PACKAGE + name] = tuple(entry for entry in (*outer, fallback, deep, *built, guessed) if entry)


def _joined(pattern: str, targets: Sequence[str]) -> str:
    unique = list(dict.fromkeys(targets))
    return "\t".join((pattern, *unique)) if unique else ""


def _exports(folder: str, exports: object) -> Iterator[str]:
    keys = _object(exports)
    if keys and all(key.startswith(".") for key in keys):
        for key, value in keys.items():
            yield from _entry(folder, key, value)
    elif exports is not None:
        yield from _entry(folder, ".", exports)


def _entry(folder: str, key: str, value: object) -> Iterator[str]:
    targets = [target for text in _targets(value, 0) for target in _sources(folder, text)]
    if _text(key) and targets:
        yield _joined(key, targets)


def _targets(value: object, depth: int) -> Iterator[str]:
    """Files of an entry point, those of the better conditions first."""
    if depth > 6:
        return
    if isinstance(value, str):
        if _text(value):
            yield value
    elif isinstance(value, list):
        for item in cast("Sequence[object]", value):
            yield from _targets(item, depth + 1)
    elif isinstance(value, dict):
        choices = cast("Json", value)
        order = [name for name in CONDITIONS if name in choices]
        for name in (*order, *(key for key in choices if key not in CONDITIONS)):
            yield from _targets(choices[name], depth + 1)


def _sources(folder: str, text: str) -> Iterator[str]:
    """A target as written, and where the source of a built file is by custom."""
    written = text.removeprefix("./")
    candidates = [written]
    for built, source in _BUILT:
        if written.startswith(built):
            candidates.append(source + re.sub(r"\.d(?=\.[cm]?ts$)", "", written[len(built) :]))
    for candidate in candidates:
        path = joined(folder, candidate or ".")
        if path is not None:
            yield path
