"""Other shapes: pieces of Kotlin, Ruby and Incan that repeat, nest, chain or fan out as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from declared_shapes import Shape, lines, many


def _kotlin(make: Callable[[int], str]) -> Shape:
    return lambda n: {"Shape.kt": make(n)}


def _ruby(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.rb": make(n)}


def _incan(make: Callable[[int], str]) -> Shape:
    return lambda n: {"incan.toml": '[project]\nname = "shape"\n', "src/main.incn": make(n)}


KOTLIN: Mapping[str, Shape] = {
    "plain functions": _kotlin(lambda n: lines(n, lambda i: f"fun f{i}(x: Int): Int = x\n")),
    "redefined and calling itself": _kotlin(lambda n: "fun f(x: Int): Int = f(x)\n" * n),
    "redefined method": _kotlin(lambda n: "class C {\n" + "    fun m(): C = this.m()\n" * n + "}\n"),
    "redefined class": _kotlin(lambda n: "class C { fun m(): C = C().m() }\n" * n),
    "overloads of types": _kotlin(
        lambda n: (
            lines(n, lambda i: f"class C{i}\nfun f(x: C{i}): C{i} = x\n")
            + "fun g() {\n"
            + lines(n, lambda i: f"    f(C{i}())\n")
            + "}\n"
        )
    ),
    "names in a chain": _kotlin(
        lambda n: (
            "class A { fun m(): A = this }\nfun g(a0: A) {\n"
            + lines(n, lambda i: f"    val a{i + 1} = a{i}.m()\n")
            + "}\n"
        )
    ),
    "assigned its own method": _kotlin(
        lambda n: "class A { fun m(): A = this }\nfun g(a: A) {\n    var x = a\n" + "    x = x.m()\n" * n + "}\n"
    ),
    "calls chained": _kotlin(lambda n: "class A { fun m(): A = this }\nfun g(a: A) { a" + "\n.m()" * n + " }\n"),
    "lambdas in lambdas": _kotlin(
        lambda n: (
            "fun <T> T.r(b: T.() -> Unit): T = this\nclass A { fun m() {} }\nfun g(a: A) {\n"
            + ("a.r { " * 40 + "m() " + "}" * 40 + "\n") * (n // 20)
            + "}\n"
        )
    ),
    "lambdas beside": _kotlin(
        lambda n: (
            "fun <T, R> T.r(b: (T) -> R): R = b(this)\nclass A { fun m(): A = this }\nfun g(a: A) {\n"
            + "    a.r { it.m() }.m()\n" * n
            + "}\n"
        )
    ),
    "extensions of one name": _kotlin(
        lambda n: (
            lines(n, lambda i: f"class C{i}\nfun C{i}.m() {{}}\n")
            + "fun g() {\n"
            + lines(n, lambda i: f"    C{i}().m()\n")
            + "}\n"
        )
    ),
    "classes in a line": _kotlin(
        lambda n: (
            "open class C0 { open fun m() {} }\n"
            + lines(n, lambda i: f"open class C{i + 1} : C{i}() {{ override fun m() {{ super.m() }} }}\n")
        )
    ),
    "classes of one base": _kotlin(
        lambda n: (
            "interface B { fun m() }\n"
            + lines(n, lambda i: f"class C{i} : B {{ override fun m() {{}} }}\n")
            + "fun g(b: B) {\n"
            + "    b.m()\n" * n
            + "}\n"
        )
    ),
    "generics": _kotlin(
        lambda n: lines(n, lambda i: f"class C{i}<T>(val x: T) {{ fun m(): C{(i + 1) % n}<T> = C{(i + 1) % n}(x) }}\n")
    ),
    "when": _kotlin(
        lambda n: (
            "sealed class B\n"
            + lines(n, lambda i: f"class C{i} : B() {{ fun m{i}() {{}} }}\n")
            + "fun g(b: B) = when (b) {\n"
            + lines(n, lambda i: f"    is C{i} -> b.m{i}()\n")
            + "    else -> {}\n}\n"
        )
    ),
    "objects": _kotlin(lambda n: lines(n, lambda i: f"object O{i} {{ val x = O{(i + 1) % n}.x }}\n")),
    "enumeration": _kotlin(
        lambda n: (
            "enum class E {\n"
            + lines(n, lambda i: f"    A{i},\n")
            + "}\nval x = listOf(\n"
            + lines(n, lambda i: f"    E.A{i},\n")
            + ")\n"
        )
    ),
    "files of one package": lambda n: many(
        n // 4,
        lambda i: f"p/C{i}.kt",
        lambda i: f"package p\nclass C{i} {{ fun m() {{ C{(i + 1) % (n // 4)}().m() }} }}\n",
    ),
}

RUBY: Mapping[str, Shape] = {
    "plain methods": _ruby(lambda n: lines(n, lambda i: f"def f{i}(x)\n  x\nend\n")),
    "redefined and calling itself": _ruby(lambda n: "def f(x)\n  f(x)\nend\n" * n),
    "opened again": _ruby(lambda n: lines(n, lambda i: f"class C\n  def m{i}\n    m{(i + 1) % n}\n  end\nend\n")),
    "opened again, one method": _ruby(lambda n: "class C\n  def m\n    C.new.m\n  end\nend\n" * n),
    "rebound to its own method": _ruby(
        lambda n: "class A\n  def m\n    self\n  end\nend\nx = A.new\n" + "x = x.m\n" * n
    ),
    "names in a chain": _ruby(
        lambda n: "class A\n  def m\n    self\n  end\nend\na0 = A.new\n" + lines(n, lambda i: f"a{i + 1} = a{i}.m\n")
    ),
    "calls chained": _ruby(lambda n: "x = f" + "\n  .m" * n + "\n"),
    "blocks in blocks": _ruby(lambda n: ("f { |x| " * 40 + "x.m " + "}" * 40 + "\n") * (n // 20)),
    "blocks beside": _ruby(lambda n: "f { |x| x.m }\n" * n),
    "modules mixed in": _ruby(
        lambda n: (
            lines(n, lambda i: f"module M{i}\n  def m{i}\n  end\nend\n")
            + "class C\n"
            + lines(n, lambda i: f"  include M{i}\n")
            + "  def k\n"
            + lines(n, lambda i: f"    m{i}\n")
            + "  end\nend\n"
        )
    ),
    "classes in a line": _ruby(
        lambda n: (
            "class C0\n  def m\n  end\nend\n"
            + lines(n, lambda i: f"class C{i + 1} < C{i}\n  def m\n    super\n  end\nend\n")
        )
    ),
    "classes of one base": _ruby(
        lambda n: "class B\n  def m\n  end\nend\n" + lines(n, lambda i: f"class C{i} < B\n  def k\n    m\n  end\nend\n")
    ),
    "methods of one name": _ruby(
        lambda n: lines(n, lambda i: f"class C{i}\n  def m\n  end\nend\n") + "def g(x)\n" + "  x.m\n" * n + "end\n"
    ),
    "attributes": _ruby(
        lambda n: (
            "class C\n"
            + lines(n, lambda i: f"  attr_accessor :a{i}\n")
            + "  def k\n"
            + lines(n, lambda i: f"    a{i}\n")
            + "  end\nend\n"
        )
    ),
    "instance variables": _ruby(lambda n: "class C\n  def k\n" + "    @x = @x.m\n" * n + "  end\nend\n"),
    "constants": _ruby(lambda n: lines(n, lambda i: f"A{i} = A{max(i - 1, 0)}.m\n")),
    "modules nested": _ruby(
        lambda n: lines(n // 8, lambda i: "".join(f"module N{d}_{i}\n" for d in range(8)) + "A = 1\n" + "end\n" * 8)
    ),
    "files of one class": lambda n: many(
        n // 4, lambda i: f"lib/f{i}.rb", lambda i: f"class C\n  def m{i}\n    m{(i + 1) % (n // 4)}\n  end\nend\n"
    ),
    "requires in a chain": lambda n: many(
        n // 4,
        lambda i: f"lib/f{i}.rb",
        lambda i: f"require_relative 'f{i + 1}'\nclass C{i}\n  def m\n    C{i + 1}.new.m\n  end\nend\n",
    ),
}

INCAN: Mapping[str, Shape] = {
    "plain functions": _incan(lambda n: lines(n, lambda i: f"def f{i}(x: int) -> int:\n    return x\n\n")),
    "redefined and calling itself": _incan(lambda n: "def f(x: int) -> int:\n    return f(x)\n\n" * n),
    "models": _incan(
        lambda n: lines(
            n,
            lambda i: (
                f"model M{i}:\n    x: M{(i + 1) % n}\n\n    def m(self) -> M{(i + 1) % n}:\n        return self.x\n\n"
            ),
        )
    ),
    "names in a chain": _incan(
        lambda n: (
            "model A:\n    x: int\n\n    def m(self) -> A:\n        return self\n\ndef g(a0: A) -> None:\n"
            + lines(n, lambda i: f"    a{i + 1} = a{i}.m()\n")
        )
    ),
    "calls chained": _incan(
        lambda n: (
            "model A:\n    x: int\n\n    def m(self) -> A:\n        return self\n\ndef g(a: A) -> A:\n    return a"
            + "\n        .m()" * n
            + "\n"
        )
    ),
    "classes in a line": _incan(
        lambda n: (
            "class C0:\n    def m(self) -> int:\n        return 1\n\n"
            + lines(n, lambda i: f"class C{i + 1} extends C{i}:\n    def k(self) -> int:\n        return self.m()\n\n")
        )
    ),
    "traits": _incan(
        lambda n: (
            lines(n, lambda i: f"trait T{i}:\n    def m{i}(self) -> int\n\n")
            + "class C with T0"
            + lines(n, lambda i: f", T{i}")
            + ":\n    def k(self) -> int:\n        return self.m0()\n"
        )
    ),
    "enumeration": _incan(
        lambda n: "enum E:\n" + lines(n, lambda i: f"    A{i}(int)\n") + "\ndef g() -> E:\n    return E.A0(1)\n"
    ),
    "match": _incan(
        lambda n: (
            "enum E:\n"
            + lines(n, lambda i: f"    A{i}\n")
            + "\ndef g(x: E) -> int:\n    match x:\n"
            + lines(n, lambda i: f"        E.A{i} => return {i}\n")
        )
    ),
    "one calls all": _incan(
        lambda n: (
            lines(n, lambda i: f"def f{i}() -> int:\n    return {i}\n\n")
            + "def g() -> None:\n"
            + lines(n, lambda i: f"    f{i}()\n")
        )
    ),
    "all call one": _incan(
        lambda n: "def f() -> int:\n    return 1\n\n" + lines(n, lambda i: f"def g{i}() -> int:\n    return f()\n\n")
    ),
    "constants in a chain": _incan(
        lambda n: "const A0: int = 0\n" + lines(n, lambda i: f"const A{i + 1}: int = A{i}\n")
    ),
    "aliases in a chain": _incan(
        lambda n: "model A:\n    x: int\n\ntype A0 = A\n" + lines(n, lambda i: f"type A{i + 1} = A{i}\n")
    ),
    "assigned again": _incan(
        lambda n: "def g(x: int) -> int:\n    mut a = x\n" + "    a = a + x\n" * n + "    return a\n"
    ),
    "brackets nested": _incan(lambda n: lines(n // 8, lambda i: f"const A{i} = " + "[" * 8 + "1" + "]" * 8 + "\n")),
    "open brackets": _incan(lambda n: "const a = " + "[" * n + "\n"),
    "blocks nested": _incan(
        lambda n: lines(
            n // 8,
            lambda i: (
                f"def f{i}(x: int) -> None:\n"
                + "".join("    " * (d + 1) + "if x > 1:\n" for d in range(8))
                + "    " * 9
                + "x\n\n"
            ),
        )
    ),
    "broken lines": _incan(lambda n: "def f(x: [\n" * n),
    "files": lambda n: (
        {"incan.toml": '[project]\nname = "shape"\n'}
        | many(n // 4, lambda i: f"src/m{i}.incn", lambda i: f"pub def f{i}() -> int:\n    return {i}\n")
    ),
    "modules in a chain": lambda n: (
        {"incan.toml": '[project]\nname = "shape"\n'}
        | many(
            n // 4, lambda i: f"src/m{i}.incn", lambda i: f"from m{i + 1} import f\n\npub def f() -> None:\n    f()\n"
        )
    ),
}

OTHER: Mapping[str, Mapping[str, Shape]] = {"kotlin": KOTLIN, "ruby": RUBY, "incan": INCAN}
