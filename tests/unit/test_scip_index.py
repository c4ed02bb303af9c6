"""SCIP index: what is written is read back, keeps the rules of the format, and names symbols alike everywhere.

Owns: the checks that SCIP's own linter makes, monikers of two workspaces compared.
Must not know: how an index is taken in.
Invariant: an index is read by the messages of the schema, not by the code that wrote it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from graphls.compilers.scip import names_in, read_index
from graphls.compilers.scip_messages import DOCUMENTS, EXTERNAL_SYMBOLS, message
from graphls.facts.paths import FilePath
from graphls.graph.monikers import external_moniker, moniker
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import LibraryPaths, library_paths
from graphls.tables.scip_index import scip_chunks
from scip_schema import parsed, unfit

SHOP = {
    "pyproject.toml": "[project]\nname = 'The_Shop'\nversion = '1.2'\n",
    "shop/__init__.py": "from shop.cart import Cart as Basket\n",
    "shop/cart.py": '"""Carts."""\nimport json\nfrom typing import overload\n\n\n'
    "class Base:\n    def total(self) -> int: ...\n\n\n"
    "class Cart(Base):\n    size = 1\n    size = 2\n\n    def total(self) -> int:\n"
    '        """The sum."""\n        amount = self.size\n        return amount\n\n'
    "    @property\n    def name(self) -> str: ...\n    @name.setter\n    def name(self, value: str) -> None: ...\n\n\n"
    "def twice():\n    def inner(): ...\n    return inner\n\n\n"
    "if json:\n    def pick(): ...\nelse:\n    def pick(): ...\n",
}
ELSEWHERE = {
    "pay.ts": "export interface Payer { pay(): number }\nexport class Card implements Payer { pay() { return 1 } }\n"
    "type Both = 1\nconst Both = 1\nexport const é = { 'a.b': Both }\n",
    "use.ts": "import { Card, é } from './pay'\nnew Card().pay()\né['a.b']\n",
    "go.mod": "module example.com/x\n",
    "x.go": "package x\n\ntype T struct{ n int }\n",
    "y.go": "package x\n\nfunc (t *T) Get() int { return t.n }\n",
}


def index_of(snapshot: Snapshot, files: Sequence[FilePath] = ()) -> bytes:
    return b"".join(scip_chunks(snapshot, files or tuple(snapshot.files())))


def parts(raw: bytes) -> Iterator[tuple[int, Any]]:
    """Documents and external symbols."""
    at = 0
    while at < len(raw):
        number, size, shift, at = raw[at] >> 3, 0, 0, at + 1
        while True:
            byte, at = raw[at], at + 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if number in (DOCUMENTS, EXTERNAL_SYMBOLS):
            made = message("Document" if number == DOCUMENTS else "SymbolInformation")()
            made.ParseFromString(raw[at : at + size])
            yield number, made
        at += size


def lint(raw: bytes) -> list[str]:
    """The complaints of `scip lint`."""
    wrong: list[str] = []
    found = list(parts(raw))
    externals = Counter(part.symbol for number, part in found if number == EXTERNAL_SYMBOLS)
    documents = [part for number, part in found if number == DOCUMENTS]
    described = Counter(_key(document, symbol.symbol) for document in documents for symbol in document.symbols)
    wrong += [f"twice: {symbol}" for symbol, count in (externals + described).items() if count > 1]
    wrong += [f"inside and outside: {symbol}" for symbol in set(externals) & set(described)]
    for document in documents:
        seen = Counter((tuple(one.range), one.symbol, one.symbol_roles) for one in document.occurrences)
        wrong += [f"twice: {occurrence}" for occurrence, count in seen.items() if count > 1]
        named = [one.symbol for one in document.occurrences]
        named += [relation.symbol for symbol in document.symbols for relation in symbol.relationships]
        wrong += [f"{document.relative_path}: not described: {one}" for one in named if _key(document, one) not in
                  described and one not in externals]  # fmt: skip
        wrong += [f"not formed: {one}" for one in named if not one.startswith("local ") and not names_in(one)]
        defined = {one.symbol for one in document.occurrences if one.symbol_roles & 1}
        wrong += [f"defined nowhere: {one.symbol}" for one in document.symbols if one.symbol not in defined]
    return wrong


def _key(document: Any, symbol: str) -> str:
    return f"{document.relative_path} {symbol}" if symbol.startswith("local ") else symbol


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of({**SHOP, **ELSEWHERE})


def test_an_index_keeps_the_rules_of_the_format(shop: Snapshot) -> None:
    assert lint(index_of(shop)) == []
    assert lint(index_of(shop, (FilePath("use.ts"), FilePath("y.go")))) == []
    assert index_of(shop) == index_of(snapshot_of(dict(reversed({**SHOP, **ELSEWHERE}.items()))))


def test_an_index_is_what_the_published_schema_says(shop: Snapshot) -> None:
    raw = index_of(shop)
    index = parsed(raw)
    assert list(unfit(index)) == []
    assert [document.relative_path for document in index.documents] == sorted(
        part.relative_path for number, part in parts(raw) if number == DOCUMENTS
    )
    assert {symbol.kind for document in index.documents for symbol in document.symbols} > {7, 26, 29}
    assert index.metadata.tool_info.name == "graphls"


def uses(shop: Snapshot, path: str) -> Mapping[tuple[int, int], list[tuple[str, bool]]]:
    found: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    for document in read_index(index_of(shop)).documents:
        for use in document.uses if document.path == path else ():
            found.setdefault((use.line, use.start), []).append((use.symbol, use.defines))
    return found


def test_uses_lead_to_definitions_by_their_canonical_names(shop: Snapshot) -> None:
    at = uses(shop, "shop/cart.py")
    head = "graphls pip the-shop 1.2 `shop.cart`/"
    assert at[9, 6] == [(f"{head}Cart#", True)]
    assert (f"{head}Base#", False) in at[9, 11]
    assert (at[10, 4], at[11, 4]) == ([(f"{head}Cart#size.", True)], [(f"{head}Cart#size.", False)])
    assert (at[19, 8], at[21, 8]) == ([(f"{head}Cart#name.", True)],) * 2
    assert at[25, 8] == [(f"{head}twice().inner().", True)]
    # Two of one name, neither of which is the other.
    assert {at[30, 8][0][0], at[32, 8][0][0]} == {f"{head}pick().", f"{head}pick(+2)."}
    assert (f"{head}Cart#", False) in uses(shop, "shop/__init__.py")[0, 22]
    assert uses(shop, "use.ts")[1, 11] == [("graphls npm the-shop 1.2 `pay.ts`/Card#pay().", False)]


def test_what_stands_in_for_something_says_so(shop: Snapshot) -> None:
    documents = [part for number, part in parts(index_of(shop)) if number == DOCUMENTS]
    related = {
        symbol.symbol: [(one.symbol, one.is_implementation, one.is_reference) for one in symbol.relationships]
        for document in documents
        for symbol in document.symbols
        if symbol.relationships
    }
    head = "graphls pip the-shop 1.2 `shop.cart`/"
    assert related[f"{head}Cart#"] == [(f"{head}Base#", True, False)]
    assert related[f"{head}Cart#total()."] == [(f"{head}Base#total().", True, True)]
    assert related["graphls npm the-shop 1.2 `pay.ts`/Card#pay()."] == [
        ("graphls npm the-shop 1.2 `pay.ts`/Payer#pay().", True, True)
    ]


def test_another_workspace_calls_a_library_what_it_calls_itself(shop: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "The_Shop-1.2.dist-info").mkdir()
    (tmp_path / "The_Shop-1.2.dist-info" / "METADATA").write_text("Name: The_Shop\nVersion: 1.2\n")
    (tmp_path / "The_Shop-1.2.dist-info" / "RECORD").write_text("shop/__init__.py,,\nshop/cart.py,,\n")
    for name, text in SHOP.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = LibraryPaths(library_paths(None).standard, (3, 12), (str(tmp_path),))
    user = snapshot_of({"a.py": "import shop\n"}, libraries=InstalledLibraries(paths))
    facts = shop.facts(FilePath("shop/cart.py"))
    rows = {facts.strings[name]: row for row, name in enumerate(facts.definitions.name)}
    for dotted, row in {"shop.cart.Cart.total": rows["total"], "shop.Basket": rows["Cart"], "shop.cart": -1}.items():
        assert external_moniker(user, dotted) == moniker(shop, SymbolRef(FilePath("shop/cart.py"), row))
    assert external_moniker(user, "os.path.join") == "graphls pip python 3.12 posixpath/join()."
    assert external_moniker(user, "shop.cart.Cart.gone") == "graphls pip the-shop 1.2 `shop.cart`/Cart.gone."
    assert external_moniker(user, "nowhere.x y") == "graphls . . . nowhere/`x y`."
