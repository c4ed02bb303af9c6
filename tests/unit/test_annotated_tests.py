"""Tests of languages whose annotations or macros say so: which functions are tests, and what runners call them.

Owns: one small program a language, with a test and what it runs.
Must not know: how a language reads annotations.
Invariant: an id is what the runner takes; what is called like a test and has no annotation is none.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import SymbolRef
from graphls.queries.references import references
from graphls.queries.runner_ids import find_tests, is_test, runner_ids, runner_of
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.tests_to_run import select_tests
from graphls.session.memory import snapshot_of

JAVA = {
    "src/main/java/shop/Cart.java": b"package shop;\npublic class Cart { public int total() { return 1; } }\n",
    "src/test/java/shop/CartTest.java": (
        b"package shop;\nimport org.junit.jupiter.api.Test;\nclass CartTest {\n"
        b"  @Test void adds() { new Cart().total(); }\n  void testless() { new Cart().total(); }\n}\n"
    ),
}
KOTLIN = {
    "src/main/kotlin/shop/Cart.kt": b"package shop\nclass Cart { fun total(): Int = 1 }\n",
    "src/test/kotlin/shop/CartTest.kt": (
        b"package shop\nimport kotlin.test.Test\nclass CartTest {\n  @Test fun adds() { Cart().total() }\n}\n"
        b"@Test fun alone() { Cart().total() }\n"
    ),
}
CSHARP = {
    "Shop/Shop.csproj": b"<Project></Project>",
    "Shop/Cart.cs": b"namespace Shop;\npublic class Cart { public int Total() { return 1; } }\n",
    "Shop/CartTests.cs": (
        b"using Xunit;\nnamespace Shop;\npublic class CartTests {\n"
        b"  [Fact] public void Adds() { new Cart().Total(); }\n}\n"
    ),
}
RUST = {
    "Cargo.toml": b'[package]\nname = "shop"\n',
    "src/lib.rs": b"pub mod cart;\n",
    "src/cart.rs": (
        b"pub fn total() -> i32 { 1 }\n#[cfg(test)]\nmod tests {\n    use super::total;\n"
        b"    #[test]\n    fn adds() { total(); }\n    fn helper() { total(); }\n}\n"
    ),
}
CPP = {
    "cart.h": b"namespace shop { int total(); class Cart { public: int size(); }; }\n",
    "cart_test.cc": (
        b'#include "cart.h"\nnamespace shop {\nclass CartTest { };\nTEST_F(CartTest, Adds) { total(); }\n'
        b"TEST(Cart, Plain) { total(); size(); }\nvoid TestLess() { total(); }\n}\n"
    ),
}
RUBY = {
    "lib/cart.rb": b"class Cart\n  def self.total\n    1\n  end\nend\n",
    "test/cart_test.rb": (
        b"require 'minitest/autorun'\nclass CartTest < Minitest::Test\n  def test_adds\n    Cart.total\n  end\n"
        b"  def helper\n    Cart.total\n  end\nend\n"
    ),
}
SWIFT = {
    "Package.swift": b'let package = Package(targets: [.target(name: "Shop"), .testTarget(name: "ShopTests")])\n',
    "Sources/Shop/Cart.swift": b"class Cart { func total() -> Int { 1 } }\n",
    "Tests/ShopTests/CartTests.swift": (
        b"import XCTest\nimport Testing\n@testable import Shop\nfinal class CartTests: XCTestCase {\n"
        b"  func testTotal() { Cart().total() }\n  func helper() { Cart().total() }\n}\n"
        b'@Suite("carts") struct Carts { @Test("adds") func adds() { #expect(Cart().total() == 1) } }\n'
        b"@Test func alone() { Cart().total() }\n"
    ),
}
LUA = {
    "lua/cart.lua": b"local M = {}\nfunction M.total() return 1 end\nreturn M\n",
    "spec/cart_spec.lua": (
        b"local cart = require('cart')\nlocal function test_helper() return cart.total() end\n"
        b"describe('a cart', function()\n  local a, b = 1, 2\n  local function test_inner() cart.total() end\n"
        b"  it('adds', function()\n    for i = 1, 2 do b = cart.total(), i end\n  end)\nend)\n"
    ),
    "tests/cart_test.lua": (
        b"local cart = require('cart')\nTestCart = {}\nfunction TestCart:test_total() cart.total() end\n"
        b"function TestCart:helper() cart.total() end\n"
    ),
}
CASES = [
    ("busted", LUA, "M.total", {"spec/cart_spec.lua > a cart > adds", "tests/cart_test.lua::TestCart::test_total"}),
    ("minitest", RUBY, "Cart.total", {"test/cart_test.rb:CartTest#test_adds"}),
    ("junit", JAVA, "Cart.total", {"shop.CartTest#adds"}),
    ("junit", KOTLIN, "Cart.total", {"shop.CartTest#adds", "shop.CartTestKt#alone"}),
    ("dotnet test", CSHARP, "Cart.Total", {"Shop.CartTests.Adds"}),
    ("cargo test", RUST, "src/cart.rs:total", {"cart::tests::adds"}),
    ("swift test", SWIFT, "Cart.total", {"ShopTests.CartTests/testTotal", "ShopTests.Carts/adds", "ShopTests.alone"}),
    ("gtest", CPP, "shop.total", {"CartTest.Adds", "Cart.Plain"}),
]


@pytest.mark.parametrize(
    ("runner", "files", "subject", "ids"), CASES, ids=["lua", "ruby", "java", "kotlin", "csharp", "rust", "swift", "c"]
)
def test_ids(runner: str, files: dict[str, bytes], subject: str, ids: set[str]) -> None:
    snapshot = snapshot_of(files)
    every = [one for path in snapshot.shards for one in find_tests(snapshot, path)]
    assert {name for one in every for name in runner_ids(snapshot, one)} == ids
    assert {runner_of(snapshot, one) for one in every} == {runner}
    found = select_tests(snapshot, (one_symbol(snapshot, subject),))
    assert {name for one in found.running for name in one.ids} == ids


def test_a_suite_called_like_a_class_is_no_class() -> None:
    snapshot = snapshot_of(CPP)
    test = next(
        one for one in find_tests(snapshot, FilePath("cart_test.cc")) if runner_ids(snapshot, one) == ("Cart.Plain",)
    )
    assert isinstance(test, SymbolRef)
    assert is_test(snapshot, test)
    assert not references(snapshot, one_symbol(snapshot, "shop.Cart.size")).uses


def test_specifications_are_tests_where_frameworks_look_for_them() -> None:
    assert is_test_file("lua/shop_spec.lua")
    assert is_test_file("models/cart_spec.rb")
    assert not is_test_file("server/job_spec.py")
