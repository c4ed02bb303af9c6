"""Prototypes and definitions of C: one symbol with two places, for every question.

Owns: what rests on the edge from a definition to its prototypes.
Must not know: how names are resolved (the fixtures do).
Invariant: a use of the prototype counts for the definition.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callers
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.implementation import implementation
from graphls.session.memory import snapshot_of

FILES = {
    "list.h": b"#define LIST_MOST 4\nint list_add(int value);\nint list_max(void);\n",
    "list.c": (
        b'#include "list.h"\n'
        b"static int grown(int a) { return a; }\n"
        b"int list_add(int value) { return grown(value); }\n"
        b"int list_max(void) { return LIST_MOST; }\n"
    ),
    "main.c": b'#include "list.h"\nint add(void) { return list_add(1); }\nint other(void) { return list_max(); }\n',
    "else.c": b"static int list_add(int value) { return value; }\nint mine(void) { return list_add(2); }\n",
}


def place(snapshot: Snapshot, file: str, name: str) -> SymbolRef:
    facts = snapshot.facts(FilePath(file))
    table = facts.definitions
    return SymbolRef(FilePath(file), next(r for r in range(len(table)) if facts.strings[table.name[r]] == name))


def named(snapshot: Snapshot, found: SymbolRef) -> str:
    facts = snapshot.facts(found.file)
    return f"{found.file}:{facts.strings[facts.definitions.name[found.definition]]}"


def test_impact_of_a_definition_reaches_who_uses_its_prototype() -> None:
    snapshot = snapshot_of(FILES)
    found = impact(snapshot, ImpactQuery(place(snapshot, "list.c", "grown")))
    names = {named(snapshot, one.node) for one in found.affected if isinstance(one.node, SymbolRef)}
    assert {"list.c:list_add", "main.c:add"} <= names
    assert not names & {"main.c:other", "else.c:mine", "else.c:list_add"}


def test_callers_of_a_definition_call_its_prototype() -> None:
    snapshot = snapshot_of(FILES)
    for file in ("list.c", "list.h"):
        calls = callers(snapshot, place(snapshot, file, "list_add"))
        assert [named(snapshot, call.place) for call in calls.calls] == ["main.c:add"]


def test_implementation_of_a_use_is_the_definition() -> None:
    snapshot = snapshot_of(FILES)
    found = implementation(snapshot, FilePath("main.c"), FILES["main.c"].index(b"list_add"))
    assert found is not None
    assert [one.file for one in found.places] == ["list.c"]
