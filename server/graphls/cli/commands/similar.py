"""Similar: what is like a symbol, or like code that is not written yet.

Owns: arguments of `graphls similar`, its layout.
Must not know: how code is compared.
Invariant: nothing alike is an answer with a code of its own, as where nothing is found.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, At, Format, Root
from graphls.cli.proposals import PatchFile, read_text, with_patch
from graphls.cli.rendering.answers import close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.similar_rows import similar_section
from graphls.cli.symbols import place_of
from graphls.queries.answer import answer
from graphls.queries.changed import changed_symbols
from graphls.queries.node_views import Presenter
from graphls.queries.similar import refuse_where_off, similar
from graphls.queries.similar_view import SimilarView, similar_rows
from graphls.session.snippets import with_snippet

COMMAND = CommandEntry(help="Show what is like a symbol, or like proposed code.", rank=170, read_only=True)


def run(
    ctx: typer.Context,
    symbol: Annotated[str, typer.Argument(metavar="[SYMBOL]", help="What others are to be like.")] = "",
    *,
    patch: PatchFile = "",
    stdin: Annotated[bool, typer.Option("--stdin", help="Compare code from standard input, not written yet.")] = False,
    language: Annotated[str, typer.Option("--language", help="Of the code from standard input.")] = "",
    path: Annotated[str, typer.Option("--path", metavar="FILE", help="Where that code is to stand.")] = "",
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    if bool(symbol) + bool(patch) + stdin != 1:
        raise UsageError("Give a symbol, code as --patch, or code with --stdin.")
    if (language or path) and not stdin:
        raise UsageError("--language and --path say what the code of --stdin is.")
    with opened(ctx, root, at=at) as workspace:
        refuse_where_off(workspace.settings.similarity)
        snapshot, note = workspace.snapshot, ""
        if stdin:
            place = workspace.workspace
            where = place.contained(path) if path else ""
            code = read_text("-")
            made = with_snippet(snapshot, code, workspace.settings, place.prefixes, language=language, path=where)
            snapshot, sources, note = made.snapshot, made.places, made.why_whole
        elif patch:
            snapshot, edits = with_patch(workspace, patch)
            sources = tuple(one.place for one in changed_symbols(snapshot, edits))
        else:
            sources = (place_of(workspace, symbol),)
        found = similar(snapshot, sources, workspace.settings.similarity, texts=stdin)
        view = SimilarView(similar=similar_rows(Presenter(snapshot), found), note=note)
        envelope = answer(snapshot, found.coverage)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = TextPage()
        similar_section(page, view.similar)
        if not view.similar:
            page.line("Nothing is like it.")
        if view.note:
            page.line(f"{view.note[0].upper()}{view.note[1:]}.")
        close_page(page, envelope)
        page.write()
    if not view.similar:
        raise NegativeAnswer
