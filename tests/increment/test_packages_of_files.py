"""Packages of several files: what edits of one of them mean to the others, and to those who import them.

Owns: files of a package that come, go and change; who is linked anew.
Must not know: what facts or links say.
Invariant: facts, surfaces, links and names are those of a fresh index.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from fixture_text import fixture
from graphls.graph.snapshot import Snapshot
from graphls.session.session import Session
from increment.editor import Step, assert_as_fresh, steps_with
from increment.session_folder import edit, everything, from_scratch, key, relinked, session_over, settle, write

FIXTURES = Path(__file__).parents[2] / "fixtures" / "go" / "resolution"
BLOCKS = (
    b"func pasted(first int) *Thing { return helper(first) }\n",
    b"type Pasted struct {\n\t*Base\n\tName string\n}\n",
    b"func (t *Thing) Pasted() error { return t.Save() }\n",
    b"package other\n",
    b'import . "example.org/shop/store"\n',
    b"{",
    b"`",
)


def files_of(name: str) -> dict[str, bytes]:
    """The files of one fixture."""
    return dict(fixture((FIXTURES / name).read_text("utf-8")).files)


@given(steps=steps_with(BLOCKS, 12))
@settings(max_examples=12)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    assert_as_fresh(files_of("packages.txt"), (".go",), steps)


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
