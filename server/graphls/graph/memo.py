"""Memo: derived values that snapshots and their files carry along.

Owns: the way to declare one, to read it and to put it; which of them stay right when a checker's answers change.
Must not know: what any of them holds, who computes it.
Invariant: a name is declared once, so what is read is what was put. A value is a function of what carries it: a file
    of its contents, a snapshot of its files, and one that rests on links of the checker's answers as well.

A memo goes when its snapshot or the last snapshot with its file goes. One of files that is large has a bound as well
(`BoundedMemo`): else what first questions leave with files grows until all were asked about.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Final, Generic, Protocol, TypeVar, cast
from weakref import ref

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

_DECLARED: dict[str, bool] = {}
"""Name -> whether the value rests on links."""
_SHARED: Final = "without links"
_BORROWS: Final = "borrows"
_ENDED: Final = "ended"
"""Name of the table of values that all holders of the same contents share; whether it is another one's; whether that
one let go of it."""
_BOUNDED: list[Callable[[], None]] = []
"""What brings each memo that has a bound below it."""


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
        self._is_shared = not rests_on_links

    def get(self, holder: MemoHolder) -> T | None:
        """The value, None before it was put."""
        return cast("T | None", self._values(holder).get(self.name))

    def put(self, holder: MemoHolder, value: T) -> T:
        """The same value, put."""
        self._values(holder)[self.name] = value
        return value

    def _values(self, holder: MemoHolder) -> dict[str, object]:
        shared = holder.memo.get(_SHARED) if self._is_shared else None
        return holder.memo if shared is None else cast("dict[str, object]", shared)

    def drop(self, holder: MemoHolder) -> None:
        """Lets go of the value."""
        self._values(holder).pop(self.name, None)

    def once(self, holder: MemoHolder, compute: Callable[[], T]) -> T:
        """The value, computed where nobody has put it. Two threads may both compute it: it is the same."""
        known = self.get(holder)
        return self.put(holder, compute()) if known is None else known

    def put_first(self, holder: MemoHolder, value: T) -> T:
        """What was put before, else this."""
        return cast("T", self._values(holder).setdefault(self.name, value))

    def carry(self, before: MemoHolder, after: MemoHolder) -> None:
        """Hands a value on to what it is right for as well."""
        known = self.get(before)
        if known is not None:
            self.put(after, known)


class MemoTable(Memo[dict[K, V]], Generic[K, V]):
    """Values by key, filled one by one."""

    def of(self, holder: MemoHolder) -> dict[K, V]:
        """The table, which the caller may fill."""
        return self.put_first(holder, {})


class BoundedMemo(Memo[T]):
    """Values of files, of which those that were read last stay, as many as fit: of all snapshots of the process.

    While work is under way all that it reads stays: it goes back and forth between files, and would compute most of
    them each time. What does not fit goes at its end (`trim_values`), and is computed again where someone asks, with an
    equal value. Safe to use from any thread.
    """

    def __init__(
        self, name: str, weigh: Callable[[T], int], bound: int, *, rests_on_links: bool = True, grows: bool = False
    ) -> None:
        """`weigh`: about how many bytes a value takes. `bound`: how many those that stay may take. `grows`: a value
        takes more with each question, and is weighed again when work ends."""
        super().__init__(name, rests_on_links=rests_on_links)
        self._weigh, self._grows = weigh, grows
        self.bound: int = bound
        self._kept: OrderedDict[int, tuple[ref[MemoHolder], int]] = OrderedDict()
        """By identity of the file, the one read last at the end. A file that is gone takes its value with it."""
        self._gone: deque[tuple[int, ref[MemoHolder]]] = deque()
        """Files that are gone. Garbage is collected in the middle of anything, of what reads the table as well: who
        takes the lock removes them first."""
        self._lock = threading.RLock()
        self.size = 0
        """Bytes of what is kept, about."""
        _BOUNDED.append(self.trim)

    def once(self, holder: MemoHolder, compute: Callable[[], T]) -> T:
        """The value, computed where nobody has put it or where it has gone."""
        known = self.get(holder)
        if known is None:
            return self.put(holder, compute())
        with self._lock:
            self._sweep()
            if id(holder) in self._kept:
                self._kept.move_to_end(id(holder))
                return known
        return self.put(holder, known)  # it was handed on by another holder

    def put(self, holder: MemoHolder, value: T) -> T:
        """The same value, put."""
        size = self._weigh(value)
        with self._lock:
            self._sweep()
            self._forget(id(holder))
            super().put(holder, value)
            self._kept[id(holder)] = self._watched(holder), size
            self.size += size
        return value

    def trim(self) -> None:
        """Lets go of those that were read least lately, until the others fit."""
        with self._lock:
            self._sweep()
            if self._grows:
                self._weigh_again()
            while self.size > self.bound and self._kept:
                self._let_go(next(iter(self._kept)))

    def _weigh_again(self) -> None:
        for key, (watched, before) in tuple(self._kept.items()):
            holder = watched()
            value = None if holder is None else self.get(holder)
            size = 0 if value is None else self._weigh(value)
            self._kept[key] = watched, size
            self.size += size - before

    def _watched(self, holder: MemoHolder) -> ref[MemoHolder]:
        key, gone = id(holder), self._gone
        return ref(holder, lambda dead: gone.append((key, dead)))

    def _sweep(self) -> None:
        while self._gone:
            key, dead = self._gone.popleft()
            known = self._kept.get(key)
            if known is not None and known[0] is dead:  # else another file has its identity by now
                self._forget(key)

    def _let_go(self, key: int) -> None:
        holder = self._kept[key][0]()
        self._forget(key)
        if holder is not None:
            self.drop(holder)

    def _forget(self, key: int) -> None:
        known = self._kept.pop(key, None)
        if known is not None:
            self.size -= known[1]


def share_without_links(before: MemoHolder, after: MemoHolder) -> None:
    """From now on both have all values that do not rest on links, those that either of them is given too."""
    shared = before.memo.get(_SHARED)
    if shared is None:
        found = {name: value for name, value in tuple(before.memo.items()) if not _DECLARED.get(name, True)}
        # Put before the values go from where they were: a thread that misses one computes it again.
        shared = before.memo.setdefault(_SHARED, found)
        for name in found:
            before.memo.pop(name, None)
    after.memo[_SHARED] = shared
    after.memo[_BORROWS] = True


def trim_values() -> None:
    """Some work has ended: memos that have a bound keep what fits."""
    for trim in _BOUNDED:
        trim()


_VIEWS: Final = Memo[list[MemoHolder]]("views", rests_on_links=False)


def add_view(holder: MemoHolder, view: MemoHolder) -> None:
    """What a value reads in the place of its holder, and has values of its own, lasts no longer than they do."""
    _VIEWS.put_first(holder, []).append(view)


def carried_values(holder: MemoHolder) -> Mapping[str, object]:
    """All of them; the same object for all snapshots that share them."""
    return holder.memo


def drop_values(holder: MemoHolder) -> None:
    """Lets go of all of them: they are computed again where someone asks.

    What it shares stays for the holder whose it was first, and goes with that one: values there may ask through any of
    those that share them, so each of these goes on reading them.
    """
    shared = cast("dict[str, object] | None", holder.memo.get(_SHARED))
    stays = shared is not None and _BORROWS in holder.memo and _ENDED not in shared
    views = () if stays else _VIEWS.get(holder) or ()
    holder.memo.clear()
    if stays:
        holder.memo.update({_SHARED: shared, _BORROWS: True})
    elif shared is not None:
        shared.clear()
        shared[_ENDED] = True
    for view in views:
        drop_values(view)
