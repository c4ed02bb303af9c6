"""Notes: what is on record of a change, in text.

Owns: the wording and order of the lines.
Must not know: how decisions are found, how history is read.
Invariant: without history the reason is said; only the hottest files get a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphls.cli.rendering.answers import KIND, NAME, PLACE
from graphls.cli.rendering.page import TextPage
from graphls.queries.annotation_views import ChangeNotes, LeftBehind


def notes_section(page: TextPage, notes: ChangeNotes) -> None:
    """Decisions that govern what changed, hot files, files that mostly change together with these."""
    if notes.decisions:
        page.heading("decisions that govern it")
        page.rows(
            [((one.status, KIND), (one.title, NAME), (f"{one.file}:{one.line}", PLACE)) for one in notes.decisions],
            indent="  ",
        )
    hot = [one for one in notes.history or () if one.is_hot]
    if hot:
        page.heading("files that change often")
        page.rows([((one.file, PLACE), one.sentence) for one in hot], indent="  ")
    left_behind_section(page, notes.left_behind)
    if notes.without:
        page.line((f"Without history: {notes.without}", "yellow"))


def left_behind_section(page: TextPage, left_behind: Sequence[LeftBehind]) -> None:
    """Files that mostly change together with changed ones and were left alone."""
    if left_behind:
        page.heading("mostly changed together with these, and left alone")
        page.rows(
            [
                ((one.file, PLACE), f"{one.count} times with {one.changed} ({one.share:g} % of its commits)",
                 ("no edge between them" if one.hidden else "", "yellow"))
                for one in left_behind
            ],
            indent="  ",
        )  # fmt: skip
