"""Newer ways to write that grammars cannot read: no error is said of them, and what they declare and use is there."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of

SOUND = [
    # C23 and GNU
    ("a.c", "int end(void);\nint f(int x) { switch (x) { case 1 ... 5: return end(); } return 2; }\n", "end", 1),
    ("a.c", "enum { A, B };\nint f(int x) { switch (x) { case A ... B: return 1; } return 2; }\n", "B", 1),
    ("a.c", "enum Kind : unsigned char { A, B = 1 };\nint f(void) { return B; }\n", "B", 1),
    ("a.c", "int f(void) {\n auto count = 4;\n return count;\n}\n", "count", 2),
    # C++ 11 to 23
    (
        "a.cpp",
        "template <class T> struct Box { };\nextern template class Box<int>;\ntemplate struct Box<float>;\n",
        "Box",
        1,
    ),
    ("a.cpp", "struct A {\n int flag : 1 = 0;\n int f() { return flag; }\n};\n", "flag", 2),
    ("a.cpp", "struct A { };\nvoid f(A *object, void (A::*member)()) {\n (object->*member)();\n}\n", "object", 2),
    (
        "a.cpp",
        "template <class... T> struct V : T... {\n using T::operator()...;\n int last;\n int f() { return last;}\n};\n",
        "last",
        3,
    ),
    ("a.cpp", "int g();\nint f() { if consteval { return 1; } else { return g(); } }\n", "g", 1),
    ("a.cpp", "struct P { int x, y; };\nP p{.x = 1, .y{2}};\nint f() { return p.y; }\n", "p", 2),
    # C# 13 and 14
    ("a.cs", "class A {\n int X;\n void F(A? other) { other?.X = 3; other?.X += G(); }\n int G() => 1;\n}\n", "G", 4),
    ("a.cs", "class A<T> where T : allows ref struct {\n void F() { }\n void G() { F(); }\n}\n", "F", 2),
    # Kotlin 2.2
    ("a.kt", "class A { val x = 1 }\ncontext(a: A) fun f() = 1\nfun g() = f()\n", "f", 2),
    ("a.kt", "class A\nval f: context(A) (Int) -> String = { \"\" }\nfun g() = f\n", "f", 2),
    ("a.kt", "fun interface F { fun a() }\nenum class E { A, B }\nobject O { val x = 1 }\nval y = O.x\n", "x", 3),
    # TypeScript 5.9
    ("a.ts", 'import defer * as late from "./b";\nlate.x;\n', "late", 1),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text", "name", "line"), SOUND)
def test_nothing_is_broken_and_a_name_has_its_place(file: str, text: str, name: str, line: int) -> None:
    snapshot = snapshot_of({FilePath(file): text.encode(), FilePath("b.ts"): b"export const x = 1\n"})
    assert list(snapshot.facts(FilePath(file)).problems.start) == []
    found = definition(snapshot, FilePath(file), text.rindex(name))
    assert found is not None
    assert [text.count("\n", 0, place.start) + 1 for place in found.places] == [line]
