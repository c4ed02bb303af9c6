"""Bounds of a review: what is said of a change when there is no time for all of it."""

from __future__ import annotations

from pathlib import Path

from e2e.cli_runs import graphls
from git_folders import committed

BEFORE = "def total():\n    return 1\n\n\ndef _old():\n    return 2\n"
AFTER = BEFORE.replace("_old", "_new").replace("total()", "total(tax)")


def test_what_took_too_long_is_named_and_nothing_is_called_new_for_it(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(BEFORE, "utf-8")
    (tmp_path / "use.py").write_text("from shop import total\n\nprint(total())\n", "utf-8")
    committed(tmp_path, "base")
    (tmp_path / "shop.py").write_text(AFTER, "utf-8")
    asked = ("review", "--root", str(tmp_path))
    whole = graphls(*asked, "--within", "0", "--format", "json").json
    assert (whole["failed_rules"], whole["truncated"]) == ({}, False)
    unused = "maintainability.unused_definition"
    assert {one["rule"] for one in whole["new_findings"]} == {unused, "arch.public_api_drift"}
    assert [one["rule"] for one in whole["fixed_findings"]] == [unused]
    cut = graphls(*asked, "--within", "0.001", "--format", "json").json
    assert cut["truncated"]
    assert unused in cut["failed_rules"]
    assert {one["rule"] for one in cut["new_findings"]} <= {"arch.public_api_drift"}
    assert cut["fixed_findings"] == []
    assert [one["file"] for one in cut["files"]] == [one["file"] for one in whole["files"]]
    page = graphls(*asked, "--within", "0.001").out
    assert "Rules that could not finish" in page
    assert "--within 0 goes on to the end" in page
