"""Similarity facts: what expressions see of functions that are like others.

Owns: names and types of the fields, how the rows are asked for.
Must not know: how bodies are compared, expressions, rules.
Invariant: a pair has a row for each of its ends; where bodies are not compared, rules about them are named, not silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.policy.predicates import Fact
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

NAME: Final = "similarity_facts"
SIMILARITY: Final[Mapping[str, Fact]] = {
    "file": "a", "symbol": "a:run", "name": "run", "kind": "function", "language": "", "line": 1,
    "match_file": "b", "match_symbol": "b:go", "match_kind": "function", "match_line": 1, "similarity": 1.0,
    "exact_normalized": True,
}  # fmt: skip
SimilarityRows = Mapping[FilePath, Sequence[Mapping[str, Fact]]]


@attrs.frozen
class SimilaritySource:
    """Where the rows come from. `state`: equal where the same code gives the same rows."""

    state: object
    read: Callable[[Snapshot], SimilarityRows] = attrs.field(eq=False)
