"""GraphQL: what schemas declare, and what names of operations lead to."""

from __future__ import annotations

import pytest

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes
from graphls.analysis.frameworks.documents import document_edges
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.languages.config.reading import read_document
from graphls.session.memory import snapshot_of

SCHEMA = b'''extend schema @link(url: "https://specs.apollo.dev/federation/v2.0")
"""Who buys. type Query { wrong: Int }"""
type User implements Node & Named @key(fields: "id") {
  id: ID!
  posts(first: Int = 10, where: PostFilter = {status: ACTIVE}): [Post!]!
}
extend type User { age: Age }
interface Node { id: ID! }
union Found = | User | Post
enum Status { ACTIVE OLD }
input PostFilter { status: Status = ACTIVE, type: String }
directive @key(fields: String!) repeatable on OBJECT
type Post { title: String author: User }
type Query { user(id: ID!): User found: Found type: Status }
scalar Age
'''


def uses(files: dict[str, bytes], path: str) -> list[str]:
    """`word@line -> kind name (file)` of what a file uses, in order; "?" for what leads to nothing."""
    snapshot = snapshot_of(files)
    found: dict[tuple[int, int], str] = {}
    for edge in document_edges(snapshot, snapshot, FilePath(path)):
        target = edge.target
        assert isinstance(target, DerivedNode)
        for _, start, end in edge.sites:
            found[start, end] = f"{target.subkind} {target.name} ({target.file})"
    text = files[path]
    return [
        f"{text[one.start : one.end].decode()} -> {found.get((one.start, one.end), '?')}"
        for one in document_of(snapshot, FilePath(path)).references
    ]


def entries(text: bytes) -> list[str]:
    """`kind name` of what a text declares, in order."""
    return [f"{one.kind} {one.name}" for one in read_document("a.graphql", text).entries]


def test_a_schema_declares_types_fields_arguments_values_and_directives() -> None:
    assert entries(SCHEMA) == [
        "schema schema",
        "type User", "field User.id", "field User.posts", "argument User.posts.first", "argument User.posts.where",
        "extension User", "field User.age",
        "interface Node", "field Node.id",
        "union Found",
        "enum Status", "value Status.ACTIVE", "value Status.OLD",
        "input PostFilter", "field PostFilter.status", "field PostFilter.type",
        "directive @key", "argument @key.fields",
        "type Post", "field Post.title", "field Post.author",
        "type Query", "field Query.user", "argument Query.user.id", "field Query.found", "field Query.type",
        "scalar Age",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("query Get($id: ID!) { me: user(id: $id) { posts { title } } }", [
            "user -> field Query.user (api/a.graphql)",
            "id -> argument Query.user.id (api/a.graphql)",
            "posts -> field User.posts (api/a.graphql)",
            "title -> field Post.title (api/a.graphql)",
        ]),
        ("{ user { age posts(where: {status: OLD}) { __typename } } }", [
            "user -> field Query.user (api/a.graphql)",
            "age -> field User.age (api/a.graphql)",
            "posts -> field User.posts (api/a.graphql)",
            "where -> argument User.posts.where (api/a.graphql)",
            "status -> field PostFilter.status (api/a.graphql)",
            "OLD -> value Status.OLD (api/a.graphql)",
        ]),
        ("{ found { ... on Post @include(if: true) { author { ...Who } } } }\nfragment Who on User { id }", [
            "found -> field Query.found (api/a.graphql)",
            "Post -> type Post (api/a.graphql)",
            "author -> field Post.author (api/a.graphql)",
            "Who -> fragment Who (web/q.gql)",
            "User -> type User (api/a.graphql)",
            "id -> field User.id (api/a.graphql)",
        ]),
        ("query F($w: PostFilter = {status: ACTIVE}) { user { posts(where: $w) { nothing { id } } } }", [
            "PostFilter -> input PostFilter (api/a.graphql)",
            "status -> field PostFilter.status (api/a.graphql)",
            "ACTIVE -> value Status.ACTIVE (api/a.graphql)",
            "user -> field Query.user (api/a.graphql)",
            "posts -> field User.posts (api/a.graphql)",
            "where -> argument User.posts.where (api/a.graphql)",
            "nothing -> ?",
            "id -> ?",
        ]),
        ("mutation { user { id } }", ["user -> ?", "id -> ?"]),
    ],
)  # fmt: skip
def test_a_name_of_an_operation_leads_where_its_way_leads(operation: str, expected: list[str]) -> None:
    assert uses({"api/a.graphql": SCHEMA, "web/q.gql": operation.encode()}, "web/q.gql") == expected


def test_names_of_a_schema_lead_to_its_types() -> None:
    found = uses({"a.graphql": SCHEMA}, "a.graphql")
    assert found[:5] == [
        "link -> ?",
        "url -> ?",
        "Node -> interface Node (a.graphql)",
        "Named -> ?",
        "key -> directive @key (a.graphql)",
    ]
    assert "User -> type User (a.graphql)" in found
    assert "ACTIVE -> value Status.ACTIVE (a.graphql)" in found


def test_operations_begin_where_the_schema_says() -> None:
    schema = b"schema { query: Root }\ntype Root { one: Int }\ntype Query { one: Int }\n"
    found = uses({"a.graphql": schema, "q.graphql": b"query Q { one }"}, "q.graphql")
    assert found == ["one -> field Root.one (a.graphql)"]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("one/web/q.graphql", "user -> field Query.user (one/a.graphql)"),
        ("two/q.graphql", "user -> ?"),
        ("q.graphql", "user -> field Query.user (one/a.graphql)"),
    ],
)
def test_a_file_with_a_schema_around_it_leads_to_no_other(file: str, expected: str) -> None:
    files = {"one/a.graphql": b"type Query { user: Int }", "two/a.graphql": b"type Query { other: Int }"}
    assert uses({**files, file: b"{ user }"}, file) == [expected]


def test_what_two_files_of_a_folder_declare_is_none() -> None:
    files = {
        "a.graphql": b"type A { x: Int }",
        "b.graphql": b"type A { x: Int }",
        "c.graphql": b"extend type A { y: B }",
    }
    assert uses(files, "c.graphql") == ["A -> ?", "B -> ?"]
    assert uses({**files, "a.graphql": b"type A { a: A }"}, "a.graphql") == ["A -> type A (a.graphql)"]


@pytest.mark.parametrize(
    "broken",
    [
        b"type Bad { a: ",
        b"type Bad @x(",
        b'"""text',
        b"query { a(b: {",
        b"extend type Bad @only",
        b"input Bad { a: [Int",
        b"}}}",
    ],
)
def test_a_broken_definition_takes_no_other_with_it(broken: bytes) -> None:
    text = b"type First { a: Int }\n" + broken + b"\ntype Last {\n  b: First\n}\n"
    closed = broken != b'"""text'
    assert entries(text)[:2] == ["type First", "field First.a"]
    assert (entries(text)[-2:] == ["type Last", "field Last.b"]) is closed


def test_selections_may_nest_as_deep_as_a_file_is_long() -> None:
    text = b"query {" + b" a {" * 5_000 + b" b " + b"}" * 5_001
    snapshot = snapshot_of({"a.graphql": text})
    assert [node.name for node in entry_nodes(snapshot, FilePath("a.graphql"))] == []
    assert len(document_of(snapshot, FilePath("a.graphql")).references) < 100
