"""Wire: answers as JSON.

Owns: turning frozen values into plain ones, keys and their order, how JSON is written.
Must not know: any particular command.
Invariant: the keys are the names of fields, in their order; output is UTF-8 whatever the terminal speaks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from graphls.graph.control_escapes import escape_controls


def plain(value: object) -> Any:
    """The value as objects, lists, texts and numbers."""
    from cattrs import Converter

    return _bare(Converter().unstructure(value))


def _bare(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _bare(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, (list, tuple)):
        return [_bare(item) for item in value]  # pyright: ignore
    if isinstance(value, (set, frozenset)):
        return sorted(_bare(item) for item in value)  # pyright: ignore
    return value


def write_json(*parts: object) -> None:
    """One object on standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json_bytes(*parts))


def json_bytes(*parts: object) -> bytes:
    """One object: the fields of the parts, in order; of two fields with one name the first counts."""
    merged: dict[str, Any] = {}
    for part in parts:
        for key, value in plain(part).items():
            merged.setdefault(key, value)
    # What is spelled out means the character itself, and cannot steer a terminal or turn a line around.
    text = escape_controls(json.dumps(merged, indent=2, ensure_ascii=False))
    return text.encode("utf-8", "backslashreplace") + b"\n"
