"""Functions in objects that are written out are called where a field is."""

from __future__ import annotations

import pytest

from graphls.analysis.flow.initializers import values_by_position
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.paths import FilePath
from graphls.graph.derived_edges import derived_edges_of, derived_edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

HEAD = """
struct ops { int (*run)(int); int (*stop)(int); };
typedef struct ops Ops;
typedef struct { int (*run)(int); } Anon;
typedef int (*callback)(int);
static int go(int x) { return x; }
static int halt(int x) { return x; }
int use(const struct ops *o) { return o->run(1); }
int end(const struct ops *o) { return (*o->stop)(1); }
int other(Anon *a) { return a->run(1); }
"""
GO = """package x
type Ops struct{ Run func(int) int; Stop func(int) int }
func Go(x int) int { return x }
func Halt(x int) int { return x }
func Use(o *Ops) int { return o.Run(1) }
"""
SHARP = """
class Ops { public System.Func<int,int> Run; public System.Func<int,int> Stop; }
class P {
  static int Go(int x) { return x; }
  static int Halt(int x) { return x; }
  static int Use(Ops o) { return o.Run(1); }
"""


def _called(snapshot: Snapshot, source: str) -> set[str]:
    place = one_symbol(snapshot, source)
    found: set[str] = set()
    for edge in derived_edges_of(snapshot, place):
        if edge.kind == "calls" and isinstance(edge.target, SymbolRef):
            ends = [one.source for one in derived_edges_to(snapshot, edge.target)]
            assert place in ends, "the same from both ends"
            found.add(symbol_name(snapshot, edge.target).rpartition(":")[2])
    return found


@pytest.mark.parametrize(
    ("line", "source", "called"),
    [
        ("struct ops a = { .run = go };", "use", {"go"}),
        ("struct ops a = { .stop = &go, .run = (callback)halt };", "use", {"halt"}),
        ("struct ops a = { .stop = &go, .run = (callback)halt };", "end", {"go"}),
        ("struct ops a = { go, halt };", "use", {"go"}),
        ("struct ops a = { /* first */ go, /* second */ &halt };", "end", {"halt"}),
        ("static const struct ops a[] = { { go, 0 }, { halt, 0 } };", "use", {"go", "halt"}),
        ("Ops a[2] = { [1] = { 0, go } };", "end", {"go"}),
        ("Ops a = { go };", "use", {"go"}),
        ("Anon a = { go };", "other", {"go"}),
        ("Anon a = { go };", "use", set[str]()),
        ("void f(struct ops *o) { *o = (struct ops){ go }; }", "use", {"go"}),
        ("void f(struct ops *o) { o->run = &halt; }", "use", {"halt"}),
        ("int f(void) { int (*p)(int) = halt; return p(1); }", "f", {"halt"}),
        ("int f(void) { callback p = &go; return p(1); }", "f", {"go"}),
        ("int g(callback p) { return p(1); } int f(void) { return g(&halt); }", "g", {"halt"}),
        # Nothing of these is a function by its name alone.
        ("struct ops a = { go(1), halt };", "use", set[str]()),
        ("struct ops a = { .run = go(1) };", "use", set[str]()),
        ("struct ops a[] = { go, halt };", "use", set[str]()),
        ("struct ops a = { .stop = halt, go };", "use", set[str]()),
        ("struct ops a = { go", "end", set[str]()),
    ],
)
def test_fields_of_c_hold_what_tables_give_them(line: str, source: str, called: set[str]) -> None:
    assert _called(snapshot_of({"a.c": f"{HEAD}{line}\n"}), source) == called


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("var O = Ops{Run: Go}", {"Go"}),
        ("var O = &Ops{Go, Halt}", {"Go"}),
        ("var O = []Ops{{Run: Go}, {Run: Halt}}", {"Go", "Halt"}),
        ('var O = map[string]Ops{"a": {Run: Halt}}', {"Halt"}),
        ("var O = Ops{Run: Go(1)}", set[str]()),
        ("var O = Ops{Stop: Go}", set[str]()),
    ],
)
def test_fields_of_go(line: str, called: set[str]) -> None:
    assert _called(snapshot_of({"a.go": f"{GO}{line}\n"}), "Use") == called


def test_fields_of_another_language_with_written_types() -> None:
    code = f"{SHARP}  static Ops O = new Ops {{ Run = Go, Stop = Halt }};\n}}\n"
    assert _called(snapshot_of({"a.cs": code}), "P.Use") == {"P.Go"}


HANDED_ON = {
    "a.kt": "class K {\n fun go(x: Int) = x\n fun use(f: (Int) -> Int) = f(1)\n fun main() = use(this::go)\n}\n",
    "a.rs": "mod m { pub fn go(x: i32) {} }\nfn using(f: fn(i32)) { f(1); }\nfn main() { using(m::go); }\n",
    "a.cpp": "struct W { static int go(); };\nint use(int (*f)()) { return f(); }\nint top() { return use(&W::go); }\n",
}


@pytest.mark.parametrize(("path", "source"), [("a.kt", "K.use"), ("a.rs", "using"), ("a.cpp", "use")])
def test_a_function_is_handed_on_with_the_path_to_it(path: str, source: str) -> None:
    assert {name.rpartition(".")[2] for name in _called(snapshot_of({path: HANDED_ON[path]}), source)} == {"go"}


def test_a_header_declares_what_another_file_fills() -> None:
    files = {
        "ops.h": "struct ops { int (*run)(int); };\n",
        "a.c": '#include "ops.h"\nstatic int go(int x) { return x; }\nconst struct ops A = { go };\n',
        "b.c": '#include "ops.h"\nint use(const struct ops *o) { return o->run(1); }\n',
    }
    assert _called(snapshot_of(files), "use") == {"go"}


def test_a_table_of_more_than_a_few_is_listed() -> None:
    names = [f"go{number}" for number in range(40)]
    functions = "".join(f"static int {name}(int x) {{ return x; }}\n" for name in names)
    rows = ", ".join(f"{{ {name}, 0 }}" for name in names)
    snapshot = snapshot_of({"a.c": f"{HEAD}{functions}struct ops a[] = {{ {rows} }};\n"})
    assert _called(snapshot, "use") == set(names)


def test_brackets_that_nobody_closes_are_read_up_to_a_sum() -> None:
    text = "struct ops { int (*run)(int); };\n" + "struct ops a[] = { { go,\n" * 3000
    snapshot = snapshot_of({"a.c": text})
    path = FilePath("a.c")
    assert sum(1 for _ in values_by_position(snapshot.facts(path), code_of(snapshot, path))) < 3000 * 100
