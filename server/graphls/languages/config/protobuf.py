"""Protobuf: what a `.proto` file declares.

Owns: services, their methods, messages and enumerations, the types and files that they name.
Must not know: generated code, other files.
Invariant: the name of an entry is what stands behind the package: `Cart.AddItem`, `Order.Item`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind

_NOISE: Final = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')", re.DOTALL
)
_BLANKS: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))
_PACKAGE: Final = re.compile(rb"^[ \t]*package\s+([\w.]+)\s*;", re.MULTILINE)
_IMPORT: Final = re.compile(rb"^[ \t]*import\s+(?:public\s+|weak\s+)?[\"']([^\"'\n]+)[\"']\s*;", re.MULTILINE)
_FIELD: Final = re.compile(
    rb"(?<=[;{}\n])[ \t\r]*(?:(?:optional|required|repeated)\s+)?(?:map\s*<\s*\w+\s*,\s*)?"
    rb"(?P<used>[A-Za-z_.][\w.]*)(?:\s*+>)?\s++\w+\s*=\s*\d+"
)
_STEP: Final = re.compile(
    rb"\b(service|message|enum|oneof|extend|group)\s+([\w.]+)"
    rb"|\brpc\s+(\w+)\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)\s*returns\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)\s*(\{)?"
    rb"|" + _FIELD.pattern + rb"|(\{)|(\})"
)
_END: Final = re.compile(rb"[{};]")
_SCALARS: Final = frozenset((
    b"double", b"float", b"int32", b"int64", b"uint32", b"uint64", b"sint32", b"sint64", b"fixed32", b"fixed64",
    b"sfixed32", b"sfixed64", b"bool", b"string", b"bytes", b"option", b"reserved", b"extensions", b"syntax",
    b"edition",
))  # fmt: skip
_NAMED: Final = (b"service", b"message", b"enum")
MAX_NESTING: Final = 100
"""Braces around a declaration that has a name of its own, which holds those of all around it."""


@attrs.define
class _Block:
    """A pair of braces: what it declares, or nothing."""

    name: str
    entry: int


@attrs.frozen
class _TypeUse:
    scope: str
    text: str
    start: int
    end: int


def read_protobuf(path: str, data: bytes) -> ConfigDocument:
    """Entries in source order, the package before all of their names, and types by name."""
    code = _NOISE.sub(lambda found: found[0].translate(_BLANKS), data)
    package = _PACKAGE.search(code)
    spelled = package[1].decode("utf-8", "replace") if package else ""
    entries, uses, cut = _declared(code)
    names = {entry.name for entry in entries if entry.kind in ("message", "enum")}
    files = list(_imports(path, data))
    references = [*files, *_references(uses, names, spelled, tuple(one.text for one in files))]
    references.sort(key=lambda one: one.start)
    return ConfigDocument(entries, references, package=spelled, cut=cut)


def _steps(code: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """What declares, uses, opens or closes something, and where it ends. What has a keyword and a name declares
    something where a brace comes before any other end; the next end is looked for once for all that stand before it."""
    at, end = 0, _END.search(code)
    while (step := _STEP.search(code, at)) is not None:
        at = step.end()
        if step[1] is None:
            yield step, at
            continue
        if end is not None and end.start() < at:
            end = _END.search(code, at)
        if end is not None and end[0] == b"{":
            at = end.end()
            yield step, at
        elif (field := _FIELD.match(code, step.start())) is not None:
            at = field.end()
            yield field, at
        else:
            at = step.end(1)


def _declared(code: bytes) -> tuple[list[ConfigEntry], list[_TypeUse], bool]:
    """Entries, types that are used, whether some were nested too deeply."""
    cut = False
    entries: list[ConfigEntry] = []
    uses: list[_TypeUse] = []
    blocks: list[_Block] = []
    for step, end in _steps(code):
        scope = blocks[-1].name if blocks else ""
        if step["used"] is not None:
            if step["used"] not in _SCALARS:
                uses.append(_TypeUse(scope, step["used"].decode("utf-8", "replace"), *step.span("used")))
        elif step[1] is not None:
            deep = step[1] in _NAMED and len(blocks) >= MAX_NESTING
            cut, named = cut or deep, step[1] in _NAMED and not deep
            name = _inside(scope, step[2].decode("utf-8", "replace")) if named else scope
            blocks.append(_Block(name, len(entries) if named else -1))
            if named:
                kind = step[1].decode()
                entries.append(ConfigEntry(kind, name, *step.span(2), step.start(1), end))
        elif step[3] is not None:
            uses += (_TypeUse(scope, step[at].decode("utf-8", "replace"), *step.span(at)) for at in (4, 5))
            name = _inside(scope, step[3].decode("utf-8", "replace"))
            if step[6] is not None:
                blocks.append(_Block(scope, len(entries)))
            entries.append(ConfigEntry("rpc", name, *step.span(3), step.start(), step.end()))
        elif step[8] is not None:
            blocks.append(_Block(scope, -1))
        elif blocks:
            entry = blocks.pop().entry
            if entry >= 0:
                entries[entry] = attrs.evolve(entries[entry], full_end=step.end())
    return entries, uses, cut


def _inside(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def _imports(path: str, data: bytes) -> Iterator[ConfigReference]:
    """Files by their paths below some folder above."""
    folder = path.rpartition("/")[0]
    for found in _IMPORT.finditer(data):
        text = found[1].decode("utf-8", "replace")
        yield ConfigReference(ReferenceKind.NEAR, text, *found.span(1), folder, also=("up",))


def _references(
    uses: list[_TypeUse], names: set[str], package: str, files: tuple[str, ...]
) -> Iterator[ConfigReference]:
    """The innermost type of a name; one of another file where this one has none."""
    known: Mapping[str, str] = {name: name for name in names}
    for use in uses:
        text = use.text.lstrip(".")
        inner = text.removeprefix(f"{package}.") if package else text
        scopes = use.scope.split(".") if use.scope and not use.text.startswith(".") else []
        tried = [*(".".join((*scopes[:count], inner)) for count in range(len(scopes), 0, -1)), inner]
        name = next((known[one] for one in tried if one in known), None)
        if name is not None:
            yield ConfigReference(ReferenceKind.ENTRY, name, use.start, use.end)
        elif files:
            yield ConfigReference(ReferenceKind.IMPORTED, text, use.start, use.end, package, also=files)
