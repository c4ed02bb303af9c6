"""Nested code: long chains of calls, branches and operators are read with meaning in every language.

Owns: one chain of each kind for each language that has it.
Must not know: how a language reads it.
Invariant: a chain within the bound has an answer for each of its names; one of operators has no bound.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.extract.nesting import DEPTH
from graphls.session.memory import snapshot_of

CALLS = DEPTH // 2 - 10
BRANCHES = DEPTH // 2 - 10
OPERATORS = 3 * DEPTH
CHAINS = {
    "a.go": "package p\ntype T struct{{}}\nfunc (t *T) m() *T {{ return t }}\nfunc g(x *T) {{ x{} }}\n",
    "A.java": "class T {{ T m() {{ return this; }} void g(T x) {{ x{}; }} }}\n",
    "a.rs": "struct T;\nimpl T {{ fn m(self) -> T {{ self }} }}\nfn g(x: T) {{ x{}; }}\n",
    "A.cs": "class T {{ T m() {{ return this; }} void g(T x) {{ x{}; }} }}\n",
    "A.kt": "class T {{ fun m(): T = this }}\nfun g(x: T) {{ x{} }}\n",
    "a.swift": "class T {{ func m() -> T {{ return self }} }}\nfunc g(x: T) {{ x{} }}\n",
    "a.rb": "class T\n  def m\n    self\n  end\nend\nT.new{}\n",
    "a.py": "class T:\n    def m(self) -> 'T': return self\ndef g(x: T):\n    x{}\n",
    "a.ts": "class T {{ m(): T {{ return this; }} }}\nfunction g(x: T) {{ x{}; }}\n",
    "a.incn": "class T:\n    def m(self) -> T:\n        return self\ndef g(x: T) -> None:\n    x{}\n",
}
BRANCHED = {
    "a.go": ("package p\nfunc f(x int) {{ {} }}\n", "if x == {} {{ x = 2 }}"),
    "A.java": ("class A {{ void f(int x) {{ {} }} }}\n", "if (x == {}) {{ x = 2; }}"),
    "a.c": ("void f(int x) {{ {} }}\n", "if (x == {}) {{ x = 2; }}"),
    "a.rs": ("fn f(x: i32) {{ {} }}\n", "if x == {} {{ f(2); }}"),
    "A.cs": ("class A {{ void f(int x) {{ {} }} }}\n", "if (x == {}) {{ x = 2; }}"),
    "A.kt": ("fun f(x: Int) {{ {} }}\n", "if (x == {}) {{ f(2) }}"),
    "a.php": ("<?php function f($x) {{ {} }}\n", "if ($x == {}) {{ $x = 2; }}"),
    "a.swift": ("func f(x: Int) {{ {} }}\n", "if x == {} {{ f(x: 2) }}"),
    "a.ts": ("function f(x) {{ {} }}\n", "if (x == {}) {{ x = 2; }}\n"),
}
JOINED = {
    "a.go": ("package p\nvar x = {}\n", ' + "s"'),
    "A.java": ("class A {{ String x = {}; }}\n", ' + "s"'),
    "a.c": ("int x = {};\n", " + 1"),
    "a.cpp": ("void f() {{ std::cout << {}; }}\n", " << 1"),
    "a.rs": ("fn f() {{ let x = {}; }}\n", " + 1"),
    "A.cs": ("class A {{ string x = {}; }}\n", ' + "s"'),
    "A.kt": ("val x = {}\n", ' + "s"'),
    "B.kt": ("val x = {}\n", " && a"),
    "a.php": ("<?php $x = {};\n", ' . "s"'),
    "b.php": ("<?php $x = {};\n", " && $a"),
    "a.swift": ("let x = {}\n", ' + "s"'),
    "a.rb": ("x = {}\n", ' + "s"'),
    "a.lua": ("local x = {}\n", " + 1"),
    "a.py": ("x = {}\n", ' + "s"'),
    "a.ts": ("const x = {};\n", ' + "s"'),
    "a.incn": ("def f() -> None:\n    x = {}\n", ' + "s"'),
}


@pytest.mark.parametrize("name", CHAINS)
def test_each_call_of_a_chain_leads_to_its_method(name: str) -> None:
    call = ".m" if name.endswith(".rb") else ".m()"
    snapshot = snapshot_of({name: CHAINS[name].format(call * CALLS)})
    facts, links = snapshot.facts(FilePath(name)), snapshot.links(FilePath(name))
    assert facts is not None
    assert not facts.problems.kind
    assert not links.unresolved.occurrence
    assert len(links.targets.occurrence) > CALLS


@pytest.mark.parametrize("name", BRANCHED)
def test_branches_behind_each_other_are_read_in_full(name: str) -> None:
    frame, branch = BRANCHED[name]
    facts = snapshot_of({name: frame.format(" else ".join(branch.format(n) for n in range(BRANCHES)))}).facts(
        FilePath(name)
    )
    assert facts is not None
    assert not facts.problems.kind


@pytest.mark.parametrize("name", JOINED)
def test_chains_of_operators_have_no_bound(name: str) -> None:
    frame, part = JOINED[name]
    first = part.split()[-1]
    facts = snapshot_of({name: frame.format(first + part * OPERATORS)}).facts(FilePath(name))
    assert facts is not None
    assert not facts.problems.kind
