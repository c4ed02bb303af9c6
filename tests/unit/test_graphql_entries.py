"""Operations of GraphQL and methods of services among the entries of a program."""

from __future__ import annotations

import pytest

from graphls.analysis.frameworks.derivation import FrameworkDerivation
from graphls.facts.paths import FilePath
from graphls.graph.evidence import RawEdge
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.entry import find_entry
from graphls.queries.entry_list import entry_list
from graphls.session.memory import snapshot_of

NEST = (
    "import { Resolver, Query, Mutation } from '@nestjs/graphql'\n@Resolver()\nexport class Rows {\n"
    "  @Query(() => [Row])\n  rows() { return [] }\n  @Mutation(() => Row, { name: 'addRow' })\n  add() {}\n}\n"
)
SCHEMA = "type Row { id: ID }\ntype Query { rows: [Row] }\ntype Mutation { addRow: Row }\n"


def listed(files: dict[str, str]) -> dict[str, list[str]]:
    snapshot = snapshot_of(files)
    return {
        one.entry.name: [symbol_name(snapshot, place).rpartition(":")[2] for place in one.handlers]
        for one in entry_list(snapshot).entries
    }


def test_resolvers_are_entries_without_a_schema() -> None:
    assert listed({"rows.resolver.ts": NEST}) == {"rows": ["Rows.rows"], "addRow": ["Rows.add"]}


def test_fields_of_root_types_that_code_answers_are_entries_once() -> None:
    files = {"rows.resolver.ts": NEST, "schema.graphql": SCHEMA}
    assert listed(files) == {"Query.rows": ["Rows.rows"], "Mutation.addRow": ["Rows.add"]}
    snapshot = snapshot_of(files)
    assert find_entry(snapshot, "Query.rows").file == "schema.graphql"


def test_edges_of_one_schema_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a schema of two thousand operations each one went through the edges of all: a list took 62 seconds."""
    names = [f"row{number}" for number in range(40)]
    methods = "".join(f"  @Query(() => [Row])\n  {name}() {{ return [] }}\n" for name in names)
    code = f"import {{ Resolver, Query }} from '@nestjs/graphql'\n@Resolver()\nexport class Rows {{\n{methods}}}\n"
    fields = " ".join(f"{name}: [Row]" for name in names)
    schema = f"type Row {{ id: ID }}\ntype Query {{ {fields} }}\n"
    snapshot = snapshot_of({"rows.resolver.ts": code, "schema.graphql": schema})
    asked, edges_from = list[str](), FrameworkDerivation.edges_from

    def counted(self: FrameworkDerivation, snapshot: Snapshot, path: FilePath) -> tuple[RawEdge, ...]:
        asked.append(path)
        return edges_from(self, snapshot, path)

    monkeypatch.setattr(FrameworkDerivation, "edges_from", counted)
    found = entry_list(snapshot).entries
    assert [one.entry.name for one in found] == [f"Query.{name}" for name in names]
    assert all(len(one.handlers) == 1 for one in found)
    assert asked.count("schema.graphql") == 1


def test_methods_of_services_that_code_answers_are_entries() -> None:
    files = {
        "rows.proto": (
            "service Rows { rpc Get (A) returns (B); rpc Left (A) returns (B); }\nmessage A {}\nmessage B {}\n"
        ),
        "server.py": (
            "import rows_pb2_grpc\n\n\nclass RowsServicer(rows_pb2_grpc.RowsServicer):\n"
            "    def Get(self, request, context): ...\n"
        ),
    }
    assert listed(files) == {"Rows.Get": ["RowsServicer.Get"]}
