"""Functional: which methods of Kotlin's and Java's libraries are called on functions.

Owns: their names.
Must not know: the workspace, what holds a function.
Invariant: a method that an interface has beside others is not listed.
"""

from __future__ import annotations

from typing import Final

_METHODS: Final = frozenset(("invoke", "apply", "accept", "test", "get"))
_INTERFACES: Final = ("kotlin.Function", "kotlin.jvm.functions.", "java.util.function.")
_ALONE: Final = frozenset((
    "java.lang.Runnable.run", "kotlin.Runnable.run", "Runnable.run", "java.util.concurrent.Callable.call",
    "java.util.Comparator.compare", "kotlin.Comparator.compare", "java.util.concurrent.ThreadFactory.newThread",
))  # fmt: skip


def is_functional(dotted: str) -> bool:
    """Whether it is the one method of a functional interface."""
    return dotted in _ALONE or (dotted.startswith(_INTERFACES) and dotted.rpartition(".")[2] in _METHODS)
