"""Communities: files that belong together by imports and by history, what is central, what crosses between them.

Owns: weights of edges between files, the communities, their cohesion, surprises and their points.
Must not know: where history comes from, layout.
Invariant: a function of imports and history: files and edges are taken in order of path, and the seed is fixed.

Communities come from the Louvain method (Blondel, Guillaume, Lambiotte, Lefebvre 2008) as networkx has it: well kept,
in plain Python, under a BSD licence; igraph and leidenalg, which would be faster, are under the GPL.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from importlib.util import find_spec
from typing import Final

import attrs

from graphls.analysis.git_signals import GitSignals
from graphls.analysis.shared_packages import seen_packages, shared_package
from graphls.analysis.views import Views, is_test
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import BudgetSpentError

_IMPORT, _MOST_CHANGES, _HIDDEN, _LEAST_CHANGES = 3, 10, 2, 3
"""Weights: an import between two files, at most so many common commits, commits without an import; below so many common
commits nothing is said."""
_SEED: Final = 1
_SHOWN: Final = 5
_Imports = frozenset[tuple[FilePath, FilePath]]
"""Pairs of files: the first imports the second."""
_POINTS: Final[Mapping[str, int]] = {
    "other top folder": 5, "other language": 6, "no import between them": 8, "production and test": 7,
}  # fmt: skip


@attrs.frozen
class FileTie:
    """Two files, in order of path. `imports`: one imports the other; `changes`: commits in common that count; `shared`:
    they need no import, for one sees the package of the other."""

    one: FilePath
    other: FilePath
    imports: bool
    changes: int
    shared: bool = False

    @property
    def weight(self) -> int:
        """How strongly they belong together."""
        hidden = _HIDDEN if self.changes and not (self.imports or self.shared) else 0
        return (_IMPORT if self.imports else 0) + min(self.changes, _MOST_CHANGES) + hidden


@attrs.frozen(kw_only=True)
class Community:
    """Files that belong together. `central`: those with most weight inside, with it; `ties`: the strongest inside;
    `cohesion`: part of the weight at its files that stays inside."""

    name: str
    """The folder of most of its files, and the most central one."""
    members: tuple[FilePath, ...]
    central: tuple[tuple[FilePath, int], ...]
    ties: tuple[FileTie, ...]
    cohesion: float


@attrs.frozen(kw_only=True)
class Surprise:
    """A tie that crosses a border. `points`: the sum of the reasons' points and of the common commits."""

    tie: FileTie
    reasons: tuple[str, ...]
    points: int


@attrs.frozen(kw_only=True)
class FileCommunities:
    """Largest first. `alone`: files that nothing ties to another."""

    communities: tuple[Community, ...]
    surprises: tuple[Surprise, ...]
    alone: int


def can_find_communities() -> bool:
    """Whether the library that finds them is installed."""
    return find_spec("networkx") is not None


def file_communities(views: Views, signals: GitSignals | None) -> FileCommunities:
    """The communities of the files that people of the project maintain; by the imports of those that were looked at,
    where a request may do no more. Needs networkx."""
    judged, known = list[FilePath](), set[tuple[FilePath, FilePath]]()
    with contextlib.suppress(BudgetSpentError):
        judged.extend(views.sources(tests=True))
    with contextlib.suppress(BudgetSpentError):
        for path in judged:
            known.update(views.import_pairs(path))
    shards = views.snapshot.shards
    files = tuple((path, shards[path].language, shared_package(views, path)) for path in judged)
    found = _tied(files, frozenset(known), signals)
    return FileCommunities(communities=found.communities, surprises=found.surprises, alone=len(files) - found.tied)


@attrs.frozen(eq=False)
class _TiedFiles:
    """What the ties between files make: `tied` files are in it."""

    communities: tuple[Community, ...]
    tied: int
    surprises: tuple[Surprise, ...]


@lru_cache(maxsize=2)
def _tied(files: tuple[tuple[FilePath, str, str], ...], imports: _Imports, signals: GitSignals | None) -> _TiedFiles:
    """Of files, their languages and the packages that they share. Most edits leave all imports as they are."""
    languages = {path: language for path, language, _ in files}
    packages = {path: package for path, _, package in files if package}
    inner = frozenset(pair for pair in imports if pair[1] in languages)
    ties = tuple(_ties(languages.keys(), inner, packages, signals))
    surprises = sorted(_surprises(languages, ties, inner), key=lambda one: (-one.points, one.tie.one, one.tie.other))
    return _TiedFiles(*_grouped(ties), tuple(surprises))


@lru_cache(maxsize=2)
def _grouped(ties: tuple[FileTie, ...]) -> tuple[tuple[Community, ...], int]:
    """The communities that ties make, and how many files they tie. Most edits leave all ties as they are."""
    weights = dict.fromkeys(sorted({path for tie in ties for path in (tie.one, tie.other)}), 0)
    for tie in ties:
        for path in (tie.one, tie.other):
            weights[path] += tie.weight
    parted = _louvain(weights, ties)
    of = {path: number for number, members in enumerate(parted) for path in members}
    inner: list[list[FileTie]] = [[] for _ in parted]
    for tie in ties:
        if of[tie.one] == of[tie.other]:
            inner[of[tie.one]].append(tie)
    found = [_community(members, inside, weights) for members, inside in zip(parted, inner, strict=True)]
    return tuple(sorted(found, key=lambda one: (-len(one.members), one.name))), len(weights)


def _ties(
    files: Set[FilePath], directed: _Imports, packages: Mapping[FilePath, str], signals: GitSignals | None
) -> Iterator[FileTie]:
    imports = {pair if pair[0] < pair[1] else (pair[1], pair[0]) for pair in directed}
    changes: dict[tuple[FilePath, FilePath], int] = {}
    for path in sorted(files):
        known = signals.files.get(path) if signals is not None else None
        for other in known.changes_often_with(_LEAST_CHANGES) if known is not None else ():
            if path < other.path and FilePath(other.path) in files:
                changes[path, FilePath(other.path)] = other.count
    seen = seen_packages(files, directed, packages)
    for pair in sorted(imports | changes.keys()):
        known = any(packages.get(there) in seen[here] for here, there in (pair, pair[::-1]))
        yield FileTie(*pair, pair in imports, changes.get(pair, 0), known)


def _louvain(files: Iterable[FilePath], ties: Iterable[FileTie]) -> list[tuple[FilePath, ...]]:
    from networkx import Graph, community  # few questions want it, and it takes a while to load

    graph = Graph()
    graph.add_nodes_from(files)
    for tie in ties:
        graph.add_edge(tie.one, tie.other, weight=tie.weight)
    found = community.louvain_communities(graph, weight="weight", seed=_SEED)
    return [tuple(FilePath(path) for path in sorted(members)) for members in found]


def _community(members: tuple[FilePath, ...], inner: Sequence[FileTie], weights: Mapping[FilePath, int]) -> Community:
    inside = dict.fromkeys(members, 0)
    for tie in inner:
        inside[tie.one] += tie.weight
        inside[tie.other] += tie.weight
    whole = sum(weights[path] for path in members)
    central = tuple(sorted(inside.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN])
    return Community(
        name=_name(members, central[0][0]),
        members=members,
        central=central,
        ties=tuple(sorted(inner, key=lambda tie: (-tie.weight, tie.one, tie.other))[:_SHOWN]),
        cohesion=round(sum(inside.values()) / whole, 2) if whole else 0.0,
    )


def _name(members: Sequence[FilePath], central: FilePath) -> str:
    """Each file is in one community, so no two have one name."""
    folder = ""
    counts = Counter(parent for path in members for parent in _folders(path))
    for parent, count in counts.items():
        if count * 2 > len(members) and len(parent) > len(folder):
            folder = parent
    if not folder:
        return central
    return f"{folder} ({central.removeprefix(f'{folder}/')})"


def _folders(path: FilePath) -> Iterator[str]:
    while path:
        path = FilePath(path.rpartition("/")[0])
        if path:
            yield path


def _surprises(languages: Mapping[FilePath, str], ties: Iterable[FileTie], imports: _Imports) -> Iterator[Surprise]:
    """Ties across borders: an import across top folders alone is none, and neither is that a test imports."""
    for tie in ties:
        reasons: list[str] = []
        if tie.one.partition("/")[0] != tie.other.partition("/")[0]:
            reasons.append("other top folder")
        if languages[tie.one] != languages[tie.other]:
            reasons.append("other language")
        if not (tie.imports or tie.shared):
            reasons.append("no import between them")
        elif tie.imports and is_test(tie.one) != is_test(tie.other) and _imports_test(tie, imports):
            reasons.append("production and test")
        if reasons and reasons != ["other top folder"]:
            yield Surprise(tie=tie, reasons=tuple(reasons), points=sum(_POINTS[one] for one in reasons) + tie.changes)


def _imports_test(tie: FileTie, imports: _Imports) -> bool:
    """Whether the production file of the two imports the test."""
    return ((tie.one, tie.other) if is_test(tie.other) else (tie.other, tie.one)) in imports
