"""Review: a change of a small repository, and the recipe for CI as it stands in the docs.

Owns: one repository with a base and a change on a branch.
Must not know: how parts are found.
Invariant: the recipe is run as a script, with no word of it changed.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import SHOP, environment, graphls
from git_folders import committed, git

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`main` went on after the branch left it."""
    root = tmp_path_factory.mktemp("review") / "shop"
    for name, text in SHOP.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    committed(root, "base")
    git(root, "checkout", "-q", "-b", "topic")
    prices = root / "shop" / "prices.py"
    text = prices.read_text("utf-8").replace("def _never() -> None:\n    pass\n", "")
    text = text.replace("def total(prices: list[int]) -> int:", "def total(prices: list[int], tax: int = 0) -> int:")
    prices.write_text(text + "\n\ndef _unused_now() -> None:\n    pass\n", "utf-8")
    committed(root, "change")
    git(root, "checkout", "-q", "main")
    (root / "notes.md").write_text("More notes.\n", "utf-8")
    committed(root, "later")
    git(root, "checkout", "-q", "topic")
    return root


def reviewed(root: Path, *arguments: str) -> Any:
    return graphls("review", *arguments, "--root", str(root), "--format", "json").json


def test_findings_since_a_commit_have_what_a_review_says_of_the_api(changed: Path) -> None:
    words = ("findings", "--root", str(changed), "--format", "json")
    listed = graphls(*words, "--since", "main").json["findings"]
    assert {(one["rule"], one["symbol"]) for one in listed} >= {("arch.public_api_drift", "shop.prices:total")}
    (review,) = [one for one in reviewed(changed, "main")["new_findings"] if one["rule"] == "arch.public_api_drift"]
    assert review["id"] in [one["id"] for one in listed]
    (only,) = graphls(*words, "--since", "main", "--rule", "arch.public_api_drift").json["findings"]
    assert only["id"] == review["id"]
    assert "arch.public_api_drift" not in {one["rule"] for one in graphls(*words).json["findings"]}
    refused = graphls(*words, "--rule", "arch.public_api_drift")
    assert (refused.code, "--since" in refused.out + refused.err) == (2, True)
    assert graphls(*words, "--since", "no-such-branch").code == 2


def test_every_part(changed: Path) -> None:
    report = reviewed(changed, "main")
    assert [(file["file"], file["status"]) for file in report["files"]] == [("shop/prices.py", "modified")]
    assert {(one["action"], one["symbol"], one["lines_before"], one["lines_after"]) for one in report["symbols"]} >= {
        ("modified", "shop.prices:total", 3, 3),
        ("added", "shop.prices:_unused_now", None, 2),
        ("deleted", "shop.prices:_never", 2, None),
    }
    (drift,) = report["drift"]
    assert (drift["symbol"], drift["drift"]) == ("shop.prices:total", "signature")
    assert "tax" in drift["signature_after"]
    assert "tax" not in drift["signature_before"]
    assert "shop.orders:Order.price" in [one["node"]["symbol"] for one in report["affected"]]
    assert report["reach"][0]["depth"] == 1
    assert [one["symbol"] for one in report["tests"]] == ["test_orders:test_price"]
    rules = sorted((one["rule"], one["symbol"]) for one in report["new_findings"])
    assert rules == [
        ("arch.public_api_drift", "shop.prices:total"),
        ("maintainability.unused_definition", "shop.prices:_unused_now"),
    ]
    assert [one["title"].partition(":")[0] for one in report["fixed_findings"]] == ["_never"]
    assert report["risk"]["window"]["commits"] == 1
    assert [one["email"] for one in report["risk"]["reviewers"]] == ["a@example.org"]


def test_the_recipe_runs_as_it_stands(changed: Path, tmp_path: Path) -> None:
    lines = (ROOT / "docs/ci/review.yml").read_text("utf-8").splitlines()
    rest = lines[lines.index("        run: |") + 1 :]
    script = [line.strip() for line in itertools.takewhile(lambda line: line.startswith(" " * 10), rest)]
    assert len(script) == 4
    (tmp_path / "graphls").write_text(f'#!/bin/sh\nexec {sys.executable} -m graphls "$@"\n', "utf-8")
    (tmp_path / "graphls").chmod(0o755)
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(script)],
        cwd=changed,
        env=environment(
            PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            BASE="main",
            GITHUB_STEP_SUMMARY=str(tmp_path / "page.md"),
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "## Public API" in page
    assert "| `shop.prices:total` |" in page
    (run,) = json.loads((changed / "review.sarif").read_text("utf-8"))["runs"]
    states = sorted((one["baselineState"], one["ruleId"]) for one in run["results"])
    assert states == [
        ("absent", "maintainability.unused_definition"),
        ("new", "arch.public_api_drift"),
        ("new", "maintainability.unused_definition"),
    ]
    assert "Tests to run" in (changed / "review.txt").read_text("utf-8")
    for name in ("review.sarif", "review.md", "review.txt"):
        (changed / name).unlink()


def test_what_linters_and_the_syntax_say_stands_on_the_changed_symbol(tmp_path: Path) -> None:
    root = tmp_path / "space"
    root.mkdir()
    (root / "m.py").write_text("def old():\n    return gone\n", "utf-8")
    committed(root, "base")
    (root / "m.py").write_text(
        "def old():\n    return gone\n\n\ndef new():\n    return lost\n\n\ndef broken():\n    x = (1 +\n"
    )

    def result(line: int) -> dict[str, Any]:
        where = {"artifactLocation": {"uri": "m.py"}, "region": {"startLine": line, "startColumn": 12}}
        return {"ruleId": "F821", "message": {"text": f"undefined, {line}"}, "locations": [{"physicalLocation": where}]}

    run = {"tool": {"driver": {"name": "ruff"}}, "results": [result(2), result(6)]}
    (root / "ruff.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}), "utf-8")
    (root / "graphls.toml").write_text('[findings]\nreports = ["ruff.sarif"]\n', "utf-8")
    assert [one["symbol"] for one in reviewed(root)["reported"]] == ["m:new"]
    assert reviewed(root, "--no-findings")["reported"] is None
    shown = graphls("show", "m:broken", "--root", str(root), "--format", "json").json
    assert [(one["severity"], one["origin"], one["line"]) for one in shown["diagnostics"]] == [("error", "syntax", 10)]
    assert not graphls("show", "m:new", "--root", str(root), "--format", "json").json["diagnostics"]


def test_thresholds_and_refusals(changed: Path, tmp_path: Path) -> None:
    assert graphls("review", "main", "--root", str(changed), "--fail-on", "P3").code == 1
    unknown = graphls("review", "nowhere", "--root", str(changed))
    assert (unknown.code, "There is no commit" in unknown.err) == (2, True)
    (tmp_path / "m.py").write_text("x = 1\n", "utf-8")
    plain = graphls("review", "--root", str(tmp_path))
    assert (plain.code, "no git repository" in plain.err) == (2, True)
    risk = graphls("risk", "--root", str(tmp_path))
    assert (risk.code, "There is no history" in risk.err, "no git repository" in risk.err) == (1, True, True)
    history = (
        ("changed",),
        ("diff", "HEAD"),
        ("show", "m:x", "--at", "HEAD"),
        ("findings", "--since", "HEAD"),
    )
    for words in history:
        done = graphls(*words, "--root", str(tmp_path))
        assert (done.code, "no git repository" in done.err) == (2, True), words


def test_a_test_that_changed_is_the_first_to_run(changed: Path) -> None:
    added = changed / "test_added.py"
    added.write_text("def test_nothing():\n    assert True\n", "utf-8")
    try:
        tests = reviewed(changed, "main")["tests"]
    finally:
        added.unlink()
    assert [one["symbol"] for one in tests] == ["test_added:test_nothing", "test_orders:test_price"]


def test_files_of_tests_without_names_are_to_be_run_and_code_leads_the_risk(tmp_path: Path) -> None:
    root = tmp_path / "gems"
    for name, text in (
        ("lib/price.rb", "class Price\n  def total\n    1\n  end\nend\n"),
        ("spec/price_spec.rb", "describe Price do\n  it 'adds' do\n    Price.new.total\n  end\nend\n"),
        ("spec/new_spec.rb", "describe 'x' do\nend\n"),
        ("spec/support.rb", "X = 1\n"),
        ("README.md", "a\n"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    committed(root, "base")
    for number in range(3):
        (root / "README.md").write_text(f"b {number}\n" * (number + 2), "utf-8")
        committed(root, f"words {number}")
    git(root, "branch", "before")
    for name in ("lib/price.rb", "spec/new_spec.rb", "README.md"):
        (root / name).write_text(
            (root / name).read_text("utf-8").replace("1", "2").replace("'x'", "'y'") + "# z\n", "utf-8"
        )
    committed(root, "change")
    report = reviewed(root, "before")
    assert [one["file"] for one in report["tests"]] == ["spec/new_spec.rb", "spec/price_spec.rb"]
    files = [one["file"] for one in report["risk"]["files"]]
    assert files[-1] == "README.md"
    assert report["risk"]["files"][-1]["hotspot"] > report["risk"]["files"][0]["hotspot"]
