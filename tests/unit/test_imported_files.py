"""Imported files: languages that graphls does not read, known from a SCIP index.

Owns: an index of two files of Scala beside one of Python, questions to it, what becomes of it when files change.
Must not know: how facts are made of an index.
Invariant: every relation that the index says is an edge and says where it comes from; nothing else is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.compilers.scip import holder_of, last_sign, read_index
from graphls.compilers.scip_facts import scip_file_facts
from graphls.facts.paths import FilePath
from graphls.graph.conformance import conformance
from graphls.graph.edges import edges_from
from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import snapshot_id
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.completeness import Cause
from graphls.queries.definition import definition
from graphls.queries.find import FindQuery, find
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.references import references
from graphls.session.imported_files import without_imports
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from scip_schema import parsed

FILES = {
    "lib/shop.scala": "class Shop\n  def pay(sum)\n    note(sum)\n  end\n  def note(x)\n  end\nend\n",
    "lib/market.scala": "class Market < Shop\n  def pay(sum)\n    Shop.new.note(sum)\n  end\nend\n",
    "tool.py": "def run(): ...\n",
}
SHOP, MARKET = "scip-scala maven shop 1 Shop#", "scip-scala maven shop 1 Market#"
DEFINED = 1


def index(**languages: str) -> bytes:
    """The index, as SCIP's own schema writes it."""
    made = parsed(b"")
    made.metadata.tool_info.name = "scip-scala"

    def document(path: str, *uses: tuple[tuple[int, ...], str, int, tuple[int, ...]]) -> None:
        added = made.documents.add(relative_path=path, language=languages.get("language", "Scala"), position_encoding=1)
        for where, symbol, roles, around in uses:
            added.occurrences.add(range=where, symbol=symbol, symbol_roles=roles, enclosing_range=around)
        for symbol, kind, base in (
            (SHOP, 7, ""),
            (f"{SHOP}pay().", 26, ""),
            (MARKET, 7, SHOP),
            (f"{MARKET}pay().", 26, f"{SHOP}pay()."),
        ):
            if any(symbol == use[1] and use[2] for use in uses):
                said = added.symbols.add(symbol=symbol, kind=kind, documentation=["What it is."])
                if base:
                    said.relationships.add(symbol=base, is_implementation=True)

    document(
        "lib/shop.scala",
        ((0, 6, 10), SHOP, DEFINED, (0, 0, 6, 3)),
        ((1, 6, 9), f"{SHOP}pay().", DEFINED, (1, 2, 3, 5)),
        ((1, 10, 13), "local 1", DEFINED, ()),
        ((2, 4, 8), f"{SHOP}note().", 0, ()),
        ((2, 9, 12), "local 1", 0, ()),
        ((4, 6, 10), f"{SHOP}note().", DEFINED, (4, 2, 5, 5)),
    )
    document(
        "lib/market.scala",
        ((0, 6, 12), MARKET, DEFINED, (0, 0, 4, 3)),
        ((0, 15, 19), SHOP, 0, ()),
        ((1, 6, 9), f"{MARKET}pay().", DEFINED, (1, 2, 3, 5)),
        ((2, 4, 8), SHOP, 0, ()),
        ((2, 9, 12), "scip-scala maven core 3 Class#new().", 0, ()),
        ((2, 13, 17), f"{SHOP}note().", 0, ()),
    )
    return made.SerializeToString()


class Place:
    """A workspace on disk with its cache."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "work", folder / "cache"
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def snapshot(self, raw: bytes = b"") -> Snapshot:
        """What a new session sees, after it took in an index."""
        options = SessionOptions(link_all=True, checker=False)
        store = BlobStore(StoreOptions(str(self.cache)))
        session = Session(Workspace.of([str(self.root)]), store=store, options=options)
        session.start()
        try:
            assert session.wait("complete", 60)
            if raw:
                found = session.import_index(session.snapshot(), read_index(raw))
                assert (found.known, found.stale) == (("lib/market.scala", "lib/shop.scala"), ())
            return session.snapshot()
        finally:
            session.close()
            store.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("imported"))
    made.snapshot(index())
    return made


@pytest.fixture(scope="module")
def seen(place: Place) -> Snapshot:
    return place.snapshot()


def named(snapshot: Snapshot, name: str) -> SymbolRef:
    return find(snapshot, FindQuery(name, mode="exact")).matches[0].place


def spelled(snapshot: Snapshot, end: object) -> str:
    if not isinstance(end, SymbolRef):
        return str(end)
    return qualified_name(snapshot.facts(end.file), end.definition) if end.definition >= 0 else end.file


def test_every_relation_of_the_index_is_an_edge(seen: Snapshot) -> None:
    found = {
        (spelled(seen, edge.source), edge.kind, spelled(seen, edge.target))
        for path in ("lib/shop.scala", "lib/market.scala")
        for edge in edges_from(seen, FilePath(path))
        if edge.kind not in ("contains", "defines")
    }
    assert found == {
        ("Shop.pay", "calls", "Shop.note"),
        ("Market", "extends", "Shop"),
        ("Market.pay", "overrides", "Shop.pay"),
        ("Market.pay", "type_ref", "Shop"),
        ("Market.pay", "references", "Class.new"),
        ("Market.pay", "calls", "Shop.note"),
    }
    edges = list(edges_from(seen, FilePath("lib/market.scala")))
    assert {edge.provenance for edge in edges} == {"scip_imported"}


def test_questions_use_them(seen: Snapshot) -> None:
    note = named(seen, "note")
    uses = references(seen, note)
    assert [(use.file, use.start) for use in uses.uses] == [("lib/market.scala", 48), ("lib/shop.scala", 30)]
    assert not uses.completeness.gaps
    market = FilePath("lib/market.scala")
    answer = definition(seen, market, 48)
    assert answer is not None
    assert [(one.file, one.start) for one in answer.places] == [
        ("lib/shop.scala", FILES["lib/shop.scala"].index("note(x"))
    ]
    reached = {spelled(seen, one.node) for one in impact(seen, ImpactQuery(note)).affected}
    assert {"Shop.pay", "Market.pay"} <= reached


def test_an_export_conforms_and_names_its_sources(seen: Snapshot) -> None:
    lines = list(export(seen, ExportOptions(mode="allow-errors", sites=True, locals=True)).lines())
    assert not conformance(lines).breaches
    assert b'"languages":["python","scala"]' in lines[0]
    assert any(b'"provenance":"scip_imported"' in line and b'"name":"Market"' in line for line in lines)


def test_a_snapshot_is_named_by_what_the_index_says(seen: Snapshot, place: Place) -> None:
    other = without_imports(seen)
    assert snapshot_id(other) != snapshot_id(seen) == snapshot_id(place.snapshot())
    assert not other.shards[FilePath("lib/shop.scala")].language


def test_a_changed_file_is_plain_again_and_said_to_be_left_out(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.snapshot(index())
    (place.root / "lib/shop.scala").write_text("class Shop\nend\n")
    (place.root / "lib/new.scala").write_text("class New\nend\n")
    seen = place.snapshot()
    left = {file.path: file.reason for file in seen.skipped}
    assert left.keys() == {"lib/shop.scala", "lib/new.scala"}
    assert "make and import one anew" in left[FilePath("lib/shop.scala")]
    links = seen.links(FilePath("lib/market.scala"))
    assert links.externals[links.targets.file[0]] == "Class.new"
    assert len(links.targets) == 1
    assert len(links.unresolved) == 3
    assert not references(seen, named(seen, "Market")).completeness.gaps
    (place.root / "lib/new.scala").write_text("Market.new\n")
    seen = place.snapshot()
    assert [(gap.cause, gap.count) for gap in references(seen, named(seen, "Market")).completeness.gaps] == [
        (Cause.UNREAD, 1)
    ]


def test_what_the_cache_holds_is_checked(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.snapshot(index())
    store = BlobStore(StoreOptions(str(place.cache)))
    imported = [name for name in store.names("values") if name.startswith("imported")]
    listed, *files = sorted(imported, key=lambda name: not name.endswith("\0\0"))
    assert len(files) == 2
    assert listed.endswith("\0\0")
    store.put_many("values", {files[0]: store.get("values", files[1]) or b"", files[1]: b"x"})
    store.close()
    assert not any(shard.imported for shard in place.snapshot().shards.values())


def test_symbols() -> None:
    assert holder_of(f"{SHOP}pay().(sum)") == f"{SHOP}pay()."
    assert holder_of(SHOP) == ""
    assert holder_of("s m p 1 `a b`/`c d`#") == "s m p 1 `a b`/"
    assert [last_sign(one) for one in (SHOP, f"{SHOP}pay().", "local 1", f"{SHOP}[T]")] == ["#", "().", "", "]"]


def test_ranges_that_hold_each_other_end() -> None:
    made = parsed(b"")
    document = made.documents.add(relative_path="a.scala", position_encoding=1)
    text = b"".join(b"v%d " % number for number in range(300))
    for number in range(300):
        start = text.index(b"v%d " % number)
        end = start + len(str(number)) + 1
        document.occurrences.add(
            range=(0, start, end), symbol=f"local {number}", symbol_roles=1, enclosing_range=(0, 0, 0, len(text))
        )
    found = scip_file_facts(read_index(made.SerializeToString()).documents[0], text)
    assert found is not None
    assert set(found.facts.definitions.owner) == {-1}
