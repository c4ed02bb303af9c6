"""Find documents: what schemas declare, by name.

Owns: which documents are looked at, how names of their entries are compared and ordered.
Must not know: symbols of code, other kinds of documents, faces.
Invariant: the order is a function of the snapshot and the request; where the budget ends the search, the answer is not
    whole.
"""

from __future__ import annotations

from typing import Final, Literal

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.request_budget import PartOfBudget, spend
from graphls.graph.snapshot import Snapshot
from graphls.languages.config.graphql import EXTENSION
from graphls.queries.document_uses import declaring_documents
from graphls.queries.find_filter import FindFilter

_PART: Final = 0.3
"""Of the budget of a request: names of code are found by then."""
_LEAST: Final = 3
"""Letters of a text that is looked for inside of names."""
SAME_NAME: Final = 1
"""Up to this quality an entry is called exactly so, but for capitals."""
_INSIDE: Final = 3


def declared_like(
    snapshot: Snapshot, text: str, mode: Literal["exact", "prefix", "fuzzy"], only: FindFilter
) -> tuple[list[tuple[int, DerivedNode]], bool]:
    """Tables, messages, types and the like whose names match, each behind its quality, best first; and whether all
    documents were looked at. A name may be given by its end: `account.email` and `email`."""
    derivation, name = snapshot.derivation, text.replace(":", ".").strip(".")
    if derivation is None or not name or only.kinds or only.languages:
        return [], True
    most = {"exact": 0, "prefix": _INSIDE - 1}.get(mode, _INSIDE if len(name) >= _LEAST else _INSIDE - 1)
    found: dict[tuple[FilePath, str], tuple[int, DerivedNode]] = {}
    part = PartOfBudget(_PART)
    with part:
        for path in filter(only.is_under, declaring_documents(snapshot)):
            spend()
            for node in derivation.nodes(snapshot, path):
                quality = _quality(node.name, name)
                # What is extended is declared elsewhere.
                if quality <= most and node.subkind != EXTENSION:
                    found.setdefault((path, node.name), (quality, node))
    ranked = sorted(found.values(), key=lambda one: (one[0], len(one[1].name), one[1].name, one[1].file))
    return ranked, not part.is_spent


def _quality(name: str, wanted: str) -> int:
    """0: the name or its end, 1: but for capitals, 2: its last part begins so, 3: it is inside of the last part."""
    if f".{name}".endswith(f".{wanted}"):
        return 0
    low, asked = name.lower(), wanted.lower()
    if f".{low}".endswith(f".{asked}"):
        return SAME_NAME
    last = low.rpartition(".")[2]
    return _INSIDE - 1 if last.startswith(asked) else _INSIDE if asked in last else _INSIDE + 1
