"""Unread edits: lists of uses wait for a document that takes long to read where it may have one of them.

Owns: a real session whose open file is not read before the test says so, references asked elsewhere.
Must not know: the wire, lanes.
Invariant: an answer that was not waited for is the one that waiting would have given.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.handlers.call_hierarchy import incoming, prepared
from graphls.lsp.handlers.navigation import implemented
from graphls.lsp.handlers.occurrences import find_references
from graphls.lsp.handlers.symbols import by_name
from graphls.lsp.protocol.client import Outgoing, UserMessages
from graphls.lsp.protocol.features import Feature, RequestContext
from graphls.lsp.protocol.progress import PartialResults, WorkDone
from graphls.lsp.protocol.scheduling import CancelToken, MustWait
from graphls.lsp.server_session import ServerSession
from graphls.queries.references import is_countable
from graphls.queries.spelled_uses import names_of_uses
from graphls.queries.spelled_words import spells
from graphls.session import pauses
from graphls.session.documents import open_files
from graphls.session.memory import snapshot_of
from increment.session_folder import session_over, settle, write
from increment.test_slow_files import Gate

FILES = {
    "lib.py": "def load():\n    return 1\n\n\ndef store():\n    return load()\n",
    "again.py": "from lib import load as fetch\n",
    "slow.py": "from again import fetch\n\nfetch()\n",
    "plain.py": "x = 1\n",
}
LOAD, STORE = (0, 4), (4, 4)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerSession]:
    monkeypatch.setattr(open_files, "SLOW_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "SLOW_SECONDS", -1.0)
    write(tmp_path, FILES)
    made = ServerSession([tmp_path.as_uri()], {"cache": {"enabled": False}, "checker": {"enabled": False}})
    settle(made.session)
    yield made
    made.close()


def _silent(_token: object, _value: object) -> None: ...


def _must_wait() -> Snapshot:
    raise MustWait


def _context(
    bench: ServerSession,
    uri: str,
    soon: Callable[[], Snapshot] = _must_wait,
    tell: Callable[[str], None] = lambda text: pytest.fail(text),
) -> RequestContext[ServerSession, Snapshot]:
    cancel = CancelToken()
    return RequestContext[ServerSession, Snapshot](
        bench,
        cancel,
        "utf-8",
        types.ClientCapabilities(),
        WorkDone(_silent, None, cancel),
        PartialResults(_silent, None, cancel),
        lambda: bench.snapshot(uri),
        _must_wait,
        soon,
        tell,
    )


def _used(found: Iterable[Mapping[str, Any]]) -> set[tuple[str, int]]:
    return {(str(one["uri"]).rpartition("/")[2], one["range"]["start"]["line"]) for one in found}


def _asked(uri: str, at: tuple[int, int]) -> types.ReferenceParams:
    document = types.TextDocumentIdentifier(uri)
    return types.ReferenceParams(types.ReferenceContext(True), document, types.Position(*at))


def _lines(bench: ServerSession, tmp_path: Path, at: tuple[int, int]) -> set[tuple[str, int]] | None:
    """Where a name of `lib.py` is used; None where somebody would have to wait for that."""
    uri = (tmp_path / "lib.py").as_uri()
    try:
        return _used(find_references.handler(_context(bench, uri), _asked(uri, at)))
    except MustWait:
        return None


@pytest.mark.parametrize(
    ("file", "text", "waits"),
    [
        ("plain.py", "y = 2\n", False),
        ("plain.py", "from lib import load\nload()\n", True),
        ("plain.py", "getattr(lib, 'LOAD')\n", True),
        ("plain.py", "overload = loading = 1\n", False),
        ("slow.py", "from again import fetch\n\n\nfetch()\n", True),
        ("slow.py", "nothing = 1\n", True),
        ("new.py", "nothing = 1\n", False),
        ("new.py", "from lib import load\n", True),
    ],
)
def test_references_wait_for_what_may_hold_one(
    bench: ServerSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, waits: bool
) -> None:
    """`slow.py` calls `load` by another name: before the edit or after it."""
    gate, before = Gate(monkeypatch), _lines(bench, tmp_path, LOAD)
    assert before is not None
    assert ("slow.py", 2) in before
    try:
        bench.open((tmp_path / file).as_uri(), 1, text, "python")
        found = _lines(bench, tmp_path, LOAD)
        assert (found is None) == waits
        assert _lines(bench, tmp_path, STORE) == {("lib.py", 4)}
    finally:
        gate.opened.set()
    settle(bench.session)
    after = _lines(bench, tmp_path, LOAD)
    assert after is not None
    assert waits or found == after


def test_lists_wait_a_while_and_then_say_what_they_lack(
    bench: ServerSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a file takes to read: who lists uses, callers, subclasses or what implements waits as long as for any
    answer, for others than the document that is asked about."""
    monkeypatch.setattr(pauses, "WHILE_READING", 0.01)
    gate, uri, told = Gate(monkeypatch), (tmp_path / "lib.py").as_uri(), list[str]()
    before, at = _lines(bench, tmp_path, LOAD) or set(), _asked(uri, LOAD)
    context = _context(bench, uri, lambda: bench.snapshot_soon(time.monotonic()), told.append)
    listing: dict[Feature, Any] = {
        find_references: at,
        implemented: types.ImplementationParams(at.text_document, at.position),
        by_name: types.WorkspaceSymbolParams("load"),
    }
    found = dict[Feature, Any]()
    with settled_gate(gate, bench):
        item = prepared.handler(context, types.CallHierarchyPrepareParams(at.text_document, at.position))[0]
        listing[incoming] = types.CallHierarchyIncomingCallsParams(item)
        bench.open((tmp_path / "slow.py").as_uri(), 1, "from again import fetch\n\n\nfetch()\n", "python")
        for feature, params in listing.items():
            told.clear()
            found[feature] = feature.handler(attrs.evolve(context), params)
            assert told == ["The answer lacks the last edits of slow.py, still being read. Ask again soon."], feature
    assert _used(found[find_references]) == before
    assert {call.from_.name for call in found[incoming]} == {"store", "slow.py"}
    assert _lines(bench, tmp_path, LOAD) == {*before, ("slow.py", 3)} - {("slow.py", 2)}


@contextlib.contextmanager
def settled_gate(gate: Gate, bench: ServerSession) -> Generator[None]:
    """Nothing is read in it, all is behind it."""
    try:
        yield
    finally:
        gate.opened.set()
    settle(bench.session)


def test_a_message_is_shown_once_in_a_while() -> None:
    shown = list[Any]()

    class Client:
        def notify(self, method: str, params: Any = None) -> None:
            shown.append((method, params.message))

    messages = UserMessages(cast("Outgoing", Client()))
    for text in ("one", "two", "one"):
        messages.tell(text)
    assert shown == [(types.WINDOW_SHOW_MESSAGE, "one"), (types.WINDOW_SHOW_MESSAGE, "two")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def __enter__(self): pass\n", None),
        ("def load(): pass\n", {"load", "getLoad", "setLoad", "isLoad"}),
        ("\nx", set[str]()),
    ],
)
def test_names_of_uses(text: str, names: set[str] | None) -> None:
    special = text if "self" not in text else f"class C:\n    {text}"
    snapshot = snapshot_of({"a.py": special.encode()})
    at = special.index("def ") + 4 if "def" in special else 0
    assert names_of_uses(snapshot, FilePath("a.py"), at) == names


@pytest.mark.parametrize("exported", ["function run() {}", "class Run {}", "1"])
def test_what_is_exported_without_a_name_may_be_called_anything(exported: str) -> None:
    snapshot = snapshot_of({"a.ts": f"export default {exported}\n", "b.ts": "import go from './a'\ngo()\n"})
    assert names_of_uses(snapshot, FilePath("b.ts"), 7) is None


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (b"<my-list />", "MyList", True),
        (b"my_list()", "myList", True),
        (b"MYLIST", "my_list", True),
        (b"mylists", "MyList", False),
        (b"x.$save()", "$save", True),
        ("größe = 1".encode(), "größe", True),
        (b"nothing", "", False),
    ],
)
def test_names_are_found_however_they_are_written(text: bytes, name: str, found: bool) -> None:
    assert spells(text, (name,) if name else ()) == found


@pytest.mark.parametrize(("size", "counted"), [(1_000, True), (250_000, False)])
def test_uses_in_a_large_file_that_is_edited_are_not_counted_before_it_is_linked(
    tmp_path: Path, size: int, counted: bool
) -> None:
    """A hover elsewhere would link thousands of uses after each letter."""
    line = "from app import take\n\ndef f():\n    return take()\n"
    large = line * (size // len(line))
    write(tmp_path, {"app.py": "def take():\n    return 1\n", "large.py": large})
    place = SymbolRef(FilePath("app.py"), 0)
    with session_over(tmp_path) as session:
        assert is_countable(session.snapshot(), place)
        session.change(FilePath("large.py"), large.encode() + line.encode())
        assert is_countable(session.snapshot(), place) == counted
        assert is_countable(settle(session), place)
