"""Words for people: hovers as Markdown, syntax problems in the smallest range, what is said of a symbol that is gone.

Owns: half-typed code of a real shape.
Must not know: positions of an editor, requests.
Invariant: an editor that shows escapes as they are shows a name as it is written.
"""

from __future__ import annotations

import pytest

from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.graph.errors import UnknownSymbol
from graphls.lsp.hover_text import escaped, markdown
from graphls.queries.hover import hover
from graphls.queries.problems import MOST_SYNTAX, problems
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

METHOD = """    def m{0}(self):
        '''Says `{0}`: it isn't (yet) what a caller of m{0} wants.'''
        return {{"a": [1, {0}]}}

"""
CLASS = "class A:\n" + "".join(METHOD.format(number) for number in range(80)).replace("'''", '"' * 3)
SCRIPT = "".join(f"export function f{n}(a: string) {{\n  return {{ a: `${{a}}`, b: [{n}] }}\n}}\n" for n in range(80))
HALF_LINES = ["        if x", '        y = """', "        foo(", "        return {", "    @", "    def g("]
CALLS = (
    "def one_thing():\n    pass\n\n\none_thing()\n\n\n"
    "def f(x):\n    x.go_on()\n\n\nclass B:\n    def go_on(self): ...\n"
)


@pytest.mark.parametrize("slip", HALF_LINES)
@pytest.mark.parametrize("at", [3, 130, 251])
def test_half_a_line_of_python_is_no_red_file(slip: str, at: int) -> None:
    _few_and_small("a.py", CLASS, slip, at)


@pytest.mark.parametrize("slip", ["  if (x", "  const t = `", "  foo(", "  return {", "class A {", "  x."])
@pytest.mark.parametrize("at", [4, 120, 217])
def test_half_a_line_of_typescript_is_no_red_file(slip: str, at: int) -> None:
    _few_and_small("a.ts", SCRIPT, slip, at)


def _few_and_small(name: str, text: str, slip: str, at: int) -> None:
    lines = text.split("\n")
    broken = "\n".join((*lines[:at], slip, *lines[at:])).encode()
    found = problems(snapshot_of({name: broken.decode()}), FilePath(name))
    assert len(found) <= MOST_SYNTAX
    assert not any(b"\n" in broken[one.start : one.end] for one in found)
    assert all(one.kind == ProblemKind.SYNTAX for one in found)
    # A grammar may take half a line and what follows for code, up to where that fits no more.
    first = min((broken[: one.start].count(b"\n") for one in found), default=at)
    assert at - 3 <= first


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("app:Flask.make_response (src/my_app.py:12)", "`app:Flask.make_response` (src/my_app.py:12)"),
        ("__init__ is run", "`__init__` is run"),
        ("a (b) - c! {d} x+y", "a (b) - c! {d} x+y"),
        ("*bold* [x](y) <b>", "\\*bold\\* \\[x\\](y) \\<b>"),
        ("# head\n- item\n1. one", "\\# head\n\\- item\n1\\. one"),
        ("_it_, (_it_)", "`_it_`, (\\_it\\_)"),
    ],
)
def test_only_what_has_a_meaning_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_hover_says_how_sure_it_is_in_words_and_only_where_it_is_not() -> None:
    text = CALLS
    snapshot = snapshot_of({"a.py": text})
    found = hover(snapshot, FilePath("a.py"), text.index("one_thing()\n\n"))
    assert found is not None
    shown = markdown(found)
    assert "Resolved by" not in shown
    assert "\\_" not in shown
    assert "`a:one_thing` (a.py:1)" in shown
    member = hover(snapshot, FilePath("a.py"), text.index("go_on(self"))
    assert member is not None
    assert "No caller found; 1 use of that name could not be resolved" in markdown(member)


def test_a_symbol_that_is_gone_is_not_called_by_its_id() -> None:
    with pytest.raises(UnknownSymbol, match="renamed, moved or removed"):
        one_symbol(snapshot_of({"a.py": "x = 1\n"}), "n:abcdefghijklmnopqrstuvwxyz")
