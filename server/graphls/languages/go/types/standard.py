"""Standard: functions of Go's standard library that give back what they are given.

Owns: what these make of the types of their arguments.
Must not know: the workspace.
Invariant: a function that is not listed decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphls.languages.declared.values import Composite, Outside, Several, Value

_FIRST: Final = frozenset((
    "slices.Clone", "slices.Clip", "slices.Compact", "slices.CompactFunc", "slices.Delete", "slices.DeleteFunc",
    "slices.Grow", "slices.Insert", "slices.Replace", "slices.Repeat", "slices.Concat", "slices.AppendSeq",
    "maps.Clone", "unique.Make", "cmp.Or",
))  # fmt: skip
"""They give what the first argument is."""
_ELEMENT: Final = frozenset(("slices.Max", "slices.MaxFunc", "slices.Min", "slices.MinFunc"))
_VALUES: Final = frozenset(("slices.Values", "maps.Values"))
_ALL: Final = frozenset(("slices.All", "slices.Backward", "maps.All"))
_COLLECTED: Final = frozenset(("slices.Collect", "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc"))
_HOLDERS: Final[dict[str, frozenset[str]]] = {
    "sync/atomic.Pointer": frozenset(("Load", "Swap")),
    "weak.Pointer": frozenset(("Value",)),
    "unique.Handle": frozenset(("Value",)),
}
"""Generic types, and their methods that give what is held."""
_SEQUENCE: Final = "iter.Seq"
_PAIRS: Final = "iter.Seq2"


def given_back(
    dotted: str, arguments: Sequence[Value | None], element: Value | None, key: Value | None
) -> Value | None:
    """What a function gives. `element`, `key`: what the first argument holds, and what counts it."""
    first = arguments[0] if arguments else None
    if dotted in _FIRST:
        return first
    if dotted in _ELEMENT:
        return element
    if dotted in _VALUES:
        return Outside(_SEQUENCE, (element,))
    if dotted == "maps.Keys":
        return Outside(_SEQUENCE, (key,))
    if dotted in _ALL:
        return Outside(_PAIRS, (key, element))
    if dotted in _COLLECTED:
        return Composite("[]", (element,))
    if dotted in ("sync.OnceValue", "sync.OnceValues", "sync.OnceFunc") and isinstance(first, Composite):
        return Composite("func", (Several(()), *first.parts[1:]))
    return None


def handed_out(holder: Outside, name: str) -> Value | None:
    """A method of a generic type that gives what is held, as a function; None for any other."""
    if len(holder.arguments) != 1 or name not in _HOLDERS.get(holder.dotted, ()):
        return None
    return Composite("func", (Several(()), holder.arguments[0]))
