"""Checks: what `graphls doctor` looks at.

Owns: each check and the advice that goes with it.
Must not know: how verdicts are shown.
Invariant: a check changes nothing that stays, runs nothing of the workspace, and never raises.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal

import attrs

from graphls import __version__
from graphls.cli.open_workspace import WorkspaceFolder
from graphls.cli.rendering.words import counted, sized
from graphls.compilers.checkers import (
    DESCRIPTIONS,
    CheckerDescription,
    CheckerLookup,
    NoChecker,
    find_described_checker,
    find_python_checker,
    find_typescript_checker,
)
from graphls.compilers.status import CheckerState
from graphls.compilers.upstream import CheckerServer
from graphls.facts.paths import FilePath
from graphls.languages.compiled import compiled
from graphls.languages.extract.grammars import GrammarMissing
from graphls.languages.first_lines import LONGEST_LINE, is_program_name
from graphls.languages.registry import language_of, provider_of, providers, unbuilt
from graphls.session.index.scanning import indexed
from graphls.session.process.workers import Worker, WorkerError
from graphls.sources.environment import find_environment
from graphls.sources.git_program import GitRefused, repository
from graphls.sources.git_state import git_head
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_small, read_start
from graphls.sources.walk import walk
from graphls.store.blobs import BlobStore, StoreOptions

State = Literal["ok", "note", "warning", "failed"]
_OLDEST = (3, 11)
_MOST_NAMED = 3
_START_SECONDS = 20.0
_LITTLE, _FULL = 500_000_000, 5_000_000
_WATCHES = "/proc/sys/fs/inotify/max_user_watches"


@attrs.frozen
class Check:
    """One verdict. `advice` says what to do, "" when all is well."""

    name: str
    state: State
    detail: str
    advice: str = ""


@attrs.frozen
class CheckVerdict:
    """All checks."""

    checks: tuple[Check, ...]


def checks(place: WorkspaceFolder, *, cache: bool) -> Iterator[Check]:
    """Every check, in a fixed order."""
    named: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("python", _python),
        ("modules", _modules),
        ("grammars", _grammars),
        ("workers", _workers),
        ("cache", lambda: _cache(place, cache)),
        ("settings", lambda: _settings(place)),
        ("sources", lambda: _sources(place)),
        ("git", lambda: _git(place)),
        ("environment", lambda: _environment(place)),
        ("checker", lambda: _python_checker(place)),
        ("checker", lambda: _typescript_checker(place)),
        *((one.name, partial(_described_checker, place, one)) for one in DESCRIPTIONS.values() if one.known),
        ("watching", lambda: _watching(place)),
    )
    for name, check in named:
        try:
            yield check()
        except Exception as error:  # noqa: BLE001 (one check must not take the others with it)
            yield Check(name, "failed", f"the check itself failed: {type(error).__name__}: {error}")


def _python() -> Check:
    detail = f"graphls {__version__}, {platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sys.version_info < _OLDEST:
        return Check("python", "failed", detail, "Python 3.11 or newer is needed.")
    return Check("python", "ok", detail)


def _modules() -> Check:
    if compiled():
        return Check("modules", "ok", "compiled")
    advice = "Where a C compiler and the headers of Python are, installing graphls makes it faster."
    return Check("modules", "note", "plain Python", advice)


def _grammars() -> Check:
    known = providers()
    for name, provider in known.items():
        try:
            tree = provider.parser(FilePath(f"sample{provider.capabilities.endings[0]}")).parse(b"")
        except GrammarMissing as error:
            return Check("grammars", "failed", f"{name}: {error}", "Install graphls again in this environment.")
        if tree.root_node.child_count:
            return Check("grammars", "failed", f"{name}: an empty file does not parse as one")
    if unbuilt():
        advice = "Install a C compiler, then graphls again: it builds this grammar itself."
        return Check("grammars", "warning", f"{', '.join(unbuilt())}: not built, so its files are not read", advice)
    return Check("grammars", "ok", ", ".join(known))


def _workers() -> Check:
    try:
        worker = Worker()
    except WorkerError as error:
        return Check("workers", "warning", str(error), "Files are read in one process; that is slower.")
    worker.close()
    return Check("workers", "ok", f"a worker process starts; {os.cpu_count()} cores")


def _cache(place: WorkspaceFolder, wanted: bool) -> Check:
    if not (wanted and place.settings.cache.enabled):
        return Check("cache", "note", "switched off: each start reads everything again")
    store = BlobStore(StoreOptions(folder=place.settings.cache.directory))
    try:
        written = store.put("feedback", "doctor", b"here")
        read = store.get("feedback", "doctor")
        store.delete("feedback", ["doctor"])
        stats = store.stats()
    finally:
        store.close()
    if not written or read != b"here":
        first = "Free some room on its disk" if _free(stats.folder) < _FULL else "Make the folder writable"
        advice = f"{first}, or name another in GRAPHLS_CACHE_DIR. Until then each start reads everything again."
        return Check("cache", "warning", stats.problem or f"{stats.folder} cannot be written", advice)
    free = _free(stats.folder)
    detail = f"{stats.folder}, {sized(stats.size)}, {sized(free)} free"
    if free < _LITTLE:
        return Check("cache", "warning", detail, "The disk is nearly full.")
    return Check("cache", "ok", detail)


def _free(folder: str) -> int:
    """Bytes that the disk of a folder has left, whether or not the folder itself could be made."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return shutil.disk_usage(folder).free


def _sources(place: WorkspaceFolder) -> Check:
    """What the walk itself leaves out: folders that cannot be read, links that are not followed."""
    found = walk(place.workspace, SourceLimits.of(place.settings.files))
    detail = counted(sum(_is_source(place, file.path) for file in found.files), "source file")
    named = [f"{one.path}{':' if one.whole_folder else ''} {one.reason}" for one in found.skipped[:_MOST_NAMED]]
    more = len(found.skipped) - len(named)
    detail = "; ".join([detail, *named, *([f"and {more:,} more"] if more else [])])
    if any(one.whole_folder for one in found.skipped):
        return Check("sources", "warning", detail, "Make these folders readable: what they hold is not in the graph.")
    if found.truncated:
        return Check("sources", "warning", f"{detail}; there are more files than that, which are left out")
    return Check("sources", "note" if found.skipped else "ok", detail)


def _is_source(place: WorkspaceFolder, path: FilePath) -> bool:
    if language_of(path) or not is_program_name(path) or not indexed(path):
        return bool(language_of(path))
    start = read_start(place.workspace.absolute(path), LONGEST_LINE) or b""
    return provider_of(path, start) is not None


def _settings(place: WorkspaceFolder) -> Check:
    if place.problems:
        return Check("settings", "warning", "; ".join(place.problems), "docs/settings.md lists every setting.")
    return Check("settings", "ok", place.origin or "defaults; no graphls.toml and no [tool.graphls]")


def _git(place: WorkspaceFolder) -> Check:
    head = git_head(place.root)
    if head is None:
        if os.path.lexists(own := os.path.join(place.root, ".git")):
            advice = "See what `git status` says there. Until then nothing can be said of what changed."
            return Check("git", "warning", f"{own} is there, but says no state: its HEAD is missing or odd", advice)
        return Check("git", "note", "not a git repository")
    where = (head.branch or "detached").removeprefix("refs/heads/")
    detail = f"{where} at {(head.commit or 'no commit')[:12]}"
    try:
        answer = repository(place.root)
    except GitRefused as refused:
        advice = "Until then nothing can be said of what changed; everything else works."
        return Check("git", "warning", f"{detail}; {refused}", advice)
    return Check("git", "ok", f"{detail}, asked with {answer.program}")


def _environment(place: WorkspaceFolder) -> Check:
    search = find_environment(place.root, place.settings.python.environment)
    if search.problems:
        return Check("environment", "warning", "; ".join(search.problems), "Set python.environment to its folder.")
    if search.found is None:
        return Check("environment", "note", "no virtual environment; installed packages count as outside")
    version = ".".join(str(part) for part in search.found.version or ())
    return Check("environment", "ok", f"{search.found.prefix} ({search.found.origin}) {version}".rstrip())


def _python_checker(place: WorkspaceFolder) -> Check:
    search = find_environment(place.root, place.settings.python.environment)
    advice = f"Install {place.settings.checker.name} beside graphls, or set checker.path."
    return _checker(place, find_python_checker(place.settings.checker, search.found, (place.root,)), advice)


def _typescript_checker(place: WorkspaceFolder) -> Check:
    advice = "Install TypeScript 7 for all users, or set checker.typescriptPath."
    return _checker(place, find_typescript_checker(place.settings.checker, (place.root,)), advice)


def _described_checker(place: WorkspaceFolder, description: CheckerDescription) -> Check:
    found = find_described_checker(place.settings.checker, description.name, (place.root,))
    if isinstance(found, NoChecker) and not found.off:
        return Check("checker", "note", f"{found.problem}; what {', '.join(found.languages)} leaves open stays so")
    return _checker(place, found, "")


def checker_names(place: WorkspaceFolder) -> Mapping[str, str]:
    """The checker that is found for each language; none is started."""
    search = find_environment(place.root, place.settings.python.environment)
    looked = (
        find_python_checker(place.settings.checker, search.found, (place.root,)),
        find_typescript_checker(place.settings.checker, (place.root,)),
        *(
            find_described_checker(place.settings.checker, one.name, (place.root,))
            for one in DESCRIPTIONS.values()
            if one.known
        ),
    )
    known = [found for found in looked if not isinstance(found, NoChecker)]
    return {language: found.name for found in known for language in found.description.languages}


def _checker(place: WorkspaceFolder, found: CheckerLookup, advice: str) -> Check:
    """Whether a checker is there and starts; one for languages that the workspace has not is only looked for."""
    if isinstance(found, NoChecker):
        if found.off:
            return Check("checker", "note", f"{found.name}: {found.problem}; uncertain names stay uncertain")
        state: State = "warning" if _has(place, found.languages) else "note"
        return Check("checker", state, found.problem, f"{advice} Everything else works without it.")
    if not _has(place, found.description.languages):
        what = ", ".join(found.description.languages)
        return Check("checker", "ok", f"{found.name}, {found.command[0]}; not started, no {what} here")
    upstream = CheckerServer(found, place.root)
    try:
        return _started(upstream, found.command[0])
    finally:
        upstream.stop()


def _has(place: WorkspaceFolder, languages: tuple[str, ...]) -> bool:
    files = walk(place.workspace, SourceLimits.of(place.settings.files)).files
    return any(language_of(file.path) in languages for file in files)


def _started(upstream: CheckerServer, program: str) -> Check:
    """Whether a checker starts; it is ended at once."""
    upstream.wake()
    end = time.monotonic() + _START_SECONDS
    while upstream.status().state is CheckerState.STARTING and time.monotonic() < end:
        time.sleep(0.02)
    status = upstream.status()
    if status.state is not CheckerState.READY:
        advice = f"Start {program} by hand to see what is wrong with it. Everything else works without it."
        return Check("checker", "warning", status.problem or f"{program} does not start", advice)
    return Check("checker", "ok", f"{status.name} {status.version}, {program}")


def _watching(place: WorkspaceFolder) -> Check:
    raw = read_small(_WATCHES)
    folders = {
        os.path.dirname(file.path) for file in walk(place.workspace, SourceLimits.of(place.settings.files)).files
    }
    needed = counted(len(folders), "folder")
    if raw is None or not raw.strip().isdigit():
        return Check("watching", "ok", f"{needed}; this system names no limit")
    limit = int(raw)
    detail = f"{needed}, at most {limit:,} watches"
    if len(folders) * 2 > limit:
        return Check("watching", "warning", detail, "Raise fs.inotify.max_user_watches; until then files are polled.")
    return Check("watching", "ok", detail)
