"""Overriding: which of several rules with one id holds.

Owns: when a later rule may stand in the place of an earlier one.
Must not know: expressions, facts, where rules come from.
Invariant: rules add up; one takes the place of another only where that one allows it and it gives a reason, and a
    protected one stays as it is. What is refused is named, and the earlier rule holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphls.analysis.engine import RuleFailure
from graphls.settings.policy_rules import SEVERITIES, PolicyRule


def effective_rules(rules: Iterable[PolicyRule]) -> tuple[tuple[PolicyRule, ...], tuple[RuleFailure, ...]]:
    """The rules that hold, in the order of their ids' first rules, and those that were refused."""
    found: dict[str, PolicyRule] = {}
    refused: list[RuleFailure] = []
    for rule in rules:
        known = found.get(rule.id)
        why = "" if known is None else _refusal(known, rule)
        if why:
            refused.append(RuleFailure(rule.id, f"it is not applied: {why}"))
        else:
            found[rule.id] = rule
    return tuple(found.values()), tuple(refused)


def _refusal(known: PolicyRule, rule: PolicyRule) -> str:
    """Why a rule may not stand in the place of another one with its id; "" where it may."""
    if not rule.override:
        return "another rule has the same id, and it does not say that it overrides that (override)"
    if known.protected:
        return "the rule that it overrides is protected"
    if not known.allow_override:
        return "the rule that it overrides does not allow that (allow_override)"
    if not rule.override_reason:
        return "it gives no reason for overriding another one (override_reason)"
    weaker = SEVERITIES.index(rule.severity) > SEVERITIES.index(known.severity)
    if weaker and not known.allow_severity_weaken:
        return "it is weaker than the rule that it overrides, which does not allow that (allow_severity_weaken)"
    return ""
