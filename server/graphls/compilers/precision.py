"""Precision: how often each rule of graphls was right, by what the checker says.

Owns: comparing own targets with answers, counting by rule, examples of contradictions.
Must not know: protocols, how rules work.
Invariant: only sites that the checker answered count as right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.compilers.answers import LOCATION_SYMBOL, AnswerTarget, SiteAnswer, SiteOutcome
from graphls.compilers.overlay import Overlay
from graphls.facts.links import EXTERNAL, OWN_FILE, WHOLE_MODULE, Links
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, rows_of

UNRESOLVED = -1
"""Stands for the rule of sites that no rule resolved."""


@attrs.define
class RulePrecision:
    """One rule. `wrong`: the checker answered something else. `silent`: it knew no answer."""

    language: str
    rule: int
    right: int = 0
    wrong: int = 0
    silent: int = 0


@attrs.frozen
class Contradiction:
    """One site where the checker and graphls differ."""

    path: FilePath
    occurrence: int
    rule: int
    own: tuple[str, ...]
    checker: tuple[str, ...]


def precision(snapshot: Snapshot, overlay: Overlay) -> tuple[RulePrecision, ...]:
    """A row for each rule with a verified site, by language and rule. Unresolved sites: `right` stays 0, `wrong`
    counts what the checker resolved."""
    table: dict[tuple[str, int], RulePrecision] = {}
    for path, own, row, answer in _checked_rows(snapshot, overlay):
        language = snapshot.shards[path].language
        rule = _rule(own, row)
        counted = table.setdefault((language, rule), RulePrecision(language, rule))
        if answer.outcome is SiteOutcome.SILENT:
            counted.silent += 1
        elif agrees(snapshot, path, own, row, answer):
            counted.right += 1
        else:
            counted.wrong += 1
    return tuple(table[key] for key in sorted(table))


def contradictions(snapshot: Snapshot, overlay: Overlay) -> Iterator[Contradiction]:
    """Sites that graphls resolved to something else than the checker."""
    for path, own, row, answer in _checked_rows(snapshot, overlay):
        rule = _rule(own, row)
        if rule == UNRESOLVED or answer.outcome is SiteOutcome.SILENT or agrees(snapshot, path, own, row, answer):
            continue
        mine = tuple(_spelled(snapshot, path, target) for target in own_targets(path, own, row))
        theirs = tuple(_spelled(snapshot, path, target) for target in answer.targets)
        yield Contradiction(path, row, rule, mine, theirs)


def agrees(snapshot: Snapshot, path: FilePath, own: Links, row: int, answer: SiteAnswer) -> bool:
    """Whether own targets and the answer have a node in common. Outside the workspace a common last name is enough."""
    mine = {_node(snapshot, path, target) for target in own_targets(path, own, row)}
    return any(_node(snapshot, path, target) in mine for target in answer.targets)


def own_targets(path: FilePath, own: Links, row: int) -> Iterator[AnswerTarget]:
    """Own targets of an occurrence in the form of answers."""
    table = own.targets
    for at in rows_of(table, row):
        if table.symbol[at] == EXTERNAL:
            yield AnswerTarget("", EXTERNAL, own.externals[table.file[at]])
        elif table.file[at] == OWN_FILE and table.symbol[at] != WHOLE_MODULE:
            yield AnswerTarget(path, table.symbol[at])
        else:
            yield AnswerTarget(own.files[table.file[at]], table.symbol[at])


def _checked_rows(snapshot: Snapshot, overlay: Overlay) -> Iterator[tuple[FilePath, Links, int, SiteAnswer]]:
    for path in sorted(overlay.files):
        shard = snapshot.shards.get(path)
        if shard is None or not shard.language:
            continue
        own = snapshot.own_links(path)
        checked = overlay.current_answers(snapshot, shard, own)
        if checked is not None:
            rows = ((row, checked.rows[row]) for row in sorted(checked.rows))
            yield from ((path, own, row, answer) for row, answer in rows if answer.outcome is not SiteOutcome.IMPORTED)


def _rule(own: Links, row: int) -> int:
    rows = rows_of(own.targets, row)
    return own.rules[rows.start] if rows else UNRESOLVED


def _node(snapshot: Snapshot, path: FilePath, target: AnswerTarget) -> tuple[str, int | str, str]:
    if not target.file:
        return ("", "", target.external.rpartition(".")[2])
    if target.symbol in (WHOLE_MODULE, LOCATION_SYMBOL):
        return (target.file, target.symbol, "")
    if target.file == path:
        facts = snapshot.facts(path)
        return (path, facts.definitions.scope[target.symbol], facts.strings[facts.definitions.name[target.symbol]])
    surface = snapshot.surface(FilePath(target.file))
    return (target.file, surface.symbols.scope[target.symbol], surface.strings[surface.symbols.name[target.symbol]])


def _spelled(snapshot: Snapshot, path: FilePath, target: AnswerTarget) -> str:
    if not target.file:
        return target.external
    if target.symbol == LOCATION_SYMBOL:
        line, _ = snapshot.facts(FilePath(target.file)).line_column(target.start)
        return f"{target.file}:{line + 1}"
    file, _, name = _node(snapshot, path, target)
    row = target.symbol if target.file == path else snapshot.definition_of_symbol(FilePath(file), target.symbol)
    if row < 0:
        return file
    facts = snapshot.facts(FilePath(file))
    line, _ = facts.line_column(facts.definitions.start[row])
    return f"{file}:{line + 1} {name}"
