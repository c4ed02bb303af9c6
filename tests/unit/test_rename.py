"""Rename: each case is a workspace, a symbol, a new name, and the lines that must have changed; or the refusal.

Owns: the cases. What holds for all of them: after the edits the symbol has as many uses as before, under its new name.
Must not know: LSP.
Invariant: a line that is not listed is what it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs
import pytest

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.references import references
from graphls.queries.rename import Rename, RenameRefused, rename, renamed_at
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import library_paths


@attrs.frozen
class Case:
    symbol: str
    """Or `FILE@TEXT`: what is declared where that text stands first."""
    name: str
    files: Mapping[str, str]
    """`old» new` in a line: what it is, and what it must become."""
    more: int = 0
    """Uses that `x as y` adds, which names both."""

    def before(self) -> dict[str, str]:
        return {path: self._half(text, 0) for path, text in self.files.items()}

    def after(self) -> dict[str, str]:
        return {path: self._half(text, -1) for path, text in self.files.items()}

    @staticmethod
    def _half(text: str, at: int) -> str:
        return "\n".join(line.split(" » ")[at] for line in text.split("\n"))


CASES = {
    "python function": Case("shop.cart:total", "amount", {
        "shop/__init__.py": "from shop.cart import total » from shop.cart import amount\n"
        "__all__ = ['total'] » __all__ = ['amount']\n",
        "shop/cart.py": "def total(prices): » def amount(prices):\n    return sum(prices)\n\n\n"
        "handlers = {'total': total} » handlers = {'total': amount}\n",
        "use.py": "from shop import total as t » from shop import amount as t\nimport shop.cart\n\nt([])\n"
        "shop.cart.total([]) » shop.cart.amount([])\n# total is prose\n",
    }),
    "python function that a parameter of its name holds": Case("a.py@notify()", "tell", {
        "a.py": "def notify(): ... » def tell(): ...\n\n\ndef run(notify):\n    return notify()\n\n\n"
        "run(notify) » run(tell)\n",
    }),
    "python parameter": Case("a.py@size=1", "width", {
        "a.py": "def f(size=1): » def f(width=1):\n    def inner(): return size »     def inner(): return width\n"
        "    return size + inner() »     return width + inner()\n\n\nf(size=2) » f(width=2)\nsize = 3\n",
        "b.py": "from a import f\nf(size=4) » f(width=4)\n",
    }),
    "python method and what overrides it": Case("a:Base.run", "go", {
        "a.py": "class Base:\n    def run(self): ... »     def go(self): ...\n\n\nclass Below(Base):\n"
        "    def run(self): return super().run() »     def go(self): return super().go()\n\n\n"
        "def use(b: Below): b.run() » def use(b: Below): b.go()\n\n\nclass Other:\n    def run(self): ...\n",
    }),
    "python arms of a condition": Case("a:pick", "choose", {
        "a.py": "try:\n    def pick(): ... »     def choose(): ...\nexcept OSError:\n"
        "    def pick(): ... »     def choose(): ...\n"
        "pick() » choose()\n",
    }),
    "python arm beside an import": Case("a.py@load()", "fetch", {
        "fast.py": "def load(): ...\n",
        "a.py": "try:\n    from fast import load »     from fast import load as fetch\nexcept ImportError:\n"
        "    def load(): ... »     def fetch(): ...\nload() » fetch()\n",
        "b.py": "from a import load as mine » from a import fetch as mine\nimport a\nmine()\na.load() » a.fetch()\n",
    }),
    "python import beside an arm": Case("fast:load", "fetch", {
        "fast.py": "def load(): ... » def fetch(): ...\n",
        "a.py": "try:\n    from fast import load »     from fast import fetch as load\nexcept ImportError:\n"
        "    load = None\nload()\n",
        "b.py": "try:\n    from fast import load as load »     from fast import fetch as load\nexcept ImportError:\n"
        "    load = None\nload()\n",
        "c.py": "from a import load\nimport a\nload()\na.load()\n",
        "d.py": "from c import load\nfrom fast import load as mine » from fast import fetch as mine\nload()\nmine()\n",
    }, more=1),
    "python package that imports itself": Case("pkg.core:start", "begin", {
        "pkg/__init__.py": "from pkg.core import start as start » from pkg.core import begin as begin\n"
        "import pkg.sub as sub\nfrom pkg.sub import *\n__all__ = ['start'] » __all__ = ['begin']\n",
        "pkg/core.py": "import pkg\ndef start(): return pkg.sub.deep() » def begin(): return pkg.sub.deep()\n",
        "pkg/sub.py": "from pkg import start as s, core » from pkg import begin as s, core\nimport pkg.sub as me\n"
        "def deep(): return s() + core.start() + me.deep() » def deep(): return s() + core.begin() + me.deep()\n",
        "use.py": "import pkg\nfrom pkg import * \nimport pkg.core as c\nstart() » begin()\npkg.start() » pkg.begin()\n"
        "c.start() » c.begin()\npkg.core.start() » pkg.core.begin()\n",
    }),
    "typescript package that imports itself": Case("src/core.ts:start", "begin", {
        "package.json": '{"name": "lib", "exports": {".": "./src/index.ts"}}',
        "src/index.ts": "export * from './core'\nexport * as core from './core'\nimport * as self from './index'\n"
        "export default self\n",
        "src/core.ts": "import lib, { core } from 'lib'\n"
        "export function start(): number { return core.start() + lib.start() } » "
        "export function begin(): number { return core.begin() + lib.begin() }\n",
        "src/late.ts": "export const a = async () => (await import('lib')).start() » "
        "export const a = async () => (await import('lib')).begin()\n"
        "import('lib').then((m) => m.start()) » import('lib').then((m) => m.begin())\n"
        "import('lib').then(({ start: s }) => s()) » import('lib').then(({ begin: s }) => s())\n"
        "export type Start = typeof import('lib').start » export type Start = typeof import('lib').begin\n"
        "export const of = (m: typeof import('lib')) => m.core.start() » "
        "export const of = (m: typeof import('lib')) => m.core.begin()\n",
    }),
    "typescript type behind an import": Case("src/core.ts:Options", "Choices", {
        "package.json": '{"name": "lib", "exports": {".": "./src/index.ts"}}',
        "src/index.ts": "export * from './core'\n",
        "src/core.ts": "export interface Options { wide: boolean } » export interface Choices { wide: boolean }\n",
        "src/use.ts": "export type A = import('./core').Options » export type A = import('./core').Choices\n"
        "export let b: import('lib').Options » export let b: import('lib').Choices\n",
    }),
    "python parameter that its documentation names": Case("a.py@size):", "width", {
        "a.py": 'class Box:\n    """A box.\n\n    :param size: as it is »     :param width: as it is\n'
        "    :param int size: again »     :param int width: again\n    :param sizes: no\n    \"\"\"\n\n"
        "    def __init__(self, size): »     def __init__(self, width):\n        ...\n\n\n"
        'def size(): ...\n\n\ndef other(size):\n    """Other.\n\n    :param size: of another.\n    """\n',
    }),
    "typescript names in comments": Case("a.ts@from:", "source", {
        "a.ts": "/**\n * Takes.\n * @param {string} from - where »  * @param {string} source - where\n"
        " * @param [fro] no\n"
        " */\nexport function take(from: string) { return from } » "
        "export function take(source: string) { return source }\n\n/** @param from of nothing */\n",
    }),
    "typescript links in comments": Case("a.ts:take", "fetch", {
        "a.ts": "/** See {@link take}. » /** See {@link fetch}.\n */\n"
        "export function take() {} » export function fetch() {}\n",
        "b.ts": "import { take } from './a' » import { fetch } from './a'\n"
        "/** {@linkcode take}, take » /** {@linkcode fetch}, take\n */\ntake() » fetch()\n",
        "c.ts": "/** {@link take} of another */\nexport const x = 1\n",
    }),
    "typescript type beside a value": Case("a.ts:Both", "Each", {
        "a.ts": "export type Both = 1 » export type Each = 1\nexport const Both = 1 » export const Each = 1\n"
        "export const use = (b: Both) => Both + b » export const use = (b: Each) => Each + b\n",
    }),
    "python field": Case("a:A.x", "y", {
        "a.py": "class A:\n    x: int »     y: int\n"
        "    def __init__(self): self.x = 1 »     def __init__(self): self.y = 1\n"
        "    def more(self): self.x += 1 »     def more(self): self.y += 1\n\n\nprint(A().x) » print(A().y)\n",
    }),
    "python field of slots": Case("a:A.x", "y", {
        "a.py": "class A:\n    __slots__ = ('x', 'xx') »     __slots__ = ('y', 'xx')\n"
        "    __match_args__ = ('x',) »     __match_args__ = ('y',)\n    title = 'x'\n\n"
        "    def __init__(self): self.x = 'x' »     def __init__(self): self.y = 'x'\n",
    }),
    "python pytest fixture": Case("conftest:server", "backend", {
        "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef server(): » def backend():\n    return 1\n",
        "test_a.py": "def test_get(server): » def test_get(backend):\n    assert server »     assert backend\n",
    }),
    "script of a manifest": Case("shop:main", "start", {
        "pyproject.toml": "[project]\nname = 'shop'\n[project.scripts]\nshop = 'shop:main' » shop = 'shop:start'\n",
        "shop.py": "def main(): » def start():\n    ...\n",
    }),
    "typescript shorthand of a variable": Case("a.ts:make", "build", {
        "a.ts": "export const make = () => 1 » export const build = () => 1\n"
        "export const all = { make } » export const all = { make: build }\n",
        "b.ts": "import { make, all } from './a' » import { build, all } from './a'\nmake() » build()\nall.make()\n",
    }),
    "typescript key": Case("a.ts:all.make", "build", {
        "a.ts": "const make = () => 1\nexport const all = { make: 1 } » export const all = { build: 1 }\n",
        "b.ts": "import { all } from './a'\nall.make + 1 » all.build + 1\n"
        "const { make } = all » const { build: make } = all\nmake + 1\n",
    }),
    "typescript namespace": Case("a.ts:make", "build", {
        "a.ts": "export const make = () => 1 » export const build = () => 1\n",
        "b.ts": "import * as a from './a'\na.make() » a.build()\n",
    }),
    "typescript namespace beside an interface of its name": Case("a.ts:Shape.Options", "Choices", {
        "a.ts": "export interface Shape { props: Shape.Options } » export interface Shape { props: Shape.Choices }\n"
        "export declare namespace Shape {\n"
        "  export interface Options { wide: boolean } »   export interface Choices { wide: boolean }\n}\n",
    }),
    "typescript variable of a pattern": Case("a.ts@make }", "build", {
        "a.ts": "import { all } from './b'\nconst { make } = all » const { make: build } = all\nmake + 1 » build + 1\n",
        "b.ts": "export const all = { make: 1 }\n",
    }),
    "typescript member of an interface": Case("a.ts:Shape.area", "size", {
        "a.ts": "export interface Shape { area(): number } » export interface Shape { size(): number }\n"
        "export class Square implements Shape { area() { return 1 } } » "
        "export class Square implements Shape { size() { return 1 } }\n"
        "export const use = (s: Shape) => s.area() » export const use = (s: Shape) => s.size()\n",
    }),
    "typescript export under another name": Case("a.ts:f", "h", {
        "a.ts": "function f() {} » function h() {}\nexport { f as g } » export { h as g }\n",
        "b.ts": "import { g } from './a'\ng()\n",
    }),
    "go method": Case("x.go:T.Get", "Fetch", {
        "go.mod": "module example.com/x\n",
        "x.go": "package x\n\ntype Getter interface{ Get() int } » type Getter interface{ Fetch() int }\n"
        "type T struct{}\n"
        "func (t T) Get() int { return 1 } » func (t T) Fetch() int { return 1 }\n",
        "y.go": "package x\n\nfunc use(t T, g Getter) int { return t.Get() + g.Get() } » "
        "func use(t T, g Getter) int { return t.Fetch() + g.Fetch() }\n",
    }),
    "c function and its prototype": Case("a.h:area", "size", {
        "a.h": "int area(int side); » int size(int side);\n",
        "a.c": '#include "a.h"\nint area(int a) { return a * a; } » int size(int a) { return a * a; }\n',
        "b.c": '#include "a.h"\nint twice(int a) { return 2 * area(a); } » int twice(int a) { return 2 * size(a); }\n',
    }),
}  # fmt: skip


def edited(files: Mapping[str, str], found: Rename) -> dict[str, str]:
    made = {path: text.encode() for path, text in files.items()}
    for edit in sorted(found.edits, key=lambda edit: -edit.start):
        text = made[edit.file]
        made[edit.file] = text[: edit.start] + edit.text.encode() + text[edit.end :]
    return {path: text.decode() for path, text in made.items()}


@pytest.mark.parametrize("name", CASES)
def test_every_line_becomes_what_it_must(name: str) -> None:
    case = CASES[name]
    snapshot = snapshot_of(case.before())
    place = declared(snapshot, case, case.before())
    found = rename(snapshot, place, case.name)
    assert edited(case.before(), found) == case.after()
    renewed = snapshot_of(case.after())
    old = re.split(r"\W", re.sub(r"\W*\d*$", "", case.symbol))[-1]
    symbol = re.sub(rf"{old}(\W*\d*)$", rf"{case.name}\1", case.symbol)
    again = declared(renewed, attrs.evolve(case, symbol=symbol), case.after())
    assert len(references(renewed, again).uses) == len(references(snapshot, place).uses) + case.more


def declared(snapshot: Snapshot, case: Case, files: Mapping[str, str]) -> SymbolRef:
    path, at, text = case.symbol.partition("@")
    if not at:
        return one_symbol(snapshot, case.symbol)
    return renamed_at(snapshot, FilePath(path), files[path].index(text))[1]


UNSURE = {
    "a.py": "class A:\n    def frob(self): ...\n\n\ndef use(x): return x.frob()\n"
    "def named(x): return getattr(x, 'frob')()\n"
}


def test_a_file_that_brings_it_in_must_not_have_the_name_already() -> None:
    snapshot = snapshot_of({"a.py": "def first(): ...\n", "b.py": "from a import first\nsecond = 1\nfirst()\n"})
    with pytest.raises(RenameRefused) as caught:
        rename(snapshot, one_symbol(snapshot, "a:first"), "second")
    assert caught.value.message == "'second' means something else already in b.py:3, where it would stand."


def test_what_may_mean_something_else_is_marked() -> None:
    snapshot = snapshot_of(UNSURE)
    found = rename(snapshot, one_symbol(snapshot, "a:A.frob"), "twist")
    assert [(edit.start, edit.doubt) for edit in found.edits] == [
        (UNSURE["a.py"].index("frob"), ""),
        (UNSURE["a.py"].index("x.frob") + 2, "a member of a value of unknown type"),
        (UNSURE["a.py"].index("'frob'") + 1, "a string that spells the name"),
    ]
    assert found.doubtful == 2


REFUSED = {
    "a.py": "import os\nfrom threading import Thread\n\nGOAL = 1\n\n\nclass Work(Thread):\n    def run(self): ...\n"
    "    def __len__(self): return GOAL\n\n\ndef first(one, two): return one + two\n"
    "def second(): return first(1, 2) + GOAL\n"
    "def third():\n    GOAL = 2\n    return first(GOAL, len)\n"
    "from b import other as another\nanother()\nos.getcwd()\n",
    "b.py": "def other(): ...\n",
}


@pytest.mark.parametrize(
    ("at", "name", "because"),
    [
        ("first(one", "class", "cannot be the name"),
        ("first(one", "a b", "cannot be the name"),
        ("first(one", "second", "is declared there already"),
        ("one, two", "two", "is declared there already"),
        ("GOAL = 1", "second", "is declared there already"),
        ("first(one", "GOAL", "is declared there already"),
        ("second()", "len", "would come to mean"),
        ("one, two", "GOAL", ""),
        ("run(self)", "go", "declared outside the workspace"),
        ("__len__", "size", "run by the language"),
        ("getcwd", "there", "declared outside the workspace"),
        ("another()", "more", "another name of b:other"),
        ("def first", "x", "No name stands here"),
    ],
)
def test_what_cannot_be_renamed_is_refused_with_the_reason(at: str, name: str, because: str) -> None:
    snapshot = snapshot_of(REFUSED, libraries=InstalledLibraries(library_paths(None)))
    offset = REFUSED["a.py"].index(at)

    def ask(snapshot: Snapshot) -> Rename:
        return rename(snapshot, renamed_at(snapshot, FilePath("a.py"), offset)[1], name)

    if not because:
        assert ask(snapshot).edits
        return
    with pytest.raises(RenameRefused) as caught:
        ask(snapshot)
    assert because in caught.value.message


def test_what_an_unread_class_may_declare_is_marked() -> None:
    files = {"a.py": "from gone import Base\n\n\nclass A(Base):\n    def run(self): ...\n"}
    snapshot = snapshot_of(files)
    found = rename(snapshot, one_symbol(snapshot, "a:A.run"), "go")
    assert [edit.doubt for edit in found.edits] == ["gone.Base, which is not read, may declare it"]


def test_a_key_that_is_a_variable_too_is_refused() -> None:
    snapshot = snapshot_of({"a.ts": "const make = 1\nexport const all = { make }\n"})
    with pytest.raises(RenameRefused) as caught:
        rename(snapshot, one_symbol(snapshot, "a.ts:all.make"), "build")
    assert "Write `make: make` first" in caught.value.message


def test_what_a_macro_writes_is_refused() -> None:
    """An edit of the uses alone would break the code."""
    text = (
        "#define FIELDS int size;\n#define ALL(X) X(RED)\n#define NAMED(n) COLOR_##n,\n"
        "struct box { FIELDS };\nenum color { ALL(NAMED) LAST };\n"
        "int take(struct box *one) { return one->size + COLOR_RED; }\n"
    )
    snapshot = snapshot_of({"a.c": text})
    for at in ("size + ", "COLOR_RED;"):
        with pytest.raises(RenameRefused) as caught:
            renamed_at(snapshot, FilePath("a.c"), text.index(at))
        assert "A macro writes" in caught.value.message


def test_what_is_exported_without_a_name_is_refused() -> None:
    snapshot = snapshot_of({"a.ts": "export default function () {}\n", "b.ts": "export { default as f } from './a'\n"})
    with pytest.raises(RenameRefused) as caught:
        rename(snapshot, one_symbol(snapshot, "a.ts:default"), "build")
    assert "has no name of its own" in caught.value.message


def test_members_of_types_that_are_alike_are_marked() -> None:
    files = {
        "a.ts": "export interface A { size: number; only: number }\nexport interface B { size: number }\n"
        "export const both = (a: A) => a.size + a.only\n"
    }
    snapshot = snapshot_of(files)
    found = rename(snapshot, one_symbol(snapshot, "a.ts:A.size"), "width")
    assert [bool(edit.doubt) for edit in found.edits] == [True, False]
    assert rename(snapshot, one_symbol(snapshot, "a.ts:A.only"), "width").doubtful == 0


def test_what_an_object_takes_over_by_its_name_is_marked() -> None:
    """A key that is written keeps its name; one that comes with what is spread out has that of the function."""
    files = {
        "a.ts": "export function mac() { return 1 }\nexport function ip() { return 1 }\n",
        "b.ts": "import * as all from './a'\nconst z = { ...all }\nz.mac()\nz.ip()\n",
        "c.ts": "import { mac } from './a'\nconst keyed = { mac: mac }\nkeyed.mac()\n",
    }
    snapshot = snapshot_of(files)
    found = rename(snapshot, one_symbol(snapshot, "a.ts:mac"), "port")
    marked = {(edit.file, edit.start): edit.doubt for edit in found.edits if edit.doubt}
    taken = ("b.ts", files["b.ts"].index("mac"))
    assert marked == {taken: "a member of an object that takes it over by its name"}
    assert [edit.file for edit in found.edits if not edit.doubt] == ["a.ts", "c.ts", "c.ts"]


def test_what_a_block_for_another_module_adds_is_marked() -> None:
    """`declare module` may be for a module that only gives the name on."""
    files = {
        "app.ts": "export interface App { run(): void }\n",
        "index.ts": "export * from './app'\n",
        "more.ts": "import './index'\ndeclare module './index' {\n  interface App { stop(): void }\n}\n",
        "own.ts": "export interface App { other: number }\n",
    }
    snapshot = snapshot_of(files)
    found = rename(snapshot, one_symbol(snapshot, "app.ts:App"), "Program")
    assert [(edit.file, bool(edit.doubt)) for edit in found.edits] == [("app.ts", False), ("more.ts", True)]
    assert found.edits[1].start == files["more.ts"].index("App")


def test_a_use_is_not_shadowed() -> None:
    files = {"a.py": "def first(): ...\n\n\ndef use(second): return first() + second\n"}
    snapshot = snapshot_of(files)
    with pytest.raises(RenameRefused) as caught:
        rename(snapshot, one_symbol(snapshot, "a:first"), "second")
    assert caught.value.message == "'second' means something else already in a.py:4, where it would stand."


def test_what_a_symbol_names_is_refused_and_the_symbol_is_renamed_where_it_is_a_key() -> None:
    text = "const kRun = Symbol('run')\nconst made = { [kRun] () {} }\nmade[kRun]()\n"
    snapshot = snapshot_of({"a.js": text})
    with pytest.raises(RenameRefused, match=r"\[kRun\] is what a symbol names. Put the cursor on kRun"):
        renamed_at(snapshot, FilePath("a.js"), text.index("[kRun]"))
    _, place = renamed_at(snapshot, FilePath("a.js"), text.index("kRun] ()"))
    edits = rename(snapshot, place, "kGo").edits
    assert sorted(edit.start for edit in edits) == [text.index(part) for part in ("kRun = ", "kRun] ()", "kRun]()")]
