"""Similar view: symbols that are like some code, as faces for people and agents show them.

Owns: the records of an answer, the words that say in what two symbols are alike.
Must not know: layout, JSON, how anything was compared.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.similar import SimilarSymbol, SimilarSymbols


@attrs.frozen(kw_only=True)
class SimilarRow:
    """A symbol that is there and is like `source`. `similarity`: of the bodies, 1 at most; `same_body`: names, texts
    and numbers apart they are equal; `same_signature`: it takes the same parameters."""

    source: NodeView
    match: NodeView
    similarity: float
    same_body: bool
    same_name: bool
    same_signature: bool


@attrs.frozen(kw_only=True)
class SimilarView:
    """Of each source equal bodies first, then by likeness. `note`: why proposed code was not taken apart, or ""."""

    similar: tuple[SimilarRow, ...]
    note: str = ""


def similar_rows(presenter: Presenter, found: SimilarSymbols) -> tuple[SimilarRow, ...]:
    """The records of an answer."""
    return tuple(_row(presenter, one) for one in found.found)


def in_words(row: SimilarRow) -> str:
    """In what two symbols are alike."""
    body = "same body" if row.same_body else f"{row.similarity:.0%} of its body" if row.similarity else ""
    parts = (body, "same name" if row.same_name else "", "same parameters" if row.same_signature else "")
    return ", ".join(part for part in parts if part)


def _row(presenter: Presenter, one: SimilarSymbol) -> SimilarRow:
    source, match = presenter.node(one.source), presenter.node(one.match)
    return SimilarRow(
        source=source,
        match=match,
        similarity=one.similarity,
        same_body=one.same_body,
        same_name=one.same_name,
        same_signature=bool(taken := _parameters(source)) and taken == _parameters(match),
    )


def _parameters(node: NodeView) -> str:
    """What stands behind the name in a signature."""
    return "".join((node.signature or "").partition("(")[2].split())
