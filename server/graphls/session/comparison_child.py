"""Comparison child: a process that compares two states of a workspace for a server, and ends.

Owns: a session of its own over the same store, with the texts that editors hold.
Must not know: who asks, protocols.
Invariant: it answers for the state that it was asked about or not at all, and ends when its input ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from typing import BinaryIO, cast

from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.merkle import snapshot_id
from graphls.queries.diff import Depth, DiffQuery, diff
from graphls.session.comparison_messages import message_of, settings_of
from graphls.session.imported_files import without_imports
from graphls.session.options import SessionOptions
from graphls.session.process.frames import BrokenFrameError, Message, receive, send
from graphls.session.process.worker import limit_memory
from graphls.session.revisions import compared
from graphls.session.session import Session
from graphls.sources.workspace import Folder, Workspace
from graphls.store.blobs import BlobStore, StoreOptions

_PATIENCE = 600.0
"""Seconds in which the files must be read: nearly all are in the store."""


def main() -> None:
    """Answers one message on standard input."""
    limit_memory()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(BrokenFrameError, BrokenPipeError, KeyboardInterrupt):
        send(sink, ("ready",))
        message = receive(source)
        threading.Thread(target=_end_with, args=(source,), name="graphls-input", daemon=True).start()
        send(sink, _answer(message))


def _end_with(source: BinaryIO) -> None:
    """Who asked is gone."""
    source.read()
    os._exit(1)


def _answer(message: Message) -> Message:
    folders, chosen, home, texts, wanted, question = message
    workspace = Workspace(tuple(Folder(name, root) for name, root in cast("Sequence[tuple[str, str]]", folders)))
    options = SessionOptions(link_all=False, libraries=True, upgrade=False)
    session = Session(workspace, settings_of(chosen), BlobStore(StoreOptions(cast("str", home))), options)
    try:
        session.start()
        for path, text in cast("Sequence[tuple[FilePath, bytes]]", texts):
            session.open(path, text)
        if not session.wait("ready", _PATIENCE) or snapshot_id(without_imports(session.snapshot())) != wanted:
            return ("other",)
        return _compared(session, cast("tuple[str, str, Depth, int, float]", question))
    except GraphError as refused:
        return ("refused", refused.code, refused.message)
    except MemoryError:
        return ("memory",)
    except Exception:  # noqa: BLE001 (who asked does it himself, and says what fails)
        return ("failed",)
    finally:
        session.close()


def _compared(session: Session, question: tuple[str, str, Depth, int, float]) -> Message:
    before, after, edges, limit, within = question
    live = session.snapshot()
    one, other = (compared(session.workspace, live, session.settings, name) for name in (before, after))
    return ("found", *message_of(diff(one, other, DiffQuery(edges, limit, within))))
