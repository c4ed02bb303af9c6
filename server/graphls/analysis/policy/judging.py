"""Judging: rules of a team applied to code, as findings.

Owns: which facts a rule sees, where it is shown, what a rule that cannot be used comes to.
Must not know: how facts are collected, version control, layout.
Invariant: a rule that cannot be used is named with the reason, and the others are applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.engine import RuleFailure
from graphls.analysis.finding import Evidence, Finding, Priority, finding_id
from graphls.analysis.policy.code_facts import NO_BRANCH, SAMPLES, VERSION, Row, file_row, import_rows, symbol_rows
from graphls.analysis.policy.link_facts import COMMANDS, EDGES, command_rows, edge_rows
from graphls.analysis.policy.measure_facts import HEALTH, NO_COMMITS, RISK, UNJUDGED, MeasureRows, MeasureSource
from graphls.analysis.policy.overriding import effective_rules
from graphls.analysis.policy.predicates import Fact, Facts, Predicate, PredicateError, can_judge, compiled, glob_match
from graphls.analysis.policy.similarity_facts import NAME, SimilarityRows, SimilaritySource
from graphls.analysis.policy.syntax_facts import syntax_rows
from graphls.analysis.views import Views, is_test
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED
from graphls.graph.errors import BadRequest, GraphError
from graphls.graph.identity import symbol_name
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.settings.policy_rules import PolicyRule

PRIORITY: Final[Mapping[str, Priority]] = {"block": "P1", "warn": "P2", "info": "info"}
_SYNTAX: Final = "python.syntax"
MISSING: Final = "The package common-expression-language is not installed: pip install 'graphls[policy]'."


@attrs.frozen
class PolicyRun:
    """What the rules say, and those that cannot be used."""

    findings: tuple[Finding, ...]
    failures: tuple[RuleFailure, ...]


@attrs.frozen
class ChangeRow:
    """One row of a change, and where it is shown; None where that is gone."""

    facts: Row
    at: Evidence | None


@attrs.frozen(kw_only=True)
class ChangeFacts:
    """What rules see of one change. `similar`: changed functions that are like others; `git`: what is checked out."""

    symbols: tuple[ChangeRow, ...] = ()
    similar: tuple[ChangeRow, ...] = ()
    hunks: tuple[ChangeRow, ...] = ()
    files: tuple[ChangeRow, ...] = ()
    git: Row = NO_BRANCH

    def of(self, **rows: tuple[ChangeRow, ...]) -> ChangeFacts:
        """The same state with these rows alone."""
        return ChangeFacts(git=self.git, **rows)

    def hold(self, predicate: Predicate) -> bool:
        """Whether an expression is true of them."""
        facts: dict[str, Fact] = {
            "changed_symbols": tuple(one.facts for one in self.symbols),
            "file_changes": tuple(one.facts for one in self.files),
            "diff": tuple(one.facts for one in self.hunks),
            "git": self.git,
            NAME: tuple(one.facts for one in self.similar),
        }
        return predicate.holds({**facts, "schema_version": VERSION})

    def alone(self, predicate: Predicate) -> list[ChangeRow]:
        """Rows that make it true by themselves, of the first kind that has any."""
        return (
            [row for row in self.symbols if self.of(symbols=(row,)).hold(predicate)]
            or [row for row in self.similar if self.of(similar=(row,)).hold(predicate)]
            or [row for row in self.hunks if self.of(hunks=(row,)).hold(predicate)]
            or [row for row in self.files if self.of(files=(row,)).hold(predicate)]
        )


def usable(rules: Iterable[PolicyRule]) -> tuple[list[tuple[PolicyRule, Predicate]], list[RuleFailure]]:
    """Rules with their compiled expressions, and those that have none."""
    found: list[tuple[PolicyRule, Predicate]] = []
    failures: list[RuleFailure] = []
    for rule in rules:
        try:
            found.append((rule, _checked(rule)))
        except PredicateError as error:
            failures.append(RuleFailure(rule.id, f"its expression cannot be used: {error}"))
    return found, failures


@attrs.frozen
class FactSources:
    """Where rules that name them read what is not in the files: which functions are alike, health and history."""

    similar: SimilaritySource | None = None
    measured: MeasureSource | None = None


def judged_code(views: Views, rules: Iterable[PolicyRule], sources: FactSources = FactSources()) -> PolicyRun:
    """What rules about files and symbols say of the files that people of the project maintain."""
    every, refused = effective_rules(rules)
    wanted = [rule for rule in every if rule.scope in ("file", "symbol")]
    if wanted and not can_judge():
        return PolicyRun((), tuple(RuleFailure(rule.id, MISSING) for rule in wanted))
    ready, failures = usable(wanted)
    failures = [*refused, *failures]
    findings: list[Finding] = []
    seen = _FactsOfFiles(views, sources)
    for rule, predicate in ready:
        try:
            for path in _files(views, rule):
                spend()
                findings += _in_file(seen, path, rule, predicate)
        except PredicateError as error:
            failures.append(RuleFailure(rule.id, str(error)))
        except GraphError as refused_facts:
            failures.append(RuleFailure(rule.id, refused_facts.message))
    return PolicyRun(tuple(findings), tuple(failures))


class _FactsOfFiles:
    """What rules see of single files; what only some rules name is made for these."""

    def __init__(self, views: Views, sources: FactSources) -> None:
        self.views = views
        self._sources = sources
        self._rows: SimilarityRows | None = None
        self._measures: dict[str, MeasureRows] = {}

    def of(self, path: FilePath, predicate: Predicate, *, blocks: bool) -> Facts:
        """All facts of a file that an expression may name. `blocks`: a rule that blocks is to rest on them."""
        views = self.views
        facts: dict[str, Fact] = {
            "file": file_row(views, path),
            "symbols": tuple(row for _, row in symbol_rows(views.snapshot, path)),
            "imports": import_rows(views, path),
            "python_ast": (),
            NAME: (),
            EDGES: (),
            COMMANDS: (),
            HEALTH: UNJUDGED,
            RISK: NO_COMMITS,
            "schema_version": VERSION,
        }
        names = predicate.names
        if "python_ast" in names and views.is_in_language_of(_SYNTAX, path):
            facts["python_ast"] = syntax_rows(views.snapshot.facts(path))
        if NAME in names:
            facts[NAME] = tuple(self._similarity().get(path, ()))
        if EDGES in names:
            facts[EDGES] = edge_rows(views.snapshot, path, certain=blocks)
        if COMMANDS in names:
            facts[COMMANDS] = command_rows(views.snapshot, path)
        for name in (HEALTH, RISK):
            if name in names:
                facts[name] = self._measured(name).get(path, facts[name])
        return facts

    def _measured(self, name: str) -> MeasureRows:
        known = self._measures.get(name)
        if known is None:
            if self._sources.measured is None:
                raise BadRequest("Health and history are not known here.")
            known = self._measures[name] = self._sources.measured.read(self.views.snapshot, name)
        return known

    def _similarity(self) -> SimilarityRows:
        if self._rows is None:
            if self._sources.similar is None:
                raise BadRequest("Which functions are alike is not known here.")
            self._rows = self._sources.similar.read(self.views.snapshot)
        return self._rows


def judged_change(snapshot: Snapshot, rules: Iterable[PolicyRule], change: ChangeFacts) -> PolicyRun:
    """What rules about changes say of one. Where a single row of it makes a rule true by itself, it is shown at each of
    these, else at the first of the change."""
    wanted = [rule for rule in effective_rules(rules)[0] if rule.scope == "change"]
    if wanted and not can_judge():
        return PolicyRun((), tuple(RuleFailure(rule.id, MISSING) for rule in wanted))
    ready, failures = usable(wanted)
    findings: list[Finding] = []
    for rule, predicate in ready:
        try:
            findings += _in_change(snapshot, rule, predicate, _about(rule, change))
        except PredicateError as error:
            failures.append(RuleFailure(rule.id, str(error)))
    return PolicyRun(tuple(findings), tuple(failures))


def judged_findings(snapshot: Snapshot, rules: Iterable[PolicyRule], found: Iterable[Finding]) -> PolicyRun:
    """What rules about findings say of those that are open. One that blocks rests on none that is only a guess."""
    wanted = [rule for rule in effective_rules(rules)[0] if rule.scope == "finding"]
    if wanted and not can_judge():
        return PolicyRun((), tuple(RuleFailure(rule.id, MISSING) for rule in wanted))
    ready, failures = usable(wanted)
    rows = [(one, _finding_row(snapshot, one)) for one in found if one.status == "open"] if ready else []
    findings: list[Finding] = []
    for rule, predicate in ready:
        try:
            for one, row in rows:
                spend()
                guessed = rule.severity == "block" and one.evidence_tier == DERIVED
                if guessed or not _is_about(rule, one.at.file, str(row["language"])):
                    continue
                if predicate.holds({"finding": row, "schema_version": VERSION}):
                    findings.append(_finding(rule, (one.id,), one.title, attrs.evolve(one.at, note=rule.message)))
        except PredicateError as error:
            failures.append(RuleFailure(rule.id, str(error)))
    return PolicyRun(tuple(findings), tuple(failures))


def _finding_row(snapshot: Snapshot, one: Finding) -> Row:
    """One finding, as expressions see it."""
    at = one.at
    shard = snapshot.shards.get(at.file)
    facts = snapshot.facts(at.file) if shard is not None and shard.language else None
    return {
        "rule": one.rule,
        "tool": one.tool,
        "category": one.category,
        "priority": one.priority,
        "confidence": one.confidence,
        "title": one.title,
        "evidence_tier": one.evidence_tier,
        "file": at.file,
        "line": facts.line_column(at.start)[0] + 1 if facts is not None else 0,
        "symbol": symbol_name(snapshot, at.place) if at.place is not None else "",
        "language": shard.language if shard is not None else "",
        "test": is_test(at.file),
    }


def _about(rule: PolicyRule, change: ChangeFacts) -> ChangeFacts:
    """The rows that a rule is about."""

    def chosen(rows: Sequence[ChangeRow], file: str) -> tuple[ChangeRow, ...]:
        return tuple(row for row in rows if _is_about(rule, str(row.facts[file]), str(row.facts.get("language", ""))))

    return attrs.evolve(
        change,
        symbols=chosen(change.symbols, "file"),
        similar=chosen(change.similar, "file"),
        hunks=chosen(change.hunks, "path"),
        files=chosen(change.files, "path"),
    )


def _checked(rule: PolicyRule) -> Predicate:
    """An expression that works on an example of its facts. What it looks at only sometimes is not seen here."""
    predicate = compiled(rule.when, frozenset(SAMPLES[rule.scope]))
    predicate.holds(SAMPLES[rule.scope])
    return predicate


def _files(views: Views, rule: PolicyRule) -> Iterator[FilePath]:
    for path, shard in sorted(views.snapshot.shards.items()):
        seen = rule.scope == "file" or shard.language
        if seen and views.in_scope(path) and _is_about(rule, path, shard.language):
            yield path


def _is_about(rule: PolicyRule, path: str, language: str) -> bool:
    if rule.languages and language and language not in rule.languages:
        return False
    return not rule.paths or any(glob_match(path, pattern) for pattern in rule.paths)


def _in_file(seen: _FactsOfFiles, path: FilePath, rule: PolicyRule, predicate: Predicate) -> Iterator[Finding]:
    views = seen.views
    if rule.scope == "file":
        if predicate.holds(seen.of(path, predicate, blocks=rule.severity == "block")):
            yield _finding(rule, (path,), path, Evidence(path, 0, 0, rule.message, SymbolRef(path, -1)))
        return
    file = file_row(views, path)
    for place, row in symbol_rows(views.snapshot, path):
        if predicate.holds({"symbol": row, "file": file, "schema_version": VERSION}):
            table = views.snapshot.facts(path).definitions
            start, end = table.start[place.definition], table.end[place.definition]
            name = symbol_name(views.snapshot, place)
            yield _finding(rule, (name,), name, Evidence(path, start, end, rule.message, place))


def _in_change(snapshot: Snapshot, rule: PolicyRule, predicate: Predicate, change: ChangeFacts) -> Iterator[Finding]:
    if change.of().hold(predicate) or not change.hold(predicate):
        return
    rows = (*change.symbols, *change.similar, *change.hunks, *change.files)
    for row in change.alone(predicate) or rows[:1]:
        name = str(row.facts.get("path", row.facts.get("symbol")))
        at = row.at or Evidence(FilePath(str(row.facts.get("file", name))), 0, 0, rule.message)
        if at.file in snapshot.shards:
            yield _finding(rule, (name,), name, attrs.evolve(at, note=rule.message))


def _finding(rule: PolicyRule, key: tuple[str, ...], name: str, at: Evidence) -> Finding:
    return Finding(
        id=finding_id(f"policy {rule.id}", key),
        rule=rule.id,
        category="maintainability",
        priority=PRIORITY[rule.severity],
        confidence="high",
        title=f"{name}: {rule.message}",
        pressure=f"A rule of this workspace: {rule.when}" if len(rule.when) <= 200 else "A rule of this workspace.",
        suggestions=(rule.advice,),
        risks=(),
        measures={"severity": rule.severity},
        caveats=(),
        evidence=(at,),
    )
