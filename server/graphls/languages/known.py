"""Known: values that resolution compares and keeps by what they say.

Owns: equality and hashes of such values.
Must not know: any particular language.
Invariant: equal where kind and parts are; never changed.
"""

from __future__ import annotations


class Known:
    """What is known of something. Equal where kind and parts are; never changed."""

    def __init__(self, parts: tuple[object, ...]) -> None:
        """`parts`: the name of the kind, then everything that tells one from another."""
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Known) and self._hash == other._hash and self._parts == other._parts

    def __repr__(self) -> str:
        return f"{self._parts[0]}{self._parts[1:]}"
