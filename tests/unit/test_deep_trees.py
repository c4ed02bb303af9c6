"""Deep trees: edits of texts whose nodes are nested tens of thousands deep end in facts, not in the end of the process.

Owns: nested texts of several languages, an edit that breaks them and one that mends them.
Must not know: what is said of such texts.
Invariant: what an edit leaves is what a reading from scratch says.
"""

from __future__ import annotations

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.incremental.text_difference import MOST_SPELLED, shape
from graphls.languages.registry import provider_for
from graphls.session.documents.document import ByteEdit
from graphls.session.documents.open_files import OpenFile

DEPTH = 15_000
TEXTS = {
    "shape.tsx": "function f() {}\nconst a = " + "<a>" * 2 * DEPTH + "</a>" * 2 * DEPTH + ";\n",
    "sum.ts": "const a = " + "1 + " * DEPTH + "1;\n",
    "sum.py": "a = " + "1 + " * DEPTH + "1\n",
    "list.py": "a = " + "[" * DEPTH + "]" * DEPTH + "\n",
    "sum.go": "package p\n\nvar a = " + "1 + " * DEPTH + "1\n",
    "sum.c": "int a = " + "1 + " * DEPTH + "1;\n",
}


@pytest.mark.parametrize(("name", "share"), [(name, 0 if "p" in name else 3) for name in TEXTS])
def test_edits_of_nested_texts_leave_what_a_fresh_reading_says(name: str, share: int) -> None:
    data, path = TEXTS[name].encode(), FilePath(name)
    opened = OpenFile(path, data, provider_for(path))
    assert opened.parse() is not None
    at = len(data) // share if share else 2
    row, column = data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1
    place, behind = (row, column), (row, column + 1)
    for text, edit in (
        (data[:at] + b"q" + data[at:], ByteEdit(at, at, at + 1, place, place, behind)),
        (data, ByteEdit(at, at + 1, at, place, behind, place)),
    ):
        opened.change(text, [edit])
        made, fresh = opened.parse(), opened.reparse()
        assert made is not None
        assert fresh is not None
        assert encode(made.facts) == encode(fresh.facts)


def test_nodes_of_many_parts_have_a_shape_of_their_own() -> None:
    path = FilePath("sum.py")
    provider = provider_for(path)
    assert provider is not None
    texts = ("a = " + "1 + " * MOST_SPELLED + "1\n", "a = " + "1 + " * MOST_SPELLED + "b\n")
    trees = [provider.parser(path).parse(text.encode()) for text in (*texts, texts[0])]
    first, other, again = (shape(tree.root_node) for tree in trees)
    assert first == again
    assert first != other
