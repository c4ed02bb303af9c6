"""File watching: changes on disk, by the client or by the server itself.

Owns: what the client is asked to watch, the watch of a server whose client does not.
Must not know: what a change means.
Invariant: every change ends in the session as changed files or a rescan.
"""

from __future__ import annotations

import asyncio
from typing import Final

from graphls.languages.registry import providers
from graphls.lsp.server_session import ServerSession
from graphls.session.session import Session
from graphls.sources.ignore_rules import IGNORE_NAMES
from graphls.sources.limits import SourceLimits
from graphls.sources.surroundings import GLOBS as SURROUNDINGS
from graphls.sources.watch import watch


def _globs() -> tuple[str, ...]:
    endings = {ending for provider in providers().values() for ending in provider.capabilities.files}
    names = {name for provider in providers().values() for name in provider.capabilities.manifests}
    return (
        *(f"**/*{ending}" for ending in sorted(endings)),
        *(f"**/{name}" for name in sorted(names | {*IGNORE_NAMES})),
    )


GLOBS: Final = (*_globs(), *SURROUNDINGS)


async def watch_folders(workbench: ServerSession) -> None:
    """Watch the folders that are open, whichever these are, until the server ends."""
    loop, moved = asyncio.get_running_loop(), asyncio.Event()
    watched = workbench.session

    def look() -> None:
        if workbench.session is not watched:
            moved.set()

    def disturbed() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(look)

    workbench.on_change(disturbed)
    while True:
        watched = workbench.session
        moved.clear()
        if watched.workspace.folders:
            await _watch(workbench, watched, moved)
        await moved.wait()


async def _watch(workbench: ServerSession, session: Session, moved: asyncio.Event) -> None:
    """Until other folders are open."""
    async for changes in watch(session.workspace, SourceLimits.of(workbench.settings.files), moved):
        if changes.degraded:
            session.report_problem("watching", changes.degraded)
        if workbench.session is not session:
            return
        if changes.rescan:
            session.rescan()
        elif changes.changed or changes.deleted:
            session.files_changed((*changes.changed, *changes.deleted))
        workbench.disturbed()
