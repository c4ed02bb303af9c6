"""Manifest values: what stands in a manifest of TOML or JSON, as the kind that is wanted.

Owns: reading TOML, and taking a table or a text out of what was read.
Must not know: which manifests there are, what their keys mean.
Invariant: nothing raises; what cannot be read, or is of another kind, is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graphls.settings.toml_text import toml_values


def toml_table(text: str) -> Mapping[str, object]:
    """The outermost table of a text."""
    try:
        return toml_values(text)
    except ValueError:
        return {}


def table_of(value: object, *keys: str) -> Mapping[str, object]:
    """A table, or the one below some keys of it."""
    table: Mapping[str, object] = cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
    for key in keys:
        table = table_of(table.get(key))
    return table


def text_of(value: object) -> str:
    """A text of one line, without what is blank around it."""
    return value.strip() if isinstance(value, str) and value.isprintable() else ""
