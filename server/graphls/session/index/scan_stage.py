"""Scan stage: what is on disk, and what of it is to be read.

Owns: walks, changes that the system or a client tells of, what they do to the table of files.
Must not know: when it runs, how files are read.
Invariant: disk is looked at under the lock where the look decides: an older look never overrules a newer one.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import UNLISTED
from graphls.session import pauses
from graphls.session.index.file_events import classify_changes
from graphls.session.index.indexing import FEW_FILES
from graphls.session.index.layout import is_manifest
from graphls.session.index.scanning import Scan, compare, indexed, shard_of
from graphls.session.link.libraries import installed_now
from graphls.session.state import SessionState
from graphls.sources.walk import ManyFilesListener, Walk, walk


def scan(state: SessionState) -> None:
    """Walks the workspace."""
    with state.wake:
        state.rescan, state.scanning, first = False, True, state.unlisted
    began = time.monotonic()
    try:
        _choose_settings(state)
        state.read_anew = state.read_anew and not first
        state.disk.follow_environment(state.settings)
        _find_libraries(state)
        # Workers take a while to start: meanwhile the walk goes on.
        cold = first and not state.load_memory()
        many = ManyFilesListener(FEW_FILES + 1, lambda: state.workers.pool().warm_up()) if cold else None
        found = walk(state.workspace, state.limits, many, indexed, state.disk.follow_folder)
        if state.options.checker:
            state.services.checker_service.renew(state.settings)
        _apply_walk(state, found, first)
    except BaseException:
        with state.lock:
            state.rescan, state.scanning = True, False
        raise
    state.walk_due = time.monotonic() + min(time.monotonic() - began, 2 * pauses.AT_ONCE)
    state.report_progress()


def look_at_disk(state: SessionState, *, everything: bool) -> None:
    """Takes in what changed on disk; `everything`: also where that takes a walk."""
    with state.wake:
        found = state.disk.changes(state.limits, state.files, everything=everything)
        if found.rescan:
            state.scan_soon(now=True)
        elif found.outside:
            state.scan_soon()
        take_in(state, found.paths)


def take_in(state: SessionState, paths: Collection[FilePath]) -> None:
    """Something changed at these paths. A folder that is gone stands for all below it."""
    events = classify_changes(state.workspace, state.limits, paths, state.files.links)
    gone = state.files.known({*events.gone, *state.files.below(events.no_folders)})
    for path in gone:
        state.remove_file(path)
    if events.changed:
        state.enqueue(events.changed)
    if events.rescan or events.outside:
        state.scan_soon(now=events.rescan)
    if gone or events.changed:  # what is left out may change without end
        state.touch()


def _choose_settings(state: SessionState) -> None:
    """The files that say them may have changed."""
    chosen = state.options.settings and state.options.settings()
    if chosen is not None and chosen != state.settings:
        with state.lock:
            state.choose(chosen)
            state.files.altered = True


def _find_libraries(state: SessionState) -> None:
    """What is installed now; nothing of it is read before a name leads there."""
    if not state.options.libraries or not state.workspace.folders:
        return
    known = state.caches.libraries
    found = installed_now(state.workspace, state.settings, known, state.store)
    with state.lock:
        state.files.altered = state.files.altered or found is not known
        state.caches.libraries = found


def _apply_walk(state: SessionState, found: Walk, first: bool) -> None:
    manifests = {file.path: state.on_disk(file.path) for file in found.files if is_manifest(file.path)}
    with state.wake:
        known = state.files.seen - state.open.keys()
        changes = compare(found.files, {} if state.read_anew else state.files.stamps, known)
        state.read_anew = False
        left_out = [skipped for skipped in found.skipped if skipped.whole_folder or indexed(skipped.path)]
        for path, text in manifests.items():
            if text is not None and path not in state.open:
                state.files.note_manifest(path, text)
        _apply_scan(state, changes, first)
        not_read = {FilePath(name): f"{UNLISTED}: outside of the workspace" for name in state.workspace.left_out}
        state.files.note_walk({**not_read, **{skipped.path: skipped.reason for skipped in left_out}}, found.links)
        state.files.cut_rules = found.cut_rules
        if found.truncated:
            state.files.listed[FilePath(".")] = "more files than the limit; the rest is left out"
        state.unlisted = state.scanning = False
        state.wake.notify_all()


def _apply_scan(state: SessionState, changes: Scan, first: bool) -> None:
    # A file that is told of may be younger than the look into its folder.
    waiting = {*changes.gone}.intersection(state.files.pending)
    younger = dict(classify_changes(state.workspace, state.limits, waiting).changed)
    for path in changes.gone:
        if path not in younger:
            state.remove_file(path)
    changed = list(changes.changed)
    for path, entry in changes.unchanged.items():
        if not first or path in state.open:
            continue
        shard = shard_of(path, entry)
        if shard is None:
            changed.append((path, entry.size))
        else:
            state.files.place(shard)
    state.files.altered = True
    state.enqueue([item for item in changed if item[0] not in state.open or item[0] not in state.files.stamps])
