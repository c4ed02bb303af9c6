"""SARIF: logs of findings, fingerprints, baselines, and logs of other tools.

Owns: small workspaces whose findings are known, logs as other tools write them.
Must not know: how rules look.
Invariant: a log is compared as a service reads it, by members of the format.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema import Draft4Validator

from graphls.analysis.baseline import read_baseline
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.analysis.sarif.imported import SarifReport
from graphls.analysis.sarif.line_hash import line_hashes
from graphls.analysis.sarif.log import FINDING, GROUP, LINE, sarif_log
from graphls.analysis.sarif.reading import SarifRefused, read_sarif
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.settings.policy_rules import PolicyRule
from graphls.settings.tree import PolicySettings

UNUSED = "maintainability.unused_definition"
TEXT = (
    "def a():\n    return 1\n\n\nclass Box:\n    def _gone(self):\n        return 2\n\n\ndef _left():\n    return 3\n"
)
FILES = {"pkg/__init__.py": "", "pkg/m.py": TEXT, "run.sh": "echo a\nls $x\n"}


def made(snapshot: Snapshot, answered: FindingSet | None = None, baseline: bytes | None = None) -> dict[str, Any]:
    answered = answered or findings(snapshot, Settings(), KnownFindings(baseline))
    return json.loads(sarif_log(snapshot, answered, answered.findings))


def results(files: dict[str, str], baseline: bytes | None = None) -> list[dict[str, Any]]:
    return made(snapshot_of(files), baseline=baseline)["runs"][0]["results"]


def log_of(*raw: dict[str, Any], tool: str = "lint", **run: Any) -> bytes:
    driver = {"name": tool, "rules": [{"id": "X1", "defaultConfiguration": {"level": "error"}}]}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": raw, **run}]}).encode()


def result(uri: str, line: int, rule: str = "X1", **more: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {"ruleId": rule, "message": {"text": f"bad {rule}"}, "locations": [{"physicalLocation": place}], **more}


def brought(log: bytes, files: dict[str, str] | None = None) -> FindingSet:
    report = SarifReport("lint.sarif", log, lambda path: path.removeprefix("/repo/") if "/repo/" in path else None)
    return findings(snapshot_of(files or FILES), Settings(), KnownFindings(reports=(report,)))


def prints(files: dict[str, str]) -> dict[str, dict[str, str]]:
    return {one["properties"]["ast_symbol_name"]: one["partialFingerprints"] for one in results(files)}


def test_members_that_services_read() -> None:
    log = made(snapshot_of(FILES))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [UNUSED]
    first = run["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == (UNUSED, 0, "note")
    place = first["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "pkg/m.py", "uriBaseId": "%SRCROOT%"}
    region = place["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) == (6, 9, 6, 14)
    assert place["logicalLocations"] == [{"fullyQualifiedName": "pkg.m:Box._gone", "kind": "method"}]
    assert first["properties"]["ast_parent_symbol_path"] == "pkg.m:Box"
    assert made(snapshot_of(FILES)) == log


def test_log_holds_for_the_official_schema() -> None:
    """`GRAPHLS_TEST_SARIF_SCHEMA` names the schema of OASIS; without it, what it asks of members that are written."""
    named = os.environ.get("GRAPHLS_TEST_SARIF_SCHEMA")
    text = {"type": "object", "required": ["text"]}
    own = {
        "required": ["version", "runs"],
        "properties": {"runs": {"items": {
            "required": ["tool"],
            "properties": {"results": {"items": {
                "required": ["message"],
                "properties": {
                    "message": text,
                    "level": {"enum": ["none", "note", "warning", "error"]},
                    "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
                    "partialFingerprints": {"additionalProperties": {"type": "string"}},
                    "suppressions": {"items": {"required": ["kind"]}},
                },
            }}},
        }}},
    }  # fmt: skip
    schema = json.loads(Path(named).read_text("utf-8")) if named else own
    log = made(snapshot_of(FILES), baseline=json.dumps(made(snapshot_of({"pkg/m.py": "def _old(): ...\n"}))).encode())
    assert [error.message for error in Draft4Validator(schema).iter_errors(log)] == []


def test_every_rule_has_the_words_that_services_ask_for() -> None:
    team = PolicyRule(id="team.x", scope="file", severity="warn", when="file.test", message="No.", advice="Move it.")
    files = {**FILES, "tests/test_m.py": "x = 1\n"}
    chosen = attrs.evolve(Settings(), policy=PolicySettings(rules=(team,)))
    reports = (SarifReport("lint.sarif", log_of(result("pkg/m.py", 6)), lambda path: path),)
    snapshot = snapshot_of(files)
    answered = findings(snapshot, chosen, KnownFindings(reports=reports))
    rules = json.loads(sarif_log(snapshot, answered, answered.findings))["runs"][0]["tool"]["driver"]["rules"]
    assert {"team.x", "lint/X1", UNUSED} <= {rule["id"] for rule in rules}
    for rule in rules:
        assert all(rule[member]["text"].strip() for member in ("shortDescription", "fullDescription", "help")), rule
    assert [rule["help"]["text"] for rule in rules if rule["id"] == "team.x"] == [
        "A rule of this workspace: file.test Move it."
    ]


def test_fingerprints_survive_lines_and_other_names() -> None:
    before = prints(FILES)
    lines = prints({**FILES, "pkg/m.py": "# one\n" * 50 + TEXT})
    renamed = prints({**FILES, "pkg/m.py": TEXT.replace("def a()", "def other()")})
    swapped = prints({**FILES, "pkg/m.py": "def _left():\n    return 3\n\n\n" + TEXT[: TEXT.index("def _left")]})
    for after in (lines, renamed, swapped):
        assert {name: (one[FINDING], one[GROUP]) for name, one in after.items()} == {
            name: (one[FINDING], one[GROUP]) for name, one in before.items()
        }
    assert lines["_gone"][LINE] == before["_gone"][LINE]


def test_a_function_in_another_file_is_another_group() -> None:
    before, cut = prints(FILES), TEXT.index("def _left")
    after = prints({**FILES, "pkg/m.py": TEXT[:cut], "pkg/n.py": TEXT[cut:]})
    assert after["_gone"][GROUP] == before["_gone"][GROUP]
    assert after["_left"][GROUP] != before["_left"][GROUP]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
        (
            " a\r\nb\r  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
    ],
)
def test_line_hashes_are_those_of_services(text: str, expected: list[str]) -> None:
    assert list(line_hashes(text).values()) == expected


def test_equal_lines_are_numbered() -> None:
    text = "x\n" * 300
    found = line_hashes(text)
    assert found[1].rpartition(":")[0] == found[2].rpartition(":")[0]
    assert [found[line].rpartition(":")[2] for line in (1, 2, 3)] == ["1", "2", "3"]


def test_a_log_is_a_baseline() -> None:
    known = json.dumps(made(snapshot_of(FILES))).encode()
    files = {**FILES, "pkg/m.py": TEXT.replace("_left", "_fresh")}
    states = {
        (one["baselineState"], one["properties"]["title"].partition(":")[0]) for one in results(files, baseline=known)
    }
    assert states == {("unchanged", "_gone"), ("new", "_fresh"), ("absent", "_left")}
    answered = findings(snapshot_of(files), Settings(), KnownFindings(known))
    assert [gone.title.partition(":")[0] for gone in answered.fixed] == ["_left"]
    # What is gone in one log is not gone again in the next.
    later = json.dumps(made(snapshot_of(files), answered)).encode()
    assert findings(snapshot_of(files), Settings(), KnownFindings(later)).fixed == ()


def test_what_was_not_looked_at_is_not_fixed() -> None:
    known = json.dumps(made(snapshot_of(FILES))).encode()
    off = Settings()
    off = type(off)(findings=type(off.findings)(rules={UNUSED: "off"}))
    assert findings(snapshot_of({"pkg/m.py": ""}), off, KnownFindings(known)).fixed == ()
    assert (
        findings(snapshot_of({"pkg/m.py": "", "other/x.py": ""}), Settings(), KnownFindings(known), "other").fixed == ()
    )
    assert len(findings(snapshot_of({"pkg/m.py": ""}), Settings(), KnownFindings(known)).fixed) == 2
    assert read_baseline(b'{"runs": []}').is_log


def test_results_are_findings_of_their_symbol() -> None:
    log = log_of(result("pkg/m.py", 7), result("pkg/m.py", 1, level="note"), result("file:///repo/run.sh", 2))
    found = {one.title: one for one in brought(log).findings if one.tool == "lint"}
    assert {title: (one.rule, one.priority) for title, one in found.items()} == {
        "pkg.m:Box._gone: bad X1": ("lint/X1", "P1"),
        "pkg.m:a: bad X1": ("lint/X1", "P3"),
        "run.sh: bad X1": ("lint/X1", "P1"),
    }
    assert brought(log).chosen(rules=("lint/X1",), scope="run.sh")[0].evidence_tier == "process_observed"


def test_a_result_keeps_its_identity_where_lines_move() -> None:
    before = brought(log_of(result("pkg/m.py", 7), result("pkg/m.py", 7))).findings
    moved = {**FILES, "pkg/m.py": "\n\n" + TEXT}
    after = brought(log_of(result("pkg/m.py", 9), result("pkg/m.py", 9)), moved).findings
    assert {one.id for one in before} == {one.id for one in after}
    assert len([one for one in before if one.tool == "lint"]) == 2


def test_the_own_log_comes_back_to_the_same_symbols() -> None:
    log = made(snapshot_of(FILES))
    log["runs"][0]["tool"]["driver"]["name"] = "copy"
    expected = sorted(one["properties"]["ast_symbol_path"] for one in log["runs"][0]["results"])
    found = brought(json.dumps(log).encode(), {**FILES, "pkg/m.py": "# moved\n" * 30 + TEXT}).findings
    assert sorted(one.title.rpartition(": ")[0].partition(": ")[0] for one in found if one.tool == "copy") == expected


def test_what_a_tool_suppressed_stays_so() -> None:
    log = log_of(result("pkg/m.py", 7, suppressions=[{"kind": "inSource", "justification": "known"}]))
    (found,) = (one for one in brought(log).findings if one.tool == "lint")
    assert (found.status, found.reason) == ("suppressed", "known")


def test_results_without_a_place_are_counted() -> None:
    answered = brought(log_of(result("gone.py", 1), {"message": {"text": "somewhere"}}))
    assert answered.unlinked == {"lint.sarif": 2}


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (b"nonsense", "is not JSON"),
        (b"{}", "has no runs"),
        (b'{"version": "1.0.0", "runs": [{}]}', "is SARIF 1.0.0"),
        (log_of(result("/etc/passwd", 1)), "outside the workspace"),
        (log_of(result("../x.py", 1)), "outside the workspace"),
        (log_of(result("https://example.org/x.py", 1)), "which is no file"),
    ],
)
def test_a_log_is_refused_as_a_whole(log: bytes, why: str) -> None:
    answered = brought(log)
    assert why in answered.problems[0]
    assert all(one.tool == "graphls" for one in answered.findings)


def test_bases_and_messages_of_rules() -> None:
    log = json.dumps({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "T", "rules": [
            {"id": "R", "messageStrings": {"m": {"text": "no {0}"}}, "properties": {"ast_symbol_path": "pkg.m:a"}},
        ]}},
        "originalUriBaseIds": {"ROOT": {"uri": "file:///repo/"}, "SRC": {"uri": "pkg/", "uriBaseId": "ROOT"}},
        "results": [{
            "ruleIndex": 0, "message": {"id": "m", "arguments": ["luck"]}, "kind": "fail",
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "m.py", "uriBaseId": "SRC"}}}],
        }, {"ruleIndex": 0, "kind": "pass", "message": {"text": "fine"}}],
    }]}).encode()  # fmt: skip
    (one,) = read_sarif(log).results
    assert (one.rule, one.message, one.place, one.symbol) == ("R", "no luck", "file:///repo/pkg/m.py", "pkg.m:a")
    assert [found.title for found in brought(log).findings if found.tool == "T"] == ["pkg.m:a: no luck"]


def test_refusals_are_words() -> None:
    with pytest.raises(SarifRefused, match="no SARIF log"):
        read_sarif(b'{"runs": []}')
