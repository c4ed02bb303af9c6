"""Tasks: the steps from a repository's files to tables, each for itself.

Owns: what a task is given and gives back, in plain values; the order of steps inside of each.
Must not know: engines, how many machines there are.
Invariant: a task that runs twice leaves the same bytes; what another one made already is not made again.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final, Never, TypeAlias, cast
from zlib import crc32

import attrs

from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import versions
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_of
from graphls.org.join import crossing_tables
from graphls.org.objects import OrgStore, table_object
from graphls.org.offers import repository_facts, write_join_tables
from graphls.org.sources import files_of
from graphls.session.cache.contents import ContentStore
from graphls.session.cache.shared_entries import shared_entries
from graphls.session.index.extraction import content_key, extract_file
from graphls.session.index.scanning import indexed
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings, merge
from graphls.sources.content import content_hash
from graphls.sources.limits import SourceLimits
from graphls.sources.programs import own_resident_bytes
from graphls.sources.read import read_source
from graphls.sources.settings_files import read_settings
from graphls.sources.source_files import FoundFile, SkippedSource
from graphls.sources.walk import walk
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from graphls.tables.columns import tables
from graphls.tables.duckdb_file import write_parquet

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain]"
"""What travels between machines."""
_BATCH_BYTES: Final = 8_000_000
"""Text that one task of extraction reads at most, a larger file apart."""
_CUT: Final = 64
"""A batch ends after one path of so many, whichever others there are: an edit changes the batch it is in."""
_FORM: Final = "3"
"""Of tables that are no records, and of what states say."""
_PATIENCE: Final = 3_600.0


def survey(name: str, place: str) -> dict[str, Plain]:
    """What is to be read of a repository: batches of paths, each with the name of its pack, and a digest of all."""
    with _measured() as used, files_of(place) as folder:
        workspace, settings = _workspace(folder)
        whole = blake2b(f"{_FORM}\0{versions()}\0{name}".encode(), digest_size=16)
        batches: list[Plain] = []
        size = lines = 0
        for batch in _batches(walk(workspace, SourceLimits.of(settings.files), wanted=indexed).files):
            digest = blake2b(versions().encode(), digest_size=16)
            read = [(file, read_source(workspace, file.path, SourceLimits.of(settings.files))) for file in batch]
            sources: list[Plain] = []
            for file, source in read:
                unfit = isinstance(source, SkippedSource)
                said = source.reason if unfit else content_hash(source.data)
                digest.update(f"{file.path}\0{said}\0".encode("utf-8", "surrogateescape"))
                if not unfit and provider_of(file.path, source.data) is not None:
                    sources.append(str(file.path))
                    size, lines = size + len(source.data), lines + source.data.count(b"\n")
            whole.update(digest.digest())
            if sources:
                batches.append({"name": f"facts-{digest.hexdigest()}", "paths": sources})
    return {"digest": whole.hexdigest(), "batches": batches, "bytes": size, "lines": lines, **used}


def extract(place: str, url: str, signed: bool, pack: str, paths: list[str]) -> dict[str, Plain]:
    """Reads some files of a repository and shares their facts. A file that cannot be read is left to the step that
    links, which names it."""
    store = OrgStore(url, signed)
    with _measured() as used:
        if store.has_pack(pack):
            return {"made": False, **used}
        with files_of(place) as folder, _blobs() as blobs:
            workspace, settings = _workspace(folder)
            contents = ContentStore(blobs)
            keys: list[str] = []
            for path in paths:
                file = workspace.contained(os.path.join(workspace.folders[0].root, path))
                source = read_source(workspace, file, SourceLimits.of(settings.files))
                provider = None if isinstance(source, SkippedSource) else provider_of(file, source.data)
                if isinstance(source, SkippedSource) or provider is None:
                    continue
                key = content_key(provider, file, content_hash(source.data))
                contents.put(key, extract_file(provider, file, source.data))
                keys.append(key)
            contents.flush()
            sent = store.push(blobs, pack, {"facts": keys, "surface": keys}).size
    return {**used, "made": True, "written": sent}


def link(*, name: str, place: str, url: str, signed: bool, digest: str, packs: list[str]) -> dict[str, Plain]:
    """Resolves every name of a repository, from the facts that were shared, and shares what came of it."""
    store = OrgStore(url, signed)
    pack = _linked(digest)
    with _measured() as used:
        if store.has_pack(pack):
            return {"made": False, "problems": [], **used}
        with files_of(place) as folder, _blobs() as blobs:
            pulled = [store.pull(blobs, each) for each in packs]
            problems = [f"{name}: {one.problem}" for one in pulled if one.problem]
            with _session(folder, blobs) as snapshot:
                entries = shared_entries(snapshot)
            sent = store.push(blobs, pack, {kind: entries[kind] for kind in ("links", "edges")}).size
    read = sum(one.size for one in pulled)
    return {**used, "made": True, "problems": [*problems], "read": read, "written": sent}


def project(*, name: str, place: str, url: str, signed: bool, digest: str, packs: list[str]) -> dict[str, Plain]:
    """Writes the records of a repository as tables, and says what others need to know of it."""
    store = OrgStore(url, signed)
    with _measured() as used, files_of(place) as folder, _blobs() as blobs, tempfile.TemporaryDirectory() as made:
        read = sum(store.pull(blobs, pack).size for pack in (*packs, _linked(digest)))
        with _session(folder, blobs) as snapshot:
            written = export(snapshot, ExportOptions(mode="allow-errors"))
            write_parquet(made, written.records(), threads=1)
            write_join_tables(made, snapshot)
            about = repository_facts(made, snapshot)
            problems: list[Plain] = [f"{one.file}: {one.reason}" for one in written.header.problems]
        size = 0
        for table in (*tables(), "offers", "uses"):
            with open(os.path.join(made, f"{table}.parquet"), "rb") as file:
                data = file.read()
            store.write(table_object(table, name), data)
            size += len(data)
    counts = written.header.counts
    return {
        **used,
        "problems": problems,
        "nodes": counts.nodes,
        "edges": counts.edges,
        "unresolved": counts.unresolved_sites,
        "read": read,
        "written": size,
        **cast("dict[str, Plain]", about),
    }


def join(
    name: str, url: str, signed: bool, providers: list[dict[str, Plain]], own: dict[str, Plain]
) -> dict[str, Plain]:
    """Leads what a repository uses outside of itself to the repositories that offer it."""
    store = OrgStore(url, signed)
    with _measured() as used, tempfile.TemporaryDirectory() as folder:
        offering = (name, *(str(one["name"]) for one in providers))
        read = 0
        for repository, table in ((name, "uses"), *((each, "offers") for each in offering)):
            os.makedirs(os.path.join(folder, table), exist_ok=True)
            data = store.read(table_object(table, repository))
            if data is not None:
                read += len(data)
                with open(os.path.join(folder, table, f"{repository}.parquet"), "wb") as file:
                    file.write(data)
        path = os.path.join(folder, "crossings.parquet")
        rows = crossing_tables(folder, path, providers, own)
        with open(path, "rb") as file:
            data = file.read()
        store.write(table_object("crossings", name), data)
    return {**used, "rows": rows, "read": read, "written": len(data)}


TASKS: Final[Mapping[str, Callable[..., dict[str, Plain]]]] = {
    "survey": survey,
    "extract": extract,
    "link": link,
    "project": project,
    "join": join,
}


def run_task(phase: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
    """What an engine calls, on whichever machine."""
    # Each step is given what `graphls.org.index` put together for it.
    return TASKS[phase](**cast("dict[str, Never]", arguments))


def _linked(digest: str) -> str:
    return f"links-{digest}"


def _batches(files: Sequence[FoundFile]) -> Iterator[Sequence[FoundFile]]:
    """Files in order of path, in runs whose borders depend on paths and sizes near them."""
    batch: list[FoundFile] = []
    size = 0
    for file in files:
        if batch and size + file.size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
        if not crc32(file.path.encode("utf-8", "surrogateescape")) % _CUT:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _workspace(folder: str) -> tuple[Workspace, Settings]:
    """A repository as a workspace whose settings may name nothing outside of it."""
    workspace = Workspace.of([folder])
    settings, _ = merge(read_settings(workspace.folders[0].root).table, {}, trusted=False)
    return workspace, attrs.evolve(settings, index=attrs.evolve(settings.index, workers=1))


@contextmanager
def _session(folder: str, blobs: BlobStore) -> Generator[Snapshot]:
    """Every file of a repository linked, without what happens to be installed on this machine."""
    workspace, settings = _workspace(folder)
    session = Session(workspace, settings, blobs, SessionOptions(link_all=True, libraries=False))
    try:
        session.start()
        if not session.wait("complete", _PATIENCE):
            raise TimeoutError(session.problems.get("session") or f"not linked within {_PATIENCE:,.0f} s")
        yield session.snapshot()
    finally:
        session.close()


@contextmanager
def _blobs() -> Generator[BlobStore]:
    with tempfile.TemporaryDirectory(prefix="graphls-org-") as folder:
        blobs = BlobStore(StoreOptions(folder, max_bytes=50_000_000_000))
        try:
            yield blobs
        finally:
            blobs.close()


@contextmanager
def _measured() -> Generator[dict[str, Plain]]:
    """CPU seconds, with those of child processes that ended, wall seconds, MB of memory at the end. A task says itself
    how many bytes it read from the store and wrote there."""
    began, cpu = time.monotonic(), _cpu()
    used: dict[str, Plain] = {"cpu": 0.0, "seconds": 0.0, "peak_mb": 0.0, "read": 0, "written": 0}
    yield used
    used["cpu"] = round(_cpu() - cpu, 3)
    used["seconds"] = round(time.monotonic() - began, 3)
    used["peak_mb"] = round(own_resident_bytes() / 1e6, 1)


def _cpu() -> float:
    return sum(os.times()[:4])
