"""Functions that stand for objects are called by the one method of these, and who is handed on is not "complete"."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.derived_edges import derived_edges_of, derived_edges_to
from graphls.graph.edges import edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.references import call_references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

HANDLER = """package app;
interface Handler { void handle(String text); default void twice() {} }
interface Wide { void open(String text); void close(); }
"""
MAIN = """package app;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import lib.Registry;

class Main {
    private Runnable task; private final Function<String, Integer> how; Main made;
    Main() { this(null, null); }
    Main(Runnable task, Function<String, Integer> how) { this.task = Objects.requireNonNull(task); this.how = how; }
    void go() {} void stop() {} static int size(String text) { return 1; }
    static void log(String text) {} static void warn(String text) {}
    void start() { task.run(); }
    int read() { return how.apply("a"); }
    void pool(ExecutorService pool) { pool.submit(task); }
    static void each(Handler handler) { handler.handle("a"); handler.twice(); }
    static void wide(Wide wide) { wide.open("a"); }
    static void run(Runnable given) { given.run(); }
    static <T> T make(Supplier<T> one) { return one.get(); }
    static void hold(Map<String, String> names, Runnable given) { given.run(); }
    %s
}
class Named implements Handler { public void handle(String text) {} }
"""


def _called(snapshot: Snapshot, source: str) -> set[str]:
    place = one_symbol(snapshot, source)
    found: set[str] = set()
    for edge in derived_edges_of(snapshot, place):
        if isinstance(edge.target, SymbolRef):
            ends = [one.source for one in derived_edges_to(snapshot, edge.target)]
            assert place in ends, "the same from both ends"
            assert edge.ambiguous, "possible"
            found.add(symbol_name(snapshot, edge.target).rpartition(":")[2])
    return found


@pytest.mark.parametrize(
    ("line", "source", "called"),
    [
        ("void f() { new Main(this::go, null).start(); }", "Main.start", {"Main.go"}),
        ("void f() { new Main(null, Main::size); }", "Main.read", {"Main.size"}),
        ("void f() { new Main(() -> go(), null); }", "Main.start", {"Main.go"}),
        ("void f() { new Main(() -> { go(); }, null); }", "Main.start", set[str]()),
        ("void f() { this.task = this::go; }", "Main.pool", {"Main.go"}),
        ("void f() { task = () -> stop(); }", "Main.start", {"Main.stop"}),
        ("void f() { Runnable r; r = this::go; run(r); }", "Main.run", {"Main.go"}),
        ("void f() { each(Main::log); }", "Main.each", {"Main.log"}),
        ("void f() { each(text -> warn(text)); }", "Main.each", {"Main.warn"}),
        ("void f() { wide(Main::log); }", "Main.wide", set[str]()),
        ("Handler g() { return Main::log; } void f() { each(g()); }", "Main.each", {"Main.log"}),
        ("void f(boolean b) { each(b ? Main::log : Main::warn); }", "Main.each", {"Main.log", "Main.warn"}),
        ("Main f() { return make(Main::new); }", "Main.make", {"Main.Main#1"}),
        ("void f() { hold(new HashMap<String, String>(), this::go); }", "Main.hold", {"Main.go"}),
        ("void f() { run(new Runnable() { public void run() { go(); } }); }", "Main.run", {"Main.f.run"}),
        ("Runnable r = () -> Main.log(\"a\");\nvoid f() { r.run(); }", "Main.f", {"Main.log"}),
    ],
)  # fmt: skip
def test_java(line: str, source: str, called: set[str]) -> None:
    assert _called(snapshot_of({"app/Main.java": MAIN % line, "app/Handler.java": HANDLER}), source) == called


OTHERS: Mapping[str, tuple[str, str, frozenset[str]]] = {
    "a.kt": (
        ("fun interface Handler { fun handle(text: String) }\nfun log(t: String) {}\nfun warn(t: String) {}\n"
        "fun each(h: Handler) { h.handle(\"a\") }\nfun top() { each(::log); each { warn(it) } }\n"),
        "each",
        frozenset(("log", "warn")),
    ),
    "b.kt": (
        ("fun log(t: String) {}\nfun each(h: (String) -> Unit) { h.invoke(\"a\") }\nfun top() { each(h = ::log) }\n"),
        "each",
        frozenset(("log",)),
    ),
    "a.cs": (
        ("using System;\nclass P { event Action done; void Fire() { done?.Invoke(); }\n"
        "void Add() { done += Fin; done += () => Other(); } void Fin() {} void Other() {} }\n"),
        "P.Fire",
        frozenset(("P.Fin", "P.Other")),
    ),
    "b.cs": (
        ("delegate int Op(int x);\nclass P { static int Go(int x) { return x; } Op op; P(Op op) { this.op = op; }\n"
        "int Run() { return op.Invoke(1); } static P Make() { return new P(Go); } }\n"),
        "P.Run",
        frozenset(("P.Go",)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", OTHERS)
def test_other_languages(path: str) -> None:
    text, source, called = OTHERS[path]
    assert _called(snapshot_of({path: text}), source) == called


@pytest.mark.parametrize(
    ("line", "symbol", "causes"),
    [
        ("void f(Registry other) { other.register(this::go); }", "Main.go", {"passed_value"}),
        ("void f(List<String> all) { all.forEach(Main::log); }", "Main.log", set[str]()),
        ("int f(List<String> all) { return all.stream().mapToInt(Main::size).sum(); }", "Main.size", set[str]()),
        ("Runnable f() { return new Runnable() { public void run() {} }; }", "Main.f.run", {"used_outside"}),
    ],
)
def test_who_may_call_is_said(line: str, symbol: str, causes: set[str]) -> None:
    snapshot = snapshot_of({"app/Main.java": MAIN % line, "app/Handler.java": HANDLER})
    found = call_references(snapshot, one_symbol(snapshot, symbol))
    assert {gap.cause.value for gap in found.completeness.gaps} == causes


@pytest.mark.parametrize(
    ("files", "constructor", "callers"),
    [
        (
            {"a/A.java": "package a;\nclass A { A(int x) {} A() { this(1); } }\n",
             "a/B.java": "package a;\nimport java.util.function.*;\nclass B extends A { B() { super(1); } }\n"
             "class C { IntFunction<A> f() { return A::new; } }\n"},
            "a/A.java:A.A#1",
            {"A.A", "B.B", "C.f"},
        ),
        (
            {"a.cs": "class A { public A(int x) {} public A(string s) : this(1) {} }\n",
             "b.cs": "class B : A { B() : base(1) {} }\n"},
            "a.cs:A.A#1",
            {"A.A", "B.B"},
        ),
    ],
)  # fmt: skip
def test_words_that_name_constructors(files: dict[str, str], constructor: str, callers: set[str]) -> None:
    snapshot = snapshot_of(files)
    place = one_symbol(snapshot, constructor)
    found = {
        symbol_name(snapshot, one.source).rpartition(":")[2] for one in edges_to(snapshot, place) if one.kind == "calls"
    }
    assert found == callers
