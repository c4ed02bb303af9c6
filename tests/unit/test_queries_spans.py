"""Stretches of uses from packed edges are those of references; their lines are those of the text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pytest

from fixture_text import fixture
from graphls.facts.lines import LineIndex, PrecomputedLineIndex
from graphls.facts.paths import FilePath
from graphls.graph.edge_table import cached_table, edge_properties
from graphls.graph.edges import prepare
from graphls.graph.line_starts import LineStarts, cached_lines
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.positions import ClientPositions
from graphls.queries import references as references_module
from graphls.queries.packed_uses import KindFilter, packed_node
from graphls.queries.references import base_owners, call_references, references
from graphls.queries.spans import Span, spans
from graphls.queries.symbol import Symbol, symbol
from graphls.queries.type_hierarchy import subtypes
from graphls.session.memory import snapshot_of
from increment.session_folder import looked_ahead, session_over, settle, write

FILES = fixture("""
    --- path: shop/__init__.py ---
    from .core import *
    --- path: shop/core.py ---
    if 1:
        def either(): ...
    else:
        def either(): ...

    class Priced:
        rate = 1

        @property
        def total(self) -> int:
            return self.rate

        @total.setter
        def total(self, value: int) -> None:
            self.rate = value

    class Order(Priced):
        def __init__(self, lines):
            self.lines = lines
    --- path: shop/report.py ---
    import shop.core
    from . import core
    from shop import Order
    from shop.core import either as any_of

    def report(order: Order | core.Priced) -> int:
        größe = "ä"; made = Order([größe]); made.lines = [any_of()]
        Order.__init__(made, [])
        made.total = shop.core.Priced.rate
        return order.total + made.total
    --- path: shop/near.py ---
    from . import core
    from .core import *
    made = core.Order([])
    --- path: web/made.ts ---
    export const made = 1;
    --- path: web/shown.ts ---
    import { made } from "./made";
    import "./made";
    export * from "./made";
    export const twice = made + made;
    --- path: tests/test_shop.py ---
    from shop import core

    def test_total():
        assert core.Order([]).total == 0
""").files


def places(snapshot: Snapshot) -> list[SymbolRef]:
    return [
        SymbolRef(path, row) for path in snapshot.files() for row in range(-1, len(snapshot.facts(path).definitions))
    ]


def asked(snapshot: Snapshot) -> dict[SymbolRef, list[Span]]:
    return {place: spans(snapshot, place) for place in places(snapshot)}


def listed(snapshot: Snapshot) -> dict[SymbolRef, list[Span]]:
    found = {place: references(snapshot, place).uses for place in places(snapshot)}
    return {place: list(dict.fromkeys((use.file, use.start, use.end) for use in uses)) for place, uses in found.items()}


def test_packed_or_not_they_are_those_of_references(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        unpacked = asked(snapshot)
        list(prepare(snapshot, lambda: False))
        tables = [table for path in snapshot.files() if (table := cached_table(snapshot, path)) is not None]
        assert len(tables) == len(FILES)
        assert any(implied for table in tables for *_, implied in edge_properties(table)), (
            "an import by path spells no module"
        )
        assert unpacked == asked(snapshot) == listed(snapshot)
        assert sum(map(len, unpacked.values())) > 40


def counted(snapshot: Snapshot) -> dict[SymbolRef, tuple[object, ...]]:
    return {place: (call_references(snapshot, place), base_owners(snapshot, place)) for place in places(snapshot)}


def test_uses_of_a_kind_are_the_same_where_packed_edges_pass_files_over(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        unpacked = counted(snapshot)
        list(prepare(snapshot, lambda: False))
        assert counted(snapshot) == unpacked
        node = packed_node(snapshot, symbol(snapshot, SymbolRef(FilePath("shop/core.py"), 2)))
        assert node is not None
        kinds = KindFilter(snapshot, node, {"extends"})
        passed = [path for path in snapshot.files() if path in snapshot.reaching([(node.file, 1)]).files]
        assert passed, "somebody uses it"
        assert not any(kinds.may_be_in(path) for path in passed), "nobody extends it elsewhere"
        path = FilePath("shop/near.py")
        session.open(path, FILES[path] + b"class More(Priced): ...\n")
        for snapshot in (session.snapshot(), settle(session)):
            list(prepare(snapshot, lambda: False))
            assert counted(snapshot) == counted(snapshot_of({str(p): snapshot.text(p) or b"" for p in snapshot.shards}))


def test_an_edited_file_among_packed_ones(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        list(prepare(settle(session), lambda: False))
        path = FilePath("shop/report.py")
        session.open(path, FILES[path].replace(b"return order", b"order.rate\n    return order"))
        for snapshot in (session.snapshot(), settle(session)):
            assert asked(snapshot) == listed(snapshot)


def test_lines_at_hand_are_those_of_the_facts(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    for snapshot in looked_ahead(tmp_path / "w", tmp_path / "cache"):
        for path in snapshot.files():
            kept = cached_lines(snapshot, path)
            assert kept is not None
            assert attrs.astuple(kept) == attrs.astuple(LineStarts.of(snapshot.facts(path)))


def test_numbers_of_a_stretch_are_those_of_its_ends(tmp_path: Path) -> None:
    texts = {"a.py": b"ab = 1\r\ncd = ab\n\nef", "b.py": "\ufeffäb = '😀'; cd = äb\r\nef = 1\rgh".encode(), "c.py": b""}
    write(tmp_path, texts)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        for path, encoding in product(snapshot.files(), ("utf-8", "utf-16", "utf-32")):
            text, index = texts[path], ClientPositions(snapshot, encoding).lines(path)
            for start, end in product(range(-1, len(text) + 3), repeat=2):
                ends = *index.position(start, encoding), *index.position(max(start, end), encoding)
                assert index.stretch(start, end, encoding) == ends, (path, start, end)
            known, plain = PrecomputedLineIndex(text, snapshot.facts(path).lines), LineIndex(text)
            for offset, line in product(range(-1, len(text) + 3), range(-1, 6)):
                assert known.position(offset, encoding) == plain.position(offset, encoding), (path, offset)
                assert known.offset(line, offset, encoding) == plain.offset(line, offset, encoding), (path, line)


def test_what_names_a_base_is_read_of_packed_edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.py": "class C: pass\n"} | {
        f"c{number}.py": f"from a import C\n\n\nclass D{number}(C): pass\n\n\nC()\n" for number in range(9)
    }
    write(tmp_path, files)
    looked: list[str] = []
    looking = references_module.uses_in

    def counted(snapshot: Snapshot, thing: Symbol, path: FilePath, *more: Any) -> Iterator[references_module.Reference]:
        looked.append(path)
        return looking(snapshot, thing, path, *more)

    monkeypatch.setattr(references_module, "uses_in", counted)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        place = SymbolRef(FilePath("a.py"), 0)
        plain = base_owners(snapshot, place)
        list(prepare(snapshot, lambda: False))
        looked.clear()
        assert base_owners(snapshot, place) == plain
        assert len(subtypes(snapshot, place)) == 9
        assert set(looked) <= {"a.py"}
