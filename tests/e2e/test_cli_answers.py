"""What each command answers about a small workspace, as text and as JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import SHOP, TIMEOUT, Run, graphls, start

ENVELOPE = {"snapshot", "revision", "fresh", "complete", "unresolved_sites", "truncated", "omitted", "next"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    SHOP.write(folder)
    return folder


def ask(shop: Path, *arguments: str) -> Any:
    """The JSON answer, with its envelope checked."""
    run = graphls(*arguments, "--root", str(shop), "--format", "json")
    assert run.err == ""
    answer = run.json
    assert answer.keys() >= ENVELOPE
    assert answer["snapshot"].startswith("s:")
    assert answer["next"].keys() == {"kind", "request", "symbol", "candidates", "reason"}
    assert answer["next"]["reason"]
    return answer


def text(shop: Path, *arguments: str) -> Run:
    run = graphls(*arguments, "--root", str(shop))
    assert run.err == ""
    assert "\x1b" not in run.out
    return run


def test_find(shop: Path) -> None:
    run = text(shop, "find", "price", "--kind", "method")
    assert run.code == 0
    assert run.symbols[:4] == [
        "shop.orders:Order.price", "shop/orders.py:10", "shop.orders:Gift.price", "shop/orders.py:15",
    ]  # fmt: skip
    found = ask(shop, "find", "total", "--match", "exact")
    assert found["total"] == 1
    assert {key: found["matches"][0][key] for key in ("symbol", "kind", "file", "line", "column", "end_line")} == {
        "symbol": "shop.prices:total", "kind": "callable", "file": "shop/prices.py", "line": 1, "column": 5,
        "end_line": 3,
    }  # fmt: skip


def test_a_question_ends_in_its_time_and_says_so(shop: Path) -> None:
    run = text(shop, "trace", "shop.orders:Order.price", "shop.prices:total", "--within", "0.0001")
    assert run.code == 1
    assert "No path found so far" in run.out
    assert "--within 0 goes on to the end" in run.out
    assert "No path within" not in run.out
    cut = ask(shop, "impact", "shop.prices:total", "--within", "0.0001")
    assert "time_limit" in {cause["cause"] for cause in cut["causes"]}
    whole = ask(shop, "impact", "shop.prices:total", "--within", "0")
    assert "time_limit" not in {cause["cause"] for cause in whole["causes"]}
    assert whole == ask(shop, "impact", "shop.prices:total")


def test_what_decisions_say_of_a_change_is_left_out_where_the_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "docs/adr").mkdir(parents=True)
    (tmp_path / "lib.py").write_text("def run(): ...\n")
    (tmp_path / "docs/adr/1.md").write_text("# One way\n\n## Status\n\nAccepted\n\nSee [it](../../lib.py).\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "one")):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    (tmp_path / "lib.py").write_text("def run(more): ...\n")
    cut = ask(tmp_path, "changed", "--within", "0.0001")
    assert "time_limit" in {cause["cause"] for cause in cut["causes"]}
    assert [one["file"] for one in cut["files"]] == ["lib.py"]
    whole = ask(tmp_path, "changed", "--within", "0")
    assert [one["title"] for one in whole["notes"]["decisions"]] == ["One way"]


def test_a_text_lists_some_tests_and_says_how_many_there_are(tmp_path: Path) -> None:
    tests = "".join(f"def test_{number}():\n    run()\n\n\n" for number in range(80))
    (tmp_path / "lib.py").write_text("def run(): ...\n")
    (tmp_path / "test_lib.py").write_text(f"from lib import run\n\n\n{tests}")
    run = text(tmp_path, "tests", "lib:run")
    assert run.out.startswith("80 tests may run 1 symbol")
    assert run.out.count("test_lib.py::") == 60
    assert "and 20 more tests: --ids lists all of them" in run.out
    assert text(tmp_path, "tests", "lib:run", "--ids").out.count("test_lib.py::") == 80
    assert text(tmp_path, "tests", "lib:run", "--limit", "0").out.count("test_lib.py::") == 80
    assert len(ask(tmp_path, "tests", "lib:run")["tests"]) == 80


def test_find_is_capped_and_says_so(shop: Path) -> None:
    found = ask(shop, "find", "price", "--limit", "1")
    assert len(found["matches"]) == 1
    assert found["truncated"] is True
    assert found["omitted"] == found["total"] - 1 > 0
    assert "more not shown" in text(shop, "find", "price", "-n", "1").out


def test_nothing_found_is_a_negative_answer(shop: Path) -> None:
    run = text(shop, "find", "zzzzzz")
    assert run.code == 1
    assert "Nothing is called like 'zzzzzz'" in run.out
    assert ask(shop, "find", "zzzzzz")["next"]["kind"] == "outside"


@pytest.mark.parametrize(
    "symbol",
    [
        "shop.prices:total", "shop.prices.total", "shop/prices.py:total", "total", "shop/prices.py:1",
        "shop/prices.py:1:5", "shop/prices.py:3", "./shop/prices.py:1", "shop/orders.py:11:30", "shop/orders.py:1:25",
    ],
)  # fmt: skip
def test_a_symbol_is_spelled_in_many_ways(shop: Path, symbol: str) -> None:
    assert ask(shop, "show", symbol)["node"]["symbol"] == "shop.prices:total"


def test_columns_are_characters(shop: Path) -> None:
    """The line has three letters of two bytes before the call."""
    shown = ask(shop, "show", "total")
    assert ask(shop, "show", shown["node"]["id"]) == shown
    calls = next(group for group in shown["links"] if group["kind"] == "calls" and group["incoming"])
    assert calls["links"][0]["source"] == "shop.orders:Order.price"
    assert calls["links"][0]["sites"] == [{"file": "shop/orders.py", "line": 11, "column": 29}]


def test_show(shop: Path) -> None:
    out = text(shop, "show", "shop.orders:Order").out
    assert out.startswith("class shop.orders:Order\n")
    assert "What somebody wants." in out
    assert "holds 3" in out
    assert "<- extends 1" in out
    assert "~  shop.orders:Gift" in out


def test_neighbors(shop: Path) -> None:
    near = ask(shop, "neighbors", "total", "--direction", "in", "--depth", "2", "--edge-kind", "calls")
    assert near["root"]["symbol"] == "shop.prices:total"
    assert [node["depth"] for node in near["nodes"]] == [1, 2]
    assert [node["node"]["name"] for node in near["nodes"]] == ["price", "test_price"]
    out = text(shop, "neighbors", "total", "--direction", "in").out
    assert "1 step away" in out
    assert "<- calls" in out
    compact = text(shop, "neighbors", "total", "--direction", "in", "--format", "compact").out
    assert compact.startswith("graphls/compact 1")
    assert "@ shop/prices.py" in compact
    assert (
        compact.split("\n")[0].endswith("  complete")
        == ask(shop, "neighbors", "total", "--direction", "in")["complete"]
    )


def test_trace(shop: Path) -> None:
    ways = ask(shop, "trace", "Order.price", "total")
    assert [node["symbol"] for node in ways["paths"][0]["nodes"]] == ["shop.orders:Order.price", "shop.prices:total"]
    assert "-> calls  shop.prices:total" in text(shop, "trace", "Order.price", "total").out


def test_no_path_is_a_negative_answer(shop: Path) -> None:
    run = text(shop, "trace", "total", "Order.price")
    assert run.code == 1
    assert "No path: everything that can be reached was visited" in run.out


def test_impact(shop: Path) -> None:
    effects = ask(shop, "impact", "total")
    reached = {one["node"]["symbol"]: one for one in effects["affected"]}
    assert reached["shop.orders:Order.price"]["depth"] == 1
    assert [one["test"] for name, one in reached.items() if name.endswith("test_price")] == [True]
    walked = {(edge["kind"], edge["source"], edge["target"]) for edge in effects["edges"]}
    assert ("calls", "shop.orders:Order.price", "shop.prices:total") in walked
    assert effects["edges_omitted"] == 0
    without = ask(shop, "impact", "total", "--no-tests")
    assert not any(one["test"] for one in without["affected"])
    assert "may affect" in text(shop, "impact", "total").out
    assert "depends on" in text(shop, "impact", "Order.price", "--downstream").out


def test_summary(shop: Path) -> None:
    found = ask(shop, "summary")
    assert (found["files"], found["test_files"]) == (4, 1)
    assert "shop:Order" in found["public_api"]
    assert ask(shop, "summary", "shop")["files"] == 3
    assert "4 source files (4 python), 1 of them tests" in text(shop, "summary").out


def test_status(shop: Path) -> None:
    status = graphls("status", "--root", str(shop), "--format", "json").json
    assert (status["files"], status["indexed"], status["fresh"]) == (6, 4, True)
    assert status["languages"] == {"python": 4}
    assert status["packages"] == ["shop"]
    assert status["skipped"] == []
    assert "6: 4 python, 2 other" in text(shop, "status").out


def test_pack(shop: Path) -> None:
    pack = ask(shop, "pack", "--task", "the price of an order is wrong", "--budget", "300")
    assert pack["used"] <= pack["budget"] == 300
    item = pack["items"][0]
    assert item.keys() >= {"file", "start_line", "end_line", "text", "name", "node", "score", "reason"}
    lines = (shop / item["file"]).read_text("utf-8").splitlines()
    assert item["text"].splitlines()[0] == lines[item["start_line"] - 1]
    assert graphls("pack", "--root", str(shop), "--task", "order price", "-f", "compact").out.startswith(
        "graphls/compact 1"
    )
    assert "```python" in graphls("pack", "--root", str(shop), "-", stdin="order price").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("pack",), "Say what the pack is for"),
        (("pack", "--task", "x", "--file", "nope.py"), "is not a file of the graph"),
        (("pack", "--task", "x", "--weight", "graph"), "Write NAME=NUMBER"),
        (("pack", "x", "--task", "y"), "Give it once"),
        (("explain", "total"), "Give two symbols"),
        (("find", "x", "--kind", "thing"), "There is no kind 'thing'"),
        (("neighbors", "total", "--edge-kind", "eats"), "no kind 'eats'"),
        (("neighbors", "total", "--node-kind", "eats"), "no kind 'eats'"),
        (("trace", "total", "--edge-kind", "eats"), "no kind 'eats'"),
        (("impact", "total", "--edge-kind", "contains"), "no kind 'contains'"),
        (("findings", "--rule", "nope"), "There is no rule 'nope'"),
        (("findings", "nowhere"), "names no file or folder"),
        (("summary", "nowhere"), "names no file, folder, package or module"),
        (("show", "shop/prices.py:99"), "has 8 lines"),
        (("show", "shop/prices.py:2:1"), "No name stands at"),
        (("show", "notes.md:1"), "Nothing is declared or named at notes.md:1"),
        (("trace", "notes.md:1"), "is in no language"),
        (("show", "/etc/passwd:1"), "is outside the workspace"),
        (("show", "../other.py:1"), "is outside the workspace"),
        (("pack", "--task", "x", "--file", "../other.py"), "is outside the workspace"),
        (("findings", "--baseline", "/elsewhere/x.json"), "is outside the workspace"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_words(shop: Path, arguments: tuple[str, ...], says: str) -> None:
    run = graphls(*arguments, "--root", str(shop))
    assert run.code == 2
    assert run.out == ""
    assert says in run.err
    assert "Traceback" not in run.err


def test_ambiguous_and_unknown_names_come_with_candidates(shop: Path) -> None:
    ambiguous = graphls("show", "price", "--root", str(shop))
    assert ambiguous.code == 2
    assert ambiguous.err.split()[-2:] == ["shop.orders:Order.price", "shop.orders:Gift.price"]
    unknown = graphls("show", "totl", "--root", str(shop), "--format", "json")
    assert unknown.code == 1
    assert unknown.json["error"]["code"] == "graphls.unknownSymbol"
    assert unknown.err == ""


def test_explain(shop: Path) -> None:
    ties = ask(shop, "explain", "Order.price", "total")
    assert (ties["edges"][0]["kind"], ties["edges"][0]["resolution"]) == ("calls", "import")
    assert "calls shop.prices:total" in text(shop, "explain", "Order.price", "total").out
    assert "shares" in text(shop, "explain", "--task", "order price").out
    told = ask(shop, "explain", "--task", "order price")["explanation"]
    assert told["words"] == ["order", "price"]


def test_findings(shop: Path) -> None:
    report = ask(shop, "findings")
    assert [(found["rule"], found["evidence"][0]["file"]) for found in report["findings"]] == [
        ("maintainability.unused_definition", "shop/prices.py")
    ]
    assert report["findings"][0]["evidence"][0]["line"] == 6
    out = text(shop, "findings").out
    assert "_never" in out
    assert graphls("findings", "--root", str(shop), "--fail-on", "P3").code == 1
    assert graphls("findings", "--root", str(shop), "--fail-on", "P2").code == 0
    assert graphls("findings", "shop/orders.py", "--root", str(shop), "--fail-on", "P3").code == 0


def test_doctor(shop: Path) -> None:
    verdict = json.loads(graphls("doctor", "--root", str(shop), "--format", "json").out)
    states = {check["name"]: check["state"] for check in verdict["checks"]}
    assert list(states) == [
        "python", "modules", "grammars", "workers", "cache", "settings", "sources", "git", "environment", "checker",
        "watching",
    ]  # fmt: skip
    assert [states[name] for name in ("python", "grammars", "workers", "settings")] == ["ok"] * 4
    assert "python" in text(shop, "doctor").out


def test_doctor_names_the_languages(shop: Path) -> None:
    found = json.loads(graphls("doctor", "--languages", "--root", str(shop), "--format", "json").out)["languages"]
    assert [one["coverage"]["name"] for one in found] == ["python"]
    counts = found[0]["coverage"]
    assert counts["files"] > 1
    assert counts["tier"] == "inferred"
    assert 0 < counts["outside"] < counts["uses"]
    said = text(shop, "doctor", "--languages").out
    assert f"{counts['uses']:,} uses: {counts['outside']:,} lead outside" in said


def test_schema_needs_no_workspace(tmp_path: Path) -> None:
    run = graphls("schema", cwd=tmp_path)
    assert run.json["$schema"].startswith("https://json-schema.org/")


def test_a_patch_is_compared_with_what_is_there(shop: Path) -> None:
    (shop / "new.patch").write_text("--- /dev/null\n+++ b/shop/more.py\n@@ -0,0 +1 @@\n+def total(prices): ...\n")
    try:
        patch = str(shop / "new.patch")
        changed = ask(shop, "changed", "--patch", patch)
        (row,) = changed["similar"]
        assert (row["match"]["symbol"], row["same_name"]) == ("shop.prices:total", True)
        assert ask(shop, "similar", "--patch", patch)["similar"] == changed["similar"]
        assert "like what is there" in text(shop, "changed", "--patch", patch).out
        assert "same name" in text(shop, "similar", "--patch", patch).out
        assert graphls("changed", "--patch", patch, "--staged", "--root", str(shop)).code == 2
        assert graphls("similar", "--root", str(shop)).code == 2
        assert graphls("similar", "--patch", str(shop / "none.patch"), "--root", str(shop)).code == 2
        nothing = graphls("similar", "shop.prices:total", "--root", str(shop))
        assert (nothing.code, nothing.out.split("\n")[0]) == (1, "Nothing is like it.")
    finally:
        (shop / "new.patch").unlink()


def test_a_listing_passes_byte_for_byte_with_its_anatomy_behind_it(shop: Path, tmp_path: Path) -> None:
    listing = tmp_path / "listing"
    listing.write_bytes(b"pr\xffces.py\n\norders.py")

    def enriched(command: str, *more: str) -> tuple[bytes, str]:
        process = start("enrich-listing", "--command", command, "--listing-file", str(listing), *more, cwd=shop)
        out, err = process.communicate(timeout=TIMEOUT)
        assert (process.returncode, err) == (0, b"")
        assert out.startswith(listing.read_bytes())
        return out, out.removeprefix(listing.read_bytes()).decode()

    _, added = enriched("ls shop")
    head, *files = added.splitlines()[1:]
    assert head == "graphls: shop: files with lines, tokens (estimated), first symbols"
    assert [line.split()[0] for line in files] == ["shop/__init__.py", "shop/orders.py", "shop/prices.py"]
    assert ": class Order:4, class Gift:1" in files[1]
    assert files[1].endswith(", 1 more")
    assert "shop/prices.py" in enriched("tree")[1]
    assert "shop/ 3 files" in enriched("tree -L 1")[1]
    assert enriched("ls", "--cwd", "shop", "--symbols", "0")[1].splitlines()[2].startswith("shop/__init__.py")
    for command in ("ls *.py", "ls nowhere", "ls /", "make", "ls notes.md"):
        assert enriched(command)[1] == ""
    assert enriched("ls shop", "--root", "nowhere")[1] == ""


def test_health_takes_a_report_of_coverage_for_once(shop: Path, tmp_path: Path) -> None:
    report = tmp_path / "lcov.info"
    report.write_text("SF:shop/prices.py\nDA:1,1\nDA:3,0\nend_of_record\n")
    absent = ask(shop, "health")["absent"]
    assert "coverage" in absent
    assert "coverage" not in ask(shop, "health", "--report", str(report))["absent"]
    rows = ask(shop, "health", "--trend", "20")["trend"]
    assert len(ask(shop, "health", "--report", str(report), "--trend", "20")["trend"]) == len(rows)
    refused = graphls("health", "--report", str(tmp_path / "none"), "--root", str(shop))
    assert (refused.code, refused.out) == (2, "")


TANGLED = {
    "shop/__init__.py": "from shop.core import start\n",
    "shop/core/__init__.py": "from shop.core.run import start\n",
    "shop/core/run.py": "from shop.data.rows import Row\n\n\nstart = 1\n",
    "shop/data/__init__.py": "",
    "shop/data/rows.py": "from shop.web import page\n\n\ndef late():\n    from shop.core import run\n\n\nRow = 1\n",
    "shop/web/__init__.py": "",
    "shop/web/page.py": "import shop.data.rows\n",
    "tests/test_run.py": "from shop.core.run import start\n",
}


def test_the_text_of_a_map_explains_itself(tmp_path: Path) -> None:
    for path, code in TANGLED.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code)
    lists = text(tmp_path, "map").out.splitlines()
    assert lists[3].split() == ["modules", "imports", "imported", "by", "inside"]
    assert "shop/__init__.py" in {line.split()[0] for line in lists if line.strip()}
    assert "  (tests): tests that stand beside no package" in lists
    assert [line.split() for line in lists if line.endswith("all later")] == [
        ["1", "shop/data/rows", "->", "shop/core/run", "all", "later"]
    ]
    assert "  2 import each other: shop/data/rows, shop/web/page" in lists
    assert lists[lists.index("  closed by 1 link:") + 1].split()[2] == "->"
    matrix = text(tmp_path, "map", "--matrix").out.splitlines()
    head = matrix.index("rows import columns") + 1
    rows = {line.split()[1]: line for line in matrix[head + 1 : head + 1 + len(matrix[head].split())]}
    assert [row.index(" .") for row in rows.values()] == [
        matrix[head].index(f" {number}") for number in range(1, len(rows) + 1)
    ]
    assert "(1)" in rows["shop/data/rows"]
    assert sum("1!" in row for row in rows.values()) == 1
    assert "  in brackets: not while the module loads, !: closes a cycle" in matrix


def test_rules_of_a_team_that_cannot_be_read_fail_the_check_and_leave_the_others(tmp_path: Path) -> None:
    SHOP.write(tmp_path)
    rule = '[[policy.rules]]\nid = "{0}"\nscope = "{1}"\nseverity = "warn"\nwhen = "false"\n'
    rule += 'message = "No."\nadvice = "-"\n'
    settings = tmp_path / "graphls.toml"
    settings.write_text(rule.format("team.good", "file") + rule.format("team.bad", "moon"))
    run = graphls("policy", "check", "--root", str(tmp_path))
    assert run.code == 1
    assert "policy.rules[1] (team.bad)" in run.err
    assert "1 rule, 0 findings" in run.out
    listed = graphls("policy", "check", "--root", str(tmp_path), "--format", "json").json
    assert (listed["complete"], listed["causes"][0]["cause"]) == (False, "failed_rules")
    settings.write_text(rule.format("team.good", "file"))
    assert graphls("policy", "check", "--root", str(tmp_path)).code == 0
    # A rule that can be read and not be applied.
    odd = rule.format("team.odd", "file").replace("false", "nothing.x")
    settings.write_text(rule.format("team.good", "file") + odd)
    for command in (("policy", "check"), ("findings",)):
        listed = graphls(*command, "--root", str(tmp_path), "--format", "json").json
        assert (listed["complete"], listed["causes"][0]["cause"]) == (False, "failed_rules"), command
