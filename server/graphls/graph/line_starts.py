"""Line starts: where the lines of files begin, at hand for answers that show places in many files.

Owns: the packed form of it, kept with the contents of a file.
Must not know: who shows places, in which unit characters are counted.
Invariant: says of a file what its facts say.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import Column
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_MEMO = Memo["LineStarts"]("line starts")


@attrs.frozen(eq=False)
class LineStarts:
    """Lines of one file. To read all its facts for them takes a hundred times as long."""

    starts: Column
    size: int
    ascii: bool
    """Whether every character is one byte."""

    @classmethod
    def of(cls, facts: FileFacts) -> LineStarts:
        """Those of one file."""
        return cls(facts.lines, facts.size, facts.ascii)


def cached_lines(snapshot: Snapshot, path: FilePath) -> LineStarts | None:
    """Lines of a file, if they are at hand."""
    return _MEMO.get(snapshot.shards[path])


def cache_lines(snapshot: Snapshot, path: FilePath, lines: LineStarts) -> None:
    """Has them at hand as long as the file has its contents."""
    _MEMO.put(snapshot.shards[path], lines)
