"""Standing: how much of a workspace the graph holds, in one record.

Owns: the record that `index` and `status` show, its rows.
Must not know: arguments, how files are read.
Invariant: counts are of everything, lists are capped; `complete` means that every file is linked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from graphls.cli.emptiness import why_empty
from graphls.cli.opening import Opened
from graphls.cli.rendering.page import Part
from graphls.cli.rendering.words import counted, sized
from graphls.queries.answer import answer
from graphls.queries.status import Status, status
from graphls.session.completing import without_links
from graphls.session.reader import SessionReader

_MOST = 20


@attrs.frozen
class Left:
    """A file that is not in the graph, and why."""

    file: str
    reason: str


@attrs.frozen
class Kept:
    """The cache."""

    folder: str
    entries: int
    bytes: int
    problem: str | None


@attrs.frozen
class Asked:
    """A checker of the workspace."""

    name: str
    version: str
    state: str
    problem: str


@attrs.frozen
class Standing:
    """What the graph of a workspace holds now."""

    snapshot: str
    revision: int
    fresh: bool
    complete: bool
    """Every file is linked."""
    root: str
    files: int
    indexed: int
    linked: int
    bytes: int
    languages: dict[str, int]
    packages: tuple[str, ...]
    pending: int
    skipped_count: int
    skipped: tuple[Left, ...]
    unlinked_count: int
    unlinked: tuple[Left, ...]
    """Files that could not be linked: what they use is unknown."""
    cache: Kept | None
    checkers: tuple[Asked, ...]
    settings: str | None
    """The file that settings were read from."""
    problems: tuple[str, ...]


def standing(workspace: Opened) -> Standing:
    """How much the graph holds."""
    snapshot = workspace.snapshot
    envelope, held = answer(snapshot), status(snapshot)
    linked = _linked(workspace, held) - held.unlinked_count
    empty = () if held.indexed or held.pending else (why_empty(workspace),)
    return Standing(
        snapshot=envelope.snapshot,
        revision=envelope.revision,
        fresh=envelope.fresh,
        complete=envelope.fresh and linked == held.indexed,
        root=workspace.place.root,
        files=held.files,
        indexed=held.indexed,
        linked=linked,
        bytes=held.bytes,
        languages=dict(held.languages),
        packages=held.packages,
        pending=held.pending,
        skipped_count=held.skipped_count,
        skipped=tuple(Left(skipped.path, skipped.reason) for skipped in held.skipped),
        unlinked_count=held.unlinked_count,
        unlinked=tuple(Left(failed.path, failed.reason) for failed in held.unlinked),
        cache=_kept(workspace),
        checkers=tuple(
            Asked(status.name, status.version, status.state.value, status.problem)
            for status in (workspace.session.verifying.status(snapshot) if workspace.session.settles else ())
        ),
        settings=workspace.place.origin,
        problems=(*workspace.place.problems, *workspace.session.problems.values(), *empty),
    )


def standing_rows(held: Standing) -> Iterator[tuple[Part, ...]]:
    """A line for each thing worth knowing."""
    yield "workspace", (held.root, "bold")
    languages = ", ".join(f"{count:,} {name}" for name, count in held.languages.items()) or "no source files"
    yield "files", f"{held.files:,}: {languages}, {held.files - held.indexed:,} other; {sized(held.bytes)}"
    if held.packages:
        yield "packages", ", ".join(held.packages[:_MOST])
    state = ("complete", "green") if held.complete else (f"ready, {held.linked:,} of {held.indexed:,} linked", "yellow")
    yield "state", state if held.fresh else (f"{counted(held.pending, 'file')} not read yet", "yellow")
    yield "snapshot", (held.snapshot, "dim")
    if held.cache is None:
        yield "cache", ("not used", "dim")
    else:
        yield "cache", held.cache.problem or f"{held.cache.folder}  {sized(held.cache.bytes)}"
    for asked in held.checkers:
        state = f"{asked.name} {asked.version}".strip() + f": {asked.state}"
        yield "checker", (f"{state}, {asked.problem}" if asked.problem else state, "yellow" if asked.problem else "")
    if held.settings:
        yield "settings", held.settings
    for problem in held.problems:
        yield "problem", (problem, "yellow")
    yield from _left_rows("skipped", held.skipped_count, held.skipped)
    yield from _left_rows("not linked", held.unlinked_count, held.unlinked)


def _left_rows(title: str, count: int, files: Sequence[Left]) -> Iterator[tuple[Part, ...]]:
    if not count:
        return
    yield title, (counted(count, "file"), "yellow")
    yield from (("", f"{left.file}  ({left.reason})") for left in files[:_MOST])
    if count > _MOST:
        yield "", f"and {count - _MOST:,} more: --format json lists up to 100"


def _linked(workspace: Opened, held: Status) -> int:
    reader = workspace.snapshot.reader
    if not isinstance(reader, SessionReader):
        return 0
    return held.indexed - len(without_links(workspace.snapshot, reader, lambda: False))


def _kept(workspace: Opened) -> Kept | None:
    if workspace.store is None:
        return None
    stats = workspace.store.stats()
    return Kept(stats.folder, stats.entries, stats.size, stats.problem)
