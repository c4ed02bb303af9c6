"""Modules: which module imports which, as a scheme, folded to packages until it can be read.

Owns: folding, counting imports between the folds, saying what is not shown.
Must not know: places, colours, snapshots.
Invariant: no more than `limit` boxes; an import inside one fold is no line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from graphls.facts.paths import FilePath
from graphls.graph.drawing.layers import break_cycles
from graphls.graph.drawing.scheme import Box, Line, Scheme
from graphls.graph.nodes import is_test_file
from graphls.graph.records import Edge, Node, Record

MOST_BOXES = 40
_MANY_LINES = 50
_NAMED = 5
_TESTS = "(tests)"


def modules(records: Iterable[Record], limit: int = MOST_BOXES) -> Scheme:
    """The modules among some records, each at most as deep as lets no more than `limit` be drawn."""
    named: dict[str, str] = {}
    tests: set[str] = set()
    imports: list[tuple[str, str]] = []
    for record in records:
        if isinstance(record, Node) and record.kind == "module":
            named[record.id] = name = record.qualified_name or record.name
            if record.file and is_test_file(FilePath(record.file)):
                tests.add(name)
        elif isinstance(record, Edge) and record.kind == "imports":
            imports.append((record.source, record.target))
    folds = _folds(sorted(set(named.values())), tests, limit)
    members = Counter(folds[name] for name in set(named.values()) if name in folds)
    counts = Counter(
        (folds[named[source]], folds[named[target]])
        for source, target in imports
        if source in named and target in named and named[source] in folds and named[target] in folds
    )
    every = {pair: count for pair, count in sorted(counts.items()) if pair[0] != pair[1]}
    lines = every if len(every) <= _MANY_LINES else {pair: every[pair] for pair in _transitive_reduction(tuple(every))}
    loose = [fold for fold in sorted(members) if not any(fold in pair for pair in every)]
    return Scheme(
        title="Modules",
        boxes=tuple(
            Box(fold, fold or ".", _under(count), "test" if fold == _TESTS else "module")
            for fold, count in sorted(members.items())
            if fold not in loose or not every
        ),
        lines=tuple(Line(*pair, str(count) if count > 1 else "", "imports") for pair, count in lines.items()),
        notes=(*_notes(named, members, limit), *_omission_notes(loose if every else (), len(every) - len(lines))),
        down=True,
    )


def _under(count: int) -> str:
    return "module" if count == 1 else f"package, {count} modules"


def _notes(named: Mapping[str, str], members: Mapping[str, int], limit: int) -> Iterable[str]:
    names = len(set(named.values()))
    module_count = sum(members.values())
    if module_count > len(members):
        yield f"{module_count} modules, folded to {len(members)} so that the picture can be read"
    if names > module_count:
        yield f"{names - module_count} modules left out: more than {limit} even when folded"
    yield "what is outside the workspace is left out; a number counts imports"


def _omission_notes(loose: Sequence[str], lines: int) -> Iterable[str]:
    if loose:
        more = f" and {len(loose) - _NAMED} more" if loose[_NAMED:] else ""
        yield f"not drawn, for want of imports: {', '.join(loose[:_NAMED])}{more}"
    if lines:
        yield f"{lines} imports left out that lead where longer ways lead too"


def _transitive_reduction(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those that no longer way of others stands for. What closes a cycle stays."""
    forward = break_cycles(dict.fromkeys(end for pair in pairs for end in pair), pairs)
    after: dict[str, set[str]] = {}
    for pair in pairs:
        if forward[pair] == pair:
            after.setdefault(pair[0], set()).add(pair[1])
    reached = {box: _descendants(box, after) for box in after}
    for pair in pairs:
        source, target = pair
        others = after.get(source, set()) - {target}
        if forward[pair] != pair or not any(target in reached.get(other, ()) for other in others):
            yield pair


def _descendants(box: str, after: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [box]
    while waiting:
        for other in after.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _folds(names: Sequence[str], tests: Collection[str], limit: int) -> Mapping[str, str]:
    """Each name as deep as there is room for, tests in one box. Where even the first parts are too many, most stay."""
    if len(names) > limit and tests and len(tests) < len(names):
        code = [name for name in names if name not in tests]
        return {**dict.fromkeys(sorted(tests), _TESTS), **_folds(code, (), limit - 1)}
    deepest = max((name.count(".") for name in names), default=0) + 1
    for depth in range(deepest, 0, -1):
        found = {name: ".".join(name.split(".")[:depth]) for name in names}
        if len(set(found.values())) <= limit:
            return found
    firsts = [first for first, _ in Counter(name.split(".")[0] for name in names).most_common(limit)]
    top_names = frozenset(firsts)
    return {name: name.split(".")[0] for name in names if name.split(".")[0] in top_names}
