"""Faults on disk: code without end (35), a damaged cache (39), files that go while they are read (41).

Owns: what the command line and a server say of them.
Must not know: anything inside the server.
Invariant: no traceback, no answer lost: what is damaged is made again, what cannot be read is named.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from e2e.cli_runs import graphls
from e2e.test_survival import fresh_id, serving, sources, write
from fuzz.wire import ask, say_goodbye, snapshot_id

ABSURD = {
    "a.py": f"x = {'(' * 100_000}{')' * 100_000}\n",
    "b.py": f"x = {' + '.join(['y'] * 20_000)}\n",
    "c.ts": f"const x = {'[' * 50_000}{']' * 50_000}\n",
    "d.ts": f"const x = {' + '.join(['y'] * 20_000)}\n",
    "e.go": f"package p\n\nvar x = {'(' * 50_000}1{')' * 50_000}\n",
    "F.java": f"class F {{ int x = {' + '.join(['1'] * 20_000)}; }}\n",
    "g.c": f"int x = {'(' * 50_000}1{')' * 50_000};\n",
    "plain.py": "def plain(): ...\n\n\nplain()\n",
}


def test_code_without_end_leaves_other_files_as_they_are(tmp_path: Path) -> None:
    root = tmp_path / "w"
    write(root, ABSURD)
    run = graphls("index", "--format", "json", cwd=root, GRAPHLS_CACHE_DIR=str(tmp_path / "cache"))
    assert run.code == 0, run.err
    assert "Traceback" not in run.err
    assert [left["file"] for left in run.json["skipped"]] == ["a.py"]
    assert (run.json["linked"], run.json["unlinked"]) == (len(ABSURD) - 1, [])
    with serving(root, tmp_path / "other") as client:
        snapshot_id(client)
        found = ask(client, "workspace/symbol", {"query": "plain"})["result"]
        say_goodbye(client)
    assert [symbol["name"] for symbol in found] == ["plain"]


def _databases(cache: Path) -> list[Path]:
    return [path for path in sorted(cache.rglob("*")) if path.is_file() and path.read_bytes()[:6] == b"SQLite"]


def _half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (filename TEXT)")
        other.execute("INSERT INTO notes VALUES ('../../../../etc/passwd')")
        other.execute("PRAGMA user_version = 99999")
    other.close()


def _pickle(path: Path) -> None:
    path.write_bytes(b"cos\nsystem\n(S'touch planted'\ntR.")


def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", tmp_path / "cache"
    write(root, sources(12))
    words = ("export", "--mode", "allow-errors")
    expected = graphls(*words, cwd=root, GRAPHLS_CACHE_DIR=str(cache))
    for damage in (_half, _foreign, _pickle):
        sound = _databases(cache)
        assert sound
        for path in sound:
            damage(path)
        again = graphls(*words, cwd=root, GRAPHLS_CACHE_DIR=str(cache))
        assert (again.code, again.out) == (0, expected.out), (damage, again.err)
        assert "Traceback" not in again.err
        for path in _databases(cache):
            damage(path)
        with serving(root, cache) as client:
            found = snapshot_id(client)
            say_goodbye(client)
        assert f'"{found}"' in expected.out.splitlines()[0], damage
    assert not list(tmp_path.rglob("planted"))


def test_files_that_go_in_the_midst_of_reading_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "w"
    write(root, sources(200))
    with serving(root, tmp_path / "cache") as client:
        for number in range(0, 200, 4):
            (root / f"pkg/m{number}.py").unlink()
            (root / f"pkg/m{number + 1}.py").rename(root / f"pkg/n{number}.py")
        (root / "pkg/m2.py").unlink()
        (root / "pkg/m2.py").mkdir()
        shutil.move(root / "pkg", root / "gkp")
        ask(client, "graph/status", {"freshness": "require-fresh"})
        found = snapshot_id(client)
        status = ask(client, "graph/status", {})["result"]
        say_goodbye(client)
    assert status["session"]["problems"] == []
    assert found == fresh_id(root, tmp_path / "other")
