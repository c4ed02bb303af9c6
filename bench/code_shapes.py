"""Code shapes: small pieces of code that repeat, nest, chain or fan out as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from cpp_shapes import CPP
from declared_shapes import DECLARED
from document_shapes import DOCUMENTS
from newer_shapes import NEWER
from other_shapes import OTHER

Files: TypeAlias = Mapping[str, str]
Shape: TypeAlias = Callable[[int], Files]


def _lines(n: int, line: Callable[[int], str]) -> str:
    return "".join(line(number) for number in range(n))


def _python(make: Callable[[int], str]) -> Shape:
    return lambda n: {"shape.py": make(n)}


def _typescript(make: Callable[[int], str], ending: str = "ts") -> Shape:
    return lambda n: {f"shape.{ending}": make(n)}


def _many(n: int, name: Callable[[int], str], text: Callable[[int], str]) -> Files:
    return {name(number): text(number) for number in range(n)}


def _joined(n: int, part: Callable[[int], str], between: str = ", ") -> str:
    return between.join(part(number) for number in range(n))


PYTHON: Mapping[str, Shape] = {
    "plain functions": _python(lambda n: _lines(n, lambda i: f"def f{i}(x): return x\n\n")),
    "redefined and calling itself": _python(lambda n: "def f(x): return f(x)\n" * n),
    "redefined, called inside of another": _python(lambda n: "def f(x): return x\ndef g(): return f(1)\n" * n),
    "redefined class": _python(lambda n: "class C:\n    def m(self): return C().m()\n" * n),
    "redefined method": _python(lambda n: "class C:\n" + "    def m(self): return self.m()\n" * n),
    "redefined under conditions": _python(lambda n: "if c():\n    def f(x): return f(x)\n" * n),
    "rebound to its own method": _python(
        lambda n: "class A:\n    def m(self): return self\nx = A()\n" + "x = x.m()\n" * n
    ),
    "rebound to an unknown method": _python(lambda n: "x = x.m()\n" * n),
    "rebound to a call": _python(lambda n: "def f(a): return a\nx = 1\n" + "x = f(x)\n" * n),
    "rebound to an unknown call": _python(lambda n: "x = f(x)\n" * n),
    "rebound inside of a function": _python(lambda n: "def g(x):\n" + "    x = f(x)\n" * n),
    "rebound in a loop": _python(lambda n: "def g(x):\n    while x:\n" + "        x = x.m(x)\n" * n),
    "rebound under conditions": _python(lambda n: "def g(x):\n" + "    if x:\n        x = f(x)\n" * n),
    "rebound to another class each": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m(self): pass\n")
            + _lines(n, lambda i: f"if c({i}): x = C{i}()\n")
            + "x.m()\n" * n
        )
    ),
    "augmented": _python(lambda n: "x = 0\n" + "x += f(x)\n" * n),
    "names in a circle": _python(lambda n: _lines(n, lambda i: f"a{i} = a{(i + 1) % n}.m()\n")),
    "names in a chain": _python(
        lambda n: "class A:\n    def m(self): return self\na0 = A()\n" + _lines(n, lambda i: f"a{i + 1} = a{i}.m()\n")
    ),
    "two names in turn": _python(lambda n: "def g(x, y):\n" + "    x = y.m(x)\n    y = x.m(y)\n" * n),
    "attribute rebound": _python(
        lambda n: (
            "class A:\n    def m(self):\n" + "        self.x = self.x.m()\n" * n + "    def k(self): return self.x.y\n"
        )
    ),
    "attribute of many classes": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m(self): pass\n")
            + "class A:\n    def s(self):\n"
            + _lines(n, lambda i: f"        self.x = C{i}()\n")
            + "    def k(self):\n"
            + "        self.x.m()\n" * n
        )
    ),
    "calls chained": _python(lambda n: "class A:\n    def m(self): return self\nx = A()" + ".m()" * n + "\n"),
    "calls chained over lines": _python(lambda n: "x = (f()" + "\n    .m()" * n + ")\n"),
    "calls nested": _python(lambda n: "x = " + "f(" * n + ")" * n + "\n"),
    "functions calling the next": _python(
        lambda n: _lines(n, lambda i: f"def f{i}(): return f{i + 1}()\n") + f"def f{n}(): pass\n"
    ),
    "functions in a circle": _python(lambda n: _lines(n, lambda i: f"def f{i}(): return f{(i + 1) % n}().x\n")),
    "one calls all": _python(
        lambda n: _lines(n, lambda i: f"def f{i}(): pass\n") + "def g():\n" + _lines(n, lambda i: f"    f{i}()\n")
    ),
    "all call one": _python(lambda n: "def f(): pass\n" + _lines(n, lambda i: f"def g{i}(): f()\n")),
    "nested functions": _python(
        lambda n: _lines(min(n, 90), lambda i: " " * i + f"def f{i}():\n") + " " * min(n, 90) + "pass\n"
    ),
    "nested brackets": _python(lambda n: "x = " + "[" * n + "]" * n + "\n"),
    "nested conditions": _python(
        lambda n: _lines(min(n, 90), lambda i: " " * i + f"if a{i}:\n") + " " * min(n, 90) + "pass\n"
    ),
    "elif": _python(lambda n: "if a: x = 1\n" + _lines(n, lambda i: f"elif isinstance(x, A{i}): x = x.m()\n")),
    "case": _python(lambda n: "match x:\n" + _lines(n, lambda i: f"    case A{i}(b): y = b.m(x)\n")),
    "except": _python(lambda n: "try:\n    pass\n" + _lines(n, lambda i: f"except E{i} as e: x = e.m()\n")),
    "narrowed": _python(lambda n: "def f(x):\n" + _lines(n, lambda i: f"    if isinstance(x, A{i}): x.m()\n")),
    "conditions joined": _python(lambda n: "x = " + _joined(n, lambda i: f"a{i}.m()", " or ") + "\nx.y\n"),
    "operators": _python(lambda n: "x = " + _joined(n, lambda i: f"a{i}", " + ") + "\n"),
    "conditional expressions": _python(lambda n: "x = " + _lines(n, lambda i: f"a{i} if b{i} else ") + "c\nx.y\n"),
    "union annotation": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m(self): pass\n")
            + "def f(x: "
            + _joined(n, lambda i: f"C{i}", " | ")
            + "):\n"
            + "    x.m()\n" * n
        )
    ),
    "recursive alias": _python(
        lambda n: _lines(
            n, lambda i: f"T{i} = list['T{(i + 1) % n}'] | dict[str, 'T{i}']\ndef f{i}(x: T{i}): return x[0].y\n"
        )
    ),
    "generics nested": _python(lambda n: "x: " + "list[" * n + "int" + "]" * n + "\nx[0].y\n"),
    "generic classes": _python(
        lambda n: (
            "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass C0(Generic[T]):\n    def m(self) -> T: ...\n"
            + _lines(n, lambda i: f"class C{i + 1}(C{i}[list[T]]): pass\n")
            + f"x = C{n}[int]().m()\n"
        )
    ),
    "generic function of itself": _python(
        lambda n: "def w[T](x: T) -> list[T]: ...\nx = 1\n" + "x = w(x)\n" * n + "x[0].y\n"
    ),
    "tuples growing": _python(lambda n: "def g(x):\n" + "    x = (x, x)\n" * n + "    x[0].y\n"),
    "classes in a line": _python(
        lambda n: (
            "class C0:\n    def m(self): pass\n"
            + _lines(n, lambda i: f"class C{i + 1}(C{i}):\n    def m(self): super().m()\n")
        )
    ),
    "classes of one base": _python(
        lambda n: (
            "class B:\n    def m(self): pass\n"
            + _lines(n, lambda i: f"class C{i}(B):\n    def m(self): pass\n")
            + "def f(b: B):\n"
            + "    b.m()\n" * n
        )
    ),
    "class of many bases": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m{i}(self): pass\n")
            + "class D("
            + _joined(n, lambda i: f"C{i}")
            + "):\n    def k(self):\n"
            + _lines(n, lambda i: f"        self.m{i}()\n")
        )
    ),
    "diamonds": _python(
        lambda n: (
            "class A0: pass\n"
            + _lines(n, lambda i: f"class L{i}(A{i}): pass\nclass R{i}(A{i}): pass\nclass A{i + 1}(L{i}, R{i}): pass\n")
            + f"A{n}().m()\n"
        )
    ),
    "classes in a circle": _python(
        lambda n: _lines(n, lambda i: f"class C{i}(C{(i + 1) % n}):\n    def m(self): self.k()\n")
    ),
    "overloads": _python(
        lambda n: (
            "from typing import overload\n"
            + _lines(n, lambda i: f"class C{i}: pass\n@overload\ndef f(x: C{i}) -> C{i}: ...\n")
            + "def f(x): ...\n"
            + _lines(n, lambda i: f"f(C{i}()).y\n")
        )
    ),
    "decorated": _python(lambda n: "def d(f): return f\n" + "@d\n" * n + "def g(): pass\ng().x\n"),
    "decorators in a chain": _python(
        lambda n: "def d0(f): return f\n" + _lines(n, lambda i: f"@d{i}\ndef d{i + 1}(f): return f\n")
    ),
    "properties": _python(
        lambda n: "class A:\n" + _lines(n, lambda i: f"    @property\n    def p{i}(self): return self.p{(i + 1) % n}\n")
    ),
    "comprehensions": _python(lambda n: "x = [[a]]\n" + "x = [b.m() for b in x for c in b]\n" * n),
    "comprehension clauses": _python(
        lambda n: "x = [a0 for a0 in z " + _lines(n, lambda i: f"for a{i + 1} in a{i} ") + "]\n"
    ),
    "lambdas nested": _python(lambda n: "f = " + "lambda x: " * n + "x\n"),
    "dictionary": _python(lambda n: "x = {\n" + _lines(n, lambda i: f"    'k{i}': f(a{i}),\n") + "}\nx['k1'].y\n"),
    "dictionary of classes": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m(self): pass\n")
            + "x = {\n"
            + _lines(n, lambda i: f"    'k{i}': C{i}(),\n")
            + "}\n"
            + "x['k1'].m()\n" * n
        )
    ),
    "dictionaries nested": _python(lambda n: "x = " + "{'a': " * n + "1" + "}" * n + "\n"),
    "arguments": _python(
        lambda n: (
            "def f(" + _joined(n, lambda i: f"a{i}=None") + "): pass\nf(" + _joined(n, lambda i: f"a{i}=1") + ")\n"
        )
    ),
    "keyword of overloads": _python(lambda n: "def f(a): pass\n" * n + "f(a=1)\n" * n),
    "globals": _python(
        lambda n: "x = None\n" + _lines(n, lambda i: f"def f{i}():\n    global x\n    x = f{i}(x)\n    return x.y\n")
    ),
    "returns": _python(
        lambda n: (
            _lines(n, lambda i: f"class C{i}:\n    def m(self): pass\n")
            + "def f(x):\n"
            + _lines(n, lambda i: f"    if x: return C{i}()\n")
            + "def g():\n"
            + "    f(1).m()\n" * n
        )
    ),
    "returns of itself": _python(lambda n: "def f(x):\n" + "    if x: return f(x).m()\n" * n),
    "strings": _python(lambda n: _lines(n, lambda i: f"x = getattr(x, 'name{i}')('text {i}')\n")),
    "text of one string": _python(lambda n: "x = '''" + "words in a text\n" * n + "'''\n"),
    "comments": _python(lambda n: "# a comment\n" * n),
    "one line": _python(lambda n: "x=f(x);" * n + "\n"),
    "broken lines": _python(lambda n: "def f(:\n  x = ]\n" * n),
    "open brackets": _python(lambda n: "f(" * n),
    "import and use": _python(lambda n: _lines(n, lambda i: f"import m{i}\nm{i}.f()\n")),
    "imported again": _python(lambda n: "from m import f\nf()\n" * n),
    "star imports in a chain": lambda n: (
        _many(n, lambda i: f"m{i}.py", lambda i: f"from m{i + 1} import *\na{i} = f()\n")
        | {f"m{n}.py": "def f(): pass\n"}
    ),
    "star imports fanned in": lambda n: (
        _many(n, lambda i: f"m{i}.py", lambda i: f"def f{i}(): pass\n")
        | {"all.py": _lines(n, lambda i: f"from m{i} import *\n") + _lines(n, lambda i: f"f{i}()\n")}
    ),
    "modules in a circle": lambda n: _many(
        n, lambda i: f"m{i}.py", lambda i: f"import m{(i + 1) % n}\ndef f(): return m{(i + 1) % n}.f().x\n"
    ),
    "reexports in a chain": lambda n: (
        _many(n, lambda i: f"m{i}.py", lambda i: f"from m{i + 1} import f\nf()\n") | {f"m{n}.py": "def f(): pass\n"}
    ),
    "modules of one hub": lambda n: (
        _many(n, lambda i: f"m{i}.py", lambda i: "from hub import f\nf()\n") | {"hub.py": "def f(): pass\n"}
    ),
    "files of one name": lambda n: _many(n, lambda i: f"p{i}/same.py", lambda i: "def f(): pass\nf()\n"),
}

TYPESCRIPT: Mapping[str, Shape] = {
    "plain functions": _typescript(lambda n: _lines(n, lambda i: f"export function f{i}(x: number) {{ return x }}\n")),
    "redefined and calling itself": _typescript(lambda n: "function f(x) { return f(x) }\n" * n, "js"),
    "redefined with var": _typescript(lambda n: "var f = function (x) { return f(x) };\n" * n, "js"),
    "rebound to its own method": _typescript(lambda n: "let x = g();\n" + "x = x.m();\n" * n, "js"),
    "rebound to a call": _typescript(lambda n: "function f(a) { return a }\nvar x = 1;\n" + "x = f(x);\n" * n, "js"),
    "rebound inside of a function": _typescript(lambda n: "function g(x) {\n" + "  x = x.m(x);\n" * n + "}\n", "js"),
    "rebound to another class each": _typescript(
        lambda n: (
            _lines(n, lambda i: f"class C{i} {{ m() {{}} }}\n")
            + "var x;\n"
            + _lines(n, lambda i: f"if (c({i})) x = new C{i}();\n")
            + "x.m();\n" * n
        ),
        "js",
    ),
    "var again": _typescript(lambda n: "var x = f(x);\n" * n, "js"),
    "names in a circle": _typescript(lambda n: _lines(n, lambda i: f"var a{i} = a{(i + 1) % n}.m();\n"), "js"),
    "names in a chain": _typescript(
        lambda n: (
            "class A { m() { return this } }\nconst a0 = new A();\n"
            + _lines(n, lambda i: f"const a{i + 1} = a{i}.m();\n")
        )
    ),
    "calls chained": _typescript(lambda n: "class A { m(): A { return this } }\nnew A()" + ".m()" * n + ";\n"),
    "promises chained": _typescript(lambda n: "p" + ".then((x) => x.y)" * n + ";\n"),
    "callbacks nested": _typescript(lambda n: _lines(min(n, 90), lambda i: f"f((x{i}) => {{ ") + "}) " * min(n, 90)),
    "calls nested": _typescript(lambda n: "f(" * n + ")" * n + ";\n"),
    "functions in a circle": _typescript(
        lambda n: _lines(n, lambda i: f"function f{i}() {{ return f{(i + 1) % n}().x }}\n")
    ),
    "one calls all": _typescript(
        lambda n: (
            _lines(n, lambda i: f"function f{i}() {{}}\n")
            + "function g() {\n"
            + _lines(n, lambda i: f"  f{i}();\n")
            + "}\n"
        )
    ),
    "immediately called": _typescript(lambda n: "(function () { var x = f(); x.y() })();\n" * n, "js"),
    "bundle of modules": _typescript(
        lambda n: (
            "var m = {\n"
            + _lines(
                n, lambda i: f"{i}: function (e, t, r) {{ var a = r({i}); t.x = function () {{ return a.y() }} }},\n"
            )
            + "};\n"
        ),
        "js",
    ),
    "minified": _typescript(
        lambda n: (
            "!function(){"
            + _lines(n, lambda i: f"var a{i}=function(e){{return e?a{i // 2}(e).b:t.c(e,{i})}};")
            + "}();"
        ),
        "js",
    ),
    "commas": _typescript(lambda n: "x=1" + ",x=f(x)" * n + ";\n", "js"),
    "ternaries": _typescript(lambda n: "x = " + _lines(n, lambda i: f"a{i} ? b{i} : ") + "c;\nx.y\n", "js"),
    "conditions joined": _typescript(
        lambda n: "var x = " + _joined(n, lambda i: f"a{i}.m()", " || ") + ";\nx.y\n", "js"
    ),
    "else if": _typescript(
        lambda n: "if (a) {}\n" + _lines(n, lambda i: f"else if (x instanceof A{i}) {{ x = x.m() }}\n")
    ),
    "cases": _typescript(lambda n: "switch (x) {\n" + _lines(n, lambda i: f"case {i}: y = f{i}(x); break;\n") + "}\n"),
    "union type": _typescript(
        lambda n: (
            _lines(n, lambda i: f"class C{i} {{ m() {{}} }}\n")
            + "function f(x: "
            + _joined(n, lambda i: f"C{i}", " | ")
            + ") {\n"
            + "  x.m();\n" * n
            + "}\n"
        )
    ),
    "union of unions": _typescript(
        lambda n: (
            "class C { m() {} }\ntype T0 = C;\n"
            + _lines(n, lambda i: f"type T{i + 1} = T{i} | T{i // 2};\n")
            + f"declare const x: T{n};\nx.m();\n"
        )
    ),
    "recursive types": _typescript(
        lambda n: _lines(
            n,
            lambda i: (
                f"type T{i} = {{ a: T{(i + 1) % n}, b: T{i}[] }};\nfunction f{i}(x: T{i}) {{ return x.a.b[0].a }}\n"
            ),
        )
    ),
    "generics nested": _typescript(lambda n: "let x: " + "Array<" * n + "number" + ">" * n + ";\nx[0].y;\n"),
    "generic classes": _typescript(
        lambda n: (
            "class C0<T> { m(): T { return null! } }\n"
            + _lines(n, lambda i: f"class C{i + 1}<T> extends C{i}<T[]> {{}}\n")
            + f"new C{n}<number>().m();\n"
        )
    ),
    "generic function of itself": _typescript(
        lambda n: "declare function w<T>(x: T): T[];\nlet x: any = 1;\n" + "x = w(x);\n" * n + "x[0].y;\n"
    ),
    "conditional types": _typescript(
        lambda n: "type T<X> = " + _lines(n, lambda i: f"X extends A{i} ? B{i} : ") + "never;\n"
    ),
    "classes in a line": _typescript(
        lambda n: (
            "class C0 { m() {} }\n" + _lines(n, lambda i: f"class C{i + 1} extends C{i} {{ m() {{ super.m() }} }}\n")
        )
    ),
    "classes of one base": _typescript(
        lambda n: (
            "class B { m() {} }\n"
            + _lines(n, lambda i: f"class C{i} extends B {{ m() {{}} }}\n")
            + "function f(b: B) {\n"
            + "  b.m();\n" * n
            + "}\n"
        )
    ),
    "interface of many bases": _typescript(
        lambda n: (
            _lines(n, lambda i: f"interface C{i} {{ m{i}(): void }}\n")
            + "interface D extends "
            + _joined(n, lambda i: f"C{i}")
            + " {}\nfunction f(d: D) {\n"
            + _lines(n, lambda i: f"  d.m{i}();\n")
            + "}\n"
        )
    ),
    "interface merged": _typescript(
        lambda n: (
            _lines(n, lambda i: f"interface I {{ m{i}(): I }}\n")
            + "declare const x: I;\n"
            + _lines(n, lambda i: f"x.m{i}().m0();\n")
        )
    ),
    "namespace merged": _typescript(
        lambda n: _lines(n, lambda i: f"namespace N {{ export const a{i} = 1 }}\n") + _lines(n, lambda i: f"N.a{i};\n")
    ),
    "overloads": _typescript(
        lambda n: (
            _lines(n, lambda i: f"class C{i} {{}}\nfunction f(x: C{i}): C{i};\n")
            + "function f(x: any) { return x }\n"
            + _lines(n, lambda i: f"f(new C{i}());\n")
        )
    ),
    "overloaded method": _typescript(
        lambda n: (
            "interface I {\n"
            + _lines(n, lambda i: f"  m(x: {i}): I;\n")
            + "}\ndeclare const x: I;\n"
            + "x.m(1).m(2);\n" * n
        )
    ),
    "methods of an interface": _typescript(
        lambda n: (
            "interface I {\n"
            + _lines(n, lambda i: f"  m{i}(): I;\n")
            + "}\nclass A implements I {\n"
            + _lines(n, lambda i: f"  m{i}() {{ return this.m{(i + 1) % n}() }}\n")
            + "}\n"
        )
    ),
    "decorated": _typescript(
        lambda n: "function d(x: any) {}\nclass A {\n" + _lines(n, lambda i: f"  @d m{i}() {{}}\n") + "}\n"
    ),
    "object": _typescript(lambda n: "const o = {\n" + _lines(n, lambda i: f"  k{i}: f(a{i}),\n") + "};\no.k1.y;\n"),
    "object of functions": _typescript(
        lambda n: (
            "const o = {\n"
            + _lines(n, lambda i: f"  k{i}() {{ return this.k{(i + 1) % n}() }},\n")
            + "};\n"
            + _lines(n, lambda i: f"o.k{i}();\n")
        )
    ),
    "objects nested": _typescript(lambda n: "const o = " + "{ a: " * n + "1" + " }" * n + ";\n"),
    "objects spread": _typescript(
        lambda n: (
            "const o0 = { m() {} };\n"
            + _lines(n, lambda i: f"const o{i + 1} = {{ ...o{i}, k{i}: 1 }};\n")
            + f"o{n}.m();\n"
        )
    ),
    "object of itself": _typescript(
        lambda n: "let o = {};\n" + _lines(n, lambda i: f"o = {{ ...o, k{i}: o.k{i} }};\n") + "o.k1;\n", "js"
    ),
    "arrays nested": _typescript(lambda n: "const a = " + "[" * n + "]" * n + ";\n"),
    "array of objects": _typescript(
        lambda n: "const a = [\n" + _lines(n, lambda i: f"  {{ id: {i}, f: () => g({i}) }},\n") + "];\na[0].f();\n"
    ),
    "destructured": _typescript(
        lambda n: "const { " + _joined(n, lambda i: f"a{i}") + " } = o;\n" + _lines(n, lambda i: f"a{i}();\n")
    ),
    "jsx beside": _typescript(
        lambda n: (
            "function C() { return null }\nconst x = <div>\n"
            + _lines(n, lambda i: f"  <C a={{f{i}()}} />\n")
            + "</div>;\n"
        ),
        "tsx",
    ),
    "jsx nested": _typescript(
        lambda n: "function C() { return null }\nconst x = " + "<C>" * n + "</C>" * n + ";\n", "tsx"
    ),
    "jsx attributes": _typescript(lambda n: "const x = <C " + _lines(n, lambda i: f"a{i}={{b{i}}} ") + "/>;\n", "tsx"),
    "prototypes": _typescript(
        lambda n: (
            "function A() {}\n"
            + _lines(n, lambda i: f"A.prototype.m{i} = function () {{ return this.m{(i + 1) % n}() }};\n")
            + _lines(n, lambda i: f"new A().m{i}();\n")
        ),
        "js",
    ),
    "prototype again": _typescript(
        lambda n: "function A() {}\n" + "A.prototype.m = function () { return this.m() };\n" * n, "js"
    ),
    "prototypes in a line": _typescript(
        lambda n: (
            "function A0() {}\n"
            + _lines(
                n,
                lambda i: (
                    f"function A{i + 1}() {{}}\nA{i + 1}.prototype = Object.create(A{i}.prototype);\nA{i + 1}.prototype.m = function () {{ this.m() }};\n"
                ),
            )
        ),
        "js",
    ),
    "properties of a function": _typescript(
        lambda n: "function A() {}\n" + _lines(n, lambda i: f"A.k{i} = function () {{ A.k{(i + 1) % n}() }};\n"), "js"
    ),
    "exports assigned": _typescript(
        lambda n: _lines(n, lambda i: f"exports.k{i} = function () {{ return exports.k{(i + 1) % n}() }};\n"), "js"
    ),
    "exports again": _typescript(lambda n: "exports.k = function () { return exports.k() };\n" * n, "js"),
    "this assigned": _typescript(lambda n: "class A { k() {\n" + "  this.x = this.x.m();\n" * n + "} }\n", "js"),
    "imported again": _typescript(lambda n: "import { f } from './m';\nf();\n" * n),
    "enum": _typescript(
        lambda n: "enum E {\n" + _lines(n, lambda i: f"  A{i},\n") + "}\n" + _lines(n, lambda i: f"E.A{i};\n")
    ),
    "templates": _typescript(lambda n: "const x = `" + _lines(n, lambda i: f"${{f{i}()}} ") + "`;\n"),
    "functions in what is broken": _typescript(
        lambda n: "f<T>(x) function g(x): x is string {} template < class { struct (\n" * n
    ),
    "broken lines": _typescript(lambda n: "function f( {\n  x = ];\n" * n),
    "open brackets": _typescript(lambda n: "f({" * n),
    "comments": _typescript(lambda n: "/** a comment\n * @param {string} x\n */\n" * n),
    "documented": _typescript(
        lambda n: _lines(
            n, lambda i: f"/**\n * @param {{C{i}}} x\n * @returns {{C{i}}}\n */\nfunction f{i}(x) {{ return x.m() }}\n"
        ),
        "js",
    ),
    "aliases in comments": _typescript(
        lambda n: _lines(n, lambda i: f"/** @typedef {{(one: A{i}) => void}} T{i} */\n"), "js"
    ),
    "one line": _typescript(lambda n: "x=f(x);" * n, "js"),
    "star exports in a chain": lambda n: (
        _many(n, lambda i: f"m{i}.ts", lambda i: f"export * from './m{i + 1}';\nexport const a{i} = 1;\n")
        | {f"m{n}.ts": "export function f() {}\n"}
    ),
    "star exports fanned in": lambda n: (
        _many(n, lambda i: f"m{i}.ts", lambda i: f"export function f{i}() {{}}\n")
        | {
            "all.ts": _lines(n, lambda i: f"export * from './m{i}';\n"),
            "use.ts": "import * as all from './all';\n" + _lines(n, lambda i: f"all.f{i}();\n"),
        }
    ),
    "modules in a circle": lambda n: _many(
        n,
        lambda i: f"m{i}.ts",
        lambda i: f"import {{ f as g }} from './m{(i + 1) % n}';\nexport function f() {{ return g().x }}\n",
    ),
    "modules of one hub": lambda n: (
        _many(n, lambda i: f"m{i}.ts", lambda i: "import { f } from './hub';\nf();\n")
        | {"hub.ts": "export function f() {}\n"}
    ),
    "vue elements": _typescript(
        lambda n: (
            "<template><div>\n"
            + _lines(n, lambda i: f'<C :a="f{i}()" @b="g({i})"/>\n')
            + "</div></template>\n<script setup>\nimport C from './C.vue'\n"
            + _lines(n, lambda i: f"const f{i} = () => {i}\n")
            + "</script>\n"
        ),
        "vue",
    ),
    "vue nested": _typescript(
        lambda n: (
            "<template>"
            + '<div v-for="a in b">' * n
            + "{{ a }}"
            + "</div>" * n
            + "</template>\n<script setup>\nconst b = []\n</script>\n"
        ),
        "vue",
    ),
    "svelte elements": _typescript(
        lambda n: (
            "<script>\nlet x = 1;\n"
            + "x = f(x);\n" * n
            + "</script>\n"
            + _lines(n, lambda i: f"{{#if x}}<p on:click={{() => g({i})}}>{{x}}</p>{{/if}}\n")
        ),
        "svelte",
    ),
    "svelte nested": _typescript(
        lambda n: "<script>\nlet b = [];\n</script>\n" + "{#each b as a}<p>" * n + "{a}" + "</p>{/each}" * n, "svelte"
    ),
}

LANGUAGES: Mapping[str, Mapping[str, Shape]] = {
    "python": PYTHON,
    "typescript": TYPESCRIPT,
    **DECLARED,
    **NEWER,
    **OTHER,
    "cpp": CPP,
    "documents": DOCUMENTS,
}

GIVEN_UP: Mapping[str, str] = {
    "typescript/vue nested": "200 open tags are as many as the scanner of the grammar takes",
    "typescript/svelte nested": "the same",
    "bash/broken lines": "the scanner of the grammar goes to the end of the text for each parenthesis that stays open",
}
"""Shapes that are to be given up by name from some size on, and why."""


def named(patterns: Iterable[str]) -> Mapping[str, Shape]:
    """Shapes by `language/name`; all of them, or those in whose names one of the patterns is."""
    every = {f"{language}/{name}": shape for language, shapes in LANGUAGES.items() for name, shape in shapes.items()}
    wanted = tuple(patterns)
    if wanted and all(pattern in every for pattern in wanted):
        return {name: every[name] for name in wanted}
    return {name: shape for name, shape in every.items() if not wanted or any(pattern in name for pattern in wanted)}
