"""Ancestry: what stands around and beside a node, found from above, is what the tree says.

Owns: texts in which one broken node has thousands of children.
Must not know: languages' readers, time.
Invariant: every node of a text has the same parent and the same named neighbours either way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tree_sitter import Node

from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.grammars import parse, parser

TEXTS: Mapping[str, tuple[str, str]] = {
    "C++": ("cpp", "template < class { struct (\n" * 300 + "class A x;\n"),
    "Go": ("go", "package p\n" + "[ { { { type T struct{}\n" * 300),
    "PHP": ("php", "<?php\n" + "namespace A; [ { { {\n" * 300),
    "Rust": ("rust", "= [ { m!(x);\n" * 400),
    "TypeScript": ("typescript", "class A { @d m() {} } template < class { struct (\n" * 150),
    "whole": ("typescript", "class A { @d m() {} }\nf<T>(x)\n" * 30),
}


def _nodes(root: Node) -> Sequence[Node]:
    found, pending = list[Node](), [root]
    while pending:
        node = pending.pop()
        found.append(node)
        pending.extend(node.children)
    return found


def _tree(text: str) -> Sequence[Node]:
    grammar, source = TEXTS[text]
    return _nodes(parse(parser(grammar), source.encode()).root_node)


@pytest.mark.parametrize("text", [text for text in TEXTS if text != "whole"])
def test_the_texts_have_nodes_with_thousands_of_children(text: str) -> None:
    assert max(node.child_count for node in _tree(text) if node.is_error) > 1_000


@pytest.mark.parametrize("text", TEXTS)
def test_neighbours_are_those_of_the_tree(text: str) -> None:
    nodes = [node for node in _tree(text) if node.end_byte > node.start_byte]
    ancestry = Ancestry(nodes[0])
    for node in nodes[:: max(len(nodes) // 1_500, 1)]:
        assert ancestry.parent(node) == node.parent
        assert ancestry.before(node) == node.prev_named_sibling
        assert ancestry.behind(node) == node.next_named_sibling


def test_without_a_root_the_tree_is_asked() -> None:
    nodes = _tree("Go")
    assert [Ancestry().parent(node) for node in nodes[:9]] == [node.parent for node in nodes[:9]]
