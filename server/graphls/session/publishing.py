"""Publishing: the next snapshot from the newest state of all files.

Owns: module tables of a snapshot, which links stay valid, what snapshots share.
Must not know: threads, the disk, who edits.
Invariant: a body edit drops the links of its file alone; a changed surface or module name those that looked at it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.addresses import follow as follow_addresses
from graphls.graph.derivation import Derivation
from graphls.graph.memo import drop_values
from graphls.graph.resolution_inputs import follow as follow_inputs
from graphls.graph.snapshot import Revision, Shard, SkippedFile, Snapshot
from graphls.graph.snapshot_pins import retire
from graphls.graph.unread_words import follow as follow_unread_words
from graphls.languages.registry import language_of
from graphls.linking.module_table import ModuleTable
from graphls.queries.outside_names import follow as follow_outside_names
from graphls.session.import_words import stored_imports
from graphls.session.index.file_table import FileTable
from graphls.session.index.indexing import FileExtraction
from graphls.session.index.layout import Layout, lay_out
from graphls.session.link.defining_tables import with_definers
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.link.link_entries import LinkEntry, changed_names, is_affected
from graphls.session.link.outside_tables import with_libraries
from graphls.session.shared_caches import SharedCaches, key_of
from graphls.session.snapshot_contents import SnapshotContents
from graphls.settings import Settings

EVERYTHING = FilePath(".")
"""Stands in `pending` for a workspace whose files are not listed yet."""


@attrs.frozen(eq=False)
class PublishedSnapshot:
    """A snapshot, and what the next one starts from."""

    snapshot: Snapshot
    shards: dict[FilePath, Shard]
    """Those of the snapshot, never changed: a copy of them costs less than one of what shows them."""
    reader: SnapshotContents
    layout: Layout
    """Over all files that exist, indexed or not."""
    libraries: InstalledLibraries | None

    def retire(self, replaced: Collection[Shard] = ()) -> None:
        """Another state has taken its place: what is derived goes as soon as nobody reads it, that of these files of
        it too. Whoever holds on to a state for one of its tables would else hold all that was asked of it."""

        def drop() -> None:
            self.reader.drop_derived()
            for shard in replaced:
                drop_values(shard)

        retire(self.snapshot, drop)

    def replaced_files(self, before: PublishedSnapshot, changed: Collection[FilePath]) -> Sequence[Shard]:
        """Files of the state before, among those that changed, in whose place this one has others or none."""
        found = ((before.shards.get(path), self.shards.get(path)) for path in changed)
        return [then for then, now in found if then is not None and then is not now]

    def drop_values(self) -> None:
        """Lets go of what is derived from the snapshot and can be derived again."""
        self.reader.drop_values(self.snapshot)


def load_derivation() -> Callable[[Settings], Derivation | None]:
    """What derives relations. Whoever asks first loads it, best while workers read: their start goes before."""
    from graphls.analysis.frameworks.derivation import derivation_for

    return derivation_for


def publish(
    before: PublishedSnapshot | None,
    files: FileTable,
    caches: SharedCaches,
    *,
    settings: Settings,
    unlisted: bool,
    folders: Collection[str] = (),
) -> PublishedSnapshot:
    """The snapshot of the state that `files` has now."""
    layout = before.layout if before else None
    if layout is None or files.layout_changed or not _rests(layout, files, caches):
        layout = lay_out(
            files.sources,
            files.manifests,
            settings,
            folders,
            lambda language: stored_imports(caches.facts_cache, files.shards, language),
            links=files.links,
        )
    shards = dict(sorted(files.shards.items())) if files.names_changed or before is None else _updated(before, files)
    same = before is not None and layout is before.layout and before.libraries is caches.libraries
    known = before.snapshot.modules if before is not None and same and _same_names(before, files) else None
    modules = known or with_libraries(_indexed(layout, shards), caches.libraries)
    modules = _defining(before, modules, shards, caches)
    unlinked = _unlinked(files, shards)
    reader = SnapshotContents(caches, {**_inherited(before, files, shards, modules), **unlinked})
    snapshot = Snapshot(
        revision=Revision(before.snapshot.revision + 1 if before else 1),
        name=layout.name,
        shards=MappingProxyType(shards),
        modules=modules,
        skipped=tuple(SkippedFile(path, reason) for path, reason in sorted(files.all_skipped().items())),
        unread=tuple(SkippedFile(path, reason) for path, reason in sorted(files.without_contents().items())),
        unlinked=tuple(SkippedFile(path, entry.problem) for path, entry in sorted(unlinked.items())),
        pending=(EVERYTHING, *files.pending) if unlisted else files.pending,
        reader=reader,
        packages=layout.packages,
        declared=layout.declared,
        derivation=load_derivation()(settings),
    )
    if before is not None:
        if known is not None:
            reader.follow(before.reader, shards, files.edited)
            follow_inputs(before.snapshot, snapshot)
            # These bring all kinds of records along: the first state does without them.
            from graphls.graph import computed_names, merkle

            merkle.follow(before.snapshot, snapshot, files.edited)
            computed_names.follow(before.snapshot, snapshot, files.edited)
            follow_outside_names(before.snapshot, snapshot)
            follow_unread_words(before.snapshot, snapshot, files.edited)
        if snapshot.derivation is not None:
            snapshot.derivation.follow(before.snapshot, snapshot)
    _note_replaced(before, files, caches)
    return PublishedSnapshot(snapshot, shards, reader, layout, caches.libraries)


def _defining(
    before: PublishedSnapshot | None,
    modules: Mapping[str, ModuleTable],
    shards: Mapping[FilePath, Shard],
    caches: SharedCaches,
) -> Mapping[str, ModuleTable]:
    """Module tables that know which files define a name."""

    def columns(files: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        found = caches.facts_cache.defined([key_of(shards[file]) for file in files])
        return {file: found.get(key_of(shards[file]), b"") for file in files}

    if before is None:
        return with_definers(modules, columns)
    old = before.shards
    return with_definers(modules, columns, before.snapshot.modules, lambda file: old.get(file) is shards.get(file))


def _rests(layout: Layout, files: FileTable, caches: SharedCaches) -> bool:
    """Whether edited files import what module names were given for."""
    if not any(recorded.words for recorded in layout.imports.values()):
        return True
    for path in files.edited:
        shard = files.shards.get(path)
        facts = caches.facts_cache.facts(key_of(shard)) if shard is not None and shard.language else None
        language = language_of(path) if shard is None else shard.language
        if not layout.rests_on(language, path, facts):
            return False
    return True


def _same_names(before: PublishedSnapshot, files: FileTable) -> bool:
    """Whether the same files have facts: then module names mean what they meant."""
    if files.names_changed:
        return False
    old, new = before.snapshot.shards, files.shards
    return all(path in old and path in new and old[path].language == new[path].language for path in files.edited)


def _updated(before: PublishedSnapshot, files: FileTable) -> dict[FilePath, Shard]:
    """The same files in the same order, some with other contents."""
    made = before.shards.copy()
    made.update((path, files.shards[path]) for path in files.placed)
    return made


def _indexed(layout: Layout, shards: Mapping[FilePath, Shard]) -> Mapping[str, ModuleTable]:
    """Module tables without the files that have no facts (yet): nothing must resolve to these."""
    return {name: _restricted(table, shards) for name, table in layout.modules.items()}


def _restricted(table: ModuleTable, shards: Mapping[FilePath, Shard]) -> ModuleTable:
    missing = {path for path in table.names if path not in shards or not shards[path].language}
    if not missing:
        return table
    files = {dotted: _without(found, missing) for dotted, found in table.files.items()}
    packages = {name: _without(found, missing) for name, found in table.packages.items()}
    return attrs.evolve(
        table,
        names={path: name for path, name in table.names.items() if path not in missing},
        files={dotted: found for dotted, found in files.items() if found},
        packages={name: found for name, found in packages.items() if found},
    )


def _without(paths: tuple[FilePath, ...], missing: set[FilePath]) -> tuple[FilePath, ...]:
    # Most names have one file, and while a large workspace is read most of these are missing.
    if missing.isdisjoint(paths):
        return paths
    return () if missing.issuperset(paths) else tuple(path for path in paths if path not in missing)


def _inherited(
    before: PublishedSnapshot | None,
    files: FileTable,
    shards: Mapping[FilePath, Shard],
    modules: Mapping[str, ModuleTable],
) -> Mapping[FilePath, LinkEntry]:
    """Entries of the snapshot before that hold in the next one."""
    if before is None:
        return {}
    dotted, renamed = _renamed(before, modules)
    renamed |= files.renewed
    surfaces = files.surfaces | renamed
    entries = dict(before.reader.entries)
    for failed in before.snapshot.unlinked:
        entries.pop(failed.path, None)
    for path in files.edited | renamed:
        entry, shard = entries.get(path), shards.get(path)
        same = entry is not None and shard is not None and shard.language and entry.content == key_of(shard)
        if path in renamed or not same:
            entries.pop(path, None)
    if dotted or surfaces:
        entries = {path: entry for path, entry in entries.items() if not is_affected(entry, surfaces, dotted)}
    return entries


def _unlinked(files: FileTable, shards: Mapping[FilePath, Shard]) -> Mapping[FilePath, LinkEntry]:
    """Files that cannot be linked, those that changed since forgotten."""
    for path, entry in tuple(files.unlinked.items()):
        shard = shards.get(path)
        if shard is None or not shard.language or key_of(shard) != entry.content:
            del files.unlinked[path]
    return files.unlinked


def _renamed(before: PublishedSnapshot, modules: Mapping[str, ModuleTable]) -> tuple[set[str], set[FilePath]]:
    """Module names with another meaning, files with another module name."""
    dotted: set[str] = set()
    renamed: set[FilePath] = set()
    if before.snapshot.modules is modules:
        return dotted, renamed
    for language in before.snapshot.modules.keys() | modules.keys():
        old, new = before.snapshot.modules.get(language), modules.get(language)
        if old is not new:
            names, files = changed_names(old, new)
            dotted |= names
            renamed |= files
    return dotted, renamed


def drop_unpublished(
    outcome: FileExtraction,
    before: Shard | None,
    files: FileTable,
    published: PublishedSnapshot | None,
    caches: SharedCaches,
) -> None:
    """Lets go of contents of the disk that no snapshot will show: the file is open, or has changed once more.

    `before`: the shard that the file had when the outcome came.
    """
    path = outcome.ticket.path
    after = files.shards.get(path)
    if outcome.key and not files.has_content(path, outcome.content):
        caches.facts_cache.mark_replaced(outcome.key)
    gone = (
        before is not None and before is not after and (published is None or published.shards.get(path) is not before)
    )
    if before is not None and gone and before.language and not files.has_content(path, before.content):
        caches.facts_cache.mark_replaced(key_of(before))


def _note_replaced(before: PublishedSnapshot | None, files: FileTable, caches: SharedCaches) -> None:
    """Lets go of contents that no file has any more."""
    if before is None:
        return
    before.reader.drop_resolvers()
    for path in files.edited:
        old, new = before.snapshot.shards.get(path), files.shards.get(path)
        if old is not None and new is not None:
            follow_addresses(old, new)
        if new is not None and new.language:
            caches.facts_cache.mark_wanted(key_of(new))
        if old is not None and old.language and not files.has_content(path, old.content):
            caches.facts_cache.mark_replaced(key_of(old))
