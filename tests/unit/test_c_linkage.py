"""Prototypes and definitions of C: one symbol with two places, for every question.

Owns: what rests on the edge from a definition to its prototypes.
Must not know: how names are resolved (the fixtures do).
Invariant: a use of the prototype counts for the definition.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.call_hierarchy import callers
from graphls.queries.definition import definition
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.implementation import implementation
from graphls.queries.references import references
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


def test_a_tag_that_is_announced_counts_with_its_definition() -> None:
    files = {
        "shelf.h": b"struct reader;\nint turn(struct reader *one);\n",
        "reader.c": b'#include "shelf.h"\nstruct reader { int page; };\n',
        "main.c": b'#include "shelf.h"\nint main(void) { struct reader *one = 0; return turn(one); }\n',
    }
    snapshot = snapshot_of(files)
    for file, name in (("reader.c", "reader"), ("shelf.h", "reader")):
        uses = {str(use.file) for use in references(snapshot, place(snapshot, file, name)).uses}
        assert {"shelf.h", "main.c"} <= uses


def test_members_that_macros_write_stand_where_the_macro_does() -> None:
    text = (
        b"#define CODES(XX) XX(FULL) XX(GONE)\n"
        b"#define FIELDS struct shelf *owner; int (*close)(int);\n"
        b"enum code {\n#define XX(one) SHELF_ ## one,\n  CODES(XX)\n#undef XX\n  SHELF_MOST\n};\n"
        b"struct shelf { int size; };\n"
        b"struct handle { FIELDS };\n"
        b"int sum(struct handle *one) { return SHELF_GONE + one->owner->size + one->close(1); }\n"
    )
    snapshot = snapshot_of({"main.c": text})
    lines = text.split(b"\n")
    for name, line in (("SHELF_GONE", 4), ("close", 9), ("owner", 9), ("size", 8)):
        found = definition(snapshot, FilePath("main.c"), text.rindex(name.encode()))
        assert found is not None
        facts = snapshot.facts(FilePath("main.c"))
        assert [facts.line_column(one.start)[0] for one in found.places] == [line], (name, lines[line])
