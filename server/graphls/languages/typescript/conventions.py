"""Conventions: names of modules and values that a framework gives without a config that git keeps.

Owns: what SvelteKit, Nuxt and Docusaurus map and import by themselves, by folder of the package that depends on them.
Must not know: contents of source files, which names anyone asks for.
Invariant: a function of manifests and file names; what a config says comes before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.typescript.modules import FRAMEWORK
from graphls.languages.typescript.packages import DEPENDS

COMPONENT: Final = "component:"
"""The question for the file of a component that needs no import, by folder and name."""
PROVIDED: Final = "provided:"
"""The question for files whose exports need no import, by folder."""
_MOST_FILES: Final = 200
_SOURCE: Final = re.compile(r"\.(?:ts|js|mts|mjs|tsx|jsx|vue)\Z")
_NO_SOURCE: Final = re.compile(r"\.(?:d|test|spec|stories|story)\.")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
_MODES: Final = re.compile(r"\.(?:client|server|global)\Z")


def conventions(depends: Mapping[str, tuple[str, ...]], files: Collection[FilePath]) -> Mapping[str, tuple[str, ...]]:
    """Answers to the questions above. `depends`: entries of manifests, of which those of dependencies count."""
    found: dict[str, tuple[str, ...]] = {}
    for key, packages in depends.items():
        if not key.startswith(DEPENDS):
            continue
        folder = key.removeprefix(DEPENDS)
        if "@sveltejs/kit" in packages:
            found[FRAMEWORK + folder] = _mapped(("$lib", _in(folder, "src/lib")))
        elif "nuxt" in packages or "nuxt-edge" in packages or "nuxt-nightly" in packages:
            found.update(_nuxt(folder, files))
        elif "@docusaurus/core" in packages:
            found[FRAMEWORK + folder] = _mapped(("@site", folder))
    return found


def _mapped(*folders: tuple[str, str]) -> tuple[str, ...]:
    """Patterns for names and the folders that they stand for."""
    patterns = [(f"{name}/*", f"{folder}/*" if folder else "*") for name, folder in folders]
    whole = [(name, folder) for name, folder in folders if folder]
    return tuple(f"{pattern}\t{target}" for pattern, target in (*patterns, *whole))


def _in(folder: str, inner: str) -> str:
    return f"{folder}/{inner}" if folder else inner


def _nuxt(folder: str, files: Collection[FilePath]) -> Mapping[str, tuple[str, ...]]:
    root = f"{folder}/" if folder else ""
    own = sorted(path for path in files if path.startswith(root))
    app = f"{root}app/"
    # Since version 4 all that runs in the browser is below `app`.
    newer = any(path.startswith((f"{app}pages/", f"{app}app.vue", f"{app}components/")) for path in own)
    home = app if newer else f"{root}src/" if any(path.startswith(f"{root}src/pages/") for path in own) else root
    found = {FRAMEWORK + folder: _mapped(*_nuxt_folders(folder, home.rstrip("/")))}
    provided: list[str] = []
    for path in own:
        inner = path.removeprefix(home)
        if not path.startswith(home) or _NO_SOURCE.search(inner) or not _SOURCE.search(inner):
            continue
        if inner.startswith("components/"):
            for name in _component_names(inner.removeprefix("components/")):
                found.setdefault(f"{COMPONENT}{folder}:{name}", (path,))
        elif _is_provided(inner):
            provided.append(path)
    provided += [path for path in own if path.startswith((f"{root}server/utils/", f"{root}shared/utils/"))]
    found[PROVIDED + folder] = tuple(sorted(set(provided))[:_MOST_FILES])
    return found


def _nuxt_folders(root: str, home: str) -> Iterator[tuple[str, str]]:
    yield from (("~", home), ("@", home), ("~~", root), ("@@", root), ("#shared", _in(root, "shared")))


def _is_provided(inner: str) -> bool:
    """Files at the top of `composables` and `utils`, and index files one below."""
    folder, _, rest = inner.partition("/")
    return folder in ("composables", "utils") and (
        rest.count("/") == 0 or re.search(r"\A[^/]+/index\.", rest) is not None
    )


def _component_names(inner: str) -> Iterator[str]:
    """`media/Card.vue` is `MediaCard`; what a folder says already is not said twice."""
    *folders, name = _MODES.sub("", inner.rpartition(".")[0]).split("/")
    words: list[str] = []
    if folders and folders[0] == "global":
        folders = folders[1:]
    for part in folders:
        words += _words(part)
    own = _words(name) if name != "index" or not folders else []
    for cut in range(len(words) + 1):
        if words[cut:] == own[: len(words) - cut]:
            words = words[:cut]
            break
    plain = "".join((*words, *own))
    if plain:
        yield plain
        yield f"Lazy{plain}"


def _words(text: str) -> list[str]:
    return [word[:1].upper() + word[1:] for word in _WORDS.findall(text)]
