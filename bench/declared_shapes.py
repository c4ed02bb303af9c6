"""Declared shapes: pieces of Go, Java and C that repeat, nest, chain or fan out as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

Files: TypeAlias = Mapping[str, str]
Shape: TypeAlias = Callable[[int], Files]


def lines(n: int, line: Callable[[int], str]) -> str:
    return "".join(line(number) for number in range(n))


def many(n: int, name: Callable[[int], str], text: Callable[[int], str]) -> Files:
    return {name(number): text(number) for number in range(n)}


def _go(make: Callable[[int], str]) -> Shape:
    return lambda n: {"go.mod": "module m\n\ngo 1.22\n", "shape.go": "package p\n\n" + make(n)}


def _java(make: Callable[[int], str]) -> Shape:
    return lambda n: {"Shape.java": make(n)}


def _c(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.c": make(n)}


GO: Mapping[str, Shape] = {
    "plain functions": _go(lambda n: lines(n, lambda i: f"func f{i}(x int) int {{ return x }}\n")),
    "redefined and calling itself": _go(lambda n: "func f(x int) int { return f(x) }\n" * n),
    "redefined method": _go(lambda n: "type T struct{}\n" + "func (t *T) m() *T { return t.m() }\n" * n),
    "rebound to its own method": _go(
        lambda n: "type T struct{}\nfunc (t *T) m() *T { return t }\nfunc g(x *T) {\n" + "\tx = x.m()\n" * n + "}\n"
    ),
    "declared from itself": _go(
        lambda n: "type T struct{}\nfunc (t *T) m() *T { return t }\nfunc g(x *T) {\n" + "\tx := x.m()\n" * n + "}\n"
    ),
    "calls chained": _go(
        lambda n: "type T struct{}\nfunc (t *T) m() *T { return t }\nfunc g(x *T) { x" + ".\n\tm()" * n + " }\n"
    ),
    "types in what is broken": _go(lambda n: "[ { { { type T struct{}\n" * n),
    "calls nested": _go(lambda n: "func g() { x := " + "f(" * n + ")" * n + " }\n"),
    "names in a chain": _go(
        lambda n: (
            "type T struct{}\nfunc (t *T) m() *T { return t }\nvar a0 = &T{}\n"
            + lines(n, lambda i: f"var a{i + 1} = a{i}.m()\n")
        )
    ),
    "names in a circle": _go(lambda n: lines(n, lambda i: f"var a{i} = a{(i + 1) % n}.m()\n")),
    "embedding in a line": _go(
        lambda n: (
            "type T0 struct{}\nfunc (t T0) m() {}\n"
            + lines(n, lambda i: f"type T{i + 1} struct{{ T{i} }}\nfunc (t T{i + 1}) k{i}() {{ t.m() }}\n")
        )
    ),
    "embedding fanned in": _go(
        lambda n: (
            lines(n, lambda i: f"type T{i} struct{{}}\nfunc (t T{i}) m{i}() {{}}\n")
            + "type A struct {\n"
            + lines(n, lambda i: f"\tT{i}\n")
            + "}\nfunc g(a A) {\n"
            + lines(n, lambda i: f"\ta.m{i}()\n")
            + "}\n"
        )
    ),
    "embedding in diamonds": _go(
        lambda n: (
            "type T0 struct{}\n"
            + lines(
                n,
                lambda i: (
                    f"type L{i} struct{{ T{i} }}\ntype R{i} struct{{ T{i} }}\ntype T{i + 1} struct{{ L{i}; R{i} }}\n"
                ),
            )
            + f"func g(t T{n}) {{ t.m() }}\n"
        )
    ),
    "interfaces and types": _go(
        lambda n: lines(
            n, lambda i: f"type I{i} interface{{ m{i}() }}\ntype T{i} struct{{}}\nfunc (t T{i}) m{i}() {{}}\n"
        )
    ),
    "one interface, many types": _go(
        lambda n: (
            "type I interface{ m() }\n"
            + lines(n, lambda i: f"type T{i} struct{{}}\nfunc (t T{i}) m() {{}}\n")
            + "func g(i I) {\n"
            + "\ti.m()\n" * n
            + "}\n"
        )
    ),
    "fields of one type": _go(
        lambda n: (
            "type T struct {\n"
            + lines(n, lambda i: f"\tf{i} int\n")
            + "}\nfunc g(t T) {\n"
            + lines(n, lambda i: f"\tt.f{i}++\n")
            + "}\n"
        )
    ),
    "literals": _go(
        lambda n: "type T struct{ a int }\nvar x = []T{\n" + lines(n, lambda i: f"\t{{a: {i}}},\n") + "}\n"
    ),
    "nested blocks": _go(
        lambda n: "func g(x int) {\n" + lines(n // 50, lambda _: "{ " * 50 + "x := x" + " }" * 50 + "\n") + "}\n"
    ),
    "nested functions": _go(
        lambda n: "var f = " + "func() { g(" * min(n, 200) + ") }" * min(n, 200) + "\n" + "// filling\n" * n
    ),
    "generics": _go(
        lambda n: (
            "type B[T any] struct{ v T }\nfunc (b B[T]) m() B[T] { return b }\n"
            + lines(n, lambda i: f"func f{i}(b B[int]) {{ b.m().v.x() }}\n")
        )
    ),
    "type switch": _go(
        lambda n: (
            "func g(x any) {\nswitch t := x.(type) {\n"
            + lines(n, lambda i: f"case T{i}:\n\tt.m(t)\n")
            + "}\n}\n"
            + lines(n, lambda i: f"type T{i} struct{{}}\n")
        )
    ),
    "constants by iota": _go(lambda n: "const (\n\tC = iota\n" + lines(n, lambda i: f"\tC{i}\n") + ")\n"),
    "files of one package": lambda n: (
        {"go.mod": "module m\n"}
        | many(n // 4, lambda i: f"p/f{i}.go", lambda i: f"package p\n\nfunc f{i}() {{ f{(i + 1) % (n // 4)}() }}\n")
    ),
}

JAVA: Mapping[str, Shape] = {
    "plain methods": _java(
        lambda n: "class H {\n" + lines(n, lambda i: f"  int f{i}(int x) {{ return x; }}\n") + "}\n"
    ),
    "overloads of types": _java(
        lambda n: (
            lines(n, lambda i: f"class T{i} {{}}\n")
            + "class H {\n"
            + lines(n, lambda i: f"  int f(T{i} x) {{ return f(x); }}\n")
            + "}\n"
        )
    ),
    "overloads by count": _java(
        lambda n: (
            "class H {\n"
            + lines(n, lambda i: f"  int f({', '.join(f'int a{k}' for k in range(i % 20))}) {{ return f(1); }}\n")
            + "}\n"
        )
    ),
    "constructors": _java(
        lambda n: (
            lines(n, lambda i: f"class T{i} {{}}\n")
            + "class H {\n"
            + lines(n, lambda i: f"  H(T{i} x) {{ new H(x); }}\n")
            + "}\n"
        )
    ),
    "redefined class": _java(lambda n: "class H { H m() { return new H().m(); } }\n" * n),
    "rebound to its own method": _java(
        lambda n: "class H { H m() { return this; } void g(H x) {\n" + "x = x.m();\n" * n + "} }\n"
    ),
    "calls chained": _java(lambda n: "class H { H m() { return this; } void g(H x) { x" + "\n.m()" * n + "; } }\n"),
    "calls nested": _java(lambda n: "class H { int f(int x) { return " + "f(" * n + ")" * n + "; } }\n"),
    "var in a chain": _java(
        lambda n: (
            "class H { H m() { return this; } void g(H a0) {\n"
            + lines(n, lambda i: f"var a{i + 1} = a{i}.m();\n")
            + "} }\n"
        )
    ),
    "classes in a line": _java(
        lambda n: (
            "class C0 { void m() {} }\n"
            + lines(n, lambda i: f"class C{i + 1} extends C{i} {{ void m() {{ super.m(); }} }}\n")
        )
    ),
    "classes in a circle": _java(
        lambda n: lines(n, lambda i: f"class C{i} extends C{(i + 1) % n} {{ void m() {{ k(); }} }}\n")
    ),
    "classes of one base": _java(
        lambda n: (
            "class B { void m() {} }\n"
            + lines(n, lambda i: f"class C{i} extends B {{ void m() {{}} }}\n")
            + "class U { void g(B b) {\n"
            + "b.m();\n" * n
            + "} }\n"
        )
    ),
    "interfaces fanned in": _java(
        lambda n: (
            lines(n, lambda i: f"interface I{i} {{ void m{i}(); }}\n")
            + "class A implements "
            + ", ".join(f"I{i}" for i in range(n))
            + " { void g() {\n"
            + lines(n, lambda i: f"m{i}();\n")
            + "} }\n"
        )
    ),
    "nested types": _java(
        lambda n: lines(
            n // 50,
            lambda k: "".join(f"class N{k}x{i} {{ " for i in range(50)) + "void m() { k(); } " + "}" * 50 + "\n",
        )
    ),
    "types inside of one": _java(
        lambda n: (
            "class H {\n"
            + lines(n, lambda i: f"  static class N{i} {{ N{(i + 1) % n} f; void m() {{ f.m(); }} }}\n")
            + "}\n"
        )
    ),
    "anonymous classes": _java(
        lambda n: "class H { void g() {\n" + "f(new Runnable() { public void run() { g(); } });\n" * n + "} }\n"
    ),
    "lambdas": _java(lambda n: "class H { void g() {\n" + "f(x -> x.m(y -> y.k()));\n" * n + "} }\n"),
    "enumeration": _java(lambda n: "enum E {\n" + ", ".join(f"C{i}({i})" for i in range(n)) + ";\nE(int x) {}\n}\n"),
    "initialisers": _java(
        lambda n: "class H { int[] x = {\n" + lines(n, lambda i: f"f({i}),\n") + "}; int f(int x) { return x; } }\n"
    ),
    "fields": _java(lambda n: "class H {\n" + lines(n, lambda i: f"  H f{i} = f{(i + 1) % n};\n") + "}\n"),
    "generics": _java(
        lambda n: (
            "class B<T> { T v; B<T> m() { return this; } }\nclass U {\n"
            + lines(n, lambda i: f"  void f{i}(B<U> b) {{ b.m().v.f{i}(b); }}\n")
            + "}\n"
        )
    ),
    "strings added": _java(lambda n: "class H { String s = " + " + ".join(f'"a{i}"' for i in range(n)) + "; }\n"),
    "imports": _java(
        lambda n: (
            lines(n, lambda i: f"import a.b.C{i};\n") + "class H {\n" + lines(n, lambda i: f"  C{i} f{i};\n") + "}\n"
        )
    ),
    "files of one package": lambda n: many(
        n // 4,
        lambda i: f"p/C{i}.java",
        lambda i: f"package p;\nclass C{i} {{ void m() {{ new C{(i + 1) % (n // 4)}().m(); }} }}\n",
    ),
}

C: Mapping[str, Shape] = {
    "plain functions": _c(lambda n: lines(n, lambda i: f"int f{i}(int x) {{ return x; }}\n")),
    "redefined and calling itself": _c(lambda n: "int f(int x) { return f(x); }\n" * n),
    "prototypes of one": _c(lambda n: "int f(int x);\n" * n + "int g(void) { return f(1); }\n"),
    "all call one": _c(lambda n: "int f(int x);\n" + lines(n, lambda i: f"int g{i}(void) {{ return f({i}); }}\n")),
    "member of itself": _c(lambda n: "struct T { struct T *n; };\nvoid g(struct T *x) {\n" + "x = x->n;\n" * n + "}\n"),
    "members chained": _c(lambda n: "struct T { struct T *n; };\nvoid g(struct T *x) { x" + "\n->n" * n + "; }\n"),
    "calls nested": _c(lambda n: "int g(void) { return " + "f(" * n + ")" * n + "; }\n"),
    "macros": _c(
        lambda n: (
            lines(n, lambda i: f"#define M{i} {i}\n")
            + "int g(void) { return 0\n"
            + lines(n, lambda i: f"+ M{i}\n")
            + "; }\n"
        )
    ),
    "macros in a chain": _c(
        lambda n: "#define M0 1\n" + lines(n, lambda i: f"#define M{i + 1} (M{i} + M{i})\n") + f"int x = M{n};\n"
    ),
    "macro redefined": _c(lambda n: "#undef M\n#define M(x) M(x)\nint y = M(1);\n" * n),
    "conditions of the preprocessor": _c(
        lambda n: lines(n, lambda i: f"#ifdef A{i}\nint f(void) {{ return f(); }}\n#endif\n")
    ),
    "conditions nested": _c(
        lambda n: (
            lines(min(n, 90), lambda i: f"#ifdef A{i}\n") + "int x;\n" + "#endif\n" * min(n, 90) + "int y(void);\n" * n
        )
    ),
    "struct nested": _c(
        lambda n: lines(n // 50, lambda k: f"struct T{k} {{ " + "struct { int a; " * 50 + "} b; " * 50 + "};\n")
    ),
    "union of members": _c(
        lambda n: (
            "union U {\n"
            + lines(n, lambda i: f"int f{i};\n")
            + "};\nvoid g(union U *u) {\n"
            + lines(n, lambda i: f"u->f{i} = 1;\n")
            + "}\n"
        )
    ),
    "struct redefined": _c(lambda n: "struct T { int a; };\nint f(struct T *t) { return t->a; }\n" * n),
    "types in a chain": _c(
        lambda n: (
            "struct S { int a; };\ntypedef struct S T0;\n"
            + lines(n, lambda i: f"typedef T{i} T{i + 1};\n")
            + f"int g(T{n} *t) {{ return t->a; }}\n"
        )
    ),
    "initialisers": _c(
        lambda n: "struct T { int a; };\nstruct T x[] = {\n" + lines(n, lambda i: f"{{ .a = {i} }},\n") + "};\n"
    ),
    "initialisers of functions": _c(
        lambda n: (
            lines(n, lambda i: f"static int f{i}(void);\n")
            + "int (*x[])(void) = {\n"
            + lines(n, lambda i: f"f{i},\n")
            + "};\n"
        )
    ),
    "initialisers nested": _c(lambda n: "int x = " + "{" * n + "1" + "}" * n + ";\n"),
    "declarators nested": _c(lambda n: "int " + "(*" * n + "x" + ")" * n + ";\n"),
    "enumeration": _c(
        lambda n: (
            "enum E {\n"
            + lines(n, lambda i: f"C{i},\n")
            + "};\nint x[] = {\n"
            + lines(n, lambda i: f"C{i},\n")
            + "};\n"
        )
    ),
    "switch": _c(lambda n: "int g(int x) { switch (x) {\n" + lines(n, lambda i: f"case {i}: return f(x);\n") + "} }\n"),
    "labels": _c(lambda n: "void g(void) {\n" + lines(n, lambda i: f"l{i}: goto l{(i + 1) % n};\n") + "}\n"),
    "includes in a chain": lambda n: (
        many(n // 8, lambda i: f"h{i}.h", lambda i: f'#include "h{i + 1}.h"\nint f{i}(void);\n')
        | {"use.c": '#include "h0.h"\n' + lines(n // 8, lambda i: f"int g{i}(void) {{ return f{i}(); }}\n")}
    ),
    "includes fanned in": lambda n: (
        many(n // 8, lambda i: f"h{i}.h", lambda i: f"int f{i}(void);\n")
        | {
            "use.c": lines(n // 8, lambda i: f'#include "h{i}.h"\n')
            + lines(n // 8, lambda i: f"int g{i}(void) {{ return f{i}(); }}\n")
        }
    ),
    "includes in a circle": lambda n: many(
        n // 8, lambda i: f"h{i}.h", lambda i: f'#include "h{(i + 1) % (n // 8)}.h"\nint f{i}(void);\n'
    ),
    "one header of many": lambda n: (
        {"h.h": "int f(void);\n"}
        | many(n // 8, lambda i: f"u{i}.c", lambda i: f'#include "h.h"\nint g{i}(void) {{ return f(); }}\n')
    ),
}

DECLARED: Mapping[str, Mapping[str, Shape]] = {"go": GO, "java": JAVA, "c": C}
