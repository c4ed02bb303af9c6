"""Contracts by language: methods of services that code answers and calls, and keys of the environment that it reads.

Owns: one case for each language and side.
Must not know: how names are found.
Invariant: an edge is there from both ends.
"""

from __future__ import annotations

import pytest

from graphls.graph.derivation import DerivedNode
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

PROTO = """syntax = "proto3";
package shop;
service Cart {
  rpc AddItem(Item) returns (Empty);
  rpc GetCart(Empty) returns (Item);
}
"""


def _title(snapshot: Snapshot, place: SymbolRef | DerivedNode | str) -> str:
    if isinstance(place, str):
        return place
    if isinstance(place, DerivedNode):
        return place.name
    return qualified_name(snapshot.facts(place.file), place.definition) if place.definition >= 0 else ""


def _links(path: str, code: str, other: str, text: str, via: str) -> list[str]:
    snapshot = snapshot_of({path: code, other: text})
    assert snapshot.derivation is not None
    edges = [edge for one in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, one)]
    edges = [edge for edge in edges if edge.attributes.get("via") == via]
    for edge in edges:
        assert not isinstance(edge.target, str)
        assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
    return sorted(f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}" for edge in edges)


@pytest.mark.parametrize(
    ("path", "code", "links"),
    [
        (
            "a.cs",
            "class S : Shop.Cart.CartBase {\n  public override Task<Empty> AddItem(Item i) { return null; }\n}\n",
            ["Cart.AddItem -> S.AddItem"],
        ),
        (
            "a.cs",
            "class S {\n  void F() { var c = new Cart.CartClient(ch); c.AddItemAsync(i); }\n}\n",
            ["S.F -> Cart.AddItem"],
        ),
        (
            "a.cpp",
            ("class S final : public shop::Cart::Service {\n"
            "  Status AddItem(Context* c, const Item* i, Empty* e) override { return Status::OK; }\n"
            "  Status Other(Context* c) { return Status::OK; }\n};\n"),
            ["Cart.AddItem -> S.AddItem"],
        ),
        (
            "a.cc",
            "void f() {\n  auto stub = shop::Cart::NewStub(channel);\n  stub->GetCart(&context, empty, &item);\n}\n",
            ["f -> Cart.GetCart"],
        ),
        (
            "a.rb",
            "class S < Shop::Cart::Service\n  def add_item(item, _call)\n  end\nend\n",
            ["Cart.AddItem -> S.add_item"],
        ),
        (
            "a.rb",
            "def f\n  stub = Shop::Cart::Stub.new('x', :insecure)\n  stub.get_cart(1)\nend\n",
            ["f -> Cart.GetCart"],
        ),
        (
            "a.rs",
            "#[tonic::async_trait]\nimpl Cart for S {\n    async fn add_item(&self) -> R { todo!() }\n}\nstruct S {}\n",
            ["Cart.AddItem -> S.add_item"],
        ),
        (
            "a.rs",
            "use tonic::Request;\nasync fn f() {\n    let mut c = CartClient::new(u);\n    c.get_cart(r).await;\n}\n",
            ["f -> Cart.GetCart"],
        ),
        (
            "a.kt",
            "class S : CartGrpcKt.CartCoroutineImplBase() {\n  override suspend fun addItem(i: Item): Empty = i\n}\n",
            ["Cart.AddItem -> S.addItem"],
        ),
        (
            "a.kt",
            "fun f() {\n  val stub = CartGrpcKt.CartCoroutineStub(channel)\n  stub.getCart(e)\n}\n",
            ["f -> Cart.GetCart"],
        ),
        (
            "a.php",
            "<?php\nfunction f() {\n  $client = new \\Shop\\CartClient('x', []);\n  $client->GetCart($e);\n}\n",
            ["f -> Cart.GetCart"],
        ),
        (
            "a.ts",
            ('import { makeGenericClientConstructor } from "@grpc/grpc-js";\n'
            'export const CartService = { addItem: { path: "/shop.Cart/AddItem" } };\n'
            "export interface CartServer { addItem: handleUnaryCall<Item, Empty> }\n"
            "export interface CartClient extends Client { addItem(i: Item): Call }\n"),
            ["Cart.AddItem -> CartServer.addItem", "CartClient.addItem -> Cart.AddItem"],
        ),
        ("a.cpp", "// class S : public shop::Cart::Service { Status AddItem(int a) override; };\n", []),
        ("a.rb", "class S < Shop::Other::Service\n  def add_item(item, _call)\n  end\nend\n", []),
    ],
)  # fmt: skip
def test_methods_of_services(path: str, code: str, links: list[str]) -> None:
    assert _links(path, code, "shop.proto", PROTO, "rpc") == links


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.cs", 'using System;\nclass f { string X = Environment.GetEnvironmentVariable("KEY"); }\n'),
        ("a.rs", 'fn f() { std::env::var("KEY"); }\n'),
        ("a.rs", 'fn f() { option_env!("KEY"); }\n'),
        ("a.rb", 'def f\n  ENV["KEY"]\nend\n'),
        ("a.rb", 'def f\n  ENV.fetch("KEY", 1)\nend\n'),
        ("a.php", '<?php\nfunction f() { return getenv("KEY"); }\n'),
        ("a.php", '<?php\nfunction f() { return env("KEY", 1); }\n'),
        ("a.kt", 'fun f() = System.getenv("KEY")\n'),
        ("a.cc", '#include <cstdlib>\nint f() { return std::getenv("KEY") != nullptr; }\n'),
        ("a.go", 'package a\n\nimport "os"\n\nfunc f() string { return os.Getenv("KEY") }\n'),
        ("a.py", 'import os\n\ndef f():\n    return os.environ["KEY"]\n'),
    ],
)
def test_keys_of_the_environment(path: str, code: str) -> None:
    found = _links(path, code, ".env", "KEY=1\n", "key")
    assert [link.partition(".")[0].partition(" ")[0] + " -> " + link.rpartition(" ")[2] for link in found] == [
        "f -> KEY"
    ]
