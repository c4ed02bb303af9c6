"""Paths and offsets: how facts name files, bytes and contents.

Owns: the `NewType`s for them.
Must not know: the disk, URIs, editors.
Invariant: a FilePath is workspace-relative, posix, never absolute and never contains `..`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NewType, TypeVar

T = TypeVar("T")

FilePath = NewType("FilePath", str)
"""Workspace-relative posix path; with several folders `<folder name>/<relative>`."""

ByteOffset = NewType("ByteOffset", int)
"""Offset in the UTF-8 bytes of one file."""

ContentHash = NewType("ContentHash", str)
"""32 hex digits of BLAKE2b-128 over the bytes of a file."""


def ending_of(path: str) -> str:
    """The ending of a file's name in lower case, with the dot; "" where the name has none."""
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def enclosing_folders(folder: str) -> Iterator[str]:
    """A folder and those around it; the workspace last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def shared_folders(one: str, other: str) -> int:
    """How many folders from the top two files share."""
    return _equal(one.split("/")[:-1], other.split("/")[:-1])


def nearest(path: str, found: Iterable[T], file: Callable[[T], str]) -> list[T]:
    """Those whose files share the most folders with a path, in their order."""
    each = list(found)
    near = [shared_folders(file(one), path) for one in each]
    most = max(near, default=0)
    return [one for one, count in zip(each, near, strict=True) if count == most]


def shared_parts(one: str, other: str) -> int:
    """The same of all parts of two paths, also of the name of a file."""
    return _equal(one.split("/"), other.split("/"))


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for ours, theirs in zip(one, other, strict=False):
        if ours != theirs:
            break
        count += 1
    return count
