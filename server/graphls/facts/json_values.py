"""JSON values: what others' JSON holds, where it is of the kind that is wanted.

Owns: nothing but the tests of kinds.
Must not know: which document is read, what its members mean.
Invariant: a value of another kind reads as an empty one; nothing is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast


def mapping_of(value: object) -> Mapping[str, object]:
    """An object's members."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def sequence_of(value: object) -> Sequence[object]:
    """An array's items."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def text_of(value: object) -> str:
    """A string."""
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int:
    """A whole number above 0; 0 for any other."""
    return value if isinstance(value, int) and value > 0 else 0
