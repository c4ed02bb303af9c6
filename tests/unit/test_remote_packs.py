"""Remote packs: entries that two caches share through a real server on this machine.

Owns: a server that keeps objects, packs that somebody spoiled.
Must not know: what entries mean.
Invariant: a pack arrives whole or not at all; every other one is a miss that the log names.
"""

from __future__ import annotations

import logging
import threading
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgpack
import pytest

from graphls.store.blobs import BlobStore, StoreOptions, opened_store
from graphls.store.remote_objects import ObstoreObjects
from graphls.store.remote_packs import RemoteError, pull_pack, push_pack
from graphls.store.remote_tier import tiered_store

KEY = b"a secret of the team"
ENTRIES = {"facts": ["a", "b", "gone"], "links": ["a:x.py"]}


class _Objects(BaseHTTPRequestHandler):
    """GET, HEAD and PUT of objects in memory."""

    protocol_version = "HTTP/1.1"
    held: dict[str, bytes]
    asked: list[str]

    def do_PUT(self) -> None:
        self.held[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"")

    def do_GET(self) -> None:
        self.asked.append(self.path)
        data = self.held.get(self.path)
        self._answer(404 if data is None else 200, data or b"")

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("ETag", '"1"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None: ...


class Server:
    """What is held, and where."""

    def __init__(self, held: dict[str, bytes], asked: list[str], url: str) -> None:
        self.held, self.asked, self.url = held, asked, url

    def pack(self) -> str:
        (found,) = [path for path in self.held if "/packs/" in path]
        return found


@pytest.fixture
def server() -> Iterator[Server]:
    held, asked = dict[str, bytes](), list[str]()
    made = ThreadingHTTPServer(("127.0.0.1", 0), type("Objects", (_Objects,), {"held": held, "asked": asked}))
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield Server(held, asked, f"http://127.0.0.1:{made.server_port}/base")
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def full(tmp_path: Path) -> Iterator[BlobStore]:
    with opened_store(StoreOptions(str(tmp_path / "full"))) as store:
        store.put_many("facts", {"a": b"1", "b": b"2" * 100_000, "other": b"3"})
        store.put_many("links", {"a:x.py": b"4"})
        yield store


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[BlobStore]:
    with opened_store(StoreOptions(str(tmp_path / "empty"))) as store:
        yield store


def test_what_is_pushed_is_pulled(server: Server, full: BlobStore, empty: BlobStore, tmp_path: Path) -> None:
    for url in (server.url, (tmp_path / "folder").as_uri()):
        remote = ObstoreObjects(url)
        pushed = push_pack(full, remote, "shop", KEY, ENTRIES)
        assert pushed == pull_pack(empty, remote, "shop", KEY)
        assert (pushed.entries, pushed.problem) == (3, "")
        assert empty.get("facts", "b") == b"2" * 100_000
        assert empty.get("links", "a:x.py") == b"4"
        assert empty.get("facts", "other") is None
        empty.clear()
    # The same again is the same object.
    before = dict(server.held)
    push_pack(full, ObstoreObjects(server.url), "shop", KEY, ENTRIES)
    assert server.held == before


def _forged(server: Server, rows: object) -> None:
    """A pack that is well formed, under a name that leads to it, by somebody without the key."""
    raw = zlib.compress(msgpack.packb(rows))
    digest = blake2b(raw, digest_size=32).hexdigest()
    server.held[f"/base/packs/{digest[:2]}/{digest}"] = raw
    server.held["/base/names/shop"] = f"{digest}\n{'0' * 64}\n".encode()


SPOILED = {
    "changed": lambda s: s.held.update({s.pack(): s.held[s.pack()][:-9] + b"x" + s.held[s.pack()][-8:]}),
    "truncated": lambda s: s.held.update({s.pack(): s.held[s.pack()][:-9]}),
    "empty": lambda s: s.held.update({s.pack(): b""}),
    "gone": lambda s: s.held.pop(s.pack()),
    "name changed": lambda s: s.held.update({"/base/names/shop": b"../../etc/passwd\nx\n"}),
    "name of another": lambda s: s.held.update({"/base/names/shop": s.held["/base/names/other"]}),
    "forged": lambda s: _forged(s, ["graphls pack 1", [["facts", "a", b"lie"]]]),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_pack_is_a_miss(
    spoil: object, server: Server, full: BlobStore, empty: BlobStore, caplog: pytest.LogCaptureFixture
) -> None:
    remote = ObstoreObjects(server.url)
    push_pack(full, remote, "shop", KEY, ENTRIES)
    server.held["/base/names/other"] = server.held["/base/names/shop"].replace(b"\n", b"\n0", 1)
    spoil(server)  # type: ignore[operator]
    with caplog.at_level(logging.WARNING):
        found = pull_pack(empty, remote, "shop", KEY)
    assert found.problem
    assert found.problem in caplog.text
    assert empty.stats().entries == 0


def test_another_key_and_another_name_are_no_signature(server: Server, full: BlobStore, empty: BlobStore) -> None:
    remote = ObstoreObjects(server.url)
    push_pack(full, remote, "shop", KEY, ENTRIES)
    server.held["/base/names/bank"] = server.held["/base/names/shop"]
    for name, key in (("shop", b"another"), ("shop", b""), ("bank", KEY), ("nobody", KEY)):
        assert pull_pack(empty, remote, name, key).problem
    assert empty.stats().entries == 0


MANY = {f"{number:02}": f"fact {number}".encode() for number in range(20)}
SECRET = "a secret of the team"


@pytest.fixture
def shared(server: Server, full: BlobStore, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("GRAPHLS_CACHE_KEY", SECRET)
    full.put_many("facts", MANY)
    push_pack(full, ObstoreObjects(server.url), "shop", SECRET.encode(), {"facts": list(MANY)})
    server.asked.clear()
    return server


def test_a_store_that_misses_much_is_filled_from_the_one_behind_it(shared: Server, tmp_path: Path) -> None:
    options = StoreOptions(str(tmp_path / "desk"))
    desk = tiered_store(options, shared.url, "shop")
    assert desk.get("facts", "00") is None
    assert desk.get_many("values", MANY) == {}
    assert shared.asked == []  # an edit misses so much, and values are of one machine
    assert desk.get_many("facts", [*MANY, "nowhere"]) == MANY
    assert len(shared.asked) == 2
    assert desk.get_many("facts", map(str, range(100, 200))) == {}
    assert len(shared.asked) == 2  # once
    desk.close()
    again = tiered_store(options, shared.url, "shop")
    assert again.get_many("facts", MANY) == MANY
    assert again.get_many("facts", map(str, range(100, 200))) == {}
    assert shared.asked[2:] == ["/base/names/shop"]  # the pack is the one that is here
    again.close()


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_what_is_spoiled_behind_a_store_is_a_miss(
    spoil: object, shared: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared.held["/base/names/other"] = shared.held["/base/names/shop"].replace(b"\n", b"\n0", 1)
    spoil(shared)  # type: ignore[operator]
    desk = tiered_store(StoreOptions(str(tmp_path / "desk")), shared.url, "shop")
    with caplog.at_level(logging.WARNING):
        assert desk.get_many("facts", MANY) == {}
    assert "nothing of the remote cache 'shop' is used" in caplog.text
    assert desk.stats().entries == 0
    assert desk.put("facts", "00", b"made here")
    assert desk.get_many("facts", MANY) == {"00": b"made here"}
    desk.close()


@pytest.mark.parametrize(
    ("url", "key", "said"),
    [
        ("", "another secret of ours", "signed with another key"),
        ("", "", "GRAPHLS_CACHE_KEY is not set"),
        ("nonsense://x", SECRET, "is no address of a store"),
        ("http://127.0.0.1:9/x", SECRET, "cannot be read"),
    ],
)
def test_who_cannot_read_what_is_behind_a_store_goes_on(
    url: str, key: str, said: str, shared: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("GRAPHLS_CACHE_KEY", key)
    monkeypatch.setenv("GRAPHLS_CACHE_REMOTE", url or shared.url)
    monkeypatch.setenv("GRAPHLS_CACHE_REMOTE_NAME", "shop")
    desk = tiered_store(StoreOptions(str(tmp_path / "desk")), "", "")
    with caplog.at_level(logging.WARNING):
        assert desk.get_many("facts", MANY) == {}
    assert said in caplog.text
    desk.close()


NONSENSE = [
    [], {}, 1, ["graphls pack 1"], ["graphls pack 2", []], ["graphls pack 1", [["facts", "a"]]],
    ["graphls pack 1", [["manifest2", "a", b""]]], ["graphls pack 1", [["facts", 1, b""]]],
]  # fmt: skip


@pytest.mark.parametrize("rows", NONSENSE, ids=str)
def test_nonsense_that_nobody_signs_is_a_miss_too(rows: object, server: Server, empty: BlobStore) -> None:
    _forged(server, rows)
    server.held["/base/names/shop"] = server.held["/base/names/shop"].replace(b"0" * 64, b"unsigned")
    assert pull_pack(empty, ObstoreObjects(server.url), "shop", b"").problem == "the pack is damaged"


def test_a_store_that_is_not_there_is_named(empty: BlobStore) -> None:
    with pytest.raises(RemoteError, match="no address of a store"):
        ObstoreObjects("what is this")
    with pytest.raises(RemoteError, match=r"cannot be read from http://127\.0\.0\.1:1/"):
        pull_pack(empty, ObstoreObjects("http://127.0.0.1:1/"), "shop", KEY)
