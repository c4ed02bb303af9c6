"""Open workspace: a workspace, from the folder on the command line to a snapshot.

Owns: checking the folder, its settings, the store, a session for one command, the progress bar.
Must not know: any particular command, how answers are shown.
Invariant: whatever ends the command, the session and its processes end with it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Literal

import attrs
import typer

from graphls.cli.guard import UsageError
from graphls.cli.rendering.progress import Bar, bar
from graphls.cli.rendering.words import visible
from graphls.cli.switches import Switches
from graphls.graph.request_budget import budget_of, limited
from graphls.graph.snapshot import Snapshot
from graphls.session.revisions import at_commit
from graphls.session.session import Session, SessionOptions
from graphls.settings import SettingProblem, Settings, merge
from graphls.sources.repositories import RegistryRefused, has_list, workspace_of
from graphls.sources.settings_files import read_settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from graphls.store.remote_tier import tiered_store

Stage = Literal["ready", "complete"]
_TICK = 0.1
_PATIENCE = 5.0
"""Seconds that a session may be in trouble before the command gives up."""


class SessionBroken(RuntimeError):
    """The session cannot do its work."""


@attrs.frozen
class WorkspaceFolder:
    """A folder with what its settings say."""

    root: str
    workspace: Workspace
    settings: Settings
    origin: str | None
    """The file that settings were read from."""
    problems: tuple[str, ...]
    misread: frozenset[str] = frozenset()
    """Sections of the settings in which something is wrong."""


@attrs.frozen(eq=False)
class OpenWorkspace:
    """An open workspace and the snapshot that the command asks."""

    place: WorkspaceFolder
    session: Session
    snapshot: Snapshot
    store: BlobStore | None

    @property
    def workspace(self) -> Workspace:
        return self.place.workspace

    @property
    def settings(self) -> Settings:
        return self.place.settings


def located(ctx: typer.Context, root: str) -> WorkspaceFolder:
    """The folder and its settings. Raises Refused."""
    if not os.path.isdir(root):
        what = "is a file" if os.path.exists(root) else "does not exist"
        raise UsageError(f"{root!r} {what}. Give the folder of a workspace, for example --root path/to/project.")
    real = os.path.realpath(root)
    settings, words, misread = _read(ctx, real)
    workspace, more = _workspace(ctx, real)
    return WorkspaceFolder(real, workspace, settings, read_settings(real).origin, (*words, *more), misread)


def _workspace(ctx: typer.Context, root: str) -> tuple[Workspace, tuple[str, ...]]:
    """The folder, or the repositories that it lists, and what is wrong with these. Raises UsageError."""
    chosen = switches(ctx)
    if not has_list(root):
        if chosen.repositories:
            raise UsageError("--repo chooses among repositories that a workspace lists: graphls workspace scan.")
        return Workspace.of([root]), ()
    try:
        return workspace_of(root, trusted=chosen.trusted, only=chosen.repositories)
    except RegistryRefused as error:
        raise UsageError(str(error)) from error


def chosen_settings(ctx: typer.Context, root: str) -> tuple[Settings, tuple[str, ...]]:
    """What the files of a folder say, and what is wrong with it."""
    settings, words, _ = _read(ctx, root)
    return settings, words


def _read(ctx: typer.Context, root: str) -> tuple[Settings, tuple[str, ...], frozenset[str]]:
    """What the files of a folder say, what is wrong with it, and in which sections."""
    found = read_settings(root)
    settings, problems = merge(found.table, {}, switches(ctx).trusted)
    named = f"{found.origin}: " if found.origin else ""
    words = (*found.problems, *(f"{named}{_words(problem)}" for problem in problems))
    return settings, words, frozenset(problem.key.partition(".")[0] for problem in problems)


def switches(ctx: typer.Context) -> Switches:
    """The switches of this run."""
    return ctx.obj if isinstance(ctx.obj, Switches) else Switches()


def opened_store(ctx: typer.Context, settings: Settings) -> BlobStore | None:
    """The cache, unless someone switched it off."""
    if not (switches(ctx).cache and settings.cache.enabled):
        return None
    cache = settings.cache
    return tiered_store(StoreOptions(folder=cache.directory), cache.remote, cache.remote_name)


@contextmanager
def opened(
    ctx: typer.Context,
    root: str,
    stage: Stage = "ready",
    *,
    checker: bool = False,
    at: str = "",
    stays: bool = False,
    within: float = 0.0,
) -> Generator[OpenWorkspace]:
    """The workspace at a folder, indexed; with `complete`, every file is linked too. `checker`: it may be asked. `at`:
    the state of a commit instead of that of the files, whose contents come from the repository. `stays`: many
    questions will come, which look at the disk. `within`: seconds of work after which a question ends with what it has;
    0: with all there is. Raises UsageError and NoHistory."""
    if at and checker:
        raise UsageError("A checker reads files as they are: leave out --verify or --at.")
    place = located(ctx, root)
    for problem in place.problems:
        sys.stderr.write(f"graphls: warning: {visible(problem)}\n")
    store = opened_store(ctx, place.settings)
    # Of a commit what is asked for is linked when it is asked for.
    stage = "ready" if at else stage
    options = SessionOptions(link_all=stage == "complete", libraries=True, checker=checker, upgrade=False, look=stays)
    session = Session(place.workspace, place.settings, store, options)
    try:
        session.start()
        with bar() as progress_bar:
            _wait(session, stage, progress_bar)
        if store is not None and store.beyond_problem:
            sys.stderr.write(f"graphls: warning: the remote cache is not used: {visible(store.beyond_problem)}\n")
        snapshot = session.snapshot()
        if at:
            snapshot = at_commit(place.workspace, snapshot, place.settings, at)
        budget = budget_of(max(round(within * 1000), 1), lambda: False) if within else None
        with nullcontext() if stays else session.foreground.answering(), limited(budget):
            yield OpenWorkspace(place, session, snapshot, store)
    finally:
        session.close()
        if store is not None:
            store.close()


def _wait(session: Session, stage: Stage, progress_bar: Bar) -> None:
    """Waits in short steps, so that the bar moves and Ctrl-C is heard."""
    troubled_since = 0.0
    while not session.wait(stage, _TICK):
        progress = session.progress
        progress_bar.show(progress.stage, progress.done, progress.total)
        trouble = session.problems.get("session")
        if trouble is None:
            troubled_since = 0.0
        elif not troubled_since:
            troubled_since = time.monotonic()
        elif time.monotonic() - troubled_since > _PATIENCE:
            raise SessionBroken(trouble)


def _words(problem: SettingProblem) -> str:
    return f"{problem.key} {problem.message}"
