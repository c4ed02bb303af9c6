"""Imported indexes: what a SCIP file settles, and what is refused.

Owns: an encoder of small indexes, hostile ones among them.
Must not know: who makes indexes.
Invariant: an index is taken whole or refused; what graphls is sure of stays as it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.compilers.answer_store import AnswerStore
from graphls.compilers.scip import ScipError, is_spelled, names_in, package_of, read_index
from graphls.compilers.scip_answers import import_index
from graphls.facts.paths import FilePath
from graphls.graph.verification import provenance, with_verification
from graphls.session.memory import snapshot_of

GLOBAL = "scip-python python shop 1 "
FILES = {
    "shop/cart.py": "class Cart:\n    def total(self): pass\n",
    "shop/use.py": "import requests\ndef pay(cart, sent):\n    cart.total()\n    sent.json()\n    pay(cart, sent)\n",
}
TOTAL, PAY = f"{GLOBAL}`shop.cart`/Cart#total().", f"{GLOBAL}`shop.use`/pay()."
JSON = "scip-python python requests 2 `requests.models`/Response#json()."
Said = tuple[Sequence[int], str, int]


def number(value: int) -> bytes:
    made = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def part(field: int, value: bytes) -> bytes:
    return number(field << 3 | 2) + number(len(value)) + value


def whole(field: int, value: int) -> bytes:
    return number(field << 3) + number(value)


def document(path: str, *said: Said, encoding: int = 1, text: str = "") -> bytes:
    uses = (
        part(1, b"".join(map(number, place))) + part(2, symbol.encode()) + whole(3, roles)
        for place, symbol, roles in said
    )
    body = part(1, path.encode()) + b"".join(part(2, use) for use in uses) + whole(6, encoding)
    return part(2, body + (part(5, text.encode()) if text else b""))


TOOL = part(1, part(2, part(1, b"scip-python") + part(2, b"0.6")) + part(3, b"file:///etc"))
CART = document(
    "shop/cart.py",
    ((0, 0, 0), f"{GLOBAL}`shop.cart`/__init__:", 1),
    ((1, 8, 13), TOTAL, 1),
    ((0, 6, 10), f"{GLOBAL}`shop.cart`/Cart#", 1),
)
USES: tuple[Said, ...] = (
    ((1, 4, 7), PAY, 1),
    ((1, 8, 12), "local 0", 1),
    ((2, 4, 2, 8), "local 0", 0),
    ((2, 9, 14), TOTAL, 0),
    ((3, 4, 8), "local 9", 0),
    ((3, 9, 13), JSON, 0),
    ((4, 4, 7), TOTAL, 0),
)
INDEX = TOOL + CART + document("shop/use.py", *USES) + document("elsewhere.py")


class Shelf:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def put(self, values: Mapping[str, bytes]) -> None:
        self.values.update(values)


def test_what_graphls_is_not_sure_of_is_settled_and_marked() -> None:
    snapshot = snapshot_of(FILES)
    found = import_index(snapshot, read_index(INDEX))
    assert (found.tool, found.settled, found.agreeing, found.differing) == ("scip-python 0.6", 2, 1, 1)
    assert (found.stale, found.unknown) == ((), ("elsewhere.py",))
    shelf = Shelf()
    AnswerStore({}, shelf, "home").store_imported(found.files)
    path = FilePath("shop/use.py")
    ledger = AnswerStore({}, shelf, "home")
    assert ledger.imported == {path}
    ledger.file_answers(snapshot, snapshot.shards[path], snapshot.own_links(path))
    seen = with_verification(snapshot, ledger.overlay())
    links, facts = seen.links(path), snapshot.facts(path)
    said = {
        facts.strings[facts.occurrences.name[links.targets.occurrence[row]]]: (
            seen.target(path, links, row).external or seen.target(path, links, row).place,
            provenance(links.rules[row]),
        )
        for row in range(len(links.targets))
    }
    place, tier = said["total"]
    assert not isinstance(place, str)
    assert place is not None
    assert (place.file, tier) == ("shop/cart.py", "scip_imported")
    assert said["json"] == ("requests.models.Response.json", "scip_imported")
    assert said["pay"][1] == "syntax_inferred"
    assert not AnswerStore({}, shelf, "another").imported


def test_answers_go_when_what_they_rest_on_changes() -> None:
    shelf = Shelf()
    AnswerStore({}, shelf).store_imported(import_index(snapshot_of(FILES), read_index(INDEX)).files)
    for file, text in FILES.items():
        changed = snapshot_of({**FILES, file: text + "\ndef more(): pass\n"})
        path = FilePath("shop/use.py")
        page = AnswerStore({}, shelf).file_answers(changed, changed.shards[path], changed.own_links(path))
        assert not page.rows


@pytest.mark.parametrize(
    "document",
    [
        document("shop/use.py", *USES, text="other"),
        document("shop/use.py", *USES, ((40, 0, 1), PAY, 0)),
        document("shop/use.py", ((1, 4, 70), PAY, 1), *USES[1:]),
    ],
    ids=["text", "beyond the end", "other names"],
)
def test_a_document_about_other_contents_settles_nothing(document: bytes) -> None:
    found = import_index(snapshot_of(FILES), read_index(CART + document))
    assert (found.stale, found.files) == (("shop/use.py",), {})


def test_an_index_of_another_workspace_is_refused() -> None:
    with pytest.raises(ScipError, match="make the index anew"):
        import_index(snapshot_of({"a.py": ""}), read_index(INDEX))


HOSTILE = {
    "nothing": b"",
    "no index": b"hello, world",
    "cut off": INDEX[:-5],
    "only a tool": TOOL,
    "damaged": part(2, b"\x0a\xff\xff"),
    "upwards": document("../etc/passwd"),
    "upwards inside": document("a/../../b.py"),
    "absolute": document("/etc/passwd"),
    "a drive": document("C:/x.py"),
    "backslashes": document("..\\x.py"),
    "no name": document(""),
    "two states of a file": document("a.py", text="a") + document("a.py", text="b"),
    "odd columns": document("a.py", encoding=9),
    "backwards": document("a.py", ((3, 5, 2), PAY, 0)),
    "negative": document("a.py", ((-1, 5, 6), PAY, 0)),
    "half a range": document("a.py", ((1, 2), PAY, 0)),
    "no symbol": document("a.py", ((1, 2, 3), "what is this", 0)),
    "a long symbol": document("a.py", ((1, 2, 3), f"local {'x' * 5000}", 0)),
    "a huge part": number(2 << 3 | 2) + number(2**34) + b"x",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_hostile(raw: bytes) -> None:
    with pytest.raises(ScipError):
        read_index(raw)


@given(st.binary(max_size=200), st.integers(0, len(INDEX)))
def test_bytes_of_any_kind(noise: bytes, at: int) -> None:
    for raw in (noise, INDEX[:at] + noise + INDEX[at:], INDEX[:at] + noise):
        with contextlib.suppress(ScipError):
            read_index(raw)


def test_symbols() -> None:
    assert names_in(TOTAL) == ("shop.cart", "Cart", "total")
    assert names_in("s m p  with  spaces 1 `odd ``name```/A#[T](x)b.") == ("odd `name`", "A", "T", "x", "b")
    assert names_in("s m p 1 over(+1).") == ("over",)
    assert names_in("s m p 1 ") == ()


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("s npm p 1 src/`a.ts`/name0:", "name"),
        ("s npm p 1 src/`a.ts`/name10:", "name1"),
        ("s npm p 1 src/`a.ts`/`'a b'0`:", "'a b'"),
        ("s npm p 1 src/`a.ts`/C#`<constructor>`().", "constructor"),
        ("s npm p 1 src/`a.ts`/C#`<get>size`().", "size"),
    ],
)
def test_numbered_and_marked_names_are_spelled_without_that(symbol: str, text: str) -> None:
    assert is_spelled(symbol, text)
    assert not is_spelled(symbol, f"{text}x")
    assert package_of(symbol) == "s npm p 1 "
    assert package_of("s  t m  m p 1 x.") == "s  t m  m p 1 "


def test_documents_of_one_file_are_one() -> None:
    again = document(
        "shop/use.py",
        ((1, 8, 12), "local 5", 1),
        ((2, 4, 8), "local 5", 0),
        ((1, 14, 18), "local 0", 1),
        ((3, 4, 8), "local 0", 0),
        ((2, 9, 14), TOTAL, 8),
    )
    found = read_index(INDEX + again)
    assert [one.path for one in found.documents] == ["shop/cart.py", "shop/use.py", "elsewhere.py"]
    uses = found.documents[1].uses
    assert len(uses) == len(USES) + 2
    locals_at = {(use.line, use.start): use.symbol for use in uses if use.symbol.startswith("local ")}
    # The same place, the same local, whatever each document calls it; others of one number stay apart.
    assert locals_at[1, 8] == locals_at[2, 4] != locals_at[1, 14]
    assert [use.roles for use in uses if use.symbol == TOTAL and use.line == 2] == [8]
    imported = import_index(snapshot_of(FILES), found)
    assert (imported.settled, imported.agreeing, imported.differing) == (2, 2, 1)


def test_what_an_index_names_of_its_own_package_is_not_outside() -> None:
    elsewhere = f"{GLOBAL}`src.shop.use`/other()."
    installed = "scip-python python shop 9 `shop.cart`/Cart#json()."
    for symbol in (elsewhere, installed):
        raw = CART + document("shop/use.py", ((1, 4, 7), PAY, 1), ((3, 9, 13), symbol, 0))
        assert not import_index(snapshot_of(FILES), read_index(raw)).files
