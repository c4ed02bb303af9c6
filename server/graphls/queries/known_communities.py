"""Known communities: which community each file belongs to, where somebody has asked for all of them.

Owns: the names of communities by file, of one snapshot; which of them an answer touches.
Must not know: how communities are found.
Invariant: what nobody has found is not known, rather than none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot


@attrs.frozen(eq=False)
class _CommunityNames:
    by_file: Mapping[FilePath, str]


_KNOWN: Final = Memo[_CommunityNames]("communities by file")


def note_communities(snapshot: Snapshot, names: Mapping[FilePath, str]) -> None:
    """What was found of a whole workspace: names of communities by file; files with no tie are left out."""
    _KNOWN.put(snapshot, _CommunityNames(names))


def communities_touched(snapshot: Snapshot, files: Iterable[FilePath]) -> tuple[str, ...] | None:
    """Those that files belong to, the one with most of them first; None where nobody has found any."""
    known = _KNOWN.get(snapshot)
    if known is None:
        return None
    counts = Counter(known.by_file[file] for file in set(files) if file in known.by_file)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))
