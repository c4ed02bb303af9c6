"""Hidden characters on every face: what turns text around, rings a bell or breaks a line is spelled out.

Owns: formats of whole graphs, lines of exports, hovers.
Must not know: which characters `graph.inert` names.
Invariant: no face passes such a character on, and JSON that spells it says the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.formats.compact import CompactAbout, CompactItem, compact
from graphls.graph.records import Node
from graphls.graph.wire import record_of
from graphls.lsp.hover_text import markdown, plain
from graphls.queries.hover import hover
from graphls.session.memory import snapshot_of

TURN, BELL, NEXT_LINE = "\u202e", "\x07", "\u2028"
ODD = f"a{TURN}b{BELL}c{NEXT_LINE}d\u2066"
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
PATH = f"evil{TURN}{BELL}.ts"
FILES = {
    PATH: f"export const keys = {{ '{ODD}': 1 }}\n/** {ODD} */\nexport function f(x = '{ODD}') {{ return x }}\n",
    "b.py": f"def g(x='{ODD}'):\n    '''{ODD}'''\n    return x\n",
}
MADE = export(snapshot_of(FILES), ExportOptions(mode="allow-errors"))


@pytest.mark.parametrize("name", WHOLE_GRAPH)
def test_formats_of_whole_graphs(name: str) -> None:
    text = "".join(WHOLE_GRAPH[name](MADE.records()))
    assert "evil" in text
    assert not HIDDEN.search(text)


def test_a_name_breaks_no_line_of_a_label() -> None:
    records = [Node(id="n:1", kind="field", name="x", qualified_name='a\nb"];n2')]
    drawn = "".join(WHOLE_GRAPH["dot"](records))
    assert '[label="a\\\\nb\\"];n2\\nfield"' in drawn
    assert "a\nb" not in "".join(WHOLE_GRAPH["graphml"](records))


def test_lines_of_exports_spell_and_say_the_same() -> None:
    lines = [line.decode() for line in MADE.lines()]
    assert not any(HIDDEN.search(line.removesuffix("\n")) for line in lines)
    nodes = [node for node in map(record_of, lines) if isinstance(node, Node)]
    assert {node.file for node in nodes if node.file} == set(FILES)
    assert any(ODD in node.qualified_name for node in nodes)
    assert json.loads(lines[0])["snapshot"] == MADE.header.snapshot


def test_compact_text() -> None:
    node = Node(id="n:1", kind="callable", name=ODD, signature=ODD, doc=ODD, file=PATH)
    about = CompactAbout(snapshot="s:1", revision=1, task=ODD)
    assert not HIDDEN.search(compact(about, [CompactItem(node, text=ODD)]))


@pytest.mark.parametrize("written", [markdown, plain])
@pytest.mark.parametrize(("path", "name"), [(PATH, "f("), ("b.py", "g(")])
def test_hovers(written: Callable[..., str], path: str, name: str) -> None:
    offset = len(FILES[path][: FILES[path].index(f" {name}") + 1].encode())
    found = hover(snapshot_of(FILES), FilePath(path), offset)
    assert found is not None
    text = written(found)
    assert "\\u202e" in text
    assert not HIDDEN.search(text)
