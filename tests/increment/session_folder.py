"""Session folder: a session over files in a folder, and its comparison with a fresh index.

Owns: writing files, waiting, spelling out everything a snapshot holds.
Must not know: what the files mean.
Invariant: `everything` of equal contents is equal, whatever led to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from graphls.session.prefetch import Prefetch
from graphls.session.session import Session, SessionOptions
from graphls.session.shared_caches import SharedCaches
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

PATIENCE = 120.0


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Makes files below a folder."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())


@contextmanager
def session_over(
    root: Path, store: BlobStore | None = None, options: SessionOptions | None = None
) -> Iterator[Session]:
    """A session that has indexed and linked everything."""
    session = Session(Workspace.of([str(root)]), store=store, options=options)
    session.start()
    try:
        assert session.wait("complete", PATIENCE), (session.progress, session.problems)
        yield session
    finally:
        session.close()


def looked_ahead(root: Path, cache: Path) -> Iterator[Snapshot]:
    """What a start that knows nothing has once the work ahead is done, and then one over what that one kept."""
    store = BlobStore(StoreOptions(str(cache)))
    for _ in range(2):
        with session_over(root, store) as session:
            snapshot = settle(session)
            Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
            yield snapshot


def settle(session: Session) -> Snapshot:
    """The snapshot once all that is known has been taken in and linked."""
    session.snapshot()
    assert session.wait("complete", PATIENCE), (session.progress, session.problems)
    return session.snapshot()


def everything(snapshot: Snapshot) -> Mapping[str, tuple[object, ...]]:
    """All that a snapshot says, spelled out by file."""
    return {
        path: (
            shard.language,
            shard.content,
            shard.surface_hash if shard.language else "",
            snapshot.module_name(path),
            snapshot.package_of(path),
            (encode(snapshot.facts(path)), encode(snapshot.surface(path)), encode(snapshot.links(path)))
            if shard.language
            else (),
        )
        for path, shard in snapshot.shards.items()
    }


def anew(snapshot: Snapshot) -> Snapshot:
    """The contents of a snapshot, with nothing kept from before."""
    contents = {path: snapshot.text(path) for path in snapshot.shards}
    assert None not in contents.values()
    return snapshot_of({path: text or b"" for path, text in contents.items()}, name=snapshot.name)


def from_scratch(snapshot: Snapshot) -> Mapping[str, tuple[object, ...]]:
    """`everything` of the contents of a snapshot, with nothing kept from before."""
    return everything(anew(snapshot))


def exported(snapshot: Snapshot) -> list[bytes]:
    """Lines of an export but for the header, which also names dirty buffers."""
    return list(export(snapshot, ExportOptions(mode="allow-errors")).lines())[1:]


def relinked(session: Session) -> list[str]:
    """Files linked since the last call, in order."""
    done = sorted(session.work.linked)
    session.work.linked.clear()
    return done


def edit(session: Session, path: str, text: str) -> list[str]:
    """Files that are linked anew when an open file becomes this text; all links are those of a fresh index."""
    session.open(key(path), settle(session).text(key(path)) or b"")
    settle(session)
    relinked(session)
    session.change(key(path), text.encode())
    snapshot = settle(session)
    found = relinked(session)
    assert everything(snapshot) == from_scratch(snapshot)
    return found


def key(path: str) -> FilePath:
    return FilePath(path)
