"""Texts of Kotlin that its grammar cannot read: what is written otherwise, and that names stay where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.kotlin.syntax.mending import readable, readable_tree

NEWER = (Path(__file__).parents[2] / "fixtures" / "kotlin" / "facts" / "newer.kt").read_bytes()
SAMPLES = (
    b"class A\n  @Inject\n  constructor(val x: Int) : B {\n  fun a() = 1\n}\n",
    b"class A // why\n  /* how */ private constructor() : B()\n",
    b"class A<T>(val x: T)\n  where T : Any\n",
    b"class A {\n  val x: Int\n    by lazy { 1 }\n}\n",
    b"enum class E { A(1),\n  B(2),\n  ;\n  fun c() = 1\n}\n",
    b"fun f(n: Int) { for (i in 0..<n) g(i) }\n",
    b"fun f(x: Any) = when (x) {\n  is Int if x > 1 -> 1\n  else if x == 2 -> 2\n  else -> 3\n}\n",
    b'val x = $$"""a $$b"""\n',
    b'fun f(x: Int) = when (x) {\n  in 1..2 -> "a"\n  in 3..4 -> "b"\n  else -> "c"\n}\n',
    b"val x = y and 0b0001_1111\n",
    b"fun f() {\n  open = true\n  annotation.x()\n  open(1)\n}\n",
    b"fun f() {\n  g(x)\n  in1.read()\n}\n",
    b"val x = y.map { annotation -> annotation.z }\n",
    b"context(session: Session)\nfun f() = 1\n",
    b"val x = y\n  as? Z\n",
    b"fun f(x: Any) = when (x) {\n  is A,\n  is B,\n  -> 1\n  else -> 2\n}\n",
    b"val f: (\n  a: Int\n)\n-> Unit = {}\n",
    b"class A(val b: B) : C by b {\n  constructor() : this(B())\n}\nval d: D by lazy { 1 }\n",
    b"class A(val b: B) :\n  C by b.c(b) {\n  fun d() = 1\n  constructor() : this(B())\n}\n",
    b"val x = y.map(List<*>::size)\n",
)
CHANGED = (
    b"c",
    b"List",
    b"if",
    b"else",
    b"open",
    b"annotation",
    b"by",
    b"b",
    b"inner",
    b"context",
    b"session",
    b"Session",
)


def _broken(node: Node) -> Iterator[Node]:
    """Errors, and what is missing; a body on one line lacks a semicolon to the grammar."""
    if node.is_error or (node.is_missing and node.type != "_automatic_semicolon"):
        yield node
    for part in node.children:
        yield from _broken(part)


@pytest.mark.parametrize("text", [*SAMPLES, NEWER])
def test_what_is_written_otherwise_is_sound_and_its_names_stay(text: bytes) -> None:
    tree = parse(parser("kotlin"), text)
    mended = readable_tree(text, tree).root_node
    assert not any(_broken(mended))
    other = readable(text)
    assert len(other) == len(text)
    code = re.sub(rb"//[^\n]*|/\*.*?\*/", lambda one: b" " * len(one[0]), text)
    for found in re.finditer(rb"\w+", code):
        now = other[found.start() : found.end()]
        assert re.fullmatch(rb"\w+|\s+", now)
        assert now == found[0] or found[0] in CHANGED or not found[0].isalpha()


def test_a_constructor_that_is_read_as_a_call_is_one() -> None:
    text = b"class A\n  private constructor() : B()\n"
    tree = parse(parser("kotlin"), text)
    assert b"primary_constructor" in str(readable_tree(text, tree).root_node).encode()


@pytest.mark.parametrize("text", [b"class A {\n  fun a() = 1 }\n", b"fun f( {\n", b"val x = 1 // a\nval y = )\n"])
def test_other_texts_are_read_as_they_are(text: bytes) -> None:
    tree = parse(parser("kotlin"), text)
    assert readable_tree(text, tree) is tree
