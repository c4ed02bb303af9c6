"""Pictures as SVG: boxes and labels apart, bounded, the same bytes for the same graph, no markup from names."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from fixture_text import fixture
from graphls.graph.drawing import Box, Line, Scheme, svg
from graphls.graph.drawing.layers import Gaps, Pair, Size, layered_layout
from graphls.graph.drawing.modules import MOST_BOXES, modules
from graphls.graph.export import ExportOptions, export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.records import Edge, Node, Record
from graphls.session.memory import snapshot_of

NAMES = "abcdefghij"
SVG = "{http://www.w3.org/2000/svg}"
Sizes = tuple[dict[str, Size], dict[Pair, Size]]


@st.composite
def graphs(draw: st.DrawFn) -> Sizes:
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    sizes = st.builds(Size, st.integers(40, 90), st.integers(20, 60))
    pairs = draw(st.sets(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=25))
    labels = st.one_of(st.just(Size(0, 0)), st.builds(Size, st.integers(20, 80), st.just(18)))
    return {name: draw(sizes) for name in names}, {pair: draw(labels) for pair in sorted(pairs)}


@given(graphs())
def test_boxes_and_labels_never_overlap_and_every_pair_has_its_way(graph: Sizes) -> None:
    boxes, labels = graph
    found = layered_layout(boxes, labels, Gaps())
    spots = [(found.boxes[name], size) for name, size in boxes.items()]
    spots += [(found.labels[pair], size) for pair, size in labels.items() if pair in found.labels and size.along]
    for (one, first), (other, second) in combinations(spots, 2):
        along = abs(one.along - other.along) - (first.along + second.along) / 2
        across = abs(one.across - other.across) - (first.across + second.across) / 2
        assert along > -0.2 or across > -0.2
    for (source, target), way in found.lines.items():
        steps = [found.boxes[source].along, *(spot.along for spot, _ in way), found.boxes[target].along]
        assert steps in (sorted(steps), sorted(steps, reverse=True))
    assert set(found.lines) == {pair for pair in labels if pair[0] != pair[1]}
    assert found == layered_layout(boxes, labels, Gaps())


def test_what_points_at_something_stands_before_it() -> None:
    size = Size(50, 20)
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]
    places = layered_layout(dict.fromkeys("cbad", size), dict.fromkeys(pairs, Size(0, 0)), Gaps()).boxes
    assert all(places[source].along < places[target].along for source, target in pairs)
    assert places["d"].along == places["b"].along


def test_names_are_text_and_nothing_is_loaded() -> None:
    odd = Box("2", "x\x00\ud800", "", "value", outside=True)
    boxes = (Box("1", '<script>alert("1")</script>', "a & b", "type"), odd)
    text = "".join(svg(Scheme("</title><script>", boxes, (Line("1", "2", "calls </text>"),), ("note <b>",))))
    root = ElementTree.fromstring(text.encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "title", "style", "defs", "marker", "path", "rect", "g", "text",
    }  # fmt: skip
    assert "a & b" in [element.text for element in root.iter(f"{SVG}text")]
    assert not re.search(r"(?:href|src|url\((?!#))", text)


def test_modules_of_a_small_graph_are_drawn() -> None:
    files = """
        --- path: shop/__init__.py ---
        --- path: shop/core.py ---
        X = 1
        --- path: shop/web.py ---
        from shop.core import X
        import json
    """
    records = list(export(snapshot_of(dict(fixture(files).files)), ExportOptions(mode="allow-errors")).records())
    scheme = modules(records)
    assert {"shop.core", "shop.web"} <= {box.name for box in scheme.boxes} <= {"shop", "shop.core", "shop.web"}
    assert ("shop.web", "shop.core") in {(line.source, line.target) for line in scheme.lines}
    assert "".join(WHOLE_GRAPH["svg"](records)) == "".join(WHOLE_GRAPH["svg"](iter(records)))


def _module(name: str, file: str) -> Node:
    return Node(id=f"n:{name}", kind="module", name=name, qualified_name=name, file=file)


def _import(source: str, target: str) -> Edge:
    return Edge(id=f"e:{source}{target}", kind="imports", source=f"n:{source}", target=f"n:{target}")


def test_many_modules_are_folded_and_the_picture_says_so() -> None:
    names = [f"big.part{part}.m{number}" for part in range(8) for number in range(20)]
    tests = [f"test_{number}" for number in range(30)]
    records: list[Record] = [_module(name, f"src/{name.replace('.', '/')}.py") for name in names]
    records += [_module(name, f"tests/{name}.py") for name in tests]
    records += [_import(one, other) for one, other in pairwise(names)]
    records += [_import(test, names[0]) for test in tests]
    scheme = modules(records)
    assert {box.name for box in scheme.boxes} == {"(tests)", *(f"big.part{part}" for part in range(8))}
    assert any("190 modules, folded to 9" in note for note in scheme.notes)
    many = modules([_module(f"m{number}", f"m{number}.py") for number in range(500)])
    assert len(many.boxes) == MOST_BOXES
    assert any("460 modules left out" in note for note in many.notes)


def test_imports_that_longer_ways_stand_for_are_left_out_of_a_crowd() -> None:
    names = [f"m{number:02}" for number in range(12)]
    records: list[Record] = [_module(name, f"{name}.py") for name in names]
    records += [_import(one, other) for one, other in combinations(names, 2)]
    scheme = modules(records)
    assert [(line.source, line.target) for line in scheme.lines] == list(pairwise(names))
    assert any("55 imports left out" in note for note in scheme.notes)


def test_a_crowd_around_one_box_stands_in_rows_and_columns_with_one_line() -> None:
    callers = tuple(Box(f"n{number}", f"caller_{number}", "function", "callable") for number in range(60))
    boxes = (
        Box("hub", "hub", "function", "callable", root=True),
        Box("leaf", "leaf", "function", "callable"),
        *callers,
    )
    lines = (*(Line(box.id, "hub", "calls ~", "calls") for box in callers), Line("hub", "leaf", "calls", "calls"))
    root = ElementTree.fromstring("".join(svg(Scheme("crowd", boxes, lines))))
    drawn = [one for one in root.iter(f"{SVG}rect") if one.get("class") == "body"]
    assert len(drawn) == len(boxes)
    assert len([one for one in root.iter(f"{SVG}rect") if one.get("class") == "frame"]) == 1
    assert len([one for one in root.iter(f"{SVG}path") if one.get("marker-end")]) == 2
    assert 0.5 < float(root.get("width", 0)) / float(root.get("height", 1)) < 3
    corners = [
        re.findall(r"[\d.]+", one.get("transform", ""))
        for one in root.iter(f"{SVG}g")
        if one.find(f"{SVG}rect[@class='body']") is not None
    ]
    spots = sorted((float(x), float(y)) for x, y in corners)
    assert len(set(spots)) == len(boxes)
    few = (Line("n1", "hub", "calls ~", "calls"), Line("hub", "leaf", "calls", "calls"))
    assert 'class="frame"' not in "".join(svg(Scheme("few", boxes[:4], few)))


def test_arrows_have_a_direction_at_their_heads() -> None:
    boxes = tuple(Box(name, name, "module", "module") for name in "abc")
    lines = (Line("a", "b"), Line("b", "c"), Line("a", "c"))
    for down in (False, True):
        text = "".join(svg(Scheme("arrows", boxes, lines, down=down)))
        for way in re.findall(r'<path class="line [^"]*" d="(M[^"]*)" marker-end', text):
            numbers = [float(one) for one in re.findall(r"-?[\d.]+", way)]
            assert numbers[-2:] != numbers[-4:-2]
            assert numbers[-2:] != numbers[-8:-6]
