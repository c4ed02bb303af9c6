"""C++ shapes: classes, templates and namespaces that repeat, nest or chain as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from declared_shapes import Shape, lines, many


def _cpp(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.cpp": make(n)}


CPP: Mapping[str, Shape] = {
    "classes": _cpp(lambda n: lines(n, lambda i: f"struct S{i} {{ S{(i + 1) % n} *m(); int x; }};\n")),
    "classes in a line": _cpp(
        lambda n: (
            "struct S0 { void m(); };\n" + lines(n, lambda i: f"struct S{i + 1} : S{i} {{ void k() {{ m(); }} }};\n")
        )
    ),
    "class of many bases": _cpp(
        lambda n: (
            lines(n, lambda i: f"struct B{i} {{ void m{i}(); }};\n")
            + "struct S : B0"
            + lines(n, lambda i: f",\nB{i}")
            + " { void k() { m0(); } };\n"
        )
    ),
    "methods outside": _cpp(
        lambda n: (
            "struct S {\n"
            + lines(n, lambda i: f"  int m{i}();\n")
            + "};\n"
            + lines(n, lambda i: f"int S::m{i}() {{ return m{(i + 1) % n}(); }}\n")
        )
    ),
    "overloads by type": _cpp(
        lambda n: lines(n, lambda i: f"struct T{i} {{}};\nvoid f(T{i} x);\n") + "void g() { f(T0()); f(T1()); }\n"
    ),
    "overloads by count": _cpp(
        lambda n: "void f(int a);\nvoid f(int a, int b);\n" * n + "void g() { f(1); f(1, 2); }\n"
    ),
    "constructors": _cpp(
        lambda n: (
            "struct S {\n"
            + "  S(int x);\n" * n
            + "};\nvoid g() {\n"
            + lines(n, lambda i: f"  auto s{i} = S({i});\n")
            + "}\n"
        )
    ),
    "members chained": _cpp(lambda n: "struct S { S *m(); };\nvoid g(S *s) { s" + "\n->m()" * n + "; }\n"),
    "names in a chain": _cpp(
        lambda n: (
            "struct S { S *m(); };\nvoid g(S *a0) {\n" + lines(n, lambda i: f"  auto a{i + 1} = a{i}->m();\n") + "}\n"
        )
    ),
    "templates": _cpp(
        lambda n: lines(n, lambda i: f"template <class T> struct V{i} {{ T x; V{(i + 1) % n}<T> *next; }};\n")
    ),
    "specialisations": _cpp(
        lambda n: (
            "template <class T> struct V;\n"
            + lines(n, lambda i: f"struct A{i} {{}};\ntemplate <> struct V<A{i}> {{ A{i} x; }};\n")
        )
    ),
    "template arguments nested": _cpp(
        lambda n: (
            "template <class T> struct V {};\n" + lines(n // 8, lambda i: "V<" * 8 + "int" + ">" * 8 + f" v{i};\n")
        )
    ),
    "open angles": _cpp(lambda n: "int x = a" + " < a" * n + ";\n"),
    "aliases in a chain": _cpp(
        lambda n: (
            "struct S { void m(); };\nusing A0 = S;\n"
            + lines(n, lambda i: f"using A{i + 1} = A{i};\n")
            + f"void g(A{n} x) {{ x.m(); }}\n"
        )
    ),
    "namespaces": _cpp(
        lambda n: lines(n, lambda i: f"namespace n{i} {{ void f(); void g() {{ n{(i + 1) % n}::f(); }} }}\n")
    ),
    "one namespace again": _cpp(
        lambda n: lines(n, lambda i: f"namespace a {{ void f{i}(); void g{i}() {{ f{max(i - 1, 0)}(); }} }}\n")
    ),
    "namespaces nested": _cpp(
        lambda n: lines(
            n // 8, lambda i: "".join(f"namespace n{d}_{i} {{ " for d in range(8)) + "int x; " + "} " * 8 + "\n"
        )
    ),
    "namespaces used": _cpp(
        lambda n: (
            lines(n, lambda i: f"namespace n{i} {{ void f{i}(); }}\n")
            + "void g() {\n"
            + lines(n, lambda i: f"  using namespace n{i};\n")
            + "  f0();\n}\n"
        )
    ),
    "lambdas": _cpp(
        lambda n: "void g() {\n" + lines(n, lambda i: f"  auto f{i} = [=](int x) {{ return x + {i}; }};\n") + "}\n"
    ),
    "lambdas nested": _cpp(
        lambda n: lines(n // 8, lambda i: f"auto f{i} = " + "[] { return " * 8 + "1" + "; }" * 8 + ";\n")
    ),
    "operators": _cpp(lambda n: "struct S { S operator+(S); };\nS g(S a) { return a" + "\n + a" * n + "; }\n"),
    "streamed": _cpp(lambda n: "void g() { std::cout" + lines(n, lambda i: f'\n << "a{i}"') + "; }\n"),
    "initialisers": _cpp(lambda n: "int x[] = {\n" + lines(n, lambda i: f"  {i},\n") + "};\n"),
    "initialisers of objects": _cpp(
        lambda n: "struct S { int a; S *b; };\nS x[] = {\n" + lines(n, lambda i: f"  S{{{i}, nullptr}},\n") + "};\n"
    ),
    "virtual methods": _cpp(
        lambda n: (
            "struct B { virtual void m(); };\n"
            + lines(n, lambda i: f"struct S{i} : B {{ void m() override; }};\n")
            + "void g(B *b) { b->m(); }\n"
        )
    ),
    "macros that declare": _cpp(lambda n: "#define DECL(x) void x();\n" + lines(n, lambda i: f"DECL(f{i})\n")),
    "broken lines": _cpp(lambda n: "template < class { struct (\n" * n),
    "includes fanned in": lambda n: (
        many(n // 4, lambda i: f"h{i}.hpp", lambda i: f"#pragma once\nnamespace a {{ struct S{i} {{ void m(); }}; }}\n")
        | {"shape.cpp": lines(n // 4, lambda i: f'#include "h{i}.hpp"\n') + "void g(a::S0 *s) { s->m(); }\n"}
    ),
    "files of one namespace": lambda n: many(
        n // 4, lambda i: f"f{i}.cpp", lambda i: f"namespace a {{ void f{i + 1}(); void f{i}() {{ f{i + 1}(); }} }}\n"
    ),
}
