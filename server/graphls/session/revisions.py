"""Revisions: a snapshot of the workspace as it was at a commit.

Owns: which contents come from the repository and which are those of the live snapshot.
Must not know: what is asked of the snapshot.
Invariant: files that did not change share facts with the live snapshot; nothing of it is written anywhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import attrs

from graphls.analysis.frameworks.derivation import derivation_for
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.errors import BadRequest
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Revision, Shard, SkippedFile, Snapshot, SnapshotReader
from graphls.graph.snapshot_pins import pin, pin_alone, retire
from graphls.languages.provider import Imports
from graphls.languages.registry import provider_for
from graphls.session.comparing import NoHistory
from graphls.session.import_words import imports_among, stored_imports
from graphls.session.index.extraction import defined_in
from graphls.session.index.layout import Layout, is_manifest, lay_out
from graphls.session.index.scanning import indexed
from graphls.session.link.defining_tables import with_definers
from graphls.session.link.outside_tables import with_libraries
from graphls.session.memory import MemorySnapshotContents, snapshot_of
from graphls.session.past_contents import PastSnapshotContents, WholePastContents, read_past
from graphls.session.shared_caches import key_of
from graphls.session.snapshot_contents import SnapshotContents
from graphls.settings import Settings
from graphls.sources.git_changes import changed_paths, commit_of, contents_of, tree_of
from graphls.sources.git_program import GitRefused, repository
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.limits import SourceLimits
from graphls.sources.read import BINARY, text_of
from graphls.sources.source_files import SkippedSource, SourceText
from graphls.sources.workspace import Workspace


class CommitSnapshotContents(MemorySnapshotContents):
    """Contents of a commit where they differ, else those of the live snapshot, which is in memory too."""

    def __init__(self, past: Snapshot, live: Snapshot) -> None:
        super().__init__({})
        self._past = past
        self._live = live

    def facts(self, shard: Shard) -> FileFacts:
        """Facts of a file that has a language."""
        return self._of(shard).facts(shard.path)

    def surface(self, shard: Shard) -> Surface:
        """Surface of a file that has a language."""
        return self._of(shard).surface(shard.path)

    def text(self, shard: Shard) -> bytes | None:
        """The bytes behind the facts."""
        return self._of(shard).text(shard.path)

    def _of(self, shard: Shard) -> Snapshot:
        return self._past if shard.path in self._past.shards else self._live


def at_commit(workspace: Workspace, live: Snapshot, settings: Settings, reference: str) -> Snapshot:
    """The workspace as a commit has it, without what an index says of other contents. Raises NoHistory."""
    live = _own(live)
    limits = SourceLimits.of(settings.files)
    ignored = IgnoreIndex(workspace, limits)
    replaced: dict[FilePath, bytes] = {}
    unchanged: set[FilePath] = set()
    unread: dict[FilePath, SkippedFile] = {}
    try:
        for folder in workspace.folders:
            git = repository(folder.root)
            tree = tree_of(git, reference)
            blobs = tree.files
            found = changed_paths(git, "compare", reference)
            differing = {name for change in found for name in (change.path, change.old_path)}
            paths = {name: workspace.key(folder, name) for name in blobs}
            wanted = {
                name
                for name, path in paths.items()
                if indexed(path) and _is_other(live, path, ignored, differs=name in differing)
            }
            contents = contents_of(git, {blobs[name] for name in wanted}, limits.of_folder(folder.name).max_file_bytes)
            replaced.update({paths[name]: contents[blobs[name]] for name in wanted if blobs[name] in contents})
            unchanged.update(path for name, path in paths.items() if name not in wanted and path in live.shards)
            # What other repositories hold is no matter of this one's commits.
            others = tuple(f"{workspace.key(folder, name)}/" for name in tree.submodules)
            unchanged.update(path for path in live.shards if others and path.startswith(others))
            there = {path for name, path in paths.items() if name not in wanted}
            there.update(file.path for file in live.unread if file.path.startswith(others))
            unread.update((file.path, file) for file in live.unread if file.path in there)
    except GitRefused as refused:
        raise NoHistory(str(refused)) from None
    sources = {path: text_of(path, raw, limits) for path, raw in replaced.items()}
    texts = {path: source.data for path, source in sources.items() if isinstance(source, SourceText)}
    unfit = [SkippedFile(path, source.reason) for path, source in sources.items() if isinstance(source, SkippedSource)]
    unread.update((file.path, file) for file in unfit if file.reason != BINARY)
    then = joined(live, unchanged, texts, settings, workspace.prefixes)
    sources_left_out = (*then.skipped, *(file for file in unfit if provider_for(file.path) is not None))
    left_out = {file.path: file for file in (*live.skipped, *sources_left_out)}
    return attrs.evolve(
        then,
        skipped=tuple(left_out[path] for path in sorted(left_out.keys() - then.shards.keys())),
        unread=tuple(unread[path] for path in sorted(unread)),
        unlinked=tuple(file for file in live.unlinked if file.path in unchanged),
    )


class CommitSnapshots:
    """The commit that was asked about last, with the links that were made for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[Snapshot, tuple[str, ...], Snapshot] | None = None
        """The live snapshot, the ids of the commits, one a folder, and the snapshot of these."""

    def at(self, workspace: Workspace, live: Snapshot, settings: Settings, reference: str) -> Snapshot:
        """The workspace as a commit has it. Raises NoHistory, BadRequest."""
        if live.pending:
            raise BadRequest("Files are still being read, and a commit rests on them: ask again in a moment.")
        try:
            commits = tuple(commit_of(repository(folder.root), reference) for folder in workspace.folders)
        except GitRefused as refused:
            raise NoHistory(str(refused)) from None
        with self._lock:
            known = self._known
            if known is None or known[1] != commits or not _is_same(known[0], live):
                before, known = known, (live, commits, at_commit(workspace, live, settings, reference))
                self._known = known
                if before is not None:
                    retire(before[2], partial(let_go, before[2]))
            return pin(known[2])


def _is_same(one: Snapshot, other: Snapshot) -> bool:
    return one.reader is other.reader and one.revision == other.revision and one.modules is other.modules


def compared(workspace: Workspace, live: Snapshot, settings: Settings, name: str) -> Snapshot:
    """The state that a name stands for: "" and the id of the live snapshot for that, else a commit."""
    if name in ("", snapshot_id(live)):
        return _own(live)  # a commit has none
    if name.startswith("s:"):
        raise NoHistory("Only the current snapshot is kept. Give a branch, a tag or a commit.")
    made = at_commit(workspace, live, settings, name)
    pinned = pin_alone(made, partial(let_go, made))
    if isinstance(pinned.reader, WholePastContents):
        pinned.reader.link_all(pinned)  # a comparison asks for nearly all of it
    return pinned


def _own(live: Snapshot) -> Snapshot:
    from graphls.session.imported_files import without_imports  # most sessions never load it

    return without_imports(live)


def _is_other(live: Snapshot, path: FilePath, ignored: IgnoreIndex, *, differs: bool) -> bool:
    """Whether the live snapshot has other contents. What it leaves out on purpose stays out of the past too."""
    shard = live.shards.get(path)
    return shard.dirty or differs if shard is not None else differs and not ignored.leaves_out(path)


def joined(
    live: Snapshot,
    unchanged: set[FilePath],
    replaced: Mapping[FilePath, bytes],
    settings: Settings,
    folders: Collection[str],
    *,
    reader: Callable[[Snapshot, Snapshot], CommitSnapshotContents] = CommitSnapshotContents,
    whole: bool = True,
) -> Snapshot:
    """Files of the live snapshot that stay, with others in the place of the rest; `skipped` are those of the others
    that cannot be read. `whole`: who asks what leads to something has all linked; `reader`: where the live snapshot is
    in memory."""
    live = _own(live)
    if isinstance(live.reader, SnapshotContents):
        return _of_session(live, live.reader, unchanged, replaced, (settings, folders, whole))
    past = snapshot_of({str(path): data for path, data in replaced.items()}, settings)
    ordered = _in_order(live, unchanged, past.shards)
    contents = reader(past, live)

    def imports(language: str) -> Imports:
        own = {path: shard for path, shard in ordered.items() if shard.language == language}
        return imports_among({path: lambda shard=shard: contents.facts(shard) for path, shard in own.items()})

    def columns(files: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        return {file: defined_in(contents.facts(ordered[file])) for file in files}

    texts = {path: past.text(path) for path in past.shards if is_manifest(path)}
    layout = _layout(live, ordered, texts.get, settings=settings, folders=folders, imports=imports)
    return _laid_out(live, past, ordered, layout, columns=columns, contents=contents)


def _of_session(
    live: Snapshot,
    session: SnapshotContents,
    unchanged: set[FilePath],
    replaced: Mapping[FilePath, bytes],
    options: tuple[Settings, Collection[str], bool],
) -> Snapshot:
    """The same over the caches of a session, which has workers for what is much."""
    settings, folders, whole = options
    shards, failed = read_past(session.caches, replaced)
    ordered = _in_order(live, unchanged, shards)
    contents = (WholePastContents if whole else PastSnapshotContents)(live, session.caches, replaced)
    facts_cache = session.caches.facts_cache

    def columns(files: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        found = facts_cache.defined([key_of(ordered[file]) for file in files])
        return {file: found.get(key_of(ordered[file]), b"") for file in files}

    imports = partial(stored_imports, facts_cache, ordered)
    layout = _layout(live, ordered, replaced.get, settings=settings, folders=folders, imports=imports)
    past = Snapshot(
        revision=Revision(0),
        name="",
        shards=MappingProxyType(shards),
        modules={},
        skipped=tuple(failed),
        pending=(),
        reader=contents,
        derivation=derivation_for(settings),
    )
    return _laid_out(live, past, ordered, layout, columns=columns, contents=contents)


def let_go(snapshot: Snapshot) -> None:
    """Nobody reads a snapshot of a commit any more."""
    if isinstance(snapshot.reader, PastSnapshotContents):
        snapshot.reader.let_go(snapshot)


def _in_order(live: Snapshot, unchanged: Collection[FilePath], past: Mapping[FilePath, Shard]) -> dict[FilePath, Shard]:
    # New shards keep none of the answers that were made in another neighbourhood.
    shards: dict[FilePath, Shard] = {path: attrs.evolve(live.shards[path]) for path in unchanged}
    shards.update(past)
    return dict(sorted(shards.items()))


def _layout(
    live: Snapshot,
    ordered: Mapping[FilePath, Shard],
    past_text: Callable[[FilePath], bytes | None],
    *,
    settings: Settings,
    folders: Collection[str],
    imports: Callable[[str], Imports],
) -> Layout:
    manifests: dict[FilePath, bytes] = {}
    for path in filter(is_manifest, ordered):
        text = past_text(path)
        text = live.text(path) if text is None else text
        if text is not None:
            manifests[path] = text
    links = next((table.links for table in live.modules.values()), None)
    languages = {path: shard.language for path, shard in ordered.items()}
    return lay_out(languages, manifests, settings, folders, imports, links=links)


def _laid_out(
    live: Snapshot,
    past: Snapshot,
    ordered: dict[FilePath, Shard],
    layout: Layout,
    *,
    columns: Callable[[Sequence[FilePath]], Mapping[FilePath, bytes]],
    contents: SnapshotReader,
) -> Snapshot:
    # What is installed is no matter of the commit: both states are seen with what is there now.
    outside = (table.libraries for table in live.modules.values() if table.libraries is not None)
    return attrs.evolve(
        past,
        revision=Revision(0),
        name=layout.name,
        shards=MappingProxyType(ordered),
        modules=with_definers(with_libraries(layout.modules, next(outside, None)), columns),
        reader=contents,
        packages=layout.packages,
        declared=layout.declared,
    )
