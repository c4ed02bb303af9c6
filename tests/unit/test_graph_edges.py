"""Edges and identity: what links become, and how things are named.

Owns: samples of code with the edges they must give; ids that stay and ids that differ.
Must not know: records, formats.
Invariant: what one place is asked for agrees with what the whole file says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_of, edges_to, is_node, node_row
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.identity import node_id, symbol_name
from graphls.graph.merkle import file_root, package_root, records_root, snapshot_id
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import node_rows, qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import find_symbol, one_symbol
from graphls.session.memory import snapshot_of

SHOP = Path(__file__).resolve().parents[2] / "fixtures" / "python" / "export" / "shop"


def told(snapshot: Snapshot, edge: RawEdge) -> str:
    target = edge.target if isinstance(edge.target, str) else symbol_name(snapshot, edge.target)
    access = f" {edge.attributes['access']}" if "access" in edge.attributes else ""
    doubt = " ?" if edge.ambiguous else ""
    return f"{symbol_name(snapshot, edge.source)} {edge.kind} {target}{access}{doubt}"


SAMPLES = {
    "what a field is made of belongs to the field, and to the class that runs it": (
        "def f(): ...\nclass C:\n    x = f()\n",
        {"m calls m:f", "m:C calls m:f", "m:C.x calls m:f"},
        {"m:C calls m:f", "m:C.x calls m:f"},
    ),
    "defaults belong to the function": (
        "def d(): ...\n@d()\ndef g(a=d()): ...\n",
        {"m calls m:d", "m:g calls m:d"},
        {"m:g calls m:d"},
    ),
    "lambda and comprehension belong to their function": (
        "def f(): ...\ndef g():\n    return [f() for _ in (lambda: f())()]\n",
        {"m:g calls m:f", "m calls m:f"},
        {"m:g calls m:f"},
    ),
    "making an instance calls the written constructor": (
        "class A:\n    def __init__(self): ...\nclass B: ...\ndef f():\n    A()\n    B()\n",
        {"m:f instantiates m:A", "m:f calls m:A.__init__", "m:f instantiates m:B", "m:f calls m:B"},
        {"m:f instantiates m:A", "m:f calls m:A.__init__", "m:f instantiates m:B"},
    ),
    "attribute written in a method": (
        "class A:\n    def __init__(self):\n        self.x = 1\n    def get(self):\n        return self.x\n",
        {"m:A.__init__ accesses m:A.x write", "m:A.get accesses m:A.x read", "m:A defines m:A.x"},
        {"m:A.__init__ accesses m:A.x write", "m:A.get accesses m:A.x read", "m:A defines m:A.x"},
    ),
    "global": (
        "n = 0\ndef f():\n    global n\n    n = 1\ndef g():\n    global n\n    n += 1\n",
        # bug: the name in `global n` is taken for a read.
        {"m:f accesses m:n write", "m:f accesses m:n read_write", "m:g accesses m:n read_write"},
        {"m:f accesses m:n read_write", "m:g accesses m:n read_write"},
    ),
    "variables of functions are no targets": (
        "def f(a):\n    b = a\n    return b\n",
        {"m:f accesses m:f.b read", "m:f contains m:f.b"},
        set[str](),
    ),
    "overriding": (
        "class A:\n    def f(self): ...\nclass B(A):\n    def f(self): ...\n",
        {"m:B.f overrides m:A.f", "m:B extends m:A"},
        {"m:B.f overrides m:A.f", "m:B extends m:A"},
    ),
    "overloads are one node, and no doubt about it": (
        "import typing as t\n@t.overload\ndef f(a): ...\n@t.overload\ndef f(): ...\ndef f(a=1): ...\ndef g(): f(1)\n",
        {"m:g calls m:f", "m:g calls m:f ?"},
        {"m:g calls m:f"},
    ),
    "renaming imports": (
        "import a.b as x\nfrom a.b import f as g\nimport a.b\n",
        {"m:x aliases a.b", "m:g aliases a.b:f", "m:a aliases a", "m imports a.b", "m references a.b:f"},
        {"m:x aliases a.b", "m:g aliases a.b:f", "m:a aliases a", "m imports a.b", "m references a.b:f"},
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_edges(name: str) -> None:
    code, looked_for, expected = SAMPLES[name]
    snapshot = snapshot_of({"m.py": code, "a/__init__.py": "", "a/b.py": "def f(): ...\n"})
    assert {told(snapshot, edge) for edge in edges_from(snapshot, FilePath("m.py"))} & looked_for == expected


def test_locals_on_request() -> None:
    snapshot = snapshot_of({"m.py": "def f(a):\n    b = a\n    return b\n"})
    found = {told(snapshot, edge) for edge in edges_from(snapshot, FilePath("m.py"), locals=True)}
    assert {"m:f contains m:f.a", "m:f contains m:f.b"} <= found
    ids = [node_id(snapshot, SymbolRef(FilePath("m.py"), row)) for row in range(3)]
    assert len(set(ids)) == 3


def test_tests_edges() -> None:
    snapshot = snapshot_of({
        "lib.py": "def f(): ...\n",
        "test_lib.py": "from lib import f\ndef help(): f()\ndef test_f():\n    f()\n    help()\n",
    })  # fmt: skip
    found = {told(snapshot, edge) for edge in edges_from(snapshot, FilePath("test_lib.py")) if edge.kind == "tests"}
    assert found == {"test_lib:test_f tests lib:f"}


def shop() -> Snapshot:
    return snapshot_of(
        {str(path.relative_to(SHOP)): path.read_bytes() for path in SHOP.rglob("*") if path.suffix in (".py", ".toml")}
    )


def places(snapshot: Snapshot) -> list[SymbolRef]:
    return [
        SymbolRef(path, row)
        for path in snapshot.files()
        for row in range(-1, len(snapshot.facts(path).definitions))
        if is_node(snapshot.facts(path), row)
    ]


def test_one_place_agrees_with_whole_files() -> None:
    snapshot = shop()
    everything = [edge for path in snapshot.files() for edge in edges_from(snapshot, path)]
    for place in places(snapshot):
        assert _sorted(edges_of(snapshot, place)) == _sorted(edge for edge in everything if edge.source == place)
        assert _sorted(edges_to(snapshot, place)) == _sorted(edge for edge in everything if edge.target == place)


def _sorted(edges: object) -> list[str]:
    return sorted(repr(edge) for edge in edges)  # type: ignore[attr-defined]


def test_node_rows_is_node_row_of_each() -> None:
    snapshot = shop()
    for path in snapshot.files():
        facts = snapshot.facts(path)
        assert list(node_rows(facts)) == [node_row(facts, row) for row in range(len(facts.definitions))]


@pytest.mark.parametrize(
    ("path", "code", "kind"),
    [
        ("tests/a.py", "def test_x(): ...", "test"),
        ("test_a.py", "class TestA:\n    def test_x(self): ...", "test"),
        ("test_a.py", "class Other:\n    def test_x(self): ...", "method"),
        ("a.py", "import unittest\nclass A(unittest.TestCase):\n    def test_x(self): ...", "test"),
        ("a.py", "def test_x(): ...", "callable"),
        # The words of the language that the first line says.
        ("bin/a", "#!/usr/bin/ruby\nclass A < Minitest::Test\n  def test_x\n  end\nend\n", "test"),
        ("bin/a", "#!/usr/bin/python3\nclass A(TestCase):\n    def test_x(self): ...", "test"),
        ("bin/a", "#!/usr/bin/ruby\nclass A < Other\n  def test_x\n  end\nend\n", "method"),
    ],
)
def test_what_is_a_test(path: str, code: str, kind: str) -> None:
    snapshot = snapshot_of({path: code})
    (place,) = find_symbol(snapshot, "test_x")
    assert node_kind(snapshot, place).kind == kind


CLASS = "class A:\n    def f(self): ...\n    def f(self): ...\ndef g(): ...\n"


def ids(files: dict[str, str]) -> dict[str, str]:
    snapshot = snapshot_of(files)
    return {
        f"{symbol_name(snapshot, place)} {place.definition if place.definition > 2 else ''}": node_id(snapshot, place)
        for place in places(snapshot)
    }


def test_ids_stay_when_lines_move_or_the_file_moves_under_its_root() -> None:
    before = set(ids({"pyproject.toml": '[project]\nname = "p"\n', "p/__init__.py": "", "p/a.py": CLASS}).values())
    lines = {"pyproject.toml": '[project]\nname = "p"\n', "p/__init__.py": "", "p/a.py": "# new\n\n" + CLASS}
    assert set(ids(lines).values()) == before
    moved = {"pyproject.toml": '[project]\nname = "p"\n', "src/p/__init__.py": "", "src/p/a.py": CLASS}
    assert set(ids(moved).values()) == before
    assert len(before) == 6, "equal siblings are told apart"


def test_ids_differ_between_files_of_one_module_name() -> None:
    snapshot = snapshot_of(
        {"a/conftest.py": "def f(): ...", "b/conftest.py": "def f(): ...", "m.py": "", "m.pyi": "x: int"}
    )
    assert len({node_id(snapshot, place) for place in places(snapshot)}) == len(places(snapshot))
    alone = snapshot_of({"m.py": ""})
    assert node_id(alone, SymbolRef(FilePath("m.py"), -1)) == node_id(snapshot, SymbolRef(FilePath("m.py"), -1)), (
        "a stub changes no id"
    )


def test_symbols_come_back() -> None:
    snapshot = shop()
    for place in places(snapshot):
        assert place in find_symbol(snapshot, node_id(snapshot, place)) or place.definition >= 0
        if node_kind(snapshot, place).kind in ("import", "api_member"):
            continue
        assert find_symbol(snapshot, node_id(snapshot, place)) == (place,)
        assert place in find_symbol(snapshot, symbol_name(snapshot, place))
        name = qualified_name(snapshot.facts(place.file), place.definition)
        assert place in find_symbol(snapshot, f"{place.file}:{name}")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("shop:Item", "shop.model:Item"),
        ("shop.Item.load", "shop.model:Item.load"),
        ("shop.model.Item.load", "shop.model:Item.load"),
        ("Item.load", "shop.model:Item.load"),
        ("shop.model", "shop.model"),
        ("make", "shop.model:make"),
    ],
)
def test_find_symbol(text: str, name: str) -> None:
    snapshot = shop()
    assert symbol_name(snapshot, one_symbol(snapshot, text)) == name


def test_ambiguous_and_unknown_names_say_what_there_is() -> None:
    snapshot = snapshot_of({"a.py": "def f(): ...\n", "b.py": "def f(): ...\n", "c.py": "def g(): ...\ndef g(): ...\n"})
    with pytest.raises(AmbiguousSymbol) as refusal:
        one_symbol(snapshot, "f")
    assert refusal.value.candidates == ("a:f", "b:f")
    assert refusal.value.code == "graphls.ambiguousSymbol"
    assert one_symbol(snapshot, "c:g") == SymbolRef(FilePath("c.py"), 1), "the later one is what the name means"
    assert one_symbol(snapshot, "c:g#1") == SymbolRef(FilePath("c.py"), 0)
    with pytest.raises(UnknownSymbol, match="Did you mean"):
        one_symbol(snapshot_of({"shop/__init__.py": ""}), "shpo:x")
    for odd in ("", ":", "n:", "n:" + "1" * 26, "n:" + "a" * 26, ".", "a.b.", ":f"):
        with pytest.raises(UnknownSymbol):
            one_symbol(snapshot, odd)


def test_snapshot_id_is_a_function_of_contents() -> None:
    base = {"p/__init__.py": "", "p/a.py": CLASS, "README.md": "x"}
    one = snapshot_of(base)
    assert snapshot_id(one) == snapshot_id(snapshot_of(dict(reversed(base.items()))))
    assert snapshot_id(one) == snapshot_id(snapshot_of(base, revision=9))
    edits = [{"p/a.py": CLASS + "\n"}, {"README.md": "y"}, {"new.py": ""}, {"pyproject.toml": '[project]\nname="q"'}]
    others = [snapshot_of({**base, **edit}) for edit in edits]
    assert len({snapshot_id(other) for other in [one, *others]}) == len(edits) + 1
    edited = others[0]
    assert {path for path in one.shards if file_root(one, path) != file_root(edited, path)} == {"p/a.py"}
    assert package_root(one, "") != package_root(edited, "")
    assert records_root(one, FilePath("p/__init__.py")) == records_root(edited, FilePath("p/__init__.py"))


_IMPORTS = {
    "A.java": ({"shop/B.java": "package shop; class B {}"}, "import shop.B;\nimport other.*;\n", ["B -> shop/B.java"]),
    "B.java": ({}, "import shop.*;\n", []),
    "a.ts": (
        {"b.ts": "export const q = 1", "c.ts": "export const e = 1"},
        "import {e} from './c';\nimport * as b from './b';\nimport * as c from './c';\n",
        ["b -> b.ts", "c -> c.ts", "e -> c.ts"],
    ),
    "a.go": (
        {"go.mod": "module m.org/m\n", "s/s.go": "package s\n", "t/t.go": "package t\n"},
        'package a\nimport (\n"fmt"\n"m.org/m/s"\nu "m.org/m/t"\n)\n',
        ["fmt -> fmt", "s -> s/s.go", "u -> t/t.go"],
    ),
    "a.py": (
        {"b.py": "q = 1", "p/__init__.py": "", "p/r.py": ""},
        "import b as x\nimport p.r as y\nfrom b import *\nimport p.r\n",
        ["p -> p/__init__.py", "x -> b.py", "y -> p/r.py"],
    ),
}


@pytest.mark.parametrize("path", _IMPORTS)
def test_a_binding_is_an_alias_of_what_its_own_import_means(path: str) -> None:
    others, text, expected = _IMPORTS[path]
    snapshot = snapshot_of({name: source.encode() for name, source in {**others, path: text}.items()})
    facts = snapshot.facts(FilePath(path))
    names = [facts.strings[name] for name in facts.definitions.name]
    aliases = [edge for edge in edges_from(snapshot, FilePath(path)) if edge.kind == "aliases"]
    found = [f"{names[edge.source.definition]} -> {getattr(edge.target, 'file', edge.target)}" for edge in aliases]
    assert sorted(found) == expected
