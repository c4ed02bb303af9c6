"""Completeness: an answer says complete only where nothing that was asked for can be missing.

Owns: the causes, and that every question that visits a symbol counts them alike.
Must not know: faces.
Invariant: each case states the causes in full, so that a cause more or less is seen.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.context.completeness import pack_coverage
from graphls.context.pack import PackRequest, pack
from graphls.facts.paths import FilePath
from graphls.graph.identity import node_id
from graphls.graph.request_budget import budget_of_steps, limited
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Answer, Coverage, answer
from graphls.queries.call_hierarchy import callers
from graphls.queries.completeness import Cause, CoverageClaim, completeness, open_sites
from graphls.queries.hover import card
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.impact_view import impact_view
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.node_views import Presenter
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.trace import TraceQuery, trace
from graphls.queries.type_hierarchy import subtypes_lack
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import library_paths


@pytest.fixture(scope="module")
def standard() -> InstalledLibraries:
    return InstalledLibraries(library_paths(None))


DUCKS = {
    "a.py": """
class A:
    def frobnicate(self): ...

def use(x):
    return x.frobnicate()

def use2(x):
    return getattr(x, "frobnicate")()

def certain(x):
    x.append(1)
""",
}


def causes(found: Answer) -> dict[str, int]:
    return {f"{gap.cause} {gap.direction}": gap.count for gap in found.causes}


def incoming(snapshot: Snapshot, symbol: str) -> dict[str, int]:
    """Causes of what may be a use of a symbol, with their counts."""
    found = completeness(snapshot, CoverageClaim(uses_of=(one_symbol(snapshot, symbol),)))
    return {str(gap.cause): gap.count for gap in found.gaps}


def outgoing(snapshot: Snapshot, symbol: str) -> dict[str, int]:
    found = completeness(snapshot, CoverageClaim(uses_in=(one_symbol(snapshot, symbol),)))
    return {str(gap.cause): gap.count for gap in found.gaps}


def sites(snapshot: Snapshot, symbol: str) -> list[str]:
    claim = CoverageClaim(uses_of=(one_symbol(snapshot, symbol),))
    lines = {path: (snapshot.text(path) or b"").split(b"\n") for path in snapshot.shards}
    found = ((site, snapshot.facts(site.file).line_column(site.start)[0]) for site in open_sites(snapshot, claim))
    return [f"{site.cause}: {lines[site.file][line].decode().strip()}" for site, line in found]


def test_every_question_counts_open_uses_alike() -> None:
    """`neighbors` and `trace` said complete where `impact` and `show` counted two."""
    snapshot = snapshot_of(DUCKS)
    place, use = one_symbol(snapshot, "a:A.frobnicate"), one_symbol(snapshot, "a:use")
    assert incoming(snapshot, "a:A.frobnicate") == {"unknown_receiver": 1, "string": 1}
    around = neighborhood(snapshot, place, NeighborhoodQuery(direction="in"))
    found = {
        "neighborhood": around.coverage.unresolved_sites,
        "impact": impact(snapshot, ImpactQuery(place)).coverage.unresolved_sites,
        "node": node(snapshot, place).coverage.unresolved_sites,
        "references": references(snapshot, place).unresolved_sites,
        "callers": callers(snapshot, place).unresolved_sites,
    }
    assert set(found.values()) == {2}, found
    shown = card(snapshot, place).use
    assert shown is not None
    assert shown.unresolved_sites == 2
    assert not answer(snapshot, around.coverage).complete
    assert sites(snapshot, "a:A.frobnicate") == [
        "unknown_receiver: return x.frobnicate()",
        'string: return getattr(x, "frobnicate")()',
    ]
    searched = trace(snapshot, TraceQuery(use, place))
    assert (searched.paths, searched.exhausted) == ((), False)
    assert causes(answer(snapshot, searched.coverage)) == {"unknown_receiver out": 1}


def test_what_no_name_of_the_workspace_can_be_is_no_gap() -> None:
    snapshot = snapshot_of(DUCKS)
    assert outgoing(snapshot, "a:certain") == {}
    certain = trace(snapshot, TraceQuery(one_symbol(snapshot, "a:certain")))
    assert certain.exhausted
    assert answer(snapshot, certain.coverage).complete


def test_an_open_use_is_counted_once_in_an_answer_of_both_directions() -> None:
    snapshot = snapshot_of({"a.py": "class A:\n    def go(self, x):\n        x.go()\n"})
    place = one_symbol(snapshot, "a:A.go")
    assert completeness(snapshot, CoverageClaim((place,), (place,))).sites == 1
    assert len(list(open_sites(snapshot, CoverageClaim((place,), (place,))))) == 1


@pytest.mark.parametrize(
    ("files", "symbol", "expected"),
    [
        # Names of another language are other names.
        ({"a.py": "class A:\n    def go(self): ...\n", "b.ts": "export function f(x: any) { x.go() }"}, "a:A.go", {}),
        ({"a.py": "def go(): ...\n", "b.py": "go()\n"}, "a:go", {"unbound_name": 1}),
        ({"a.py": "def go(): ...\n", "b.py": "from .gone import go\n"}, "a:go", {"unresolved_import": 1}),
        # Nothing here is called like the module that it comes from.
        ({"a.py": "def load(): ...\n", "b.py": "from yaml import load\n"}, "a:load", {}),
        ({"lib/tools/a.py": "def load(): ...\n", "b.py": "from tools.x import load\n"}, "lib.tools.a:load",
         {"unresolved_import": 1}),
        ({"a.ts": "export function go() {}", "b.ts": "const { go } = window; go()"}, "a.ts:go",
         {"unresolved_import": 1}),
        ({"a.py": "def outer():\n    def go(): ...\n    go()\n", "b.py": "go()\n"}, "a:outer.go", {}),
        # A class that no other file can name has members that any value may have.
        ({"a.py": "def outer():\n    class A:\n        def go(self): ...\n    return A()\n",
          "b.py": "def f(x): x.go()\n"}, "a:outer.A.go", {"unknown_receiver": 1}),
    ],
)  # fmt: skip
def test_causes(files: Mapping[str, str], symbol: str, expected: Mapping[str, int]) -> None:
    assert incoming(snapshot_of(files), symbol) == expected


def test_uses_that_are_cut_or_pending_are_causes_too() -> None:
    snapshot = snapshot_of({"a.py": "def go(): ...\n" + "".join(f"def f{n}(): go()\n" for n in range(5))})
    found = neighborhood(snapshot, one_symbol(snapshot, "a:go"), NeighborhoodQuery(direction="in", limit=3))
    assert causes(answer(snapshot, found.coverage)) == {"limit in": found.coverage.omitted}


def test_edges_that_no_use_makes_are_complete() -> None:
    snapshot = snapshot_of(DUCKS)
    around = NeighborhoodQuery(direction="in", edge_kinds=frozenset({"contains", "defines"}))
    assert answer(snapshot, neighborhood(snapshot, one_symbol(snapshot, "a:A.frobnicate"), around).coverage).complete


def test_a_module_claims_what_its_own_code_uses() -> None:
    snapshot = snapshot_of({**DUCKS, "b.py": "import a\nunknown().frobnicate()\ndef f(x): x.frobnicate()\n"})
    found = completeness(
        snapshot, CoverageClaim(uses_in=(SymbolRef(next(path for path in snapshot.shards if path == "b.py"), -1),))
    )
    assert [(gap.cause, gap.count) for gap in found.gaps] == [("unknown_receiver", 1)]


def test_open_uses_are_listed_with_their_code_and_what_they_may_mean() -> None:
    """The number of uses that could not be resolved was all there was of them."""
    snapshot = snapshot_of({**DUCKS, "b.py": "class B:\n    def frobnicate(self): ...\n"})
    said = answer(snapshot, node(snapshot, one_symbol(snapshot, "a:A.frobnicate")).coverage, listed=10)
    assert said.unresolved_sites == len(said.unresolved) == 2
    first = said.unresolved[0]
    assert (first.file, first.line, first.column, first.text) == ("a.py", 6, 14, "return x.frobnicate()")
    assert (first.cause, first.direction, first.owner) == ("unknown_receiver", "in", "a:use")
    assert first.candidates == ("a:A.frobnicate", "b:B.frobnicate")
    many = "".join(f"class C{n}:\n    def frobnicate(self): ...\n" for n in range(5))
    crowd = snapshot_of({**DUCKS, "b.py": many})
    use = answer(crowd, node(crowd, one_symbol(crowd, "a:A.frobnicate")).coverage, listed=1).unresolved
    assert [(one.candidates, one.candidate_count) for one in use] == [((), 6)]


def test_what_is_not_complete_is_no_answer_yet() -> None:
    snapshot = snapshot_of(DUCKS)
    said = answer(snapshot, node(snapshot, one_symbol(snapshot, "a:A.frobnicate")).coverage)
    assert (said.next.kind, said.next.request) == ("inspect", "unresolved")
    cut = answer(snapshot, Coverage(truncated=True))
    assert (cut.next.kind, cut.next.request) == ("inspect", "limit")
    assert answer(snapshot).next.kind == "answer"


def test_what_is_empty_or_ended_by_a_bound_is_no_answer() -> None:
    snapshot = snapshot_of(
        {"a.py": "def one(): ...\ndef two():\n    one()\ndef three():\n    two()\ndef four():\n    three()\n"}
    )
    first, last = one_symbol(snapshot, "a:one"), one_symbol(snapshot, "a:four")
    empty = answer(snapshot, impact(snapshot, ImpactQuery(last)).coverage)
    assert (empty.complete, empty.next.kind) == (True, "outside")
    near = answer(snapshot, trace(snapshot, TraceQuery(first, direction="in", depth=1)).coverage)
    assert (near.complete, near.next.kind, near.next.request) == (True, "inspect", "depth")
    far = answer(snapshot, trace(snapshot, TraceQuery(first, direction="in", depth=6)).coverage)
    assert (far.next.kind, far.next.reason) == ("answer", "nothing that was asked for is missing")


def test_uses_of_what_a_class_above_declares_may_mean_what_a_class_below_assigns() -> None:
    """They lead to the declaration, as checkers have it: of the assignment alone nothing was said, as complete."""
    snapshot = snapshot_of({
        "a.py": "class A:\n    x: dict\n    free = 1\n    def m(self): return self.x\nclass B(A): ...\n",
        "b.py": "from a import B\nclass C(B):\n    x = {}\n    free = 2\n    y: int = 1\nC.x, C.free, C.y\n"
        "class D(C):\n    x: dict = {}\n    y = 2\n",
    })  # fmt: skip
    for name, count in (("C.x", 2), ("C.free", 0), ("C.y", 0), ("D.x", 0), ("D.y", 1)):
        place = one_symbol(snapshot, f"b:{name}")
        claim = CoverageClaim(uses_of=(place,))
        assert completeness(snapshot, claim).sites == count, name
        assert len(list(open_sites(snapshot, claim))) == count, name
        assert references(snapshot, place).completeness.sites == count, name
        both = CoverageClaim(uses_of=(place, one_symbol(snapshot, "a:A.x"), one_symbol(snapshot, "b:C.y")))
        assert completeness(snapshot, both).sites == 0, "the answer has the uses of the declarations"


def test_a_callable_that_is_handed_on_may_have_other_callers() -> None:
    """Whoever holds the value may call it; the use itself is in the answer of all other questions."""
    snapshot = snapshot_of({
        "a.py": "def given(): ...\ndef wrapped(): ...\nregister(given)\n@register\ndef taken(): ...\n"
        "from functools import cache\n@cache\ndef kept(): ...\n"
    })  # fmt: skip
    for name, count in (("given", 1), ("taken", 1), ("kept", 0), ("wrapped", 0)):
        place = one_symbol(snapshot, f"a:{name}")
        found = callers(snapshot, place).completeness
        assert [(gap.cause, gap.count) for gap in found.gaps] == ([("passed_value", count)] if count else []), name
        shown = card(snapshot, place).use
        assert shown is not None
        assert shown.values == count
        assert not impact(snapshot, ImpactQuery(place)).coverage.completeness.gaps


def test_a_pack_is_complete_only_where_it_has_ground() -> None:
    files = {"a.py": "def used(): ...\ndef user():\n    used()\ndef other(): ...\n"}
    snapshot = snapshot_of(files)
    whole = pack(snapshot, PackRequest(nodes=("a:used",)))
    assert (whole.complete, whole.next) == (True, "answer")
    searched = pack(snapshot, PackRequest(task="`a.other` is wrong"))
    assert searched.items
    assert (searched.complete, searched.next) == (False, "inspect")
    small = pack(snapshot, PackRequest(nodes=("a:used",), budget=4))
    assert not small.complete
    ducks = snapshot_of(DUCKS)
    assert not pack(ducks, PackRequest(nodes=("a:A.frobnicate",))).complete


@pytest.mark.parametrize(
    ("files", "symbol", "complete"),
    [
        ({"a.py": "def main(): ...\n", "b.py": "from a import main\nmain()\n"}, "a:main", False),
        ({"a.py": "def main(): ...\nmain()\n"}, "a:main", False),
        ({"a.ts": "export function go() {}\n", "b.ts": "import { go } from './a'\ngo()\n"}, "a.ts:go", False),
        ({"a.py": "def main(): ...\n", "b.py": "from a import main\n"}, "a:main", True),
    ],
)
def test_a_pack_lacks_modules_whose_own_statements_use_what_was_asked_for(
    files: Mapping[str, str], symbol: str, complete: bool
) -> None:
    found = pack(snapshot_of(files), PackRequest(nodes=(symbol,)))
    assert len(found.items) == 1
    assert found.complete is complete


def test_a_pack_says_which_way_it_lacks_something() -> None:
    """What a symbol uses and the pack does not show is no user that is missing."""
    snapshot = snapshot_of({"a.py": "def used(): ...\ndef asked():\n    used()\n"})
    place = one_symbol(snapshot, "a:asked")
    found = pack_coverage(snapshot, (place,), {node_id(snapshot, place): (2, 3)}, needs_ranking=False, omitted=0)
    assert [(gap.cause, gap.direction, gap.count) for gap in found.completeness.gaps] == [("ranking", "out", 1)]


@pytest.mark.parametrize(("last", "count"), [(5, 1), (8, 0)])
def test_the_head_of_a_class_does_not_show_its_methods(last: int, count: int) -> None:
    """A pack that showed lines 2 to 5 of the class was complete without line 8."""
    snapshot = snapshot_of(
        {"a.py": "def used(): ...\nclass A:\n    x = 1\n\n\n\n    def user(self):\n        used()\n"}
    )
    asked, around = one_symbol(snapshot, "a:used"), one_symbol(snapshot, "a:A")
    shown = {node_id(snapshot, asked): (1, 1), node_id(snapshot, around): (2, last)}
    found = pack_coverage(snapshot, (asked,), shown, needs_ranking=False, omitted=0)
    assert sum(gap.count for gap in found.completeness.gaps) == count


def test_counts_of_an_answer_that_was_cut_are_no_counts() -> None:
    snapshot = snapshot_of({"a.py": "def go(): ...\n" + "".join(f"def f{n}(): go()\n" for n in range(5))})
    place = one_symbol(snapshot, "a:go")
    whole, cut = (impact(snapshot, ImpactQuery(place, limit=limit)) for limit in (50, 3))
    shown = impact_view(Presenter(snapshot), whole, "upstream"), impact_view(Presenter(snapshot), cut, "upstream")
    assert [(one.counts, one.tests) for one in shown] == [((5,), 0), (None, None)]
    ways = trace(snapshot, TraceQuery(place, direction="in", paths=2))
    assert (ways.coverage.truncated, ways.coverage.omitted) == (True, 0)


def test_subclasses_lack_only_what_may_name_a_base() -> None:
    files = {"a.py": "class Base: ...\n", "b.py": "from .gone import Base\nclass C(Base): ...\ndef f(x): x.Base()\n"}
    snapshot = snapshot_of(files)
    found = subtypes_lack(snapshot, one_symbol(snapshot, "a:Base"))
    assert [gap.cause for gap in found.gaps] == ["unresolved_import"]


def test_who_makes_an_instance_names_the_class_of_a_constructor() -> None:
    snapshot = snapshot_of({"a.py": "class A:\n    def __init__(self): ...\ndef f(m): m.A()\n"})
    assert incoming(snapshot, "a:A.__init__") == {"unknown_receiver": 1}


def test_only_what_other_files_can_name_is_meant_by_an_open_use() -> None:
    """Each `default:` of an object made all components incomplete, and `x.user` every local variable called so."""
    files = {
        "package.json": '{"name": "app"}',
        "one.svelte": "<script>\nconst { user, p } = $props();\n</script>\n<p>{user.name}{p}</p>\n",
        "tools.ts": "const user = 1;\nexport function save() { return user }\nexport class Shop { save() {} }\n",
        "held.ts": "function load() {}\nexport const api = make({ load });\n",
        "page.js": "function globalOne() {}\n",
        "use.js": (
            "export const actions = { default: async ({ locals, request }) => locals.user };\n"
            "window.app({ save: 1 }, request.load, request.globalOne);\nexport const taken = request.save;\n"
        ),
    }
    snapshot = snapshot_of(files)
    assert incoming(snapshot, "one.svelte:user") == {}
    assert incoming(snapshot, "one.svelte:default") == {}
    assert incoming(snapshot, "tools.ts:user") == {}
    # A key may be a method's, never a function's.
    assert incoming(snapshot, "tools.ts:save") == {"unknown_receiver": 1}
    assert incoming(snapshot, "tools.ts:Shop.save") == {"unknown_receiver": 2}
    # What an object holds may be looked up in it, and what a script of a page defines everywhere.
    assert incoming(snapshot, "held.ts:load") == {"unknown_receiver": 1}
    assert incoming(snapshot, "page.js:globalOne") == {"unknown_receiver": 1}
    for symbol in ("tools.ts:save", "tools.ts:Shop.save"):
        assert len(sites(snapshot, symbol)) == sum(incoming(snapshot, symbol).values())


def test_a_pattern_is_no_use_of_what_it_binds() -> None:
    snapshot = snapshot_of({"a.ts": "export const { part, other: mine } = unknown();\n", "b.ts": "x.part;\n"})
    assert incoming(snapshot, "a.ts:part") == {"unknown_receiver": 1}
    assert len(sites(snapshot, "a.ts:part")) == 1


def test_what_may_come_from_outside_as_well_as_from_here_is_counted_and_linked() -> None:
    files = {
        "a.py": "class Other: ...\n",
        "compat.py": """
try:
    from driver.types import Range
    DateRange = Range
except ImportError:
    from driver2.extras import DateRange
""",
        "use.py": """
from a import Other
from compat import DateRange

def use(x: Other):
    return DateRange()
""",
    }
    snapshot = snapshot_of(files)
    for path in snapshot.shards:
        snapshot.links(path)
    assert snapshot.link_failures() == {}
    found = neighborhood(snapshot, one_symbol(snapshot, "use:use"), NeighborhoodQuery(direction="out"))
    assert {edge.target.file for edge in found.edges if isinstance(edge.target, SymbolRef)} == {"a.py", "compat.py"}


SPECIAL = """\
class Box:
    def __init__(self): self.items = []
    def __len__(self): return self.count()
    def count(self): return len(self.items)
    def plain(self): ...

def use(box: Box, other): return len(box), len(other), Box().plain()
"""


@pytest.mark.parametrize(
    ("name", "missing"),
    [("Box.__len__", ["implicit_calls"]), ("Box.__init__", []), ("Box.plain", []), ("Box", []), ("use", [])],
)
def test_methods_that_constructs_run_unnamed(name: str, missing: list[str]) -> None:
    """`len(other)` may run it; nobody counts such constructs, and answers about anything else are not touched."""
    snapshot = snapshot_of({"box.py": SPECIAL})
    assert incoming(snapshot, f"box:{name}") == dict.fromkeys(missing, 0)


def test_a_walk_through_a_method_that_runs_unnamed_is_not_complete() -> None:
    snapshot = snapshot_of({"box.py": SPECIAL})
    for name, complete in (("Box.count", False), ("Box.plain", True)):
        found = impact(snapshot, ImpactQuery(one_symbol(snapshot, f"box:{name}")))
        assert answer(snapshot, found.coverage).complete is complete, name


def test_what_uses_itself_leads_to_itself() -> None:
    """A trace said that everything was visited and left out the one use of a function that only calls itself."""
    files = {"a.py": "def again(n):\n    again(n)\n\ndef ping():\n    pong()\n\ndef pong():\n    ping()\n"}
    snapshot = snapshot_of(files)
    again, ping = one_symbol(snapshot, "a:again"), one_symbol(snapshot, "a:ping")
    for route in (TraceQuery(again, direction="in", depth=1), TraceQuery(again), TraceQuery(again, again)):
        found = trace(snapshot, route)
        assert [path.nodes for path in found.paths] == [(again, again)]
        assert [edge.kind for path in found.paths for edge in path.edges] == ["calls"]
    round_trip = trace(snapshot, TraceQuery(ping, ping))
    assert [path.nodes for path in round_trip.paths] == [(ping, one_symbol(snapshot, "a:pong"), ping)]
    assert [path.nodes for path in trace(snapshot, TraceQuery(ping)).paths] == [(ping, one_symbol(snapshot, "a:pong"))]


def test_only_calls_of_its_name_may_run_a_constructor_of_typescript() -> None:
    """`x.constructor === Object` says nothing about who makes an instance."""
    snapshot = snapshot_of(
        {
            "a.ts": "export class A {\n  constructor(x: number) {}\n}\n",
            "b.ts": "export function same(x) { return x.constructor === Object }\n"
            "export function more(x) { return new x.constructor(1) }\n",
        }
    )
    assert incoming(snapshot, "a.ts:A.constructor") == {"unknown_receiver": 1}
    assert sites(snapshot, "a.ts:A.constructor") == [
        "unknown_receiver: export function more(x) { return new x.constructor(1) }"
    ]


OUTSIDE = """\
import ast, json
from elsewhere import View

class Encoder(json.JSONEncoder):
    def default(self, o): return super().default(o)
    def mine(self): ...

class Below(Encoder):
    def default(self, o): ...

class Visitor(ast.NodeVisitor):
    def visit_Name(self, node): ...

class Page(View):
    def __init__(self): ...
    def get(self): ...
    def _own(self): ...

class Plain:
    def get_all(self): ...
"""


@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("Encoder.default", True),
        ("Below.default", True),
        ("Encoder.mine", False),
        ("Visitor.visit_Name", True),
        ("Page.get", True),
        ("Page._own", False),
        ("Page.__init__", False),
        ("Plain.get_all", False),
    ],
)
def test_members_that_code_outside_may_use(standard: InstalledLibraries, name: str, outside: bool) -> None:
    """`json` runs `default`, and nothing in the workspace says so."""
    snapshot = snapshot_of({"a.py": OUTSIDE}, libraries=standard)
    assert incoming(snapshot, f"a:{name}") == ({"used_outside": 0} if outside else {})
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, f"a:{name}")))
    assert answer(snapshot, found.coverage).complete is not outside


TS_OUTSIDE = """\
import { Component } from "react";
export class Page extends Component {
  render() { return null; }
  #own() {}
}
export class Plain { render2() {} }
"""


@pytest.mark.parametrize(("name", "outside"), [("Page.render", True), ("Page.#own", False), ("Plain.render2", False)])
def test_members_that_a_framework_may_use(name: str, outside: bool) -> None:
    snapshot = snapshot_of({"page.ts": TS_OUTSIDE, "package.json": '{"dependencies": {"react": "1"}}'})
    assert incoming(snapshot, f"page.ts:{name}") == ({"used_outside": 0} if outside else {})


def test_what_adds_to_another_module_is_used_where_that_is() -> None:
    """`interface App` in `declare module "./lib"` is one with the `App` that `./lib` gives, as TypeScript has it."""
    files = {
        "types.ts": "export interface App { a: number }\n",
        "lib.ts": 'export type { App } from "./types"\n',
        "use.ts": 'import { App } from "./lib"\n'
        'declare module "./lib" {\n  interface App { b: string }\n  interface Added { c: number }\n}\n'
        "export const use = (app: App) => app.a\n",
    }
    snapshot = snapshot_of(files)
    assert incoming(snapshot, "use.ts:./lib.App") == {"unknown_receiver": 3}
    assert incoming(snapshot, "use.ts:./lib.Added") == {}
    assert incoming(snapshot, "types.ts:App") == {}


def test_names_of_arguments_mean_members_but_no_methods() -> None:
    python = {
        "a.py": "class A:\n    retry: int = 1\n    def again(self): ...\n"
        "def use(x):\n    x(retry=1, again=2)\n    x.again()\n"
    }
    snapshot = snapshot_of(python)
    assert sites(snapshot, "a:A.again") == ["unknown_receiver: x.again()"]
    assert sites(snapshot, "a:A.retry") == ["unknown_receiver: x(retry=1, again=2)"]
    snapshot = snapshot_of({"a.ts": "export class A { close() {} }\nexport function use(x) { x({ close() {} }) }\n"})
    assert sites(snapshot, "a.ts:A.close") == ["unknown_receiver: export function use(x) { x({ close() {} }) }"]


def test_uses_that_may_name_a_base_are_looked_for_while_there_is_time() -> None:
    files = {
        f"m{number}.py": f"import lost{number}\nclass A{number}(lost{number}.Base): pass\n" for number in range(40)
    }
    snapshot = snapshot_of({**files, "base.py": "class Base: pass\n"})
    place = SymbolRef(FilePath("base.py"), 0)
    whole = subtypes_lack(snapshot, place)
    with limited(budget_of_steps(5)):
        cut = subtypes_lack(snapshot, place)
    assert Cause.TIME_LIMIT in {gap.cause for gap in cut.gaps}
    assert Cause.TIME_LIMIT not in {gap.cause for gap in whole.gaps}
    assert sum(gap.count for gap in cut.gaps) < 10
