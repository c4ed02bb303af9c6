"""Risk: graph/risk.

Owns: the params, what is asked about.
Must not know: version control, formulas.
Invariant: without history it is refused, and where git takes longer than a request may; every number is of the window
    that the result names.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from graphls.facts.paths import FilePath
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import RiskResult
from graphls.lsp.params import RiskParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope
from graphls.queries.answer import Coverage
from graphls.queries.scope import paths_in
from graphls.session.risk_report import SymbolRisk, risk_report, signals_of, symbol_risks


@custom("graph/risk", RiskParams, RiskResult, kind="long")
def risked(context: Context, params: RiskParams) -> RiskResult:
    """What history says of files below a scope, and of the symbols where it is one file."""
    snapshot, session = context.snapshot, context.session.session
    signals = signals_of(session.workspace, snapshot, session.store)
    paths = _paths(snapshot, params.scope)
    symbols: Sequence[SymbolRisk] = ()
    with contextlib.suppress(BudgetSpentError):  # git goes on; the answer says that something is left out
        symbols = symbol_risks(session.workspace, snapshot, paths[0]) if len(paths) == 1 else ()
    found = risk_report(snapshot, signals, paths, symbols, limit=max(params.limit, 1))
    omitted = max(sum(path in signals.files for path in paths) - len(found.files), 0)
    coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not found.files)
    return RiskResult(**envelope(snapshot, coverage), risk=found)


def _paths(snapshot: Snapshot, scope: str) -> list[FilePath]:
    inside = paths_in(snapshot, scope)
    return [path for path in snapshot.shards if path in inside]


FEATURES: tuple[Declaration, ...] = (risked,)
