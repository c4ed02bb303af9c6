"""Cached properties: values that an object computes when they are first read, and keeps.

Owns: the descriptor.
Must not know: what is computed.
Invariant: who reads a value waits for nobody. Up to Python 3.11 the one of `functools` holds a lock that all objects of
    a class share: a request that waited for a large file to be read held up every other request behind it. Two
    threads may both compute a value: it is the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar, cast, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 (named like the one that it stands for)
    """Like that of `functools`, as later versions of Python have it."""

    def __init__(self, func: Callable[..., T]) -> None:
        super().__init__(func)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> cached_property[T] | T:
        if instance is None:
            return self
        # The value hides the descriptor from now on.
        return cast("T", instance.__dict__.setdefault(self.attrname or "", self.func(instance)))
