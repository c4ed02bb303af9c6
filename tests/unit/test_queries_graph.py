"""What is around a node, how one reaches another, what a change reaches; names, outlines, shapes."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixture_text import fixture
from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import Node
from graphls.graph.errors import BadRequest
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, answer
from graphls.queries.call_hierarchy import callees, callers
from graphls.queries.code_lens import lens_counts, lenses
from graphls.queries.completeness import Cause, Completeness, Gap
from graphls.queries.document_symbols import OutlineItem, document_symbols
from graphls.queries.find import QUALITIES, FindQuery, Mode, find, quality
from graphls.queries.find_filter import FindFilter
from graphls.queries.folding import folding
from graphls.queries.hover import hover
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.scope import files_in
from graphls.queries.selection import selection
from graphls.queries.status import status
from graphls.queries.summary import summary
from graphls.queries.symbol_lookup import one_symbol
from graphls.queries.trace import TraceQuery, trace
from graphls.queries.type_hierarchy import all_supertypes, family, subtypes, supertypes
from graphls.session.memory import snapshot_of

SHOP = """
    --- path: shop/__init__.py ---
    from shop.core import Order
    __all__ = ["Order"]
    --- path: shop/core.py ---
    import json

    class Priced:
        def total(self) -> int:
            return 0

    class Order(Priced):
        '''An order.'''
        def total(self) -> int:
            return tax(1)
        def dump(self) -> str:
            return json.dumps(self.total())

    def tax(amount: int) -> int:
        return rate() * amount

    def rate() -> int:
        return 2
    --- path: shop/web.py ---
    from shop.core import Order
    def view() -> str:
        return Order().dump()
    --- path: tests/test_web.py ---
    from shop.web import view
    def test_view():
        assert view()
"""


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of(dict(fixture(SHOP).files))


def _names(snapshot: Snapshot, nodes: list[Node] | tuple[Node, ...]) -> list[str]:
    return [one if isinstance(one, str) else symbol_name(snapshot, one) for one in nodes]


def test_neighborhood_goes_step_by_step(shop: Snapshot) -> None:
    root = one_symbol(shop, "shop.core:tax")
    calls = frozenset({"calls"})
    found = neighborhood(shop, root, NeighborhoodQuery(depth=2, direction="out", edge_kinds=calls))
    assert _names(shop, [near.node for near in found.nodes]) == ["shop.core:rate"]
    found = neighborhood(shop, root, NeighborhoodQuery(depth=2, direction="in", edge_kinds=calls))
    assert [(symbol_name(shop, near.node), near.depth) for near in found.nodes if isinstance(near.node, SymbolRef)] == [
        ("shop.core:Order.total", 1),
        ("shop.core:Order.dump", 2),
    ]
    assert not found.coverage.truncated


def test_neighborhood_pages_are_disjoint_and_complete(shop: Snapshot) -> None:
    root = one_symbol(shop, "shop.core:Order")
    whole = neighborhood(shop, root, NeighborhoodQuery(depth=3, limit=500))
    seen: list[Node] = []
    cursor = ""
    for _ in range(100):
        page = neighborhood(shop, root, NeighborhoodQuery(depth=3, limit=3, cursor=cursor))
        seen.extend(near.node for near in page.nodes)
        cursor = page.coverage.cursor
        assert bool(cursor) == page.coverage.truncated
        if not cursor:
            break
    assert seen == [near.node for near in whole.nodes]
    assert len(seen) == len(set(seen))


def test_around_a_hub_answers_are_cut_and_say_so() -> None:
    callers = "".join(f"def c{n}():\n    hub()\n    c{n // 2}()\n" for n in range(900))
    crowd = snapshot_of({FilePath("m.py"): b"def hub():\n    pass\n" + callers.encode()})
    found = neighborhood(crowd, one_symbol(crowd, "m:hub"), NeighborhoodQuery(depth=5, limit=200))
    assert len(found.nodes) == 200
    assert found.coverage.truncated
    # The walk stopped: what it had seen by then is no count of what is left.
    assert found.coverage.omitted == 0
    assert found.coverage.cursor
    reached = impact(crowd, ImpactQuery(one_symbol(crowd, "m:hub"), depth=5, limit=100))
    assert len(reached.affected) == 100
    assert reached.coverage.truncated


@pytest.mark.parametrize(
    "reach",
    [
        NeighborhoodQuery(depth=0),
        NeighborhoodQuery(depth=6),
        NeighborhoodQuery(cursor="x"),
        NeighborhoodQuery(cursor="-1"),
    ],
)
def test_neighborhood_refuses_nonsense(shop: Snapshot, reach: NeighborhoodQuery) -> None:
    with pytest.raises(BadRequest):
        neighborhood(shop, one_symbol(shop, "shop.core:tax"), reach)


def test_a_ranked_neighborhood_spends_its_limit_on_what_is_used() -> None:
    members = "".join(f"    x{number} = {number}\n" for number in range(30))
    uses = "".join(f"def f{number}():\n    {'Big; ' * (number + 1)}\n\n\n" for number in range(10))
    text = f"import os\nfrom other import Base\n\n\nclass Big(Base):\n{members}\n\n{uses}"
    snapshot = snapshot_of({"m.py": text, "other.py": "class Base: ...\n", "user.py": "from m import Big\n"})
    root = one_symbol(snapshot, "m:Big")
    plain = neighborhood(snapshot, root, NeighborhoodQuery(limit=6))
    found = neighborhood(snapshot, root, NeighborhoodQuery(limit=6, ranked=True))
    names = [symbol_name(snapshot, near.node) for near in found.nodes if isinstance(near.node, SymbolRef)]
    assert names[:3] == ["m:f9", "m:f8", "m:f7"]
    assert found.total == 12  # with the class below it and the module that imports it
    assert (plain.total, len(plain.nodes)) == (None, 6)
    assert found.coverage.truncated
    whole = neighborhood(snapshot, root, NeighborhoodQuery(limit=500, ranked=True))
    unranked = neighborhood(snapshot, root, NeighborhoodQuery(limit=500))
    assert {near.node for near in whole.nodes} == {near.node for near in unranked.nodes}
    first, second = (
        neighborhood(snapshot, root, NeighborhoodQuery(limit=6, ranked=True, cursor=at)).nodes for at in ("", "6")
    )
    assert (*first, *second) == whole.nodes[:12]


def test_edges_of_an_answer_end_in_it(shop: Snapshot) -> None:
    found = neighborhood(shop, one_symbol(shop, "shop.core:Order"), NeighborhoodQuery(depth=2, limit=4))
    shown_nodes = {found.root, *(near.node for near in found.nodes)}
    assert all(edge.source in shown_nodes and edge.target in shown_nodes for edge in found.edges)


def test_trace_finds_the_way_and_says_when_there_is_none(shop: Snapshot) -> None:
    source, target = one_symbol(shop, "shop.web:view"), one_symbol(shop, "shop.core:rate")
    found = trace(shop, TraceQuery(source, target))
    assert _names(shop, found.paths[0].nodes) == [
        "shop.web:view",
        "shop.core:Order.dump",
        "shop.core:Order.total",
        "shop.core:tax",
        "shop.core:rate",
    ]
    back = trace(shop, TraceQuery(target, source))
    assert back.paths == ()
    assert back.exhausted


def test_a_path_shows_all_that_leads_from_one_node_to_the_next() -> None:
    """Of a module that takes `wait` out of what it requires and calls it, only the first was shown, as complete."""
    files = {
        "wait.js": "function wait() {}\nmodule.exports.wait = wait\n",
        "use.js": "const { wait } = require('./wait')\nwait()\nlater(wait)\n",
    }
    snapshot = snapshot_of(files)
    way = trace(snapshot, TraceQuery(one_symbol(snapshot, "wait.js:wait"), direction="in", depth=1))
    (path,) = (path for path in way.paths if path.nodes[-1] == SymbolRef(FilePath("use.js"), NONE))
    assert [edge.kind for edge in path.edges] == ["calls"]
    assert [edge.kind for edge in path.parallel] == ["references"]
    assert sorted(site[1] for edge in (*path.edges, *path.parallel) for site in edge.sites) == [8, 35, 48]


def test_every_declaration_of_a_symbol_asks_for_the_same_ways() -> None:
    """Of an overload nothing led back, and that was called complete."""
    head = "from typing import overload\n@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\n"
    snapshot = snapshot_of({"m.py": f"{head}def f(x): ...\ndef g(): f(1)\n"})
    path = FilePath("m.py")
    names = snapshot.facts(path).definitions.name
    own = one_symbol(snapshot, "m:f")
    rows = [row for row, name in enumerate(names) if name == names[own.definition]]
    assert len(rows) == 3
    user = one_symbol(snapshot, "m:g")
    for row in rows:
        back = trace(snapshot, TraceQuery(SymbolRef(path, row), direction="in", depth=1))
        forth = trace(snapshot, TraceQuery(user, SymbolRef(path, row)))
        assert [way.nodes for way in (*back.paths, *forth.paths)] == [(own, user), (user, own)]


def test_impact_counts_distance_tests_and_packages(shop: Snapshot) -> None:
    found = impact(shop, ImpactQuery(one_symbol(shop, "shop.core:rate"), depth=6))
    reached = {_names(shop, [one.node])[0]: one for one in found.affected}
    assert reached["shop.core:tax"].depth == 1
    assert reached["tests.test_web:test_view" if "tests.test_web:test_view" in reached else "test_web:test_view"].test
    without = impact(shop, ImpactQuery(one_symbol(shop, "shop.core:rate"), depth=6, tests=False))
    assert not any(one.test for one in without.affected)


def test_impact_gives_the_edges_that_were_walked_between_what_it_shows(shop: Snapshot) -> None:
    root = one_symbol(shop, "shop.core:rate")
    found = impact(shop, ImpactQuery(root, depth=6, tests=False, edges=100))
    shown = {*found.seeds, *(one.node for one in found.affected)}
    assert all({edge.source, edge.target} <= shown for edge in found.edges)
    # An edge leads from what is affected; one to an overridden member, whose callers may run the other, leads to it.
    ends = {edge.target if "possible" in edge.attributes else edge.source for edge in found.edges}
    assert {one.node for one in found.affected} <= ends
    few = impact(shop, ImpactQuery(root, depth=6, tests=False, edges=1))
    assert few.edges == found.edges[:1]
    assert few.edges_omitted == len(found.edges) - 1
    assert not impact(shop, ImpactQuery(root, depth=6)).edges


def test_impact_of_a_member_takes_its_family_along(shop: Snapshot) -> None:
    base = one_symbol(shop, "shop.core:Priced.total")
    assert set(_names(shop, family(shop, base))) == {"shop.core:Priced.total", "shop.core:Order.total"}
    reached = {_names(shop, [one.node])[0] for one in impact(shop, ImpactQuery(base, depth=1)).affected}
    assert "shop.core:Order.dump" in reached


def test_hierarchies(shop: Snapshot) -> None:
    order, priced = one_symbol(shop, "shop.core:Order"), one_symbol(shop, "shop.core:Priced")
    assert supertypes(shop, order) == (priced,)
    assert subtypes(shop, priced) == (order,)
    dump = one_symbol(shop, "shop.core:Order.dump")
    assert _names(shop, [calls.place for calls in callers(shop, dump).calls]) == ["shop.web:view"]
    assert _names(shop, [calls.place for calls in callees(shop, dump)]) == ["shop.core:Order.total"]


def test_a_module_has_no_bases() -> None:
    """A client may send the item of a module, which the calls of a module are listed under."""
    files = {FilePath("a.py"): b"print()\n", FilePath("b.py"): b"class A: ...\nclass B(A): ...\n"}
    bare = snapshot_of(files)
    for path in files:
        assert supertypes(bare, SymbolRef(path, NONE)) == all_supertypes(bare, SymbolRef(path, NONE)) == ()
        assert subtypes(bare, SymbolRef(path, NONE)) == ()


def test_node_groups_edges_by_kind(shop: Snapshot) -> None:
    found = node(shop, one_symbol(shop, "shop.core:Order"))
    assert _names(shop, found.members) == ["shop.core:Order.total", "shop.core:Order.dump"]
    kinds = {(group.kind, group.incoming) for group in found.groups}
    assert {("extends", False), ("instantiates", True), ("contains", False)} <= kinds


def test_hover_states_what_is_known(shop: Snapshot) -> None:
    text = fixture(SHOP).files["shop/web.py"]
    found = hover(shop, FilePath("shop/web.py"), text.index(b"Order()"))
    assert found is not None
    assert found.card is not None
    card = found.card
    assert card.symbol == "shop.core:Order"
    assert card.doc == "An order."
    assert card.use is not None
    assert (card.use.callers, card.use.tests, card.use.unresolved_sites) == (1, 0, 0)


def test_hover_outside_names_the_target(shop: Snapshot) -> None:
    text = fixture(SHOP).files["shop/core.py"]
    found = hover(shop, FilePath("shop/core.py"), text.index(b"dumps"))
    assert found is not None
    assert found.card is None
    assert found.others == ("json.dumps",)


def test_outline_nests_members(shop: Snapshot) -> None:
    def shape(entries: tuple[OutlineItem, ...]) -> list[object]:
        return [[entry.name, shape(entry.children)] if entry.children else entry.name for entry in entries]

    entries = document_symbols(shop, FilePath("shop/core.py"))
    assert shape(entries) == [["Priced", ["total"]], ["Order", ["total", "dump"]], "tax", "rate"]
    for entry in entries:
        assert entry.full_start <= entry.start < entry.end <= entry.full_end


def test_lenses_count_when_shown(shop: Snapshot) -> None:
    found = {symbol_name(shop, lens.place): lens for lens in lenses(shop, FilePath("shop/core.py"))}
    assert set(found) >= {"shop.core:Order", "shop.core:Order.dump", "shop.core:tax"}
    assert lens_counts(shop, found["shop.core:tax"].place).use.callers == 1


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("get_query_set", "get_query_set", 0),
        ("QuerySet", "queryset", 1),
        ("get_query_set", "get_q", 2),
        ("get_query_set", "gqs", 3),
        ("getQuerySet", "gQS", 3),
        ("HTTPServer", "hs", 3),
        ("my_order", "order", 3),
        ("reorder", "order", 4),
        ("calculate", "clt", 5),
        ("calculate", "zz", None),
        ("", "a", None),
    ],
)
def test_quality_of_a_match(name: str, wanted: str, expected: int | None) -> None:
    assert quality(name, wanted, "fuzzy") == expected


def test_find_ranks_and_filters(shop: Snapshot) -> None:
    assert [match.name for match in find(shop, FindQuery("order")).matches][:1] == ["Order"]
    assert [match.container for match in find(shop, FindQuery("Order.total", mode="exact")).matches] == [
        "shop.core:Order"
    ]
    assert {match.name for match in find(shop, FindQuery("t", only=FindFilter(frozenset({"method"})))).matches} >= {
        "total"
    }
    assert find(shop, FindQuery("")).matches == ()
    first = find(shop, FindQuery("t", limit=1))
    assert len(first.matches) == 1
    assert first.total > 1


_LETTERS = st.text(st.sampled_from("abAB_ßİı"), min_size=1, max_size=6)


@given(
    names=st.lists(_LETTERS, min_size=1, max_size=6, unique=True), wanted=_LETTERS, mode=st.sampled_from(get_args(Mode))
)
@settings(deadline=None)
def test_find_gives_each_name_that_matches(names: list[str], wanted: str, mode: Mode) -> None:
    text = "".join(f"{name} = 1\n" for name in names)
    found = find(snapshot_of({"m.py": text.encode()}), FindQuery(wanted, mode))
    expected = {name for name in names if quality(name, wanted, mode) is not None}
    # Where no name fits as a whole, the words of the text may fit.
    by_words = {"words", "someWords"}
    assert {match.name for match in found.matches if QUALITIES[match.quality] not in by_words} == expected
    assert not expected or not any(QUALITIES[match.quality] in by_words for match in found.matches)
    assert [match.quality for match in found.matches] == sorted(match.quality for match in found.matches)


def test_folds_and_selections_nest(shop: Snapshot) -> None:
    path = FilePath("shop/core.py")
    assert all(fold.end_line > fold.start_line for fold in folding(shop, path))
    text = fixture(SHOP).files[path]
    ladder = selection(shop, path, text.index(b"amount\n"))
    assert ladder[0] == (text.index(b"amount\n"), text.index(b"amount\n") + 6)
    assert ladder[-1] == (0, len(text))
    assert all(outer[0] <= inner[0] and inner[1] <= outer[1] for inner, outer in pairwise(ladder))


def test_summary_and_status(shop: Snapshot) -> None:
    found = summary(shop)
    assert (found.files, found.test_files) == (4, 1)
    assert found.most_imported[0].name == "shop.core"
    assert found.public_api == ("shop:Order",)
    assert status(shop).indexed == 4
    assert files_in(shop, "shop") == tuple(path for path in shop.files() if path.startswith("shop/"))
    with pytest.raises(BadRequest):
        files_in(shop, "nowhere")


def test_public_names_are_not_what_a_package_imports_for_itself() -> None:
    text = b"""from __future__ import annotations
import os
from json import dumps
from json import loads as loads
from shop.core import Order
from . import core

VERSION = "1"
"""
    files = {"shop/__init__.py": text, "shop/core.py": b"class Order: ...", "typings/lib/__init__.pyi": b"import os"}
    found = summary(snapshot_of({FilePath(path): data for path, data in files.items()}))
    assert found.public_api == ("shop:Order", "shop:VERSION", "shop:core", "shop:loads")


def test_an_answer_with_something_left_out_is_not_complete(shop: Snapshot) -> None:
    assert answer(shop).complete
    assert answer(shop).snapshot.startswith("s:")
    gap = Completeness((Gap(Cause.UNKNOWN_RECEIVER, "in", 1),))
    assert not answer(shop, Coverage(completeness=gap)).complete
    assert not answer(shop, Coverage(truncated=True)).complete


def test_components_are_callers_of_what_they_render() -> None:
    """An element counts once, whether it is closed by a tag or not."""
    snapshot = snapshot_of({
        "row.tsx": "export function Row() { return <i /> }\n",
        "table.tsx": "import { Row } from './row'\nexport const Table = () => <Row><Row /></Row>\n",
        "page.tsx": "import { Table } from './table'\nexport class Page { render() { return <Table /> } }\n",
    })  # fmt: skip
    row, table = one_symbol(snapshot, "row.tsx:Row"), one_symbol(snapshot, "table.tsx:Table")
    (by,) = callers(snapshot, row).calls
    assert (symbol_name(snapshot, by.place), len(by.sites)) == ("table.tsx:Table", 2)
    assert [symbol_name(snapshot, one.place) for one in callers(snapshot, table).calls] == ["page.tsx:Page.render"]
    assert [symbol_name(snapshot, one.place) for one in callees(snapshot, table)] == ["row.tsx:Row"]
    found = trace(snapshot, TraceQuery(one_symbol(snapshot, "page.tsx:Page.render"), row))
    assert found.paths
