"""JSON text: objects in manifests as people write them.

Owns: JSON with comments and trailing commas.
Must not know: what any manifest means.
Invariant: a text that cannot be read is an empty object; nothing raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TypeAlias, cast

_NOISE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
Json: TypeAlias = Mapping[str, object]


def read_json(data: bytes) -> Json:
    """An object of JSON with comments and trailing commas; empty when it is anything else."""
    text = data.decode("utf-8-sig", "replace")
    try:
        value: object = json.loads(_NOISE.sub(lambda match: match.group(1) or "", text))
    except (ValueError, RecursionError):
        return {}
    return cast("Json", value) if isinstance(value, dict) else {}
