"""Steps: lines that are run, loops and comprehensions included, grow with the text in the newer languages.

Owns: shapes of code at which a step once looked at all that stands before it; what stands in place of a bound.
Must not know: time, faces.
Invariant: twice the text takes little more than twice the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest

from graphls.graph.export import ExportOptions, export
from graphls.languages.declared.ranges import FirstCover, rows_begun
from graphls.session.memory import snapshot_of


def _each(n: int, line: Callable[[int], str]) -> str:
    return "".join(line(number) for number in range(n))


SHAPES: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "PHP: functions of one name": ("a.php", lambda n: "<?php\n" + "function f($x) { return f($x); }\n" * n),
    "PHP: methods of one name": (
        "a.php",
        lambda n: "<?php\nclass H {\n" + "function m(): H { return $this->m(); }\n" * n + "}\n",
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
    "Java: methods that are equal": (
        "H.java",
        lambda n: "class H {\n" + "  int f(int a) { return g(1); }\n" * n + "}\n",
    ),
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
    "Go: cases of a type switch": (
        "p/a.go",
        lambda n: (
            "package p\n\ntype T struct{}\n\nfunc g(x any) {\n\tswitch t := x.(type) {\n"
            + _each(n, lambda _: "\tcase T:\n\t\tt.m()\n")
            + "\t}\n}\n"
        ),
    ),
}


def _lines(path: str, text: str) -> int:
    """Lines that reading, linking and exporting a file run, each turn of a loop by itself."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        snapshot = snapshot_of({path: text})
        for file in snapshot.files():
            snapshot.links(file)
        sum(1 for _ in export(snapshot, ExportOptions(mode="allow-errors")).lines())
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_that_are_run_grow_with_the_text(shape: str) -> None:
    path, make = SHAPES[shape]
    _lines(path, make(2))
    assert _lines(path, make(240)) < 2.5 * _lines(path, make(120))


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
