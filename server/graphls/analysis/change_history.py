"""Change history: what rules may know of code besides its text.

Owns: the record that rules are handed, how it is asked for.
Must not know: where history and reports of coverage come from, any particular rule.
Invariant: what nobody knows is None, never zero; a source is asked only by a rule that is on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from graphls.analysis.git_signals import GitSignals
from graphls.graph.snapshot import Snapshot, SymbolRef


@attrs.frozen(eq=False)
class ChangeHistory:
    """History of a workspace. `covered`: percent of the lines of functions that tests ran, as far as reports speak of
    them; None where there is no report."""

    signals: GitSignals
    covered: Mapping[SymbolRef, float] | None


@attrs.frozen
class HistorySource:
    """Where history may be read. `state`: equal where what is read is the same."""

    state: object
    read: Callable[[Snapshot], ChangeHistory] = attrs.field(eq=False)
    """Raises GraphError where there is no history, with the reason."""
