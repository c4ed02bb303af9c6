"""Import rewriting: specifiers that follow moved files.

Owns: the new text of a specifier, in the manner of the old one.
Must not know: which files move, or why.
Invariant: a relative specifier stays relative, an ending that was written stays written. One that goes by a path of a
    config stays so only where the part behind its prefix is all that changes; else it becomes relative, which is always
    right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, relpath

from graphls.facts.paths import FilePath
from graphls.languages.import_rewriting import ImportChange, ImportingFile, PathAfter
from graphls.languages.provider import World
from graphls.languages.typescript.modules import DECLARATIONS, ENDINGS, PACKAGE, WRITTEN

_INDEX = "index"
_DOUBT = "a string that spells the module"


class TypeScriptImports:
    """Specifiers in quotes, wherever an import spells one."""

    def changes(self, file: ImportingFile, after: PathAfter, world: World) -> Iterator[ImportChange]:
        """See `ImportRewriter`."""
        imports, strings = file.facts.imports, file.facts.strings
        found: dict[int, ImportChange] = {}
        texts: dict[str, str] = {}
        for row, target in sorted(file.modules.items()):
            module = strings[imports.module[row]]
            at = _specifier(file.text, module, imports.start[row])
            if at < 0 or (after(target) == target and not module.startswith(".")):
                continue
            new = self._spelled(module, file.path, target, after, world)
            if new != module:
                found[at] = ImportChange(at, at + len(module.encode()), new)
                texts[module] = new
        yield from found.values()
        for module, new in texts.items():
            for at in _quoted(file.text, module):
                if at not in found:
                    yield ImportChange(at, at + len(module.encode()), new, _DOUBT)

    def _spelled(self, module: str, importer: FilePath, target: FilePath, after: PathAfter, world: World) -> str:
        if not module.startswith("."):
            mapped = _mapped(module, target, after(target), _own_segments(module, importer, world))
            if mapped is not None:
                return mapped
        return _relative(module, target, after(importer), after(target))


def _specifier(text: bytes, module: str, start: int) -> int:
    """Where the specifier of an import begins, behind its quote."""
    return next(_quoted(text, module, start), -1)


def _quoted(text: bytes, module: str, start: int = 0) -> Iterator[int]:
    for found in re.compile(rb"([\"'`])" + re.escape(module.encode()) + rb"\1").finditer(text, start):
        yield found.start() + 1


def _ending(path: str) -> str:
    """The ending of a source, `.d.ts` as a whole."""
    name = basename(path)
    return next((one for one in (*DECLARATIONS, *ENDINGS) if name.endswith(one)), "." + name.rpartition(".")[2])


def _stem(path: str) -> str:
    return path[: -len(_ending(path))]


def _relative(module: str, target: FilePath, importer: FilePath, moved: FilePath) -> str:
    whole = relpath(_written(module, target, moved), dirname(importer) or ".")
    return whole if whole.startswith("..") else f"./{whole}" if whole != "." else "."


def _written(module: str, target: FilePath, moved: FilePath) -> str:
    """The new path as the old one was written: with an ending, without, or as the folder of an index."""
    ending = _written_ending(module, target)
    if ending == _ending(target):
        return moved
    if ending:
        # `./a.js` means `a.ts`: what the new file is compiled to.
        made = next((one for one, sources in WRITTEN.items() if _ending(moved) in sources), "")
        return _stem(moved) + (made if made and _ending(moved) != _ending(target) else ending)
    by_folder = basename(_stem(target)) == _INDEX and basename(module) != _INDEX
    return dirname(moved) or "." if by_folder and basename(_stem(moved)) == _INDEX else _stem(moved)


def _written_ending(module: str, target: FilePath) -> str:
    """The ending that a specifier has; "" where what looks like one belongs to the name of the file."""
    name, stem = basename(module), basename(_stem(target))
    return name[len(stem) :] if name.startswith(stem + ".") else ""


def _own_segments(module: str, importer: FilePath, world: World) -> int:
    """How many segments at the beginning are the name of a package of the workspace, which stays what it is."""
    parts = module.split("/")
    count = 2 if module.startswith("@") and len(parts) > 1 else 1
    named = world.aliases(PACKAGE + "/".join(parts[:count]), FilePath(dirname(importer)))
    return count if named else 0


def _mapped(module: str, target: FilePath, moved: FilePath, own: int) -> str | None:
    """The specifier with the part changed that it shares with the path; None where more than that would change."""
    old = _written(module, target, target)
    new = _written(module, target, moved)
    spelled, path = module.split("/"), old.split("/")
    most = min(len(spelled) - max(own, 1), len(path))
    shared = next((n for n in range(most) if spelled[-1 - n] != path[-1 - n]), most)
    prefix, root = spelled[: len(spelled) - shared], path[: len(path) - shared]
    parts = new.split("/")
    if shared <= 0 or parts[: len(root)] != root or len(parts) == len(root):
        return None
    return "/".join((*prefix, *parts[len(root) :]))
