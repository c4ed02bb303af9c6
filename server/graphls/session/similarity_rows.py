"""Similarity rows: functions that are like others, as facts for the rules of a team.

Owns: when bodies are compared for rules, the rows of a pair.
Must not know: expressions, layout.
Invariant: nothing is compared unless a rule names these facts; settings of similarity hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphls.analysis.policy.predicates import Fact
from graphls.analysis.policy.similarity_facts import NAME, SimilarityRows, SimilaritySource
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.near_clones import NearClone, clones_of_all
from graphls.queries.node_views import Presenter
from graphls.settings import Settings, SimilaritySettings


def similarity_source(settings: Settings) -> SimilaritySource | None:
    """Where rules read which functions are alike: None unless one names it."""
    if not any(NAME in rule.when for rule in settings.policy.rules):
        return None
    chosen = settings.similarity
    return SimilaritySource(chosen, lambda snapshot: similarity_rows(snapshot, chosen))


def similarity_rows(snapshot: Snapshot, chosen: SimilaritySettings) -> SimilarityRows:
    """Rows by file, most alike first. Raises BadRequest where bodies are not compared."""
    if not chosen.enabled:
        raise BadRequest("Bodies are not compared: the setting similarity.enabled is false.")
    things, rows = Presenter(snapshot), dict[FilePath, list[Mapping[str, Fact]]]()
    for pair in clones_of_all(snapshot, chosen):
        for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
            rows.setdefault(one.file, []).append(_row(things, one, other, pair))
    return rows


def _row(things: Presenter, one: SymbolRef, other: SymbolRef, pair: NearClone) -> Mapping[str, Fact]:
    own, match = things.node(one), things.node(other)
    return {
        "file": one.file, "symbol": own.symbol, "name": own.symbol.rpartition(":")[2].rpartition(".")[2],
        "kind": own.what, "language": things.snapshot.shards[one.file].language, "line": own.line or 0,
        "match_file": other.file, "match_symbol": match.symbol, "match_kind": match.what,
        "match_line": match.line or 0, "similarity": float(pair.similarity), "exact_normalized": pair.same_body,
    }  # fmt: skip
