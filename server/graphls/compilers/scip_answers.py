"""Scip answers: what a SCIP index says about the files of a snapshot, as answers.

Owns: which documents are about present contents, which sites an index may settle, names outside the workspace.
Must not know: the bytes of an index, where answers are kept.
Invariant: a document about other contents settles nothing; an index settles only what graphls is not sure of.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Set

import attrs

from graphls.compilers.answers import AnswerTarget, CheckedFile, SiteAnswer, SiteOutcome, basis_of
from graphls.compilers.configuration import packages_read
from graphls.compilers.overlay import dependency_key_in, hashes_of
from graphls.compilers.precision import agrees
from graphls.compilers.scip import (
    ScipDocument,
    ScipError,
    ScipIndex,
    ScipUse,
    is_local,
    names_in,
    own_packages,
    package_of,
)
from graphls.compilers.scip_facts import spans_of
from graphls.compilers.uncertain import uncertain_rows
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.nodes import symbol_row
from graphls.graph.snapshot import Snapshot, rows_of

_MODULE = "__init__"
"""The last name of a module's symbol."""
_MOST_GOALS = 16


@attrs.frozen(eq=False)
class IndexImport:
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
    known: tuple[str, ...] = ()
    """Files that graphls does not read itself."""


@attrs.frozen(eq=False)
class _DocumentMatch:
    """One document beside its file. `spans`: start and end of each use, in bytes."""

    path: FilePath
    facts: FileFacts
    uses: tuple[ScipUse, ...]
    spans: tuple[tuple[int, int], ...]


@attrs.frozen(eq=False)
class _IndexSymbols:
    """What an index defines. `packages`: those that these symbols are in."""

    defined: Mapping[tuple[str, str], list[tuple[FilePath, int]]]
    packages: Set[str]


@attrs.define
class _Counts:
    settled: int = 0
    agreeing: int = 0
    differing: int = 0


def import_index(snapshot: Snapshot, index: ScipIndex, apart: Collection[FilePath] = ()) -> IndexImport:
    """Answers of an index, by file, but for these files. Raises ScipError where it is about another workspace."""
    matches: list[_DocumentMatch] = []
    stale: list[str] = []
    unknown: list[str] = []
    for document in index.documents:
        shard = snapshot.shards.get(FilePath(document.path))
        if document.path in apart:
            continue
        if shard is None or not shard.language:
            unknown.append(document.path)
            continue
        match = _match_document(snapshot, document)
        if match is None:
            stale.append(document.path)
        else:
            matches.append(match)
    if not matches and not apart:
        raise ScipError("no file of the index is in this workspace with these contents; make the index anew")
    defined = _definitions(matches)
    own = own_packages(index)
    counts = _Counts()
    files = {
        match.path: found
        for match in matches
        if (found := _answers(snapshot, match, _IndexSymbols(defined, own), counts)).rows
    }
    totals = (counts.settled, counts.agreeing, counts.differing)
    return IndexImport(index.tool, files, *totals, tuple(sorted(stale)), tuple(sorted(unknown)))


def _match_document(snapshot: Snapshot, document: ScipDocument) -> _DocumentMatch | None:
    """The uses of a document as offsets; None where the file has other contents."""
    path = FilePath(document.path)
    raw = snapshot.text(path)
    spans = None if raw is None else spans_of(document, raw)
    return None if spans is None else _DocumentMatch(path, snapshot.facts(path), document.uses, tuple(spans))


def _definitions(matches: list[_DocumentMatch]) -> dict[tuple[str, str], list[tuple[FilePath, int]]]:
    """(Document, "" for global symbols; symbol) -> where it is defined: files and rows of their definitions."""
    found: dict[tuple[str, str], list[tuple[FilePath, int]]] = {}
    for match in matches:
        starts = match.facts.definitions.start
        for use, (start, end) in zip(match.uses, match.spans, strict=True):
            if not use.defines:
                continue
            at = bisect_left(starts, start)
            row = at if at < len(starts) and starts[at] == start else -1
            if row >= 0 or (start == end == 0):
                found.setdefault(_key(match, use), []).append((match.path, row))
    return found


def _key(match: _DocumentMatch, use: ScipUse) -> tuple[str, str]:
    return (match.path if is_local(use.symbol) else "", use.symbol)


def _answers(
    snapshot: Snapshot,
    match: _DocumentMatch,
    symbols: _IndexSymbols,
    counts: _Counts,
) -> CheckedFile:
    path, facts = match.path, match.facts
    own = snapshot.own_links(path)
    wanted = frozenset(uncertain_rows(facts, own, packages_read(path)))
    starts, ends = facts.occurrences.start, facts.occurrences.end
    targets_by_row: dict[int, dict[AnswerTarget, None]] = {}
    for use, (start, end) in zip(match.uses, match.spans, strict=True):
        if use.defines:
            continue
        for row in range(bisect_left(starts, start), len(starts)):
            if starts[row] != start:
                break
            if ends[row] == end:
                targets_by_row.setdefault(row, {}).update(dict.fromkeys(_targets(snapshot, match, use, symbols)))
    rows: dict[int, SiteAnswer] = {}
    for row, found in targets_by_row.items():
        if not found:
            continue
        answer = SiteAnswer(SiteOutcome.IMPORTED, tuple(sorted(found, key=_order))[:_MOST_GOALS])
        if row in wanted:
            rows[row] = answer
            counts.settled += 1
        elif rows_of(own.targets, row):
            same = agrees(snapshot, path, own, row, answer)
            counts.agreeing, counts.differing = counts.agreeing + same, counts.differing + (not same)
    hashes = hashes_of(snapshot)
    files = sorted(
        {target.file for answer in rows.values() for target in answer.targets if target.file not in ("", path)}
    )
    targets = {file: hashes(FilePath(file)) or "" for file in files}
    basis = basis_of(dependency_key_in(snapshot, path, own), targets)
    return CheckedFile(path, snapshot.shards[path].content, basis, tuple(files), rows)


def _targets(
    snapshot: Snapshot,
    match: _DocumentMatch,
    use: ScipUse,
    symbols: _IndexSymbols,
) -> list[AnswerTarget]:
    places = symbols.defined.get(_key(match, use))
    if places is None:
        if package_of(use.symbol) in symbols.packages:
            # It is in the workspace, under another name (scip-python calls `src/a/b.py` both `src.a.b` and `a.b`) or in
            # a file that has changed since.
            return []
        names = () if is_local(use.symbol) else names_in(use.symbol)
        dotted = ".".join(names[:-1] if names and names[-1] == _MODULE else names)
        return [AnswerTarget("", EXTERNAL, dotted)] if dotted and not _is_inside(snapshot, dotted) else []
    made: list[AnswerTarget] = []
    for file, row in places:
        symbol = row if file == match.path or row < 0 else _surface_row(snapshot.facts(file), row)
        if symbol >= 0 or row < 0:
            made.append(AnswerTarget(file, symbol))
    return made


def _is_inside(snapshot: Snapshot, dotted: str) -> bool:
    """Whether modules of the workspace are called so: an index made beside an installed copy of the workspace's own
    package says that this is meant."""
    parts = dotted.split(".")
    names = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return any(not names.isdisjoint(table.files) for table in snapshot.modules.values())


def _surface_row(facts: FileFacts, row: int) -> int:
    surface = facts.definitions.surface
    return surface[row] if surface[row] >= 0 else surface[symbol_row(facts, row)]


def _order(target: AnswerTarget) -> tuple[bool, str, int, str]:
    return (not target.file, target.file, target.symbol, target.external)
