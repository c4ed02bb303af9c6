"""Grammars: where the grammar of a language is found.

Owns: grammars of the grammar package, those with wheels of their own, those that are nowhere.
Must not know: what nodes mean.
Invariant: a grammar that is not there raises GrammarMissing and nothing else.
"""

from __future__ import annotations

import pytest

from graphls.languages.extract.grammars import STAND_ALONE, GrammarMissing, kind, language, parser


@pytest.mark.parametrize("name", ["python", "go", *STAND_ALONE])
def test_grammars_load(name: str) -> None:
    assert language(name).node_kind_count > 10
    assert not parser(name).parse(b"").root_node.has_error


def test_a_grammar_that_is_nowhere_is_named() -> None:
    with pytest.raises(GrammarMissing, match="no grammar for nowhere"):
        language("nowhere")
    with pytest.raises(GrammarMissing, match="has no node"):
        kind("go", "no_such_node")
