"""Steps: lines that are run, loops and comprehensions included, grow with the text in the newer languages.

Owns: shapes of code at which a step once looked at all that stands before it; what stands in place of a bound.
Must not know: time, faces.
Invariant: twice the text takes little more than twice the lines.
"""

from __future__ import annotations

import re
import sys
import time
from array import array
from collections.abc import Callable, Mapping, Sequence, Set
from types import FrameType
from typing import Any

import attrs
import pytest

from graphls.analysis.flow import class_members
from graphls.analysis.flow.holders import Holders
from graphls.analysis.frameworks.arguments import LEXIS, CodeText
from graphls.facts.columns import ColumnSearch, column, rows_with
from graphls.facts.definer_keys import (
    MAX_NAMESPACE_PARTS,
    SHARED_IMPORTS,
    definer_keys,
    extension_key,
    namespace_key,
    namespace_tail_key,
    type_key,
)
from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from, edges_to
from graphls.graph.export import ExportOptions, export
from graphls.graph.open_names import open_names_of, open_rows
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.bash.types.inference import MOST_FILES
from graphls.languages.c.cpp.types.inference import MAX_DIRECTIVES, CppInference
from graphls.languages.config.protobuf import MAX_NESTING, read_protobuf
from graphls.languages.declared import inference
from graphls.languages.declared.inference import DeclaredInference, DeclaredUnit
from graphls.languages.declared.values import Denotation, Value
from graphls.languages.go.modules import module_aliases
from graphls.languages.resolve.ranges import FirstCover, rows_begun
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.ruby.types.constants import RubyConstants
from graphls.languages.typescript.syntax.patterns import MAX_SHARED
from graphls.linking.definers import Definers
from graphls.linking.dependencies import LinkDependencies
from graphls.linking.world import RecordingWorld
from graphls.session.index.packages import declared_packages
from graphls.session.memory import MemorySnapshotContents, snapshot_of


def _each(n: int, line: Callable[[int], str]) -> str:
    return "".join(line(number) for number in range(n))


SHAPES: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "PHP: functions of one name": ("a.php", lambda n: "<?php\n" + "function f($x) { return f($x); }\n" * n),
    "PHP: methods of one name": (
        "a.php",
        lambda n: "<?php\nclass H {\n" + "function m(): H { return $this->m(); }\n" * n + "}\n",
    ),
    "C++: a namespace opened again": (
        "a.cpp",
        lambda n: _each(n, lambda i: f"namespace a {{ void f{i}(); void g{i}() {{ f{max(i - 1, 0)}(); }} }}\n"),
    ),
    "PHP: a chain of variables": (
        "a.php",
        lambda n: (
            "<?php\nclass H { function m(): H { return $this; } }\n$a0 = new H();\n"
            + _each(n, lambda i: f"$a{i + 1} = $a{i}->m();\n")
        ),
    ),
    "PHP: a type that may be many": (
        "a.php",
        lambda n: (
            "<?php\n"
            + _each(n, lambda i: f"class C{i} {{ function m() {{}} }}\n")
            + f"function g({'|'.join(f'C{i}' for i in range(n))} $x) {{\n"
            + "$x->m();\n" * n
            + "}\n"
        ),
    ),
    "PHP: namespaces": (
        "a.php",
        lambda n: "<?php\n" + _each(n, lambda i: f"namespace A{i} {{ function f() {{ \\A{(i + 1) % n}\\f(); }} }}\n"),
    ),
    "Shell: functions of one name": ("a.sh", lambda n: "f() { f; }\n" * n),
    "C#: methods that are equal": ("A.cs", lambda n: "class H {\n" + "  int F(int a) { return G(1); }\n" * n + "}\n"),
    "C#: parts of one class": (
        "A.cs",
        lambda n: _each(n, lambda i: f"partial class H {{ void M{i}() {{ M{(i + 1) % n}(); }} }}\n"),
    ),
    "C#: one class again and again": ("A.cs", lambda n: "class H { H M() { return new H().M(); } }\n" * n),
    "C#: usings": (
        "A.cs",
        lambda n: (
            _each(n, lambda i: f"using A{i};\n")
            + _each(n, lambda i: f"namespace A{i} {{ public class C{i} {{}} }}\n")
            + f"class H {{\n{_each(n, lambda i: f'  C{i} f{i};' + chr(10))}}}\n"
        ),
    ),
    "C#: lambdas": ("A.cs", lambda n: "class H { void G() {\n" + "F(x => x.M(y => y.K()));\n" * n + "} }\n"),
    "Java: methods that are equal": (
        "H.java",
        lambda n: "class H {\n" + "  int f(int a) { return g(1); }\n" * n + "}\n",
    ),
    "JavaScript: names of one pattern": (
        "a.js",
        lambda n: f"const {{ {', '.join(f'a{i}' for i in range(n))} }} = o;\n" + _each(n, lambda i: f"a{i}();\n"),
    ),
    "TypeScript: arms that test one name": (
        "a.ts",
        lambda n: "if (a) {}\n" + _each(4 * n, lambda i: f"else if (x instanceof A{i}) {{ x = x.m() }}\n"),
    ),
    "Ruby: methods of one name": ("a.rb", lambda n: _each(3 * n, lambda i: f"class C{i}\n  def m\n  end\nend\n")),
    "Rust: one name again and again": (
        "src/lib.rs",
        lambda n: "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(x: T) {\n" + "    let x = x.m();\n" * n + "}\n",
    ),
    "Rust: bounds of one parameter": (
        "src/lib.rs",
        lambda n: (
            _each(n, lambda i: f"trait A{i} {{ fn m{i}(&self); }}\n")
            + f"fn g<T: {' + '.join(f'A{i}' for i in range(n))}>(x: T) {{\n"
            + _each(n, lambda i: f"    x.m{i}();\n")
            + "}\n"
        ),
    ),
    "Java: types that are named as their constructors": (
        "T.java",
        lambda n: (
            "class A0 {}\nclass T {\n"
            + _each(9 * n, lambda i: f"  T(A{i} x) {{}}\n")
            + _each(3 * n, lambda i: f"  void m{i}() {{ T t; }}\n")
            + "}\n"
        ),
    ),
    "C#: constructors of one class": (
        "A.cs",
        lambda n: (
            _each(n, lambda i: f"class A{i} {{ }}\n")
            + "class T {\n"
            + _each(9 * n, lambda i: f"  public T(A{i % n} x) {{ new T(x); }}\n")
            + "}\n"
        ),
    ),
    "Kotlin: types that are named as functions in them": (
        "A.kt",
        lambda n: (
            "class T {\n"
            + _each(9 * n, lambda i: f"  fun N(x: Int{i}) {{}}\n")
            + "  class N\n"
            + _each(3 * n, lambda i: f"  fun m{i}() {{ val t: N? = null }}\n")
            + "}\n"
        ),
    ),
    "Kotlin: tests of one name": (
        "A.kt",
        lambda n: (
            _each(n, lambda i: f"class A{i} {{ fun m() {{}} }}\n")
            + "fun f(x: Any) {\n    when (x) {\n"
            + _each(3 * n, lambda i: f"        is A{i % n} -> x.m()\n")
            + "    }\n}\n"
        ),
    ),
    "Swift: one name unwrapped again and again": (
        "A.swift",
        lambda n: (
            "struct T { func m() -> T? { nil } }\nfunc f(x: T?) {\n"
            + "    guard let x = x.m() else { return }\n" * (4 * n)
            + "}\n"
        ),
    ),
    "Swift: types that nothing declares": (
        "A.swift",
        lambda n: _each(3 * n, lambda i: f"func f{i}(x: X{i}) {{}}\n"),
    ),
    "Go: one function again and again": (
        "p/a.go",
        lambda n: "package p\n\n" + "func f(x int) int { return f(x) }\n" * (6 * n),
    ),
    "Go: cases of a type switch": (
        "p/a.go",
        lambda n: (
            "package p\n\ntype T struct{}\n\nfunc g(x any) {\n\tswitch t := x.(type) {\n"
            + _each(n, lambda _: "\tcase T:\n\t\tt.m()\n")
            + "\t}\n}\n"
        ),
    ),
    "Ruby: opened again": (
        "a.rb",
        lambda n: _each(n, lambda i: f"class C\n  def m{i}\n    m{(i + 1) % n}\n  end\nend\n"),
    ),
}


def _lines(files: Mapping[str, str]) -> int:
    """Lines that reading, linking and exporting files run, each turn of a loop by itself."""

    def run() -> None:
        snapshot = snapshot_of(files)
        for file in snapshot.files():
            snapshot.links(file)
        sum(1 for _ in export(snapshot, ExportOptions(mode="allow-errors")).lines())

    return _lines_of(run)


def _lines_of(run: Callable[[], object]) -> int:
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run()
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_that_are_run_grow_with_the_text(shape: str) -> None:
    path, make = SHAPES[shape]
    _lines({path: make(2)})
    assert _lines({path: make(160)}) < 2.5 * _lines({path: make(80)})


FILES: Mapping[str, Callable[[int], Mapping[str, str]]] = {
    "C: headers of one file": lambda n: {
        **{f"h{i}.h": f"int f{i}(void);\n" for i in range(n * 4)},
        "use.c": _each(n * 4, lambda i: f'#include "h{i}.h"\n')
        + _each(n * 4, lambda i: f"int g{i}(void) {{ return f{i}(); }}\n"),
    },
    "SQL: tables joined in one query": lambda n: {
        "a.sql": "CREATE TABLE t (a int);\nSELECT a FROM t x0"
        + _each(n * 4, lambda i: f" JOIN t x{i + 1} ON x{i + 1}.a = x0.a\n")
        + ";\n"
    },
    "C#: files of one namespace": lambda n: {
        f"P/C{i}.cs": f"namespace P;\nclass C{i} {{ void M() {{ new C{(i + 1) % n}().M(); }} }}\n" for i in range(n)
    },
    "Ruby: files of one class": lambda n: {
        f"lib/f{i}.rb": f"class C\n  def m{i}\n    m{(i + 1) % n}\n  end\nend\n" for i in range(n)
    },
    "SQL: one table made again in each file": lambda n: {
        f"m/{i}.sql": "CREATE TABLE t (a int);\nSELECT a FROM t;\n" for i in range(n * 6)
    },
    "Go: files of one package": lambda n: {
        "go.mod": "module m\n",
        **{f"p/f{i}.go": f"package p\n\nfunc f{i}() {{ f{(i + 1) % n}() }}\n" for i in range(n)},
    },
    "Java: files of one package": lambda n: {
        f"p/C{i}.java": f"package p;\nclass C{i} {{ void m() {{ new C{(i + 1) % n}().m(); }} }}\n" for i in range(n)
    },
    "Rust: files of one crate": lambda n: {
        "Cargo.toml": '[package]\nname = "m"\nversion = "1.0.0"\n',
        "src/lib.rs": _each(n, lambda i: f"pub mod m{i};\n"),
        **{f"src/m{i}.rs": f"use crate::m{(i + 1) % n}::f as g;\npub fn f() {{ g() }}\n" for i in range(n)},
    },
}


CROWDED: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "TypeScript: signatures of one method": (
        "a.ts",
        lambda n: (
            "interface I {\n"
            + _each(n, lambda i: f"  m(x: {i}): I;\n")
            + "}\ndeclare const x: I;\n"
            + "x.m(1).m(2);\n" * 240
        ),
    ),
    "C#: methods of one name that extend a type": (
        "A.cs",
        lambda n: (
            _each(n, lambda i: f"class D{i} {{ }}\n")
            + "class C { }\nstatic class E {\n"
            + _each(n, lambda i: f"  static void M(this D{i} x) {{ }}\n")
            + "}\nclass H { void G(C c) {\n"
            + "c.M();\n" * 240
            + "} }\n"
        ),
    ),
    "Swift: methods of one name in a type": (
        "A.swift",
        lambda n: (
            "class C {\n"
            + _each(n, lambda i: f"  func m(x: X{i}) {{}}\n")
            + "}\nfunc f(c: C) {\n"
            + "c.m(x: 1)\n" * 240
            + "}\n"
        ),
    ),
}


@pytest.mark.parametrize("shape", CROWDED)
def test_what_many_uses_ask_alike_is_looked_through_once(shape: str) -> None:
    path, make = CROWDED[shape]
    _lines({path: make(2)})
    assert _lines({path: make(60)}) < 2.6 * _lines({path: make(10)})


def test_rust_asks_once_what_is_above_a_trait(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    denote = DeclaredInference.denote

    def counted(self: DeclaredInference, unit: DeclaredUnit, row: int) -> Value | None:
        nonlocal asked
        asked += 1
        return denote(self, unit, row)

    monkeypatch.setattr(DeclaredInference, "denote", counted)

    def asks(n: int) -> int:
        nonlocal asked
        asked = 0
        line = _each(n, lambda i: f"trait T{i + 1}: T{i} {{ fn k{i}(&self) {{ self.m() }} }}\n")
        snapshot = snapshot_of({"src/lib.rs": "trait T0 { fn m(&self); }\n" + line})
        for file in snapshot.files():
            snapshot.links(file)
        return asked

    fewer = asks(80)
    assert fewer >= 80
    assert asks(160) < 2.2 * fewer


@pytest.mark.parametrize("shape", FILES)
def test_lines_that_are_run_grow_with_the_files(shape: str) -> None:
    make = FILES[shape]
    _lines(make(2))
    assert _lines(make(120)) < 2.25 * _lines(make(60))


class _CountedPath(str):
    """A path that counts how often somebody looks at how it ends."""

    __slots__ = ()
    looks = 0

    def endswith(self, *args: Any) -> bool:
        _CountedPath.looks += 1
        return super().endswith(*args)


def test_files_of_one_class_are_gone_through_once_for_all() -> None:
    """Each part of a class is a file, and each asks which files are called like the class (Ruby)."""
    looks = list[int]()
    for count in (100, 200):
        parts = [f"lib/f{one}.rb" for one in range(count)]
        files: dict[str, str] = {
            _CountedPath(one): "class C\n  def m\n    m\n  end\nend\n" for one in (*parts, "lib/c.rb")
        }
        snapshot = snapshot_of(files)
        _CountedPath.looks = 0
        for path in snapshot.files():
            assert snapshot.links(path).targets.file
        looks.append(_CountedPath.looks)
    assert looks[0]
    assert looks[1] < 2.5 * looks[0]


def test_php_follows_no_variable_through_branches_where_there_are_too_many() -> None:
    many = _each(1_200, lambda i: f"$a{i} = f();\n")
    start = "<?php\nclass H { function m() {} }\nfunction g($c) {\n$x = new H();\n"

    def meant(body: str) -> int:
        snapshot = snapshot_of({"a.php": start + body + "if ($c) { $c = 1; }\n$x->m();\n}\n"})
        (path,) = snapshot.files()
        facts, links = snapshot.facts(path), snapshot.links(path)
        row = next(row for row, name in enumerate(facts.occurrences.name) if facts.strings[name] == "m")
        return list(links.targets.occurrence).count(row)

    assert meant("") == 1
    assert meant(many) == 0


def test_the_first_range_that_covers_an_offset() -> None:
    ranges = [(start, start + width, start * 100 + width) for width in (3, 9, 40) for start in range(0, 60, 7)]
    cover = FirstCover(ranges)
    for offset in range(-1, 110):
        wanted = next((value for start, end, value in ranges if start <= offset < end), -1)
        assert cover.at(offset) == wanted
    starts = [row * 3 for row in range(20)]
    assert [rows_begun(starts, range(20), at) for at in (-1, 0, 2, 3, 57, 90)] == [0, 1, 1, 2, 20, 20]


def test_rows_of_a_column_are_found_alike_however_often_they_are_asked_for() -> None:
    values = column([row * 7 % 90 for row in range(1_200)])
    search = ColumnSearch(values)
    for value in (*range(-1, 92), *range(-1, 92)):
        assert search.rows(value) == list(rows_with(values, value))


def test_names_of_one_large_pattern_have_their_own_keys_only() -> None:
    def users(count: int) -> list[set[str]]:
        names = [f"a{at}" for at in range(count)]
        snapshot = snapshot_of({"a.js": f"function o() {{}}\nconst {{ {', '.join(names)} }} = o();\n"})
        (path,) = snapshot.files()
        facts, links = snapshot.facts(path), snapshot.links(path)
        open_names = open_names_of(facts, links)
        rows = [facts.strings[name] for name in facts.definitions.name]
        found = {owner: rows[owner] for owner in open_names.owners}
        keys = [len(open_names.of(owner)) for owner in found]
        callers = {one.source for one in edges_to(snapshot, SymbolRef(path, rows.index("o")))}
        assert callers >= {SymbolRef(path, rows.index(name)) for name in names}
        return [set(found.values()), set(map(str, keys))]

    assert users(5) == [{f"a{at}" for at in range(5)}, {"5"}]
    # The key of the first name goes with what all of them take apart.
    assert users(MAX_SHARED + 1) == [{f"a{at}" for at in range(MAX_SHARED + 1)}, {"1", "2"}]


def test_namespaces_are_told_apart_by_their_first_parts() -> None:
    long = ".".join(f"A{at}" for at in range(MAX_NAMESPACE_PARTS + 8))
    code = f"namespace {long} {{ static class X {{ static int M(this int one) => one; class In {{ }} }} }}\n"
    snapshot = snapshot_of({"A.cs": f"global using System;\n{code}"})
    (path,) = snapshot.files()
    found = definer_keys(snapshot.facts(path))
    assert {SHARED_IMPORTS, type_key("X"), extension_key("M"), namespace_key("A0.A1"), namespace_key(long)} <= found
    assert {namespace_tail_key("A1.A2"), namespace_tail_key(long.partition(".")[2])} & found == {".A1.A2."}
    assert {type_key("In"), namespace_key("A1"), namespace_tail_key("A0")}.isdisjoint(found)
    assert len(found) == 3 + MAX_NAMESPACE_PARTS * (MAX_NAMESPACE_PARTS + 1) // 2


@pytest.mark.parametrize(
    ("scripts", "reasons"), [(MOST_FILES - 1, set[int]()), (MOST_FILES + 1, {UnresolvedReason.LIMIT})]
)
def test_what_a_script_sources_is_seen_to_a_number_of_files(scripts: int, reasons: set[int]) -> None:
    texts = {f"f{at}.sh": f". ./f{at + 1}.sh\nf{at}() {{ :; }}\n" for at in range(scripts)}
    last = f"f{scripts - 1}"
    snapshot = snapshot_of({**texts, "a.sh": f". ./f0.sh\nf0\n{last}\necho\n"})
    links = snapshot.links(FilePath("a.sh"))
    assert FilePath("f0.sh") in links.files
    assert set(links.unresolved.reason) == reasons
    # What systems bring may be defined anew there too.
    assert len(links.unresolved) == 2 * len(reasons)


def test_parts_of_a_class_are_put_in_order_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at each of its uses, of which each part of a class that is opened again may have one."""
    compared: list[int] = []
    nearest = RubyConstants._nearest  # pyright: ignore[reportPrivateUsage]

    def counted(self: RubyConstants, refs: Sequence[DefinitionRef]) -> tuple[DefinitionRef, ...]:
        compared.append(len(refs))
        return nearest(self, refs)

    monkeypatch.setattr(RubyConstants, "_nearest", counted)
    snapshot = snapshot_of({"a.rb": "class C\n  def m\n    C.new.m\n  end\nend\n" * 100})
    links = snapshot.links(FilePath("a.rb"))
    assert len(links.targets) > 100
    assert sum(compared) <= 300


def test_names_of_a_script_are_looked_for_where_they_are_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    unit = DeclaredInference.unit

    def counted(self: DeclaredInference, path: FilePath) -> DeclaredUnit:
        asked.append(path)
        return unit(self, path)

    monkeypatch.setattr(DeclaredInference, "unit", counted)

    def looked(count: int) -> int:
        texts = {f"f{at}.sh": f"f{at}() {{ :; }}\nv{at}=1\n" for at in range(count)}
        use = "".join(f". ./f{at}.sh\nf{at} $v{at} $w{at}\n" for at in range(count))
        snapshot = snapshot_of({**texts, "use.sh": use})
        asked.clear()
        assert len(snapshot.links(FilePath("use.sh")).unresolved) == count
        return len(asked)

    assert looked(200) < 2.25 * looked(100)


@pytest.mark.parametrize("shape", ["Ruby: files of one class", "Go: files of one package"])
def test_what_links_rest_on_grows_with_the_files(shape: str) -> None:
    """Each of many files asks for all of them: names would fill a square."""

    def written(count: int) -> int:
        snapshot = snapshot_of(FILES[shape](count))
        return sum(len(lookup) for path in snapshot.files() for lookup in snapshot.links(path).lookups)

    assert written(400) < 2.25 * written(200)


def test_who_asks_for_the_definers_of_a_name_hears_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = Definers({FilePath(f"f{i}.rb"): array("Q", [7]).tobytes() for i in range(100)})
    modules = attrs.evolve(snapshot_of({"a.rb": "C\n"}).modules["ruby"], definers=numbers)
    world = RecordingWorld(modules, lambda _: pytest.fail("no surface is asked for"))
    monkeypatch.setattr("graphls.linking.world.number_of", lambda _: 7)
    assert len(world.defining("C")) == 100
    found = LinkDependencies((), world.lookups())
    digest = found.digest(FilePath("a.rb"), modules, lambda _: "")
    assert found.hold(digest, FilePath("a.rb"), modules, lambda _: "")
    fewer = numbers.with_columns({path: raw for path, raw in numbers.columns.items() if path != "f3.rb"})
    other = attrs.evolve(modules, definers=fewer)
    assert not found.hold(digest, FilePath("a.rb"), other, lambda _: "")


def test_a_manifest_is_gone_through_once_for_all_of_its_programs() -> None:
    """A search of the text for each of them takes the square of their number, in one call of the library."""

    def searches(count: int) -> int:
        found = 0

        def note(_frame: FrameType, event: str, called: object) -> None:
            nonlocal found
            owner = getattr(called, "__self__", None)
            found += event == "c_call" and isinstance(owner, re.Pattern) and owner.flags & re.MULTILINE > 0

        scripts = "".join(f"s{i} = 'm:f{i}'\n" for i in range(count))
        code = "".join(f"def f{i}(): pass\n" for i in range(count))
        snapshot = snapshot_of({"pyproject.toml": f"[project]\nname='a'\n[project.scripts]\n{scripts}", "m.py": code})
        sys.setprofile(note)
        try:
            lines = list(export(snapshot, ExportOptions(mode="allow-errors")).lines())
        finally:
            sys.setprofile(None)
        assert sum('"manifest.entry_point"' in str(line) for line in lines) >= count
        return found

    assert searches(40) == searches(20)


def test_open_uses_of_one_name_are_searched_for_among_all_of_a_file() -> None:
    file = FilePath("a.py")

    def found(n: int) -> int:
        text = "import absent\n" + _each(n, lambda number: f"absent.a{number}(b{number})\n")
        snapshot = snapshot_of({file: text})
        facts, links = snapshot.facts(file), snapshot.links(file)
        every = dict(open_rows(facts, links))
        rows = list(every)[:3] + list(every)[-3:]
        lines = _lines_of(lambda: dict(open_rows(facts, links, rows)))
        assert {row: every[row] for row in rows} == dict(open_rows(facts, links, rows))
        return lines

    assert found(2_000) <= found(200) + 10


def _opened(count: int, more: str = "") -> Snapshot:
    spaces = _each(count, lambda i: f"namespace n{i} {{ void f{i}(); }}\n")
    body = _each(count, lambda i: f"  using namespace n{i};\n")
    return snapshot_of({"a.cpp": f"{spaces}{more}void g() {{\n{body}  f0(); f{count - 1}();\n}}\n"})


def test_namespaces_that_are_opened_are_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each names its namespace by what is opened before it; of a hundred, most meant nothing when all were asked."""
    links = _opened(100).links(FilePath("a.cpp"))
    assert (len(links.targets), len(links.unresolved)) == (102, 0)
    looks: list[int] = []
    before = CppInference._by_directive  # pyright: ignore[reportPrivateUsage]

    def counted(self: CppInference, unit: DeclaredUnit, row: int, name: str) -> Denotation | None:
        looks.append(row)
        return before(self, unit, row, name)

    monkeypatch.setattr(CppInference, "_by_directive", counted)
    counts: list[int] = []
    for count in (600, 1_200):
        looks.clear()
        assert _opened(count).links(FilePath("a.cpp"))
        counts.append(len(looks))
    assert counts[1] < 2.5 * counts[0]


@pytest.mark.parametrize(("opened", "found"), [(MAX_DIRECTIVES, True), (MAX_DIRECTIVES + 1, False)])
def test_namespaces_that_are_opened_are_gone_through_to_a_number(opened: int, found: bool) -> None:
    """Behind it a name is not known: what is declared around must not be meant for it."""
    last = f"f{opened - 1}"
    snapshot = _opened(opened, f"void {last}();\n")
    facts, links = snapshot.facts(FilePath("a.cpp")), snapshot.links(FilePath("a.cpp"))
    calls = {
        facts.strings[facts.occurrences.name[row]]: row
        for row, role in enumerate(facts.occurrences.role)
        if role == Role.CALL
    }
    assert calls["f0"] in links.targets.occurrence
    assert (calls[last] in links.targets.occurrence) == found
    assert (calls[last] in links.unresolved.occurrence) != found


def test_files_of_many_names_are_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a snapshot that is all in memory, as that of a commit is."""
    snapshot, looks = snapshot_of({f"f{i}.py": f"def g{i}(): ...\ng{i + 1}()\n" for i in range(60)}), list[str]()
    before = MemorySnapshotContents._names_in  # pyright: ignore[reportPrivateUsage]

    def counted(self: MemorySnapshotContents, of: Snapshot, path: FilePath) -> Set[str]:
        looks.append(path)
        return before(self, of, path)

    monkeypatch.setattr(MemorySnapshotContents, "_names_in", counted)
    for i in range(1, 60):
        assert snapshot.files_with_name(f"g{i}") == tuple(sorted((FilePath(f"f{i}.py"), FilePath(f"f{i - 1}.py"))))
    assert snapshot.files_with_name("nobody") == ()
    assert len(looks) <= 25 * 60


@pytest.mark.parametrize(("depth", "cut"), [(MAX_NESTING, False), (MAX_NESTING + 1, True)])
def test_messages_are_named_to_a_depth(depth: int, cut: bool) -> None:
    """The name of each holds those of all around it: the square of the depth."""
    read = read_protobuf("a.proto", b"message M {\n" * depth + b"}\n" * depth + b"message N { M m = 1; }\n")
    assert [entry.name for entry in read.entries[:2]] == ["M", "M.M"]
    assert (len(read.entries), read.entries[-1].name) == (MAX_NESTING + 1, "N")
    assert [one.text for one in read.references] == ["M"]
    assert read.cut == cut
    deep = read_protobuf("a.proto", b"message M {\n" * 3_000 + b"}\n" * 3_000)
    assert sum(len(entry.name) for entry in deep.entries) < 2 * MAX_NESTING**2


BLANK = "\n" * 60_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("build.gradle", BLANK + "implementation 'a.b:c:1'\n"),
        ("settings.gradle", BLANK + "rootProject.name = 'a'\n"),
        ("go.mod", BLANK + "module example.com/a\n"),
        ("a.gemspec", BLANK + "s.name = 'a'\n"),
    ],
)
def test_blank_lines_of_manifests_are_gone_through_once(name: str, text: str) -> None:
    """A pattern that begins at the start of a line takes in no further lines: else all are looked at from each."""
    begun = time.thread_time()
    declared_packages({FilePath(name): text.encode()})
    module_aliases([FilePath(name)], {FilePath(name): text.encode()})
    assert time.thread_time() - begun < 1.0


def test_comments_of_messages_are_gone_through_once() -> None:
    begun = time.thread_time()
    comments = b"// what it is for\n" * 20_000
    read = read_protobuf("a.proto", b"message M {\n" + comments + b"M m = 1;\n}\n" + comments)
    assert [one.text for one in read.references] == ["M"]
    assert time.thread_time() - begun < 1.0


def test_signs_that_nothing_closes_are_gone_through_once() -> None:
    """A quote behind a backslash begins no string, an open comment goes to the end: else the rest of the text, or of a
    line, is gone through at each of them."""
    for lexis in LEXIS.values():
        quotes = b'"\\"' * 9
        assert [
            at for at in range(len(quotes)) if quotes[at - 1 : at] == b"\\" and lexis.string.match(quotes, at)
        ] == []
        assert lexis.string.match(b'("a\\"b")', 1)
    for lexis, opening in ((LEXIS["//"], b"/* "), (LEXIS["--"], b"--[[ "), (LEXIS["--"], b"--[=[ ")):
        noise = lexis.noise.match(opening * 9)
        assert noise is not None
        assert noise.end() == len(opening) * 9
    assert [one.end for one in CodeText(b"f(a, /* b */ c)", LEXIS["//"]).arguments(1)] == [3, 14]


def test_flow_does_not_look_for_what_a_file_gave_up_for_its_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(x: T) {\n" + "    let x = x.m();\n" * 400 + "}\n"
    monkeypatch.setattr(inference, "MAX_QUERIES", 400)
    monkeypatch.setattr(class_members, "_MANY_USES", 100)
    monkeypatch.setattr(class_members, "_MANY_GIVEN_UP", 100)
    objects = 0
    looked = Holders.objects_at

    def counted(self: Holders, path: FilePath, row: int, depth: int = 0) -> Sequence[SymbolRef]:
        nonlocal objects
        objects += 1
        return looked(self, path, row, depth)

    monkeypatch.setattr(Holders, "objects_at", counted)
    snapshot = snapshot_of({"src/lib.rs": text, "Cargo.toml": "[package]\nname = 'a'\n"})
    path = FilePath("src/lib.rs")
    given_up = snapshot.links(path).unresolved.rows_where("reason", UnresolvedReason.LIMIT)
    assert len(given_up) > 100
    assert sum(1 for _ in edges_from(snapshot, path)) > 0
    assert objects < 100
