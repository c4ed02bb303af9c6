"""Yielding: long reading and linking let other threads have the interpreter, and say the same for it.

Owns: texts longer than a portion, the number of turns.
Must not know: how compiled code is made.
Invariant: a tree that was made in portions is the tree of the text, wherever a portion ends.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tree_sitter import Node

from graphls.languages.extract import facts_builder, grammars, surfaces
from graphls.languages.resolve import cycle_guard
from graphls.session.memory import snapshot_of

TEXT = "".join(
    f"export function f{number}(é: string) {{ return é + '中{number}'.trim() }}\n" for number in range(3_000)
)


def _shape(root: Node) -> list[tuple[int, int, int]]:
    cursor, found = root.walk(), list[tuple[int, int, int]]()
    while True:
        node = cursor.node
        assert node is not None
        found.append((node.kind_id, node.start_byte, node.end_byte))
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found


@pytest.mark.parametrize("shift", range(4))
def test_a_tree_made_in_portions_is_the_tree_of_the_text(shift: int) -> None:
    data = b"/" * 2 + b"x" * shift + b"\n" + TEXT.encode()
    whole = grammars.parser("typescript").parse(data)
    parts = grammars.parse(grammars.parser("typescript"), data)
    assert _shape(parts.root_node) == _shape(whole.root_node)
    last = parts.root_node.named_children[-1]
    assert last.text == data[last.start_byte : last.end_byte]
    edited = parts.copy()
    edited.edit(2, 2, 3, (0, 2), (0, 2), (0, 3))
    again = data[:2] + b"y" + data[2:]
    assert _shape(grammars.parse(grammars.parser("typescript"), again, edited).root_node) == _shape(
        grammars.parser("typescript").parse(again).root_node
    )


@pytest.mark.parametrize("module", [facts_builder, surfaces, cycle_guard])
def test_long_work_lets_others_have_their_turn(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 0

    def counted() -> None:
        nonlocal turns
        turns += 1

    monkeypatch.setattr(module, "yield_now", counted)
    snapshot = snapshot_of({"a.ts": TEXT})
    for path in snapshot.files():
        snapshot.links(path)
    assert turns > 10


def test_what_yields_is_not_compiled() -> None:
    tree = ast.parse((Path(__file__).parents[2] / "hatch_build.py").read_text("utf-8"))
    plain = next(node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PLAIN")
    words = {node.value for node in ast.walk(plain) if isinstance(node, ast.Constant)}
    assert words >= {"grammars", "yielding"}
