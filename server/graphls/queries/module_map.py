"""Module map: packages inside packages, and how often modules of one import those of another.

Owns: the tree of modules, imports between modules, folding both to boxes, cycles among boxes, what to unfold at first.
Must not know: records, places of boxes, how imports were resolved, where layers were declared.
Invariant: every import between two modules is counted at exactly one link or inside one box, however the map is folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.components import components
from graphls.graph.declared_layers import DeclaredLayers
from graphls.graph.errors import BadRequest
from graphls.graph.import_rows import CHECKING, LOADING, ImportRow
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import is_stub
from graphls.queries.answer import Coverage
from graphls.queries.import_lines import import_lines
from graphls.queries.scope import files_in

MAX_MODULES = 4_000
_PART = 0.7
"""Of a request, up to which imports are looked at: they have to be written out."""
MOST_LINES = 20
"""So many lines are listed of the imports from one module to another; all are counted."""
MOST_BOXES = 30
"""At first a map is unfolded while it has no more boxes than this."""
_FEW = 12
"""Fewer boxes say so little that more than most are better."""
TESTS = "(tests)"
"""Tests that stand beside no package."""


@attrs.frozen
class MapModule:
    """One module. `parts` lead to it from the outermost package; tests beside no package stand in one of their own."""

    name: str
    parts: tuple[str, ...]
    file: FilePath
    test: bool
    layer: str = ""
    """The declared name that it belongs to."""


@attrs.frozen
class MapImport:
    """The imports of one module by another, by their places in `modules`. `count`: lines that import it;
    packages that are only on the way to what a line names are not imported by it."""

    source: int
    target: int
    count: int
    later: int
    """How many of them do not run while the module loads: inside functions or for a type checker only."""
    lines: tuple[int, ...]
    """Of the source, from 1, capped."""
    against: int = 0
    """How many of them are against the declared layers: of no test, and not for a type checker only."""


@attrs.frozen
class ModuleMap:
    """All modules of a scope, by parts, with the imports among them."""

    modules: tuple[MapModule, ...]
    imports: tuple[MapImport, ...]
    coverage: Coverage
    layers: tuple[tuple[str, ...], ...] = ()
    """Those of the declared ones in which the scope has a module, from the highest to the lowest."""


@attrs.frozen
class MapBox:
    """A module, or a package that is folded. `id`: its parts with `/` between them."""

    id: str
    modules: int
    test: bool
    file: FilePath
    """Of the module, or of the first of the package."""
    inside: int
    """Imports among its own modules."""


@attrs.frozen
class MapLink:
    """Imports of one box by another."""

    source: str
    target: str
    count: int
    later: int
    against: int = 0


@attrs.frozen
class FoldedMap:
    """What is seen of a map. Boxes stand before what they import, but for cycles. `cycles`: groups of boxes that all
    import each other while they load, in some way."""

    boxes: tuple[MapBox, ...]
    links: tuple[MapLink, ...]
    cycles: tuple[tuple[str, ...], ...]
    unfolded: tuple[str, ...]


def module_map(snapshot: Snapshot, scope: str = "", layers: Sequence[Sequence[str]] = ()) -> ModuleMap:
    """The modules of a scope and the imports among them, in these declared layers. Reads the links of all files."""
    declared = DeclaredLayers(layers)
    named: dict[str, FilePath] = {}
    for path in files_in(snapshot, scope):
        name = _name(snapshot, path)
        known = named.get(name)
        if known is None or (is_stub(known) and not is_stub(path)):
            named[name] = path
    kept = dict(sorted(named.items())[:MAX_MODULES])
    tops = {_split(name, path)[0] for name, path in kept.items() if not is_test_file(path)}
    modules = sorted((_module(name, path, tops, declared) for name, path in kept.items()), key=lambda one: one.parts)
    omitted = len(named) - len(kept)
    imports, cut = _imports(snapshot, files_in(snapshot, scope), modules, declared)
    taken = {one.layer for one in modules}
    return ModuleMap(
        tuple(modules),
        imports,
        Coverage(truncated=omitted > 0 or cut, omitted=omitted),
        tuple(tuple(layer) for layer in layers if taken.intersection(layer)),
    )


def _module(name: str, path: FilePath, tops: Collection[str], declared: DeclaredLayers) -> MapModule:
    parts, test = _split(name, path), is_test_file(path)
    within = (TESTS, *parts) if test and parts[0] not in tops else parts
    return MapModule(name, within, path, test, "" if test else declared.name_of(name))


def _split(name: str, path: FilePath) -> tuple[str, ...]:
    """Names of modules are paths in some languages, and have dots or colons between their parts in others."""
    return tuple(part for part in name.split(_mark(name, path)) if part) or (name,)


def _mark(name: str, path: FilePath) -> str:
    return "/" if "/" in name or name == path else "::" if "::" in name else "."


def _imports(
    snapshot: Snapshot, files: Iterable[FilePath], modules: Sequence[MapModule], declared: DeclaredLayers
) -> tuple[tuple[MapImport, ...], bool]:
    numbers = {one.name: number for number, one in enumerate(modules)}
    ancestors = [frozenset(_ancestors(one, numbers)) for one in modules]
    lines: dict[tuple[int, int], list[int]] = {}
    counts = _LineCounts()
    snapshot.take_in_links()
    for path in files:
        source = numbers.get(_name(snapshot, path))
        if source is None or not snapshot.shards[path].language:
            continue
        if is_spent_to(_PART):
            return _counted(lines, counts), True
        for line, targets in _by_line(snapshot, import_lines(snapshot, path), numbers).items():
            passed = frozenset[int]().union(*(ancestors[target] for target in targets))
            for target in targets.keys() - passed - {source}:
                lines.setdefault((source, target), []).append(line)
                counts.later[source, target] += targets[target] != LOADING
                if declared.is_against(modules[source].layer, modules[target].layer):
                    counts.against[source, target] += targets[target] != CHECKING
    return _counted(lines, counts), False


def _by_line(
    snapshot: Snapshot, imports: Iterable[ImportRow], numbers: Mapping[str, int]
) -> Mapping[int, Mapping[int, int]]:
    """Modules that lines bring in, with when each does so: the earliest."""
    found: dict[int, dict[int, int]] = {}
    for line, file, when in imports:
        target = numbers.get(_name(snapshot, FilePath(file)))
        if target is not None:
            targets = found.setdefault(line, {})
            targets[target] = min(when, targets.get(target, CHECKING))
    return found


@attrs.frozen
class _LineCounts:
    """Of lines, for each pair of modules."""

    later: Counter[tuple[int, int]] = attrs.field(factory=Counter["tuple[int, int]"])
    against: Counter[tuple[int, int]] = attrs.field(factory=Counter["tuple[int, int]"])


def _ancestors(module: MapModule, numbers: Mapping[str, int]) -> Iterator[int]:
    """Modules of the packages around a module: a line that names it names them on the way."""
    name, mark = module.name, _mark(module.name, module.file)
    while mark in name:
        name = name.rpartition(mark)[0]
        if name in numbers:
            yield numbers[name]


def _counted(lines: Mapping[tuple[int, int], Sequence[int]], counts: _LineCounts) -> tuple[MapImport, ...]:
    return tuple(
        MapImport(*pair, len(found), counts.later[pair], tuple(sorted(found)[:MOST_LINES]), counts.against[pair])
        for pair, found in sorted(lines.items())
    )


def _name(snapshot: Snapshot, path: FilePath) -> str:
    return snapshot.module_name(path).dotted or path


# Folding


def folded(found: ModuleMap, unfolded: Collection[str]) -> FoldedMap:
    """The map with these packages unfolded, each of which needs those around it to be unfolded too."""
    packages = frozenset(_packages(found.modules))
    unknown = sorted(set(unfolded) - packages)
    if unknown:
        raise BadRequest(f"{unknown[0]!r} is no package of the map.")
    homes = [_home(one, packages, frozenset(unfolded)) for one in found.modules]
    inside, counts, later = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    against = Counter[tuple[str, str]]()
    for one in found.imports:
        source, target = homes[one.source], homes[one.target]
        if source == target:
            inside[source] += one.count
        else:
            counts[source, target] += one.count
            later[source, target] += one.later
            against[source, target] += one.against
    members: dict[str, list[MapModule]] = {}
    for module, home in zip(found.modules, homes, strict=True):
        members.setdefault(home, []).append(module)
    cycles = tuple(_cycles(members, counts, later))
    return FoldedMap(
        boxes=tuple(_box(home, members[home], inside[home]) for home in _in_order(members, counts, cycles)),
        links=tuple(MapLink(*pair, count, later[pair], against[pair]) for pair, count in sorted(counts.items())),
        cycles=cycles,
        unfolded=tuple(sorted(unfolded)),
    )


def first_unfolded(found: ModuleMap, most: int = MOST_BOXES) -> tuple[str, ...]:
    """What is unfolded at first: packages of several declared layers, packages alone in theirs, then the largest while
    there are few enough boxes."""
    packages = _packages(found.modules)
    unfolded = _of_several_layers(found.modules) if found.layers else set[str]()
    while True:
        shown = Counter(_home(one, packages, unfolded) for one in found.modules)
        folds = [box for box in shown if box in packages]
        best = max(folds, key=lambda box: (not box.startswith(TESTS), shown[box], box), default="")
        if not best or (best.startswith(TESTS) and len(shown) > 1):
            return tuple(sorted(unfolded))
        after = len({_home(one, packages, {*unfolded, best}) for one in found.modules})
        if after > (most if len(shown) >= _FEW else 2 * most) and len(shown) > 1:
            return tuple(sorted(unfolded))
        unfolded.add(best)


def _of_several_layers(modules: Iterable[MapModule]) -> set[str]:
    layers: dict[str, set[str]] = {}
    for one in modules:
        for end in range(1, len(one.parts)):
            layers.setdefault("/".join(one.parts[:end]), set()).add(one.layer)
    return {box for box, names in layers.items() if len(names - {""}) > 1}


def to_depth(found: ModuleMap, depth: int) -> tuple[str, ...]:
    """Packages to unfold so that boxes have no more than so many parts."""
    return tuple(sorted(box for box in _packages(found.modules) if box.count("/") + 1 < depth))


def _packages(modules: Iterable[MapModule]) -> Mapping[str, int]:
    """Ids of all packages with the number of their modules."""
    return Counter("/".join(one.parts[:end]) for one in modules for end in range(1, len(one.parts)))


def _home(module: MapModule, packages: Collection[str], unfolded: Collection[str]) -> str:
    """The box that a module is seen in: the outermost package that is not unfolded, else the module."""
    parts = module.parts
    for end in range(1, len(parts) + 1):
        box = "/".join(parts[:end])
        if box not in unfolded:
            return box
    # The module of a package that is unfolded stands in it beside the others, under the name of its file.
    return f"{'/'.join(parts)}/{module.file.rpartition('/')[2]}"


def _box(home: str, modules: Sequence[MapModule], inside: int) -> MapBox:
    return MapBox(home, len(modules), all(one.test for one in modules), modules[0].file, inside)


def _cycles(
    boxes: Iterable[str], counts: Mapping[tuple[str, str], int], later: Mapping[tuple[str, str], int]
) -> Iterator[tuple[str, ...]]:
    graph: dict[str, list[str]] = {box: [] for box in boxes}
    for (source, target), count in counts.items():
        if count > later[source, target]:
            graph[source].append(target)
    yield from components(graph)


def _in_order(
    boxes: Collection[str], counts: Mapping[tuple[str, str], int], cycles: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Boxes that nothing imports first; a cycle stands together, what imports most of it first."""
    group = {box: min(cycle) for cycle in cycles for box in cycle}
    members: dict[str, list[str]] = {}
    for box in sorted(boxes):
        members.setdefault(group.get(box, box), []).append(box)
    after: dict[str, set[str]] = {one: set() for one in members}
    balance = Counter[str]()
    for (source, target), count in counts.items():
        one, other = group.get(source, source), group.get(target, target)
        if one != other:
            after[one].add(other)
        else:
            balance.update({source: count, target: -count})
    yield from (box for one in _sorted(after) for box in sorted(members[one], key=lambda box: (-balance[box], box)))


def _sorted(after: Mapping[str, Collection[str]]) -> Iterator[str]:
    """By Kahn. What runs later may close a circle: the one with the fewest before it is then taken out of it."""
    before = Counter(other for others in after.values() for other in others)
    left = dict.fromkeys(sorted(after))
    while left:
        box = min(left, key=lambda one: (before[one], one))
        del left[box]
        before.subtract(after[box])
        yield box
