"""Rules: what the rules of the shared inference are called.

Owns: the names of rules, for those who show them.
Must not know: how a rule answers.
Invariant: nothing that resolves names is loaded before a name is asked for.
"""

from __future__ import annotations


def rule_name(rule: int) -> str | None:
    """What a rule is called."""
    from graphls.languages.declared.values import DeclaredRule  # only who shows rules loads what resolves names

    return next((known.name.lower() for known in DeclaredRule if known == rule), None)
