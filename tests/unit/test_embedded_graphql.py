"""Embedded GraphQL: documents in strings of code lead to the schema, and the schema back to the code.

Owns: tagged templates, calls with strings of Python, comments, what a program puts in between.
Must not know: how the schema is looked up.
Invariant: nothing outside of such a string is read as GraphQL.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.node_table import NodeSummaries
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.definition import definition
from graphls.queries.document_uses import document_spans, entries_named
from graphls.queries.hover import hover
from graphls.queries.impact import ImpactQuery, impact
from graphls.session.memory import snapshot_of

SCHEMA = """type Query { user(id: ID!): User posts: [Post!]! }
type User { name: String! posts: [Post!]! role: Role }
type Post { title: String! }
enum Role { ADMIN GUEST }
"""
CLIENT = """import { gql, useQuery } from "@apollo/client";
// gql`query { posts { title } }` in a comment
export const USER = gql`
  query One($id: ID!) { user(id: $id) { name ${"posts { title }"} ...Fields } }
  ${FIELDS}
`;
export function useUser() { return useQuery(USER); }
export function roles() { return graphql<string>`{ user(id: 1) { role nothing } }`; }
"""
PYTHON = '''from gql import gql

TEXT = "query { posts { title } }"
QUERY = gql("""
query { posts { title } }
""")


def run(client):
    return client.execute(gql('{ user(id: 1) { name } }'))
'''
FILES = {"api/schema.graphql": SCHEMA, "web/client.ts": CLIENT, "web/app.py": PYTHON}


def _title(snapshot: Snapshot, place: SymbolRef) -> str:
    return f"{place.file}:{NodeSummaries(snapshot, place.file).summary(place.definition).name}"


def _users(snapshot: Snapshot, name: str) -> list[str]:
    entry = entries_named(snapshot, FilePath("api/schema.graphql"), name)[0]
    assert snapshot.derivation is not None
    edges = snapshot.derivation.edges_to(snapshot, entry)
    return sorted(
        _title(snapshot, edge.source)
        for edge in edges
        if isinstance(edge.source, SymbolRef) and edge.attributes.get("via") == "graphql"
    )


@pytest.mark.parametrize(
    ("entry", "users"),
    [
        ("User.name", ["web/app.py:run", "web/client.ts:USER"]),
        ("User.role", ["web/client.ts:roles"]),
        ("Query.user.id", ["web/app.py:run", "web/client.ts:USER", "web/client.ts:roles"]),
        ("Post.title", ["web/app.py:QUERY"]),
        ("User.posts", []),
    ],
)
def test_documents_in_code_use_the_schema(entry: str, users: list[str]) -> None:
    assert _users(snapshot_of(FILES), entry) == users


def test_a_name_in_a_document_leads_to_its_declaration_and_back() -> None:
    snapshot, path = snapshot_of(FILES), FilePath("web/client.ts")
    at = CLIENT.index("name $")
    found = definition(snapshot, path, at)
    assert found is not None
    assert [(place.file, place.start) for place in found.places] == [("api/schema.graphql", SCHEMA.index("name:"))]
    shown = hover(snapshot, path, at)
    assert shown is not None
    assert (shown.at.start, shown.at.end) == (at, at + 4)
    entry = entries_named(snapshot, FilePath("api/schema.graphql"), "User.name")[0]
    assert [span[:2] for span in document_spans(snapshot, entry)] == [
        ("web/app.py", PYTHON.index("name }")),
        ("web/client.ts", at),
    ]
    # What a program puts in between, a comment and a string without a tag are no document.
    for path_of, text, word in ((path, CLIENT, "title } }` in"), ("web/app.py", PYTHON, 'title } }"')):
        assert hover(snapshot, FilePath(path_of), text.index(word)) is None
    assert definition(snapshot, path, CLIENT.index('title }"}')) is None


def test_who_uses_the_code_depends_on_the_field() -> None:
    snapshot = snapshot_of(FILES)
    entry = entries_named(snapshot, FilePath("api/schema.graphql"), "User.name")[0]
    reached = impact(snapshot, ImpactQuery(entry))
    names = {_title(snapshot, one.node) for one in reached.affected if isinstance(one.node, SymbolRef)}
    assert {"web/client.ts:USER", "web/client.ts:useUser", "web/app.py:run"} <= names


def test_the_schema_may_come_later() -> None:
    without = snapshot_of({path: text for path, text in FILES.items() if not path.endswith(".graphql")})
    assert without.derivation is not None
    assert not without.derivation.edges_from(without, FilePath("web/client.ts"))
