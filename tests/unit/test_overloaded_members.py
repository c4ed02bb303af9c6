"""Overloaded methods: which of several of one name stands in for which, for every question.

Owns: implementations and callers of methods that share their name with others of their class.
Must not know: how links say what overrides what (the fixtures of languages do).
Invariant: a method never stands in for one with other parameters.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.implementation import implementation
from graphls.session.memory import snapshot_of

FILES = {
    "Shape.java": (
        b"interface Shape { void draw(int a); void draw(String a); }\n"
        b"class Circle implements Shape {\n"
        b"    public void draw(int a) { }\n"
        b"    public void draw(String a) { }\n"
        b"    public void draw(int a, int b) { }\n"
        b"}\n"
        b"class Disc extends Circle { public void draw(String a) { } }\n"
    ),
    "Shape.cs": (
        b"interface IShape { void Draw(int a); void Draw(string a); }\n"
        b"class Circle : IShape {\n"
        b"    public virtual void Draw(int a) { }\n"
        b"    public virtual void Draw(string a) { }\n"
        b"}\n"
        b"class Disc : Circle { public override void Draw(string a) { } }\n"
    ),
    "Shape.kt": (
        b"interface Shape { fun draw(a: Int); fun draw(a: String) }\n"
        b"open class Circle : Shape {\n"
        b"    override fun draw(a: Int) { }\n"
        b"    override fun draw(a: String) { }\n"
        b"}\n"
        b"class Disc : Circle() { override fun draw(a: String) { } }\n"
    ),
    "Sources/Shape/Shape.swift": (
        b"protocol Shape { func draw(to a: Int); func draw(with a: String) }\n"
        b"class Circle: Shape {\n"
        b"    func draw(to a: Int) { }\n"
        b"    func draw(with a: String) { }\n"
        b"}\n"
        b"class Disc: Circle { override func draw(with a: String) { } }\n"
    ),
}


@pytest.mark.parametrize("file", FILES)
def test_implementations_are_those_with_the_same_parameters(file: str) -> None:
    text, path = FILES[file], FilePath(file)
    snapshot = snapshot_of({file: text})
    word = b"Draw(" if b"Draw(" in text else b"draw("
    last = 6 if file.endswith("java") else 5
    for lines, at in (([2], text.index(word)), ([3, last], text.index(word, text.index(word) + 1))):
        found = implementation(snapshot, path, at)
        assert found is not None
        facts = snapshot.facts(path)
        assert sorted(facts.line_column(one.start)[0] for one in found.places) == lines
