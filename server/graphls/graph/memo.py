"""Memo: derived values that snapshots and their files carry along.

Owns: the way to declare one, to read it and to put it; which of them stay right when a checker's answers change.
Must not know: what any of them holds, who computes it.
Invariant: a name is declared once, so what is read is what was put. A value is a function of what carries it: a file
    of its contents, a snapshot of its files, and one that rests on links of the checker's answers as well.

A memo is not a cache with a bound of its own: it goes when its snapshot or the last snapshot with its file goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Generic, Protocol, TypeVar, cast

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

_DECLARED: dict[str, bool] = {}
"""Name -> whether the value rests on links."""


class MemoHolder(Protocol):
    """A snapshot, or one file of it."""

    @property
    def memo(self) -> dict[str, object]: ...


class Memo(Generic[T]):
    """One derived value. Declared at the top of the module that computes it."""

    def __init__(self, name: str, *, rests_on_links: bool = True) -> None:
        """`rests_on_links`: a checker's answers may change it; else it is passed on where only these differ."""
        if name in _DECLARED:
            raise ValueError(f"a memo is declared twice: {name}")
        _DECLARED[name] = rests_on_links
        self.name = name

    def get(self, holder: MemoHolder) -> T | None:
        """The value, None before it was put."""
        return cast("T | None", holder.memo.get(self.name))

    def put(self, holder: MemoHolder, value: T) -> T:
        """The same value, put."""
        holder.memo[self.name] = value
        return value

    def once(self, holder: MemoHolder, compute: Callable[[], T]) -> T:
        """The value, computed where nobody has put it. Two threads may both compute it: it is the same."""
        known = self.get(holder)
        return self.put(holder, compute()) if known is None else known

    def put_first(self, holder: MemoHolder, value: T) -> T:
        """What was put before, else this."""
        return cast("T", holder.memo.setdefault(self.name, value))

    def carry(self, before: MemoHolder, after: MemoHolder) -> None:
        """Hands a value on to what it is right for as well."""
        if self.name in before.memo:
            after.memo[self.name] = before.memo[self.name]


class MemoTable(Memo[dict[K, V]], Generic[K, V]):
    """Values by key, filled one by one."""

    def of(self, holder: MemoHolder) -> dict[K, V]:
        """The table, which the caller may fill."""
        return self.put_first(holder, {})


def carry_without_links(before: MemoHolder, after: MemoHolder) -> None:
    """Hands on all values that do not rest on links."""
    after.memo.update({name: value for name, value in before.memo.items() if not _DECLARED.get(name, True)})


_VIEWS: Final = Memo[list[MemoHolder]]("views")


def add_view(holder: MemoHolder, view: MemoHolder) -> None:
    """What a value reads in the place of its holder, and has values of its own, lasts no longer than they do."""
    _VIEWS.put_first(holder, []).append(view)


def carried_values(holder: MemoHolder) -> Mapping[str, object]:
    """All of them; the same object for all snapshots that share them."""
    return holder.memo


def drop_values(holder: MemoHolder) -> None:
    """Lets go of all of them: they are computed again where someone asks."""
    views = _VIEWS.get(holder) or ()
    holder.memo.clear()
    for view in views:
        drop_values(view)
