"""Summary: the shape of a workspace.

Owns: arguments of `graphls summary`, its layout.
Must not know: how things are counted.
Invariant: a list that is cut says so by its length being the cap.
"""

from __future__ import annotations

from collections.abc import Sequence

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, At, Format, Root, Scope
from graphls.cli.rendering.answers import NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted, sized
from graphls.queries.answer import answer
from graphls.queries.summary import INNER_KINDS, Counted, Summary, summary

_PLURALS = {"class": "classes", "property": "properties", "type_alias": "type aliases", "enum_member": "enum members",
            "type_parameter": "type parameters"}  # fmt: skip
_NAMES = 20


COMMAND = CommandEntry(
    help="Show the shape of a workspace or of a part of it.",
    rank=90,
    read_only=True,
    synonyms=("overview", "stats", "tree"),
)


def run(
    ctx: typer.Context, scope: Scope = "", *, root: Root = ".", at: At = "", format: AsFormat = Format.TEXT
) -> None:
    with opened(ctx, root, at=at) as workspace:
        found = summary(workspace.snapshot, scope)
        envelope = answer(workspace.snapshot)
        name = workspace.workspace.name
    if format is Format.JSON:
        write_answer(envelope, found)
        return
    page = _page(found, f"{name}  {scope}".rstrip())
    close_page(page, envelope)
    page.write()


def _page(found: Summary, title: str) -> TextPage:
    page = TextPage()
    page.line((title, NAME))
    languages = ", ".join(f"{item.count:,} {item.name}" for item in found.languages)
    files = counted(found.files, "source file")
    page.line(f"  {files} ({languages}), {found.test_files:,} of them tests; {sized(found.bytes)}")
    page.line("  ", ", ".join(_many(item) for item in found.symbols if item.name not in INNER_KINDS))
    if found.skipped:
        page.line((f"  {counted(found.skipped, 'file')} left out: graphls status says why", "yellow"))
    _counts(page, "packages", found.packages if len(found.packages) > 1 else ())
    _counts(page, "files by folder", found.folders)
    _counts(page, "modules that most others import or use", found.most_imported)
    if found.unlinked_files:
        page.line(f"  what {counted(found.unlinked_files, 'file')} use is not known yet: graphls index links them")
    _names(page, "entry points", found.entry_points)
    _names(page, "public names", found.public_api)
    return page


def _many(item: Counted) -> str:
    return counted(item.count, item.name.replace("_", " "), _PLURALS.get(item.name, ""))


def _counts(page: TextPage, title: str, items: Sequence[Counted]) -> None:
    if items:
        page.heading(title)
        width = len(f"{items[0].count:,}")
        page.rows([(f"{item.count:,}".rjust(width), item.name) for item in items], indent="  ")


def _names(page: TextPage, title: str, names: Sequence[str]) -> None:
    if names:
        page.heading(title)
        for name in names[:_NAMES]:
            page.line("  ", name)
        if len(names) > _NAMES:
            page.note(f"  and {len(names) - _NAMES} more")
