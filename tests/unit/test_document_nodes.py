"""Entries of documents as what a question is about: how they are spelled, what hangs on them, what is not claimed."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import AmbiguousSymbol, BadRequest, UnknownSymbol
from graphls.graph.identity import derived_id
from graphls.graph.snapshot import Snapshot
from graphls.queries.document_uses import document_node_at
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_node
from graphls.session.memory import snapshot_of

FILES = {
    "db/1.sql": b"create table users (id int, mail text);\n",
    "db/2.sql": b"create view mails as select mail from users;\n",
    "db/3.sql": b"create table other (mail text);\n",
    "a.graphql": b"type Query { user: User }\nextend type User { age: Int }\ntype User { id: ID }\n",
    "app.py": b"def orders(): ...\n",
    "x.sql": b"create table orders (id int);\n",
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(FILES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("users", "db/1.sql:users"),
        ("users.mail", "db/1.sql:users.mail"),
        ("db/1.sql:mail", "db/1.sql:users.mail"),
        ("a.graphql:User", "a.graphql:User"),
        ("User.age", "a.graphql:User.age"),
        ("orders", "app:orders"),
        ("x.sql:orders", "x.sql:orders"),
    ],
)
def test_an_entry_is_asked_for_by_its_name(snapshot: Snapshot, text: str, expected: str) -> None:
    found = one_node(snapshot, text)
    assert Presenter(snapshot).symbol(found) == expected
    if isinstance(found, DerivedNode):
        assert one_node(snapshot, derived_id(snapshot, found)) == one_node(snapshot, expected) == found


def test_several_are_refused_with_names_that_can_be_given_back(snapshot: Snapshot) -> None:
    with pytest.raises(AmbiguousSymbol) as refused:
        one_node(snapshot, "mail")
    assert refused.value.candidates == ("db/1.sql:users.mail", "db/2.sql:mails.mail", "db/3.sql:other.mail")
    with pytest.raises(UnknownSymbol):
        one_node(snapshot, "db/1.sql:nothing")


@pytest.mark.parametrize(
    ("path", "line", "column", "expected"),
    [
        ("db/2.sql", 1, 30, "db/1.sql:users.mail"),
        ("db/2.sql", 1, 0, "db/2.sql:mails"),
        ("a.graphql", 1, 21, "a.graphql:User"),
    ],
)
def test_an_entry_is_asked_for_by_a_position(
    snapshot: Snapshot, path: str, line: int, column: int, expected: str
) -> None:
    found = document_node_at(snapshot, FilePath(path), line, column)
    assert Presenter(snapshot).symbol(found) == expected


WORKFLOW = b"""# about it
jobs:
  build:
    steps:
      - uses: a
      - run: make
  test:
    steps: []
"""


def test_a_line_without_an_entry_of_its_own_means_the_one_around() -> None:
    known = snapshot_of({"ci.yml": WORKFLOW, "a.md": b"# One\n\ntext\n\n## Two\n\nmore\n"})
    wanted = [("ci.yml", 6, "ci.yml:jobs.build"), ("ci.yml", 3, "ci.yml:jobs.build"), ("ci.yml", 8, "ci.yml:jobs.test")]
    for path, line, name in (*wanted, ("a.md", 7, "a.md:Two"), ("a.md", 3, "a.md:One")):
        assert Presenter(known).symbol(document_node_at(known, FilePath(path), line)) == name
    with pytest.raises(BadRequest):
        document_node_at(known, FilePath("ci.yml"), 1)


@pytest.mark.parametrize(
    ("name", "above"),
    [("jobs.build.steps[1].run", ("ci.yml:jobs.build",)), ("jobs.nothing", ("ci.yml:jobs",)), ("nothing.at", ())],
)
def test_a_name_that_is_too_deep_is_refused_with_what_holds_it(name: str, above: tuple[str, ...]) -> None:
    with pytest.raises(UnknownSymbol) as refused:
        one_node(snapshot_of({"ci.yml": WORKFLOW}), f"ci.yml:{name}")
    assert refused.value.candidates == above


@pytest.mark.parametrize(("line", "column"), [(1, 8), (9, 9), (2, 0)])
def test_where_nothing_stands_is_refused(snapshot: Snapshot, line: int, column: int) -> None:
    with pytest.raises(BadRequest, match=f"at db/2.sql:{line}"):
        document_node_at(snapshot, FilePath("db/2.sql"), line, column)


def test_a_table_reaches_what_uses_its_columns_and_claims_nothing_about_code(snapshot: Snapshot) -> None:
    found = impact(snapshot, ImpactQuery(one_node(snapshot, "users")))
    view = Presenter(snapshot)
    assert {view.symbol(one.node) for one in found.affected} == {"db/2.sql:mails", "db/2.sql:mails.mail"}
    assert [gap.cause for gap in found.coverage.completeness.gaps] == ["spelled_in_code"]


def test_an_entry_is_shown_with_what_it_holds(snapshot: Snapshot) -> None:
    view = Presenter(snapshot)
    found = node(snapshot, one_node(snapshot, "a.graphql:Query"))
    assert [view.symbol(one) for one in found.members] == ["a.graphql:Query.user"]
    found = node(snapshot, one_node(snapshot, "a.graphql:User"))
    assert [(one.kind, one.incoming, one.count) for one in found.groups] == [
        ("contains", True, 1),
        ("references", True, 2),
    ]
    assert [gap.cause for gap in found.coverage.completeness.gaps] == ["spelled_in_code"]


def test_neighbors_of_an_entry(snapshot: Snapshot) -> None:
    view = Presenter(snapshot)
    found = neighborhood(snapshot, one_node(snapshot, "Query.user"), NeighborhoodQuery())
    assert [(edge.kind, view.symbol(edge.source), view.symbol(edge.target)) for edge in found.edges] == [
        ("references", "a.graphql:Query.user", "a.graphql:User"),
        ("contains", "a.graphql", "a.graphql:Query.user"),
    ]
    assert [gap.cause for gap in found.coverage.completeness.gaps] == ["spelled_in_code"]
