"""Lua: texts that are nested deeply have facts and links all the same.

Owns: nested texts, of one kind of node and of several in turn.
Must not know: what is said of such texts.
Invariant: nothing raises; names below the bound are still uses.
"""

from __future__ import annotations

import pytest

from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

DEPTH = 2_000
NESTED = {
    "tables": ("local t = ", "{ a = ", "deep", " }"),
    "lists": ("local t = ", "{ ", "deep", " }"),
    "passed tables": ("f(", "{ a = ", "deep", " }"),
    "functions": ("", "local function f() ", "deep()", " end"),
    "methods": ("local M = {}\n", "function M:f() ", "deep()", " end"),
    "values": ("local t = ", "function() return ", "deep", " end"),
    "tables of functions": ("local t = ", "{ f = function(self) return ", "deep", " end }"),
    "metatables": ("local t = ", "setmetatable({}, { __index = ", "deep", " })"),
    "choices": ("local t = ", "x or { a = ", "deep", " }"),
    "branches": ("", "if x then ", "deep()", " end"),
    "loops": ("", "for i = 1, 2 do ", "deep()", " end"),
    "repeats": ("", "repeat local x = 1 ", "deep()", " until x"),
    "calls": ("", "f(", "deep", ")"),
    "callbacks": ("", "f(function() ", "deep()", " end)"),
    "signs": ("local t = ", "not ", "deep", ""),
}
CHAINS = {
    "members": "local a = {}\na" + ".b" * DEPTH + " = deep\n",
    "aliases": "local a = {}\nlocal c = a" + ".b" * DEPTH + "\nc.d = deep\n",
    "methods": "local M = {}\nfunction M:f() return self end\nM" + ":f()" * DEPTH + ".x = deep\n",
    "brackets": "local t = " + "(" * DEPTH + "deep" + ")" * DEPTH + "\n",
    "sums": "local a = deep" + " .. x" * DEPTH + "\n",
    "types": "---@type " + "table<string, " * DEPTH + "A" + ">" * DEPTH + "\nlocal a = deep\n",
    "function types": "---@type " + "fun(a: " * DEPTH + "A" + ")" * DEPTH + "\nlocal a = deep\n",
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_text_has_facts_and_links(name: str) -> None:
    before, opening, inside, closing = NESTED[name]
    ended = ")" if before == "f(" else ""
    path = FilePath("a.lua")
    snapshot = snapshot_of({path: (before + opening * DEPTH + inside + closing * DEPTH + ended).encode()})
    facts = snapshot.facts(path)
    assert "deep" in {facts.strings[row] for row in facts.occurrences.name}
    assert ProblemKind.DEPTH in facts.problems.kind
    assert snapshot.links(path) is not None


@pytest.mark.parametrize("name", CHAINS)
def test_chains_have_facts_and_links(name: str) -> None:
    path = FilePath("a.lua")
    snapshot = snapshot_of({path: CHAINS[name].encode()})
    facts = snapshot.facts(path)
    assert "deep" in {facts.strings[row] for row in facts.occurrences.name}
    assert snapshot.links(path) is not None
