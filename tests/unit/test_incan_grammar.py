"""The grammar of Incan: what its own parser accepts has no error, and the tree says where blocks and lines end.

Owns: small texts with the trees that they have.
Must not know: facts, resolution.
Invariant: trees are compared by kinds of named nodes, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tree_sitter import Node

from graphls.languages import registry
from graphls.languages.extract.grammars import parse, parser

WHOLE: Mapping[str, tuple[str, str]] = {
    "a value that is a block has no end of line of its own": (
        "def f() -> int:\n    x = match y:\n        1 => 2\n        _ =>\n            3\n    return x\n",
        (
            "block(assignment(identifier match_expression(identifier match_arm(number expression_statement(number)) "
            "match_arm(identifier block(expression_statement(number))))) return_statement(identifier))"
        ),
    ),
    "the other branch of a value belongs to it": (
        "def f() -> int:\n    x = if a:\n        1\n    else:\n        2\n    return x\n",
        (
            "block(assignment(identifier if_expression(identifier block(expression_statement(number)) "
            "else_clause(block(expression_statement(number))))) return_statement(identifier))"
        ),
    ),
    "a chain over lines is one value": (
        "def f() -> int:\n    x = a\n        .b()\n\n        # why\n        .c(1)\n    return x\n",
        (
            "block(assignment(identifier call(field_expression(call(field_expression(identifier identifier) arguments) "
            "comment identifier) arguments(number))) return_statement(identifier))"
        ),
    ),
    "comments and empty lines say nothing of indentation": (
        "def f() -> int:\n  # a\n\n    return 1  # b\n # c\n\n",
        ("block(comment return_statement(number))"),
    ),
    "words that are keywords elsewhere are names": (
        "def f() -> int:\n    property = alias.type + partial\n    feature.module()\n",
        (
            "block(assignment(identifier binary_expression(field_expression(identifier identifier) identifier)) "
            "expression_statement(call(field_expression(identifier identifier) arguments)))"
        ),
    ),
    "a block of a vocabulary": (
        'def f() -> int:\n    route "/a":\n        pass\n    return query {\n      FROM a\n      SELECT b as c\n  }\n',
        (
            "block(vocabulary_block(vocabulary_word string block(pass_statement)) "
            "return_statement(vocabulary_expression(vocabulary_word vocabulary_item(identifier) "
            "vocabulary_item(identifier) vocabulary_item(identifier) vocabulary_item(identifier identifier))))"
        ),
    ),
}


def _spelled(node: Node) -> str:
    inside = " ".join(map(_spelled, node.named_children))
    return f"{node.type}({inside})" if inside else node.type


@pytest.mark.parametrize("case", WHOLE)
def test_tree(case: str) -> None:
    text, wanted = WHOLE[case]
    root = parse(parser("incan"), text.encode()).root_node
    assert not root.has_error
    body = root.named_children[0].child_by_field_name("body")
    assert body is not None
    assert _spelled(body) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "from ..a.b import c, d as e\n",
        'import rust::std::io @ "1.0" with ["full"] as io\n',
        "pub newtype A[T] = B[T] with (C, D):\n    interop:\n        from E via f\n    g = alias h\n",
        'enum A(str):\n    B = "b"\n    C = alias B\n\n    def d(self) -> int:\n        return 1\n',
        "const A: (int, str) -> Option[&mut B] = (c) => None\n",
        'when feature("a") and feature("b"):\n    def c() -> None:\n        pass\n',
        'def a() -> b:\n    return f"{c[\\"d\\"]:>4} {{}} {e.f()}"\n'.replace('\\"', "'"),
        "@a.b[C](d: E, f=1)\nasync def g[T with H](mut self, *i: j, **k: l) for M -> N: ...\n",
    ],
)
def test_no_error(text: str) -> None:
    assert not parse(parser("incan"), text.encode()).root_node.has_error


def test_deep_and_broken_texts_end() -> None:
    reader = parser("incan")
    deep = "".join("  " * at + "if a:\n" for at in range(400))
    for text in (
        deep,
        "(" * 20_000,
        "match a:\n" * 500,
        '"""' + "a" * 1000,
        "a." * 5000,
        "query {" * 2000,
        "\t \r\n" * 500,
    ):
        assert parse(reader, text.encode()).root_node.end_byte <= len(text.encode())


def test_a_grammar_that_was_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.find_spec
    monkeypatch.setattr(registry, "find_spec", lambda name: None if name.endswith("incan_grammar") else real(name))
    found, missing = registry._split.__wrapped__()
    assert missing == ["incan"]
    assert "incan" not in found
    assert len(found) > 10
