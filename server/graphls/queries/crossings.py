"""Crossings: what the repositories of one workspace use of each other.

Owns: edges whose ends are in two repositories, by pair and kind; requirements that a repository of the workspace meets.
Must not know: how repositories were found, git, words for people.
Invariant: every edge of the graph between two repositories is counted once, with the way by which it is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import end_name
from graphls.graph.packages import merged_requirements, normal_name
from graphls.graph.snapshot import Snapshot

_SHOWN: Final = 3


@attrs.frozen
class Crossing:
    """Edges of one kind from one repository to another. `via`: the contract where no import ties them, else "".
    `examples`: `source -> target`, the first few."""

    consumer: str
    provider: str
    kind: str
    via: str
    edges: int
    ambiguous: int
    examples: tuple[str, ...]


@attrs.frozen
class PackageCrossing:
    """A package of one repository that another one requires. `here`: its version in the workspace, "" where none is
    said; whether it fits is for the installer to say."""

    consumer: str
    provider: str
    package: str
    wanted: tuple[str, ...]
    here: str


@attrs.frozen
class RepositoryCrossings:
    """All that crosses, by names of repositories."""

    crossings: tuple[Crossing, ...]
    packages: tuple[PackageCrossing, ...]


def crossings(snapshot: Snapshot, names: Sequence[str]) -> RepositoryCrossings:
    """`names`: first parts of paths, one a repository."""
    known = frozenset(names)
    counts: Counter[tuple[str, str, str, str]] = Counter()
    ambiguous: Counter[tuple[str, str, str, str]] = Counter()
    examples: dict[tuple[str, str, str, str], list[str]] = {}
    for path in snapshot.shards if len(known) > 1 else ():
        consumer = _repository(path)
        for edge, target in _leaving(snapshot, path):
            provider = _repository(target)
            if provider == consumer or provider not in known or consumer not in known:
                continue
            key = consumer, provider, edge.kind, str(edge.attributes.get("via", ""))
            counts[key] += 1
            ambiguous[key] += edge.ambiguous
            shown = examples.setdefault(key, [])
            if len(shown) < _SHOWN:
                shown.append(f"{end_name(snapshot, edge.source)} -> {end_name(snapshot, edge.target)}")
    found = tuple(Crossing(*key, counts[key], ambiguous[key], tuple(examples[key])) for key in sorted(counts))
    return RepositoryCrossings(found, tuple(sorted(_packages(snapshot), key=attrs.astuple)))


def _leaving(snapshot: Snapshot, path: FilePath) -> Iterator[tuple[RawEdge, FilePath]]:
    for edge in edges_from(snapshot, path):
        if not isinstance(edge.target, str):
            yield edge, edge.target.file


def _packages(snapshot: Snapshot) -> Iterator[PackageCrossing]:
    owners = {normal_name(one.name): (folder, one) for folder, one in sorted(snapshot.declared.items()) if one.name}
    for folder, declared in sorted(snapshot.declared.items()):
        for name, attributes in merged_requirements([declared]).items():
            owner = owners.get(normal_name(name))
            if owner is None or _repository(owner[0]) == _repository(folder):
                continue
            wanted = attributes.get("versions", ())
            texts = tuple(wanted) if not isinstance(wanted, str | bool) else ()
            yield PackageCrossing(_repository(folder), _repository(owner[0]), owner[1].name, texts, owner[1].version)


def _repository(path: FilePath) -> str:
    return path.partition("/")[0]
