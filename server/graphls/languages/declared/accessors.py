"""Accessors: what a declaration is called by code of another language of the Java virtual machine.

Owns: the names of methods that read and write a property, and of the property that such methods are.
Must not know: who asks.
Invariant: a name is always one of its own names.

Kotlin reads `getTotal()` of a class in Java as `total`, and Java reads `total` of a class in Kotlin as `getTotal()`
(kotlinlang.org, "Calling Java from Kotlin", "Calling Kotlin from Java").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_PREFIXES: Final = ("get", "set", "is")


def accessor_names(name: str) -> Sequence[str]:
    """The name, and what it may be called where properties and methods stand for each other."""
    found = [name]
    for prefix in _PREFIXES:
        rest = name[len(prefix) :]
        if name.startswith(prefix) and rest[:1].isupper():
            found += (rest[:1].lower() + rest[1:], *((f"is{rest}",) if prefix == "set" else ()))
    if name[:1].islower():
        capital = name[:1].upper() + name[1:]
        found += (f"get{capital}", f"set{capital}")
    return tuple(dict.fromkeys(found))
