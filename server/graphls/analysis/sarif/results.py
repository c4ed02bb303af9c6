"""Results: what logs of other tools hold, run by run, each with the symbol that it is in.

Owns: identities of runs and results, questions about them.
Must not know: the format, the disk, rules of this program.
Invariant: identities are made of what a log says, so the same log gives the same; a result in no file of the graph is
    there, with nothing tied to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import attrs

from graphls.analysis.finding import Status
from graphls.analysis.sarif.imported import (
    PlacedResult,
    SarifReport,
    parsed_log,
    placed_results,
    rule_name,
)
from graphls.analysis.sarif.reading import Level, SarifRun
from graphls.analysis.views import is_within
from graphls.graph.addresses import digest_of
from graphls.graph.identity import symbol_name
from graphls.graph.node_table import node_kind
from graphls.graph.snapshot import Snapshot


@attrs.frozen(kw_only=True)
class RunRow:
    """One run of a tool. `source`: the log that it is in; `category`, ids and time as the log says them, "" where it
    does not."""

    id: str
    source: str
    index: int
    tool: str
    version: str
    category: str
    guid: str
    baseline_guid: str
    produced_at: str
    results: int
    unlinked: int


@attrs.frozen(kw_only=True)
class ResultRow:
    """One result. `ordinal`: among those of its run that are alike. `symbol`: "" where it is in no file of the graph;
    `finding`: what it is called among findings."""

    id: str
    run: str
    tool: str
    ordinal: int
    rule: str
    level: Level
    message: str
    status: Status | Literal["unlinked"]
    fingerprint: str
    policy: str
    skill: str
    principles: tuple[str, ...]
    file: str
    line: int
    column: int
    symbol: str
    kind: str
    finding: str


@attrs.frozen(kw_only=True)
class ResultFilter:
    """Which results are wanted; "" for any. `rule`: as the tool calls it, or `tool/rule`; `run`: its id, or the log;
    `path`: a file or folder."""

    rule: str = ""
    policy: str = ""
    skill: str = ""
    path: str = ""
    run: str = ""
    symbol: str = ""

    def admits(self, source: str, row: ResultRow) -> bool:
        """Whether a result of a log is one of them."""
        inner = f"{self.symbol}."
        return (
            self.rule.casefold() in ("", row.rule.casefold(), rule_name(row.tool, row.rule).casefold())
            and self.policy in ("", row.policy)
            and self.skill in ("", row.skill)
            and self.run in ("", row.run, source)
            and is_within(row.file, self.path)
            and (self.symbol in ("", row.symbol) or row.symbol.startswith(inner))
        )


@attrs.frozen(kw_only=True)
class SameDefect:
    """Results of several tools, or of several runs, with one fingerprint, or at one line where they have none."""

    fingerprint: str
    file: str
    line: int
    results: tuple[ResultRow, ...]


def log_rows(
    snapshot: Snapshot, reports: Sequence[SarifReport], wanted: ResultFilter
) -> tuple[tuple[RunRow, ...], tuple[ResultRow, ...]]:
    """Runs of all logs, and the results that are wanted, by log, run and place in it. Raises SarifRefused."""
    runs: list[RunRow] = []
    rows: list[ResultRow] = []
    for report in reports:
        heads, placed = parsed_log(report).runs, placed_results(snapshot, report)
        ids = [_run_id(report.name, number, head) for number, head in enumerate(heads)]
        found = tuple(_rows(snapshot, ids, placed))
        runs += (_run_row(report.name, (number, ids[number], head), found) for number, head in enumerate(heads))
        rows += (row for row in found if wanted.admits(report.name, row))
    return tuple(runs), tuple(rows)


def same_defects(rows: Sequence[ResultRow]) -> tuple[SameDefect, ...]:
    """What more than one tool or run says, by place."""
    groups: dict[tuple[str, str, int], list[ResultRow]] = {}
    for row in rows:
        shared = row.fingerprint.startswith(("graphls/", "primaryLocationLineHash"))
        key = (row.fingerprint, row.file, 0) if shared else ("", row.file, row.line)
        if row.file and (shared or row.line):
            groups.setdefault(key, []).append(row)
    several = [(key, found) for key, found in groups.items() if len({(one.tool, one.run) for one in found}) > 1]
    made = (
        SameDefect(fingerprint=key[0], file=key[1], line=found[0].line, results=tuple(found)) for key, found in several
    )
    return tuple(sorted(made, key=lambda one: (one.file, one.line, one.fingerprint)))


def _rows(snapshot: Snapshot, runs: Sequence[str], placed: Sequence[PlacedResult]) -> Iterator[ResultRow]:
    ordinals: Counter[tuple[int, str, str, str]] = Counter()
    for one in placed:
        result, finding = one.result, one.finding
        print_ = result.fingerprint or result.message
        alike = (result.run, result.rule, print_, one.path)
        ordinals[alike] += 1
        run, ordinal = runs[result.run], ordinals[alike]
        place = None if one.at is None else one.at.place
        at = _position(snapshot, one)
        yield ResultRow(
            id=f"r:{digest_of('sarif result', run, result.rule, print_, one.path, str(ordinal)).hex()[:20]}",
            run=run,
            tool=result.tool,
            ordinal=ordinal,
            rule=result.rule,
            level=result.level,
            message=result.message,
            status=_status(one),
            fingerprint=result.fingerprint,
            policy=result.policy,
            skill=result.skill,
            principles=result.principles,
            file=one.path,
            line=at[0],
            column=at[1],
            symbol="" if place is None else symbol_name(snapshot, place),
            kind="" if place is None else node_kind(snapshot, place).kind,
            finding="" if finding is None else finding.id,
        )


def _status(one: PlacedResult) -> Status | Literal["unlinked"]:
    if one.at is None:
        return "unlinked"
    if one.finding is not None:
        return one.finding.status
    # Of this program's own: its rules say it anew, so nothing is known but what the log says.
    return "stale" if one.at.stale else "open" if one.result.suppressed is None else "suppressed"


def _position(snapshot: Snapshot, one: PlacedResult) -> tuple[int, int]:
    """Where it stands now, from 1; where it is in no file of the graph, what the log says."""
    if one.at is None or not snapshot.shards[one.at.place.file].language:
        return one.result.line, one.result.column
    line, column = snapshot.facts(one.at.place.file).line_column(one.at.span[0])
    return line + 1, column + 1


def _run_id(source: str, number: int, head: SarifRun) -> str:
    return f"run:{digest_of('sarif run', source, str(number), head.tool, head.category, head.digest).hex()[:20]}"


def _run_row(source: str, run: tuple[int, str, SarifRun], rows: Sequence[ResultRow]) -> RunRow:
    number, identity, head = run
    own = [row for row in rows if row.run == identity]
    return RunRow(
        id=identity,
        source=source,
        index=number,
        tool=head.tool,
        version=head.version,
        category=head.category,
        guid=head.guid,
        baseline_guid=head.baseline_guid,
        produced_at=head.produced_at,
        results=len(own),
        unlinked=sum(row.status == "unlinked" for row in own),
    )
