"""Organisation: repositories read into a store by tasks, joined, and asked; the same on a Dask cluster."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from graphls.org.engines import EngineError, LocalEngine
from graphls.org.index import OrgReport, index_organisation
from graphls.org.objects import OrgStore
from graphls.org.query import NEEDED, OrgAnswer, OrgQueryRefused, opened_tables
from graphls.org.sources import SourceRefused, files_of, repositories
from graphls.store.remote_packs import RemoteError

ORGANISATION = fixture(
    """
    --- path: base/pyproject.toml ---
    [project]
    name = "base-tools"
    version = "2.1"
    --- path: base/basetools/__init__.py ---
    from basetools.core import Tool, make as create
    from basetools.core import *
    --- path: base/basetools/core.py ---
    class Root:
        def close(self): ...


    class Tool(Root):
        def run(self): ...


    def make() -> Tool:
        return Tool()
    --- path: between/pyproject.toml ---
    [project]
    name = "between"
    version = "1.0"
    dependencies = ["base_tools>=2"]
    --- path: between/between.py ---
    from basetools import create
    --- path: user/pyproject.toml ---
    [project]
    name = "user"
    dependencies = ["Base.Tools==2.*", "between"]
    --- path: user/user/__init__.py ---
    import basetools
    from basetools import Tool, create
    from between import create as other


    def one():
        return create()


    def two(tool: Tool):
        tool.close()
        return basetools.gone()


    def three():
        return other()
    --- path: web/package.json ---
    {"name": "web", "version": "0.1.0", "dependencies": {"tiny": "^3"}}
    --- path: web/index.js ---
    import { shrink } from 'tiny';
    export const small = () => shrink(1);
    --- path: tiny/package.json ---
    {"name": "tiny", "version": "3.0.0"}
    --- path: tiny/index.js ---
    export function shrink(x) { return x; }
    """
)
STARS = """
--- path: base/pyproject.toml ---
[project]
name = "starry"
--- path: base/starry/__init__.py ---
from .first import *
from .second import *
--- path: base/starry/first.py ---
__all__ = ["Listed", "same"]
class Listed:
    def go(self): ...
class Left: ...
def same(): ...
--- path: base/starry/second.py ---
from ._deep import *
def same(): ...
def _hidden(): ...
try:
    from ._made import fast
except ImportError:
    def fast(): ...
--- path: base/starry/_deep.py ---
def deeper(): ...
--- path: base/starry/_made.py ---
def fast(): ...
--- path: user/user.py ---
import starry
def use():
    pass
    starry.Listed
    starry.Listed.go
    starry.deeper
    starry.same
    starry.fast()
    starry.Left
    starry._hidden
def often():
    from starry import deeper as far
    far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far(), far()
    far(), far(), far(), far(), far(), far(), far(), far()
"""
CLUSTER = """
import os, signal, sys
from distributed import Client, LocalCluster
from graphls.org.engines import DaskEngine
from graphls.org.index import index_organisation
from graphls.org.objects import OrgStore
from graphls.org.sources import repositories

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        # Not the default of this process: on the command line there is none.
        with Client(cluster, set_as_default=False) as client:
            left = ["extract"]

            def progress(phase, done, total):
                if phase in left and done:
                    left.remove(phase)
                    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

            engine = DaskEngine(cluster.scheduler_address)
            report = index_organisation(repositories(sys.argv[2:]), engine, OrgStore(sys.argv[1], False), progress)
            engine.close()
            print(report.indexed, report.joined, len(report.left_out), left)
"""
NO_WORKERS = """
import sys
from distributed import LocalCluster
from graphls.org.engines import DaskEngine, EngineError
from graphls.org.index import index_organisation
from graphls.org.objects import OrgStore
from graphls.org.sources import repositories

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        def progress(phase, done, total):
            if phase == "link" and done == 2:
                cluster.scale(0)

        engine = DaskEngine(cluster.scheduler_address, patience=2)
        try:
            index_organisation(repositories(sys.argv[2:]), engine, OrgStore(sys.argv[1], False), progress)
        except EngineError as error:
            print("has had no worker for 2 s. What is done is kept" in str(error))
        engine.close()
"""


def run_script(script: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = [str(Path(__file__).parents[2] / "server"), *filter(None, sys.path)]
    return subprocess.run(
        [sys.executable, str(script), *words],
        env={"PYTHONPATH": ":".join(path), "PATH": "/usr/bin:/bin", "HOME": str(script.parent)},
        capture_output=True, text=True, timeout=840, check=False,
    )  # fmt: skip


def sources(folder: Path) -> list[str]:
    for path, text in ORGANISATION.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
    return [str(folder / name) for name in ("base", "between", "user", "web", "tiny")]


def store(folder: Path) -> OrgStore:
    folder.mkdir(exist_ok=True)
    return OrgStore(folder.resolve().as_uri(), signed=False)


def indexed(places: list[str], into: OrgStore) -> OrgReport:
    return index_organisation(repositories(places), LocalEngine(), into)


def tables(folder: Path) -> Mapping[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "records").rglob("*.parquet"))
    }


@attrs.frozen
class Org:
    places: list[str]
    folder: Path
    store: OrgStore
    report: OrgReport


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Org:
    folder = tmp_path_factory.mktemp("org")
    places = sources(folder / "code")
    place = store(folder / "store")
    return Org(places, folder / "store", place, indexed(places, place))


def users(org: Org, name: str) -> list[tuple[object, ...]]:
    with opened_tables(org.store, NEEDED["users"]) as asked:
        found = asked.users(name, 100)
    return [
        tuple(dict(zip(found.columns, row, strict=True))[key] for key in ("repository", "source", "line"))
        for row in found.rows
    ]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("basetools.create", {("user", "user:one", 7), ("user", "user:three", 16)}),
        ("basetools.core.make", {("user", "user:one", 7), ("user", "user:three", 16)}),
        ("between.create", {("user", "user:one", 7), ("user", "user:three", 16)}),
        ("basetools.Tool", {("user", "user:two", 10)}),
        ("basetools.Tool.close", {("user", "user:two", 11)}),
        ("basetools.core.Root.close", {("user", "user:two", 11)}),
        ("shrink", {("web", "index.js:small", 2)}),
    ],
)
def test_users_are_found_under_every_public_name(org: Org, name: str, wanted: set[tuple[object, ...]]) -> None:
    # Import lines bind the name: they are the module's own use.
    assert {row for row in users(org, name) if ":" in str(row[1]) and not str(row[1]).endswith(":user")} >= wanted
    assert {row for row in users(org, name) if row[0] == wanted and row not in wanted} == set()


def test_a_name_that_its_package_does_not_offer_leads_to_no_symbol(org: Org) -> None:
    with opened_tables(org.store) as asked:
        rows = asked.sql("SELECT name, level, provider FROM crossings WHERE name = 'basetools.gone'", {}, 10, 120).rows
        assert rows == (("basetools.gone", "module", "base"),)
        assert asked.users("basetools.gone", 10).offered == ()
        assert [row[0] for row in asked.users("basetools.gone", 10).rows] == ["user"]
        with pytest.raises(OrgQueryRefused, match="No repository offers"):
            asked.removal("basetools.gone", 3, 10)


def test_names_of_stars_and_of_conditions_are_offered(tmp_path: Path) -> None:
    written = fixture(STARS)
    for path, text in written.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text)
    places = [str(tmp_path / name) for name in ("base", "user")]
    into = store(tmp_path / "store")
    indexed(places, into)
    with opened_tables(into, NEEDED["users"]) as tables:
        answers = {name: tables.users(name, 100) for name in (
            "starry.Listed", "starry.Listed.go", "starry.deeper", "starry.same", "starry.fast", "starry.Left",
            "starry._hidden",
        )}  # fmt: skip
    lines = {
        name.partition(".")[2]: sorted({int(str(row[2])) for row in one.rows})
        for name, one in answers.items()
        if one.offered
    }
    # The later of two stars counts; a name in two arms is no two uses.
    assert lines == {"Listed": [4, 5], "Listed.go": [5], "deeper": [6, 12, 13, 14], "same": [7], "fast": [8]}
    assert answers["starry.same"].offered == ("base starry.second:same",)
    assert {name: one.unlisted for name, one in answers.items() if one.unlisted} == {"starry.deeper": 4}


def test_versions_and_removals(org: Org) -> None:
    with opened_tables(org.store, NEEDED["versions"]) as asked:
        versions = asked.versions("base_tools", 10)
        assert (versions.rows, versions.offered) == ((("between", ">=2"), ("user", "==2.*")), ("base 2.1",))
    with opened_tables(org.store, NEEDED["removal"]) as asked:
        found = asked.removal("basetools.core.Root", 3, 100)
        symbols = {(row[0], row[4]) for row in found.rows}
    assert {("base", "basetools.core:Tool"), ("base", "basetools.core:make"), ("user", "user:two")} <= symbols


@pytest.mark.parametrize(
    "statement",
    ["COPY (SELECT 1) TO 'x.csv'", "SELECT * FROM read_csv('/etc/hostname')", "DROP VIEW nodes", "SELECT 1; SELECT 2"],
)
def test_sql_reads_the_tables_and_nothing_else(org: Org, statement: str) -> None:
    with pytest.raises(OrgQueryRefused), opened_tables(org.store) as asked:
        asked.sql(statement, {}, 10, 120)


def test_a_second_run_does_what_changed_and_joins_who_rests_on_it(org: Org, tmp_path: Path) -> None:
    places = sources(tmp_path / "code")
    place = store(tmp_path / "store")
    assert (indexed(places, place).indexed, tables(tmp_path / "store") == tables(org.folder)) == (5, True)
    again = indexed(places, place)
    assert (again.indexed, again.unchanged, again.joined) == (0, 5, 0)
    (tmp_path / "code/between/between.py").write_text("from basetools import create\nx = 1\n")
    changed = indexed(places, place)
    assert (changed.indexed, changed.unchanged, changed.joined) == (1, 4, 2)


def test_what_cannot_be_read_is_named_and_the_others_stay(org: Org, tmp_path: Path) -> None:
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b not an archive")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/a.py").write_bytes(b"x = '\xff'\n")
    (tmp_path / "odd/b.py").write_bytes(b"y = 1\n")
    report = indexed([str(tmp_path / "broken.tar.gz"), str(tmp_path / "odd")], store(tmp_path / "store"))
    assert list(report.left_out) == ["broken"]
    assert "cannot be unpacked" in report.left_out["broken"]
    assert [row.partition(":")[0] for row in report.problems["odd"]] == ["a.py"]
    with opened_tables(store(tmp_path / "store")) as asked:
        answer: OrgAnswer = asked.sql("SELECT DISTINCT file FROM nodes WHERE file LIKE 'b%'", {}, 10, 120)
    assert (answer.rows, answer.left_out, answer.repositories) == ((("b.py",),), 1, 1)


def test_an_archive_leads_nowhere_out_of_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "pkg-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("pkg-1.0/a.py", "pkg-1.0/../../out.py", "/abs.py"):
            member = tarfile.TarInfo(name)
            member.size = 2
            archive.addfile(member, io.BytesIO(b"x\n"))
        link = tarfile.TarInfo("pkg-1.0/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    with files_of(str(path)) as folder:
        assert [str(found.relative_to(folder)) for found in Path(folder).rglob("*")] == ["a.py"]
        assert not (Path(folder).parent.parent / "out.py").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "There is no source"),
        (["/nowhere/at/all"], "does not exist"),
        (["a b=/"], "does not exist"),
        ([__file__], "is no archive"),
        (["@/nowhere"], "cannot be read as a list"),
    ],
)
def test_sources_that_are_none_say_what_to_do(words: list[str], said: str) -> None:
    with pytest.raises(SourceRefused, match=said):
        repositories(words)


def test_packs_are_signed_unless_the_user_says_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHLS_CACHE_KEY", raising=False)
    with pytest.raises(RemoteError, match="GRAPHLS_CACHE_KEY is not set"):
        OrgStore(tmp_path.as_uri(), signed=True).check()


def test_a_cluster_that_loses_a_worker_leaves_the_same_bytes(org: Org, tmp_path: Path) -> None:
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    place = store(tmp_path / "store")
    done = run_script(script, place.url, *org.places)
    assert done.stdout.splitlines()[-1:] == ["5 5 0 []"], done.stderr
    assert tables(tmp_path / "store") == tables(org.folder)
    assert json.loads((tmp_path / "store/catalogue.json").read_text())["repositories"].keys() == {
        "base", "between", "tiny", "user", "web",
    }  # fmt: skip


def test_a_cluster_without_workers_is_said_and_loses_nothing(org: Org, tmp_path: Path) -> None:
    script = tmp_path / "cluster.py"
    script.write_text(NO_WORKERS)
    place = store(tmp_path / "store")
    done = run_script(script, place.url, *org.places)
    assert done.stdout.splitlines() == ["True"], done.stdout + done.stderr
    assert indexed(org.places, place).indexed == 5
    assert tables(tmp_path / "store") == tables(org.folder)


def test_a_scheduler_that_is_not_there_is_said() -> None:
    from graphls.org.engines import DaskEngine

    with pytest.raises(EngineError, match="no scheduler answers"):
        DaskEngine("nonsense://nowhere")
