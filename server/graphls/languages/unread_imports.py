"""Unread imports: what a part of an unread file imports and defines, as far as patterns see it.

Owns: reading import statements and definitions without a grammar.
Must not know: the workspace, where the text comes from.
Invariant: what is not seen as an import is no proof that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from typing import Final

import attrs

from graphls.languages.unread import NameForm, TextPart

_PYTHON: Final = re.compile(
    rb"(?:^|[;\"'\n])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n;\"']*)|c?import[ \t]+([\w., \t]+))"
)
_SCRIPT: Final = re.compile(
    rb"\b(?:import|export)\s+(?:type\s+)?(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s+as\s+([\w$]+))?\s*from\s*['\"]([^'\"]+)['\"]"
)
_REQUIRED: Final = re.compile(
    rb"(?:\{([^}=]*)\}|([\w$]+))\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*['\"]([^'\"]+)['\"]"
)
_IMPORTING, _FROM, _CALLED = (
    re.compile(rb"import[ \t]"),
    re.compile(rb"from\s*['\"]"),
    re.compile(rb"(?:require|import)\s*\(\s*['\"]"),
)
"""What a match of each of the three holds: most texts have none, and are looked through for it in little time."""
_DEFINED: Final = re.compile(
    rb"^[ \t]*(?:async[ \t]+)?(?:def|class|cdef class|cpdef|cdef|function|const|let|var)\b[^\n=(:]*?([\w$]+)"
    rb"[ \t]*(?:[(:=]|$)|^[ \t]*([\w$]+)[ \t]*=(?!=)",
    re.MULTILINE,
)
_EVERYTHING: Final = re.compile(rb"import[ \t]+\*|^[ \t]*%run\b|^[ \t]*%load\b", re.MULTILINE)
_AS: Final = re.compile(r"\s+as\s+|\s*:\s*")


@attrs.frozen
class TextImports:
    """`names`: what is imported from where, under its own name. `modules`: local names of whole modules."""

    names: Mapping[str, tuple[str, ...]]
    modules: Mapping[str, str]
    defined: Set[str]
    everything: bool

    def takes(self, name: str, homes: Set[str], roots: Set[str]) -> bool:
        """Whether a name is imported from what may be the module that has these homes and roots."""
        return any(_may_be(module, homes, roots) for module in self.names.get(name, ()))

    def leads_to(self, local: str, homes: Set[str], roots: Set[str]) -> bool:
        """Whether the module with this local name may be that one."""
        return local in self.modules and _may_be(self.modules[local], homes, roots)

    def takes_module(self, name: str, homes: Set[str], roots: Set[str]) -> bool:
        """Whether a module of this name is imported, or anything from it."""
        named = {*self.modules.values(), *(module for modules in self.names.values() for module in modules)}
        return any(_last(module) == name and _may_be(module, homes | {name}, roots) for module in named) or self.takes(
            name, homes, roots
        )


_NOTHING: Final = TextImports({}, {}, frozenset(), everything=False)


def imports_of(part: TextPart) -> TextImports:
    """What a part imports and defines."""
    if part.form in (NameForm.EXPRESSIONS, NameForm.STRINGS):
        return _NOTHING
    names: dict[str, list[str]] = {}
    modules: dict[str, str] = {}
    for name, local, module in (*_python(part.text), *_script(part.text)):
        if name:
            names.setdefault(name, []).append(module)
        else:
            modules[local] = module
    defined = set[str]()
    if part.form == NameForm.CODE:
        defined = {(found[1] or found[2]).decode("utf-8", "replace") for found in _DEFINED.finditer(part.text)}
    everything = part.form == NameForm.CODE and _EVERYTHING.search(part.text) is not None
    return TextImports(
        {name: tuple(found) for name, found in names.items()}, modules, defined - names.keys(), everything
    )


def _python(text: bytes) -> Iterator[tuple[str, str, str]]:
    """Name, local name and module of each import; no name for a whole module."""
    for found in _PYTHON.finditer(text) if _IMPORTING.search(text) else ():
        if found[1] is not None:
            module = found[1].decode("utf-8", "replace")
            for name, local in _listed(found[2].strip(b"() \t")):
                yield name, local, module
                yield "", local, f"{module}.{name}"
        else:
            for module, local in _listed(found[3]):
                yield "", local if local != module else module.rpartition(".")[2], module


def _script(text: bytes) -> Iterator[tuple[str, str, str]]:
    for found in _SCRIPT.finditer(text) if _FROM.search(text) else ():
        module = found[4].decode("utf-8", "replace")
        if found[1]:
            # A default export is called as the importer likes.
            yield found[1].decode(), found[1].decode(), module
        if found[3]:
            yield "", found[3].decode(), module
        yield from ((name, local, module) for name, local in _listed(found[2] or b""))
    for found in _REQUIRED.finditer(text) if _CALLED.search(text) else ():
        module = found[3].decode("utf-8", "replace")
        if found[2]:
            yield "", found[2].decode(), module
        yield from ((name, local, module) for name, local in _listed(found[1] or b""))


def _listed(text: bytes) -> Iterator[tuple[str, str]]:
    for item in text.decode("utf-8", "replace").replace("\\\n", " ").split(","):
        name, *renamed = _AS.split(item.split("#")[0].strip())
        name = name.removeprefix("type ").strip()
        if name:
            yield name, renamed[0].strip() if renamed else name


def _last(module: str) -> str:
    return re.sub(r"\.(?:py|[cm]?[jt]sx?)\Z", "", module).replace("/", ".").rpartition(".")[2]


def _may_be(module: str, homes: Set[str], roots: Set[str]) -> bool:
    """Whether an import of this module may mean the one with these homes and roots."""
    if module.startswith((".", "~", "@/", "$", "#", "/")):
        return True
    return _last(module) in homes or re.split(r"[./]", module)[0] in roots or module.replace("-", "_") in roots
