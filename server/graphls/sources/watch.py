"""Watch: which sources changed on disk, in batches.

Owns: watching, debouncing, leaving out what the walk leaves out, falling back to polling.
Must not know: what a change means for the graph.
Invariant: when a batch may be incomplete it says `rescan`; when watching is not what was asked for it says `degraded`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import attrs
from watchfiles import Change
from watchfiles import awatch as awatch  # pyright: ignore[reportUnknownVariableType] - trio types are absent

from graphls.facts.paths import FilePath
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.ignore_rules import IGNORE_NAMES
from graphls.sources.limits import EXCLUDED_FOLDERS, SourceLimits
from graphls.sources.surroundings import bears_on, surrounds
from graphls.sources.workspace import Workspace


@attrs.frozen
class SourceChanges:
    changed: tuple[FilePath, ...] = ()
    """Created or modified files, and what was left out but bears on the surroundings."""
    deleted: tuple[FilePath, ...] = ()
    """Gone. May name a folder: whatever lay below it is gone as well."""
    rescan: bool = False
    """Too much happened, or what is ignored changed: walk again."""
    degraded: str | None = None
    """Why watching is slower than it should be, or has ended."""


@attrs.frozen
class WatchOptions:
    debounce_ms: int = 400
    step_ms: int = 50
    burst: int = 5_000
    force_polling: bool | None = None
    """None: poll only where the system needs it."""
    poll_delay_ms: int = 1_000
    ready_ms: int = 1_000
    """The longest time until the first, perhaps empty, batch that says that watching has begun."""


async def watch(
    workspace: Workspace, limits: Callable[[], SourceLimits], stop: asyncio.Event, options: WatchOptions | None = None
) -> AsyncIterator[SourceChanges]:
    """Batches until `stop` is set. The first says that watching has begun: a walk after it misses nothing. `limits`:
    as they are now."""
    options = options or WatchOptions()
    sorting = _EventSorter(workspace, limits, options.burst)
    if missing := [root for root in sorting.roots if not os.path.isdir(root)]:  # the watcher would wait for ever
        yield SourceChanges(rescan=True, degraded=f"files are not watched: {missing[0]} is not a folder")
        return
    try:
        async with aclosing(_watched(sorting, stop, options)) as found:
            async for changes in found:
                yield changes
        return
    except (OSError, RuntimeError) as error:
        degraded = f"file watching is not available ({_error_text(error)}); polling instead"
    # What happened between the two ways of watching is unknown.
    yield SourceChanges(rescan=True, degraded=degraded)
    try:
        async for changes in _watched(sorting, stop, attrs.evolve(options, force_polling=True)):
            yield attrs.evolve(changes, degraded=degraded)
    except (OSError, RuntimeError) as error:
        yield SourceChanges(rescan=True, degraded=f"files are not watched: {_error_text(error)}")


def _error_text(error: Exception) -> str:
    """What the watcher says, without what it says for itself."""
    message = str(error).partition(" about [")[0].rstrip(".")
    return (
        f"{message}; the system setting fs.inotify.max_user_watches allows more"
        if "watch limit" in message
        else message
    )


async def _watched(sorting: _EventSorter, stop: asyncio.Event, options: WatchOptions) -> AsyncGenerator[SourceChanges]:
    begun = False
    batches = awatch(
        *sorting.roots,
        watch_filter=sorting.wanted,
        debounce=options.debounce_ms,
        step=options.step_ms,
        stop_event=stop,
        rust_timeout=options.ready_ms,
        yield_on_timeout=True,
        force_polling=options.force_polling,
        poll_delay_ms=options.poll_delay_ms,
        ignore_permission_denied=True,
    )
    async for batch in batches:
        changes = await asyncio.to_thread(sorting.classify, batch)
        # Folders that may not be read are passed over, and with them those for which no watch was left.
        if not options.force_polling and (not begun or changes.rescan):
            await _try_one_more(sorting.roots[0])
        if changes != SourceChanges() or not begun:
            begun = True
            yield changes


async def _try_one_more(root: str) -> None:
    """Raises OSError where the system gives no further watch."""
    batches = awatch(root, recursive=False, rust_timeout=1, yield_on_timeout=True, ignore_permission_denied=False)
    async with aclosing(batches) as one:
        await anext(one)


class _EventSorter:
    """Turns raw events into FilePaths."""

    def __init__(self, workspace: Workspace, limits: Callable[[], SourceLimits], burst: int) -> None:
        self.roots = tuple(folder.root for folder in workspace.folders)
        self._workspace = workspace
        self._limits = limits
        self._burst = burst
        self._index = IgnoreIndex(workspace, limits())

    def wanted(self, _change: Change, absolute: str) -> bool:
        """Quick and without the disk: most noise comes from folders excluded by name."""
        root = max((root for root in self.roots if absolute.startswith(root)), key=len, default="")
        parts = absolute[len(root) :].split(os.sep)
        return EXCLUDED_FOLDERS.isdisjoint(parts) or surrounds(parts) or self._is_own(root, parts)

    def _is_own(self, root: str, parts: list[str]) -> bool:
        """Whether it is in a folder that is left out by name, but for files of the repository's own."""
        folder = next((folder for folder in self._workspace.folders if folder.root == root), None)
        first = next((at for at, part in enumerate(parts) if part in EXCLUDED_FOLDERS), 0)
        return folder is not None and self._index.enters(folder, tuple(filter(None, parts[: first + 1])))

    def classify(self, batch: set[tuple[Change, str]]) -> SourceChanges:
        paths = {absolute for _, absolute in batch}
        telling = (*IGNORE_NAMES, "pyvenv.cfg")
        if len(batch) > self._burst or any(os.path.basename(absolute) in telling for absolute in paths):
            return SourceChanges(rescan=True)
        # Rules stand in many places, settings among them: what was left out before may count by now.
        self._index = IgnoreIndex(self._workspace, self._limits())
        created = {absolute for change, absolute in batch if change is Change.added}
        found = [self._one(absolute, new=absolute in created) for absolute in paths]
        return SourceChanges(
            tuple(sorted({path for changes in found for path in changes.changed})),
            tuple(sorted({path for changes in found for path in changes.deleted})),
            any(changes.rescan for changes in found),
        )

    def _one(self, absolute: str, *, new: bool) -> SourceChanges:
        path = self._workspace.entry(absolute)
        if path is None:
            return SourceChanges()
        is_folder = os.path.isdir(absolute) and not os.path.islink(absolute)
        if self._index.leaves_out(path, is_folder=is_folder):
            return SourceChanges(changed=(path,)) if bears_on(self._workspace, path) else SourceChanges()
        if is_folder:  # a folder moved in brings files without an event of their own
            return SourceChanges(rescan=new)
        if os.path.lexists(absolute):
            return SourceChanges(changed=(path,))
        return SourceChanges(deleted=(path,))
