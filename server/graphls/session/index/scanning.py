"""Scanning: what a walk of the workspace means for the files that are known.

Owns: which files are indexed at all, what is unchanged since it was remembered, the remembered table itself.
Must not know: threads, snapshots, what files say.
Invariant: a file counts as unchanged only when its stamp proves it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping
from hashlib import blake2b

import attrs

from graphls.facts.file_facts import FACTS_VERSION
from graphls.facts.paths import FilePath
from graphls.facts.surface import SurfaceHash
from graphls.graph.made_by_tool import is_foreign
from graphls.graph.snapshot import Shard
from graphls.languages.plain_names import may_be_text
from graphls.languages.registry import choices, provider_for, providers
from graphls.session.index.extraction import language_of_key
from graphls.session.index.layout import is_manifest
from graphls.session.process.pool import LARGE
from graphls.sources.encodings import ENCODINGS_VERSION
from graphls.sources.limits import SourceLimits
from graphls.sources.source_files import FoundFile
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore
from graphls.store.manifest import Manifest, ManifestEntry, decode_manifest, encode_manifest

_DIGEST = re.compile("[0-9a-f]{32}")


@attrs.frozen(eq=False)
class Scan:
    """What to do after a walk."""

    unchanged: Mapping[FilePath, ManifestEntry]
    changed: tuple[tuple[FilePath, int], ...]
    """With their sizes; sources first, large ones foremost, what tools made or others wrote last of them."""
    gone: tuple[FilePath, ...]


def indexed(path: str) -> bool:
    """Whether a file of this name belongs into the graph: sources, and as plain files all other text."""
    file = FilePath(path)
    return may_be_text(path) or provider_for(file) is not None or is_manifest(file)


def compare(
    found: Collection[FoundFile], stamps: Mapping[FilePath, ManifestEntry], known: Collection[FilePath]
) -> Scan:
    """What a walk for files that are indexed found, against what was known before."""
    unchanged: dict[FilePath, ManifestEntry] = {}
    changed: list[tuple[FilePath, int]] = []
    seen: set[FilePath] = set()
    for file in found:
        seen.add(file.path)
        entry = stamps.get(file.path)
        if entry is not None and (entry.size, entry.mtime_ns) == (file.size, file.mtime_ns):
            unchanged[file.path] = entry
        else:
            changed.append((file.path, file.size))
    changed.sort(key=lambda item: (provider_for(item[0]) is None, is_foreign(item[0]), item[1] < LARGE, item[0]))
    return Scan(unchanged, tuple(changed), tuple(sorted(path for path in known if path not in seen)))


def shard_of(path: FilePath, entry: ManifestEntry) -> Shard | None:
    """The shard that a remembered entry stands for."""
    key, _, digest = entry.facts_key.rpartition(" ")
    language = language_of_key(key)
    if not _DIGEST.fullmatch(digest) or language is None or (provider_for(path) is not None and not language):
        return None
    return Shard(path, language, entry.content, entry.size, SurfaceHash(digest), dirty=False)


class WorkspaceMemory:
    """What the store remembers of one workspace."""

    def __init__(self, store: BlobStore | None, workspace: Workspace, limits: SourceLimits) -> None:
        self._store = store
        roots = "\n".join(f"{folder.name}\t{folder.root}" for folder in workspace.folders)
        self.workspace = blake2b(roots.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        """Names the workspace in the store."""
        recipes = sorted((name, provider.recipe) for name, provider in providers().items())
        versions = FACTS_VERSION, ENCODINGS_VERSION, recipes, choices()
        self._extra = blake2b(repr((*versions, *limits.of_texts())).encode(), digest_size=16).hexdigest()

        self._known: Mapping[FilePath, ManifestEntry] = {}
        self.initial: Mapping[FilePath, ManifestEntry] = {}
        """What was remembered at the start."""

    def load(self) -> Mapping[FilePath, ManifestEntry]:
        """Entries by path; empty when nothing usable is remembered."""
        raw = None if self._store is None else self._store.get("manifest", self.workspace)
        manifest = None if raw is None else decode_manifest(raw, self._extra)
        self._known = self.initial = {} if manifest is None else manifest.entries
        return self._known

    def store(self, entries: Mapping[FilePath, ManifestEntry]) -> None:
        """Keeps entries for the next start."""
        if self._store is not None and entries != self._known:
            self._known = dict(entries)
            manifest = Manifest(time.time_ns(), dict(entries), self._extra)
            self._store.put("manifest", self.workspace, encode_manifest(manifest))
