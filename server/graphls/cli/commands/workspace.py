"""Workspace: several repositories as one graph.

Owns: arguments of `graphls workspace`, the layout of its answers.
Must not know: how the list of repositories is stored, how edges between them are found.
Invariant: nothing outside of the list is written; a repository that cannot be read is named and the others stay.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.analysis.common_commits import LAST, CommonCommits, common_commits
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, visible
from graphls.queries.answer import Coverage, answer
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.crossings import Crossing, PackageCrossing, RepositoryCrossings, crossings
from graphls.session.comparing import NoHistory
from graphls.session.history import git_history
from graphls.sources.git_log import LoggedCommit
from graphls.sources.repositories import (
    ListedRepository,
    RegistryRefused,
    head_of,
    is_folder,
    read_list,
    repositories_below,
    with_repository,
    write_list,
)
from graphls.sources.workspace import Workspace

COMMAND = CommandEntry(help="Ask several repositories as one graph.", rank=262)
_SHORT = 12


class WorkspaceAction(StrEnum):
    """What to do."""

    SCAN = "scan"
    ADD = "add"
    REMOVE = "remove"
    LIST = "list"
    REFRESH = "refresh"
    STATUS = "status"


@attrs.frozen
class RepositoryView:
    """One repository. `stale`: why what is recorded of it does not hold, "" where it does."""

    alias: str
    path: str
    head: str
    recorded: str
    files: int
    stale: str


@attrs.frozen
class WorkspaceView:
    """The repositories of a workspace."""

    repos: tuple[RepositoryView, ...]


@attrs.frozen
class WorkspaceStatus:
    """The repositories, and what ties them."""

    repos: tuple[RepositoryView, ...]
    crossings: tuple[Crossing, ...]
    packages: tuple[PackageCrossing, ...]
    common_commits: tuple[CommonCommits, ...]
    without_history: tuple[str, ...]
    """Repositories whose commits are not known."""


def run(
    ctx: typer.Context,
    action: Annotated[
        WorkspaceAction, typer.Argument(help="scan lists the repositories directly below; status shows what ties them.")
    ] = WorkspaceAction.LIST,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="add: a folder; remove: an alias.")] = "",
    *,
    alias: Annotated[str, typer.Option("--alias", metavar="ALIAS", help="add: what paths begin with.")] = "",
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if not is_folder(root):
        raise UsageError(f"{root!r} is no folder.")
    if (action in (WorkspaceAction.ADD, WorkspaceAction.REMOVE)) != bool(path):
        raise UsageError("add wants the path of a repository, remove an alias; the other actions have neither.")
    real = os.path.realpath(root)
    try:
        found = read_list(real)
        for problem in found.problems:
            sys.stderr.write(f"graphls: warning: {visible(problem)}\n")
        listed = _changed(real, found.repositories, action, path, alias)
    except RegistryRefused as error:
        raise UsageError(str(error)) from error
    if action is WorkspaceAction.STATUS:
        _status(ctx, root, listed, format)
    else:
        _show(tuple(_view(real, one, 0) for one in listed), format)
    if not listed:
        raise NegativeAnswer


def _changed(
    root: str, listed: Sequence[ListedRepository], action: WorkspaceAction, path: str, alias: str
) -> Sequence[ListedRepository]:
    """The list after an action, written where it is another one. Raises RegistryRefused."""
    after = list(listed)
    match action:
        case WorkspaceAction.SCAN:
            for name in repositories_below(root):
                try:
                    after.append(with_repository(root, after, name, ""))
                except RegistryRefused as error:
                    if not any(os.path.join(root, one.path) == os.path.join(root, name) for one in listed):
                        sys.stderr.write(f"graphls: warning: {visible(name)} is left out: {visible(str(error))}\n")
        case WorkspaceAction.ADD:
            # Written by somebody in a shell, a path is relative to where that one is.
            after.append(with_repository(root, after, os.path.abspath(path), alias))
        case WorkspaceAction.REMOVE:
            after = [one for one in listed if one.alias != path]
            if len(after) == len(listed):
                known = ", ".join(one.alias for one in listed) or "none"
                raise RegistryRefused(f"There is no repository {path!r}; there are: {known}.")
        case WorkspaceAction.REFRESH:
            after = [attrs.evolve(one, head=head_of(os.path.join(root, one.path))) for one in listed]
        case _:
            return listed
    if after != list(listed):
        write_list(root, after)
    return sorted(after, key=lambda one: one.alias)


def _view(root: str, one: ListedRepository, files: int) -> RepositoryView:
    place = os.path.join(root, one.path)
    head = head_of(place)
    stale = "" if is_folder(place) else "the folder is not there"
    if not stale and head != one.head:
        stale = "another commit is checked out: graphls workspace refresh"
    return RepositoryView(one.alias, one.path, head, one.head, files, stale)


def _with_files(one: RepositoryView, files: int | None) -> RepositoryView:
    """A repository with what was read of it. `files`: None where it takes no part."""
    if files is None:
        return attrs.evolve(one, stale=one.stale or "left out: outside of the workspace, --trust takes it in")
    return attrs.evolve(one, files=files, stale=one.stale or ("" if files else "no file of it was read"))


def _show(repos: tuple[RepositoryView, ...], format: Format) -> None:
    if format is Format.JSON:
        write_json(WorkspaceView(repos))
        return
    page = TextPage()
    _repositories(page, repos)
    page.write()


def _repositories(page: TextPage, repos: Sequence[RepositoryView]) -> None:
    page.rows(
        (
            (one.alias, NAME),
            one.path,
            one.head[:_SHORT],
            f"{one.files:,} files" if one.files else "",
            (one.stale, FAINT),
        )
        for one in repos
    )
    if not repos:
        page.line("No repository is listed. graphls workspace scan lists those directly below the folder.")


def _status(ctx: typer.Context, root: str, listed: Sequence[ListedRepository], format: Format) -> None:
    if not listed:
        _show((), format)
        return
    with opened(ctx, root, "complete") as workspace:
        snapshot = workspace.snapshot
        names = workspace.workspace.prefixes
        found = crossings(snapshot, names)
        firsts = Counter(path.partition("/")[0] for path in snapshot.shards)
        counts = {one.name: firsts[one.name] if names else len(snapshot.shards) for one in workspace.workspace.folders}
        repos = tuple(_with_files(_view(workspace.place.root, one, 0), counts.get(one.alias)) for one in listed)
        missing = len(listed) - len(counts)
        together, unknown = _common(workspace.workspace)
        lacks = Completeness().along(Gap(Cause.UNLISTED, "in", missing))
        envelope = answer(snapshot, Coverage(completeness=lacks))
    if format is Format.JSON:
        write_answer(envelope, WorkspaceStatus(repos, found.crossings, found.packages, together, unknown))
        return
    page = TextPage()
    _repositories(page, repos)
    _crossings(page, found, known=all(one.files for one in repos))
    _commits(page, together, unknown)
    close_page(page, envelope)
    page.write()


def _common(workspace: Workspace) -> tuple[tuple[CommonCommits, ...], tuple[str, ...]]:
    """Commits of two repositories that may belong together, and the repositories whose commits are not known."""
    histories: dict[str, Sequence[LoggedCommit]] = {}
    unknown: list[str] = []
    for folder in workspace.folders:
        try:
            histories[folder.name] = git_history(Workspace((folder,)), commits=LAST).commits
        except NoHistory:
            unknown.append(folder.name)
    return common_commits(histories), tuple(unknown)


def _commits(page: TextPage, found: Sequence[CommonCommits], unknown: Sequence[str]) -> None:
    page.heading("commits that may belong together")
    for one in found:
        reasons = f"{one.same_subject} with one subject, {one.same_author} of one author within 2 minutes"
        page.rows([(one.one, "-", one.other, (f"{one.confidence}s: {reasons}", FAINT))])
        page.rows(
            (((f"{pair.one[:_SHORT]}  {pair.other[:_SHORT]}  {pair.subject}", FAINT),) for pair in one.examples),
            indent="  ",
        )
    if not found:
        page.note(f"none among the last {LAST} of each")
    if unknown:
        page.note(f"the commits of {', '.join(unknown)} are not known")


def _crossings(page: TextPage, found: RepositoryCrossings, *, known: bool) -> None:
    """`known`: every repository takes part."""
    among = "" if known else " among those that were read"
    page.heading("packages")
    page.rows(
        (
            one.consumer,
            "->",
            one.provider,
            (one.package, NAME),
            " ".join(one.wanted),
            f"here: {one.here or 'no version'}",
        )
        for one in found.packages
    )
    if not found.packages:
        page.note(f"no repository requires a package of another one{among}")
    page.heading("uses and contracts")
    for one in found.crossings:
        doubt = f", {one.ambiguous:,} possible" if one.ambiguous else ""
        kind = f"{one.kind} via {one.via}" if one.via else one.kind
        page.rows([(one.consumer, "->", one.provider, (kind, KIND), counted(one.edges, "edge") + doubt)])
        page.rows((((example, FAINT),) for example in one.examples), indent="  ")
    if not found.crossings:
        page.note(f"no repository uses another one{among}")
