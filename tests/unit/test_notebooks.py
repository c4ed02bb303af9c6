"""Notebooks: the code of their cells, and where it stands in the file.

Owns: spans inside of JSON, what is no Python, broken notebooks, uses in notebooks on the faces, edits.
Must not know: how cells are found.
Invariant: what a notebook uses is used at the very bytes that spell it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest

from graphls.analysis.actions import actions
from graphls.analysis.findings import findings
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers
from graphls.queries.file_moves import file_moves
from graphls.queries.references import references
from graphls.queries.rename import rename
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

Cell = tuple[str, str | Sequence[str]]
NOTEBOOK = FilePath("n.ipynb")
PYTHON = {"shop/__init__.py": "", "shop/sell.py": "def price(n): ...\ndef _only_here(): ...\ndef _lost(): ...\n"}


def notebook(*cells: Cell, language: str = "python", style: Mapping[str, object] = MappingProxyType({})) -> str:
    made = [
        {"cell_type": kind, "metadata": dict[str, str](), "outputs": list[str](), "source": source}
        for kind, source in cells
    ]
    about = {"kernelspec": {"display_name": "K", "language": language, "name": "k"}}
    whole: dict[str, object] = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, **style)  # pyright: ignore[reportArgumentType]


def facts_of(text: str) -> FileFacts:
    provider, data = providers()["python"], text.encode()
    return provider.extract(NOTEBOOK, data, provider.parser(NOTEBOOK).parse(data))


def used(text: str) -> list[str]:
    """Names that a notebook uses, each as its span spells it."""
    facts, data = facts_of(text), text.encode()
    table = facts.occurrences
    for start, end, name in zip(table.start, table.end, table.name, strict=True):
        assert json.loads(b'"%b"' % data[start:end]) == facts.strings[name]
    defined = facts.definitions
    for start, end, name in zip(defined.start, defined.end, defined.name, strict=True):
        assert json.loads(b'"%b"' % data[start:end]) == facts.strings[name]
    return [facts.strings[name] for name in table.name]


def problems(text: str) -> list[tuple[ProblemKind, str]]:
    facts = facts_of(text)
    table = facts.problems
    return [(ProblemKind(kind), facts.strings[text]) for kind, text in zip(table.kind, table.text, strict=True)]


@pytest.mark.parametrize("style", [{}, {"indent": 1}, {"ensure_ascii": False}, {"indent": "\t", "sort_keys": True}])
@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('a = f("x")\n', ["f"]),
        (["for one in many:\n", "\tone.go()\n", "\n", "last"], ["many", "one", "go", "last"]),
        ("größe = maß(1)\r\nprint(größe)", ["maß", "print", "größe"]),
        ("s = '😀'; after", ["after"]),
        ('f"{name!r:>{width}} \\n"', ["name", "width"]),
        ('def f():\n    """Some \\"text\\"."""\n    return other', ["other"]),
        ("x = '\\\\'; y(x)", ["y", "x"]),
    ],
)
def test_spans_are_those_of_the_file(source: str | list[str], names: list[str], style: dict[str, object]) -> None:
    text = notebook(("markdown", "f(1)"), ("code", source), style=style)
    assert used(text) == names
    assert problems(text) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("%matplotlib inline\na", ["a"]),
        ("!pip install b\na", ["a"]),
        ("files = !ls b\nfiles", ["files"]),
        ("x = %env b\nx", ["x"]),
        ("if a:\n    !ls\n    b", ["a", "b"]),
        ("if a:\n    %run c.py\n", ["a"]),
        ("a?\nb??\n?c\nd", ["d"]),
        ("%timeit -n 10 -r 3 f(a)", ["f", "a"]),
        ("%%timeit f(b)\ng(c)", ["f", "b", "g", "c"]),
        ("%time x = f(a)\nx", ["f", "a", "x"]),
        ("%%time\nf(a)", ["f", "a"]),
        ("%%capture out\nf(a)", ["f", "a"]),
        ("x = (a\n     % b)", ["a", "b"]),
        ("s = '''\n%d\n!x\n''' % a", ["a"]),
        ("pip install b\na", ["a"]),
        ("ls -l b\na", ["a"]),
        ("!echo a \\\n  b\nc", ["c"]),
        ("x = a \\\n  % b", ["a", "b"]),
        ("# it's\n%b\na", ["a"]),
        ("x = 'it' + \"%\"\n%b\na", ["a"]),
        ("a != b", ["a", "b"]),
        ("await a", ["a"]),
    ],
)
def test_what_ipython_alone_understands_is_left_out(source: str, names: list[str]) -> None:
    text = notebook(("code", source), style={"indent": 1})
    assert used(text) == names
    if names:
        assert problems(text) == []


def test_cells_are_one_module_in_order() -> None:
    text = notebook(("code", "import shop"), ("code", []), ("code", "def f(): return shop"), ("code", "f()"))
    facts = facts_of(text)
    assert [facts.strings[name] for name in facts.definitions.name] == ["shop", "f"]
    assert used(text) == ["shop", "shop", "f"]


def test_cells_in_other_languages_are_left_out_and_said() -> None:
    assert used(notebook(("code", "%%bash\nf(a)"), ("code", "b"))) == ["b"]
    assert problems(notebook(("code", "%%bash\nf(a)"))) == [(ProblemKind.PARTIAL, "Not read: a cell of %%bash.")]
    other = notebook(("code", "f(a)"), language="R")
    assert used(other) == []
    assert problems(other) == [(ProblemKind.PARTIAL, "Not read: a cell in R.")]


def test_notebooks_of_the_third_format_are_read() -> None:
    cells = [{"cell_type": "code", "language": "python", "input": ["f(a)\n", "b"]}, {"cell_type": "heading"}]
    text = json.dumps({"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": cells}]})
    assert used(text) == ["f", "a", "b"]


@pytest.mark.parametrize(
    "text", ["", "{", '{"cells": [', "[]", "null", "1", '{"cells": 1}', '"' * 9, "[" * 100_000, "\\"]
)
def test_anything_may_stand_in_the_file(text: str) -> None:
    assert used(text) == []
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        assert [kind for kind, _ in problems(text)] == [ProblemKind.SYNTAX]


def test_every_beginning_of_a_notebook_is_read() -> None:
    text = notebook(("code", "a = f('é')\n!ls\n"), ("code", "%%bash\nx"), style={"indent": 1})
    for length in range(len(text)):
        assert len(problems(text[:length])) == 1
    assert used(text) == ["f"]


def test_a_broken_notebook_is_a_node_and_says_so() -> None:
    snapshot = snapshot_of({**PYTHON, "n.ipynb": '{"cells": [}'})
    assert snapshot.shards[NOTEBOOK].language == "python"
    assert ProblemKind.SYNTAX in snapshot.facts(NOTEBOOK).problems.kind


SHOP = {
    **PYTHON,
    "n.ipynb": notebook(
        ("code", ["from shop.sell import price, _only_here\n", "price(1)"]),
        ("code", "_only_here()"),
        style={"indent": 1},
    ),
}


def spelled(snapshot: Snapshot, name: str) -> list[tuple[str, bytes]]:
    found = references(snapshot, one_symbol(snapshot, name))
    assert found.completeness.gaps == ()
    return [(one.file, (snapshot.text(one.file) or b"")[one.start : one.end]) for one in found.uses]


def test_uses_in_notebooks_are_references() -> None:
    assert spelled(snapshot_of(SHOP), "shop.sell:price") == [(NOTEBOOK, b"price"), (NOTEBOOK, b"price")]


def test_what_only_a_notebook_uses_is_not_unused() -> None:
    said = [one.title for one in findings(snapshot_of(SHOP), Settings()).findings if one.title.endswith("nothing uses")]
    assert [title.partition(":")[0] for title in said] == ["_lost"]


def test_a_rename_leaves_json() -> None:
    snapshot = snapshot_of(SHOP)
    place = one_symbol(snapshot, "shop.sell:price")
    text = snapshot.text(NOTEBOOK) or b""
    edits = [edit for edit in rename(snapshot, place, "cost").edits if edit.file == NOTEBOOK]
    for edit in sorted(edits, key=lambda one: -one.start):
        text = text[: edit.start] + edit.text.encode() + text[edit.end :]
    assert used(text.decode()).count("cost") == 2


def test_no_line_is_added_to_a_notebook_or_taken_from_it() -> None:
    text = notebook(("code", "def _gone(): ...\ndef _gone_too(): ...\n"))
    snapshot = snapshot_of({"n.ipynb": text, "m.py": "def _gone(): ...\n"})
    answer = findings(snapshot, Settings())
    kinds = {
        finding.at.file: {one.kind for one in actions(snapshot, finding, baseline=answer.baseline, baseline_path="b")}
        for finding in answer.findings
        if finding.title.endswith("nothing uses")
    }
    assert "suppress" in kinds[FilePath("m.py")]
    assert kinds.get(NOTEBOOK, set()) <= {"show", "baseline"}


def test_imports_in_notebooks_are_left_by_moves_and_said() -> None:
    found = file_moves(snapshot_of(SHOP), {FilePath("shop/sell.py"): FilePath("shop/sold.py")})
    assert [edit for edit in found.edits if edit.file == NOTEBOOK] == []
    assert {one.file for one in found.left} == {NOTEBOOK}


@pytest.mark.parametrize(
    ("broken", "mark"),
    [("price(", "("), ("c = [price,", "["), ("x = {'a': ", "{"), ("def half(", "("), ("x = '''abc", "'''")],
)
def test_what_a_cell_leaves_open_ends_with_it(broken: str, mark: str) -> None:
    sound = ("code", "def total(a):\n    return price(a)\n"), ("code", "class A:\n    '''Of.'''\n    b = total(1)\n")
    facts = facts_of(notebook(("code", broken), *sound))
    defined = facts.definitions
    names = [facts.strings[name] for name in defined.name]
    assert names[-4:] == ["total", "a", "A", "b"]
    texts = [facts.strings[text] for text in facts.problems.text]
    assert f"`{mark}` is not closed in this cell." in texts
    text = notebook(("code", broken), *sound)
    at = next(row for row, one in enumerate(texts) if "not closed" in one)
    assert text.encode()[facts.problems.start[at] : facts.problems.end[at]].decode() == mark
    assert used(text)[-2:] == ["a", "total"]
