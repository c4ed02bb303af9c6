"""dbt: the models, sources and macros that a text of a dbt project names or declares.

Owns: `ref`, `source`, calls and declarations of macros in templates, models and sources in the YAML beside them.
Must not know: which file a model is, whether a project is there at all.
Invariant: offsets are those of the name alone; a name that is worked out is none.

    select * from {{ ref('stg_orders') }}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from graphls.languages.config.document import ConfigEntry, ConfigReference, ConfigValue, ReferenceKind

MACRO: Final = "macro"
SOURCE: Final = "source"

_BRACES: Final = re.compile(rb"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_REF: Final = re.compile(
    rb"(?<![\w.])ref\s*\(\s*(?:(['\"])(?P<package>[A-Za-z_]\w*)\1\s*,\s*)?(['\"])(?P<name>[A-Za-z_]\w*)\3\s*"
    rb"(?:,\s*v(?:ersion)?\s*=\s*['\"]?(?P<version>\w+)['\"]?\s*)?\)"
)
_SOURCE: Final = re.compile(
    rb"(?<![\w.])source\s*\(\s*(['\"])(?P<source>[A-Za-z_]\w*)\1\s*,\s*(['\"])(?P<name>[A-Za-z_]\w*)\3\s*\)"
)
_CALL: Final = re.compile(rb"(?<![\w.'\"])(?:(?P<package>[A-Za-z_]\w*)\.)?(?P<name>[A-Za-z_]\w*)\s*\(")
_DISPATCH: Final = re.compile(
    rb"\badapter\.dispatch\(\s*(?:macro_name\s*=\s*)?(['\"])(?P<name>[A-Za-z_]\w*)\1"
    rb"(?:\s*,\s*(?:macro_namespace\s*=\s*)?(['\"])(?P<package>[A-Za-z_]\w*)\3)?"
)
_MACRO: Final = re.compile(rb"\{%-?\s*(?:macro|test)\s+(\w+)\s*\(")
_END: Final = re.compile(rb"\{%-?\s*end(?:macro|test)\s*-?%\}")
_STRING: Final = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"")
DEFAULT: Final = "default__"
"""What the name of the macro begins with that `adapter.dispatch` calls where the database has none of its own."""
_OTHERS: Final = frozenset(
    (
        b"ref",
        b"source",
        b"config",
        b"var",
        b"env_var",
        b"macro",
        b"test",
        b"if",
        b"elif",
        b"for",
        b"in",
        b"and",
        b"or",
        b"not",
    )
)
_TOP: Final = re.compile(rb"(models|snapshots|seeds)\s*:\s*(?:#.*)?\Z")
_LISTS: Final = re.compile(rb"^(?:models|snapshots|seeds)\s*:", re.MULTILINE)
_ITEM: Final = re.compile(rb"([ \t]*)-[ \t]+name[ \t]*:[ \t]*(['\"]?)([A-Za-z_]\w*)\2[ \t]*(?:#.*)?\Z")
_TO: Final = re.compile(
    rb"^[ \t]*(?:-[ \t]+)?to[ \t]*:[ \t]*\"?ref[ \t]*\([ \t]*(['\"])([A-Za-z_]\w*)\1[ \t]*\)", re.MULTILINE
)
"""What a test of relationships leads to."""
_DASH: Final = re.compile(rb"([ \t]*)-(?=[ \t])")
MOST: Final = 10_000
"""References of one document."""


def refs_in(data: bytes) -> Iterator[ConfigReference]:
    """What a template names by `ref('model')`."""
    count = 0
    for block in _BRACES.finditer(data) if b"ref" in data else ():
        for found in _REF.finditer(data, block.start(), block.end()) if block[0][1:2] != b"#" else ():
            count += 1
            if count > MOST:
                return
            package, version = (found["package"] or b"").decode(), found["version"]
            also = (version.decode(),) if version else ()
            yield ConfigReference(
                ReferenceKind.MODEL, found["name"].decode(), found.start("name"), found.end("name"), package, also
            )


def sources_in(data: bytes) -> Iterator[ConfigReference]:
    """What a template names by `source('raw', 'orders')`."""
    for block in _BRACES.finditer(data) if b"source" in data else ():
        for found in _SOURCE.finditer(data, block.start(), block.end()) if block[0][1:2] != b"#" else ():
            name = f"{found['source'].decode()}.{found['name'].decode()}"
            yield ConfigReference(ReferenceKind.SOURCE, name, found.start("name"), found.end("name"))


def macros_called(data: bytes) -> Iterator[ConfigReference]:
    """Names that a template calls, which may be macros; `package.name` too, and what is dispatched by its name."""
    count = 0
    for block in _BRACES.finditer(data):
        if block[0][1:2] == b"#" or count > MOST:
            continue
        for found in _DISPATCH.finditer(data, block.start(), block.end()):
            package = (found["package"] or b"").decode()
            yield ConfigReference(
                ReferenceKind.MACRO, DEFAULT + found["name"].decode(), found.start("name"), found.end("name"), package
            )
        code = _STRING.sub(lambda one: b" " * len(one[0]), block[0])
        for found in () if _MACRO.match(block[0]) else _CALL.finditer(code):
            if found["name"] not in _OTHERS:
                count += 1
                start, package = block.start() + found.start("name"), (found["package"] or b"").decode()
                name = found["name"].decode()
                yield ConfigReference(ReferenceKind.MACRO, name, start, start + len(name), package)


def macros_of(data: bytes) -> Iterator[ConfigEntry]:
    """Macros that a file declares."""
    for found in _MACRO.finditer(data) if b"macro" in data or b"test" in data else ():
        end = _END.search(data, found.end())
        stop = end.end() if end is not None else len(data)
        name = found[1].decode("utf-8", "replace")
        name = f"test_{name}" if b"test" in found[0].split()[:2] else name
        yield ConfigEntry(MACRO, name, found.start(1), found.end(1), found.start(), stop)


def described_sources(values: Iterable[ConfigValue]) -> Iterator[ConfigEntry]:
    """The tables of sources that a YAML describes, as `source.table`."""
    names: dict[str, str] = {}
    for value in values:
        path = value.path
        if path[:1] != ("sources",) or path[-1:] != ("name",):
            continue
        if len(path) == 3:
            names[path[1]] = value.text
        elif len(path) == 5 and path[2] == "tables" and path[1] in names:
            name = f"{names[path[1]]}.{value.text}"
            yield ConfigEntry(SOURCE, name, value.start, value.end, value.start, value.end)


def described_models(data: bytes) -> Iterator[ConfigReference]:
    """The models that a YAML describes: `models:` at its top with a list of names."""
    inside, depth, at, count = False, -1, 0, 0
    for line in data.split(b"\n") if _LISTS.search(data) is not None else ():
        text = line.rstrip(b"\r \t")
        if text and text[:1] not in (b" ", b"\t", b"#", b"-"):
            inside, depth = _TOP.match(text) is not None, -1
        dash = _DASH.match(text) if inside else None
        if dash is not None and depth < 0:
            depth = len(dash[1])
        item = _ITEM.match(text) if dash is not None and len(dash[1]) == depth else None
        if item is not None and count < MOST:
            count += 1
            yield ConfigReference(ReferenceKind.MODEL, item[3].decode(), at + item.start(3), at + item.end(3))
        at += len(line) + 1
    for found in _TO.finditer(data) if b"ref" in data else ():
        yield ConfigReference(ReferenceKind.MODEL, found[2].decode(), found.start(2), found.end(2))
