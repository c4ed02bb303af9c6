"""A cache with a remote store behind it: what one machine pushed, another one that has nothing reads through."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from e2e.cli_runs import Run, graphls

KEY = "a secret of the whole team"


def asked(folder: Path, cache: Path, remote: Path, *words: str, key: str = KEY) -> Run:
    return graphls(
        *words, cwd=folder, GRAPHLS_CACHE_DIR=str(cache), GRAPHLS_CACHE_KEY=key,
        GRAPHLS_CACHE_REMOTE=remote.as_uri(), GRAPHLS_CACHE_REMOTE_NAME="team/shop",
    )  # fmt: skip


def linked(run: Run) -> int:
    found = re.search(r"files? read, (\d+) linked", run.out)
    assert found is not None, run.out + run.err
    return int(found[1])


def test_a_machine_that_has_nothing_links_nothing(tmp_path: Path) -> None:
    for name in ("ci", "desk"):
        (tmp_path / name / "shop").mkdir(parents=True)
        for number in range(20):
            text = f"from m{number - 1} import f{number - 1}\n\n\n" if number else ""
            (tmp_path / name / "shop" / f"m{number}.py").write_text(f"{text}def f{number}(): ...\n")
    remote = tmp_path / "remote"
    pushed = graphls(
        "cache", "push", remote.as_uri(), "--name", "team/shop",
        cwd=tmp_path / "ci" / "shop", GRAPHLS_CACHE_DIR=str(tmp_path / "c0"), GRAPHLS_CACHE_KEY=KEY,
    )  # fmt: skip
    assert pushed.code == 0, pushed.err
    desk = tmp_path / "desk" / "shop"
    here = graphls("index", ".", cwd=desk, GRAPHLS_CACHE_DIR=str(tmp_path / "c1"))
    assert linked(here) == 20
    there = asked(desk, tmp_path / "c2", remote, "index", ".")
    assert linked(there) == 0
    (desk / "m3.py").write_text("def f3(): return 1\n")
    assert 0 < linked(asked(desk, tmp_path / "c2", remote, "index", ".")) < 20
    whole = graphls("export", cwd=desk, GRAPHLS_CACHE_DIR=str(tmp_path / "c1")).out
    assert asked(desk, tmp_path / "c2", remote, "export").out == whole

    # Whoever has no key, or finds a pack that somebody changed, reads the files.
    refused = asked(desk, tmp_path / "c3", remote, "index", ".", key="")
    assert (linked(refused), "GRAPHLS_CACHE_KEY is not set" in refused.err) == (20, True), refused.err
    (pack,) = (path for path in (remote / "packs").rglob("*") if path.is_file())
    pack.write_bytes(pack.read_bytes()[:-20])
    spoiled = asked(desk, tmp_path / "c4", remote, "index", ".")
    assert (linked(spoiled), "cut off, or changed since" in spoiled.err) == (20, True), spoiled.err
    shutil.rmtree(remote)
    assert asked(desk, tmp_path / "c5", remote, "export").out == whole
