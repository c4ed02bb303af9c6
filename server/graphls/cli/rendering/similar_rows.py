"""Similar rows: symbols that are like others, on a page.

Owns: the order of the columns.
Must not know: how code is compared.
Invariant: a row says in what two symbols are alike.
"""

from __future__ import annotations

from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE
from graphls.cli.rendering.page import TextPage
from graphls.queries.similar_view import SimilarRow, in_words


def similar_section(page: TextPage, rows: tuple[SimilarRow, ...]) -> None:
    """What is there, beside what it is like."""
    page.rows(
        [
            (
                (in_words(row), FAINT),
                (row.match.what, KIND),
                (row.match.symbol, NAME),
                (row.match.at, PLACE),
                (f"like {row.source.symbol}", FAINT),
            )
            for row in rows
        ],
        indent="  ",
    )
