"""Calls of what variables, parameters, fields and containers hold: the same from both ends, and marked possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from graphls.analysis.flow.holders import MOST_HELD
from graphls.analysis.flow.parameters import HeldPlace
from graphls.analysis.flow.reach import Reach
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_of, edges_to
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

MANY = MOST_HELD + 1
_STEPS = Reach._steps  # pyright: ignore[reportPrivateUsage]
WRAPPER = """
def logged(f):
    def wrapper(*args):
        return f(*args)
    return wrapper
"""
IMPLICIT = ("call", "unpack")
CASES: Mapping[str, tuple[Mapping[str, str], frozenset[str]]] = {
    "a decorator in another module": (
        {
            "deco.py": WRAPPER,
            "app.py": "from deco import logged\n\nclass A:\n    @logged\n    def run(self): ...\n\n"
            "@logged\ndef go(): ...\n",
        },
        frozenset(("logged.wrapper -> A.run", "logged.wrapper -> go")),
    ),
    "a property by a decorator of the code's own, which calls what it is above": (
        {
            "app.py": "class classproperty:\n    def __init__(self, method=None):\n        self.fget = method\n\n"
            "    def __get__(self, instance, cls=None):\n        return self.fget(cls)\n\n"
            "class View:\n    @classproperty\n    def is_async(cls):\n        return False\n",
        },
        frozenset(("classproperty.__get__ -> View.is_async",)),
    ),
    "a property by a class below the library's, which calls what it is above": (
        {
            "app.py": "class cached(property):\n    def __init__(self, fget, name=None, doc=None):\n"
            "        super().__init__(fget, doc=doc)\n\n    def __get__(self, instance, cls=None):\n"
            "        return self.fget(instance)\n\nclass plain(property):\n"
            "    def __get__(self, instance, cls=None):\n        return self.fget(cls)\n\n"
            "class View:\n    @cached\n    def size(self): ...\n\n    @plain\n    def kind(cls): ...\n\n"
            "    def _read(self): ...\n\n    level = plain(_read)\n",
        },
        frozenset(("cached.__get__ -> View.size", "plain.__get__ -> View.kind", "plain.__get__ -> View._read")),
    ),
    "members of a literal that stand for declared ones, with functions of other files": (
        {
            "make.d.ts": "export interface Server { listen(port: number): void; add: (name: string) => void;"
            " find(): void }\n"
            "declare function make(): Server\nexport = make\n",
            "make.js": "const { build } = require('./build')\nconst add = require('./add')\n"
            "module.exports = make\nfunction make () {\n  const { listen, find } = build()\n"
            "  const server = { listen, add: add.one, size: 1, find: find.bind(null) }\n  return server\n}\n",
            "build.js": "function build () {\n  return { listen, find }\n  function listen (port) {}\n"
            "  function find () {}\n}\n"
            "module.exports = { build }\n",
            "add.js": "function one (name) {}\nmodule.exports = { one }\n",
            "app.js": "const make = require('./make')\nfunction go () {\n  const server = make()\n"
            "  server.listen(1)\n  server.add('a')\n  server.find()\n}\n",
        },
        frozenset(("go -> build.listen", "go -> build.find", "go -> one")),
    ),
    "components in wrappers of libraries, which are exported by default": (
        {
            "card.tsx": 'import { observer } from "mobx-react";\nfunction Card() { return null; }\n'
            "export default observer(Card);\n",
            "page.tsx": 'import { connect } from "react-redux";\nimport * as React from "react";\n'
            "class Page extends React.Component {}\nexport default connect((state) => state)(Page);\n",
            "app.tsx": 'import Card from "./card";\nimport Page from "./page";\n'
            "export function App() { return <p><Card /><Page /></p>; }\n",
        },
        frozenset(("App -> Card", "App -> Page")),
    ),
    "a variable around a function without a name, in another wrapper": (
        {
            "row.tsx": 'import { observer } from "mobx-react";\nimport * as React from "react";\n'
            "const Row = React.forwardRef((props, ref) => null);\nexport default observer(Row);\n"
            "export const Cell = React.memo(function Inner() { return null; });\n",
            "app.tsx": 'import Row, { Cell } from "./row";\nexport function App() { return <p><Row /><Cell /></p>; }\n',
        },
        frozenset(("App -> Row", "App -> Inner")),
    ),
    "a function in a wrapper that only the code around calls": (
        {
            "row.tsx": 'import { useCallback } from "react";\nexport function Row() {\n'
            "  const insert = useCallback((e) => { e.go(); }, []);\n  insert(1);\n  return null;\n}\n",
        },
        frozenset(("Row -> Row.insert",)),
    ),
    "what a function gives that makes a wrapper": (
        {
            "wrap.ts": "export function traced(name: string) {\n"
            "  return (run: any) => (...args: any[]) => run(...args);\n}\n",
            "move.ts": 'import { traced } from "./wrap";\nfunction move() {}\nexport default traced("move")(move);\n',
            "app.ts": 'import move from "./move";\nexport function go() { move(); }\n',
        },
        frozenset(("go -> move",)),
    ),
    "a wrapper of the code's own under a name that libraries have": (
        {
            "wait.ts": "export function debounce(f: any) { return function later() { f(); }; }\n",
            "app.ts": 'import { debounce } from "./wait";\nfunction save() {}\nconst saving = debounce(save);\n'
            "export function go() { saving(); }\n",
        },
        frozenset(("go -> debounce.later", "debounce.later -> save")),
    ),
    "what stops listening is not the listener": (
        {
            "app.ts": 'import { on } from "bus";\nfunction heard() {}\nconst stop = on(heard);\n'
            "export function end() { stop(); }\n",
        },
        frozenset(),
    ),
    "not an override of what is called by super": (
        {
            "app.py": "class A:\n    def run(self, act): ...\n\nclass B(A):\n    def run(self, act):\n"
            "        super().run(done)\n\nclass C(B):\n    def run(self, act):\n        act()\n\n"
            "def done(): ...\n",
        },
        frozenset(),
    ),
    "a decorator above two definitions of one name": (
        {
            "deco.py": WRAPPER,
            "app.py": "from deco import logged\n\nclass A:\n    @property\n    @logged\n    def size(self): ...\n\n"
            "    @size.setter\n    @logged\n    def size(self, value): ...\n",
        },
        frozenset(("logged.wrapper -> A.size", "logged.wrapper -> A.<set>size")),
    ),
    "parts of objects that a loop takes apart, which makes what they hold of each other": (
        {
            "app.py": "class Layer:\n    def __init__(self, cls, *args):\n        self.cls = cls\n"
            "        self.args = args\n\n"
            "    def __iter__(self):\n        return iter((self.cls, self.args))\n\n"
            "class Errors:\n    def __init__(self, app):\n        self.app = app\n\n"
            "    def __call__(self): return self.app()\n\n"
            "class Users:\n    def __init__(self, app): ...\n\n    def __call__(self): ...\n\n"
            "def last(): ...\n\n"
            "def build(own):\n    layers = [Layer(Errors)] + own\n    app = last\n"
            "    for cls, args in reversed(layers):\n        app = cls(app, *args)\n    return app\n\n"
            "def main(): build([Layer(Users)])()\n",
        },
        frozenset(
            (
                *("build -> Layer.__iter__", "build -> Errors.__init__", "build -> Users.__init__", "build -> Errors"),
                *("build -> Users", "Errors.__call__ -> last", "Errors.__call__ -> Errors.__call__"),
                *("Errors.__call__ -> Users.__call__", "main -> last", "main -> Errors.__call__"),
                "main -> Users.__call__",
            )
        ),
    ),
    "containers that are joined, no numbers": (
        {
            "app.py": "def first(): ...\n\ndef other(): ...\n\ndef count(): ...\n\n"
            "def run(more):\n    for one in [first] + more:\n        one()\n    total = count + more\n    total()\n\n"
            "def main(): run([other])\n",
        },
        frozenset(("run -> first", "run -> other")),
    ),
    "a decorator that a variable holds": (
        {
            "lib.py": "from functools import partial\n\ndef define(cls=None, *, frozen=False):\n    return cls\n\n"
            "frozen = partial(define, frozen=True)\n",
            "app.py": "import lib\nfrom lib import frozen\n\n@lib.frozen\nclass A: ...\n\n"
            "def make():\n    @frozen\n    class B: ...\n\n    @frozen(slots=True)\n    class C: ...\n",
        },
        frozenset((" -> define", "make -> define")),
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
    "one of three that are chosen from as an argument": (
        {
            "app.py": "def take(f):\n    f()\n\ndef one(): ...\n\ndef two(): ...\n\ndef three(): ...\n\n"
            "def go(x):\n    take(one if x else two if x else three)\n",
            "app.ts": "export function hand(f: any) { f() }\nfunction first() {}\nfunction second() {}\n"
            "function third() {}\nfunction fourth() {}\nfunction no() {}\n"
            "export const run = (x: any) => { hand(x === no ? first : x ? second : third); hand(x || fourth) }\n",
        },
        frozenset(
            (
                "take -> one",
                "take -> two",
                "take -> three",
                "hand -> first",
                "hand -> second",
                "hand -> third",
                "hand -> fourth",
            )
        ),
    ),
    "an argument by position and by name": (
        {
            "each.py": "def each(items, act, *, done=None):\n    for item in items:\n        act(item)\n    done()\n",
            "use.py": "from each import each\n\ndef show(x): ...\n\ndef end(): ...\n\neach([1], show, done=end)\n",
        },
        frozenset(("each -> show", "each -> end")),
    ),
    "an argument that functions pass on among others": (
        {
            "api.py": "from core import request\n\ndef get(url, **kwargs):\n    return request('GET', url, **kwargs)\n",
            "core.py": "def request(method, url, **kwargs):\n    return Session().send(url, method=method, **kwargs)\n"
            "\nclass Session:\n    def send(self, url, method, auth=None, hook=None):\n"
            "        auth(url)\n        hook(url)\n        method(url)\n",
            "use.py": "from api import get\n\ndef sign(x): ...\n\ndef show(x): ...\n\ndef wrong(x): ...\n\n"
            "get('/', auth=sign, hook=show, method=wrong)\n",
        },
        frozenset(("Session.send -> sign", "Session.send -> show")),
    ),
    "an argument that functions pass on by position": (
        {
            "app.py": "def outer(first, *args):\n    inner(first, 1, *args)\n\ndef inner(a, b, c, *rest):\n"
            "    c()\n    a()\n    last(*rest)\n\ndef last(one, two=None):\n    one()\n    two()\n\n"
            "def f(): ...\n\ndef g(): ...\n\ndef h(): ...\n\ndef i(): ...\n\nouter(f, g, h, i)\n",
        },
        frozenset(("inner -> f", "inner -> g", "last -> h", "last -> i")),
    ),
    "an argument through a wrapper of any function": (
        {
            "app.py": "import functools\n\ndef logged(f):\n    @functools.wraps(f)\n    def wrapper(*args, **kwargs):\n"
            "        return f(*args, **kwargs)\n    return wrapper\n\n"
            "@logged\ndef run(action, *, done):\n    action()\n    done()\n\ndef act(): ...\n\ndef end(): ...\n\n"
            "run(act, done=end)\n",
        },
        frozenset(("logged.wrapper -> run", "run -> act", "run -> end")),
    ),
    "an argument that a call writes out is not among those passed on": (
        {
            "app.py": "def outer(**options):\n    inner(act=None, **options)\n\ndef inner(act=None, end=None):\n"
            "    act()\n    end()\n\ndef f(): ...\n\ndef g(): ...\n\nouter(act=f, end=g)\n",
        },
        frozenset(("inner -> g",)),
    ),
    "functions with a name that are written where they are handed on": (
        {
            "hooks.js": "function generate(each) {\n  return function run(list, done) {\n"
            "    function next() { done(); each() }\n    next()\n  }\n}\nfunction each() {}\n"
            "const start = generate(each)\nmodule.exports = { start }\n",
            "use.js": "const { start } = require('./hooks')\nfunction handle() { start([], after) }\n"
            "function after() {}\nfunction take(f) { f() }\ntake(function given(a, b) {\n  b(a, ')')\n})\n"
            "take(async function later() {})\n",
        },
        frozenset(
            (
                "handle -> generate.run",
                "generate.run.next -> after",
                "generate.run.next -> each",
                "take -> given",
                "take -> later",
            )
        ),
    ),
    "a function that is called through call and apply": (
        {
            "app.js": "function take(f, g) { f.call(this, no); g.apply(null, [no]) }\nfunction one(x) { x() }\n"
            "function two() {}\nfunction no() {}\ntake(one, two)\n"
            "function shown(key, value) {}\nfunction text(x) { return JSON.stringify(x, shown) }\n",
        },
        frozenset(("take -> one", "take -> two", "text -> shown")),
    ),
    "an argument that functions of TypeScript pass on": (
        {
            "app.ts": "function outer(...args: any[]) { inner(1, ...args); }\n"
            "function inner(count: number, act: any, ...rest: any[]) { act(); for (const each of rest) each(); }\n"
            "function f() {}\nfunction g() {}\nouter(f, g);\n",
        },
        frozenset(("inner -> f", "inner -> g")),
    ),
    "an argument of a constructor that the class inherits": (
        {
            "task.py": "class Base:\n    def __init__(self, call):\n        self._call = call\n\n"
            "    def run(self):\n        return self._call()\n\nclass Other(Base):\n"
            "    def __init__(self, call):\n        super().__init__(None)\n\nclass Task(Base): ...\n",
            "use.py": "from task import Other, Task\n\ndef work(): ...\n\ndef play(): ...\n\n"
            "Task(work).run()\nOther(play).run()\n",
        },
        frozenset(("Base.run -> work",)),
    ),
    "not an argument of another class that overrides the constructor": (
        {
            "task.py": "class Base:\n    def __init__(self, call): ...\n\nclass Below(Base):\n"
            "    def __init__(self, call):\n        call()\n",
            "use.py": "from task import Base\n\ndef work(): ...\n\nBase(work)\n",
        },
        frozenset(),
    ),
    "a field of a data class that one below fills": (
        {
            "task.py": "from dataclasses import dataclass\nfrom typing import Callable\n\n@dataclass\nclass Base:\n"
            "    call: Callable\n\n    def run(self):\n        return self.call()\n\n@dataclass\nclass Task(Base):\n"
            "    name: str\n",
            "use.py": "from task import Task\n\ndef work(): ...\n\nTask(work, 'a').run()\n",
        },
        frozenset(("Base.run -> work",)),
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
    "what decorators put in the place of a function": (
        {
            "deco.py": WRAPPER,
            "app.py": "from deco import logged\n\n@logged\ndef go(): ...\n\ndef call(f):\n    f()\n\ncall(go)\n",
        },
        frozenset(("logged.wrapper -> go", "call -> logged.wrapper")),
    ),
    "what a decorator is made with": (
        {
            "app.py": "def either(other):\n    def decorate(f):\n        def wrapper(*args):\n"
            "            other(*args)\n"
            "            return f(*args)\n        return wrapper\n    return decorate\n\n"
            + "".join(f"def o{n}(): ...\n\n@either(o{n})\ndef f{n}(): ...\n\n" for n in range(9)),
        },
        frozenset(f"either.decorate.wrapper -> {letter}{n}" for letter in "of" for n in range(9)),
    ),
    "what a library calls back": (
        {
            "app.py": "def size(x): ...\n\ndef show(x): ...\n\ndef run(items):\n    sorted(items, key=size)\n"
            "    return list(map(show, items))\n",
        },
        frozenset(("run -> size", "run -> show")),
    ),
    "a long display": (
        {
            "app.py": "".join(f"def f{n}(): ...\n\n" for n in range(30))
            + "ALL = {"
            + "".join(f"'{n}': f{n}, " for n in range(30))
            + "}\n\ndef run(n):\n    ALL.get(n)()\n"
        },
        frozenset(f"run -> f{n}" for n in range(30)),
    ),
    "of many only those that take the arguments": (
        {
            "app.py": "class Parser:\n    def parse(self, name):\n        f = getattr(self, 'parse_' + name)\n"
            "        f()\n\n"
            + "".join(f"    def parse_{n}(self): ...\n\n" for n in range(MANY))
            + "    def parse_more(self, node): ...\n",
        },
        frozenset(f"Parser.parse -> Parser.parse_{n}" for n in range(MANY)),
    ),
    "a field that classes below state anew": (
        {
            "app.py": "def plain(): ...\n\ndef other(): ...\n\nclass A:\n    make = staticmethod(plain)\n\n"
            "    def run(self):\n        self.make()\n\nclass B(A):\n    make = staticmethod(other)\n",
        },
        frozenset(("A.run -> plain", "A.run -> other")),
    ),
    "fields that a generated constructor fills": (
        {
            "app.py": "from dataclasses import dataclass\n\n@dataclass\nclass Step:\n    name: str\n    act: object\n\n"
            "    def run(self):\n        self.act()\n\ndef go(): ...\n\ndef stop(): ...\n\n"
            "Step('go', go)\nStep('stop', act=stop)\n",
        },
        frozenset(("Step.run -> go", "Step.run -> stop")),
    ),
    "a class with its type": (
        {
            "app.py": "class Box:\n    def __init__(self, make):\n        self.make = make\n\n    def get(self):\n"
            "        self.make()\n\ndef build(): ...\n\nbox = Box[int](build)\n",
        },
        frozenset(("Box.get -> build",)),
    ),
    "what tests hand over is left out before all is": (
        {
            "app.py": "def own(): ...\n\ndef call(f):\n    f()\n\ncall(own)\n",
            "tests/test_app.py": "from app import call\n\n"
            + "".join(f"def f{n}(): ...\n\ncall(f{n})\n" for n in range(MANY)),
        },
        frozenset(("call -> own",)),
    ),
    "too many": (
        {"app.py": "def call(f):\n    f()\n\n" + "".join(f"def f{n}(): ...\n\ncall(f{n})\n" for n in range(MANY))},
        frozenset(),
    ),
    "elements written out where they are given": (
        {
            "app.py": "def run(steps, by_name, pairs):\n    for step in steps:\n        step()\n"
            "    by_name['a']()\n    for name, one in pairs:\n        one()\n\n"
            "def first(): ...\n\ndef second(): ...\n\ndef third(): ...\n\n"
            "run([first], {'a': second}, (('b', third),))\n",
        },
        frozenset(("run -> first", "run -> second", "run -> third")),
    ),
    "an element of an element": (
        {
            "app.py": "def go(): ...\n\nclass Steps:\n    KNOWN = {'go': go}\n\n    def __init__(self):\n"
            "        self.active = []\n        self.active.append(('go', self.KNOWN['go']))\n\n    def run(self):\n"
            "        for name, step in self.active:\n            step()\n",
        },
        frozenset(("Steps.run -> go",)),
    ),
    "a container whose elements a call is given": (
        {
            "app.py": "class All:\n    def __init__(self, *checks):\n        self.checks = tuple(checks)\n\n"
            "    def run(self):\n        for check in self.checks:\n            check()\n\ndef valid(): ...\n\n"
            "class Field:\n    def __init__(self, checks):\n        self.checks = list(checks)\n\n"
            "    def all(self):\n        return All(*self.checks)\n\nField([valid])\n",
        },
        frozenset(("All.run -> valid",)),
    ),
    "a constant that classes below state anew": (
        {
            "app.py": "def plain(): ...\n\ndef other(): ...\n\nclass A:\n    BY_NAME = {'a': plain}\n\n"
            "    def run(self, name):\n        make = self.BY_NAME.get(name)\n        make()\n\n"
            "class B(A):\n    BY_NAME = {'a': other}\n",
        },
        frozenset(("A.run -> other",)),
    ),
    "containers side by side": (
        {
            "app.py": "def one(): ...\n\ndef two(): ...\n\ndef run(ones, twos):\n"
            "    for first, second in zip(ones, twos):\n        second()\n    for number, step in enumerate(ones):\n"
            "        step()\n\nrun([one], [two])\n",
        },
        frozenset(("run -> one", "run -> two")),
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
    assert all(edge.ambiguous and edge.confidence < 1 and edge.attributes["implicit"] in IMPLICIT for edge in found)
    # Asked about single places, of a snapshot that knows nothing yet.
    ends = {edge.target for edge in found if isinstance(edge.target, SymbolRef)}
    callers = snapshot_of(files)
    assert _flow([edge for end in ends for edge in edges_to(callers, end)]) == _in_order(found, ends)
    callees = snapshot_of(files)
    sources = {edge.source for edge in found if isinstance(edge.source, SymbolRef)}
    assert _spelled(callees, _flow([edge for one in sources for edge in edges_of(callees, one)])) == wanted


OBJECTS: Mapping[str, tuple[Mapping[str, str], frozenset[str]]] = {
    "a container of an object that flow alone knows": (
        {
            "app.py": "class Hooks:\n    def register(self, hook):\n        self.hooks['end'].append(hook)\n\n"
            "class Request(Hooks):\n    def __init__(self):\n        self.hooks = {'end': []}\n\n"
            "    def prepare(self, auth):\n        auth(self)\n\n    def send(self):\n"
            "        run(self.hooks)\n\ndef run(hooks):\n    for hook in hooks.get('end'):\n        hook()\n",
            "auth.py": "from app import Request\n\nclass Auth:\n    def __call__(self, r):\n"
            "        r.register(self.handle)\n\n    def handle(self): ...\n\nRequest().prepare(Auth())\n",
        },
        frozenset(
            (
                "calls Request.prepare -> Auth.__call__",
                "calls run -> Auth.handle",
                "calls Auth.__call__ -> Hooks.register",
            )
        ),
    ),
    "members of a parameter": (
        {
            "app.py": "class Reply:\n    @property\n    def ok(self): ...\n\n    def close(self): ...\n\n"
            "def end(reply):\n    if reply.ok:\n        reply.close()\n",
            "use.py": "from app import Reply, end\n\ndef go():\n    end(Reply())\n",
        },
        frozenset(("accesses end -> Reply.ok", "calls end -> Reply.close")),
    ),
    "what constructs run of a parameter": (
        {
            "app.py": "class Map:\n    def __getitem__(self, key): ...\n\n    def __iter__(self): ...\n\n"
            "    def __len__(self): ...\n\ndef read(map):\n    for key in map:\n        map[key]\n    len(map)\n",
            "use.py": "from app import Map, read\n\ndef go():\n    read(Map())\n",
        },
        frozenset(("calls read -> Map.__getitem__", "calls read -> Map.__iter__", "calls read -> Map.__len__")),
    ),
    "a generator that goes on elsewhere": (
        {
            "app.py": "def parts():\n    yield 1\n\ndef whole():\n    return parts()\n\ndef each(items):\n"
            "    for item in items: ...\n\ndef run():\n    each(whole())\n",
        },
        frozenset(("calls each -> parts",)),
    ),
    "what a coroutine or a generator waits for, each by what can run it": (
        {
            "app.py": "async def one():\n    return [1]\n\nasync def many():\n    yield 1\n\n"
            "def plain():\n    yield 1\n\n"
            "async def wait(what):\n    await what\n\nasync def each(what):\n    async for x in what: ...\n\n"
            "def loop(what):\n    for x in what: ...\n\n"
            "async def run():\n    wait(one())\n    wait(many())\n    wait(plain())\n    each(one())\n"
            "    each(many())\n    each(plain())\n    loop(one())\n    loop(many())\n    loop(plain())\n"
            "    loop(await one())\n",
        },
        frozenset(("calls wait -> one", "calls each -> many", "calls loop -> plain")),
    ),
    "a coroutine that is waited for elsewhere": (
        {
            "app.py": "async def inner():\n    return 1\n\nasync def outer():\n    return await inner()\n\n"
            "async def wait(what):\n    await what\n\nasync def run():\n    await wait(outer())\n    await outer()\n",
        },
        frozenset(("calls wait -> outer",)),
    ),
    "through fields of objects that flow alone knows": (
        {
            "app.py": "class Head:\n    def __getitem__(self, key): ...\n\nclass Reply:\n    def __init__(self):\n"
            "        self.head = Head()\n\ndef read(reply):\n    return reply.head['a']\n\nread(Reply())\n",
        },
        frozenset(("calls read -> Head.__getitem__",)),
    ),
    "the receiver, and arguments of a call of an object": (
        {
            "app.py": "class Auth:\n    def __call__(self, request):\n        request.sign()\n\nclass Request:\n"
            "    def sign(self): ...\n\n    def prepare(self, auth):\n        auth(self)\n\n"
            "Request().prepare(Auth())\n",
        },
        frozenset(("calls Request.prepare -> Auth.__call__", "calls Auth.__call__ -> Request.sign")),
    ),
    "a member that only classes below declare": (
        {
            "app.py": "class Mixin:\n    def run(self):\n        self.send()\n\nclass Session(Mixin):\n"
            "    def send(self): ...\n",
        },
        frozenset(("calls Mixin.run -> Session.send",)),
    ),
    "descriptors": (
        {
            "app.py": "class Setting:\n    def __get__(self, obj, owner): ...\n\n"
            "    def __set__(self, obj, value): ...\n\n"
            "class Made:\n    def __init__(self, f): ...\n\n    def __get__(self, obj, owner): ...\n\n"
            "class App:\n    debug = Setting()\n\n    @Made\n    def name(self): ...\n\n"
            "    def run(self):\n        self.debug = not self.debug\n        self.name\n",
        },
        frozenset(
            ("calls App.run -> Setting.__get__", "calls App.run -> Setting.__set__", "calls App.run -> Made.__get__")
        ),
    ),
    "decorators in whose place others stand": (
        {
            "app.py": "def setup(f):\n    def wrapper(self, *args):\n        return f(self, *args)\n\n"
            "    return wrapper\n\nclass App:\n    def __init__(self):\n        self.before, self.after = [], []\n\n"
            "    @setup\n    def begin(self, f):\n        self.before.append(f)\n\n"
            "    @setup\n    def end(self, f):\n        self.after.append(f)\n\n"
            "    def run(self):\n        for f in self.before:\n            f()\n\n"
            "    def stop(self):\n        for f in self.after:\n            f()\n\napp = App()\n\n"
            "@app.begin\ndef check(): ...\n\n@app.end\ndef close(): ...\n",
        },
        frozenset(
            (
                "calls App.run -> check",
                "calls App.stop -> close",
                "calls setup.wrapper -> App.begin",
                "calls setup.wrapper -> App.end",
            )
        ),
    ),
    "properties that a call makes": (
        {
            "app.py": "from more import shared\n\nclass Reply:\n    def get(self): ...\n\n"
            "    def set(self, value): ...\n\n    def drop(self): ...\n\n"
            "    data = property(get, set, fdel=drop)\n    both = property(fget=shared)\n\n"
            "class Other:\n    def get(self): ...\n\n    data = [get]\n\n"
            "class Child(Reply):\n    def get(self): ...\n\n"
            "def run(a: Child, b: Other):\n    a.data\n    a.both\n    b.data\n\n"
            "def change(a: Reply):\n    a.data = 1\n    del a.data\n",
            "more.py": "def shared(self): ...\n",
        },
        frozenset(
            ("calls run -> Reply.get", "calls run -> shared", "calls change -> Reply.set", "calls change -> Reply.drop")
        ),
    ),
    "proxies of functions and of members of a context": (
        {
            "ctx.py": "class Context:\n    @property\n    def request(self): ...\n\n    app = None\n",
            "state.py": "from contextvars import ContextVar\nfrom werkzeug.local import LocalProxy\n"
            'from ctx import Context\ncv: "ContextVar[Context]" = ContextVar("cv")\n'
            'request = LocalProxy(cv, "request")\napp = LocalProxy(cv, "app")\n\n'
            "def load(): ...\n\ndef other(): ...\n\n"
            "user = LocalProxy(lambda: load())\nmember: object = LocalProxy(load)\nplain = print(other)\n",
            "app.py": "import state\nfrom state import request, user, member, plain, app\n\n"
            "def show():\n    return request.args\n\ndef name():\n    return user['name']\n\n"
            "def rename(x):\n    member.name = x\n\ndef whole():\n    state.request.args\n\n"
            "def handed():\n    return user, plain.x, app.name\n",
        },
        frozenset(
            (
                "accesses show -> Context.request",
                "accesses whole -> Context.request",
                "calls name -> load",
                "calls rename -> load",
            )
        ),
    ),
    "a class with more uses than a variable may have": (
        {
            "app.py": "class Late(Exception): ...\n\n" + "def f(x):\n    raise Late\n\n" * 1001,
            "use.py": "from app import Late\n\ndef go(case):\n    case()\n\ngo(Late)\n",
        },
        frozenset(("instantiates go -> Late",)),
    ),
    "a descriptor with more uses than a variable may have": (
        {
            "app.py": "class Made:\n    def __init__(self, f): ...\n\n    def __get__(self, obj, owner): ...\n\n"
            "class App:\n    @Made\n    def name(self): ...\n\n    def run(self):\n        self.name\n\n"
            "def f(x): ...\n\n" + "f(Made)\n" * 1001,
        },
        frozenset(("calls App.run -> Made.__get__",)),
    ),
    "what a decorator gets by calling what it is above": (
        {
            "app.py": "class Node:\n    def __str__(self): ...\n\ndef tag(make):\n    def write():\n"
            "        put(make())\n    return write\n\ndef put(text):\n    str(text)\n\n"
            "@tag\ndef build():\n    return Node()\n",
        },
        frozenset(("calls put -> Node.__str__", "calls tag.write -> build")),
    ),
    "arguments of calls of more objects than are listed": (
        {
            "app.py": "".join(
                f"class Check{one}:\n    def __call__(self, value{one}):\n        len(value{one})\n\n"
                for one in range(MANY)
            )
            + "class File:\n    def __len__(self): ...\n\ndef clean(check, value):\n    check(value)\n\n"
            + "".join(f"clean(Check{one}(), File())\n" for one in range(MANY)),
        },
        frozenset(f"calls Check{one}.__call__ -> File.__len__" for one in range(MANY)),
    ),
    "an object that a function of another package calls": (
        {
            "app.py": "class Strip:\n    def __init__(self, lines):\n        self.lines = map(self, lines)\n\n"
            "    def __call__(self, line): ...\n",
        },
        frozenset(("calls Strip.__init__ -> Strip.__call__",)),
    ),
    "a field that is a special method": (
        {
            "app.py": "def fail(self): ...\n\nclass Undefined:\n    __call__ = fail\n\ndef end(value):\n    value()\n\n"
            "end(Undefined())\n",
        },
        frozenset(("calls end -> Undefined.__call__",)),
    ),
    "a method in the place of a field above": (
        {
            "app.py": "def area(): ...\n\nclass Shape:\n    area = area\n\n    def show(self):\n        self.area()\n\n"
            "class Circle(Shape):\n    def area(self): ...\n",
        },
        frozenset(("calls Shape.show -> Circle.area",)),
    ),
    "not arguments of calls of what a wrapper stands for": (
        {
            "app.py": "def guard(f):\n    if plain(f):\n        run = f\n    else:\n        def run(*args): ...\n"
            "    return run\n\n"
            "@guard\ndef view(request): ...\n\n@guard\ndef other(names):\n    for name in names: ...\n\n"
            "class Request:\n    def __iter__(self): ...\n\ndef serve(handle):\n    handle(Request())\n\n"
            "serve(view)\n",
        },
        frozenset(("calls serve -> guard.run",)),
    ),
    "elements of what functions give back, generators yield and properties hold": (
        {
            "app.py": "def one(): ...\n\ndef two(): ...\n\ndef three(): ...\n\nclass A:\n    def listed(self):\n"
            "        return [one]\n\n    def yielded(self):\n        yield two\n\n    @property\n    def all(self):\n"
            "        return [three]\n\ndef run(a):\n    for step in a.listed():\n        step()\n"
            "    for step in a.yielded():\n        step()\n    for step in a.all:\n        step()\n\nrun(A())\n",
        },
        frozenset(
            (
                *(f"calls run -> {name}" for name in ("one", "two", "three", "A.listed", "A.yielded")),
                "accesses run -> A.all",
            )
        ),
    ),
    "what a class asks of itself that is only a base beside others": (
        {
            "app.py": "class Base:\n    def fetch(self): ...\n\n    def __iter__(self): ...\n\nclass Mixin:\n"
            "    def check(self):\n        self.fetch()\n        list(self)\n\nclass Case(Mixin, Base): ...\n",
        },
        frozenset(("calls Mixin.check -> Base.fetch", "calls Mixin.check -> Base.__iter__")),
    ),
    "what methods below the one that is called give back": (
        {
            "app.py": "class Stream:\n    def send(self): ...\n\nclass Base:\n    def open(self):\n"
            "        raise NotImplementedError\n\n    def run(self):\n        self.open().send()\n\n"
            "class Plain(Base):\n    def open(self):\n        return Stream()\n",
        },
        frozenset(("calls Base.run -> Stream.send",)),
    ),
    "what stands for objects of any class": (
        {
            "app.py": "from typing import Protocol\n\nclass Bindable(Protocol):\n"
            "    def bind(self) -> 'Bindable': ...\n\n"
            "    def close(self) -> None: ...\n\nclass A:\n    def bind(self):\n        return self\n\n"
            "    def close(self): ...\n\nclass B:\n    def bind(self):\n        return self\n\n"
            "def run(x: Bindable):\n    x.bind().close()\n\nrun(A())\n",
        },
        frozenset(("calls run -> A.bind", "calls run -> A.close")),
    ),
    "the generator that an object gives for its elements": (
        {
            "app.py": "class Keys:\n    def __iter__(self):\n        return self.each()\n\n    def each(self):\n"
            "        yield 1\n\ndef typed(keys: Keys):\n    for key in keys: ...\n\ndef held(keys):\n"
            "    return list(keys)\n\nheld(Keys())\n",
        },
        frozenset(("calls typed -> Keys.each", "calls held -> Keys.__iter__", "calls held -> Keys.each")),
    ),
    "generators that built-in functions, a join and another generator run": (
        {
            "app.py": "def gen():\n    yield 1\n\ndef made():\n    return gen()\n\ndef joined():\n"
            "    return ','.join(made())\n\ndef mapped():\n    return sum(map(len, made()))\n\ndef passed():\n"
            "    yield from made()\n",
        },
        frozenset(("calls joined -> gen", "calls mapped -> gen", "calls passed -> gen")),
    ),
    "a descriptor that a constructor above it writes to": (
        {
            "app.py": "class Perms:\n    class _Part:\n        def __set__(self, instance, value): ...\n\n"
            "    def __init__(self, user):\n        self.user = user\n\n    user = _Part()\n",
        },
        frozenset(("calls Perms.__init__ -> Perms._Part.__set__",)),
    ),
    "what a dictionary is made of": (
        {
            "app.py": "class Held:\n    def __getitem__(self, key): ...\n\n    def keys(self): ...\n\n"
            "def copied(a):\n    return dict(a)\n\ncopied(Held())\n",
        },
        frozenset(("calls copied -> Held.keys", "calls copied -> Held.__getitem__")),
    ),
    "operators and formats": (
        {
            "app.py": "class Money:\n    def __add__(self, other): ...\n\n    def __format__(self, spec): ...\n\n"
            "def sum_up(a):\n    return f'{a}', a + 1\n\nsum_up(Money())\n",
        },
        frozenset(("calls sum_up -> Money.__add__", "calls sum_up -> Money.__format__")),
    ),
    "what declaring a class runs": (
        {
            "app.py": "class Meta(type):\n    def __new__(mcs, name, bases, space): ...\n\n"
            "class Base(metaclass=Meta):\n    def __init_subclass__(cls): ...\n\n"
            "class Part:\n    def __set_name__(self, owner, name): ...\n\n",
            "use.py": "from app import Base, Part\n\nclass Child(Base):\n    part = Part()\n\n"
            "def make():\n    class Inner(Child): ...\n    return Inner\n\n"
            "class Around:\n    class Meant(Child): ...\n",
        },
        frozenset(
            (
                *(f"calls {cls} -> Meta.__new__" for cls in ("Base", "Child", "make", "Around")),
                *(f"calls {cls} -> Base.__init_subclass__" for cls in ("Child", "make", "Around")),
                "calls Child -> Part.__set_name__",
            )
        ),
    ),
    "the generator of an iterator that links know": (
        {
            "app.py": "class Bar:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, *a): ...\n\n"
            "    def __iter__(self):\n        return self.steps()\n\n    def steps(self):\n        yield 1\n\n"
            "def bar() -> Bar: ...\n\ndef use():\n    with bar() as one:\n        for x in one: ...\n",
        },
        frozenset(("calls use -> Bar.steps",)),
    ),
    "what a decorator takes among all arguments": (
        {
            "app.py": "class Group:\n    def command(self, *args):\n        return self.add(*args)\n\n"
            "    def add(self, one):\n        one()\n\ngroup = Group()\n\n@group.command\ndef run(): ...\n",
        },
        frozenset(("calls Group.add -> run",)),
    ),
    "elements of what a call gave, under a name": (
        {
            "app.py": "class A:\n    def go(self): ...\n\ndef gen():\n    yield A()\n\nclass S:\n"
            "    def each(self, old):\n        return [A()]\n\ndef run(x):\n    x.go()\n\ndef end(x):\n    x.go()\n\n"
            "def one():\n    made = gen()\n    for x in made:\n        run(x)\n\ndef two(made):\n"
            "    made = S().each(made)\n    for x in made:\n        end(x)\n",
        },
        frozenset(("calls run -> A.go", "calls end -> A.go")),
    ),
    "decorated functions in a list that a loop calls": (
        {
            "app.py": "class A:\n    def go(self): ...\n\ndef twice(*n):\n    def wrap(f):\n        def around(t):\n"
            "            f(t)\n        return around\n    return wrap\n\n@twice(1)\ndef first(t):\n    t.go()\n\n"
            "@twice(2)\ndef second(t):\n    t.go()\n\ndef group(x):\n    for f in [first, second]:\n        f(x)\n\n"
            "group(A())\n",
        },
        frozenset(
            (
                "calls first -> A.go",
                "calls second -> A.go",
                "calls twice.wrap.around -> first",
                "calls twice.wrap.around -> second",
            )
        ),
    ),
    "the class that makes an object": (
        {
            "app.py": "class Unbound:\n    def __init__(self, made):\n        self.made = made\n\n    def bind(self):\n"
            "        return self.made()\n\nclass Field:\n    def __new__(cls, *rest):\n        return Unbound(cls)\n\n"
            "    def __init__(self): ...\n",
        },
        frozenset(("calls Unbound.bind -> Field.__init__", "instantiates Unbound.bind -> Field")),
    ),
    "members that are looked up by a text": (
        {
            "app.py": "class A:\n    def go(self): ...\n\n    @property\n    def held(self): ...\n\n"
            "def spare(): ...\n\ndef run(x):\n    step = getattr(x, 'go', spare)\n    step()\n\n"
            "def at_once(x):\n    getattr(x, 'go')()\n\ndef held(x):\n    return getattr(x, 'held', None)\n\n"
            "for one in (run, at_once, held):\n    one(A())\nrun(A())\nat_once(A())\nheld(A())\n",
        },
        frozenset(("calls run -> A.go", "calls run -> spare", "calls at_once -> A.go", "accesses held -> A.held")),
    ),
    "many classes behind a protocol": (
        {
            "app.py": "from typing import Protocol\n\nclass Shown(Protocol):\n    def show(self): ...\n\n"
            "def draw(one: Shown):\n    one.show()\n\ndef other(one):\n    one.show()\n\n"
            + "".join(f"class C{n}:\n    def show(self): ...\n\ndraw(C{n}())\nother(C{n}())\n\n" for n in range(20)),
        },
        frozenset(f"calls draw -> C{n}.show" for n in range(20)),
    ),
    "what a pattern puts in place": (
        {
            "app.py": "import re\nSPACE = re.compile(' ')\n\ndef put(m): ...\n\ndef other(m): ...\n\n"
            "def text(): ...\n\ndef a(one, two):\n    SPACE.sub(one, two)\n\ndef b(one):\n"
            "    re.sub(' ', one, '')\n\na(put, text)\nb(other)\n",
        },
        frozenset(("calls a -> put", "calls b -> other")),
    ),
    "objects that JavaScript makes": (
        {
            "a.js": "class A { go() {} }\nclass B { go() {} }\nfunction make() { return new B(); }\n"
            "function run(list) { for (const x of list) x.go(); }\nrun([new A(), make()]);\n"
            "class Base { open() { throw 1; } start() { this.open().go(); } }\n"
            "class Sub extends Base { open() { return new A(); } }\n"
            "const made = new A();\nfunction end(x) { x.go(); }\nend(made);\n",
        },
        frozenset(("calls run -> A.go", "calls run -> B.go", "calls Base.start -> A.go", "calls end -> A.go")),
    ),
    "what fills fields of classes under another name": (
        {
            "made.py": "def field(x=0):\n    return x\n",
            "app.py": "from made import field\nshort = other = field\n",
            "use.py": "import app\n\nclass A:\n    x = app.short()\n    y = lambda: app.other()\n",
        },
        frozenset(("calls A -> field", "calls A.x -> field", "calls A.y -> field")),
    ),
    "fields that a call declares": (
        {
            "app.py": "import attr\nfrom dataclasses import dataclass, field\n\ndef one(): ...\n\ndef two(): ...\n\n"
            "def three(): ...\n\ndef four(): ...\n\nclass A:\n    def send(self): ...\n\n@attr.s\nclass Old:\n"
            "    n = attr.ib(default=1)\n    _f = attr.ib(default=one)\n\n    def run(self):\n        self._f()\n\n"
            "@dataclass\nclass New:\n    g: object = field(default=three)\n"
            "    h: object = field(default_factory=A)\n\n    def run(self):\n        self.g()\n"
            "        self.h.send()\n\nOld(1, two)\nOld(f=four)\n",
        },
        frozenset(
            (
                *(f"calls Old.run -> {name}" for name in ("one", "two", "four")),
                "calls New.run -> three",
                "calls New.run -> A.send",
            )
        ),
    ),
    "parameters that decorators fill": (
        {
            "app.py": "def less(x): ...\n\ndef more(x): ...\n\ndef most(x): ...\n\ndef never(x): ...\n\n"
            "CASES = [most]\n",
            "checks.py": "import pytest\nfrom app import CASES, less, more, most, never\n\n"
            "@pytest.mark.parametrize('run', [less])\ndef test_one(run):\n    run(1)\n\n"
            "@pytest.mark.parametrize(('text', 'run'), [('a', less), pytest.param(never, more, id='x')])\n"
            "def test_two(text, run):\n    run(1)\n\n@pytest.mark.parametrize('run', CASES)\n"
            "class TestAll:\n    def test_three(self, run):\n        class Inner:\n            x = run(1)\n",
        },
        frozenset(
            (
                "calls test_one -> less",
                "calls test_two -> less",
                "calls test_two -> more",
                "calls TestAll.test_three.Inner -> most",
                "calls TestAll.test_three.Inner.x -> most",
            )
        ),
    ),
    "parameters that fixtures fill": (
        {
            "app.py": "class Client:\n    def __init__(self, app): ...\n\nclass Other:\n    def send(self): ...\n\n"
            "def step(): ...\n",
            "conftest.py": "import functools\nfrom typing import Protocol\nimport pytest\n"
            "from app import Client, Other, step\n\nclass Makes(Protocol):\n"
            "    def __call__(self, app) -> Client: ...\n\n@pytest.fixture\ndef make() -> Makes:\n"
            "    return functools.partial(Client)\n\n@pytest.fixture\ndef run():\n    yield step\n\n"
            "@pytest.fixture\nasync def later():\n    return step\n\n@pytest.fixture\ndef steps():\n"
            "    return [step]\n",
            "test_app.py": "def test_a(make):\n    make(1)\n\ndef test_b(run):\n    run()\n\ndef test_c(later):\n"
            "    later()\n\ndef test_d(steps):\n    for one in steps:\n        one()\n\ndef plain(run):\n    run()\n",
        },
        frozenset(
            (
                "instantiates test_a -> Client",
                "calls test_a -> Client.__init__",
                "calls test_b -> step",
                "calls test_c -> step",
                "calls test_d -> step",
            )
        ),
    ),
    "members under symbols, whatever the object is, and what functions make that have members": (
        {
            "keys.js": "module.exports = { kLog: Symbol('l'), kBag: Symbol('b'), kEach: Symbol('e') }\n",
            "log.js": "class Log { write () {} }\nfunction Bag () { this.x = 1 }\n"
            "Bag.prototype.add = function () {}\nmodule.exports = { Log, Bag }\n",
            "make.js": "const { kLog, kBag, kEach } = require('./keys')\nconst { Log, Bag } = require('./log')\n"
            "function make () {\n  return { [kLog]: new Log(), [kBag]: new Bag(), [kEach] () {} }\n}\n"
            "module.exports = make\n",
            "use.js": "const { kLog, kBag, kEach } = require('./keys')\n"
            "function one (request) { request.server[kLog].write() }\nfunction two () { this[kBag].add() }\n"
            "function three (x) { x[kEach]() }\nmodule.exports = { one, two, three }\n",
        },
        frozenset(("calls one -> Log.write", "calls two -> Bag.add", "calls three -> make.[kEach]")),
    ),
    "nothing of what links know": (
        {
            "app.py": "class A:\n    def run(self): ...\n\n    def __len__(self): ...\n\ndef go(a: A):\n    a.run()\n"
            "    len(a)\n\ngo(A())\n",
        },
        frozenset(),
    ),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_members_of_what_is_held(case: str) -> None:
    files, wanted = OBJECTS[case]
    snapshot = snapshot_of(files)
    found = _flow([edge for path in snapshot.files() for edge in edges_from(snapshot, path)])

    def spelled(snapshot: Snapshot, edges: list[RawEdge]) -> frozenset[str]:
        ends = ((edge, _name(snapshot, edge.source), _name(snapshot, edge.target)) for edge in edges)
        return frozenset(f"{edge.kind} {source} -> {target}" for edge, source, target in ends)

    assert spelled(snapshot, found) == wanted
    assert all(edge.ambiguous and edge.confidence < 1 for edge in found)
    special = {edge.attributes.get("implicit") for edge in found if _name(snapshot, edge.target).endswith("__")}
    assert None not in special
    ends = {edge.target for edge in found if isinstance(edge.target, SymbolRef)}
    callers = snapshot_of(files)
    assert _flow([edge for end in ends for edge in edges_to(callers, end)]) == _in_order(found, ends)


def _in_order(edges: list[RawEdge], ends: set[SymbolRef]) -> list[RawEdge]:
    return [edge for end in ends for edge in edges if edge.target == end]


def test_a_long_line_of_functions_that_libraries_may_call_ends() -> None:
    first = "class Rows:\n    def sort(self, key): ...\n\ndef f0(rows):\n    rows.sort(None)\n\n"
    others = (f"def f{number}(rows):\n    rows.sort(f{number - 1})\n\n" for number in range(1, 400))
    snapshot = snapshot_of({"app.py": first + "".join(others)})
    assert len(_flow(list(edges_from(snapshot, FilePath("app.py"))))) == 399


def test_a_function_that_is_called_through_a_method_of_its_own_without_arguments() -> None:
    snapshot = snapshot_of({"a.js": "function go() {}\nfunction run(f) { f.call(); }\nrun(go);\n"})
    assert _spelled(snapshot, _flow(list(edges_from(snapshot, FilePath("a.js"))))) == frozenset(("run -> go",))


def test_searches_from_many_functions_share_the_places_that_they_come_by(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, bool]] = []

    def steps(self: Reach, held: HeldPlace, through: bool) -> Iterator[object]:
        asked.append((held, through))
        return _STEPS(self, held, through)

    monkeypatch.setattr(Reach, "_steps", steps)
    line = "".join(f"def p{number}(f):\n    p{number + 1}(f)\n" for number in range(20)) + "def p20(f): f()\n"
    given = "".join(f"def g{number}(): ...\np0(g{number})\n" for number in range(10))
    snapshot = snapshot_of({"app.py": line + given})
    facts = snapshot.facts(FilePath("app.py"))
    names = [facts.strings[name] for name in facts.definitions.name]
    for number in range(10):
        place = SymbolRef(FilePath("app.py"), names.index(f"g{number}"))
        assert _spelled(snapshot, _flow(list(edges_to(snapshot, place)))) == frozenset((f"p20 -> g{number}",))
    assert len(asked) == len(set(asked)) > 20
