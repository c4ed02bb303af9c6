"""Policy facts about edges, commands of scripts, health, history, hunks and the branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from git_folders import committed, git
from graphls.analysis.findings import findings
from graphls.analysis.policy.measure_facts import HEALTH, RISK
from graphls.analysis.policy.shell_words import shell_words
from graphls.session.health_report import HealthSources
from graphls.session.measure_rows import measure_source
from graphls.session.memory import snapshot_of
from graphls.session.policy_report import policy_findings
from graphls.settings import Settings
from graphls.settings.policy_rules import PolicyRule, PolicyTable
from graphls.settings.tree import PolicySettings
from graphls.sources.workspace import Workspace

FILES = {
    "app/__init__.py": "",
    "app/a.py": "from app.b import go\nfrom tests.helper import one\n\n"
    "def run(x):\n    go()\n    return one(x).close()\n",
    "app/b.py": "class A:\n    def close(self): ...\nclass B:\n    def close(self): ...\n\ndef go(): ...\n"
    "def both(flag):\n    x = A() if flag else B()\n    x.close()\n",
    "tests/__init__.py": "",
    "tests/helper.py": "def one(x):\n    return x\n",
    "tools/clean.sh": "#!/bin/sh\nwipe() {\n  rm -rf build\n}\ncurl https://example.org/x | sh\nwipe\n",
}


def rule(when: str, scope: str = "file", **more: Any) -> PolicyRule:
    table = {"id": "team.x", "scope": scope, "severity": "block", "when": when, "message": "No.", "advice": "Do."}
    return PolicyTable().read({**table, **more})


def settings(*rules: PolicyRule) -> Settings:
    return attrs.evolve(Settings(), policy=PolicySettings(rules=rules))


def said(when: str, **more: Any) -> list[str]:
    found = findings(snapshot_of(FILES), settings(rule(when, **more)))
    assert not found.failures
    return [one.at.file for one in found.findings if one.rule == "team.x"]


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("edges.exists(e, e.kind == 'calls' && e.target_test && e.target == 'tests.helper:one')", ["app/a.py"]),
        ("edges.exists(e, e.kind == 'calls' && e.source == 'app.a:run' && e.line == 5)", ["app/a.py"]),
        ("edges.exists(e, e.kind == 'calls' && e.target_file == 'app/b.py' && file.path != 'app/b.py')", ["app/a.py"]),
        ("edges.exists(e, e.kind == 'contains')", []),
        ("shell_commands.exists(c, c.name == 'rm' && c.text == 'rm -rf build' && c.function == 'wipe')",
         ["tools/clean.sh"]),
        ("shell_commands.exists(c, c.name == 'curl' && c.text.contains('| sh') && c.line == 5)", ["tools/clean.sh"]),
        ("shell_commands.size() > 0", ["tools/clean.sh"]),
        ("shell_commands.exists(c, c.argv == ['rm', '-rf', 'build'])", ["tools/clean.sh"]),
        ("shell_commands.exists(c, 'https://example.org/x' in c.argv && !c.background)", ["tools/clean.sh"]),
    ],
)  # fmt: skip
def test_rules_see_edges_and_commands(when: str, wanted: list[str]) -> None:
    assert said(when) == wanted


CYCLE = {
    "core/__init__.py": "",
    "core/a.py": "from core import b\n\ndef f():\n    return b\n",
    "core/b.py": "from core import a\n\ndef g():\n    return a\n",
}


def test_rules_about_findings_of_other_rules() -> None:
    snapshot = snapshot_of(CYCLE)
    cycle = [one for one in findings(snapshot, Settings()).findings if one.rule == "arch.import_cycle"]
    assert cycle
    when = "finding.rule == 'arch.import_cycle' && finding.file.startsWith('core/') && finding.tool == 'graphls'"
    found = findings(snapshot, settings(rule(when, scope="finding"))).findings
    own = [one for one in found if one.rule == "team.x"]
    assert [(one.priority, one.at.file, one.title) for one in own] == [
        ("P1", cycle[0].at.file, f"{cycle[0].title}: No.")
    ]
    assert found[0] == own[0]  # more pressing than what it is about
    none = findings(snapshot, settings(rule("finding.rule == 'team.x'", scope="finding")))
    assert not [one for one in none.findings if one.rule == "team.x"]
    wrong = findings(snapshot, settings(rule("finding.nope == 1", scope="finding")))
    assert [one.rule for one in wrong.failures] == ["team.x"]


@pytest.mark.parametrize(
    ("text", "name", "argv", "redirects", "assignments", "background"),
    [
        ("LANG=C FOO='a b' sort \"x y\" > out 2>&1 &", "sort", ["sort", "x y"], [">out", "2>&1"],
         ["LANG=C", "FOO=a b"], True),
        ('cd x && rm -rf "$DIR"/build \\\n  other; echo', "rm", ["rm", "-rf", "$DIR/build", "other"], [], [], False),
        ('a=$(curl -sSL "$U" | bash -s -- -y)', "curl", ["curl", "-sSL", "$U"], [], [], False),
        ("FOO=1; rm $(cat x) # no", "rm", ["rm", "$(cat x)"], [], [], False),
        ("grep -q x <<< \"$v\" && echo", "grep", ["grep", "-q", "x"], ["<<<$v"], [], False),
        ("rm 'open", "rm", ["rm"], [], [], False),
    ],
)  # fmt: skip
def test_words_of_a_command(
    text: str, name: str, argv: list[str], redirects: list[str], assignments: list[str], background: bool
) -> None:
    found = shell_words(text, text.index(name))
    assert [list(found.argv), list(found.redirects), list(found.assignments)] == [argv, redirects, assignments]
    assert found.background is background


def test_a_rule_that_blocks_rests_on_no_edge_that_is_only_possible() -> None:
    when = "edges.exists(e, e.source == 'app.b:both' && e.target.endsWith('.close'))"
    assert said(when, severity="warn") == ["app/b.py"]
    assert said(when) == []
    assert said("edges.exists(e, e.ambiguous)") == []


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Path]:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    committed(tmp_path)
    (tmp_path / "app/b.py").write_text(FILES["app/b.py"] + "y = 1\n")
    committed(tmp_path, "second")
    return tmp_path


def _state(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*")
            if path.is_file() and ".git" not in path.parts}  # fmt: skip


def judged(folder: Path, *rules: PolicyRule) -> tuple[list[tuple[str, str]], list[str]]:
    found = policy_findings(snapshot_of(_state(folder)), Workspace.of([str(folder)]), settings(*rules))
    return [(one.rule, one.at.file) for one in found.findings], [one.reason for one in found.failures]


def test_rules_see_health_and_history(repository: Path) -> None:
    rules = (
        rule("risk.commits == 2 && risk.authors == 1 && risk.covered < 0.0", id="twice"),
        rule("health.score < 100.0 && 'large_file' in health.markers", id="large"),
        rule("health.score == 100.0 && file.path == 'app/a.py'", id="well"),
        rule("risk.commits == 0 && file.path == 'app/new.py'", id="new"),
    )
    (repository / "app/new.py").write_text("x = 1\n" * 401)
    assert judged(repository, *rules) == (
        [("twice", "app/b.py"), ("large", "app/new.py"), ("well", "app/a.py"), ("new", "app/new.py")],
        [],
    )


def test_without_history_rules_about_it_are_named_and_health_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    found, reasons = judged(tmp_path, rule("risk.commits > 0", id="r"), rule("health.score > 50.0", id="h"))
    assert found == [("h", "a.py")]
    assert len(reasons) == 1
    assert "git" in reasons[0]


def test_nothing_is_measured_unless_a_rule_names_it(tmp_path: Path) -> None:
    workspace = Workspace.of([str(tmp_path)])
    assert measure_source(HealthSources(workspace, settings(rule("file.test")), None)) is None
    for name in (HEALTH, RISK):
        chosen = settings(rule(f"{name} == {name}"))
        assert measure_source(HealthSources(workspace, chosen, None)) is not None


def test_rules_about_a_change_see_its_lines_and_the_branch(repository: Path) -> None:
    text = FILES["app/a.py"].replace("    go()\n", "    # DO NOT MERGE\n")
    (repository / "app/a.py").write_text(text)
    (repository / "app/data.bin").write_bytes(b"\0\1")
    rules = (
        rule("diff.exists(h, h.added.exists(t, t.contains('DO NOT MERGE')))", "change", id="words"),
        rule("diff.exists(h, h.path == 'app/a.py' && h.line == 5 && h.removed == ['    go()'])", "change", id="gone"),
        rule("diff.exists(h, h.path.endsWith('.bin'))", "change", id="binary"),
        rule("git.branch == 'main' && !git.detached && file_changes.size() > 0", "change", id="branch"),
        rule("git.branch == 'main'", "change", id="always"),
    )
    found, reasons = judged(repository, *rules)
    assert (sorted(found), reasons) == (
        [("branch", "app/a.py"), ("branch", "app/data.bin"), ("gone", "app/a.py"), ("words", "app/a.py")],
        [],
    )
    git(repository, "checkout", "-q", "-b", "side")
    assert [name for name, _ in judged(repository, *rules)[0]] == ["words", "gone"]


NESTED = {
    "m.py": "def fun(a):\n    return lambda b, c: b\n",
    "m.ts": "function fun(a: number) { [1].map((b, c) => b) }\n",
    "M.java": "class M { int fun(int a) { list.map((b, c) -> b); return 1; } }\n",
    "m.kt": "class M { fun fun_(a: Int): Int { list.map { b, c -> b }\n return 1 } }\n",
    "m.cs": "class M { int fun(int a) { list.Select((b, c) => b); return 1; } }\n",
    "m.php": "<?php\nfunction fun($a) { array_map(function ($b, $c) { return $b; }, []); }\n",
    "m.rb": "def fun(a)\n  [1].each { |b, c| b }\nend\n",
    "m.rs": "fn fun(a: i32) { let g = |b: i32, c: i32| b; }\n",
    "m.swift": "func fun(a: Int) { list.map { b, c in b } }\n",
    "m.go": "package m\nfunc fun(a int) { g := func(b, c int) {}; g() }\n",
    "m.cpp": "int fun(int a) { auto g = [](int b, int c) { return b; }; return a; }\n",
}


@pytest.mark.parametrize("path", NESTED)
def test_parameters_of_functions_inside_are_none_of_a_function(path: str) -> None:
    rules = (rule("symbol.name.startsWith('fun') && symbol.parameters == 1", "symbol", id="one"),
             rule("symbol.name.startsWith('fun') && symbol.parameters != 1", "symbol", id="other"),
             rule("python_ast.exists(f, f.name == 'fun' && f.parameter_count == 1)", id="tree"))  # fmt: skip
    found = findings(snapshot_of({path: NESTED[path]}), settings(*rules))
    expected = ["one", "tree"] if path == "m.py" else ["one"]
    assert sorted(one.rule for one in found.findings if one.rule in ("one", "other", "tree")) == expected
