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

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.commands.query import DATABASES
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import located, opened, opened_store
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, sized, visible
from graphls.session.cache.shared_entries import shared_entries
from graphls.session.dated_rows import DAYS
from graphls.session.journal import Journal
from graphls.session.session_events import SessionEvents
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreStats


class CacheAction(StrEnum):
    """What to do."""

    INFO = "info"
    CLEAR = "clear"
    PRUNE = "prune"
    PUSH = "push"
    PULL = "pull"


COMMAND = CommandEntry(
    help="Show, clear, prune or share what is kept between runs.", rank=290, synonyms=("store", "prune", "vacuum")
)
KEY_VARIABLE = "GRAPHLS_CACHE_KEY"
_SHORTEST_KEY = 16
_OFF = "The cache is switched off, by --no-cache or by the setting cache.enabled."


def run(
    ctx: typer.Context,
    action: Annotated[
        CacheAction, typer.Argument(help="Show the cache, forget all of it or old notes about agents, or share it.")
    ] = CacheAction.INFO,
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="Where to push to or pull from: s3://, gs://, az://, https://, file://."),
    ] = "",
    *,
    root: Root = ".",
    name: Annotated[
        str,
        typer.Option("--name", metavar="NAME", help="What is pushed and pulled is called so."),
    ] = "",
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Trust whoever may write there, in place of a key in GRAPHLS_CACHE_KEY.")
    ] = False,
    days: Annotated[
        int, typer.Option("--days", min=0, help="prune: what agents did here before so many days goes.")
    ] = DAYS,
    format: AsFormat = Format.TEXT,
) -> None:
    if (action in (CacheAction.PUSH, CacheAction.PULL)) != bool(url):
        raise UsageError("push and pull need an address, such as s3://bucket/folder; others have none.")
    if url and not name:
        raise UsageError("Say with --name what is pushed or pulled, for example the name of the repository.")
    if url:
        _share(ctx, action, root, SharedName(url, name, _key(unsigned)), format)
        return
    place = located(ctx, root)
    store = opened_store(ctx, place.settings)
    if store is None:
        raise UsageError(_OFF)
    if action is CacheAction.PRUNE:
        _prune(store, place.workspace, days, format)
        return
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


def _prune(store: BlobStore, workspace: Workspace, days: int, format: Format) -> None:
    try:
        gone = Journal(store, workspace).prune(days) + SessionEvents(store, workspace).prune(days)
    finally:
        store.close()
    if format is Format.JSON:
        write_json(Pruned(gone, days))
        return
    page = TextPage()
    page.line(f"{counted(gone, 'note')} older than {counted(days, 'day')} forgotten.")
    page.write()


@attrs.frozen
class Pruned:
    """Notes about agents that are gone, and how old one may be."""

    pruned: int
    days: int


@attrs.frozen
class SharedName:
    """Where something is shared, under which name, and the key that vouches for it."""

    url: str
    name: str
    key: bytes = attrs.field(repr=False)


def _key(unsigned: bool) -> bytes:
    key = os.environ.get(KEY_VARIABLE, "")
    if unsigned and not key:
        return b""
    if len(key) < _SHORTEST_KEY:
        raise UsageError(
            f"Set {KEY_VARIABLE} to a secret of {_SHORTEST_KEY} characters or more that all machines share, or say "
            "--unsigned to trust whoever may write to the store."
        )
    return key.encode()


def _share(ctx: typer.Context, action: CacheAction, root: str, address: SharedName, format: Format) -> None:
    from graphls.store.remote_objects import ObstoreObjects  # few commands share
    from graphls.store.remote_packs import RemoteError, object_name, pull_pack, push_pack

    try:
        remote = ObstoreObjects(address.url)
        if action is CacheAction.PUSH:
            with opened(ctx, root, "complete") as workspace:
                wanted = shared_entries(workspace.snapshot)
            # What was made last is written to the cache when the session ends.
            store = _store(ctx, root)
            done = push_pack(store, remote, object_name(address.name), address.key, wanted)
        else:
            store = _store(ctx, root)
            done = pull_pack(store, remote, object_name(address.name), address.key)
        store.close()
    except RemoteError as error:
        raise UsageError(f"{error}.") from error
    if format is Format.JSON:
        write_json(done, {"name": address.name})
    else:
        verb = "pushed" if action is CacheAction.PUSH else "pulled"
        page = TextPage()
        page.line(f"{counted(done.entries, 'entry', 'entries')} {verb} as {visible(address.name)}, {sized(done.size)}")
        if done.problem:
            page.line((f"Nothing was taken in: {done.problem}.", "yellow"))
        page.write()
    if done.problem:
        raise NegativeAnswer


def _store(ctx: typer.Context, root: str) -> BlobStore:
    store = opened_store(ctx, located(ctx, root).settings)
    if store is None:
        raise UsageError(_OFF)
    return store


def _show(stats: StoreStats, cleared: int | None) -> None:
    page = TextPage()
    page.rows([("folder", stats.folder), ("size", sized(stats.size)), ("entries", f"{stats.entries:,}")])
    page.rows([(f"  {kind}", f"{count:,}") for kind, count in stats.by_kind.items() if count])
    if stats.problem:
        page.line((stats.problem, "yellow"))
    if cleared is not None:
        page.line(f"{counted(cleared, 'entry', 'entries')} forgotten")
    page.write()
