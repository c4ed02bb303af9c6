"""Unread uses: what no language reads is not nothing.

Owns: which words of templates, scripts and configuration make an answer incomplete, and which do not.
Must not know: how the words are indexed.
Invariant: each case states all uses that are found, as lines of text.
"""

from __future__ import annotations

import random
import re

import pytest

from graphls.analysis.findings import findings
from graphls.graph.edges import edges_to
from graphls.graph.request_budget import BudgetSpentError, budget_of_steps, limited, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.unread_uses import unread_uses
from graphls.graph.unread_words import starts_of_word
from graphls.queries.completeness import Cause, CoverageClaim, completeness, open_sites
from graphls.queries.open_uses import open_uses
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

PYTHON = {
    "app/__init__.py": "",
    "app/tools.py": """
def frobnicate(): ...

def get_total(): ...

def run(): ...

class Shop:
    def sell(self): ...
    def name(self): ...
""",
}
SCRIPT = {
    "package.json": '{"name": "shop"}',
    "src/tools.ts": """
export function getTotal() { return 1 }
export function run() {}
export class Shop { sell() {} }
""",
}


def found(files: dict[str, str], symbol: str) -> list[str]:
    """Lines of the unread uses of a symbol; completeness counts as many as are listed."""
    snapshot = snapshot_of(files)
    place = one_symbol(snapshot, symbol)
    claim = CoverageClaim(uses_of=(place,))
    listed = [use for use in open_uses(snapshot, claim) if use.cause == Cause.UNREAD]
    counted = sum(gap.count for gap in completeness(snapshot, claim).gaps if gap.cause == Cause.UNREAD)
    assert counted == len(listed)
    return [f"{use.file}:{use.line}: {use.text}" for use in listed]


@pytest.mark.parametrize(
    ("path", "text", "symbol", "lines"),
    [
        ("fast.sage", "from app.tools import frobnicate\nfrobnicate()\n", "frobnicate", [1, 2]),
        ("fast.sage", "from app.tools cimport run\nrun()\n", "run", [1, 2]),
        ("fast.sage", "from numpy import run\nrun()\n", "run", []),
        ("fast.sage", "def run(): ...\nrun()\n", "run", []),
        ("fast.sage", "import app.tools as t\nt.run()\n", "run", [2]),
        ("fast.sage", "import numpy as np\nnp.sell()\n", "Shop.sell", []),
        ("fast.sage", "# x.sell()\nx.sell()\n", "Shop.sell", [2]),
        ("page.html", "<p>run and sell</p>{{ shop.sell }}\n", "Shop.sell", [1]),
        ("page.html", "<p>run</p>{{ run }}\n", "run", []),
        ("page.html", "{{ run() }}\n", "run", [1]),
        ("page.html", "{{ price|get_total }}\n", "get_total", [1]),
        ("page.html", "<script>x.sell()</script>\n", "Shop.sell", []),
        ("go.sh", "python -c 'from app.tools import run; run()'\n", "run", [1, 1]),
        ("go.sh", "# run this\nrun tests\n", "run", []),
        ("conf.yaml", "name: run\nrun: make\n", "run", []),
        ("conf.yaml", "callback: frobnicate\n", "frobnicate", [1]),
        ("conf.yaml", "frobnicate: callback\n", "frobnicate", []),
        ("conf.yaml", "name: the shop\n", "Shop.name", []),
        ("conf.json", '{"call": "get_total", "get_total": 1}', "get_total", [1]),
        ("ext.c", 'PyObject_GetAttrString(module, "get_total"); get_total();\n', "get_total", [1]),
        ("README.md", "Call `get_total()` or app.tools.run.\n", "get_total", []),
        ("README.md", ">>> from app.tools import run\n>>> run()\n", "run", [1, 2]),
        (
            "fast.pyx.in",
            "from app.tools cimport run\n{{for t in kinds}}\ndef {{t}}(x):\n  run(x)\n{{endfor}}\n",
            "run",
            [1, 4],
        ),
        ("fast.pxd.in", "from numpy import run\nrun()\n", "run", []),
        ("fast.pxi.in", "cdef f():\n    # x.sell()\n    return x.sell()\n", "Shop.sell", [3]),
        ("fast.pyx.tp", "import app.tools as t\nt.get_total()\n", "get_total", [2]),
        ("made.py.j2", "from app.tools import run\nrun({{ shop.sell() }})\n", "run", [1, 2]),
        ("made.py.j2", "from app.tools import run\nrun({{ shop.sell() }})\n", "Shop.sell", [2]),
        ("bin/start.in", "#!/usr/bin/env python\nfrom app.tools import get_total\n", "get_total", [2]),
        ("bin/start", "#!/bin/sh\nrun\n", "run", []),
    ],
)
def test_words_of_unread_files(path: str, text: str, symbol: str, lines: list[int]) -> None:
    """A helper that only such a file uses was `0, complete`."""
    name = f"app.tools:{symbol}" if symbol else "app.tools"
    rows = text.split("\n")
    assert found({**PYTHON, path: text}, name) == [f"{path}:{line}: {rows[line - 1].strip()}" for line in lines]


@pytest.mark.parametrize(
    ("path", "text", "symbol", "lines"),
    [
        ("index.html", '<button onclick="getTotal()">getTotal</button>\n', "getTotal", [1]),
        ("page.ejs", "<%= shop.sell() %>\n", "Shop.sell", [1]),
        ("shop.component.html", '<button (click)="sell()">sell</button>\n', "Shop.sell", [1]),
        ("doc.mdx", "import { run } from '../src/tools'\n\nrun {run()}\n", "run", [1, 3]),
        ("serverless.yml", "handler: src/tools.run\n", "run", [1]),
        ("locale/en.json", '{"getTotal": "Total"}', "getTotal", []),
        ("main.go", "func getTotal() {}\n", "getTotal", []),
    ],
)
def test_words_beside_typescript(path: str, text: str, symbol: str, lines: list[int]) -> None:
    name = f"src/tools.ts:{symbol}" if symbol else "src/tools.ts"
    rows = text.split("\n")
    assert found({**SCRIPT, path: text}, name) == [f"{path}:{line}: {rows[line - 1].strip()}" for line in lines]


@pytest.mark.parametrize(
    ("path", "text", "symbol"),
    [
        ("go.sh", "gunicorn app.tools:run\n", "app.tools:run"),
        ("conf.yaml", "handler: app.tools.run\n", "app.tools:run"),
        ("Procfile", "web: python app/tools.py\n", "app.tools"),
        ("index.html", '<script src="/src/tools.ts"></script>\n', "src/tools.ts"),
    ],
)
def test_what_documents_name_for_certain_is_an_edge_and_no_gap(path: str, text: str, symbol: str) -> None:
    files = {**PYTHON, **SCRIPT, path: text}
    snapshot = snapshot_of(files)
    edges = [edge for edge in edges_to(snapshot, one_symbol(snapshot, symbol)) if edge.attributes.get("via")]
    assert [(edge.kind, edge.sites[0][0]) for edge in edges] == [("references", path)]
    assert found(files, symbol) == []


def test_sites_have_places_and_no_rows() -> None:
    snapshot = snapshot_of({**PYTHON, "conf.yaml": "a: 1\nhandler: do app.tools.run\n"})
    site, *more = open_sites(snapshot, CoverageClaim(uses_of=(place_of(snapshot, "run"),)))
    assert not more
    assert (site.file, site.start, site.end, site.row) == ("conf.yaml", 27, 30, -1)


def place_of(snapshot: Snapshot, name: str) -> SymbolRef:
    return one_symbol(snapshot, f"app.tools:{name}")


def test_what_unread_files_use_is_not_unused() -> None:
    """`Remove _main.` was said of the target of a script."""
    files = {
        "pyproject.toml": '[project]\nname = "app"\n[project.scripts]\nshop = "app.tools:_main"\n',
        "app/__init__.py": "",
        "app/tools.py": "def _main(): ...\ndef _help(): ...\ndef _lost(): ...\n",
        "fast.pyx": "from app.tools import _help\n_help()\n",
    }
    snapshot = snapshot_of(files)
    said = [found.title for found in findings(snapshot, Settings()).findings if found.title.endswith("nothing uses")]
    assert [title.partition(":")[0] for title in said] == ["_lost"]
    # The manifest's word is an edge of the graph, so it is not counted once more.
    assert found(files, "app.tools:_main") == []


JVM = {
    "src/shop/Item.java": "package shop;\npublic class Item {\n  int getTotal() { return 1; }\n  void mark() {}\n}\n",
    "src/shop/Basket.kt": "package shop\nimport lost.Lost\nclass Basket {\n val rows = 1\n"
    " fun sum(items: Lost) = items.first().total + rows\n fun all(item: Item) = listOf(item.total).size\n}\n",
    "src/shop/Main.java": "package shop;\nclass Main {\n  int all(lost.Lost b) { return b.get(1).getRows(); }\n"
    "  int one(Basket b) { return b.getRows(); }\n}\n",
}


@pytest.mark.parametrize(
    ("symbol", "uses"),
    [
        ("Item", []),
        ("Item.getTotal", ["fun sum(items: Lost) = items.first().total + rows"]),
        ("Item.mark", []),
        ("Basket", []),
        ("Basket.rows", ["int all(lost.Lost b) { return b.get(1).getRows(); }"]),
        ("Basket.sum", []),
    ],
)
def test_code_of_a_language_that_runs_with_it_may_use_a_declaration(symbol: str, uses: list[str]) -> None:
    """What types decide is a use; what hangs on a type that nobody declares may be one."""
    assert [line.split(": ", 1)[1] for line in found(JVM, symbol)] == uses


def test_a_word_stands_where_an_expression_finds_it() -> None:
    chosen = random.Random(1)
    for _ in range(2_000):
        text = bytes(chosen.choices(b"ab$_.- 1\xc3\xa4\n", k=chosen.randrange(40)))
        word = "".join(chosen.choices("ab$_-", k=chosen.randrange(1, 4)))
        for besides in (b"", b"$"):
            inside = rb"[\w\x80-\xff" + besides + rb"]"
            pattern = rb"(?<!" + inside + rb")" + re.escape(word.encode()) + rb"(?!" + inside + rb")"
            assert list(starts_of_word(text, word, besides)) == [one.start() for one in re.finditer(pattern, text)]


@pytest.mark.parametrize("words", ["title: shop.sell\n", "note: a-frobnicated thing\n"])
def test_words_of_long_documents_spend_the_budget_of_a_request(words: str) -> None:
    """Thousands of them took seconds behind the end of a request."""
    names = ("title", "shop", "sell", "frobnicate", "thing", "note")
    files = {**PYTHON, "app/title.py": "".join(f"def {name}(): ...\n" for name in names), "a.yaml": words * 400}
    snapshot = snapshot_of(files)
    place = one_symbol(snapshot, "title:title")
    with limited(budget_of_steps(200)), pytest.raises(BudgetSpentError):
        unread_uses(snapshot, place, names)
    with limited(budget_of_steps(50_000)):
        under_budget = unread_uses(snapshot, place, names)
    assert under_budget == unread_uses(snapshot_of(files), place, names)


def test_what_an_answer_lacks_is_counted_until_there_is_time_for_words_left() -> None:
    """Thousands of nodes are put into words behind it, in the same request."""
    snapshot = snapshot_of({**PYTHON, "a.yaml": "note: frobnicate thing\n" * 400})
    place = one_symbol(snapshot, "app.tools:frobnicate")
    with limited(budget_of_steps(200)):
        found = completeness(snapshot, CoverageClaim(uses_of=(place,)))
        assert [gap.cause for gap in found.gaps] == [Cause.TIME_LIMIT]
        spend()
