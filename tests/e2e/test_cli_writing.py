"""What commands write: exports, baselines, the cache."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from e2e.cli_runs import SHOP, graphls
from graphls.sources.workspace import OutsideWorkspaceError, Workspace
from graphls.sources.write import write_inside


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    SHOP.write(folder)
    return folder


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_export_is_the_same_on_standard_output_and_in_a_file(shop: Path, tmp_path: Path) -> None:
    streamed = graphls("export", "--root", str(shop))
    assert (streamed.code, streamed.err) == (0, "")
    header, *rest = records(streamed.out)
    assert header["record"] == "header"
    assert header["mode"] == "checked"
    assert {record["record"] for record in rest} == {"node", "edge"}
    target = tmp_path / "graph.jsonl"
    written = graphls("export", "--root", str(shop), "--output", str(target))
    assert written.out == ""
    assert "nodes" in written.err
    assert target.read_text("utf-8") == streamed.out
    assert stat.S_IMODE(target.stat().st_mode) & stat.S_IRUSR


def test_export_says_the_same_from_the_cache_and_afresh(shop: Path) -> None:
    first = graphls("export", "--root", str(shop)).out
    assert graphls("export", "--root", str(shop)).out == first
    assert graphls("export", "--root", str(shop), "--no-cache", PYTHONHASHSEED="7").out == first


@pytest.mark.skipif(os.name == "nt", reason="no pipes with names")
def test_what_is_no_file_is_written_into_and_stays(shop: Path, tmp_path: Path) -> None:
    """As the superuser, a file put in the place of /dev/null would break the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        run = graphls("export", "--root", str(shop), "--kind", "package", "--output", str(pipe))
        assert run.code == 0
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
        assert records(os.read(reader, 65_536).decode())[0]["record"] == "header"
    finally:
        os.close(reader)
    with pytest.raises(OutsideWorkspaceError, match="no file"):
        write_inside(Workspace.of([str(tmp_path)]), "pipe", [b""])
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_refused_export_writes_nothing(shop: Path, tmp_path: Path) -> None:
    (shop / "shop" / "broken.py").write_text("def (:\n", "utf-8")
    target = tmp_path / "graph.jsonl"
    target.write_text("before", "utf-8")
    run = graphls("export", "--root", str(shop), "--output", str(target))
    assert (run.code, run.out) == (1, "")
    assert "shop/broken.py:1" in run.err
    assert "allow-errors" in run.err
    assert target.read_text("utf-8") == "before"
    assert [name for name in os.listdir(tmp_path) if "graph.jsonl" in name] == ["graph.jsonl"]
    allowed = graphls("export", "--root", str(shop), "--mode", "allow-errors")
    assert allowed.code == 0
    assert records(allowed.out)[0]["degraded"] is True


@pytest.mark.parametrize("format", ["json", "graphml", "dot", "mermaid", "compact"])
def test_other_formats(shop: Path, format: str) -> None:
    run = graphls("export", "--root", str(shop), "--format", format)
    assert run.code == 0
    assert "Order" in run.out


def test_a_page(shop: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "shop.html")
    run = graphls("export", "--root", str(shop), "--format", "html", "--output", output)
    assert (run.code, run.out) == (0, ""), run.err
    text = Path(output).read_text("utf-8")
    assert text == graphls("view", "--map", "--root", str(shop), "--output", "-").out
    whole = graphls("export", "--root", str(shop), "--format", "html", "--sites")
    assert (whole.code, whole.out) == (2, "")
    assert "A page is whole" in whole.err
    scoped = graphls(
        "export", "--root", str(shop), "--format", "html", "--scope", "package:shop", "--mode", "allow-errors"
    )
    assert (scoped.code, scoped.out) == (2, "")
    assert "folder:PATH" in scoped.err


TABLES = ("decorators", "edges", "header", "nodes", "others", "sites")


@pytest.mark.parametrize("format", ["sqlite", "duckdb", "parquet", "csv", "neo4j"])
def test_tables(shop: Path, tmp_path: Path, format: str) -> None:
    refused = graphls("export", "--root", str(shop), "--format", format)
    assert (refused.code, refused.out) == (2, "")
    assert "--output" in refused.err
    place = tmp_path / "out" / "graph"
    place.parent.mkdir()
    for _ in range(2):  # again in its own place
        run = graphls("export", "--root", str(shop), "--format", format, "--output", str(place))
        assert (run.code, run.out) == (0, ""), run.err
        assert "nodes" in run.err
    assert os.listdir(place.parent) == ["graph"]
    if format in ("sqlite", "duckdb"):
        assert place.is_file()
        return
    ending = "parquet" if format == "parquet" else "csv"
    assert sorted(os.listdir(place)) == [f"{name}.{ending}" for name in TABLES]
    (place / "mine.txt").write_text("before", "utf-8")
    refused = graphls("export", "--root", str(shop), "--format", format, "--output", str(place))
    assert refused.code == 2
    assert "mine.txt" in refused.err


def test_query(shop: Path, tmp_path: Path) -> None:
    statement = "SELECT qualified_name FROM nodes WHERE kind = 'method' AND name = :name ORDER BY 1"
    ask = ("query", "--root", str(shop), "--sql", statement, "--param", "name=price")
    found = graphls(*ask, "--format", "json")
    assert found.code == 0
    answer = json.loads(found.out)
    assert answer["columns"] == ["qualified_name"]
    assert answer["rows"] == [["Gift.price"], ["Order.price"]]
    assert answer["graph"]["snapshot"] == records(graphls("export", "--root", str(shop)).out)[0]["snapshot"]
    (shop / "shop" / "more.py").write_text("class More:\n    def price(self): return unknown_thing()\n", "utf-8")
    again = graphls(*ask)
    assert "More.price" in again.out
    assert "not complete" in again.err
    target = tmp_path / "graph.sqlite"
    assert graphls("export", "--root", str(shop), "--mode", "allow-errors", "-f", "sqlite", "-o", str(target)).code == 0
    stored = graphls("query", "--database", str(target), "--sql", statement, "--param", "name=price", "--format", "csv")
    assert stored.out.splitlines() == ["qualified_name", "Gift.price", "More.price", "Order.price"]
    assert graphls(*ask, "--no-cache").out == again.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--sql"),
        (("--sql", "SELECT 1", "--param", "name"), "NAME=VALUE"),
        (("--sql", "DELETE FROM nodes"), "Only reading"),
        (("--sql", "SELECT missing FROM nodes"), "no such column: missing"),
        (("--sql", "SELECT 1", "--database", "nowhere.sqlite"), "export --format sqlite"),
    ],
)
def test_query_refuses_with_a_sentence(shop: Path, arguments: tuple[str, ...], words: str) -> None:
    run = graphls("query", "--root", str(shop), *arguments)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert "Traceback" not in run.err


def test_export_of_a_part(shop: Path) -> None:
    part = records(graphls("export", "--root", str(shop), "--scope", "folder:tests").out)
    files = {record["file"] for record in part if record["record"] == "node" and record["kind"] == "callable"}
    assert "tests/test_orders.py" in {record.get("file") for record in part}
    assert "shop/prices.py" not in files
    assert graphls("export", "--root", str(shop), "--scope", "folder:nope").code == 2


@pytest.mark.parametrize("output", ["{tmp}/nowhere/graph.jsonl", "{tmp}"])
def test_a_file_that_cannot_be_written_is_refused(shop: Path, tmp_path: Path, output: str) -> None:
    run = graphls("export", "--root", str(shop), "--output", output.format(tmp=tmp_path))
    assert run.code == 2
    assert "Traceback" not in run.err


def test_baseline(shop: Path) -> None:
    made = graphls("findings", "--root", str(shop), "--update-baseline", "--fail-on", "P3")
    assert made.code == 0
    assert "1 finding added to the baseline" in made.out
    kept = json.loads((shop / ".graphls" / "baseline.json").read_text("utf-8"))
    assert [entry["rule"] for entry in kept["findings"]] == ["maintainability.unused_definition"]
    after = graphls("findings", "--root", str(shop), "--fail-on", "P3")
    assert after.code == 0
    assert "0 findings; 1 baselined" in after.out
    assert "(baselined)" in graphls("findings", "--root", str(shop), "--status", "all").out
    assert "1 finding" in graphls("findings", "--root", str(shop), "--update-baseline", "--baseline", "known.json").out
    assert graphls("findings", "--root", str(shop), "--baseline", "known.json", "--fail-on", "P3").code == 0
    assert graphls("findings", "--root", str(shop), "--baseline", "missing.json").code == 2


def test_findings_as_sarif_and_back(shop: Path) -> None:
    made = graphls("findings", "--root", str(shop), "--format", "sarif", "--output", str(shop / "old.sarif"))
    assert (made.code, made.out) == (0, "")
    (run,) = json.loads((shop / "old.sarif").read_text("utf-8"))["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["maintainability.unused_definition"]
    prices = shop / "shop" / "prices.py"
    prices.write_text(prices.read_text("utf-8").replace("def _never", "def never"), "utf-8")
    report = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Lint"}}, "results": [{
        "ruleId": "L1", "message": {"text": "too plain"},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": "shop/prices.py"}, "region": {"startLine": 3},
        }}],
    }]}]})  # fmt: skip
    (shop / "lint.sarif").write_text(report, "utf-8")
    (shop / "graphls.toml").write_text('[findings]\nreports = ["lint.sarif"]\n', "utf-8")
    after = graphls("findings", "--root", str(shop), "--baseline", "old.sarif")
    assert "shop.prices:total: too plain  lint/L1" in after.out
    assert "1 fixed since the baseline" in after.out
    assert "lint/L1" in graphls("show", "shop.prices:total", "--root", str(shop)).out
    (shop / "lcov.info").write_text("SF:shop/prices.py\nDA:1,1\nDA:3,0\nend_of_record\n", "utf-8")
    assert graphls("coverage", "--root", str(shop)).code == 2
    (shop / "graphls.toml").write_text('[findings]\ncoverage = ["lcov.info"]\n', "utf-8")
    said = graphls("coverage", "--root", str(shop), "--fail-under", "80")
    assert (said.code, said.out.splitlines()[0]) == (1, "50 % of 2 lines, by lcov.info")
    assert "tests ran  0 of 1 lines (0 %)  lcov.info" in graphls("show", "shop.prices:total", "--root", str(shop)).out
    refused = graphls("findings", "--root", str(shop), "--sarif", str(prices))
    assert (refused.code, "is not JSON" in refused.err) == (2, True)


def test_index_says_what_is_stored(shop: Path, tmp_path: Path) -> None:
    (shop / "big.py").write_text("x = 1\n" * 400_000, "utf-8")
    facts = graphls("index", str(shop), "--facts-only", GRAPHLS_CACHE_DIR=str(tmp_path / "cache"))
    assert facts.code == 0
    assert "ready, 0 of 4 linked" in facts.out
    assert "big.py  (" in facts.out
    whole = graphls("index", str(shop), "--format", "json", GRAPHLS_CACHE_DIR=str(tmp_path / "cache")).json
    assert (whole["complete"], whole["linked"], whole["skipped_count"]) == (True, 4, 1)
    assert whole["skipped"][0]["file"] == "big.py"
    assert whole["cache"]["bytes"] > 0
    again = graphls("status", "--root", str(shop), "--format", "json", GRAPHLS_CACHE_DIR=str(tmp_path / "cache")).json
    assert again["complete"] is True


def test_cache(shop: Path, tmp_path: Path) -> None:
    own = {"GRAPHLS_CACHE_DIR": str(tmp_path / "cache")}
    graphls("index", str(shop), **own)
    assert graphls("query", "--sql", "SELECT 1", cwd=shop, **own).code == 0
    (database,) = (tmp_path / "cache").rglob("*.sqlite")
    database.write_bytes(b"SQLite format 3\0 and then nothing of it")
    assert graphls("query", "--sql", "SELECT 1", cwd=shop, **own).code == 0  # broken is as if it were not there
    info = graphls("cache", "info", "--format", "json", cwd=shop, **own).json
    assert info["entries"] > 0
    assert info["folder"].startswith(str(tmp_path / "cache"))
    cleared = graphls("cache", "clear", "--format", "json", cwd=shop, **own).json
    assert (cleared["entries"], cleared["cleared"]) == (0, info["entries"])
    assert not database.exists()
    assert graphls("cache", "info", "--no-cache", cwd=shop, **own).code == 2


def test_a_cache_that_cannot_be_used_costs_time_only(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    run = graphls("find", "total", "--root", str(shop), GRAPHLS_CACHE_DIR=str(tmp_path / "file"))
    assert run.code == 0
    assert "shop.prices:total" in run.out


@pytest.mark.skipif(sys.platform == "win32", reason="file names there cannot hold control characters")
def test_names_cannot_steer_the_terminal(shop: Path) -> None:
    (shop / "shop" / "evil\x1b[31m.py").write_text("def evil_\u202ename(): pass\ndef evil(): pass\n", "utf-8")
    for command in (("find", "evil"), ("show", "evil"), ("summary", "shop"), ("status",)):
        run = graphls(*command, "--root", str(shop), FORCE_COLOR="")
        assert "\x1b" not in run.out + run.err
        assert "\u202e" not in run.out + run.err


@pytest.mark.parametrize(
    "words",
    [("export",), ("export", "--format", "csv"), ("findings", "--format", "sarif"), ("review",), ("view", "--map")],
)
def test_a_place_that_takes_nothing_is_refused_before_the_work(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A workspace that cannot be opened would be refused in other words."""
    gone = tmp_path / "gone"
    run = graphls(*words, "--root", str(gone), "--output", str(gone / "made"))
    assert run.code == 2
    assert "there is no folder" in run.err
