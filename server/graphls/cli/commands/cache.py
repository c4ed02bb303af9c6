"""Cache: what is kept between runs.

Owns: arguments of `graphls cache`.
Must not know: what the entries mean.
Invariant: clearing loses nothing but time.
"""

from __future__ import annotations

import os
import shutil
from enum import StrEnum
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.commands.query import DATABASES
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import located, opened_store
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, sized
from graphls.store.blobs import StoreStats


class CacheAction(StrEnum):
    """What to do."""

    INFO = "info"
    CLEAR = "clear"


COMMAND = CommandEntry(help="Show or clear what is kept between runs.", rank=290)


def run(
    ctx: typer.Context,
    action: Annotated[CacheAction, typer.Argument(help="Show the cache, or forget all of it.")] = CacheAction.INFO,
    *,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    store = opened_store(ctx, located(ctx, root).settings)
    if store is None:
        raise UsageError("The cache is switched off, by --no-cache or by the setting cache.enabled.")
    try:
        before = store.stats()
        done = action is CacheAction.INFO or store.clear()
        if action is CacheAction.CLEAR:
            shutil.rmtree(os.path.join(store.folder, DATABASES), ignore_errors=True)
        after = store.stats() if action is CacheAction.CLEAR else before
    finally:
        store.close()
    if format is Format.JSON:
        write_json(after, {"cleared": before.entries - after.entries})
    else:
        _show(after, before.entries if action is CacheAction.CLEAR and done else None)
    if not done:
        raise NegativeAnswer


def _show(stats: StoreStats, cleared: int | None) -> None:
    page = TextPage()
    page.rows([("folder", stats.folder), ("size", sized(stats.size)), ("entries", f"{stats.entries:,}")])
    page.rows([(f"  {kind}", f"{count:,}") for kind, count in stats.by_kind.items() if count])
    if stats.problem:
        page.line((stats.problem, "yellow"))
    if cleared is not None:
        page.line(f"{counted(cleared, 'entry', 'entries')} forgotten")
    page.write()
