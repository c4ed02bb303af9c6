"""Engine: discovers the rules and runs them on one snapshot.

Owns: the catalogue of rules, order of findings, what happens when a rule fails.
Must not know: any particular rule by name.
Invariant: same snapshot and choice of rules, same findings in the same order; a failing rule is named, the rest stand.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

import attrs

from graphls.analysis import rules
from graphls.analysis.finding import PRIORITIES, Claim, Finding, Priority, Rule, finding_id
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.request_budget import BudgetSpentError, spend, spent_reason
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import capabilities_of


@attrs.frozen
class RuleFailure:
    """A rule that could not finish, and why."""

    rule: str
    reason: str


@attrs.frozen
class RuleRun:
    """All that the rules said, most pressing first, and the rules that failed."""

    findings: tuple[Finding, ...]
    failures: tuple[RuleFailure, ...]


@functools.cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule by code, in order of code."""
    modules = (
        importlib.import_module(f"{rules.__name__}.{found.name}") for found in pkgutil.iter_modules(rules.__path__)
    )
    known: list[Rule] = sorted((module.RULE for module in modules), key=lambda rule: rule.code)
    return MappingProxyType({rule.code: rule for rule in known})


def why_silent(named: Iterable[str], levels: Mapping[str, str], snapshot: Snapshot | None = None) -> str:
    """Why a rule that somebody names says nothing, in words with what to do; "" where each looks at a file at least."""
    for code in named:
        rule = catalogue().get(code)
        if rule is None:
            continue
        if not rule.looks(levels):
            return f"The rule {code} is off. Give it a priority in the setting findings.rules."
        languages = dict.fromkeys(shard.language for shard in snapshot.shards.values()) if snapshot is not None else {}
        languages.pop("", None)
        if code not in levels and languages and all(code in untried_rules(one) for one in languages):
            names = ", ".join(sorted(languages))
            return (
                f"The rule {code} says nothing of {names}: too few cases were judged there. Give it a priority in the "
                "setting findings.rules."
            )
    return ""


def untried_rules(language: str) -> Set[str]:
    """Codes of rules that are silent in a language unless settings give them a priority."""
    known = capabilities_of(language)
    return known.untried_rules if known is not None else frozenset()


def unfinished(levels: Mapping[str, str], reason: str) -> tuple[RuleFailure, ...]:
    """Every rule that is not switched off, where none could begin."""
    return tuple(RuleFailure(rule.code, reason) for rule in catalogue().values() if rule.looks(levels))


def run(views: Views, levels: Mapping[str, str]) -> RuleRun:
    """Findings of every rule that is not switched off; `levels` maps a code to a priority or "off"."""
    found: list[Finding] = []
    failures: list[RuleFailure] = []
    for rule in catalogue().values():
        if not rule.looks(levels):
            continue
        try:
            spend()
            found += _findings(rule, _paced(views, rule.check(views)), levels, views)
        except BudgetSpentError as spent:
            failures.append(RuleFailure(rule.code, spent.message))
        except GraphError as refused:
            failures.append(RuleFailure(rule.code, refused.message))
        except Exception as error:  # noqa: BLE001 - a rule is advice: its failure must not take an answer with it
            failures.append(RuleFailure(rule.code, f"{type(error).__name__}: {error}"))
    if not spent_reason():
        views.store()
    found = [one for one in found if any(views.in_scope(evidence.file) for evidence in one.evidence)]
    return RuleRun(tuple(sorted(found, key=functools.partial(_order, views))), tuple(failures))


def _paced(views: Views, claims: Iterable[Claim]) -> Iterator[Claim]:
    for claim in claims:
        yield claim
        spend()
        views.pause()


def _findings(rule: Rule, claims: Iterable[Claim], levels: Mapping[str, str], views: Views) -> list[Finding]:
    by_id: dict[str, Finding] = {}
    for claim in claims:
        path = claim.evidence[0].file
        level = level_in(rule, levels, views, path)
        if level == "off":
            continue
        identity = finding_id(rule.code, claim.key)
        by_id.setdefault(
            identity,
            Finding(
                id=identity,
                rule=rule.code,
                category=rule.category,
                priority=_priority(level) or claim.priority or rule.priority,
                confidence=claim.confidence,
                title=claim.title,
                pressure=claim.pressure,
                suggestions=claim.suggestions,
                risks=claim.risks,
                measures=claim.measures,
                caveats=claim.caveats,
                evidence=claim.evidence,
            ),
        )
    return list(by_id.values())


def level_in(rule: Rule, levels: Mapping[str, str], views: Views, path: FilePath) -> str:
    """The priority that settings give a rule in a file, "" where they say nothing, "off" where it is silent."""
    level = rule.level_at(levels, path)
    shard = views.snapshot.shards.get(path) if not level else None
    return "off" if shard is not None and rule.code in untried_rules(shard.language) else level


def _priority(level: str | None) -> Priority | None:
    return next((priority for priority in PRIORITIES if priority == level), None)


def _order(views: Views, finding: Finding) -> tuple[bool, int, str, str, int, str]:
    """What others wrote comes last: nobody here will change it."""
    at = finding.at
    foreign = views.is_made_by_tool(at.file)
    return foreign, PRIORITIES.index(finding.priority), finding.rule, at.file, at.start, finding.id
