"""Broken links: what leads nowhere is listed, what may lead out of the graph is not."""

from __future__ import annotations

import pytest

from graphls.analysis.document_references import DocumentReferences, document_links, document_references
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

HELP = "# Help\n\n## Getting it\n\n## The [tool][t]\n\nterm\n: what it means\n\n<a id='own'></a>\n"


def _found(files: dict[str, str]) -> DocumentReferences:
    snapshot = snapshot_of(files)
    return document_references(snapshot, snapshot.shards)


def broken(text: str, name: str = "docs/index.md") -> list[tuple[str, str]]:
    files = {
        name: text, "docs/help.md": HELP, "app.py": "def run(): ...\nclass Till:\n    def open(self): ...\n",
        "src/own.py": "from app import Till\nclass Own(Till): ...\n", "src/all.py": "from app import *\n",
        "src/half.py": "def half(:\n",
    }  # fmt: skip
    return [(one.cause, one.missing) for one in _found(files).broken]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](help.md) [b](help.md#getting-it) [c](../app.py)", []),
        ("[a](gone.md)", [("file", "docs/gone.md")]),
        ("[a](../gone.py#L3)", [("file", "gone.py")]),
        ("[a](help.md#nothing)", [("heading", "nothing")]),
        ("# Own\n\n[a](#own) [b](#other)", [("heading", "other")]),
        ("[a](help.md#own) [b](help.md#the-tool) [c](help.md#term)", []),
        ("# A {#own}\n\n## B {: #b-c .rule }\n\n[a](#own) [b](#b-c) [c](#b) [d](#gone)", [("heading", "gone")]),
        ("[a](picture.png) [b](https://example.org/gone.md) [c](page/) [d]({{ base }}/gone.md)", []),
        ("[a](../app.py#run) [b](../app.py#Till.open) [c](../app.py#L2) [d](../app.py#L2-L3)", []),
        ("[a](../app.py#gone) [b](../app.py#Till.shut)", [("symbol", "gone"), ("symbol", "Till.shut")]),
        ("`src/own.py#Own` `src/own.py#gone()` and `src/gone.py#Own`", [("symbol", "gone")]),
        ("`src/own.py#Own.open` `src/all.py#run` `src/half.py#whole` `src/own.py#a-heading`", []),
        ("`gone.md` and\n\n```\n[a](gone.md)\n```\n", []),
    ],
)
def test_links_of_markdown(text: str, expected: list[tuple[str, str]]) -> None:
    assert broken(text) == expected


def test_documents_of_restructured_text() -> None:
    assert broken(":doc:`help` :doc:`gone` :doc:`other:page`\n", "docs/index.rst") == [("file", "docs/gone.rst")]


def test_a_heading_is_called_as_its_attributes_say_and_named_without_them() -> None:
    text = "# All {: .wide }\n\n## List checks {: #list-all .rule }\n\n[a](#list-all) [b](#list-checks) [c](#all)\n"
    links = document_links(snapshot_of({"a.md": text}), FilePath("a.md"))
    named = [(text[start:end], getattr(to, "name", to)) for start, end, to in links]
    assert named == [("#list-all", "List checks"), ("#list-checks", "List checks"), ("#all", "All")]


def test_links_have_their_targets_in_order_and_deleting_one_is_not_silent() -> None:
    text = "[a](help.md#getting-it) and [b](../app.py)\n"
    files = {"docs/index.md": text, "docs/help.md": HELP, "app.py": "def run(): ...\n"}
    found = [text[start:end] for start, end, _ in document_links(snapshot_of(files), FilePath("docs/index.md"))]
    assert found == ["help.md#getting-it", "../app.py"]
    del files["app.py"]
    assert [one.missing for one in _found(files).broken] == ["app.py"]
