"""Rules: each finds what its true cases mark, and nothing in its false cases.

Owns: reading the marked fixtures, comparing places.
Must not know: how a rule looks.
Invariant: a caret line marks the start of the place where a finding is shown, on the line above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from graphls.analysis.baseline import Baseline, baseline_text
from graphls.analysis.change_history import ChangeHistory, HistorySource
from graphls.analysis.engine import catalogue, why_silent
from graphls.analysis.findings import KnownFindings, findings
from graphls.analysis.git_signals import git_signals
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.registry import providers
from graphls.session.memory import snapshot_of
from graphls.settings import FindingsSettings, Settings, parse_settings
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write
from made_history import history_in

LANGUAGES = Path(__file__).parent.parent.parent / "fixtures"
FIXTURES = LANGUAGES / "python" / "findings"
LAYERS = {"findings": {"layers": ["app.web", "app.store | app.mail", "app.core"]}}
MARK = re.compile(r"^(?:#|//|--)( *)\^+ finding:(\S+)$")
CASES = sorted(path.relative_to(LANGUAGES).as_posix() for path in LANGUAGES.glob("*/findings/*/*.txt"))


def read(text: str) -> tuple[Mapping[str, str], set[tuple[str, int, int, str]]]:
    """Files by path, and (file, line, column, rule) of every mark. Lines and columns count from 0."""
    files: dict[str, list[str]] = {}
    marks: set[tuple[str, int, int, str]] = set()
    path = ""
    for line in text.splitlines():
        header = re.match(r"^--- path: (\S+) ---$", line)
        mark = MARK.match(line)
        if header:
            path = header[1]
            files[path] = []
        elif mark:
            marks.add((path, len(files[path]) - 1, mark.start(1) + len(mark[1]), mark[2]))
            files[path].append(line)
        elif path:
            files[path].append(line)
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}, marks


def found(files: Mapping[str, str], rule: str, text: str = "") -> Iterator[tuple[str, int, int, str]]:
    snapshot = snapshot_of(files)
    settings, problems = parse_settings({"findings": {**LAYERS["findings"], "rules": {rule: "P3"}}})
    assert problems == ()
    commits = history_in(text)
    history = None if commits is None else HistorySource(None, lambda _: ChangeHistory(git_signals(commits), None))
    answer = findings(snapshot, settings, KnownFindings(history=history))
    assert answer.failures == ()
    for finding in answer.findings:
        if finding.rule == rule:
            yield (finding.at.file, *snapshot.facts(finding.at.file).line_column(finding.at.start), finding.rule)


def _fits(code: str, language: str) -> bool:
    """Whether a rule is about all languages, or about this one."""
    about = code.partition(".")[0]
    return about == language or about not in providers()


@pytest.mark.parametrize("case", CASES)
def test_rule_finds_what_is_marked(case: str) -> None:
    text = (LANGUAGES / case).read_text("utf-8")
    files, marks = read(text)
    language, _, name = case.split("/")[:3]
    (rule,) = [code for code in catalogue() if code.endswith(f".{name}") and _fits(code, language)]
    assert set(found(files, rule, text)) == marks


@pytest.mark.parametrize("case", CASES)
def test_a_scope_has_the_findings_that_all_have_there(case: str) -> None:
    files, _ = read((LANGUAGES / case).read_text("utf-8"))
    settings, _ = parse_settings(LAYERS)
    everything = findings(snapshot_of(files), settings)
    for scope in {*files, *(path.rpartition("/")[0] for path in files)}:
        inside = findings(snapshot_of(files), settings, scope=scope)
        assert inside.chosen(scope=scope) == everything.chosen(scope=scope)
        assert inside.chosen() == inside.chosen(scope=scope)


def test_another_run_reads_what_may_have_findings_and_what_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "w"
    plain = {f"m{number}.py": f"import os\n\n\ndef f{number}(x):\n    return x\n" for number in range(5)}
    # Each imports only a type of the other, which nothing but links can tell.
    plain |= {"a.ts": 'import { B } from "./b";\nexport class A { b?: B }\n'}
    plain |= {"b.ts": 'import { A } from "./a";\nexport class B { a?: A }\n'}
    write(root, {**plain, "unused.py": "def _left():\n    pass\n", "words.md": "nothing\n"})
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    read, linked = set[str](), list[str]()
    of_facts, of_text, of_links = Views.per_file, Views.per_text, Views.per_links

    def per_file(self: Views, subject: str, path: FilePath, make: Callable[[FileFacts], object]) -> object:
        return of_facts(self, subject, path, lambda facts: (read.add(path), make(facts))[1])

    def per_text(self: Views, subject: str, path: FilePath, make: Callable[[bytes], object], unread: object) -> object:
        return of_text(self, subject, path, lambda text: (read.add(path), make(text))[1], unread)

    def per_links(self: Views, subject: str, path: FilePath, row: int, make: Callable[[], bool]) -> bool:
        return of_links(self, subject, path, row, lambda: (linked.append(path), make())[1])

    monkeypatch.setattr(Views, "per_file", per_file)
    monkeypatch.setattr(Views, "per_links", per_links)
    monkeypatch.setattr(Views, "per_text", per_text)

    def judged() -> tuple[list[str], list[str]]:
        with session_over(root, store) as session:
            read.clear()
            linked.clear()
            answer = findings(settle(session), Settings())
            return [finding.title.partition(":")[0] for finding in answer.findings], sorted(read)

    assert judged() == (["_left"], [*sorted(plain), "unused.py", "words.md"])
    assert sorted(linked) == ["a.ts", "b.ts", "unused.py"]
    assert judged() == (["_left"], [])
    assert not linked
    write(root, {"m3.py": "def _gone():\n    pass\n", "words.md": "It is _left to others.\n"})
    assert judged() == (["_gone"], ["m3.py", "words.md"])


@pytest.mark.parametrize("code", sorted(catalogue()))
def test_rule_has_true_and_false_cases_and_a_document(code: str) -> None:
    language, _, name = code.rpartition(".")
    folder = LANGUAGES / (language if language in providers() else "python") / "findings" / name
    assert (folder / "true.txt").is_file()
    assert (folder / "false.txt").is_file()
    document = (FIXTURES.parent.parent.parent / "docs" / "findings.md").read_text("utf-8")
    assert f"`{code}`" in document
    assert catalogue()[code].doc


def test_without_declared_layers_nothing_is_said() -> None:
    files, _ = read((FIXTURES / "layer_violation" / "true.txt").read_text("utf-8"))
    rules = {finding.rule for finding in findings(snapshot_of(files), Settings()).findings}
    assert "arch.layer_violation" not in rules


def test_findings_do_not_depend_on_lines_or_order() -> None:
    files, _ = read((FIXTURES / "unused_definition" / "true.txt").read_text("utf-8"))
    moved = {path: "\n\n# moved\n" + text for path, text in sorted(files.items(), reverse=True)}
    first, second = (findings(snapshot_of(given), Settings()).findings for given in (files, moved))
    assert [finding.id for finding in first] == [finding.id for finding in second]
    assert len({finding.id for finding in first}) == len(first)


def test_broken_code_is_no_failure() -> None:
    snapshot = snapshot_of(
        {"a.py": "def (:\n  class X(\nfrom . import\nmatch x:\n case", "b.py": "", "c.py": "import a\n"}
    )
    assert findings(snapshot, Settings()).failures == ()


TYPESCRIPT: Mapping[str, tuple[Mapping[str, str], Sequence[str]]] = {
    "imports of types": (
        {
            "a.ts": "import type { B } from './b'\nexport interface A { b: B }\n",
            "b.ts": "import { type A } from './a'\nexport interface B { a: A }\n",
        },
        [],
    ),
    "imports of what is a type": (
        {
            "a.ts": "import { B } from './b'\nexport interface A { b: B }\n",
            "b.ts": "import { A } from './a'\nexport type B = { a: A }\n",
        },
        [],
    ),
    "classes that are used as types": (
        {
            "a.ts": "import { B } from './b'\nexport class A { b?: B }\n",
            "b.ts": "import { A } from './a'\nexport class B { a = new A() }\n",
        },
        [],
    ),
    "values": (
        {
            "a.ts": "import { B } from './b'\nexport class A { b = new B() }\n",
            "b.ts": "import { A } from './a'\nexport class B { a?: A; static c = new A() }\n",
        },
        ["arch.import_cycle"],
    ),
    "local functions of an exported one": (
        {"a.ts": "export function f() {\n  const used = () => 1\n  const loose = () => 2\n  return used()\n}\n"},
        ["maintainability.unused_definition"],
    ),
    "parts of values": (
        {"a.ts": "export const o = make((i) => ({ _m() {}, encode: function _encode() { return _encode } }))\n"},
        [],
    ),
}


@pytest.mark.parametrize(("files", "expected"), TYPESCRIPT.values(), ids=TYPESCRIPT)
def test_typescript(files: Mapping[str, str], expected: Sequence[str]) -> None:
    assert [finding.rule for finding in findings(snapshot_of(files), Settings()).findings] == expected


def test_a_compiled_module_makes_no_cycle() -> None:
    files = {
        "pkg/__init__.py": "from pkg.user import use\n",
        "pkg/user.py": "from pkg import _speedups\nfrom . import _other\n\n\ndef use(): return _speedups, _other\n",
        "pkg/_other.pyi": "from pkg import use\n",
    }
    assert findings(snapshot_of(files), Settings()).findings == ()
    bound = {**files, "pkg/__init__.py": files["pkg/__init__.py"] + "_speedups = None\n"}
    assert [finding.rule for finding in findings(snapshot_of(bound), Settings()).findings] == ["arch.import_cycle"]


INITIALIZATION = Settings(findings=FindingsSettings(rules={"arch.hidden_initialization": "P3"}))


@pytest.mark.parametrize(
    ("head", "count"), [("", 1), ("@task\n", 0), ("async ", 0), ("@task.python(retries=1)\nasync ", 0)]
)
def test_a_call_that_may_not_run_the_function_initialises_nothing(head: str, count: int) -> None:
    text = f"from sdk import task\n\n\n{head}def load():\n    return open('x').read()\n\n\nload()\n"
    answered = findings(snapshot_of({"pkg/a.py": text}), INITIALIZATION)
    assert [finding.rule for finding in answered.findings] == ["arch.hidden_initialization"] * count


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if _made is None:\n        _made = make()\n    return _made if name else None", 0),
        ("if _made:\n        return\n    _made = make()", 1),
        ("_made = make()\n    return _made", 1),
    ],
    ids=["made on first use", "done once", "made each time"],
)
def test_what_is_made_on_first_use_is_no_hidden_initialization(body: str, count: int) -> None:
    head = "_made = None\n\n\ndef make(): return 1\n\n\ndef get(name=None):\n    global _made\n    "
    files = {"p/log.py": f"{head}{body}\n", "p/a.py": "from p.log import get\n\nlog = get(1)\n", "p/__init__.py": ""}
    rules = [finding.rule for finding in findings(snapshot_of(files), INITIALIZATION).findings]
    assert rules == ["arch.hidden_initialization"] * count


NAMING = {
    "java": ({"a/A.java": "package a;\nimport b.B;\nclass A { B b; }\n",
              "b/B.java": "package b;\nimport a.A;\nclass B { A a; }\n"}, 0),
    "kotlin": ({"a/A.kt": "package a\nimport b.B\nclass A { fun go() = B() }\n",
                "b/B.kt": "package b\nimport a.A\nclass B { fun go() = A() }\n"}, 0),
    "rust": ({"src/lib.rs": "pub mod a;\npub mod b;\n", "src/a.rs": "use crate::b::g;\npub fn f() { g() }\n",
              "src/b.rs": "use crate::a::f;\npub fn g() { f() }\n"}, 0),
    "php": ({"app/A.php": "<?php\nnamespace App;\nuse App\\B;\nclass A { function go() { return new B(); } }\n",
             "app/B.php": "<?php\nnamespace App;\nuse App\\A;\nclass B { function go() { return new A(); } "
                          "public function __get($n) {} }\n"}, 0),
    "ruby": ({"lib/a.rb": "require_relative 'b'\n", "lib/b.rb": "require_relative 'a'\n"}, 1),
    "c": ({"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'}, 1),
}  # fmt: skip


@pytest.mark.parametrize(("files", "count"), NAMING.values(), ids=NAMING)
def test_only_imports_that_load_make_a_cycle(files: Mapping[str, str], count: int) -> None:
    assert [one.rule for one in findings(snapshot_of(files), Settings()).findings] == ["arch.import_cycle"] * count


def test_what_others_wrote_comes_last() -> None:
    unused = "def f():\n    def g(): ...\n"
    files = {"a/_vendor/x.py": unused, "lib/jquery.min.js": "function f() { function g() {} }\n", "z.py": unused}
    wanted = Settings(findings=FindingsSettings(generated=True))
    shown = [finding.at.file for finding in findings(snapshot_of(files), wanted).findings]
    assert shown[0] == "z.py"
    assert sorted(shown[1:]) == ["a/_vendor/x.py", "lib/jquery.min.js"]
    answered = findings(snapshot_of(files), Settings())
    assert [finding.at.file for finding in answered.findings] == ["z.py"]
    assert answered.files_left_out == 2


def test_a_rule_that_is_off_looks_where_settings_name_it_and_else_says_so() -> None:
    files = {"a.py": "double = lambda x: 2 * x\n"}
    code = "python.functional_idioms"
    assert [one.rule for one in findings(snapshot_of(files), Settings()).findings] == []
    named, _ = parse_settings({"findings": {"rules": {code: "P3"}}})
    assert [(one.rule, one.priority) for one in findings(snapshot_of(files), named).findings] == [(code, "P3")]
    assert "findings.rules" in why_silent([code], {})
    assert why_silent([code], {code: "P3"}) == why_silent(["ruff/F401"], {}) == ""
    assert why_silent(["arch.import_cycle"], {"arch.import_cycle": "off"})


def test_a_rule_that_no_language_of_a_workspace_is_judged_by_says_so() -> None:
    code = "maintainability.unused_definition"
    alone = snapshot_of({"main.go": "package main\n\nfunc never() {}\n"})
    assert "says nothing of go" in why_silent([code], {}, alone)
    assert why_silent([code], {code: "P3"}, alone) == ""
    assert why_silent([code], {}, snapshot_of({"main.go": "package main\n", "a.py": "x = 1\n"})) == ""


def test_scripts_are_programs_that_nobody_imports() -> None:
    views = Views(snapshot_of({"lib/init.sh": "run() { X=1; }\n", "app/core.py": "x = 1\n", "manage.py": "x = 1\n"}))
    assert list(views.sources()) == ["app/core.py", "lib/init.sh", "manage.py"]
    assert list(views.sources(programs=False)) == ["app/core.py"]


def test_a_rule_is_silent_in_languages_where_it_was_not_tried_unless_settings_ask_for_it() -> None:
    code = "maintainability.unused_definition"
    files = {"a.py": "def _loose(): ...\n", "src/main.rs": "fn main() {}\nfn loose() {}\n"}
    snapshot = snapshot_of(files)
    asked, _ = parse_settings({"findings": {"rules": {code: "P3"}}})
    assert [one.at.file for one in findings(snapshot, Settings()).findings] == ["a.py"]
    found = findings(snapshot, asked).findings
    assert sorted(one.at.file for one in found) == ["a.py", "src/main.rs"]
    # What is silent says of nothing that it is fixed.
    less = snapshot_of({"a.py": "", "src/main.rs": "fn main() {}\n"})
    known = KnownFindings(baseline_text(Baseline(), found).encode())
    assert [one.file for one in findings(less, Settings(), known).fixed] == ["a.py"]
