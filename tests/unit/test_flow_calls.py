"""Calls of what variables, parameters, fields and containers hold: the same from both ends, and marked possible."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.edges import RawEdge, edges_from, edges_of, edges_to
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

WRAPPER = """
def logged(f):
    def wrapper(*args):
        return f(*args)
    return wrapper
"""
CASES: Mapping[str, tuple[Mapping[str, str], frozenset[str]]] = {
    "a decorator in another module": (
        {
            "deco.py": WRAPPER,
            "app.py": "from deco import logged\n\nclass A:\n    @logged\n    def run(self): ...\n\n"
            "@logged\ndef go(): ...\n",
        },
        frozenset(("logged.wrapper -> A.run", "logged.wrapper -> go")),
    ),
    "a decorator with arguments": (
        {
            "app.py": "class App:\n    def __init__(self):\n        self.hooks = {}\n\n    def on(self, name):\n"
            "        def register(f):\n            self.hooks[name] = f\n            return f\n"
            "        return register\n\n"
            "    def fire(self, name):\n        self.hooks[name](name)\n",
            "use.py": "from app import App\n\napp = App()\n\n@app.on('start')\ndef started(name): ...\n",
        },
        frozenset(("App.fire -> started",)),
    ),
    "an argument by position and by name": (
        {
            "each.py": "def each(items, act, *, done=None):\n    for item in items:\n        act(item)\n    done()\n",
            "use.py": "from each import each\n\ndef show(x): ...\n\ndef end(): ...\n\neach([1], show, done=end)\n",
        },
        frozenset(("each -> show", "each -> end")),
    ),
    "a parameter that is passed on, stored and read": (
        {
            "task.py": "class Task:\n    def __init__(self, call):\n        self._call = call\n\n    def run(self):\n"
            "        return self._call()\n\ndef make(call):\n    return Task(call)\n",
            "use.py": "from task import make\n\ndef work(): ...\n\nmake(work).run()\n",
        },
        frozenset(("Task.run -> work",)),
    ),
    "elements of lists and of mappings": (
        {
            "app.py": "def one(): ...\n\ndef two(): ...\n\ndef three(): ...\n\nSTEPS = [one]\nSTEPS.append(two)\n"
            "NAMED = {'three': three}\n\ndef run(name):\n    for step in STEPS:\n        step()\n"
            "    found = NAMED.get(name)\n    found()\n",
        },
        # What a display holds is a link: its type is evident.
        frozenset(("run -> two",)),
    ),
    "a function that gives back what it is given": (
        {
            "app.py": "def same(f):\n    return f\n\ndef a(): ...\n\ndef b(): ...\n\nfirst = [a]\nsecond = [b]\n\n"
            "def run():\n    same(first[0])()\n\ndef other():\n    same(second[0])()\n",
        },
        frozenset(("run -> a", "other -> b")),
    ),
    "members by the beginning of their names": (
        {
            "visit.py": "class Visitor:\n    def visit(self, node):\n"
            "        return getattr(self, f'visit_{type(node).__name__}')(node)\n",
            "use.py": "from visit import Visitor\n\nclass Names(Visitor):\n    def visit_Name(self, node): ...\n\n"
            "    def other(self): ...\n",
        },
        frozenset(("Visitor.visit -> Names.visit_Name",)),
    ),
    "what tests hand over is left out before all is": (
        {
            "app.py": "def own(): ...\n\ndef call(f):\n    f()\n\ncall(own)\n",
            "tests/test_app.py": "from app import call\n\n"
            + "".join(f"def f{n}(): ...\n\ncall(f{n})\n" for n in range(9)),
        },
        frozenset(("call -> own",)),
    ),
    "too many": (
        {"app.py": "def call(f):\n    f()\n\n" + "".join(f"def f{n}(): ...\n\ncall(f{n})\n" for n in range(9))},
        frozenset(),
    ),
    "a class": (
        {
            "app.py": "class A:\n    def __init__(self): ...\n\nclass B(A): ...\n\ndef make(cls):\n    return cls()\n\n"
            "make(A)\nmake(B)\n",
        },
        frozenset(("make -> A", "make -> A.__init__", "make -> B")),
    ),
    "JavaScript": (
        {
            "each.js": "export function each(items, act) {\n  for (const item of items) act(item);\n}\n",
            "use.js": "import { each } from './each.js';\n\nfunction show(x) {}\n\neach([1], show);\n",
        },
        frozenset(("each -> show",)),
    ),
}


def _name(snapshot: Snapshot, place: object) -> str:
    assert isinstance(place, SymbolRef)
    return qualified_name(snapshot.facts(place.file), place.definition)


def _flow(edges: list[RawEdge]) -> list[RawEdge]:
    return [edge for edge in edges if edge.attributes.get("via") == "flow"]


def _spelled(snapshot: Snapshot, edges: list[RawEdge]) -> frozenset[str]:
    return frozenset(f"{_name(snapshot, edge.source)} -> {_name(snapshot, edge.target)}" for edge in edges)


@pytest.mark.parametrize("case", CASES)
def test_calls_of_what_is_held(case: str) -> None:
    files, wanted = CASES[case]
    snapshot = snapshot_of(files)
    found = _flow([edge for path in snapshot.files() for edge in edges_from(snapshot, path)])
    assert _spelled(snapshot, found) == wanted
    assert all(edge.ambiguous and edge.confidence < 1 and edge.attributes["implicit"] == "call" for edge in found)
    # Asked about single places, of a snapshot that knows nothing yet.
    ends = {edge.target for edge in found if isinstance(edge.target, SymbolRef)}
    callers = snapshot_of(files)
    assert _flow([edge for end in ends for edge in edges_to(callers, end)]) == _in_order(found, ends)
    callees = snapshot_of(files)
    sources = {edge.source for edge in found if isinstance(edge.source, SymbolRef)}
    assert _spelled(callees, _flow([edge for one in sources for edge in edges_of(callees, one)])) == wanted


def _in_order(edges: list[RawEdge], ends: set[SymbolRef]) -> list[RawEdge]:
    return [edge for end in ends for edge in edges if edge.target == end]
