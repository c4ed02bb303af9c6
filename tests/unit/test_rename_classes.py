"""Rename of classes: constructors, destructors and parts are called like their class, in each language that has them.

Owns: one workspace a language, in which each line that a rename of `Shop` to `Store` must change says what it becomes.
Must not know: LSP.
Invariant: the rename is the same from every place that spells the class, and a line that is not listed stays.
"""

from __future__ import annotations

import re

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.position import name_at
from graphls.queries.rename import Rename, RenameRefused, rename, renamed_at
from graphls.session.memory import snapshot_of

OLD, NEW = "Shop", "Store"
CASES = {
    "java": {
        "p/Shop.java": "package p;\n"
        "import static p.Shop.make; » import static p.Store.make;\n"
        "/** {@link Shop#Shop()}, {@link p.Shop}, {@link #open} » "
        "/** {@link Store#Store()}, {@link p.Store}, {@link #open}\n"
        " * @see Shop#make »  * @see Store#make\n */\n"
        "public class Shop implements java.io.Serializable { » public class Store implements java.io.Serializable {\n"
        "    Shop() { this(1); } »     Store() { this(1); }\n"
        "    Shop(int size) {} »     Store(int size) {}\n"
        "    static Shop make() { return new Shop(); } »     static Store make() { return new Store(); }\n"
        "    class Door { void open() { Shop.this.open(); } } »     class Door { void open() { Store.this.open(); } }\n"
        "    void open() {}\n"
        "    java.util.function.Supplier<Shop> s = Shop::new; » "
        "    java.util.function.Supplier<Store> s = Store::new;\n}\n"
        "class Bakery extends Shop { Bakery() { super(2); } } » "
        "class Bakery extends Store { Bakery() { super(2); } }\n",
        "q/Use.java": "package q;\nimport p.Shop; » import p.Store;\nimport static p.Shop.*; » "
        "import static p.Store.*;\n"
        "class Use { Object a = new Shop(3) {}, b = new p.Shop(3); } » "
        "class Use { Object a = new Store(3) {}, b = new p.Store(3); }\n",
    },
    "java record": {
        "Shop.java": "record Shop(int a) { » record Store(int a) {\n    Shop { } »     Store { }\n"
        "    Shop() { this(1); } »     Store() { this(1); }\n"
        "    static Shop one = new Shop(2); »     static Store one = new Store(2);\n}\n",
    },
    "csharp in parts": {
        "a.cs": "namespace P {\npublic partial class Shop : System.IDisposable { » "
        "public partial class Store : System.IDisposable {\n"
        "    static Shop() { } »     static Store() { }\n    public Shop() : this(1) { } » "
        "    public Store() : this(1) { }\n"
        "    public Shop(int x) { } »     public Store(int x) { }\n    ~Shop() { } »     ~Store() { }\n"
        "    public static Shop Make() { return new Shop(); } » "
        "    public static Store Make() { return new Store(); }\n"
        "}\nclass Below : Shop { Shop a = new(1); Shop b = new Shop(2) { }; } » "
        "class Below : Store { Store a = new(1); Store b = new Store(2) { }; }\n}\n",
        "b.cs": 'namespace P;\n/// <see cref="Shop"/> » /// <see cref="Store"/>\n'
        "partial class Shop { Shop(string s) {} } » partial class Store { Store(string s) {} }\n",
        "c.cs": "using P;\nusing S = P.Shop; » using S = P.Store;\n"
        "class Use { object o = new P.Shop(2); string s = nameof(Shop); } » "
        "class Use { object o = new P.Store(2); string s = nameof(Store); }\n",
    },
    "c++": {
        "a.hpp": "namespace n {\nclass Shop; » class Store;\ntemplate <class T> struct Box { Box(); };\n}\n",
        "b.hpp": '#include "a.hpp"\nnamespace n {\nclass Shop { » class Store {\npublic:\n    Shop(); »     Store();\n'
        "    explicit Shop(int x); »     explicit Store(int x);\n"
        "    Shop(const Shop& o) = default; »     Store(const Store& o) = default;\n    ~Shop(); » "
        "    ~Store();\n};\n}\n",
        "b.cpp": '#include "b.hpp"\nnamespace n {\nShop::Shop() : Shop(1) {} » Store::Store() : Store(1) {}\n'
        "Shop::Shop(int x) {} » Store::Store(int x) {}\nShop::~Shop() {} » Store::~Store() {}\n"
        "struct Below : Shop { using Shop::Shop; Below() : Shop(2) {} }; » "
        "struct Below : Store { using Store::Store; Below() : Store(2) {} };\n"
        "void use() { Shop a(1); auto p = new n::Shop(2); p->~Shop(); } » "
        "void use() { Store a(1); auto p = new n::Store(2); p->~Store(); }\n}\n",
    },
    "c++ specialized": {
        "a.hpp": "template <class T> struct Shop { Shop(); }; » template <class T> struct Store { Store(); };\n",
        "b.hpp": '#include "a.hpp"\ntemplate <> struct Shop<int> { Shop(); ~Shop(); }; » '
        "template <> struct Store<int> { Store(); ~Store(); };\nShop<int> one; » Store<int> one;\n",
    },
    "kotlin": {
        "a.kt": "package p\n/** See [Shop] and [Shop.m]. */ » /** See [Store] and [Store.m]. */\n"
        "class Shop(val x: Int) : Runnable { » class Store(val x: Int) : Runnable {\n"
        "    constructor() : this(1)\n"
        "    inner class Door { fun k() = this@Shop } »     inner class Door { fun k() = this@Store }\n"
        "    fun m() = Shop() »     fun m() = Store()\n    override fun run() {}\n}\n"
        "class Below : Shop(1) { } » class Below : Store(1) { }\nval f = ::Shop » val f = ::Store\n",
        "b.kt": "package q\nimport p.Shop as S » import p.Store as S\nfun g(s: S) = S(2)\n",
    },
    "swift": {
        "a.swift": "class Shop { » class Store {\n    init() {}\n    deinit {}\n"
        "    func make() -> Shop { return Shop() } »     func make() -> Store { return Store() }\n}\n"
        "let a = Shop() » let a = Store()\n",
    },
    "php": {
        "Shop.php": "<?php\nnamespace P;\nclass Shop { » class Store {\n    function __construct() {}\n"
        "    static function m(): Shop { return new Shop(); } » "
        "    static function m(): Store { return new Store(); }\n}\n",
        "Use.php": "<?php\nnamespace Q;\nuse P\\Shop; » use P\\Store;\nclass Below extends Shop { » "
        "class Below extends Store {\n"
        "    function __construct() { parent::__construct(); }\n}\n"
        "function f(Shop $s) { new \\P\\Shop(); Shop::m(); } » "
        "function f(Store $s) { new \\P\\Store(); Store::m(); }\n",
    },
    "ruby in parts": {
        "a.rb": "class Shop » class Store\n  def initialize; end\nend\nShop.new » Store.new\n",
        "b.rb": "require_relative 'a'\nclass Shop » class Store\n  def y; end\nend\n",
    },
    "rust": {
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/lib.rs": "/// [`Shop`], [Shop::new] » /// [`Store`], [Store::new]\n"
        "pub struct Shop(i32); » pub struct Store(i32);\n"
        "impl Shop { fn new() -> Self { Shop(1) } } » impl Store { fn new() -> Self { Store(1) } }\n"
        "impl Drop for Shop { fn drop(&mut self) {} } » impl Drop for Store { fn drop(&mut self) {} }\n",
    },
    "typescript": {
        "a.ts": "/** {@link Shop.m} */ » /** {@link Store.m} */\n"
        "export class Shop implements Iterable<number> { » export class Store implements Iterable<number> {\n"
        "    constructor(x = 1) {}\n    m() { return new Shop() } »     m() { return new Store() }\n}\n",
    },
}  # fmt: skip


def half(files: dict[str, str], at: int) -> dict[str, str]:
    lines = {path: [line.split(" » ") for line in text.split("\n")] for path, text in files.items()}
    return {path: "\n".join(both[at] for both in every) for path, every in lines.items()}


def edited(files: dict[str, str], found: Rename) -> dict[str, str]:
    made = dict(files)
    for edit in sorted(found.edits, key=lambda edit: -edit.start):
        assert not edit.doubt
        made[edit.file] = made[edit.file][: edit.start] + edit.text + made[edit.file][edit.end :]
    return made


@pytest.mark.parametrize("language", CASES)
def test_a_class_is_renamed_from_wherever_it_is_spelled(language: str) -> None:
    before, after = half(CASES[language], 0), half(CASES[language], -1)
    snapshot, asked = snapshot_of(before), 0
    for path, text in before.items():
        for match in re.finditer(rf"\b{OLD}\b", text):
            if name_at(snapshot, FilePath(path), match.start()) is None:
                continue
            at, place = renamed_at(snapshot, FilePath(path), match.start())
            assert (at.start, at.end) == match.span()
            assert edited(before, rename(snapshot, place, NEW)) == after, (path, match.start())
            asked += 1
    assert asked > 1


def test_a_constructor_under_a_word_of_the_language_is_refused() -> None:
    text = "class Shop { constructor(n: Int) }\nclass Below : Shop { constructor() : super(1) }\n"
    snapshot = snapshot_of({"a.kt": text})
    with pytest.raises(RenameRefused) as caught:
        renamed_at(snapshot, FilePath("a.kt"), text.index("constructor"))
    assert "run by the language" in caught.value.message


def test_a_member_must_not_come_to_be_called_like_its_class() -> None:
    text = "class Shop { Shop() {} void Store() {} }\n"
    snapshot = snapshot_of({"Shop.java": text})
    with pytest.raises(RenameRefused) as caught:
        rename(snapshot, renamed_at(snapshot, FilePath("Shop.java"), text.index("Shop()"))[1], NEW)
    assert "has a member 'Store'" in caught.value.message


def test_a_member_is_renamed_in_links_of_comments_that_name_its_class() -> None:
    text = "class A { /** {@link #m} {@link A#m(int)} {@link B#m} */ void m() {} }\nclass B { void m() {} }\n"
    snapshot = snapshot_of({"A.java": text})
    _, place = renamed_at(snapshot, FilePath("A.java"), text.index("m() {}"))
    assert edited({"A.java": text}, rename(snapshot, place, "open"))["A.java"] == text.replace(
        "{@link #m} {@link A#m(int)}", "{@link #open} {@link A#open(int)}"
    ).replace("*/ void m()", "*/ void open()")


def test_a_file_that_must_be_called_like_its_class_is_renamed_with_it() -> None:
    files = {"p/Shop.java": "package p;\npublic class Shop { class Door {} }\nclass Other {}\n"}
    snapshot, path = snapshot_of(files), FilePath("p/Shop.java")

    def moved(at: str, name: str) -> FilePath | None:
        place = renamed_at(snapshot, path, files[path].index(at))[1]
        return rename(snapshot, place, name).moved

    assert moved("Shop", NEW) == "p/Store.java"
    assert moved("Door", "Gate") is None
    assert moved("Other", "More") is None
    taken = snapshot_of(files | {"p/Store.java": "package p;\n"})
    with pytest.raises(RenameRefused) as caught:
        rename(taken, renamed_at(taken, path, files[path].index("Shop"))[1], NEW)
    assert "exists already" in caught.value.message
