"""Inotify: what happened in folders by the word of the Linux kernel, without waiting.

Owns: one queue of the kernel, the folders that it tells of.
Must not know: which folders matter, what a change means.
Invariant: whatever happened in a folder after `follow` returned is in the next `drain`, or it says that some is lost;
    who waits is woken by all that a `drain` would give, and when a folder cannot be followed.

The kernel puts an event into the queue before the call that caused it returns (inotify(7)): who drains the queue knows
of every write that was made before. Reading an empty queue takes two microseconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import asyncio

_EVENT = struct.Struct("iIII")
_BUFFER = 1 << 16
_MODIFY, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED, _ONLY_FOLDERS, _IS_FOLDER = 0x4000, 0x8000, 0x1000000, 0x40000000
_ITSELF = _DELETE_SELF | _MOVE_SELF
_WANTED = _MODIFY | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _ITSELF | _ONLY_FOLDERS
"""Of inotify.h. Without `CLOSE_WRITE` a file that is mapped into memory would change unseen."""


@attrs.frozen
class InotifyEvent:
    """Something happened to this entry of a folder that is followed; `name` "": to the folder itself."""

    folder: str
    name: str
    is_folder: bool


@attrs.frozen
class InotifyBatch:
    """Everything that happened since the last time, each entry once. `lost`: there was more than the kernel holds."""

    events: tuple[InotifyEvent, ...] = ()
    lost: bool = False


_NOTHING = InotifyBatch()


class Inotify:
    """Safe to use from any thread."""

    def __init__(self, queue: int, library: ctypes.CDLL) -> None:
        self._queue = queue
        self._library = library
        self._lock = threading.RLock()
        self._folders: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self.full = False
        """The system gives no further watch: some folders are not followed."""
        self._waiting: Callable[[], object] | None = None

    @classmethod
    def opened(cls) -> Inotify | None:
        """A queue; None where the system has none to give."""
        if sys.platform != "linux":
            return None
        try:
            library = ctypes.CDLL(None, use_errno=True)
            queue = int(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        except (OSError, AttributeError):
            return None
        return cls(queue, library) if queue >= 0 else None

    def follow(self, folder: str) -> bool:
        """Whether events of the folder are in the queue from now on."""
        with self._lock:
            if folder in self._numbers:
                return True
            if self._queue < 0:
                return False
            number = int(self._library.inotify_add_watch(self._queue, os.fsencode(folder), ctypes.c_uint32(_WANTED)))
            if number < 0:
                # A folder that is gone or may not be read has nothing that a walk would list.
                if ctypes.get_errno() in (errno.ENOSPC, errno.ENOMEM):
                    self.full = True
                    self.wake()
                return False
            # A folder that was moved has the number it had.
            self._numbers.pop(self._folders.get(number, ""), None)
            self._folders[number], self._numbers[folder] = folder, number
            return True

    def drain(self) -> InotifyBatch:
        """What happened since the last time."""
        with self._lock:
            found: dict[InotifyEvent, None] = {}
            lost = False
            while raw := self._read():
                at = 0
                while at < len(raw):
                    number, mask, _, length = _EVENT.unpack_from(raw, at)
                    at += _EVENT.size
                    name = os.fsdecode(raw[at : at + length].rstrip(b"\0"))
                    at += length
                    lost = lost or bool(mask & _OVERFLOW)
                    event = self._taken(number, mask, name)
                    if event is not None:
                        found[event] = None
            return InotifyBatch(tuple(found), lost) if found or lost else _NOTHING

    async def wait(self, stop: asyncio.Event, ended: Callable[[], bool]) -> None:
        """Until there is something to drain, or `stop` is set, or `wake` was called; not at all where it `ended`."""
        import asyncio  # who awaits this has loaded it, and others need not

        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            if self._queue < 0 or ended():
                return
            # A number of its own: the other one may be closed, and given to another file, in the meantime.
            queue = os.dup(self._queue)
            self._waiting = lambda: loop.call_soon_threadsafe(ready.set)
        loop.add_reader(queue, ready.set)
        waits = [asyncio.ensure_future(event.wait()) for event in (ready, stop)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            loop.remove_reader(queue)
            os.close(queue)
            for each in waits:
                each.cancel()
            with self._lock:
                self._waiting = None

    def close(self) -> None:
        """Follows nothing any more."""
        with self._lock:
            if self._queue >= 0:
                os.close(self._queue)
            self._queue = -1
            self.wake()

    def wake(self) -> None:
        """Who waits is to look again."""
        with self._lock:
            if self._waiting is not None:
                with contextlib.suppress(RuntimeError):  # nobody waits in a loop that is closed
                    self._waiting()

    def _read(self) -> bytes:
        if self._queue < 0:
            return b""
        try:
            return os.read(self._queue, _BUFFER)
        except OSError:  # nothing is there
            return b""

    def _taken(self, number: int, mask: int, name: str) -> InotifyEvent | None:
        folder = self._folders.get(number)
        if mask & _IGNORED:
            self._folders.pop(number, None)
            if folder is not None and self._numbers.get(folder) == number:
                del self._numbers[folder]
            return None
        if folder is None:
            return None
        is_folder = bool(mask & (_IS_FOLDER | _ITSELF))
        if is_folder and mask & _MOVED_FROM:
            self._leave(os.path.join(folder, name))
        elif mask & _MOVE_SELF:  # nobody tells of the names of a root, which is in no folder that is followed
            self._leave(folder)
        return InotifyEvent(folder, name, is_folder)

    def _leave(self, folder: str) -> None:
        """What is below a folder that was moved has another name now."""
        inside = folder + os.sep
        for path in [path for path in self._numbers if path == folder or path.startswith(inside)]:
            number = self._numbers.pop(path)
            self._folders.pop(number, None)
            self._library.inotify_rm_watch(self._queue, number)
