"""Bounds: what reading and linking cost grows with the text, and what lies beyond a bound is said.

Owns: work counted in calls for code shapes that repeat; the reason and the cause of what is not told apart.
Must not know: time, faces.
Invariant: twice the text takes little more than twice the calls.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, cast

import pytest

from graphls.analysis.flow import holders
from graphls.facts.columns import Column
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.edges import edges_to
from graphls.graph.export import ExportOptions, export
from graphls.graph.file_edges import FileEdges
from graphls.graph.nodes import node_row, node_rows
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.bounds import MAX_CANDIDATES, MAX_OVERLOADS, MAX_TESTS
from graphls.languages.registry import provider_for
from graphls.queries.completeness import CoverageClaim, completeness
from graphls.queries.symbol_lookup import one_symbol
from graphls.session import memory
from graphls.session.index.extraction import extract_file, has_name
from graphls.session.memory import snapshot_of

FILE = FilePath("a.py")
SHAPES: dict[str, Callable[[int], str]] = {
    "redefined": lambda n: "def f(x): return f(x)\n" * n,
    "redefined method": lambda n: "class C:\n" + "    def m(self): return self.m()\n" * n,
    "redefined class": lambda n: "class C:\n    def m(self): return C().m()\n" * n,
    "rebound member": lambda n: "x = x.m()\n" * n,
    "rebound to its own": lambda n: "class A:\n    def m(self): return self\nx = A()\n" + "x = x.m()\n" * n,
    "rebound call": lambda n: "def g(a): return a\nx = 1\n" + "x = g(x)\n" * n,
    "rebound in a loop": lambda n: "def g(x):\n    while x:\n" + "        x = x.m(x)\n" * n,
    "rebound under conditions": lambda n: "def g(x):\n" + "    if x:\n        x = f(x)\n" * n,
    "overloads": lambda n: "from typing import overload\n" + "@overload\ndef f(x: int) -> int: ...\nf(1).y\n" * n,
    "setters": lambda n: (
        "class A:\n    @property\n    def p(self): ...\n" + "    @p.setter\n    def p(self, v): self.p\n" * n
    ),
    "tests": lambda n: "def f(x):\n" + "    if isinstance(x, int): x.m()\n" * n,
    "line of classes": lambda n: (
        "class C0: pass\n" + "".join(f"class C{i + 1}(C{i}):\n    def m(self): super().m()\n" for i in range(3 * n))
    ),
}


def _work(run: Callable[[], object], *, walks: bool = True) -> int:
    """Calls of Python functions, and numbers that are walked over to find one in a column; all for each row of one."""
    counted = 0

    def count(_frame: FrameType, event: str, called: Any) -> None:
        nonlocal counted
        counted += event == "call"
        if walks and event == "c_call" and called.__name__ == "index":
            walked: object = called.__self__
            counted += len(cast("array[int]", walked)) if isinstance(walked, array) else 0

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return counted


def _calls(text: str, path: FilePath = FILE) -> int:
    """What reading and linking a file takes."""
    return _work(lambda: snapshot_of({path: text}).links(path))


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_text(shape: str) -> None:
    make = SHAPES[shape]
    _calls(make(2))
    some, twice = _calls(make(200)), _calls(make(400))
    assert twice < 2.4 * some


EXPORTED: dict[str, Callable[[int], Mapping[str, str]]] = {
    "classes of one base": lambda n: {
        "a.py": "class B: ...\n" + "".join(f"class C{i}(B):\n    def m(self): pass\n" for i in range(n))
    },
    "enumerations": lambda n: {
        "a.py": "from enum import Enum\n" + "".join(f"class C{i}(Enum): ...\n" for i in range(n))
    },
    "classes that test": lambda n: {
        "test_a.py": "from unittest import TestCase\n"
        + "".join(f"class C{i}(TestCase):\n    def test_m(self): pass\n" for i in range(n))
    },
    "imports": lambda n: {"a.py": "".join(f"from m import f{i}\n" for i in range(n)), "m.py": ""},
    "scripts": lambda n: {"a.ts": "".join(f"class C{i} extends B {{ m() {{}} }}\n" for i in range(n))},
    "bundles": lambda n: {
        "a.js": "var m = {\n"
        + "".join(
            f"{i}: function (t, r) {{ var a = r({i}); t.x = function () {{ return a.y() }} }},\n" for i in range(n)
        )
        + "};\n"
    },
    "methods of one name": lambda n: {
        "a.py": "class C:\n" + "".join("    def m(self): return self.m()\n" for _ in range(n))
    },
    "clauses of one comprehension": lambda n: {
        "a.py": "x = [a0 for a0 in z " + "".join(f"for a{i + 1} in a{i} " for i in range(4 * n)) + "]\n"
    },
    "variables of functions": lambda n: {
        "a.py": "".join(f"def f{i}(t, r):\n    a = r({i})\n    t.x = lambda: a.y()\n" for i in range(n))
    },
}


@pytest.mark.parametrize("shape", EXPORTED)
def test_work_of_an_export_grows_with_the_text(shape: str) -> None:
    def work(n: int) -> int:
        snapshot = snapshot_of(dict(EXPORTED[shape](n)))
        for path in snapshot.shards:
            snapshot.links(path)
        return _work(lambda: sum(1 for _ in export(snapshot, ExportOptions(mode="allow-errors")).lines()))

    work(2)
    assert work(320) < 2.4 * work(160)


def test_edges_of_one_method_do_not_cost_those_of_all() -> None:
    """Flow asks for them class by class: of 2,500 that override each other an export took 13 seconds."""

    def work(n: int) -> int:
        classes = "".join(f"class C{i + 1}(C{i}):\n    def m(self): super().m()\n" for i in range(n))
        snapshot = snapshot_of({FILE: f"class C0:\n    def m(self): pass\n{classes}"})
        method = len(snapshot.facts(FILE).definitions.kind) - 2

        def edges() -> list[str]:
            return [edge.kind for edge in FileEdges(snapshot, FILE, source=method).edges()]

        assert "overrides" in edges()
        return _work(edges, walks=False)

    assert work(600) < 1.2 * work(300)


def test_names_of_one_file_share_the_places_that_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holders, "STEPS_OF_A_FILE", 20_000)
    monkeypatch.setattr(holders, "LEAST_STEPS", 10)

    def work(n: int) -> int:
        names = "".join(f"a{i + 2} = a{i + 1} if c else a{i}\na{i + 2}()\n" for i in range(n))
        snapshot = snapshot_of({FILE: f"def a0(): ...\ndef a1(): ...\n{names}"})
        snapshot.links(FILE)
        options = ExportOptions(mode="allow-errors")
        return _work(lambda: sum(1 for _ in export(snapshot, options).lines()), walks=False)

    work(2)
    assert work(600) < 2.4 * work(300)


def test_a_name_with_too_many_uses_is_looked_at_once() -> None:
    def work(n: int) -> int:
        snapshot = snapshot_of({FILE: "x = [[a]]\n" + "x = [b.m() for b in x for c in b]\n" * n})
        snapshot.links(FILE)
        options = ExportOptions(mode="allow-errors")
        return _work(lambda: sum(1 for _ in export(snapshot, options).lines()), walks=False)

    work(2)
    assert work(2_400) < 2.4 * work(1_200)


def test_many_names_of_one_file_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of({FILE: "import a.b\nimport c\nx = c.d\ny = getattr(x, 'e.f')\nz = 'g:h'\n"})
    facts = snapshot.facts(FILE)
    names = [*facts.strings, "b", "d", "f", "h", "g", "e", "a.b", "e.f", "nowhere", "o.where", "."]
    expected = {name: (FILE,) if has_name(facts, name) else () for name in names}
    assert {name: snapshot.files_with_name(name) for name in names} == expected
    monkeypatch.setattr(memory, "has_name", None)
    assert snapshot.files_with_name("x") == (FILE,)
    assert snapshot.files_with_name("nowhere") == ()


def test_edges_to_many_places_do_not_walk_what_runs_unnamed_for_each() -> None:
    def work(n: int) -> int:
        calls = "".join(f"def f{i}(): ...\na{i} = f{i}\na{i}()\n" for i in range(n))
        snapshot = snapshot_of({FILE: calls})
        snapshot.links(FILE)
        places = [SymbolRef(FILE, row) for row in sorted(set(addresses(snapshot, FILE).rows))]
        return _work(lambda: [len(list(edges_to(snapshot, place))) for place in places], walks=False)

    work(2)
    assert work(400) < 2.4 * work(200)


STATIC: dict[str, tuple[FilePath, Callable[[int], str]]] = {
    "Go: methods of one name": (
        FilePath("p/a.go"),
        lambda n: (
            "package p\ntype I interface{ m() }\n"
            + "".join(
                f"type T{i} struct{{}}\nfunc (t T{i}) m() {{}}\nfunc (t T{i}) k() {{ t.m() }}\n" for i in range(n)
            )
        ),
    ),
    "Go: interfaces": (
        FilePath("p/a.go"),
        lambda n: (
            "package p\n"
            + "".join(
                f"type I{i} interface{{ m{i}() }}\ntype T{i} struct{{}}\nfunc (t T{i}) m{i}() {{}}\n" for i in range(n)
            )
        ),
    ),
    "Go: embedding": (
        FilePath("p/a.go"),
        lambda n: (
            "package p\n"
            + "".join(f"type T{i} struct{{}}\nfunc (t T{i}) m{i}() {{}}\n" for i in range(n))
            + "type A struct {\n"
            + "".join(f"\tT{i}\n" for i in range(n))
            + "}\nfunc g(a A) {\n"
            + "".join(f"\ta.m{i}()\n" for i in range(n))
            + "}\n"
        ),
    ),
    "Java: overloads": (
        FilePath("H.java"),
        lambda n: (
            "".join(f"class T{i} {{}}\n" for i in range(n))
            + "class H {\n"
            + "".join(f"  int f(T{i} x) {{ return f(x); }}\n" for i in range(n))
            + "}\n"
        ),
    ),
    "C: prototypes": (FilePath("a.c"), lambda n: "int f(int x);\nint g(int x) { return f(x); }\n" * n),
}


@pytest.mark.parametrize("shape", STATIC)
def test_work_of_declared_languages_grows_with_the_text(shape: str) -> None:
    path, make = STATIC[shape]

    def work(n: int) -> int:
        snapshot = snapshot_of({path: make(n)})
        read = _work(lambda: snapshot.links(path))
        return read + _work(lambda: sum(1 for _ in export(snapshot, ExportOptions(mode="allow-errors")).lines()))

    work(2)
    assert work(500) < 2.4 * work(250)


def _reasons(snapshot: Snapshot) -> set[int]:
    return set(snapshot.links(FILE).unresolved.reason)


def test_too_many_definitions_of_one_name_are_a_cause() -> None:
    snapshot = snapshot_of({FILE: SHAPES["redefined"](MAX_CANDIDATES * 3) + "def other(y): return y\n"})
    assert _reasons(snapshot) == {UnresolvedReason.CANDIDATES}
    symbol = next(iter(snapshot.shards))
    assert symbol == FILE
    found = completeness(snapshot, CoverageClaim(uses_of=(one_symbol(snapshot, "a:f#2"),)))
    assert {str(gap.cause): gap.count for gap in found.gaps} == {"too_many_candidates": MAX_CANDIDATES * 3}


def test_few_definitions_of_one_name_are_all_listed() -> None:
    snapshot = snapshot_of({FILE: "def f(x): return 1\n" * MAX_CANDIDATES + "def g(): f(1)\n"})
    assert not len(snapshot.links(FILE).unresolved)
    assert len(snapshot.links(FILE).targets) == MAX_CANDIDATES


def test_many_bindings_of_one_variable_are_one_thing() -> None:
    snapshot = snapshot_of({FILE: "x = 1\n" * 500 + "def g(): return x\nx\n"})
    links = snapshot.links(FILE)
    assert not len(links.unresolved)
    assert 0 in links.targets.symbol


def test_the_nearest_of_many_bindings_is_found() -> None:
    classes = "class A:\n    def m(self): ...\nclass B:\n    def m(self): ...\n"
    snapshot = snapshot_of({FILE: classes + "x = A()\n" * 200 + "x = B()\nx.m()\n"})
    links = snapshot.links(FILE)
    facts = snapshot.facts(FILE)
    last = len(facts.occurrences) - 1
    symbols = [s for o, s in zip(links.targets.occurrence, links.targets.symbol, strict=True) if o == last]
    assert [facts.definitions.owner[symbol] for symbol in symbols] == [
        next(row for row, name in enumerate(facts.definitions.name) if facts.strings[name] == "B")
    ]


def test_a_union_of_many_classes_is_not_told_apart() -> None:
    classes = "".join(f"class C{i}:\n    def m(self): ...\n" for i in range(MAX_CANDIDATES + 1))
    names = " | ".join(f"C{i}" for i in range(MAX_CANDIDATES + 1))
    assert UnresolvedReason.CANDIDATES in _reasons(snapshot_of({FILE: classes + f"def f(x: {names}): x.m()\n"}))


@pytest.mark.parametrize("shape", ["overloads", "setters", "rebound member"])
def test_rows_stand_for_the_same_alone_and_together(shape: str) -> None:
    text = SHAPES[shape](20) + ("def f(x): ...\n" if shape == "overloads" else "")
    facts = snapshot_of({FILE: text}).facts(FILE)
    rows: Column = node_rows(facts)
    assert [node_row(facts, row) for row in range(len(rows))] == list(rows)


class Forward(bytes):
    """A text of which no slice may run backwards: compiled code fails on one."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            part = cast("slice[int | None, int | None, int | None]", key)
            start, stop = part.start or 0, len(self) if part.stop is None else part.stop
            assert part.step is not None or stop < 0 or start < 0 or start <= stop, (start, stop)
        return cast("Any", super().__getitem__(cast("Any", key)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.js", b"/**/function f() {}"),
        (
            "a.ts",
            b"/**/export const a = 1, b = `",
        ),
        ("a.ts", b"class A { /**/m() {} /***/ n() {} }"),
        ("a.js", b"f('\ng(\"\nexports.a = '"),
        ("a.js", b'Object.defineProperty(exports, "", { value: 1 }); Object.defineProperty(exports, \', {'),
        ("a.py", b"def f():\n    '''\n\nx = '\ny = \"a.b"),
        ("a.py", b"def f(x: '', y: '): ...\n"),
    ],
)
def test_no_slice_runs_backwards(name: str, text: bytes) -> None:
    provider = provider_for(FilePath(name))
    assert provider is not None
    made = extract_file(provider, FilePath(name), Forward(text))
    assert made.facts


REPEATED: dict[str, Callable[[int], str]] = {
    "functions": lambda n: "function f(x) { return f(x) }\n" * n,
    "variables": lambda n: "var x = f(x);\n" * n,
    "functions in variables": lambda n: "var f = function (x) { return f(x) };\n" * n,
    "exports": lambda n: "exports.k = function () { return exports.k() };\n" * n,
}
DECLARED: dict[str, Callable[[int], str]] = {
    "merged interfaces": lambda n: (
        "".join(f"interface I {{ m{i}(): I }}\n" for i in range(n))
        + "declare const x: I;\n"
        + "".join(f"x.m{i}().m0();\n" for i in range(n))
    ),
    "merged namespaces": lambda n: (
        "".join(f"namespace N {{ export const a{i} = 1 }}\n" for i in range(n))
        + "".join(f"N.a{i};\n" for i in range(n))
    ),
    "signatures of a method": lambda n: (
        "interface I {\n" + "".join(f"  m(x: {i}): I;\n" for i in range(n)) + "}\ndeclare const x: I;\n"
        "x.m(1).m(2);\n" * n
    ),
}
DOUBLED: dict[str, tuple[FilePath, Callable[[int], str]]] = {
    "unions of unions": (
        FilePath("a.ts"),
        lambda n: (
            "class C { m() {} }\ntype T0 = C;\n"
            + "".join(f"type T{i + 1} = T{i} | T{i // 2};\n" for i in range(n))
            + f"declare const x: T{n};\nx.m();\n"
        ),
    ),
    "tuples": (FILE, lambda n: "def g(x):\n" + "    x = (x, x)\n" * n + "    x[0].y\n"),
    "diamonds": (
        FILE,
        lambda n: (
            "class A0: pass\n"
            + "".join(
                f"class L{i}(A{i}): pass\nclass R{i}(A{i}): pass\nclass A{i + 1}(L{i}, R{i}): pass\n" for i in range(n)
            )
            + f"A{n}().m()\n"
        ),
    ),
}


@pytest.mark.parametrize("shape", REPEATED)
def test_repeated_names_of_scripts(shape: str) -> None:
    make, script = REPEATED[shape], FilePath("a.js")
    _calls(make(2), script)
    some, twice = _calls(make(200), script), _calls(make(400), script)
    assert twice < 2.4 * some


@pytest.mark.parametrize("shape", DECLARED)
def test_repeated_declarations(shape: str) -> None:
    make, path = DECLARED[shape], FilePath("a.ts")
    _calls(make(2), path)
    some, twice = _calls(make(150), path), _calls(make(300), path)
    assert twice < 2.4 * some


@pytest.mark.parametrize("shape", DOUBLED)
def test_what_doubles_at_each_step_is_asked_once(shape: str) -> None:
    """Deeper than questions may lead to questions, where answers that rest on the cut are not kept for ever."""
    path, make = DOUBLED[shape]
    _calls(make(2), path)
    assert _calls(make(300), path) < 8 * _calls(make(60), path)


@pytest.mark.parametrize(
    "value", ["(self.f[0], A(), *self.f[1:])", "{'a': self.f, 'b': [self.f['a'], lambda: self.f]}"]
)
def test_what_builds_on_itself_in_many_branches_is_asked_in_proportion(value: str) -> None:
    """As a form of NetBox does: four branches took 75 seconds and 2.5 GB, and each one more all of it again."""

    def text(n: int) -> str:
        arms = "".join(f"        if kind == {i}: self.f = {value}\n" for i in range(n))
        return f"class A: ...\nclass B:\n    def __init__(self, kind):\n        self.f = (A(), A())\n{arms}"

    _calls(text(2), FILE)
    assert _calls(text(16), FILE) < 9 * _calls(text(8), FILE)


@pytest.mark.parametrize("value", ["(self.f[0], A{0}(), *self.f[1:])", "{{'a': self.f, 'b': [self.f['a'], A{0}()]}}"])
def test_what_builds_on_itself_means_the_same_whatever_was_asked_before(value: str) -> None:
    classes = "".join(f"class A{i}:\n    def m{i}(self): ...\n" for i in range(6))
    arms = "".join(f"        if kind == {i}: self.f = {value.format(i)}\n" for i in range(6))
    uses = "        self.f[0].m1()\n        self.f[1].m2()\n        self.f[0][0].m3()\n"
    text = f"{classes}class B:\n    def __init__(self, kind):\n        self.f = (A0(), A1())\n{arms}{uses}"

    def meant(rows: list[int] | None) -> dict[int, list[tuple[int, int]]]:
        snapshot = snapshot_of({FILE: text})
        links = snapshot.links(FILE) if rows is None else snapshot.links_at(FILE, rows)
        found: dict[int, list[tuple[int, int]]] = {row: [] for row in links.unresolved.occurrence}
        for at, row in enumerate(links.targets.occurrence):
            found.setdefault(row, []).append((links.targets.symbol[at], links.targets.confidence[at]))
        return found

    whole = meant(None)
    assert all(meant([row])[row] == whole[row] for row in whole)


def test_a_chain_of_tests_is_read_in_proportion() -> None:
    def denied(n: int) -> int:
        text = "if a: x = 1\n" + "".join(f"elif isinstance(x, A{i}): x = x.m()\n" for i in range(n))
        return len(snapshot_of({FILE: text}).facts(FILE).narrowings)

    # Behind the bound an arm has a row or two of its own, and none for each test before it.
    assert denied(1200) - denied(600) <= 2 * 600


def test_what_many_tests_deny_is_not_looked_at_behind_the_bound() -> None:
    """A use in a late arm, of which too many tests speak, is unresolved; one in an early arm is told apart."""
    classes = "class A:\n    def m(self): ...\nclass B:\n    def m(self): ...\n"

    def reasons(arms: int) -> set[int]:
        chain = "".join(f"    elif isinstance(x, C{i}): pass\n" for i in range(arms))
        text = f"{classes}def f(x: A | B):\n    if isinstance(x, A): pass\n{chain}    else: x.m()\n"
        links = snapshot_of({FILE: text}).links(FILE)
        facts = snapshot_of({FILE: text}).facts(FILE)
        last = max(row for row, name in enumerate(facts.occurrences.name) if facts.strings[name] == "m")
        return {links.unresolved.reason[row] for row, use in enumerate(links.unresolved.occurrence) if use == last}

    assert reasons(3) == set()
    assert reasons(MAX_TESTS + 10) == {UnresolvedReason.CANDIDATES}


def test_a_chain_of_else_if_says_each_test_twice() -> None:
    """Once for its own arm and once for all behind it: for each arm again it was a row for each pair of them."""
    text = "if (a) {}\n" + "".join(f"else if (x instanceof A{i}) {{ x = x.m() }}\n" for i in range(100))
    assert len(snapshot_of({"a.ts": text}).facts(FilePath("a.ts")).narrowings) < 2 * 100 + 1


SCRIPT = FilePath("a.ts")


def _uses_of_typescript(text: str) -> tuple[int, set[int]]:
    """How many things the last use may mean; the reasons of what is unresolved."""
    links = snapshot_of({SCRIPT: text}).links(SCRIPT)
    last = max((*links.targets.occurrence, *links.unresolved.occurrence))
    return list(links.targets.occurrence).count(last), set(links.unresolved.reason)


def _classes(n: int) -> str:
    return "".join(f"class C{i} {{ m() {{}} }}\n" for i in range(n))


UNIONS: dict[str, Callable[[int], str]] = {
    "annotation": lambda n: f"{_classes(n)}function f(x: {' | '.join(f'C{i}' for i in range(n))}) {{ x.m() }}\n",
    "alias": lambda n: f"{_classes(n)}type T = {' | '.join(f'C{i}' for i in range(n))};\ndeclare const x: T; x.m()\n",
    "elements": lambda n: f"{_classes(n)}const a = [{', '.join(f'new C{i}()' for i in range(n))}];\na[0].m()\n",
    "callback": lambda n: (
        f"{_classes(n)}const a = [{', '.join(f'new C{i}()' for i in range(n))}];\na.forEach((x) => x.m())\n"
    ),
    "either": lambda n: f"{_classes(n)}const x = {' || '.join(f'new C{i}()' for i in range(n))};\nx.m()\n",
    "returned": lambda n: (
        f"{_classes(n)}function f(x) {{ {' '.join(f'if (x) return new C{i}();' for i in range(n))} }}\nf(1).m()\n"
    ),
    "assigned": lambda n: f"{_classes(n)}let x;\n{' '.join(f'x = new C{i}();' for i in range(n))}\nx.m()\n",
    "indexed": lambda n: (
        f"{_classes(n)}{' '.join(f'interface I{i} {{ k: C{i} }}' for i in range(n))}\n"
        f"declare const x: ({' | '.join(f'I{i}' for i in range(n))})['k']; x.m()\n"
    ),
}


@pytest.mark.parametrize("shape", UNIONS)
def test_a_union_of_typescript_is_listed_whole_or_not_told_apart(shape: str) -> None:
    assert _uses_of_typescript(UNIONS[shape](MAX_CANDIDATES)) == (MAX_CANDIDATES, set())
    assert _uses_of_typescript(UNIONS[shape](MAX_CANDIDATES + 1)) == (0, {UnresolvedReason.CANDIDATES})


def test_more_bases_than_are_looked_at_leave_a_member_open() -> None:
    bases = "".join(f"interface B{i} {{ m{i}(): void }}\n" for i in range(100))
    names = ", ".join(f"B{i}" for i in range(100))
    text = f"{bases}interface D extends {names} {{}}\nfunction f(d: D) {{ d.m1(); d.m99() }}\n"
    links = snapshot_of({SCRIPT: text}).links(SCRIPT)
    assert set(links.unresolved.reason) == {UnresolvedReason.OPAQUE_BASE}


HIERARCHIES: dict[str, str] = {
    "bases": "".join(f"class B{i}:\n    def m{i}(self): ...\n" for i in range(100))
    + f"class D({', '.join(f'B{i}' for i in range(100))}): ...\nD().m99()\n",
    "order": "class C0:\n    def m(self): ...\n"
    + "".join(f"class C{i + 1}(C{i}): ...\n" for i in range(400))
    + "C400().m()\n",
}


@pytest.mark.parametrize("shape", HIERARCHIES)
def test_classes_behind_the_bound_leave_a_member_open(shape: str) -> None:
    assert _reasons(snapshot_of({FILE: HIERARCHIES[shape]})) == {UnresolvedReason.OPAQUE_BASE}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            FILE,
            "class A:\n    def m(self): return self\n"
            + "".join(f"a{i} = a{i + 1}.m()\n" for i in range(300))
            + "a300 = A()\n",
        ),
        (
            SCRIPT,
            "class A { m() { return this } }\n"
            + "".join(f"var a{i} = a{i + 1}.m();\n" for i in range(300))
            + "var a300 = new A();\n",
        ),
    ],
)
def test_questions_that_lead_too_deep_are_a_reason(path: FilePath, text: str) -> None:
    assert UnresolvedReason.LIMIT in set(snapshot_of({path: text}).links(path).unresolved.reason)


def test_many_overloads_say_nothing_of_a_call() -> None:
    def signatures(n: int) -> str:
        rows = "".join(f"@overload\ndef f(x: C{i}) -> C{i}: ...\n" for i in range(n))
        return "from typing import overload\n" + _python_classes(n) + rows + "def f(x): ...\nf(C1()).m()\n"

    assert not len(snapshot_of({FILE: signatures(20)}).links(FILE).unresolved)
    assert _reasons(snapshot_of({FILE: signatures(MAX_CANDIDATES + 1)})) == {UnresolvedReason.UNKNOWN_RECEIVER}


@pytest.mark.parametrize(("count", "reasons"), [(12, set[int]()), (33, {UnresolvedReason.CANDIDATES})])
def test_what_many_returns_give_is_whole_or_said(count: int, reasons: set[int]) -> None:
    python, script = FilePath("use.py"), FilePath("use.ts")
    files: dict[str, str] = {
        FILE: _python_classes(count) + "def make(k):\n" + "".join(f"    if k: return C{i}()\n" for i in range(count)),
        python: "from a import make\nmake(1).m()\n",
        SCRIPT: _classes(count)
        + "export function make(k) {\n"
        + "".join(f"  if (k) return new C{i}();\n" for i in range(count))
        + "}\n",
        script: "import { make } from './a';\nmake(1).m();\n",
    }
    snapshot = snapshot_of(files)
    for user in (python, script):
        links = snapshot.links(user)
        assert set(links.unresolved.reason) == reasons
        assert (len(links.targets) >= count) is not bool(reasons)


MEANT: dict[str, Callable[[int], Mapping[str, str]]] = {
    "overloads of Java": lambda n: {
        "T.java": "".join(f"class T{i} {{}}\n" for i in range(n)),
        "H.java": "class H {\n" + "".join(f"  void f(T{i} x) {{}}\n" for i in range(n)) + "}\n",
        "Use.java": "class Use { void g(H h, Object x) { h.f(x); } }\n",
    },
    "constructors of Java": lambda n: {
        "H.java": "class H {\n" + "".join(f"  H(T{i} x) {{}}\n" for i in range(n)) + "}\n",
        "Use.java": "class Use { Object g(Object x) { return new H(x); } }\n",
    },
    "definitions of C": lambda n: {
        "h.h": "".join(f"#ifdef T{i}\nint f(int x) {{ return x; }}\n#endif\n" for i in range(n)),
        "use.c": '#include "h.h"\nint g(int x) { return f(x); }\n',
    },
}


@pytest.mark.parametrize("shape", MEANT)
def test_more_overloads_than_are_weighed_are_a_cause(shape: str) -> None:
    def use(n: int) -> tuple[int, int]:
        files = MEANT[shape](n)
        links = snapshot_of(dict(files)).links(
            FilePath(next(path for path in files if path.lower().startswith("use.")))
        )
        said = sum(1 for reason in links.unresolved.reason if reason == UnresolvedReason.CANDIDATES)
        return said, len(links.targets)

    (none, all_), (said, rest) = use(12), use(MAX_OVERLOADS + 44)
    assert (none, said) == (0, 1)
    assert all_ >= 12
    assert rest == all_ - 12


def _python_classes(n: int) -> str:
    return "".join(f"class C{i}:\n    def m(self): ...\n" for i in range(n))


def test_a_surface_shows_values_to_a_depth() -> None:
    made = "class A:\n    def m(self) -> 'A': ...\nx = A()"
    user = FilePath("b.py")

    def unresolved(depth: int) -> int:
        files: dict[str, str] = {FILE: f"{made}{'.m()' * depth}\n", user: "from a import x\nx.m()\n"}
        return len(snapshot_of(files).links(user).unresolved)

    assert (unresolved(5), unresolved(60)) == (0, 1)


FANNED: dict[str, Callable[[int], Mapping[str, str]]] = {
    "imports": lambda n: {
        **{f"m{i}.py": f"def f{i}(): pass\n" for i in range(n)},
        "all.py": "".join(f"from m{i} import *\n" for i in range(n)) + "".join(f"f{i}()\n" for i in range(n)),
    },
    "exports": lambda n: {
        **{f"m{i}.ts": f"export function f{i}() {{}}\n" for i in range(n)},
        "index.ts": "".join(f"export * from './m{i}';\n" for i in range(n)),
        "all.ts": "import * as all from './index';\n" + "".join(f"all.f{i}();\n" for i in range(n)),
    },
}


@pytest.mark.parametrize("shape", FANNED)
def test_names_of_many_stars_are_looked_up(shape: str) -> None:
    def work(n: int) -> int:
        files = FANNED[shape](n)
        snapshot, user = snapshot_of(files), FilePath(next(path for path in files if path.startswith("all.")))
        counted = _work(lambda: snapshot.links(user))
        links = snapshot.links(user)
        assert not len(links.unresolved)
        assert len(set(zip(links.targets.file, links.targets.symbol, strict=True))) >= n
        return counted

    work(2)
    assert work(300) < 2.4 * work(150)
