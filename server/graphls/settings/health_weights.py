"""Health weights: how much each marker of health counts, and where it counts otherwise.

Owns: names of markers, the fields of an override, how a raw table becomes one.
Must not know: what a marker measures, code.
Invariant: an unknown marker or a negative weight is rejected, with the names that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import attrs

from graphls.settings.kinds import RejectedError

HEALTH_MARKERS: Final = (
    "large_file", "large_function", "deep_nesting", "complex_conditional", "complex_function",
    "brain_method_candidate", "structural_clone", "git_hotspot", "ownership_risk", "hidden_coupling",
    "hotspot_without_test_evidence", "repeated_lint_hook_failure",
)  # fmt: skip
MOST_WEIGHT: Final = 100


@attrs.frozen
class HealthOverride:
    """Other weights for some files."""

    glob: str = attrs.field(metadata={"doc": "Which files: `**` is any folders, `*` stays within one."})
    weights: Mapping[str, float] = attrs.field(
        factory=dict[str, float], metadata={"doc": "Weight of each marker there; 0 switches it off."}
    )


@attrs.frozen
class WeightsTable:
    """A table from markers to weights."""

    expected: str = f"a table from markers ({', '.join(HEALTH_MARKERS)}) to numbers from 0 to {MOST_WEIGHT}"

    def read(self, raw: object) -> Mapping[str, float]:
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        weights: dict[str, float] = {}
        for name, value in cast("Mapping[object, object]", raw).items():
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= MOST_WEIGHT:
                raise RejectedError(f"a number from 0 to {MOST_WEIGHT} for {name}", value)
            if name == "*":
                weights |= dict.fromkeys(HEALTH_MARKERS, float(value))
            elif name in HEALTH_MARKERS:
                weights[str(name)] = float(value)
            else:
                raise RejectedError(f"one of {', '.join(HEALTH_MARKERS)} or *", name)
        return weights


@attrs.frozen
class OverrideTable:
    """A table with a glob and weights."""

    expected: str = "a table with glob and weights"

    def read(self, raw: object) -> HealthOverride:
        if isinstance(raw, HealthOverride):
            return raw
        if not isinstance(raw, Mapping):
            raise RejectedError(self.expected, raw)
        table: Mapping[object, object] = cast("Mapping[object, object]", raw)
        glob, unknown = table.get("glob"), set(table) - {"glob", "weights"}
        if unknown or not isinstance(glob, str) or not glob or len(glob) > 500 or not glob.isprintable():
            raise RejectedError(self.expected, table)
        return HealthOverride(glob, WeightsTable().read(table.get("weights", {})))
