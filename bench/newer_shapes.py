"""Newer shapes: pieces of Rust, C#, PHP, shell and Swift that repeat, nest, chain or fan out as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from declared_shapes import Shape, lines, many

CARGO = '[package]\nname = "shape"\nversion = "0.1.0"\nedition = "2021"\n'


def _rust(make: Callable[[int], str]) -> Shape:
    return lambda n: {"Cargo.toml": CARGO, "src/lib.rs": make(n)}


def _csharp(make: Callable[[int], str]) -> Shape:
    return lambda n: {"Shape.cs": make(n)}


def _php(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.php": "<?php\n" + make(n)}


def _bash(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.sh": "#!/bin/bash\n" + make(n)}


def _swift(make: Callable[[int], str]) -> Shape:
    return lambda n: {"Package.swift": '.target(name: "Shape")\n', "Sources/Shape/shape.swift": make(n)}


def _joined(n: int, part: Callable[[int], str], between: str = ", ") -> str:
    return between.join(part(number) for number in range(n))


RUST: Mapping[str, Shape] = {
    "plain functions": _rust(lambda n: lines(n, lambda i: f"pub fn f{i}(x: u32) -> u32 {{ x }}\n")),
    "redefined and calling itself": _rust(lambda n: "fn f(x: u32) -> u32 { f(x) }\n" * n),
    "redefined method": _rust(lambda n: "struct T;\nimpl T {\n" + "    fn m(&self) -> &T { self.m() }\n" * n + "}\n"),
    "shadowed by its own method": _rust(
        lambda n: "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(x: T) {\n" + "    let x = x.m();\n" * n + "}\n"
    ),
    "assigned its own method": _rust(
        lambda n: "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(mut x: T) {\n" + "    x = x.m();\n" * n + "}\n"
    ),
    "names in a chain": _rust(
        lambda n: (
            "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(a0: T) {\n"
            + lines(n, lambda i: f"    let a{i + 1} = a{i}.m();\n")
            + "}\n"
        )
    ),
    "calls chained": _rust(
        lambda n: "struct T;\nimpl T { fn m(self) -> T { self } }\nfn g(x: T) { x" + "\n.m()" * n + "; }\n"
    ),
    "calls nested": _rust(lambda n: "fn g() { " + "f(" * n + ")" * n + "; }\n"),
    "blocks of one type": _rust(
        lambda n: "struct T;\n" + lines(n, lambda i: f"impl T {{ fn m{i}(&self) {{ self.m{(i + 1) % n}() }} }}\n")
    ),
    "traits and types": _rust(
        lambda n: lines(
            n,
            lambda i: (
                f"trait A{i} {{ fn m{i}(&self); }}\nstruct T{i};\nimpl A{i} for T{i} {{ fn m{i}(&self) {{ self.m{i}() }} }}\n"
            ),
        )
    ),
    "one trait, many types": _rust(
        lambda n: (
            "trait A { fn m(&self); }\n"
            + lines(n, lambda i: f"struct T{i};\nimpl A for T{i} {{ fn m(&self) {{}} }}\n")
            + "fn g(x: &dyn A) {\n"
            + "    x.m();\n" * n
            + "}\n"
        )
    ),
    "many traits, one type": _rust(
        lambda n: (
            "struct T;\n"
            + lines(n, lambda i: f"trait A{i} {{ fn m{i}(&self) {{}} }}\nimpl A{i} for T {{}}\n")
            + "fn g(x: T) {\n"
            + lines(n, lambda i: f"    x.m{i}();\n")
            + "}\n"
        )
    ),
    "one method of many traits": _rust(
        lambda n: (
            "struct T;\n"
            + lines(n, lambda i: f"trait A{i} {{ fn m(&self) {{}} }}\nimpl A{i} for T {{}}\n")
            + "fn g(x: T) {\n"
            + "    x.m();\n" * n
            + "}\n"
        )
    ),
    "blanket implementations": _rust(
        lambda n: (
            lines(n, lambda i: f"trait A{i} {{ fn m{i}(&self) {{}} }}\nimpl<T> A{i} for T {{}}\n")
            + "fn g(x: u32) {\n"
            + lines(n, lambda i: f"    x.m{i}();\n")
            + "}\n"
        )
    ),
    "traits in a line": _rust(
        lambda n: (
            "trait A0 { fn m(&self); }\n"
            + lines(n, lambda i: f"trait A{i + 1}: A{i} {{ fn k{i}(&self) {{ self.m() }} }}\n")
        )
    ),
    "traits in a circle": _rust(
        lambda n: lines(n, lambda i: f"trait A{i}: A{(i + 1) % n} {{ fn k{i}(&self) {{ self.m() }} }}\n")
    ),
    "bounds of one parameter": _rust(
        lambda n: (
            lines(n, lambda i: f"trait A{i} {{ fn m{i}(&self); }}\n")
            + "fn g<T: "
            + _joined(n, lambda i: f"A{i}", " + ")
            + ">(x: T) {\n"
            + lines(n, lambda i: f"    x.m{i}();\n")
            + "}\n"
        )
    ),
    "dereferenced in a line": _rust(
        lambda n: (
            "use std::ops::Deref;\nstruct T0;\nimpl T0 { fn m(&self) {} }\n"
            + lines(
                n,
                lambda i: (
                    f"struct T{i + 1}(T{i});\nimpl Deref for T{i + 1} {{ type Target = T{i}; fn deref(&self) -> &T{i} {{ &self.0 }} }}\n"
                ),
            )
            + f"fn g(x: T{n}) {{ x.m() }}\n"
        )
    ),
    "aliases in a chain": _rust(
        lambda n: (
            "struct S;\nimpl S { fn m(&self) {} }\ntype T0 = S;\n"
            + lines(n, lambda i: f"type T{i + 1} = T{i};\n")
            + f"fn g(x: T{n}) {{ x.m() }}\n"
        )
    ),
    "generics": _rust(
        lambda n: (
            "struct B<T> { v: T }\nimpl<T> B<T> { fn m(self) -> B<T> { self } }\n"
            + lines(n, lambda i: f"fn f{i}(b: B<B<u32>>) {{ b.m().v.m().v.x() }}\n")
        )
    ),
    "generics nested": _rust(lambda n: "type T = " + "Vec<" * n + "u8" + ">" * n + ";\n"),
    "modules": _rust(lambda n: lines(n, lambda i: f"pub mod m{i} {{ pub fn f() {{ super::m{(i + 1) % n}::f() }} }}\n")),
    "modules nested": _rust(
        lambda n: lines(
            n // 50, lambda k: "".join(f"mod n{k}x{i} {{ " for i in range(50)) + "fn f() { g() } " + "}" * 50 + "\n"
        )
    ),
    "uses": _rust(
        lambda n: (
            "pub mod m {\n"
            + lines(n, lambda i: f"    pub fn f{i}() {{}}\n")
            + "}\n"
            + lines(n, lambda i: f"use m::f{i};\n")
            + "fn g() {\n"
            + lines(n, lambda i: f"    f{i}();\n")
            + "}\n"
        )
    ),
    "uses in a chain": _rust(
        lambda n: (
            "pub mod m0 { pub fn f() {} }\n"
            + lines(n, lambda i: f"pub mod m{i + 1} {{ pub use super::m{i}::f; }}\n")
            + f"fn g() {{ m{n}::f() }}\n"
        )
    ),
    "uses in a circle": _rust(
        lambda n: lines(n, lambda i: f"pub mod m{i} {{ pub use super::m{(i + 1) % n}::f; pub fn k() {{ f() }} }}\n")
    ),
    "stars in a chain": _rust(
        lambda n: (
            "pub mod m0 { pub fn f() {} }\n"
            + lines(n, lambda i: f"pub mod m{i + 1} {{ pub use super::m{i}::*; pub fn k{i}() {{ f() }} }}\n")
        )
    ),
    "stars in a circle": _rust(
        lambda n: lines(n, lambda i: f"pub mod m{i} {{ pub use super::m{(i + 1) % n}::*; pub fn k{i}() {{ f() }} }}\n")
    ),
    "stars fanned in": _rust(
        lambda n: (
            lines(n, lambda i: f"pub mod m{i} {{ pub fn f{i}() {{}} }}\n")
            + lines(n, lambda i: f"use m{i}::*;\n")
            + "fn g() {\n"
            + lines(n, lambda i: f"    f{i}();\n")
            + "}\n"
        )
    ),
    "macros": _rust(
        lambda n: (
            "macro_rules! m { ($x:expr) => { $x } }\nfn g() {\n" + lines(n, lambda i: f"    m!(f({i}));\n") + "}\n"
        )
    ),
    "macro rules": _rust(lambda n: "macro_rules! m {\n" + lines(n, lambda i: f"    (a{i}) => {{ f{i}() }};\n") + "}\n"),
    "macros nested": _rust(lambda n: "fn g() { " + "m!(" * n + "x" + ")" * n + "; }\n"),
    "arguments of one macro": _rust(lambda n: "fn g() { m!(" + _joined(n, lambda i: f"f({i})") + "); }\n"),
    "match": _rust(
        lambda n: (
            "enum E {\n"
            + lines(n, lambda i: f"    C{i}(u32),\n")
            + "}\nfn g(e: E) { match e {\n"
            + lines(n, lambda i: f"    E::C{i}(x) => f(x),\n")
            + "} }\n"
        )
    ),
    "else if": _rust(
        lambda n: (
            "fn g(x: u32) {\nif x == 0 {}\n"
            + lines(n, lambda i: f"else if let Some(y) = f(x, {i}) {{ k(y) }}\n")
            + "}\n"
        )
    ),
    "fields of one type": _rust(
        lambda n: (
            "struct T {\n"
            + lines(n, lambda i: f"    f{i}: u32,\n")
            + "}\nfn g(t: T) {\n"
            + lines(n, lambda i: f"    t.f{i};\n")
            + "}\n"
        )
    ),
    "literals": _rust(
        lambda n: "struct T { a: u32 }\nconst X: &[T] = &[\n" + lines(n, lambda i: f"    T {{ a: {i} }},\n") + "];\n"
    ),
    "closures": _rust(lambda n: "fn g() {\n" + "    f(|x| x.m(|y| y.k()));\n" * n + "}\n"),
    "closures nested": _rust(lambda n: "fn g() { " + "|x| f(" * n + "x" + ")" * n + "; }\n"),
    "attributes": _rust(lambda n: lines(n, lambda i: f'#[cfg(feature = "a{i}")]\nfn f() {{ f() }}\n')),
    "operators": _rust(lambda n: "const X: u32 = " + _joined(n, lambda i: f"A{i}", " + ") + ";\n"),
    "macros in what is broken": _rust(lambda n: "= [ { m!(x);\n" * n),
    "broken lines": _rust(lambda n: "fn f( {\n  x = ];\n" * n),
    "open brackets": _rust(lambda n: "f({" * n),
    "files of one crate": lambda n: (
        {"Cargo.toml": CARGO, "src/lib.rs": lines(n // 8, lambda i: f"pub mod m{i};\n")}
        | many(
            n // 8,
            lambda i: f"src/m{i}.rs",
            lambda i: f"use crate::m{(i + 1) % (n // 8)}::f as g;\npub fn f() {{ g() }}\n",
        )
    ),
}

CSHARP: Mapping[str, Shape] = {
    "plain methods": _csharp(
        lambda n: "class H {\n" + lines(n, lambda i: f"  int F{i}(int x) {{ return x; }}\n") + "}\n"
    ),
    "overloads of types": _csharp(
        lambda n: (
            lines(n, lambda i: f"class T{i} {{}}\n")
            + "class H {\n"
            + lines(n, lambda i: f"  int F(T{i} x) {{ return F(x); }}\n")
            + "}\n"
        )
    ),
    "overloads by count": _csharp(
        lambda n: (
            "class H {\n"
            + lines(n, lambda i: f"  int F({', '.join(f'int a{k}' for k in range(i % 20))}) {{ return F(1); }}\n")
            + "}\n"
        )
    ),
    "constructors": _csharp(
        lambda n: (
            lines(n, lambda i: f"class T{i} {{}}\n")
            + "class H {\n"
            + lines(n, lambda i: f"  H(T{i} x) {{ new H(x); }}\n")
            + "}\n"
        )
    ),
    "redefined class": _csharp(lambda n: "class H { H M() { return new H().M(); } }\n" * n),
    "parts of one class": _csharp(
        lambda n: lines(n, lambda i: f"partial class H {{ void M{i}() {{ M{(i + 1) % n}(); }} }}\n")
    ),
    "rebound to its own method": _csharp(
        lambda n: "class H { H M() { return this; } void G(H x) {\n" + "x = x.M();\n" * n + "} }\n"
    ),
    "calls chained": _csharp(lambda n: "class H { H M() { return this; } void G(H x) { x" + "\n.M()" * n + "; } }\n"),
    "calls nested": _csharp(lambda n: "class H { int F(int x) { return " + "F(" * n + ")" * n + "; } }\n"),
    "var in a chain": _csharp(
        lambda n: (
            "class H { H M() { return this; } void G(H a0) {\n"
            + lines(n, lambda i: f"var a{i + 1} = a{i}.M();\n")
            + "} }\n"
        )
    ),
    "properties in a chain": _csharp(
        lambda n: "class H {\n" + lines(n, lambda i: f"  H P{i} => P{(i + 1) % n}.P{i};\n") + "}\n"
    ),
    "classes in a line": _csharp(
        lambda n: (
            "class C0 { public virtual void M() {} }\n"
            + lines(n, lambda i: f"class C{i + 1} : C{i} {{ public override void M() {{ base.M(); }} }}\n")
        )
    ),
    "classes in a circle": _csharp(
        lambda n: lines(n, lambda i: f"class C{i} : C{(i + 1) % n} {{ void M() {{ K(); }} }}\n")
    ),
    "classes of one base": _csharp(
        lambda n: (
            "class B { public virtual void M() {} }\n"
            + lines(n, lambda i: f"class C{i} : B {{ public override void M() {{}} }}\n")
            + "class U { void G(B b) {\n"
            + "b.M();\n" * n
            + "} }\n"
        )
    ),
    "interfaces fanned in": _csharp(
        lambda n: (
            lines(n, lambda i: f"interface I{i} {{ void M{i}(); }}\n")
            + "abstract class A : "
            + _joined(n, lambda i: f"I{i}")
            + " { void G() {\n"
            + lines(n, lambda i: f"M{i}();\n")
            + "} }\n"
        )
    ),
    "extension methods": _csharp(
        lambda n: (
            "class T {}\nstatic class E {\n"
            + lines(n, lambda i: f"  public static T M{i}(this T t) {{ return t.M{(i + 1) % n}(); }}\n")
            + "}\n"
        )
    ),
    "extension method again": _csharp(
        lambda n: lines(
            n, lambda i: f"class T{i} {{}}\nstatic class E{i} {{ public static void M(this T{i} t) {{ t.M(); }} }}\n"
        )
    ),
    "nested types": _csharp(
        lambda n: lines(
            n // 50,
            lambda k: "".join(f"class N{k}x{i} {{ " for i in range(50)) + "void M() { K(); } " + "}" * 50 + "\n",
        )
    ),
    "types inside of one": _csharp(
        lambda n: (
            "class H {\n" + lines(n, lambda i: f"  class N{i} {{ N{(i + 1) % n} f; void M() {{ f.M(); }} }}\n") + "}\n"
        )
    ),
    "namespaces": _csharp(
        lambda n: lines(
            n, lambda i: f"namespace A{i} {{ class C {{ void M(A{(i + 1) % n}.C c) {{ c.M(null); }} }} }}\n"
        )
    ),
    "usings": _csharp(
        lambda n: (
            lines(n, lambda i: f"using A{i};\n")
            + lines(n, lambda i: f"namespace A{i} {{ public class C{i} {{}} }}\n")
            + "class H {\n"
            + lines(n, lambda i: f"  C{i} f{i};\n")
            + "}\n"
        )
    ),
    "generics": _csharp(
        lambda n: (
            "class B<T> { public T V; public B<T> M() { return this; } }\nclass U {\n"
            + lines(n, lambda i: f"  void F{i}(B<U> b) {{ b.M().V.F{i}(b); }}\n")
            + "}\n"
        )
    ),
    "generics nested": _csharp(lambda n: "class H { " + "List<" * n + "int" + ">" * n + " x; }\n"),
    "lambdas": _csharp(lambda n: "class H { void G() {\n" + "F(x => x.M(y => y.K()));\n" * n + "} }\n"),
    "lambdas nested": _csharp(lambda n: "class H { void G() { " + "F(x => " * n + "x" + ")" * n + "; } }\n"),
    "enumeration": _csharp(
        lambda n: (
            "enum E {\n"
            + lines(n, lambda i: f"  C{i},\n")
            + "}\nclass U { E[] x = {\n"
            + lines(n, lambda i: f"E.C{i},\n")
            + "}; }\n"
        )
    ),
    "switch": _csharp(
        lambda n: (
            "class H { int G(object x) { switch (x) {\n"
            + lines(n, lambda i: f"case T{i} t: return t.M(x);\n")
            + "} } }\n"
        )
    ),
    "else if": _csharp(
        lambda n: (
            "class H { void G(object x) {\nif (x == null) {}\n"
            + lines(n, lambda i: f"else if (x is T{i} t{i}) {{ t{i}.M(); }}\n")
            + "} }\n"
        )
    ),
    "initialisers": _csharp(
        lambda n: "class H { int A; H[] x = {\n" + lines(n, lambda i: f"new H {{ A = {i} }},\n") + "}; }\n"
    ),
    "fields": _csharp(lambda n: "class H {\n" + lines(n, lambda i: f"  H f{i} = f{(i + 1) % n};\n") + "}\n"),
    "strings added": _csharp(lambda n: "class H { string s = " + _joined(n, lambda i: f'"a{i}"', " + ") + "; }\n"),
    "attributes": _csharp(
        lambda n: "class AAttribute {}\nclass H {\n" + lines(n, lambda i: f"  [A] void M{i}() {{}}\n") + "}\n"
    ),
    "conditions of the preprocessor": _csharp(
        lambda n: "class H {\n" + lines(n, lambda i: f"#if A{i}\n  void M() {{ M(); }}\n#endif\n") + "}\n"
    ),
    "statements on the top": _csharp(lambda n: "var x = F();\n" + "x = x.M();\n" * n),
    "broken lines": _csharp(lambda n: "class H { void M( {\n  x = ];\n" * n),
    "open brackets": _csharp(lambda n: "F({" * n),
    "files of one namespace": lambda n: many(
        n // 8,
        lambda i: f"P/C{i}.cs",
        lambda i: f"namespace P;\nclass C{i} {{ void M() {{ new C{(i + 1) % (n // 8)}().M(); }} }}\n",
    ),
}

PHP: Mapping[str, Shape] = {
    "plain functions": _php(lambda n: lines(n, lambda i: f"function f{i}(int $x) {{ return $x; }}\n")),
    "redefined and calling itself": _php(lambda n: "function f($x) { return f($x); }\n" * n),
    "redefined class": _php(lambda n: "class H { function m(): H { return (new H())->m(); } }\n" * n),
    "redefined method": _php(lambda n: "class H {\n" + "function m(): H { return $this->m(); }\n" * n + "}\n"),
    "rebound to its own method": _php(
        lambda n: "class H { function m(): H { return $this; } }\nfunction g(H $x) {\n" + "$x = $x->m();\n" * n + "}\n"
    ),
    "rebound on the top": _php(lambda n: "$x = f();\n" + "$x = $x->m($x);\n" * n),
    "rebound under conditions": _php(lambda n: "function g($x) {\n" + "if ($x) { $x = f($x); }\n" * n + "}\n"),
    "rebound to another class each": _php(
        lambda n: (
            lines(n, lambda i: f"class C{i} {{ function m() {{}} }}\n")
            + lines(n, lambda i: f"if (c({i})) $x = new C{i}();\n")
            + "$x->m();\n" * n
        )
    ),
    "names under conditions": _php(
        lambda n: "function g($x) {\n" + lines(n, lambda i: f"if ($x->k) {{ $a{i} = f($x); }}\n") + "}\n"
    ),
    "names in the arms of one": _php(
        lambda n: (
            "function g($x) {\nif ($x) {}\n" + lines(n, lambda i: f"elseif (f({i})) {{ $a{i} = f($x); }}\n") + "}\n"
        )
    ),
    "names in cases": _php(
        lambda n: (
            "function g($x) {\nswitch ($x) {\n" + lines(n, lambda i: f"case {i}: $a{i} = f($x); break;\n") + "} }\n"
        )
    ),
    "members proven": _php(
        lambda n: (
            "function g($x) {\n"
            + lines(n, lambda i: f"if ($x->k instanceof C{i}) {{ $x->k->m(); $a{i} = $x; $x = f(); }}\n")
            + "}\n"
        )
    ),
    "calls chained": _php(
        lambda n: "class H { function m(): H { return $this; } }\nfunction g(H $x) { $x" + "\n->m()" * n + "; }\n"
    ),
    "calls nested": _php(lambda n: "$x = " + "f(" * n + ")" * n + ";\n"),
    "names in a chain": _php(
        lambda n: (
            "class H { function m(): H { return $this; } }\n$a0 = new H();\n"
            + lines(n, lambda i: f"$a{i + 1} = $a{i}->m();\n")
        )
    ),
    "functions in a circle": _php(lambda n: lines(n, lambda i: f"function f{i}() {{ return f{(i + 1) % n}()->x; }}\n")),
    "returns": _php(
        lambda n: (
            lines(n, lambda i: f"class C{i} {{ function m() {{}} }}\n")
            + "function f($x) {\n"
            + lines(n, lambda i: f"if ($x) return new C{i}();\n")
            + "}\nfunction g() {\n"
            + "f(1)->m();\n" * n
            + "}\n"
        )
    ),
    "returns of itself": _php(lambda n: "function f($x) {\n" + "if ($x) return f($x)->m();\n" * n + "}\n"),
    "classes in a line": _php(
        lambda n: (
            "class C0 { function m() {} }\n"
            + lines(n, lambda i: f"class C{i + 1} extends C{i} {{ function m() {{ parent::m(); }} }}\n")
        )
    ),
    "classes in a circle": _php(
        lambda n: lines(n, lambda i: f"class C{i} extends C{(i + 1) % n} {{ function m() {{ $this->k(); }} }}\n")
    ),
    "classes of one base": _php(
        lambda n: (
            "class B { function m() {} }\n"
            + lines(n, lambda i: f"class C{i} extends B {{ function m() {{}} }}\n")
            + "function g(B $b) {\n"
            + "$b->m();\n" * n
            + "}\n"
        )
    ),
    "interfaces fanned in": _php(
        lambda n: (
            lines(n, lambda i: f"interface I{i} {{ function m{i}(); }}\n")
            + "abstract class A implements "
            + _joined(n, lambda i: f"I{i}")
            + " { function g() {\n"
            + lines(n, lambda i: f"$this->m{i}();\n")
            + "} }\n"
        )
    ),
    "traits fanned in": _php(
        lambda n: (
            lines(n, lambda i: f"trait T{i} {{ function m{i}() {{}} }}\n")
            + "class A { use "
            + _joined(n, lambda i: f"T{i}")
            + ";\nfunction g() {\n"
            + lines(n, lambda i: f"$this->m{i}();\n")
            + "} }\n"
        )
    ),
    "traits in a line": _php(
        lambda n: (
            "trait T0 { function m() {} }\n"
            + lines(n, lambda i: f"trait T{i + 1} {{ use T{i}; function k{i}() {{ $this->m(); }} }}\n")
        )
    ),
    "union type": _php(
        lambda n: (
            lines(n, lambda i: f"class C{i} {{ function m() {{}} }}\n")
            + "function g("
            + _joined(n, lambda i: f"C{i}", "|")
            + " $x) {\n"
            + "$x->m();\n" * n
            + "}\n"
        )
    ),
    "properties": _php(
        lambda n: (
            "class H {\n"
            + lines(n, lambda i: f"public H $f{i};\n")
            + "function g() {\n"
            + lines(n, lambda i: f"$this->f{i}->f{(i + 1) % n};\n")
            + "} }\n"
        )
    ),
    "property rebound": _php(
        lambda n: "class H { public $x; function g() {\n" + "$this->x = $this->x->m();\n" * n + "} }\n"
    ),
    "constants": _php(
        lambda n: (
            lines(n, lambda i: f"const A{i} = {i};\ndefine('B{i}', A{i});\n") + lines(n, lambda i: f"f(A{i}, B{i});\n")
        )
    ),
    "arrays": _php(lambda n: "$x = [\n" + lines(n, lambda i: f"'k{i}' => f($a{i}),\n") + "];\n$x['k1']->y();\n"),
    "arrays nested": _php(lambda n: "$x = " + "[" * n + "]" * n + ";\n"),
    "namespaces": _php(
        lambda n: lines(
            n, lambda i: f"namespace A{i} {{ class C {{ function m(\\A{(i + 1) % n}\\C $c) {{ $c->m($c); }} }} }}\n"
        )
    ),
    "uses": _php(
        lambda n: lines(n, lambda i: f"use A\\B{i};\n") + lines(n, lambda i: f"function f{i}(B{i} $x) {{ $x->m(); }}\n")
    ),
    "documented": _php(
        lambda n: lines(
            n, lambda i: f"/**\n * @param C{i} $x\n * @return C{i}\n */\nfunction f{i}($x) {{ return $x->m(); }}\n"
        )
    ),
    "documented class": _php(
        lambda n: (
            "/**\n"
            + lines(n, lambda i: f" * @method H m{i}()\n * @property H $p{i}\n")
            + " */\nclass H {}\nfunction g(H $x) {\n"
            + lines(n, lambda i: f"$x->m{i}()->p{i};\n")
            + "}\n"
        )
    ),
    "one doc block": _php(lambda n: "/**\n" + " * @param int $x words in a text\n" * n + " */\nfunction f($x) {}\n"),
    "closures": _php(
        lambda n: "function g() {\n" + "f(fn($x) => $x->m(function ($y) use ($x) { $y->k($x); }));\n" * n + "}\n"
    ),
    "closures nested": _php(lambda n: "$f = " + "fn($x) => " * n + "$x;\n"),
    "else if": _php(
        lambda n: (
            "function g($x) {\nif (!$x) {}\n"
            + lines(n, lambda i: f"elseif ($x instanceof C{i}) {{ $x = $x->m(); }}\n")
            + "}\n"
        )
    ),
    "switch": _php(lambda n: "switch ($x) {\n" + lines(n, lambda i: f"case {i}: $y = f{i}($x); break;\n") + "}\n"),
    "match": _php(lambda n: "$y = match ($x) {\n" + lines(n, lambda i: f"{i} => f{i}($x),\n") + "};\n"),
    "strings added": _php(lambda n: "$s = " + _joined(n, lambda i: f"'a{i}'", " . ") + ";\n"),
    "strings with names": _php(lambda n: '$s = "' + lines(n, lambda i: f"$a{i} {{$b->c{i}}} ") + '";\n'),
    "html beside": lambda n: {"shape.php": lines(n, lambda i: f"<p><?= f{i}($x) ?></p>\n")},
    "conditions joined": _php(lambda n: "$x = " + _joined(n, lambda i: f"$a{i}->m()", " ?? ") + ";\n$x->y();\n"),
    "globals": _php(lambda n: lines(n, lambda i: f"function f{i}() {{ global $x; $x = f{i}($x); return $x->y; }}\n")),
    "namespaces in what is broken": _php(lambda n: "namespace A; [ { { {\n" * n),
    "broken lines": _php(lambda n: "function f( {\n  $x = ];\n" * n),
    "open brackets": _php(lambda n: "f([" * n),
    "files of one namespace": lambda n: many(
        n // 8,
        lambda i: f"P/C{i}.php",
        lambda i: f"<?php\nnamespace P;\nclass C{i} {{ function m() {{ (new C{(i + 1) % (n // 8)}())->m(); }} }}\n",
    ),
    "includes in a chain": lambda n: many(
        n // 8,
        lambda i: f"f{i}.php",
        lambda i: f"<?php\nrequire 'f{i + 1}.php';\nfunction f{i}() {{ f{(i + 1) % (n // 8)}(); }}\n",
    ),
}

BASH: Mapping[str, Shape] = {
    "plain functions": _bash(lambda n: lines(n, lambda i: f"f{i}() {{ echo $1; }}\n")),
    "redefined and calling itself": _bash(lambda n: "f() { f; }\n" * n),
    "functions in a circle": _bash(lambda n: lines(n, lambda i: f"f{i}() {{ f{(i + 1) % n}; }}\n")),
    "one calls all": _bash(
        lambda n: lines(n, lambda i: f"f{i}() {{ :; }}\n") + "g() {\n" + lines(n, lambda i: f"f{i}\n") + "}\n"
    ),
    "one variable": _bash(lambda n: "x=1\n" + 'x="$x $(f $x)"\n' * n),
    "variables in a chain": _bash(lambda n: "a0=1\n" + lines(n, lambda i: f"a{i + 1}=$a{i}\n")),
    "local variables": _bash(lambda n: "f() {\n" + lines(n, lambda i: f"local a{i}=$a{(i + 1) % n}\n") + "}\n"),
    "local again": _bash(lambda n: "f() {\n" + "local x=$x\n" * n + "}\n"),
    "globals of functions": _bash(lambda n: lines(n, lambda i: f"f{i}() {{ x=$x; }}\n")),
    "pipes": _bash(lambda n: "f" + " | f" * n + "\n"),
    "conditions joined": _bash(lambda n: "f" + " && f" * n + "\n"),
    "commands nested": _bash(lambda n: "x=" + "$(f " * n + ")" * n + "\n"),
    "else if": _bash(lambda n: "if f; then :\n" + lines(n, lambda i: f"elif [ $x = {i} ]; then f\n") + "fi\n"),
    "case": _bash(lambda n: "case $x in\n" + lines(n, lambda i: f"{i}) f{i} ;;\n") + "esac\n"),
    "blocks nested": _bash(lambda n: lines(n // 50, lambda _: "{ " * 50 + "f; " + "}; " * 50 + "\n")),
    "here documents": _bash(lambda n: lines(n, lambda i: f"cat <<EOF\n$x {i}\nEOF\n")),
    "one here document": _bash(lambda n: "cat <<EOF\n" + lines(n, lambda i: f"$x{i} words\n") + "EOF\n"),
    "strings": _bash(lambda n: 'x="' + lines(n, lambda i: f"$a{i} ${{b{i}:-c}} ") + '"\n'),
    "words of one command": _bash(lambda n: "f " + lines(n, lambda i: f"$a{i} b{i} ") + "\n"),
    "arrays": _bash(lambda n: "x=(\n" + lines(n, lambda i: f"$a{i}\n") + ")\n"),
    "sums": _bash(lambda n: "x=$((1" + lines(n, lambda i: f" + a{i}") + "))\n"),
    "aliases": _bash(lambda n: lines(n, lambda i: f"alias a{i}='f{i} x'\na{i}\n")),
    "traps": _bash(lambda n: "f() { :; }\n" + "trap f EXIT\n" * n),
    "comments": _bash(lambda n: "# words of a comment\n" * n),
    "broken lines": _bash(lambda n: "f() {\n  x=]; if ((\n" * n),
    "open brackets": _bash(lambda n: "$({" * n),
    "sources": lambda n: (
        many(n // 8, lambda i: f"f{i}.sh", lambda i: f"f{i}() {{ :; }}\n")
        | {"use.sh": lines(n // 8, lambda i: f". ./f{i}.sh\n") + lines(n // 8, lambda i: f"f{i}\n")}
    ),
    "sources in a chain": lambda n: many(
        n // 8, lambda i: f"f{i}.sh", lambda i: f". ./f{i + 1}.sh\nf{i}() {{ f{(i + 1) % (n // 8)}; }}\n"
    ),
    "sources in a circle": lambda n: many(
        n // 8, lambda i: f"f{i}.sh", lambda i: f". ./f{(i + 1) % (n // 8)}.sh\nf{i}() {{ f0; }}\n"
    ),
}

_CLASS = "class T { func m() -> T { self } }\n"
SWIFT: Mapping[str, Shape] = {
    "plain functions": _swift(lambda n: lines(n, lambda i: f"func f{i}(_ x: Int) -> Int {{ x }}\n")),
    "redefined and calling itself": _swift(lambda n: "func f(_ x: Int) -> Int { f(x) }\n" * n),
    "redefined method": _swift(lambda n: "class T {\n" + "    func m() -> T { m() }\n" * n + "}\n"),
    "overloads by label": _swift(
        lambda n: lines(n, lambda i: f"func f(a{i} x: Int) {{ f(a{(i + 1) % n}: x) }}\n")
    ),
    "rebound to its own method": _swift(lambda n: _CLASS + "func g(_ x: T) {\n" + "    let x = x.m()\n" * n + "}\n"),
    "unwrapped again and again": _swift(
        lambda n: _CLASS + "func g(_ x: T?) {\n" + "    guard let x = x?.m() else { return }\n" * n + "}\n"
    ),
    "calls chained": _swift(lambda n: _CLASS + "func g(_ x: T) { x" + "\n.m()" * n + " }\n"),
    "calls nested": _swift(lambda n: "func g() { " + "f(" * n + ")" * n + " }\n"),
    "closures nested": _swift(lambda n: "func g() { " + "f { " * n + "}" * n + " }\n"),
    "closures in a row": _swift(
        lambda n: _CLASS + "func h(_ f: (T) -> T) {}\nfunc g() {\n" + "    h { $0.m() }\n" * n + "}\n"
    ),
    "operators in a row": _swift(lambda n: "let x = 1" + " + 1" * n + "\n"),
    "calls behind operators": _swift(lambda n: _CLASS + "func g(_ x: T) { x" + " + x.m()" * n + " }\n"),
    "names in a chain": _swift(
        lambda n: _CLASS + "let a0 = T()\n" + lines(n, lambda i: f"let a{i + 1} = a{i}.m()\n")
    ),
    "names in a circle": _swift(lambda n: lines(n, lambda i: f"let a{i} = a{(i + 1) % n}.m()\n")),
    "classes in a line": _swift(
        lambda n: "class T0 { func m() {} }\n" + lines(n, lambda i: f"class T{i + 1}: T{i} {{ func g() {{ m() }} }}\n")
    ),
    "protocols and types": _swift(
        lambda n: lines(n, lambda i: f"protocol P{i} {{ func m{i}() }}\nstruct S{i}: P{i} {{ func m{i}() {{ m{i}() }} }}\n")
    ),
    "extensions of one type": _swift(
        lambda n: "struct T {}\n" + lines(n, lambda i: f"extension T {{ func m{i}() {{ m{(i + 1) % n}() }} }}\n")
    ),
    "one type that keeps many protocols": _swift(
        lambda n: lines(n, lambda i: f"protocol P{i} {{ func m{i}() }}\n")
        + f"class T: {_joined(n, lambda i: f'P{i}')} {{\n"
        + lines(n, lambda i: f"    func m{i}() {{}}\n")
        + "}\n"
    ),
    "cases and patterns": _swift(
        lambda n: "enum E {\n"
        + lines(n, lambda i: f"    case c{i}(E)\n")
        + "}\nfunc g(_ e: E) {\n    switch e {\n"
        + lines(n, lambda i: f"    case .c{i}(let x): x\n")
        + "    }\n}\n"
    ),
    "a literal of implicit members": _swift(
        lambda n: "enum E { case a, b }\nlet x: [E] = [" + ".a, " * n + ".b]\n"
    ),
    "conditions in a row": _swift(
        lambda n: "func g(_ x: Int?) { if " + _joined(n, lambda i: f"let a{i} = x") + " { } }\n"
    ),
    "types nested": _swift(lambda n: lines(n, lambda i: f"struct T{i} {{ ") + "}" * n + "\n"),
    "braces that never close": _swift(lambda n: "func f() { if x { " * n),
    "brackets that never close": _swift(lambda n: "let x = f(a[" * n),
    "files": lambda n: {
        "Package.swift": '.target(name: "Shape")\n',
        **many(n, lambda i: f"Sources/Shape/f{i}.swift", lambda i: f"struct T{i} {{ let next: T{(i + 1) % n}? }}\n"),
    },
}
NEWER: Mapping[str, Mapping[str, Shape]] = {"rust": RUST, "csharp": CSHARP, "php": PHP, "bash": BASH, "swift": SWIFT}
