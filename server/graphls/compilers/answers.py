"""Answers: what a checker said about single sites, in the form in which it stays true.

Owns: the values of answers, when they still hold, their encoded form.
Must not know: protocols, processes, who asked.
Invariant: "nothing is there" is an answer; "not asked", "too late" and "no checker" are not, and never become one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from hashlib import blake2b

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import Column, Table, column
from graphls.facts.links import EXTERNAL, OWN_FILE
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import SurfaceHash

Hashes = Callable[[FilePath], SurfaceHash | None]

ANSWERS_VERSION = 11
"""Raised whenever questions are put or answers read in another way; part of every key."""


LOCATION_SYMBOL = -3
"""Value of `Goal.symbol` for a place in the workspace that is no definition of its own."""


class SiteOutcome(IntEnum):
    """What the checker said about one site."""

    FOUND = 0
    SILENT = 1
    """It was asked in good order and knows no definition. Its goals, if any, are bindings that it cannot follow."""
    IMPORTED = 2
    """No checker was asked: an index that somebody imported names the definition."""
    PARTIAL = 3
    """It knows some of the values that the name may be read from, and says that there are others."""


@attrs.frozen(cache_hash=True)
class AnswerTarget:
    """One definition. `symbol` is as in Links: a row of definitions in the asked file, of the surface elsewhere."""

    file: str
    """"" outside the workspace."""
    symbol: int
    external: str = ""
    """Dotted name outside the workspace; for a spot the contents of its file that were there."""
    start: int = -1
    """Of a spot."""
    end: int = -1


@attrs.frozen(cache_hash=True)
class SiteAnswer:
    """What was said about one site."""

    outcome: SiteOutcome
    targets: tuple[AnswerTarget, ...] = ()


SILENT = SiteAnswer(SiteOutcome.SILENT)


@attrs.frozen(eq=False)
class CheckedFile:
    """Answers for one file. They hold while `content` and `basis` are what they were."""

    path: FilePath
    content: ContentHash
    basis: str
    files: tuple[str, ...]
    """Other files that answers name, sorted."""
    rows: Mapping[int, SiteAnswer]
    """By row of occurrences."""
    sequential: bool = False
    """All were asked for one after the other, which matters for a checker that wavers."""


def basis_of(dependency_key: str, targets: Mapping[str, str]) -> str:
    """Digest of what answers rest on: what the file's own links do (`dependency_key`), and surfaces of the targets."""
    digest = blake2b(dependency_key.encode(), digest_size=16)
    for file in sorted(targets):
        digest.update(f"{file}\n{targets[file]}\n".encode(errors="surrogatepass"))
    return digest.hexdigest()


def holds(checked: CheckedFile, dependency_key: str, hashes: Hashes) -> bool:
    """Whether answers still rest on what is there."""
    return checked.basis == basis_of(dependency_key, {file: hashes(FilePath(file)) or "" for file in checked.files})


# ---- encoded form


@attrs.frozen(eq=False)
class _TargetTable(Table):
    occurrence: Column
    outcome: Column
    file: Column
    symbol: Column
    start: Column
    end: Column
    external: Column


@attrs.frozen(eq=False)
class _EncodedAnswers:
    path: str
    content: str
    basis: str
    files: tuple[str, ...]
    externals: tuple[str, ...]
    targets: _TargetTable
    rows: Column
    sequential: bool


def pack_checked(checked: CheckedFile) -> bytes:
    """Bytes of the answers for one file."""
    files: dict[str, int] = {checked.path: 0}
    externals: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for row, answer in sorted(checked.rows.items()):
        for target in answer.targets:
            number = files.setdefault(target.file, len(files)) if target.file else 0
            symbol = target.symbol if target.file else EXTERNAL
            name = externals.setdefault(target.external, len(externals))
            rows.append((row, answer.outcome, number, symbol, target.start + 1, target.end + 1, name))
    return encode(
        _EncodedAnswers(
            path=checked.path,
            content=checked.content,
            basis=checked.basis,
            files=tuple(files),
            externals=tuple(externals),
            targets=_TargetTable.of(rows),
            rows=column(sorted(checked.rows)),
            sequential=checked.sequential,
        )
    )


def unpack_checked(raw: bytes) -> CheckedFile | None:
    """The inverse; None for bytes that are something else."""
    try:
        encoded = decode(_EncodedAnswers, raw)
        targets: dict[int, list[AnswerTarget]] = {row: [] for row in encoded.rows}
        table = encoded.targets
        outcomes = dict(zip(table.occurrence, table.outcome, strict=True))
        whats = zip(table.start, table.end, table.external, strict=True)
        wheres = zip(table.occurrence, table.file, table.symbol, strict=True)
        for (row, number, symbol), (start, end, name) in zip(wheres, whats, strict=True):
            file = "" if symbol == EXTERNAL else encoded.files[number]
            targets[row].append(AnswerTarget(file, symbol, encoded.externals[name], start - 1, end - 1))
        decoded = {
            row: SiteAnswer(SiteOutcome(outcomes.get(row, SiteOutcome.SILENT)), tuple(found))
            for row, found in targets.items()
        }
    except (CodecError, IndexError, KeyError, ValueError):
        return None
    known: dict[SiteAnswer, SiteAnswer] = {}
    rows: dict[int, SiteAnswer] = {}
    for row, answer in decoded.items():
        rows[row] = known.setdefault(answer, answer)
    files = tuple(sorted(encoded.files[1:]))
    path, content = FilePath(encoded.path), ContentHash(encoded.content)
    return CheckedFile(path, content, encoded.basis, files, rows, encoded.sequential)


def own_file_number(target: AnswerTarget, path: FilePath, files: dict[str, int]) -> int:
    """Number of a goal's file in a table of files whose first is the asked one."""
    return OWN_FILE if target.file == path else files.setdefault(target.file, len(files))
