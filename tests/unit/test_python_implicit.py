"""Implicit calls of Python: constructs that run methods without naming them.

Owns: samples of constructs with the edges they must give, and those that must give none.
Must not know: formats, editors.
Invariant: what one place is asked for agrees with what the whole file says; uses of names stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge, edges_from, edges_of, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.hover_text import HoverContext, plain
from graphls.queries.call_hierarchy import CallRelation, callees, callers
from graphls.queries.change_plan import change_plan
from graphls.queries.code_lens import lens_counts
from graphls.queries.hover import hover
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

RESOLUTION = Path(__file__).parents[2] / "fixtures" / "python" / "resolution"
METHODS = [
    "enter", "exit", "aenter", "aexit", "iter", "getitem", "setitem", "delitem", "contains", "len", "bool", "add",
    "radd", "iadd", "eq", "lt", "gt", "neg", "call", "repr", "str", "format", "await", "hash", "int", "getstate",
]  # fmt: skip
BOX = "class Box:\n" + "".join(f"    def __{name}__(self, *rest): return It()\n" for name in METHODS)
ITERATOR = "class It:\n    def __next__(self): ...\nclass Plain: ...\nclass Sized:\n    def __len__(self): return 1\n"
MAKER = "def boxed() -> Box: ...\n"
CONTAINERS = (
    "from collections.abc import Mapping\nclass Held(Mapping):\n    def __getitem__(self, key): ...\n"
    "    def items(self): ...\nclass Keyed(dict):\n    def __getitem__(self, key): ...\n"
)
HEAD = "import copy, pickle\nfrom m import Box, Held, Keyed, Plain, Sized, boxed\n"

SAMPLES = {
    "with box: pass": {"__enter__ with", "__exit__ with"},
    "with box as b: pass": {"__enter__ with", "__exit__ with"},
    "for one in box: pass": {"__iter__ for", "It.__next__ for"},
    "[one for one in box]": {"__iter__ for", "It.__next__ for"},
    "a, b = box": {"__iter__ unpack", "It.__next__ unpack"},
    "print(*box)": {"__iter__ unpack", "It.__next__ unpack"},
    "box[1]": {"__getitem__ subscript"},
    "box[1] = 2": {"__setitem__ set_item"},
    "del box[1]": {"__delitem__ delete_item"},
    "d = {}; d[box]": {"__hash__ subscript", "__eq__ subscript"},
    "d = {}; d[box] = 1": {"__hash__ set_item", "__eq__ set_item"},
    "s = set(); box in s": {"__hash__ contains", "__eq__ contains"},
    "[1][box]; box in [1]; unknown[box]; box in unknown; d = {}; d[plain]": set[str](),
    "box[1] += 2": {"__getitem__ subscript", "__setitem__ set_item"},
    "1 in box": {"__contains__ contains"},
    "if box: pass": {"__bool__ truth"},
    "not box": {"__bool__ truth"},
    "if sized: pass": {"Sized.__len__ truth"},
    "return 1 or box": set[str](),
    "if boxed(): pass": {"__bool__ truth"},
    "while made := boxed(): pass": {"__bool__ truth"},
    "return boxed() and not boxed()": {"__bool__ truth"},
    "return 1 or boxed()": set[str](),
    "return box.it() or 1": set[str](),
    "box + 1": {"__add__ operator"},
    "1 + box": {"__radd__ operator"},
    "box += other": {"__iadd__ operator"},
    "box == 1": {"__eq__ operator"},
    "1 > box": {"__lt__ operator"},
    "box is 1": set[str](),
    "-box": {"__neg__ operator"},
    "box()": {"__call__ call"},
    "f'{box}'": {"__format__ format"},
    "f'{box!r}'": {"__repr__ format"},
    "f'{box!s}'": {"__str__ format"},
    "str(box)": {"__str__ builtin"},
    "len(box)": {"__len__ builtin"},
    "list(box)": {"__iter__ builtin", "It.__next__ builtin", "__len__ builtin"},
    "set(box)": {"__iter__ builtin", "It.__next__ builtin"},
    "zip([1], box)": {"__iter__ builtin", "It.__next__ builtin"},
    "map(len, box)": {"__iter__ builtin", "It.__next__ builtin"},
    "','.join(box)": {"__iter__ builtin", "It.__next__ builtin"},
    "yield from box": {"__iter__ for", "It.__next__ for"},
    "max(box, box)": set(),
    "copy.copy(box)": {"__getstate__ builtin"},
    "pickle.dumps(box)": {"__getstate__ builtin"},
    "copy.deepcopy(plain)": set[str](),
    "held.get(1)": {"Held.__getitem__ inherited"},
    "held.items()": set[str](),
    "box.get(1)": set[str](),
    "keyed.get(1)": set[str](),
    "plain[1]; len(plain); plain + plain": set[str](),
    "unknown[1]; len(unknown); unknown + unknown": set[str](),
}


def samples(body: str) -> Snapshot:
    takes = "box: Box, plain: Plain, sized: Sized, other: Box, held: Held, keyed: Keyed, unknown"
    text = f"{HEAD}def use({takes}):\n    {body}\n"
    return snapshot_of({"m.py": BOX + ITERATOR + MAKER + CONTAINERS, "use.py": text})


def spelled(snapshot: Snapshot, edge: RawEdge) -> str:
    assert isinstance(edge.target, SymbolRef)
    return f"{symbol_name(snapshot, edge.target).removeprefix('m:').removeprefix('Box.')} {edge.attributes['implicit']}"


def implicit(snapshot: Snapshot) -> dict[str, RawEdge]:
    found = [edge for edge in edges_from(snapshot, FilePath("use.py")) if "implicit" in edge.attributes]
    return {spelled(snapshot, edge): edge for edge in found}


@pytest.mark.parametrize("body", SAMPLES)
def test_constructs_call_the_methods_of_the_class(body: str) -> None:
    snapshot = samples(body)
    found = implicit(snapshot)
    assert found.keys() == SAMPLES[body]
    for edge in found.values():
        assert edge.kind == "calls"
        assert symbol_name(snapshot, edge.source) == "use:use"  # type: ignore[arg-type]
        assert isinstance(edge.target, SymbolRef)
        assert edge.sites in [other.sites for other in edges_to(snapshot, edge.target) if other.source == edge.source]


HOOKS = """class Open:
    known = 1
    def __getattr__(self, name): ...
    def __setattr__(self, name, value): ...
    def __delattr__(self, name): ...
    def own(self): self._storage; self.anything
class Guarded:
    def own(self): ...
    def __getattribute__(self, name): ...
class Below(Open): ...
class Plain:
    held = 1
"""
ACCESSES = {
    "a.missing": {"Open.__getattr__"},
    "a.missing()": {"Open.__getattr__"},
    "below.missing": {"Open.__getattr__"},
    "a.known; a.own()": set[str](),
    "a.known = 1": {"Open.__setattr__"},
    "a.other = 1": {"Open.__setattr__"},
    # Known wrong: `__setattr__` runs too; the use counts as a read.
    "a.other += 1": {"Open.__getattr__"},
    "del a.other": {"Open.__delattr__"},
    "g.own()": {"Guarded.__getattribute__"},
    "g.missing": {"Guarded.__getattribute__"},
    "g.missing = 1": set[str](),
    "p.held = p.missing": set[str](),
    "u.missing = u.other": set[str](),
}


def is_found_from_both_ends(files: Mapping[str, str | bytes], edges: Iterable[RawEdge]) -> None:
    """Asked of snapshots of which nobody has asked anything."""
    for edge in edges:
        assert isinstance(edge.target, SymbolRef)
        assert isinstance(edge.source, SymbolRef)
        assert edge in [*edges_to(snapshot_of(files), edge.target)]
        assert edge in [*edges_of(snapshot_of(files), edge.source)]


@pytest.mark.parametrize("body", ACCESSES)
def test_members_that_a_class_answers_for(body: str) -> None:
    takes = "a: Open, g: Guarded, p: Plain, below: Below, u"
    text = f"from m import Below, Guarded, Open, Plain\ndef use({takes}):\n    {body}\n"
    files = {"m.py": HOOKS, "use.py": text}
    snapshot = snapshot_of(files)
    found = [edge for edge in edges_from(snapshot, FilePath("use.py")) if "implicit" in edge.attributes]
    assert {symbol_name(snapshot, edge.target).removeprefix("m:") for edge in found} == ACCESSES[body]  # type: ignore[arg-type]
    assert {edge.attributes["implicit"] for edge in found} <= {"attribute"}
    is_found_from_both_ends(files, found)
    own = [edge for edge in edges_from(snapshot, FilePath("m.py")) if "implicit" in edge.attributes]
    assert [site_texts(edge) for edge in own] == [["anything"]]


MODULE = {
    "lazy.missing": True,
    "lazy.missing()": True,
    "lazy.known": False,
    "lazy.inner.x": False,
    "lazy.missing = 1": False,
    "from lazy import missing": True,
    "from lazy import known": False,
    "lazy.inner.missing": False,
}


@pytest.mark.parametrize("body", MODULE)
def test_members_that_a_module_answers_for(body: str) -> None:
    package = "from . import inner\nknown = 1\ndef __getattr__(name): ...\n"
    files = {
        "lazy/__init__.py": package,
        "lazy/inner.py": "x = 1\n",
        "use.py": f"import lazy\ndef use():\n    {body}\n",
    }
    snapshot = snapshot_of(files)
    found = [edge for edge in edges_from(snapshot, FilePath("use.py")) if "implicit" in edge.attributes]
    assert [edge.attributes["implicit"] for edge in found] == ["attribute"] * MODULE[body]
    is_found_from_both_ends(files, found)


def test_a_class_runs_the_decorators_of_what_it_declares() -> None:
    text = (
        "def plain(f): return f\n\ndef made(n):\n    def put(f): return f\n    return put\n\n"
        "class Lazy:\n    def __init__(self, f): ...\n\nclass Marked:\n    def __init__(self, n): ...\n\n"
        "    def __call__(self, f): return f\n\nclass Use:\n    @plain\n    def a(self): ...\n\n    @made(1)\n"
        "    def b(self): ...\n\n    @Lazy\n    def c(self): ...\n\n    @Marked(1)\n    def d(self): ...\n\n"
        "    @property\n    def e(self): ...\n"
    )
    snapshot = snapshot_of({"use.py": text})
    source = one_symbol(snapshot, "use.Use")
    assert isinstance(source, SymbolRef)
    found = [edge for edge in edges_of(snapshot, source) if "implicit" in edge.attributes]
    called = {symbol_name(snapshot, edge.target) for edge in found if edge.kind == "calls"}  # type: ignore[arg-type]
    ran = ("plain", "made", "made.put", "Lazy.__init__", "Marked.__init__", "Marked.__call__")
    assert called == {f"use:{one}" for one in ran}
    assert {edge.attributes["implicit"] for edge in found} == {"decorator"}
    is_found_from_both_ends({"use.py": text}, found)


def test_what_a_loop_calls_runs_what_decorators_put_around_it() -> None:
    text = (
        "def twice(f):\n    def around(t):\n        f(t)\n    return around\n\n@twice\ndef first(t): ...\n\n"
        "def group(x):\n    for f in [first]:\n        f(x)\n"
    )
    snapshot = snapshot_of({"use.py": text})
    around = one_symbol(snapshot, "use.twice.around")
    assert isinstance(around, SymbolRef)
    assert [symbol_name(snapshot, edge.source) for edge in edges_to(snapshot, around) if edge.kind == "calls"] == [  # type: ignore[arg-type]
        "use:group"
    ]


def test_calling_a_class_runs_its_metaclass() -> None:
    text = (
        "class Meta(type):\n    def __call__(cls, *rest): return type.__call__(cls, *rest)\n\n"
        "class Form(metaclass=Meta): ...\n\nclass Below(Form):\n    def __init__(self): ...\n\nclass Plain: ...\n\n"
        "def form(): Form()\n\ndef below(): Below()\n\ndef plain(): Plain()\n"
    )
    snapshot = snapshot_of({"use.py": text})
    called = one_symbol(snapshot, "use.Meta.__call__")
    assert isinstance(called, SymbolRef)
    edges = [edge for edge in edges_to(snapshot, called) if edge.kind == "calls"]
    assert {symbol_name(snapshot, edge.source) for edge in edges} == {"use:form", "use:below"}  # type: ignore[arg-type]
    assert {edge.attributes["implicit"] for edge in edges} == {"call"}


def test_declaring_a_class_runs_its_body() -> None:
    text = (
        "def made(): ...\n\ndef late(): ...\n\nclass Part:\n    def __init__(self, n): ...\n\nclass Kind(Part): ...\n\n"
        "class Use:\n    a = Part(made())\n    b: Part = Kind(2)\n    c = lambda: late()\n    made()\n\n"
        "    def run(self):\n        self.e = late()\n\n"
        "def declare():\n    class In:\n        x = [made() for _ in ()]\n\n        class Deep: ...\n"
    )
    files = {"use.py": text}
    snapshot = snapshot_of(files)
    found = [edge for edge in edges_from(snapshot, FilePath("use.py")) if edge.attributes.get("implicit") == "class"]
    said = {
        f"{edge.kind} {symbol_name(snapshot, edge.source)} {symbol_name(snapshot, edge.target)}".replace("use:", "")  # type: ignore[arg-type]
        for edge in found
    }
    assert said == {
        "calls Use Part.__init__",
        "instantiates Use Part",
        "instantiates Use Kind",
        "calls declare.In made",  # `Use calls made` is there by name
        "calls declare declare.In",
        "calls declare.In declare.In.Deep",
    }
    is_found_from_both_ends(files, found)


def site_texts(edge: RawEdge) -> list[str]:
    text = HOOKS.encode()
    return [text[start:end].decode() for _, start, end in edge.sites]


@pytest.mark.parametrize("name", ["decorators.txt", "fixtures.txt"])
def test_both_ends_find_what_runs_in_place_of_another(name: str) -> None:
    files = fixture((RESOLUTION / name).read_text(encoding="utf-8")).files
    linked = snapshot_of(files)
    found = [edge for path in linked.shards for edge in edges_from(linked, path) if "implicit" in edge.attributes]
    assert found
    is_found_from_both_ends(files, found)


def test_what_a_decorator_puts_around_a_method_runs_for_constructs() -> None:
    text = (
        "def always(f):\n    def wrapper(self, *args):\n        return f(self, *args)\n    return wrapper\n\n"
        "class Box:\n    @always\n    def __setitem__(self, key, value): ...\n\n"
        "    @always\n    def __radd__(self, other): ...\n\ndef use(box: Box):\n    box[1] = 2\n    1 + box\n"
    )
    snapshot = snapshot_of({"use.py": text})
    source = one_symbol(snapshot, "use.use")
    assert isinstance(source, SymbolRef)
    ran = {spelled(snapshot, edge) for edge in edges_of(snapshot, source) if "implicit" in edge.attributes}
    wanted = {"__setitem__ set_item", "__radd__ operator", "always.wrapper operator,set_item"}
    assert ran == {f"use:Box.{one}" if one.startswith("__") else f"use:{one}" for one in wanted}
    wrapper = one_symbol(snapshot, "use.always.wrapper")
    assert isinstance(wrapper, SymbolRef)
    assert source in [edge.source for edge in edges_to(snapshot, wrapper)]


def test_a_name_says_it_before_a_construct_does() -> None:
    snapshot = samples("box.__enter__()\n    with box: pass")
    assert implicit(snapshot).keys() == {"__exit__ with"}


def test_references_are_uses_of_names() -> None:
    snapshot = samples("with box: pass")
    place = one_symbol(snapshot, "m.Box.__enter__")
    assert isinstance(place, SymbolRef)
    assert {use.file for use in references(snapshot, place).uses} <= {"m.py"}


FACES = """class Box:
    def __len__(self): return 1
    def plain(self): return 2


class Sub(Box):
    def __len__(self): return 3


def named(box: Box):
    return box.__len__()


def unnamed(box: Box):
    if len(box):
        return box.plain()


def below(sub: Sub):
    return len(sub)


def first(box: Box):
    return unnamed(box)
"""


@pytest.fixture(scope="module")
def faces() -> Snapshot:
    return snapshot_of({"m.py": FACES})


def at(snapshot: Snapshot, symbol: str) -> SymbolRef:
    place = one_symbol(snapshot, symbol)
    assert isinstance(place, SymbolRef)
    return place


def spell(snapshot: Snapshot, calls: CallRelation) -> str:
    through = f" through {symbol_name(snapshot, calls.through)}" if calls.through is not None else ""
    constructs = f" by {calls.constructs}" if calls.constructs else ""
    return f"{symbol_name(snapshot, calls.place)}{constructs}{through}".replace("m:", "")


def test_call_hierarchy_lists_constructs_apart(faces: Snapshot) -> None:
    listed = [spell(faces, one) for one in callers(faces, at(faces, "m.Box.__len__")).calls]
    assert listed == ["named", "unnamed by builtin"]
    override = [spell(faces, one) for one in callers(faces, at(faces, "m.Sub.__len__")).calls]
    assert override[0] == "below by builtin"
    assert {one.split(" through ")[1] for one in override[1:]} == {"Box.__len__"}
    assert [spell(faces, one) for one in callers(faces, at(faces, "m.Box.plain")).calls] == ["unnamed"]
    out = [spell(faces, one) for one in callees(faces, at(faces, "m.unnamed"))]
    assert out == ["Box.plain", "Box.__len__ by builtin", "Sub.__len__ by builtin through Box.__len__"]


def test_lenses_and_hovers_count_constructs_apart(faces: Snapshot) -> None:
    place = at(faces, "m.Box.__len__")
    both, names = lens_counts(faces, place), lens_counts(faces, place, implicit=False)
    assert (both.use.callers, both.use.implicit, len(both.sites)) == (1, 1, 2)
    assert (names.use.callers, names.use.implicit, len(names.sites)) == (1, 0, 1)
    found = hover(faces, FilePath("m.py"), FACES.index("__len__"))
    assert found is not None
    assert "Called by 1 caller at 1 site, 1 of them not certain, 1 implicit caller" in plain(found)
    assert "implicit" not in plain(found, HoverContext(implicit=False))


def test_a_planned_change_lists_constructs_as_possible(faces: Snapshot) -> None:
    sites = change_plan(faces, at(faces, "m.Box.__len__"), "delete").sites
    assert [(FACES[site.start :].split(")")[0], site.why) for site in sites if not site.certain] == [
        ("len(box", "implicit: builtin"),
    ]
    assert not [site for site in change_plan(faces, at(faces, "m.Box.plain"), "delete").sites if not site.certain]


def test_walks_go_on_from_a_construct_to_what_overrides(faces: Snapshot) -> None:
    found = impact(faces, ImpactQuery(target=at(faces, "m.Sub.__len__"), depth=3))
    names = {symbol_name(faces, one.node) for one in found.affected if isinstance(one.node, SymbolRef)}
    assert {"m:below", "m:unnamed", "m:first"} <= names
    used = impact(faces, ImpactQuery(target=at(faces, "m.first"), depth=4, stream="downstream"))
    assert "m:Sub.__len__" in {symbol_name(faces, one.node) for one in used.affected if isinstance(one.node, SymbolRef)}


HELD = {
    "base.py": """class A:
    def __init__(self): ...
    @classmethod
    def make(cls): return cls()
    def copy(self): return type(self)()
    def again(self): return self.__class__()


class B(A):
    def __init__(self): ...


class C(A): ...


def handed(kind): return kind()


def exact(): return A()
""",
    "use.py": """from base import A, B, C, handed


class Env:
    kind: type[A] = A

    def go(self): return self.kind()


def build(kind: type[A]): return kind()
def table(which): return {"a": A, "b": B}[which]()
def hand(): return handed(B)
def looks(x): return isinstance(x, (A, B))
def catches():
    try: ...
    except A: ...
def member(): return A.make
def first(): return build(C)
def raises(): raise A
def raises_again(error: A): raise error
""",
}
HELD_SAMPLES = {
    "base.A": {
        "A.make instantiates", "A.copy instantiates", "A.again instantiates", "exact", "Env.go instantiates",
        "build instantiates", "table instantiates", "raises instantiates",
    },
    "base.A.__init__": {
        "A.make calls", "A.copy calls", "A.again calls", "exact", "Env.go calls", "build calls", "table calls",
        "raises calls",
    },
    "base.B": {"table instantiates", "handed instantiates"},
    "base.B.__init__": {"table calls", "handed calls"},
}  # fmt: skip


@pytest.fixture(scope="module")
def held() -> Snapshot:
    return snapshot_of(HELD)


@pytest.mark.parametrize("symbol", HELD_SAMPLES)
def test_a_class_that_is_called_as_a_value_is_instantiated(held: Snapshot, symbol: str) -> None:
    edges = [edge for edge in edges_to(held, at(held, symbol)) if edge.kind in ("calls", "instantiates")]
    assert {edge.attributes.get("implicit") for edge in edges} <= {None, "call", "raise"}
    found = {
        symbol_name(held, edge.source).split(":")[1] + (f" {edge.kind}" if "implicit" in edge.attributes else "")  # type: ignore[arg-type]
        for edge in edges
    }
    assert found == HELD_SAMPLES[symbol]


def test_a_constructor_may_be_run_where_a_class_above_is_held(held: Snapshot) -> None:
    found = impact(held, ImpactQuery(target=at(held, "base.B.__init__"), depth=1)).affected
    possible = {symbol_name(held, one.node): one.possible for one in found if isinstance(one.node, SymbolRef)}
    assert possible == {
        "use:table": False, "use:hand": True, "base:A.make": True, "base:A.copy": True, "base:A.again": True,
        "use:Env.go": True, "use:build": True, "base:handed": False,
    }  # fmt: skip
    calls = [spell(held, one) for one in callers(held, at(held, "base.B.__init__")).calls]
    assert "use:build by call through base:A.__init__" in calls
    used = impact(held, ImpactQuery(target=at(held, "use.build"), depth=2, stream="downstream")).affected
    names = {symbol_name(held, one.node) for one in used if isinstance(one.node, SymbolRef)}
    assert {"base:A.__init__", "base:B.__init__"} <= names


def test_who_hands_a_class_on_is_affected_by_its_constructor(held: Snapshot) -> None:
    found = impact(held, ImpactQuery(target=at(held, "base.A.__init__"), depth=2)).affected
    names = {symbol_name(held, one.node) for one in found if isinstance(one.node, SymbolRef)}
    assert {"use:Env.kind", "use:first"} <= names
    assert not {"use:looks", "use:catches"} & names


FUNCTIONS = {
    "given.py": "def one(): ...\ndef two(): ...\nclass A:\n    def go(self): ...\nclass B(A):\n    def go(self): ...\n",
    "use.py": """import given
from given import A, one, two


def chosen(flag):
    run = given.one
    if flag:
        run = two
    return run()


def by_default(run=one): return run()
def bound(a: A):
    step = a.go
    return step()
def direct(): return one()
def unknown(run): return run()


RUN = given.two


class Holder:
    step = given.one

    def __init__(self): self.later = two
    def shared(self): return self.step()
    def own(self): return self.later()


def constant(): return RUN()
""",
}
FUNCTION_SAMPLES = {
    "given.one": {"chosen": "call", "by_default": "call", "direct": "", "Holder.shared": "call"},
    "given.two": {"chosen": "call", "Holder.own": "call", "constant": "call"},
    "given.A.go": {"bound": "call"},
}


@pytest.mark.parametrize("symbol", FUNCTION_SAMPLES)
def test_a_function_that_a_variable_holds_is_called(symbol: str) -> None:
    snapshot = snapshot_of(FUNCTIONS)
    found = {
        symbol_name(snapshot, edge.source): edge.attributes.get("implicit", "")  # type: ignore[arg-type]
        for edge in edges_to(snapshot, at(snapshot, symbol))
        if edge.kind == "calls"
    }
    assert found == {f"use:{name}": how for name, how in FUNCTION_SAMPLES[symbol].items()}


def test_a_bound_method_that_is_held_may_be_one_that_overrides_it() -> None:
    snapshot = snapshot_of(FUNCTIONS)
    used = impact(snapshot, ImpactQuery(target=at(snapshot, "use.bound"), depth=2, stream="downstream")).affected
    assert "given:B.go" in {symbol_name(snapshot, one.node) for one in used if isinstance(one.node, SymbolRef)}
    calls = [spell(snapshot, one) for one in callers(snapshot, at(snapshot, "given.two")).calls]
    assert calls == [f"use:{name} by call" for name in ("chosen", "Holder.own", "constant")]


def test_a_class_that_stands_in_for_an_import_is_possible() -> None:
    text = (
        "try:\n    from fast import Lock\nexcept ImportError:\n    class Lock:\n        def __enter__(self): ...\n\n"
        "        def __exit__(self, *error): ...\n\ndef use():\n    with Lock(): ...\n"
    )
    snapshot = snapshot_of({"app.py": text})
    edges = [edge for edge in edges_from(snapshot, FilePath("app.py")) if edge.attributes.get("implicit") == "with"]
    assert len(edges) == 2
    assert all(edge.confidence < 0.95 for edge in edges)


def test_making_an_object_runs_what_a_constructor_that_is_not_written_calls() -> None:
    text = (
        "import dataclasses\nimport attr\n\n@dataclasses.dataclass\nclass A:\n    def __post_init__(self): ...\n\n"
        "class B(A): ...\n\n@attr.s\nclass C:\n    def __attrs_post_init__(self): ...\n\n"
        "class Plain:\n    def __post_init__(self): ...\n\n@dataclasses.dataclass\nclass Own:\n"
        "    def __init__(self): ...\n\n    def __post_init__(self): ...\n\n"
        "def make():\n    A()\n    B()\n    C()\n    Plain()\n    Own()\n"
    )
    snapshot = snapshot_of({"app.py": text})
    found = [edge for edge in edges_from(snapshot, FilePath("app.py")) if edge.attributes.get("implicit") == "call"]
    assert {spelled(snapshot, edge) for edge in found} == {"app:A.__post_init__ call", "app:C.__attrs_post_init__ call"}
