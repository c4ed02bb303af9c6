"""How people write names: notations of languages, packages before a name, what is meant before what."""

from __future__ import annotations

import pytest

from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.symbol_lookup import namesakes, one_symbol
from graphls.queries.symbol_notation import read_notation
from graphls.session.memory import snapshot_of


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("Cart.total", "Cart.total", None),
        ("shop.cart:Cart.total", "shop.cart:Cart.total", None),
        ("Gson.java:Gson.toJson#2", "Gson.java:Gson.toJson#2", None),
        ("`Cart.total()`", "Cart.total", ()),
        ("Gson#toJson(Object, Map<String, List<T>>)", "Gson.toJson", ("Object", "Map<String, List<T>>")),
        ("(*Server).Close", "Server.Close", None),
        ("func (s *Server) Close(ctx context.Context) error", "Server.Close", ("ctx context.Context",)),
        ("func (l *List[T]) Push", "List.Push", None),
        ("public static <T> T fromJson(String json)", "fromJson", ("String json",)),
        ("struct client", "client", None),
        ("pub fn parse", "parse", None),
        ("client->db", "client.db", None),
        ("Cart::total", "Cart.total", None),
        ("App\\Models\\User", "App.Models.User", None),
        ("Array.prototype.map", "Array.prototype.map", None),
        ("Repository<Entity>.find", "Repository.find", None),
        ("Map[string, int].Get", "Map.Get", None),
        ("bool operator<(A, B)", "operator<", ("A", "B")),
        ("two words", "two words", None),
        ("x" * 500 + "()", "x" * 500 + "()", None),
        ("(((((", "(((((", None),
    ],
)
def test_what_is_no_part_of_a_name_is_left_out(text: str, name: str, parameters: tuple[str, ...] | None) -> None:
    # `Array.prototype.map` names a member of the prototype, where the separator stands before the last part.
    expected = "Array.map" if name == "Array.prototype.map" else name
    notation = read_notation(text)
    assert (notation.name, notation.parameters) == (expected, parameters)


@pytest.fixture
def shop() -> Snapshot:
    return snapshot_of(
        {
            "go.mod": "module example.com/shop/v3\n",
            "lease/lessor.go": (
                "package lessors\n\ntype Lessor struct{ id int }\n\nfunc NewLessor() *Lessor { return nil }\n"
            ),
            "lease/close.go": "package lessors\n\nfunc (l *Lessor) Close() {}\n",
            "tests/lessors/x_test.go": "package x\n\ntype row struct{ Lessor int }\n",
            "package.json": '{"name": "@acme/web"}',
            "src/cart/Cart.ts": "export class Cart { total() { return 1 } }\n",
            "src/deep/Cart.ts": "export class Order { total() { return 2 } }\n",
            "java/com/acme/Gson.java": (
                "package com.acme;\nclass Gson {\n  Gson() {}\n"
                "  String toJson(Object src) { return null; }\n"
                "  void toJson(Object src, Appendable out) {}\n}\n"
            ),
            "core/select.py": "def select(): ...\nclass Query:\n    def select(self): ...\nclass Session: ...\n",
            "examples/run.py": "from core.select import Session as S\nSession = S\n",
            "tests/test_select.py": "def select(): ...\n",
            "deps/dict.c": "struct dict { int used; };\n",
            "engine/dict.c": "struct dict { int used; };\nint *use(struct dict *d) { return &d->used; }\n",
        }
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(*Lessor).Close", "lease/close.go:Lessor.Close"),
        ("lessors.NewLessor", "lease/lessor.go:NewLessor"),
        ("lessors.Lessor", "lease/lessor.go:Lessor"),
        ("lease.NewLessor", "lease/lessor.go:NewLessor"),
        ("lessor.go:NewLessor", "lease/lessor.go:NewLessor"),
        ("cart/Cart.Cart.total", "src/cart/Cart.ts:Cart.total"),
        ("Cart#total", "src/cart/Cart.ts:Cart.total"),
        ("Cart.prototype.total()", "src/cart/Cart.ts:Cart.total"),
        ("web.Cart", "src/cart/Cart.ts:Cart"),
        ("@acme/web.Order", "src/deep/Cart.ts:Order"),
        ("Gson", "java/com/acme/Gson.java:Gson"),
        ("com.acme.Gson", "java/com/acme/Gson.java:Gson"),
        ("Gson.toJson(Object)", "java/com/acme/Gson.java:Gson.toJson#1"),
        ("Gson#toJson(Object, Appendable)", "java/com/acme/Gson.java:Gson.toJson"),
        ("Gson.toJson#1", "java/com/acme/Gson.java:Gson.toJson#1"),
        ("toJson#2", "java/com/acme/Gson.java:Gson.toJson"),
        ("select", "core.select:select"),
        ("def select", "core.select:select"),
        ("Session", "core.select:Session"),
        ("Query.select", "core.select:Query.select"),
        ("dict", "engine/dict.c:dict"),
        ("struct dict", "engine/dict.c:dict"),
        ("dict->used", "engine/dict.c:dict.used"),
    ],
)
def test_a_name_as_its_language_writes_it(shop: Snapshot, text: str, name: str) -> None:
    assert symbol_name(shop, one_symbol(shop, text)) == name


def test_overloads_are_candidates_that_can_be_asked_for(shop: Snapshot) -> None:
    with pytest.raises(AmbiguousSymbol) as refusal:
        one_symbol(shop, "Gson.toJson")
    assert refusal.value.candidates == (
        "java/com/acme/Gson.java:Gson.toJson#1(Object src)",
        "java/com/acme/Gson.java:Gson.toJson(Object src, Appendable out)",
    )
    asked = [symbol_name(shop, one_symbol(shop, text)) for text in refusal.value.candidates]
    assert asked == ["java/com/acme/Gson.java:Gson.toJson#1", "java/com/acme/Gson.java:Gson.toJson"]


def test_what_else_is_called_so_is_said(shop: Snapshot) -> None:
    assert namesakes(shop, "select", one_symbol(shop, "select")) == (
        "core.select:Query.select",
        "test_select:select",
    )
    assert namesakes(shop, "core.select:select", one_symbol(shop, "select")) == ()
    assert namesakes(shop, "Query.select", one_symbol(shop, "Query.select")) == ()


@pytest.mark.parametrize(
    "text", ["Cart#nothing", "a b", "other/pkg.Lessor", "select.(", "nowhere.Session", "toJson#3", "::", "#"]
)
def test_what_no_notation_names_is_unknown(shop: Snapshot, text: str) -> None:
    with pytest.raises(UnknownSymbol):
        one_symbol(shop, text)
