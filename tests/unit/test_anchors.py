"""Anchors: ids of nodes that share module, name and kind, when something is put among them.

Owns: test files with many components of one name, values that differ by what is around them.
Must not know: how anchors are made.
Invariant: what is added, moved or taken away changes the ids of nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.identity import derived_id, node_id
from graphls.graph.nodes import is_node, qualified_name
from graphls.graph.snapshot import SymbolRef
from graphls.session.memory import snapshot_of

CASE = """  it('{title}', async () => {{
    type Props = {{ {field}: string }}
    const App = () => {field}({{ {field}: 1 }})
    function helper() {{ return {field}() }}
    class Page {{ render() {{ return App() }} }}
  }})
"""
FIELDS = ("alpha", "beta", "gamma", "delta")


def _cases(*titles: str) -> str:
    cases = (CASE.format(title=title, field=FIELDS[number % 4]) for number, title in enumerate(titles))
    return f"describe('app', () => {{\n{''.join(cases)}}})\n"


def _ids(text: str, path: str = "app.test.ts") -> Mapping[str, str]:
    """Id -> name and text of each node."""
    file = FilePath(path)
    snapshot = snapshot_of({path: text.encode()})
    facts = snapshot.facts(file)
    table = facts.definitions
    return {
        node_id(snapshot, SymbolRef(file, row)): f"{qualified_name(facts, row)} "
        + text[table.full_start[row] : table.full_end[row]]
        for row in range(len(table))
        if is_node(facts, row)
    }


def _kept(before: str, after: str, path: str = "app.test.ts") -> None:
    """All nodes of the one are in the other under the same ids."""
    old, new = _ids(before, path), _ids(after, path)
    assert len(old) == len(set(old))
    assert old.items() <= new.items()


@pytest.mark.parametrize("at", range(4))
def test_a_case_that_is_added_shifts_no_other(at: int) -> None:
    cases = [CASE.format(title=f"case {number}", field=FIELDS[number]) for number in range(3)]
    more = [*cases[:at], CASE.format(title="new", field="delta"), *cases[at:]]
    _kept("".join(cases), "".join(more))


@pytest.mark.parametrize("at", range(4))
def test_cases_without_titles_are_told_apart_by_what_they_say(at: int) -> None:
    cases = [f"run(() => {{\n  function App() {{ return {field}() }}\n}})\n" for field in FIELDS[:3]]
    more = [*cases[:at], "run(() => {\n  function App() { return delta() }\n})\n", *cases[at:]]
    _kept("".join(cases), "".join(more))


def test_a_line_before_changes_nothing() -> None:
    text = _cases("one", "two", "three")
    assert set(_ids(text)) == set(_ids(f"// a comment\n\n{text}"))


def test_what_is_the_same_in_every_respect_is_counted() -> None:
    case = "run(() => {\n  function App() { return 1 }\n})\n"
    assert len(_ids(case * 5)) == 5
    _kept(case * 5, case * 6)


def test_a_name_that_is_unique_has_the_id_of_its_name() -> None:
    alone = set(_ids("it('one', () => {\n  function App() {}\n})\n"))
    assert alone == set(_ids("describe('other', () => {\n  function App() { return 1 }\n})\n"))
    assert alone == set(_ids("function App() {}\n"))


def test_the_first_of_several_in_a_module_keeps_the_id_of_its_name() -> None:
    first, second = "if a:\n    def f(): return 1\n", "else:\n    def f(): return 2\n"
    _kept(first, first + second, "app.py")


def test_members_follow_what_they_belong_to() -> None:
    text = _cases("one", "two", "three", "four")
    names = Counter(name.partition(" ")[0] for name in _ids(text).values())
    assert names["Page.render"] == names["App"] == names["helper"] == 4
    _kept(
        text,
        text.replace("describe('app', () => {\n", "describe('app', () => {\n" + CASE.format(title="new", field="x")),
    )


def test_an_edit_of_a_buffer_gives_the_ids_of_a_fresh_start() -> None:
    from graphls.graph.addresses import _recompute_addresses  # pyright: ignore[reportPrivateUsage]

    path = FilePath("app.test.ts")
    before, after = (snapshot_of({path: _cases("one", title).encode()}) for title in ("two", "ten"))
    shard = before.shards[path]
    home = addresses(before, path).home
    _recompute_addresses(shard, before.facts(path), home)
    made = _recompute_addresses(shard, after.facts(path), home)
    assert made.digests == addresses(after, path).digests != addresses(before, path).digests


def _local_ids(text: str, path: str) -> Mapping[str, str]:
    """Id -> name and surroundings of each variable and parameter."""
    file = FilePath(path)
    snapshot = snapshot_of({path: text.encode()})
    facts = snapshot.facts(file)
    table = facts.definitions
    lines = text.split("\n")
    return {
        node_id(snapshot, SymbolRef(file, row)): f"{qualified_name(facts, row)} {lines[facts.line_column(start)[0]]}"
        for row, start in enumerate(table.start)
        if is_node(facts, row, locals=True) and not is_node(facts, row)
    }


VARIABLES = {
    "app.py": "    s{0} = [one for one in {0}(lambda arg: arg.{0})]",
    "app.ts": "  run('{0}', (arg) => {{ const own = {0}(arg) }})",
}
AROUND = {"app.py": ("def f(x):\n", ""), "app.ts": ("function f(x) {\n", "}\n")}


@pytest.mark.parametrize("path", VARIABLES)
@pytest.mark.parametrize("at", range(1, 4))
def test_a_variable_that_is_added_shifts_no_other(path: str, at: int) -> None:
    """Parameters of callbacks and names in comprehensions were numbered in the order of the file."""
    (head, tail), pieces = AROUND[path], [f"{VARIABLES[path].format(field)}\n" for field in FIELDS]
    old, new = (_local_ids(head + "".join(some) + tail, path) for some in ([*pieces[:at], *pieces[at + 1 :]], pieces))
    assert len(old) == 6 + 1 + 3 * (path == "app.py")
    assert old.items() <= new.items()


def test_variables_follow_the_function_that_they_belong_to() -> None:
    """Each of several functions of one name has variables of the same names."""
    case = "it('{0}', () => {{\n  function App(p) {{ const v = {0}(p); return v }}\n}})\n"
    pieces = [case.format(field) for field in FIELDS]
    for at in range(4):
        old, new = (
            _local_ids("".join([*pieces[:at], *pieces[at + 1 :]]), "a.test.ts"),
            _local_ids("".join(pieces), "a.test.ts"),
        )
        assert len(old) == 6
        assert old.items() <= new.items()


ROUTE = """  it('{0}', () => {{
    const app = express()
    app.get('/', (req, res) => {0}(res))
  }})
"""
MOUNTED = "r{0} = APIRouter()\n@r{0}.get('/')\ndef h{0}(): return {0}()\napp.include_router(r{0}, prefix='/all')\n"
ROUTES = {
    "app.test.js": ("const express = require('express')\ndescribe('app', () => {\n", ROUTE, "})\n"),
    "app.py": ("from fastapi import APIRouter, FastAPI\napp = FastAPI()\n", MOUNTED, ""),
}


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("at", range(1, 4))
def test_a_route_that_is_added_shifts_no_other(path: str, at: int) -> None:
    """Equal routes of one file, mounted ones too, were numbered in its order."""
    head, route, tail = ROUTES[path]
    pieces = [route.format(field) for field in FIELDS]
    old, new = (_routes(head + "".join(some) + tail, path) for some in ([*pieces[:at], *pieces[at + 1 :]], pieces))
    assert len(old) == 3
    assert old.items() <= new.items()


def _routes(text: str, path: str) -> Mapping[str, str]:
    """Id -> text of each route."""
    file = FilePath(path)
    snapshot = snapshot_of({path: text.encode()})
    nodes = snapshot.derivation.nodes(snapshot, file) if snapshot.derivation else ()
    return {derived_id(snapshot, node): text[node.full_start : node.full_end] for node in nodes if node.kind == "route"}
