"""Imported: what a SCIP index says about the files of a snapshot, as answers.

Owns: which documents are about present contents, which sites an index may settle, names outside the workspace.
Must not know: the bytes of an index, where answers are kept.
Invariant: a document about other contents settles nothing; an index settles only what graphls is not sure of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import attrs

from graphls.compilers.answers import Answer, CheckedFile, Goal, Outcome, basis_of
from graphls.compilers.configuration import packages_read
from graphls.compilers.overlay import ground_in, hashes_of
from graphls.compilers.precision import agrees
from graphls.compilers.scip import Document, Index, ScipError, Use, is_local, names_in
from graphls.compilers.uncertain import uncertain_rows
from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import LineIndex
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import Snapshot, rows_of

_MODULE = "__init__"
"""The last name of a module's symbol."""
_MOST_GOALS = 16
_ODD = 10
"""A document of which one definition in so many has another name in the file is about other contents."""


@attrs.frozen(eq=False)
class Imported:
    """What an index came to."""

    tool: str
    files: Mapping[FilePath, CheckedFile]
    settled: int
    """Sites that graphls was not sure of and that now have an answer."""
    agreeing: int
    """Sites that graphls was sure of, and of which the index says the same."""
    differing: int
    stale: tuple[str, ...]
    """Documents about other contents than those that are there."""
    unknown: tuple[str, ...]
    """Documents that are no files of the workspace."""


@attrs.frozen(eq=False)
class _Sheet:
    """One document beside its file. `spans`: start and end of each use, in bytes."""

    path: FilePath
    facts: FileFacts
    uses: tuple[Use, ...]
    spans: tuple[tuple[int, int], ...]


@attrs.define
class _Counts:
    settled: int = 0
    agreeing: int = 0
    differing: int = 0


def imported(snapshot: Snapshot, index: Index) -> Imported:
    """Answers of an index, by file. Raises ScipError where it is about another workspace."""
    sheets: list[_Sheet] = []
    stale: list[str] = []
    unknown: list[str] = []
    for document in index.documents:
        shard = snapshot.shards.get(FilePath(document.path))
        if shard is None or not shard.language:
            unknown.append(document.path)
            continue
        sheet = _sheet(snapshot, document)
        if sheet is None:
            stale.append(document.path)
        else:
            sheets.append(sheet)
    if not sheets:
        raise ScipError("no file of the index is in this workspace with these contents; make the index anew")
    defined = _definitions(sheets)
    counts = _Counts()
    files = {sheet.path: found for sheet in sheets if (found := _answers(snapshot, sheet, defined, counts)).rows}
    said = (counts.settled, counts.agreeing, counts.differing)
    return Imported(index.tool, files, *said, tuple(sorted(stale)), tuple(sorted(unknown)))


def _sheet(snapshot: Snapshot, document: Document) -> _Sheet | None:
    """The uses of a document as offsets; None where the file has other contents."""
    path = FilePath(document.path)
    raw = snapshot.text(path)
    if raw is None or (document.text and document.text.encode(errors="surrogatepass") != raw):
        return None
    lines, facts = LineIndex(raw), snapshot.facts(path)
    spans: list[tuple[int, int]] = []
    named = odd = 0
    for use in document.uses:
        if use.end_line >= lines.line_count:
            return None
        start = lines.offset(use.line, use.start, document.encoding)
        end = lines.offset(use.end_line, use.end, document.encoding)
        spans.append((start, end))
        if lines.position(start, document.encoding) != (use.line, use.start):
            return None  # the line is shorter
        if use.defines and start < end and not is_local(use.symbol):
            named += 1
            odd += raw[start:end].decode(errors="replace") != names_in(use.symbol)[-1]
    return None if odd * _ODD > named else _Sheet(path, facts, document.uses, tuple(spans))


def _definitions(sheets: list[_Sheet]) -> dict[tuple[str, str], list[tuple[FilePath, int]]]:
    """(Document, "" for global symbols; symbol) -> where it is defined: files and rows of their definitions."""
    found: dict[tuple[str, str], list[tuple[FilePath, int]]] = {}
    for sheet in sheets:
        starts = sheet.facts.definitions.start
        for use, (start, end) in zip(sheet.uses, sheet.spans, strict=True):
            if not use.defines:
                continue
            at = bisect_left(starts, start)
            row = at if at < len(starts) and starts[at] == start else -1
            if row >= 0 or (start == end == 0):
                found.setdefault(_key(sheet, use), []).append((sheet.path, row))
    return found


def _key(sheet: _Sheet, use: Use) -> tuple[str, str]:
    return (sheet.path if is_local(use.symbol) else "", use.symbol)


def _answers(
    snapshot: Snapshot,
    sheet: _Sheet,
    defined: Mapping[tuple[str, str], list[tuple[FilePath, int]]],
    counts: _Counts,
) -> CheckedFile:
    path, facts = sheet.path, sheet.facts
    own = snapshot.own_links(path)
    wanted = frozenset(uncertain_rows(facts, own, packages_read(path)))
    starts, ends = facts.occurrences.start, facts.occurrences.end
    goals: dict[int, dict[Goal, None]] = {}
    for use, (start, end) in zip(sheet.uses, sheet.spans, strict=True):
        if use.defines:
            continue
        for row in range(bisect_left(starts, start), len(starts)):
            if starts[row] != start:
                break
            if ends[row] == end:
                goals.setdefault(row, {}).update(dict.fromkeys(_goals(snapshot, sheet, use, defined)))
    rows: dict[int, Answer] = {}
    for row, found in goals.items():
        if not found:
            continue
        answer = Answer(Outcome.IMPORTED, tuple(sorted(found, key=_order))[:_MOST_GOALS])
        if row in wanted:
            rows[row] = answer
            counts.settled += 1
        elif rows_of(own.targets, row):
            same = agrees(snapshot, path, own, row, answer)
            counts.agreeing, counts.differing = counts.agreeing + same, counts.differing + (not same)
    hashes = hashes_of(snapshot)
    files = sorted({goal.file for answer in rows.values() for goal in answer.goals if goal.file not in ("", path)})
    targets = {file: hashes(FilePath(file)) or "" for file in files}
    basis = basis_of(ground_in(snapshot, path, own), targets)
    return CheckedFile(path, snapshot.shards[path].content, basis, tuple(files), rows)


def _goals(
    snapshot: Snapshot, sheet: _Sheet, use: Use, defined: Mapping[tuple[str, str], list[tuple[FilePath, int]]]
) -> list[Goal]:
    places = defined.get(_key(sheet, use))
    if places is None:
        names = () if is_local(use.symbol) else names_in(use.symbol)
        dotted = ".".join(names[:-1] if names and names[-1] == _MODULE else names)
        return [Goal("", EXTERNAL, dotted)] if dotted else []
    made: list[Goal] = []
    for file, row in places:
        symbol = row if file == sheet.path or row < 0 else _shown(snapshot.facts(file), row)
        if symbol >= 0 or row < 0:
            made.append(Goal(file, symbol))
    return made


def _shown(facts: FileFacts, row: int) -> int:
    surface = facts.definitions.surface
    return surface[row] if surface[row] >= 0 else surface[node_row(facts, row)]


def _order(goal: Goal) -> tuple[bool, str, int, str]:
    return (not goal.file, goal.file, goal.symbol, goal.external)
