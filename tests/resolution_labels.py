"""Resolution labels: what the marks of a fixture expect of resolution, and which of them do not hold.

`def:x` names a range. `ref:x` (or `ref:x,y`) is a use that must answer exactly these ranges, `first:x` one whose
best answer is this range, `ext:a.b` one that must lead outside to `a.b`, `unresolved:REASON` one that must stay without
an answer for this reason. `runs:x` (or `runs:x,y?`) is a construct or a call that runs exactly these ranges without
naming them, those with a question mark only possibly; `runs:nothing` one that runs none.
"""

from __future__ import annotations

from fixture_text import Fixture, Mark
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot


def wrong_labels(snapshot: Snapshot, parsed: Fixture) -> list[str]:
    """Every label that does not hold, in words."""
    labelled = [mark for mark in parsed.marks if not mark.name.startswith("def:")]
    assert labelled
    return [text for mark in labelled for text in _wrong(snapshot, parsed, mark)]


def _wrong(snapshot: Snapshot, parsed: Fixture, mark: Mark) -> list[str]:
    kind, _, name = mark.name.partition(":")
    if kind == "runs":
        named = [] if name == "nothing" else name.split(",")
        got, wanted = _run(snapshot, mark), sorted(_run_label(parsed, part) for part in named)
        return [] if got == wanted else [f"{mark.path}:{_line(parsed, mark)} {mark.name}: {got}, not {wanted}"]
    got = _answer(snapshot, mark)
    if kind == "ref":
        wanted = sorted(_label(parsed, part) for part in name.split(","))
    elif kind == "ext":
        wanted = [name]
    elif kind == "first":
        got, wanted = _answer(snapshot, mark, first=True), [_label(parsed, name)]
    else:
        wanted = [f"unresolved {name}"]
    return [] if got == wanted else [f"{mark.path}:{_line(parsed, mark)} {mark.name}: {got}, not {wanted}"]


def _line(parsed: Fixture, mark: Mark) -> int:
    return parsed.files[mark.path][: mark.start].count(b"\n") + 1


def _run_label(parsed: Fixture, name: str) -> str:
    return _label(parsed, name.rstrip("?")) + "?" * name.endswith("?")


def _run(snapshot: Snapshot, mark: Mark) -> list[str]:
    """Ends of the names of what a construct or a call runs that does not name it."""
    path = FilePath(mark.path)
    facts, links = snapshot.facts(path), snapshot.links(path)
    table, constructs, uses = links.implicit, facts.constructs, facts.occurrences
    found: set[str] = set()
    for index, row in enumerate(table.occurrence):
        first = len(constructs)
        end = constructs.end[row] if row < first else uses.end[row - first]
        if end == mark.end:
            file = FilePath(links.files[table.file[index]])
            definition = table.symbol[index]
            if table.file[index]:
                definition = snapshot.definition_of_symbol(file, definition)
            possible = table.ambiguous[index] or table.confidence[index] < 95
            found.add(f"{file}:{snapshot.facts(file).definitions.end[definition]}" + "?" * bool(possible))
    return sorted(found)


def _label(parsed: Fixture, name: str) -> str:
    mark = parsed.one(f"def:{name}")
    return f"{mark.path}:{mark.end}"


def _answer(snapshot: Snapshot, mark: Mark, *, first: bool = False) -> list[str]:
    """Ends of the answered names: a label under the first column starts one byte late, its end is exact."""
    path = FilePath(mark.path)
    table = snapshot.facts(path).occurrences
    rows = [row for row, end in enumerate(table.end) if end == mark.end]
    assert rows, f"no occurrence ends at {mark.path}:{mark.end}"
    found: set[str] = set()
    for row in rows:
        for target in snapshot.targets(path, row)[: 1 if first else None]:
            if target.place is None:
                found.add(target.external)
            elif target.place.definition < 0:
                found.add(target.place.file)
            else:
                ends = snapshot.facts(target.place.file).definitions.end
                found.add(f"{target.place.file}:{ends[target.place.definition]}")
        unresolved = snapshot.links(path).unresolved
        if row in unresolved.occurrence:
            reason = unresolved.reason[unresolved.occurrence.index(row)]
            found.add(f"unresolved {UnresolvedReason(reason).name}")
    return sorted(found)
