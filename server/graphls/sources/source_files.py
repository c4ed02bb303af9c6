"""Source files: what walking and reading hand out.

Owns: the values FoundFile, SkippedSource, SourceText, Stamp.
Must not know: how they are obtained.
Invariant: a SkippedSource always says why, in words for people.
"""

from __future__ import annotations

import attrs

from graphls.facts.paths import FilePath


@attrs.frozen
class Stamp:
    """What a file looked like from outside; equal stamps suggest, never prove, equal contents."""

    size: int
    mtime_ns: int
    inode: int = 0


@attrs.frozen
class FoundFile:
    path: FilePath
    size: int
    mtime_ns: int
    inode: int = 0

    @property
    def stamp(self) -> Stamp:
        return Stamp(self.size, self.mtime_ns, self.inode)


@attrs.frozen
class SkippedSource:
    path: FilePath
    reason: str
    whole_folder: bool = False
    """Nothing below it was looked at: whatever it holds is missing."""
    gone: bool = False
    """There is no such file any more."""


@attrs.frozen
class SourceText:
    """Always valid UTF-8 without NUL, translated where the file is written otherwise; its BOM of UTF-8 and CRLF are
    kept."""

    data: bytes
    stamp: Stamp
