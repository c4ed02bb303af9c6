"""JSON text: objects in manifests as people write them.

Owns: JSON with comments and trailing commas.
Must not know: what any manifest means.
Invariant: a text that cannot be read is an empty object; nothing raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from graphls.languages.closed_pattern import ClosedPattern

_NOISE: Final = ClosedPattern(
    (
        (r'"(?:\\.|[^"\\])*"', '"'),
        (r"//[^\n]*", ""),
        (r"/\*.*?\*/", "*/"),
        (r",(?=\s*[}\]])", ""),
    ),
    re.DOTALL,
)
Json: TypeAlias = Mapping[str, object]


def read_json(data: bytes) -> Json:
    """An object of JSON with comments and trailing commas; empty when it is anything else."""
    text = data.decode("utf-8-sig", "replace")
    try:
        value: object = json.loads(_NOISE.sub(lambda match: match[0] if match[0].startswith('"') else "", text))
    except (ValueError, RecursionError):
        return {}
    return cast("Json", value) if isinstance(value, dict) else {}
