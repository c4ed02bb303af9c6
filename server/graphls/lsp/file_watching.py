"""File watching: changes on disk, by the client or by the server itself.

Owns: what the client is asked to watch, the watch of a server whose client does not.
Must not know: what a change means.
Invariant: every change ends in the session as changed files or a rescan.
"""

from __future__ import annotations

import asyncio
from typing import Final

from graphls.graph.made_by_tool import ATTRIBUTES
from graphls.languages.registry import providers
from graphls.languages.unread import ENDINGS as UNREAD_ENDINGS
from graphls.lsp.server_session import ServerSession
from graphls.session.disk_watch import watch_disk
from graphls.sources.ignore_rules import IGNORE_NAMES
from graphls.sources.surroundings import GLOBS as SURROUNDINGS


def _globs() -> tuple[str, ...]:
    endings = {ending for provider in providers().values() for ending in provider.capabilities.files}
    known = [provider.capabilities for provider in providers().values()]
    names = {name for one in known for name in (*one.manifests, *one.file_names)}
    return (
        *(f"**/*{ending}" for ending in sorted(endings)),
        *(f"**/{name}" for name in sorted(names | {*IGNORE_NAMES, ATTRIBUTES})),
        f"**/*.{{{','.join(sorted(ending[1:] for ending in UNREAD_ENDINGS - endings))}}}",
    )


GLOBS: Final = (*_globs(), *SURROUNDINGS)


async def watch_folders(state: ServerSession, *, alone: bool) -> None:
    """Watch the folders that are open, whichever these are, until the server ends. `alone`: the client does not; where
    it does, the word of the system is heard all the same: no globs name all files that a graph rests on."""
    loop, moved = asyncio.get_running_loop(), asyncio.Event()
    watched = state.session

    def look() -> None:
        if state.session is not watched:
            moved.set()

    def disturbed() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(look)

    state.on_change(disturbed)
    while True:
        watched = state.session
        moved.clear()
        if watched.workspace.folders:
            await watch_disk(watched, moved, state.disturbed, alone=alone)
        await moved.wait()
