"""Lua: variables that hold modules, and globals, over many files.

Owns: what references of such a variable are, whom a call of a member by its name runs, what a rename edits.
Must not know: how files are read.
Invariant: none beyond the tests.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.references import references
from graphls.queries.rename import rename
from graphls.session.memory import snapshot_of

MODULE = b"local function open() end\nreturn { open = open }\n"
USER = b'local shop = require("shop")\nlocal open = require("shop").open\nshop.open()\nopen()\n'


def uses(snapshot: Snapshot, path: str, name: str) -> list[tuple[str, int]]:
    """File and line, from 1, of the references of the first definition of a name in a file."""
    facts = snapshot.facts(FilePath(path))
    row = next(row for row, text in enumerate(facts.definitions.name) if facts.strings[text] == name)
    found = references(snapshot, SymbolRef(FilePath(path), row)).uses
    return [(use.file, snapshot.facts(use.file).line_column(use.start)[0] + 1) for use in found]


def snapshot_name(snapshot: Snapshot, path: str, row: int) -> str:
    """The name of a definition."""
    facts = snapshot.facts(FilePath(path))
    return facts.strings[facts.definitions.name[row]]


def edits(snapshot: Snapshot, path: str, row: int) -> list[tuple[str, int, int]]:
    """File, line from 1 and column of what a rename edits."""
    found = rename(snapshot, SymbolRef(FilePath(path), row), "fresh").edits
    places = [(edit.file, snapshot.facts(edit.file).line_column(edit.start)) for edit in found]
    return [(file, line + 1, column) for file, (line, column) in places]


def test_a_variable_that_holds_a_module_has_its_own_uses() -> None:
    snapshot = snapshot_of({"shop.lua": MODULE, "main.lua": USER})
    assert uses(snapshot, "main.lua", "shop") == [("main.lua", 3)]
    assert uses(snapshot, "main.lua", "open") == [("main.lua", 4)]


def test_a_function_that_a_module_gives_by_its_name_is_what_calls_run() -> None:
    snapshot = snapshot_of({"shop.lua": MODULE, "main.lua": USER})
    assert uses(snapshot, "shop.lua", "open") == [("main.lua", 2), ("main.lua", 3), ("shop.lua", 2)]


def test_a_rename_leaves_variables_and_members_of_the_same_name_alone() -> None:
    snapshot = snapshot_of({"shop.lua": MODULE, "main.lua": USER})
    table = snapshot.facts(FilePath("shop.lua")).definitions
    function, field = (row for row in range(len(table)) if snapshot_name(snapshot, "shop.lua", row) == "open")
    assert edits(snapshot, "shop.lua", function) == [("shop.lua", 1, 15), ("shop.lua", 2, 16)]
    assert edits(snapshot, "shop.lua", field) == [("main.lua", 2, 29), ("main.lua", 3, 5), ("shop.lua", 2, 9)]


def test_a_global_is_found_though_many_files_have_a_variable_of_its_name() -> None:
    copies = {f"user{number}.lua": b"local shop = shop\nprint(shop)\n" for number in range(80)}
    snapshot = snapshot_of({"main.lua": b"shop = {}\n", **copies})
    assert len([use for use in uses(snapshot, "main.lua", "shop") if use[1] == 1]) == 80
