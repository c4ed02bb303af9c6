"""Packages of several files: what edits of one of them mean to the others, and to those who import them.

Owns: files of a package that come, go and change; who is linked anew.
Must not know: what facts or links say.
Invariant: facts, surfaces, links and names are those of a fresh index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from tree_sitter import Tree

from fixture_text import fixture
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.declared.declared_provider import DeclaredProvider
from graphls.languages.registry import providers
from graphls.session.session import Session
from increment.editor import Step, assert_as_fresh, steps_with
from increment.session_folder import edit, everything, from_scratch, key, relinked, session_over, settle, write

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLES = int(os.environ.get("GRAPHLS_RANDOM_EDITS", "2"))
"""How many series of up to 12 edits each workspace sees."""


def workspaces() -> Iterator[tuple[str, str, tuple[str, ...], tuple[bytes, ...]]]:
    """Fixtures of resolution of each language that says in `edits.json` which files of them are edited, and what lines
    of its own may come anywhere."""
    for language in sorted(providers()):
        said = FIXTURES / language / "edits.json"
        for group in json.loads(said.read_text("utf-8")) if said.is_file() else ():
            lines = tuple(line.encode() for line in group["lines"])
            for path in sorted((FIXTURES / language / "resolution").glob(group["cases"])):
                # Scripts without an ending have edits of their own (`test_first_lines`): their first line decides.
                if any(f"{ending} ---" in path.read_text("utf-8") for ending in group["endings"]):
                    yield language, path.stem, tuple(group["endings"]), lines


WORKSPACES = list(workspaces())


def files_of(language: str, name: str) -> dict[str, bytes]:
    """The files of one fixture."""
    return dict(fixture((FIXTURES / language / "resolution" / f"{name}.txt").read_text("utf-8")).files)


@pytest.mark.parametrize(("language", "name", "endings", "blocks"), WORKSPACES, ids=lambda one: str(one)[:12])
def test_any_edits_end_where_a_fresh_index_begins(
    language: str, name: str, endings: tuple[str, ...], blocks: tuple[bytes, ...]
) -> None:
    files = files_of(language, name)
    # Lines of the workspace itself, so that declarations and members come and go in other places too.
    lines = sorted({line + b"\n" for text in files.values() for line in text.split(b"\n") if line.strip()})

    @given(steps=steps_with((*blocks, *lines), 12))
    @settings(max_examples=EXAMPLES)
    def edits(steps: list[Step]) -> None:
        assert_as_fresh(files, endings, steps)

    edits()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(
        tmp_path,
        {
            "go.mod": "module example.org/m\n",
            "shop/a.go": "package shop\n\nfunc First() int { return second() }\n",
            "shop/b.go": "package shop\n\nfunc second() int { return 2 }\n",
            "shop/c.go": "package shop\n\nfunc other() {}\n",
            "shop/outside_test.go": "package shop_test\n\nfunc second() {}\n",
            **{
                f"user{n}/u.go": f'package user{n}\n\nimport "example.org/m/shop"\n\nvar X = shop.First()\n'
                for n in range(5)
            },
            "alone/d.go": "package alone\n\nfunc alone() {}\n",
        },
    )
    with session_over(tmp_path) as made:
        relinked(made)
        yield made


def reaches(snapshot: Snapshot, path: str, name: str) -> list[str]:
    """Files that the uses of a name in a file lead to."""
    facts = snapshot.facts(key(path))
    rows = [row for row, word in enumerate(facts.occurrences.name) if facts.strings[word] == name]
    return [end.place.file for row in rows for end in snapshot.targets(key(path), row) if end.place is not None]


def test_a_name_that_only_the_package_spells_is_news_to_its_files(session: Session) -> None:
    text = 'package shop\n\nfunc second() string { return "" }\n'
    assert edit(session, "shop/b.go", text) == ["shop/a.go", "shop/b.go"]


def test_a_body_is_news_to_nobody(session: Session) -> None:
    assert edit(session, "shop/b.go", "package shop\n\nfunc second() int { return 3 }\n") == ["shop/b.go"]


def test_a_file_that_joins_a_package_is_asked(session: Session) -> None:
    assert reaches(settle(session), "shop/a.go", "second") == ["shop/b.go"]
    session.open(key("shop/e.go"), b"package shop\n\nfunc second() int { return 2 }\n")
    snapshot = settle(session)
    assert sorted(reaches(snapshot, "shop/a.go", "second")) == ["shop/b.go", "shop/e.go"]
    assert "alone/d.go" not in relinked(session)
    assert everything(snapshot) == from_scratch(snapshot)


def test_a_file_that_changes_its_package_leaves_it(session: Session) -> None:
    text = "package shop_test\n\nfunc second() int { return 2 }\n"
    assert "shop/a.go" in edit(session, "shop/b.go", text)
    assert reaches(settle(session), "shop/a.go", "second") == []


def test_a_module_that_is_called_otherwise_is_another(session: Session) -> None:
    session.open(key("go.mod"), b"module example.org/n\n")
    snapshot = settle(session)
    assert everything(snapshot) == from_scratch(snapshot)
    assert reaches(snapshot, "user1/u.go", "First") == []


def test_a_workspace_of_modules_that_replaces_others_is_read_anew(tmp_path: Path) -> None:
    uses = 'package app\n\nimport "example.org/lib/deep"\n\nvar X = deep.First()\n'
    first = "package deep\n\nfunc First() int { return 1 }\n"
    files = {
        "go.work": "go 1.22\n\nuse ./app\n",
        "app/go.mod": "module example.org/app\n",
        "app/a.go": uses,
        "tool/go.mod": "module example.org/tool\n\nreplace example.org/lib => ../old\n",
        "old/deep/d.go": first,
        "new/deep/d.go": first,
    }
    write(tmp_path, files)
    with session_over(tmp_path) as made:
        relinked(made)
        assert reaches(settle(made), "app/a.go", "First") == []
        for work, leads in (
            ("go 1.22\n\nuse ./app\n\nreplace example.org/lib => ./new\n", ["new/deep/d.go"]),
            ("use (\n\t./app\n\t./tool // the modules\n)\n", ["old/deep/d.go"]),
            ("use ./tool\n", []),
            ("use (\n\t./app\n\t./tool\n)\nreplace (\n\texample.org/lib v1.2.0 => ./new\n)\n", ["new/deep/d.go"]),
        ):
            (tmp_path / "go.work").write_text(work)
            made.files_changed([key("go.work")])
            snapshot = settle(made)
            assert reaches(snapshot, "app/a.go", "First") == leads
            assert everything(snapshot) == from_scratch(snapshot)
        (tmp_path / "go.work").unlink()
        (tmp_path / "app/go.mod").write_text("module example.org/app\n\nreplace example.org/lib => ../old\n")
        made.files_changed([key("go.work"), key("app/go.mod")])
        snapshot = settle(made)
        assert reaches(snapshot, "app/a.go", "First") == ["old/deep/d.go"]
        assert everything(snapshot) == from_scratch(snapshot)


@pytest.fixture
def java(tmp_path: Path) -> Iterator[Session]:
    write(
        tmp_path,
        {
            "shop/Item.java": "package shop;\npublic class Item {\n  public int price() { return 1; }\n"
            "  public int size() { return 2; }\n}\n",
            "shop/Visitor.java": "package shop;\npublic interface Visitor { void visit(Item item); }\n",
            "shop/Walker.java": "package shop;\npublic class Walker { public void each(Visitor visitor) {} }\n",
            "shop/Pair.java": "package shop;\npublic record Pair(Item first, Item second) {}\n",
            **{
                f"user{n}/User{n}.java": f"package user{n};\nimport shop.Item;\n"
                f"class User{n} {{ int of(Item one) {{ return one.{'price' if n % 2 else 'size'}(); }} }}\n"
                for n in range(6)
            },
            "user/Lambda.java": "package user;\nimport shop.Walker;\n"
            "class Lambda { void all(Walker walker) { walker.each(one -> one.price()); } }\n",
            "user/Pattern.java": "package user;\nimport shop.Pair;\nclass Pattern { int of(Object any) {\n"
            "  return any instanceof Pair(var one, var other) ? other.price() : 0; } }\n",
        },
    )
    with session_over(tmp_path) as made:
        relinked(made)
        yield made


def test_java_asks_those_who_spell_a_changed_name(java: Session) -> None:
    text = "public class Item {\n  public long price() { return 1; }\n  public int size() { return 2; }\n}\n"
    spelling = ["user/Lambda.java", "user/Pattern.java", *(f"user{n}/User{n}.java" for n in (1, 3, 5))]
    assert edit(java, "shop/Item.java", f"package shop;\n{text}") == ["shop/Item.java", *spelling]


def test_the_method_of_an_interface_is_news_to_lambdas_that_do_not_spell_it(java: Session) -> None:
    text = "package shop;\npublic interface Visitor { void visit(String item); }\n"
    assert "user/Lambda.java" in edit(java, "shop/Visitor.java", text)
    assert reaches(settle(java), "user/Lambda.java", "price") == []


def test_a_component_of_a_record_is_news_to_patterns_that_do_not_spell_it(java: Session) -> None:
    text = "package shop;\npublic record Pair(Item first, String text, Item second) {}\n"
    assert "user/Pattern.java" in edit(java, "shop/Pair.java", text)


def test_methods_that_an_interface_asks_for_are_news_to_types_that_do_not_spell_them(tmp_path: Path) -> None:
    saver = "package shop\n\ntype Saver interface {\n\tSave() error\n}\n"
    write(
        tmp_path,
        {
            "shop/saver.go": saver,
            **{
                f"shop/t{n}.go": f"package shop\n\ntype T{n} struct{{}}\n\n"
                f"func (t *T{n}) Save() error {{ return nil }}\n"
                for n in range(5)
            },
        },
    )
    with session_over(tmp_path) as session:
        relinked(session)
        found = edit(session, "shop/saver.go", saver.replace("Save() error", "Save() error\n\tLoad() error"))
        assert "shop/t3.go" in found
        assert not settle(session).links(key("shop/t3.go")).overrides.definition


@pytest.fixture
def csharp(tmp_path: Path) -> Iterator[Session]:
    write(
        tmp_path,
        {
            "P/P.csproj": "<Project></Project>\n",
            "P/A.cs": "namespace P;\nclass A { void M() { new B().N(); } }\n",
            "P/In/B.cs": "namespace P;\nclass B { public void N() {} }\n",
            "P/C.cs": "namespace P;\nclass C { int B; void M() { new A(); } }\n",
            "P/D.cs": "namespace P;\nclass D { void M() { new Later(); 1.Half(); } }\n",
            "P/E.cs": "using Q.Deep;\nnamespace P;\nclass E { }\n",
        },
    )
    with session_over(tmp_path) as made:
        relinked(made)
        yield made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("namespace P;\nclass Later { }\n", ["P/D.cs"]),
        ("namespace P;\nclass Nobody { int Later; }\n", []),
        ("static class X { public static int Half(this int one) => one; }\n", ["P/D.cs"]),
        ("namespace Q.Deep.Inner { class Nobody { } }\n", ["P/E.cs"]),
        ("global using Q;\n", ["P/D.cs"]),
    ],
    ids=["type", "member", "extension", "namespace", "global using"],
)
def test_a_file_that_joins_a_project_is_news_to_who_asked(csharp: Session, text: str, expected: list[str]) -> None:
    csharp.open(key("P/New.cs"), text.encode())
    snapshot = settle(csharp)
    assert set(relinked(csharp)) == {"P/New.cs", *expected}
    assert everything(snapshot) == from_scratch(snapshot)


def test_a_project_inside_of_a_project_takes_its_files_along(csharp: Session) -> None:
    assert reaches(settle(csharp), "P/A.cs", "B") == ["P/In/B.cs"]
    csharp.open(key("P/In/In.csproj"), b"<Project></Project>\n")
    snapshot = settle(csharp)
    assert reaches(snapshot, "P/A.cs", "B") == []
    assert everything(snapshot) == from_scratch(snapshot)


def test_a_file_without_a_folder_asks_again_for_those_beside_it(tmp_path: Path) -> None:
    write(tmp_path, {"First.java": "class First { Second other; }\n"})
    with session_over(tmp_path) as session:
        session.open(key("Second.java"), b"class Second {}\n")
        snapshot = settle(session)
        assert reaches(snapshot, "First.java", "Second") == ["Second.java"]
        assert everything(snapshot) == from_scratch(snapshot)


def test_a_file_that_cannot_be_read_leaves_packages_as_they_are(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a/a.go": "package a\n\nfunc First() int { return second() }\n",
            "a/b.go": "package a\n\nfunc second() int { return 2 }\n",
            "a/c.go": "package a\n\nfunc third() {}\n",
        },
    )
    broken = DeclaredProvider.extract

    def extract(self: DeclaredProvider, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        if path == "a/c.go":
            raise ValueError("for this test")
        return broken(self, path, data, tree)

    with patch.object(DeclaredProvider, "extract", extract), session_over(tmp_path) as session:
        assert key("a/c.go") not in session.snapshot().files()
        assert reaches(settle(session), "a/a.go", "second") == ["a/b.go"]
