"""Blobs: the cache survives whatever is done to its files.

Owns: round trips, planted rows, corruption, locks, several processes, eviction.
Must not know: what is cached.
Invariant: no exception leaves the store, nothing planted runs or is read.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import time
from pathlib import Path
from threading import Thread

import pytest

from graphls.store.blobs import BlobStore, StoreOptions, opened_store
from graphls.store.location import STORE_VERSION, cache_folder
from graphls.store.safe_disk import DATABASE, CacheRows, RefusedError, SafeDisk

# cos\nsystem: a pickle that makes a file named in %s when it is loaded
PICKLE = b"cos\nsystem\n(S'touch %s'\ntR."


def opened(folder: Path, **options: float) -> BlobStore:
    return BlobStore(StoreOptions(folder=str(folder), **options))  # type: ignore[arg-type]


def database(folder: Path) -> Path:
    return folder / f"v{STORE_VERSION}" / DATABASE


def run_sql(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(database(folder))
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_round_trip(tmp_path: Path) -> None:
    values = {"a": b"", "b": b"x" * 3_000_000, "é": bytes(range(256))}
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.put_many("facts", values)
        assert store.put("links", "a", b"other")
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.get_many("facts", [*values, "absent"]) == values
        assert store.get("links", "a") == b"other"
        assert store.present("facts", [*values, "absent"]) == set(values)
        assert store.delete("facts", ["a", "absent"])
        assert store.get("facts", "a") is None
        stats = store.stats()
        assert (stats.entries, stats.by_kind["facts"], stats.hits, stats.misses) == (3, 2, 4, 2)
        assert store.clear()
        assert store.get("links", "a") is None
        assert store.problem is None
    assert [path.suffix for path in tmp_path.rglob("*") if path.suffix == ".val"] == []


def test_folder_choice_and_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path / "env"))
    assert cache_folder() == str(tmp_path / "env" / f"v{STORE_VERSION}")
    assert cache_folder(str(tmp_path)) == str(tmp_path / f"v{STORE_VERSION}")
    store = BlobStore()
    store.close()
    if os.name != "nt":
        assert stat.S_IMODE(os.stat(store.folder).st_mode) == 0o700


@pytest.mark.parametrize("mode", [0, 2, 3, 4, 5, None, "1"])
@pytest.mark.parametrize("filename", [None, "../../secret", "/etc/passwd"])
def test_planted_row_is_a_miss(tmp_path: Path, mode: object, filename: str | None) -> None:
    trace, secret = tmp_path / "ran", tmp_path / "secret"
    secret.write_bytes(b"secret")
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put_many("facts", {"a": b"1", "b": b"2"})
    run_sql(
        tmp_path,
        "UPDATE Cache SET mode = ?, filename = ?, value = ? WHERE key = 'facts:a'",
        mode,
        filename,
        None if filename else PICKLE % os.fsencode(trace),
    )
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.get_many("facts", ["a", "b"]) == ({"b": b"2"})
        assert store.put("facts", "a", b"again")
        assert store.get("facts", "a") == b"again"
        store.clear()
    assert not trace.exists()
    assert secret.read_bytes() == b"secret"


def test_planted_pickled_key_is_not_loaded(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put("facts", "a", b"1")
    run_sql(tmp_path, "UPDATE Cache SET raw = 0, key = ?", PICKLE % os.fsencode(trace))
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.stats()
        assert store.get("facts", "a") is None
    assert not trace.exists()


@pytest.mark.parametrize("value", [None, [], {}, object(), True, memoryview(b"")])
def test_disk_takes_plain_values_only(tmp_path: Path, value: object) -> None:
    disk = SafeDisk(str(tmp_path))
    with pytest.raises(RefusedError):
        disk.put(value)
    with pytest.raises(RefusedError):
        disk.store(value, False)
    with pytest.raises(RefusedError):
        disk.store(b"", True)
    with pytest.raises(RefusedError):
        disk.get(b"x", 0)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE Cache SET value = substr(value, 1, 20)",
        "UPDATE Cache SET value = x'00'",
        "UPDATE Cache SET value = NULL",
        "UPDATE Cache SET value = 'text'",
        "UPDATE Cache SET value = (SELECT value FROM Cache WHERE key = 'facts:b') WHERE key = 'facts:a'",
        "UPDATE Cache SET expire_time = 'soon'",
    ],
)
def test_changed_value_is_a_miss(tmp_path: Path, statement: str) -> None:
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put_many("facts", {"a": b"1" * 100, "b": b"2" * 100})
    run_sql(tmp_path, statement)
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.get("facts", "a") in (None, b"1" * 100 if "expire" in statement else None)
        assert store.put("facts", "a", b"new")
        assert store.get("facts", "a") == b"new"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
        "CREATE VIEW v AS SELECT 1",
        "INSERT INTO Settings VALUES ('sqlite_temp_store_directory', '''x''')",
        "INSERT INTO Settings VALUES ('disk_unknown', 1)",
        "UPDATE Settings SET value = '1; DROP TABLE Cache' WHERE key = 'sqlite_cache_size'",
        "DROP TABLE Cache",
    ],
)
def test_foreign_schema_is_rebuilt(tmp_path: Path, statement: str) -> None:
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put("facts", "a", b"1")
    run_sql(tmp_path, statement)
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.get("facts", "a") is None
        assert store.put("facts", "a", b"2")
        assert (store.get("facts", "a"), store.problem) == (b"2", None)


@pytest.mark.parametrize("size", [0, 1, 50, 100, 4096, 5000, 30_000])
@pytest.mark.parametrize("garble", [False, True])
def test_broken_database_is_rebuilt(tmp_path: Path, size: int, garble: bool) -> None:
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put_many("facts", {str(number): b"x" * 2000 for number in range(100)})
    whole = database(tmp_path).read_bytes()
    database(tmp_path).write_bytes(whole[:size] + (b"\xa5" * (len(whole) - size) if garble else b""))
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        found = store.get_many("facts", [str(number) for number in range(100)])
        assert set(found.values()) <= {b"x" * 2000}
        for _ in range(2):  # the first write may be what finds the damage
            store._writes_resume = 0.0
            kept = store.put("facts", "new", b"y")
        assert kept
        assert store.get("facts", "new") == b"y"
    assert [path.name for path in tmp_path.iterdir()] == [f"v{STORE_VERSION}"]


def test_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = opened(tmp_path / "file")
    assert "not used" in (store.problem or "")
    assert [record.levelname for record in caplog.records if "is not used" in record.message] == ["WARNING"]
    assert not store.put("facts", "a", b"1")
    assert store.get("facts", "a") is None
    assert store.stats().entries == 0
    assert not store.clear()
    store.close()
    assert store.get("facts", "a") is None


def test_locked_database_is_a_problem_not_a_wait(tmp_path: Path) -> None:
    opened(tmp_path).close()
    locker = sqlite3.connect(database(tmp_path), isolation_level=None)
    store = opened(tmp_path, timeout=0.1)
    locker.execute("BEGIN IMMEDIATE")
    try:
        assert not store.put("facts", "a", b"1")
        assert "another process" in (store.problem or "")
        assert store.get("facts", "a") is None
        late = opened(tmp_path, timeout=0.1)
        assert late.problem
        late.close()
    finally:
        locker.execute("ROLLBACK")
        locker.close()
    store._writes_resume = 0.0
    assert store.put("facts", "a", b"1")
    assert (store.get("facts", "a"), store.problem) == (b"1", None)
    store.close()


@pytest.mark.parametrize(
    "message", ["database or disk is full", "attempt to write a readonly database", "disk I/O error"]
)
def test_full_or_read_only_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, message: str
) -> None:
    rows: list[CacheRows] = []

    def opening(folder: str, timeout: float) -> CacheRows:
        from graphls.store.safe_disk import open_rows

        rows.append(open_rows(folder, timeout))
        return rows[-1]

    store = BlobStore(StoreOptions(folder=str(tmp_path)), opening)
    store.put("facts", "a", b"1")

    def refusing(*_: object, **__: object) -> bool:
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr(rows[0], "set", refusing)
    for _ in range(2):
        store._writes_resume = 0.0
        assert not store.put_many("facts", {"b": b"2"})
    assert message in (store.problem or "")
    assert len([record for record in caplog.records if message in record.message]) == 1
    assert store.get_many("facts", ["a", "b"]) == {"a": b"1"}
    store.close()


def test_a_transaction_that_ended_by_itself_hides_no_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite gives up a transaction for which the disk has no room; undoing it fails then, and says only that."""
    from graphls.store.safe_disk import open_rows

    rows = open_rows(str(tmp_path), 1.0)

    def refusing(*_: object, **__: object) -> bool:
        rows._sql("ROLLBACK")  # type: ignore[attr-defined]
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(rows, "set", refusing)
    store = BlobStore(StoreOptions(folder=str(tmp_path)), lambda *_: rows)
    assert not store.put("facts", "a", b"1")
    assert "disk is full" in (store.problem or "")
    store.close()


def test_cache_that_vanishes(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.put("facts", "a", b"1")
    for path in (tmp_path / f"v{STORE_VERSION}").iterdir():
        path.unlink()
    assert store.get("facts", "a") in (None, b"1")
    store.put("facts", "b", b"2")
    store.close()
    again = opened(tmp_path)
    assert again.put("facts", "c", b"3")
    assert again.get("facts", "c") == b"3"
    again.close()


def test_eviction_keeps_what_was_used_last(tmp_path: Path) -> None:
    store = opened(tmp_path, max_bytes=2_000_000)
    store.put_many("facts", {f"old{number}": b"x" * 10_000 for number in range(100)})
    run_sql(tmp_path, "UPDATE Cache SET expire_time = expire_time - ?", 20 * 86_400.0)
    assert store.get("facts", "old7") is not None
    store.put_many("facts", {f"new{number}": b"x" * 10_000 for number in range(110)})
    assert store.get("facts", "old7") is not None
    assert store.get("facts", "old8") is None
    assert store.get("facts", "new0") is not None
    assert store.stats().size <= 2_000_000
    store.close()


def test_unused_entry_expires(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.put("facts", "a", b"1")
    run_sql(tmp_path, "UPDATE Cache SET expire_time = ?", time.time() - 1)
    assert store.get("facts", "a") is None
    store.close()


def _write_many(folder: str, name: str) -> None:
    with opened_store(StoreOptions(folder=folder, timeout=120)) as store:
        for turn in range(10):
            store.put_many("facts", {f"{name}{turn}-{number}": name.encode() * 500 for number in range(20)})
            store.put("facts", "shared", b"same")


def test_threads_share_one_connection(tmp_path: Path) -> None:
    """A connection takes megabytes and two files, and one that its thread left behind stays."""
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put("facts", "a", b"x")
        before, seen = _files_of_database(tmp_path), list[bytes | None]()
        for number in range(8):
            worker = Thread(target=_put_and_get, args=(store, str(number), seen))
            worker.start()
            worker.join()
        assert seen == [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7"]
        assert _files_of_database(tmp_path) == before
    assert not _files_of_database(tmp_path)


def _put_and_get(store: BlobStore, name: str, seen: list[bytes | None]) -> None:
    store.put("facts", name, name.encode())
    seen.append(store.get("facts", name))


def _files_of_database(folder: Path) -> list[str]:
    open_files = Path("/proc/self/fd")
    if not open_files.is_dir():
        pytest.skip("open files are not listed here")
    return sorted(name for file in open_files.iterdir() if (name := _target(file)).startswith(str(database(folder))))


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_a_copy_of_the_process_opens_a_connection_of_its_own(tmp_path: Path) -> None:
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        store.put("facts", "a", b"x")
        before = _files_of_database(tmp_path)
        copied = os.fork()
        if not copied:
            whole = store.get("facts", "a") == b"x" and store.put("facts", "b", b"y")
            own = len(_files_of_database(tmp_path)) > len(before)
            store.close()
            os._exit(0 if whole and own else 1)
        assert os.waitpid(copied, 0)[1] == 0
        assert store.put("facts", "c", b"z")
        assert store.get_many("facts", "abc") == {"a": b"x", "b": b"y", "c": b"z"}


def test_any_number_of_keys_is_found(tmp_path: Path) -> None:
    values = {f"k{number}": str(number).encode() for number in range(450)}
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        assert store.put_many("facts", values)
        for count in (0, 1, 2, 7, 8, 9, 40, 41, 199, 200, 201, 208, 400, 450):
            wanted = dict(list(values.items())[:count])
            assert store.get_many("facts", [*wanted, "absent"]) == wanted
            assert store.present("facts", [*wanted, "absent"]) == wanted.keys()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(str(tmp_path), name)) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(300)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    with opened_store(StoreOptions(folder=str(tmp_path))) as store:
        for name in ("a", "b", "c"):
            keys = [f"{name}{turn}-{number}" for turn in range(10) for number in range(20)]
            assert store.get_many("facts", keys) == dict.fromkeys(keys, name.encode() * 500)
        assert store.get("facts", "shared") == b"same"
