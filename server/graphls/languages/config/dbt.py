"""dbt: the models that a text of a dbt project names.

Owns: `ref('model')` between the braces of a template, names of models in the YAML beside them.
Must not know: which file a model is, whether a project is there at all.
Invariant: offsets are those of the name alone; a name that is worked out is none.

    select * from {{ ref('stg_orders') }}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphls.languages.config.document import ConfigReference, ReferenceKind

_BRACES: Final = re.compile(rb"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_REF: Final = re.compile(rb"(?<![\w.])ref\s*\(\s*(['\"])([A-Za-z_]\w*)\1\s*\)")
"""Of another package, or of a version, nothing is said."""
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
            yield ConfigReference(ReferenceKind.MODEL, found[2].decode(), found.start(2), found.end(2))


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
