"""Measure facts: what expressions see of the health and the history of a file.

Owns: names and types of the fields, how the rows are asked for.
Must not know: expressions, rules, how anything is measured.
Invariant: where the input is absent, rules about it are named, not silent; a number that nobody measured is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs

from graphls.analysis.policy.predicates import Fact
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

HEALTH: Final = "health"
RISK: Final = "risk"
HEALTH_SAMPLE: Final[Mapping[str, Fact]] = {"score": 100.0, "impact": 0.0, "priority": 0.0, "markers": ("",)}
RISK_SAMPLE: Final[Mapping[str, Fact]] = {
    "hotspot": 0.0, "percentile": 0.0, "commits": 0, "churn": 0, "authors": 0, "hidden": 0, "covered": -1.0,
}  # fmt: skip
UNJUDGED: Final[Mapping[str, Fact]] = {"score": -1.0, "impact": -1.0, "priority": -1.0, "markers": ()}
"""Health of a file that people of the project do not maintain."""
NO_COMMITS: Final[Mapping[str, Fact]] = {**RISK_SAMPLE}
"""Risk of a file that the window has no commit of."""
MeasureRows = Mapping[FilePath, Mapping[str, Fact]]


@attrs.frozen
class MeasureSource:
    """Where the rows come from, by the name of the fact. `state`: equal where the same code gives the same rows."""

    state: object
    read: Callable[[Snapshot, str], MeasureRows] = attrs.field(eq=False)
