"""Policy: rules of a team as expressions, applied to code and to changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

from git_folders import committed
from graphls.analysis.findings import FindingSet, KnownFindings, findings
from graphls.analysis.policy import predicates
from graphls.analysis.policy.code_facts import SAMPLES
from graphls.analysis.policy.predicates import PredicateError, compiled, glob_match
from graphls.session.memory import snapshot_of
from graphls.session.policy_report import policy_findings
from graphls.session.similarity_rows import similarity_source
from graphls.settings import Settings, SimilaritySettings, merge
from graphls.settings.kinds import RejectedError
from graphls.settings.policy_rules import PolicyRule, PolicyTable
from graphls.settings.tree import PolicySettings
from graphls.sources.workspace import Workspace

FILES = {
    "app/a.py": "from tests.helper import one\n\nclass A:\n    async def run(self, x, y):\n        return one(x, y)\n",
    "tests/helper.py": "def one(x, y):\n    return x\n",
    "tests/__init__.py": "",
    "app/__init__.py": "",
}


def rule(when: str, scope: str = "symbol", **more: Any) -> PolicyRule:
    table = {"id": "team.x", "scope": scope, "severity": "block", "when": when, "message": "No.", "advice": "Do."}
    return PolicyTable().read({**table, **more})


def settings(*rules: PolicyRule) -> Settings:
    return attrs.evolve(Settings(), policy=PolicySettings(rules=rules))


def said(*rules: PolicyRule) -> FindingSet:
    return findings(snapshot_of(FILES), settings(*rules))


def titles(found: FindingSet) -> list[tuple[str, str]]:
    return [(one.title, one.priority) for one in found.findings if one.rule == "team.x"]


@pytest.mark.parametrize(
    ("scope", "when", "wanted"),
    [
        ("symbol", "symbol.parameters == 2 && symbol.async", ["app.a:A.run"]),
        ("symbol", "symbol.name == 'one' && symbol.test && file.folder == 'tests'", ["tests.helper:one"]),
        ("symbol", "symbol.name.endsWith('nothing')", []),
        ("file", "!file.test && imports.exists(i, i.test)", ["app/a.py"]),
        ("file", "symbols.exists(s, s.kind == 'class')", ["app/a.py"]),
        ("file", "is_test_path(file.path) && file.lines == 2", ["tests/helper.py"]),
    ],
)
def test_what_breaks_a_rule_is_a_finding(scope: str, when: str, wanted: list[str]) -> None:
    found = said(rule(when, scope))
    assert titles(found) == [(f"{name}: No.", "P1") for name in wanted]
    assert found.failures == ()


def test_a_rule_is_about_its_paths_and_languages() -> None:
    assert titles(said(rule("symbol.async", paths=["tests/**"]))) == []
    assert titles(said(rule("symbol.async", paths=["app/**"], languages=["typescript"]))) == []
    assert len(titles(said(rule("symbol.async", paths=["app/*.py"], languages=["python"])))) == 1


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("symbol.nothing", "there is no field 'nothing'"),
        ("imports.size() > 0", "there is no fact 'imports' in this scope: use file, schema_version, symbol"),
        ("open('x')", "there is no function 'open'"),
        ("symbol.lines > 'a'", "No such overload"),
        ("symbol.lines", "it is neither true nor false"),
        ("symbol.lines >", "Syntax error"),
        ("(" * 900 + "true" + ")" * 900, "Recursion"),
    ],
)
def test_a_rule_that_cannot_be_used_is_named_and_the_others_are_applied(when: str, reason: str) -> None:
    found = said(rule(when, id="team.wrong"), rule("symbol.async"))
    assert [one.rule for one in found.failures] == ["team.wrong"]
    assert reason in found.failures[0].reason
    assert len(titles(found)) == 1


def test_nested_loops_are_counted_before_they_run() -> None:
    predicate = compiled("a.all(x, a.all(y, a.all(z, x + y + z > '.map(')))", frozenset("a"))
    assert predicate.depth == 3
    with pytest.raises(PredicateError, match="27,000,000 steps"):
        predicate.holds({"a": ["b"] * 300})
    assert compiled("a.map(x, x).exists(x, x == ')')", frozenset("a")).depth == 1


def test_rules_of_one_id_and_the_lack_of_the_package_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "same id" in said(rule("symbol.async"), rule("symbol.test")).failures[0].reason
    monkeypatch.setattr("graphls.analysis.policy.judging.can_judge", lambda: False)
    found = said(rule("symbol.async"))
    assert titles(found) == []
    assert "pip install" in found.failures[0].reason


ANY, NONE = "symbol.async", "symbol.async && false"
OPEN = {"allow_override": True}
WHY = {"override": True, "override_reason": "moved"}


@pytest.mark.parametrize(
    ("first", "second", "refusal"),
    [
        (OPEN, WHY, ""),
        (OPEN, {"override": True}, "reason"),
        ({}, WHY, "allow_override"),
        ({**OPEN, "protected": True}, WHY, "protected"),
        (OPEN, {**WHY, "severity": "warn"}, "weaker"),
        ({**OPEN, "allow_severity_weaken": True}, {**WHY, "severity": "info"}, ""),
        (OPEN, {}, "same id"),
    ],
)
def test_a_rule_overrides_another_only_where_that_allows_it(
    first: dict[str, Any], second: dict[str, Any], refusal: str
) -> None:
    found = said(rule(ANY, **first), rule(NONE, **second))
    assert bool(titles(found)) == bool(refusal)
    assert [refusal in one.reason for one in found.failures] == ([True] if refusal else [])


def test_rules_of_a_client_and_of_a_repository_add_up() -> None:
    table = {"id": "team.x", "scope": "file", "severity": "block", "when": "true", "message": "No.", "advice": "Do."}
    raw = [{"policy": {"rules": [{**table, "id": name}]}} for name in ("team.repository", "team.client")]
    merged, problems = merge(raw[0], raw[1], trusted=False)
    assert not problems
    assert [one.id for one in merged.policy.rules] == ["team.client", "team.repository"]
    wrong = {"policy": {"rules": [{**table, "protected": "yes"}]}}
    assert "protected" in merge(wrong, {}, trusted=False)[1][0].message


@pytest.mark.parametrize(
    "wrong",
    [{"scope": "edge"}, {"severity": "error"}, {"when": ""}, {"id": "x y"}, {"more": 1}, {"when": "x" * 2_001}],
)
def test_a_table_that_is_no_rule_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RejectedError):
        rule(**{"when": "true", **wrong})


def test_a_rule_about_a_change_is_shown_at_what_makes_it_true(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    committed(tmp_path)
    edited = {**FILES, "app/a.py": FILES["app/a.py"] + "        # more\n        return None\n"}
    (tmp_path / "app/a.py").write_text(edited["app/a.py"])
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of(edited)
    grown = rule("changed_symbols.exists(s, s.kind == 'method' && s.line_delta == 2)", "change")
    file = rule("file_changes.exists(f, f.status == 'modified' && f.line_delta > 1)", "change", id="team.y")
    none = rule("changed_symbols.exists(s, s.drift == 'removed')", "change", id="team.z")
    found = policy_findings(snapshot, workspace, settings(grown, file, none))
    assert [(one.rule, one.at.file, one.title) for one in found.findings] == [
        ("team.x", "app/a.py", "app.a:A.run: No."),
        ("team.y", "app/a.py", "app/a.py: No."),
    ]
    assert found == policy_findings(snapshot, workspace, settings(grown, file, none))


def test_without_a_repository_rules_about_changes_are_named(tmp_path: Path) -> None:
    found = policy_findings(
        snapshot_of(FILES),
        Workspace.of([str(tmp_path)]),
        settings(rule("true", "change"), rule("symbol.async", id="b")),
    )
    assert [one.rule for one in found.findings] == ["b"]
    assert "git" in found.failures[0].reason


def test_examples_and_globs() -> None:
    assert glob_match("a/b/c.py", "a/**/*.py")
    assert glob_match("a/c.py", "a/**/*.py")
    assert glob_match("a/b/c.py", "**/c.py")
    assert not glob_match("a/b/c.py", "a/*.py")
    assert set(SAMPLES) == {"file", "symbol", "finding", "change"}
    assert predicates.can_judge()


ODD = {
    "app/a.py": """\
import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import app.b


def load(name):
    import app.b

    return importlib.import_module(name)


def wide(a, b, c, d, e, f):
    return print(a)


class Job:
    def run(self, a, b, c, d, e):
        return 1


key = lambda row: row
""",
    "app/b.ts": "export function wide(a, b, c, d, e, f) { return import('./c'); }\n",
    "app/b.py": "x = 1\n",
}
BODY = """\
def collect(rows, limit):
    totals = {}
    for row in rows:
        if row.price > limit:
            totals.setdefault(row.owner, []).append(row.price * 2)
    return totals
"""


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("python_ast.exists(f, f.is_dynamic_import)", ["app/a.py"]),
        ('python_ast.exists(f, f.node_kind == "function_definition" && f.parameter_count > 5)', ["app/a.py"]),
        ("python_ast.exists(f, f.is_method && f.parameter_count == 5)", ["app/a.py"]),
        ("python_ast.exists(f, f.is_type_checking && f.module == 'app.b')", ["app/a.py"]),
        ("python_ast.exists(f, f.is_nested && f.node_kind == 'import_statement')", ["app/a.py"]),
        ("python_ast.exists(f, f.node_kind == 'lambda' && f.name == 'key')", ["app/a.py"]),
        ("python_ast.exists(f, f.node_kind == 'call' && f.name == 'print' && f.path == 'wide')", ["app/a.py"]),
        ("python_ast.exists(f, f.node_kind == 'class_definition' && f.name == 'wide')", []),
    ],
)
def test_rules_see_statements_of_python(when: str, wanted: list[str]) -> None:
    found = findings(snapshot_of(ODD), settings(rule(when, "file")))
    assert not found.failures
    assert [title.partition(":")[0] for title, _ in titles(found)] == wanted


def alike(chosen: Settings, files: dict[str, str]) -> FindingSet:
    return findings(snapshot_of(files), chosen, KnownFindings(similar=similarity_source(chosen)))


def test_rules_see_functions_that_are_alike() -> None:
    files = {"a.py": BODY, "b.py": BODY.replace("collect", "gather").replace("rows", "lines"), "c.py": "x = 1\n"}
    chosen = settings(rule("similarity_facts.exists(f, f.similarity >= 0.8 && f.match_symbol == 'a:collect')", "file"))
    assert [title for title, _ in titles(alike(chosen, files))] == ["b.py: No."]
    off = attrs.evolve(chosen, similarity=SimilaritySettings(enabled=False))
    (failure,) = alike(off, files).failures
    assert "similarity.enabled" in failure.reason
    assert similarity_source(settings(rule("file.test", "file"))) is None


def test_a_change_that_copies_a_function_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY, "utf-8")
    (tmp_path / "b.py").write_text("x = 1\n", "utf-8")
    committed(tmp_path)
    (tmp_path / "b.py").write_text("x = 1\n" + BODY.replace("collect", "gather"), "utf-8")
    snapshot = snapshot_of({path.name: path.read_text("utf-8") for path in tmp_path.glob("*.py")})
    chosen = settings(rule("similarity_facts.exists(f, f.exact_normalized)", "change"))
    found = policy_findings(snapshot, Workspace.of([str(tmp_path)]), chosen)
    assert not found.failures
    assert [(one.title, one.at.file) for one in found.findings] == [("b:gather: No.", "b.py")]
