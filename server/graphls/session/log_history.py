"""Log history: what logs of one name said each time that they were taken in.

Owns: the record of each time, how many are kept, what came back.
Must not know: formats, layout.
Invariant: the same log twice is one time; a record holds names of findings and rules, no source text.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from graphls.analysis.finding import Finding
from graphls.facts.codec import CodecError, decode_plain, encode_plain
from graphls.facts.paths import FilePath
from graphls.session.feedback_rows import rows_from, start_of_rows
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

MOST_RUNS: Final = 20
_FORM: Final = "log history 1"
_Said = tuple[str, str, str, str]
"""Finding, rule, file, title."""
_Time = tuple[str, int, tuple[_Said, ...]]
"""Digest of the log, seconds since 1970, what it said."""


@attrs.frozen(kw_only=True)
class RepeatedResult:
    """What a log said several times. `times`: of `of` times that are kept; `reopened`: it was gone in between; `open`:
    the last one says it."""

    log: str
    finding: str
    rule: str
    file: str
    title: str
    times: int
    of: int
    first: int
    last: int
    reopened: bool
    open: bool


def note_log(store: BlobStore, workspace: Workspace, name: str, digest: str, found: Sequence[Finding]) -> int:
    """Keeps what a log says now, unless it is the one before again. The number of results that were gone and are
    back."""
    known = _times(store, workspace, name)
    if known and known[-1][0] == digest:
        return 0
    said = tuple((str(one.id), one.rule, str(one.at.file), one.title) for one in found)
    ids = {one[0] for one in said}
    earlier = {one[0] for _, _, rows in known[:-1] for one in rows}
    before = {one[0] for one in known[-1][2]} if known else set[str]()
    rows = (*known, (digest, int(time.time()), said))[-MOST_RUNS:]
    store.put("feedback", start_of_rows(_FORM, workspace) + name, encode_plain(rows))
    return len((ids & earlier) - before)


def forget_history(store: BlobStore, workspace: Workspace, name: str) -> None:
    """Drops what is kept of one log."""
    store.delete("feedback", (start_of_rows(_FORM, workspace) + name,))


def repeated(store: BlobStore, workspace: Workspace, least: int = 2) -> tuple[RepeatedResult, ...]:
    """What logs said at least so many times, most often first."""
    start = start_of_rows(_FORM, workspace)
    found: list[RepeatedResult] = []
    for row in rows_from(store, start):
        found += _repeated(row.removeprefix(start), _times(store, workspace, row.removeprefix(start)), least)
    return tuple(sorted(found, key=lambda one: (-one.times, one.log, one.file, one.rule, one.finding)))


def repeated_rules(store: BlobStore, workspace: Workspace) -> Mapping[FilePath, Mapping[str, int]] | None:
    """Files with the rules that said something of them which the time before did not say, at least twice, and how many
    times. None where no log came twice: nobody can know."""
    found: dict[FilePath, dict[str, int]] = {}
    logs = [_times(store, workspace, row.removeprefix(start)) for start in (start_of_rows(_FORM, workspace),)
            for row in rows_from(store, start)]  # fmt: skip
    if not any(len(times) > 1 for times in logs):
        return None
    for times in logs:
        known: set[str] = set()
        for _, _, rows in times:
            fresh = {(FilePath(file), rule) for finding, rule, file, _ in rows if finding not in known}
            known = {finding for finding, *_ in rows}
            for file, rule in fresh:
                counted = found.setdefault(file, {})
                counted[rule] = counted.get(rule, 0) + 1
    often = {file: {rule: times for rule, times in rules.items() if times > 1} for file, rules in found.items()}
    return {file: rules for file, rules in often.items() if rules}


def _repeated(name: str, times: Sequence[_Time], least: int) -> list[RepeatedResult]:
    seen: dict[str, list[int]] = {}
    words: dict[str, _Said] = {}
    for number, (_, _, rows) in enumerate(times):
        for said in rows:
            seen.setdefault(said[0], []).append(number)
            words[said[0]] = said
    return [
        RepeatedResult(
            log=name, finding=finding, rule=words[finding][1], file=words[finding][2], title=words[finding][3],
            times=len(at), of=len(times), first=times[at[0]][1], last=times[at[-1]][1],
            reopened=at[-1] - at[0] >= len(at), open=at[-1] == len(times) - 1,
        )
        for finding, at in seen.items() if len(at) >= least
    ]  # fmt: skip


def _times(store: BlobStore, workspace: Workspace, name: str) -> tuple[_Time, ...]:
    row = start_of_rows(_FORM, workspace) + name
    raw = store.get_many("feedback", [row]).get(row)
    if raw is None:
        return ()
    try:
        return tuple(cast("Sequence[_Time]", decode_plain(raw)))
    except (CodecError, TypeError, ValueError):
        return ()
