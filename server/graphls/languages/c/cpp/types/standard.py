"""Standard: what a few types of the standard library hold.

Owns: containers, pointers and functions of the library through which types of the workspace go.
Must not know: the workspace.
Invariant: what is not listed gives nothing back that anybody knows.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.inference import UNKNOWN_LAST
from graphls.languages.declared.values import Outside, Value

STD: Final = "std."
POINTERS: Final = frozenset(
    f"{STD}{name}"
    for name in ("unique_ptr", "shared_ptr", "weak_ptr", "auto_ptr", "optional", "reference_wrapper", "atomic")
)
"""`->` and `*` lead to what they hold."""
SEQUENCES: Final = frozenset(
    f"{STD}{name}"
    for name in (
        "vector", "deque", "list", "forward_list", "array", "set", "multiset", "unordered_set", "unordered_multiset",
        "span", "initializer_list", "queue", "stack", "priority_queue", "valarray",
    )
)  # fmt: skip
MAPS: Final = frozenset(f"{STD}{name}" for name in ("map", "multimap", "unordered_map", "unordered_multimap"))
PAIR: Final = f"{STD}pair"
ITERATOR: Final = f"{STD}iterator"
_ITERATORS: Final = frozenset((
    "begin", "end", "rbegin", "rend", "cbegin", "cend", "find", "lower_bound", "upper_bound", "erase", "insert",
))  # fmt: skip
_ELEMENTS: Final = frozenset(("front", "back", "at", "top", "get", "value", "lock", "load"))
_MAKERS: Final = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
_SAME: Final = frozenset(f"{STD}{name}" for name in ("move", "forward", "ref", "cref", "as_const", "min", "max"))
_NOTHING: Final = Outside(f"{STD}{UNKNOWN_LAST}")


def made_by(dotted: str, types: tuple[Value | None, ...]) -> Outside | None:
    """What `std::make_unique<T>` gives back."""
    name = dotted.removeprefix(STD)
    return Outside(STD + _MAKERS[name], types[:1]) if dotted.startswith(STD) and name in _MAKERS and types else None


def same(dotted: str) -> bool:
    """Whether a function gives back what it is given."""
    return dotted in _SAME


def element(value: Outside) -> Value | None:
    """What a container holds, as a loop sees it."""
    if value.dotted in MAPS and len(value.arguments) > 1:
        return Outside(PAIR, value.arguments[:2])
    if value.dotted in SEQUENCES and value.arguments:
        return value.arguments[0]
    return None if value.arguments else _NOTHING


def pointed(value: Outside) -> Value | None:
    """What `->` and `*` lead to."""
    if (value.dotted in POINTERS or value.dotted == ITERATOR) and value.arguments:
        return value.arguments[0]
    return value if value.dotted not in MAPS | SEQUENCES else None


def indexed(value: Outside) -> Value | None:
    """What `value[i]` is."""
    if value.dotted in MAPS and len(value.arguments) > 1:
        return value.arguments[1]
    if (value.dotted in SEQUENCES or value.dotted in POINTERS) and value.arguments:
        return value.arguments[0]
    return None if value.arguments else _NOTHING


def result_of(value: Outside, name: str) -> Value | None:
    """What a method of a type of the library gives back, None where it may be anything."""
    if not value.arguments:
        return _NOTHING
    if name in _ITERATORS:
        held = element(value)
        return Outside(ITERATOR, (held,)) if held is not None else None
    if name == "lock" and value.dotted == f"{STD}weak_ptr":
        return Outside(f"{STD}shared_ptr", value.arguments)
    if name in _ELEMENTS:
        return (
            indexed(value) if value.dotted in MAPS else pointed(value) if value.dotted in POINTERS else element(value)
        )
    return None
