"""Packed edges say what links say: before and after edits, of the file itself and of files that it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from graphls.compilers.answer_store import AnswerStore
from graphls.compilers.answers import SILENT, AnswerTarget, SiteAnswer, SiteOutcome
from graphls.compilers.overlay import dependency_key_in
from graphls.compilers.problems import CheckerProblemRecord, ModuleCheck
from graphls.facts.codec import decode, encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses, cached_addresses
from graphls.graph.edge_table import EdgeTable, cache_table, cached_table, stamp_of
from graphls.graph.edges import edges_from, edges_of, edges_of_kinds, edges_to, prepare
from graphls.graph.file_edges import OVERRIDE_KINDS, FileEdges
from graphls.graph.made_by_tool import is_made_by_tool, recall_made_by_tool
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.graph.verification import with_verification
from graphls.queries.symbol_lookup import find_symbol, one_symbol
from graphls.session.memory import snapshot_of
from graphls.session.prefetch import Prefetch
from graphls.session.session import Session, SessionOptions
from graphls.session.shared_caches import SharedCaches, key_of, stored_name
from graphls.session.snapshot_contents import SnapshotContents
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import PATIENCE, session_over, settle, write

FILES = fixture("""
    --- path: shop/__init__.py ---
    from shop.core import Order
    --- path: shop/core.py ---
    import json
    from typing import overload

    class Priced:
        rate = 1

        def total(self) -> int:
            return self.rate

    class Order(Priced):
        def __init__(self, lines):
            self.lines = lines

        def total(self) -> int:
            self.lines = json.loads("[]")
            return super().total()

    @overload
    def pick(one: int) -> int: ...
    @overload
    def pick(one: str) -> str: ...
    def pick(one): return one
    --- path: shop/report.py ---
    from shop import Order
    from shop import core as things

    def report(order: Order | things.Priced) -> int:
        made = Order([])
        made.lines = [things.pick(1)]
        return order.total() + made.total()
    --- path: tests/test_shop.py ---
    from shop.core import Order

    def test_total():
        assert Order([]).total() == 0
""").files

EDITS: tuple[Mapping[str, str], ...] = (
    {},
    {"shop/core.py": FILES["shop/core.py"].decode().replace("class Priced:", "def early(a, b): ...\n\nclass Priced:")},
    {"shop/core.py": FILES["shop/core.py"].decode().replace('json.loads("[]")', "list(map(int, []))")},
    {"shop/core.py": FILES["shop/core.py"].decode().replace("def __init__(self, lines)", "def begin(self, lines)")},
    {"shop/report.py": "from shop.core import Order\nOrder.total\n"},
    {"shop/core.py": ""},
    {"shop/core.py": FILES["shop/core.py"].decode()},
)  # fmt: skip


def asked(snapshot: Snapshot) -> dict[tuple[str, SymbolRef], list[str]]:
    """All edges at all places, by asking for each."""
    places = [
        SymbolRef(path, row) for path in snapshot.files() for row in range(-1, len(snapshot.facts(path).definitions))
    ]
    found = {("from", place): sorted(map(repr, edges_of(snapshot, place))) for place in places}
    return found | {("to", place): sorted(map(repr, edges_to(snapshot, place))) for place in places}


def fresh(snapshot: Snapshot) -> Snapshot:
    return snapshot_of({str(path): snapshot.text(path) or b"" for path in snapshot.shards}, name=snapshot.name)


def edited(session: Session, edit: Mapping[str, str]) -> Snapshot:
    for path, text in edit.items():
        session.open(FilePath(path), text.encode())
    return settle(session)


@pytest.mark.parametrize("packed", ["always", "at first", "in between"])
def test_packed_edges_are_those_of_the_links(tmp_path: Path, packed: str) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        for number, edit in enumerate(EDITS):
            snapshot = edited(session, edit)
            if packed == "always" or (number == 0 if packed == "at first" else number % 2):
                list(prepare(snapshot, lambda: False))
                assert all(cached_table(snapshot, path) for path in snapshot.files())
            assert asked(snapshot) == asked(fresh(snapshot)), edit


def test_a_body_edit_leaves_the_tables_of_other_files(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        before = settle(session)
        list(prepare(before, lambda: False))
        longer = (
            FILES["shop/core.py"].decode().replace("self.lines = json", "early = late = 1\n        self.lines = json")
        )
        after = edited(session, {"shop/core.py": longer})
        for path in after.files():
            assert (stamp_of(after, path) == stamp_of(before, path)) == (path != "shop/core.py")
            assert path == "shop/core.py" or cached_table(after, path) is not None
        assert asked(after) == asked(fresh(after))


def test_a_table_is_what_it_was_after_a_way_through_the_store(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        made = dict(prepare(snapshot, lambda: False))
        for path, table in made.items():
            cache_table(snapshot, path, decode(EdgeTable, encode(table)))
        assert asked(snapshot) == asked(fresh(snapshot))
        links = [edge for path in snapshot.files() for edge in edges_from(snapshot, path)]
        assert sum(map(len, (edges for way, edges in asked(snapshot).items() if way[0] == "from"))) == len(links)


def test_a_second_run_takes_tables_from_the_store(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    for broken in (False, False, True):
        with session_over(tmp_path / "w", store) as session:
            snapshot = session.snapshot()
            names = [stored_name(path, key_of(snapshot.shards[path])) for path in snapshot.files()]
            if broken:
                store.put_many("edges", dict.fromkeys(names, b"broken"))
            Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
            assert all(cached_table(snapshot, path) for path in snapshot.files())
            assert asked(snapshot) == asked(fresh(snapshot))
        assert len(store.get_many("edges", names)) == len(FILES)


@pytest.mark.parametrize("packed", [True, False])
def test_a_bare_name_is_looked_for_where_something_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    """By what was packed, and by what an earlier run stored, no file is read for its uses of a name."""
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
        names = {name for path in snapshot.files() for name in snapshot.facts(path).strings}
        expected = {name: find_symbol(fresh(snapshot), name) for name in names}
        monkeypatch.setattr(Prefetch, "run", lambda *_: None)
        if not packed:
            at_rest(session)
        assert {name: find_symbol(snapshot, name) for name in names} == expected
        read, facts = list[str](), SnapshotContents.facts

        def noted(contents: SnapshotContents, shard: Shard) -> FileFacts:
            read.append(shard.path)
            return facts(contents, shard)

        monkeypatch.setattr(SnapshotContents, "facts", noted)
        assert "shop/report.py" in snapshot.files_with_name("total")
        assert find_symbol(snapshot, "total") == expected["total"]
        assert "shop/report.py" not in read
        assert "shop/__init__.py" in snapshot.files_with_name("Order")
        assert find_symbol(snapshot, "Order") == expected["Order"]
        assert "shop/__init__.py" not in read, "an import is no declaration"


def test_what_a_tool_made_is_known_from_an_earlier_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = b"# Code generated by hand. DO NOT EDIT.\nfrom shop.core import Order\nOrder([]).total()\n"
    write(tmp_path / "w", {**FILES, "shop/made.py": made})
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
        monkeypatch.setattr(Prefetch, "run", lambda *_: None)
        at_rest(session)
        read, facts = list[str](), SnapshotContents.facts

        def noted(contents: SnapshotContents, shard: Shard) -> FileFacts:
            read.append(shard.path)
            return facts(contents, shard)

        monkeypatch.setattr(SnapshotContents, "facts", noted)
        files = tuple(snapshot.files())
        recall_made_by_tool(snapshot, files)
        assert [path for path in files if is_made_by_tool(snapshot, path)] == ["shop/made.py"]
        assert read == []


def test_a_file_that_is_asked_again_and_again_is_packed_for_later_runs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a session packs ahead in its own time would take part in the count.
    monkeypatch.setattr(Prefetch, "run", lambda *_: None)
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    packed: list[int] = []
    for _ in range(2):
        with session_over(tmp_path / "w", store) as session:
            snapshot = at_rest(session)
            core = FilePath("shop/core.py")
            places = [SymbolRef(core, row) for row in range(len(snapshot.facts(core).definitions))]
            for number in range(40):
                if cached_table(snapshot, REPORT) is not None:
                    break
                list(edges_to(snapshot, places[number % len(places)]))
            packed.append(number)
            assert cached_table(snapshot, REPORT) is not None
            assert asked(snapshot) == asked(fresh(snapshot))
    assert packed[1] < packed[0], "the second run makes what the first one kept"


def at_rest(session: Session) -> Snapshot:
    """Its snapshot as a command has it: nothing was packed ahead."""
    snapshot = settle(session)
    for shard in snapshot.shards.values():
        shard.memo.clear()
    snapshot.memo.clear()
    return snapshot


def test_edges_between_members_need_no_look_at_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(FILES)
    found = 0
    for path in snapshot.files():
        for row in range(len(snapshot.facts(path).definitions)):
            place = SymbolRef(path, row)
            for incoming, every in ((True, edges_to), (False, edges_of)):
                expected = [edge for edge in every(snapshot, place) if edge.kind in OVERRIDE_KINDS]
                assert list(edges_of_kinds(snapshot, place, OVERRIDE_KINDS, incoming=incoming)) == expected
                found += len(expected)
    assert found
    snapshot = snapshot_of(FILES)
    monkeypatch.setattr(FileEdges, "_occurrences", None)
    place = one_symbol(snapshot, "shop.core:Priced.total")
    assert len(list(edges_of_kinds(snapshot, place, OVERRIDE_KINDS, incoming=True))) == 1


def test_links_of_earlier_runs_are_read_where_many_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store):
        pass
    session = Session(Workspace.of([str(tmp_path / "w")]), store=store, options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", PATIENCE)
        snapshot = session.snapshot()
        ends = ((FilePath("shop/core.py"), 0),)
        left = [len(snapshot.reaching(ends).unsure) for _ in range(6)]
    finally:
        session.close()
    assert left[0] == len(tuple(snapshot.files()))
    assert left[-1] == 0


def test_a_second_run_takes_ids_from_the_store(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = session.snapshot()
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
        before = dict(cached_addresses(snapshot))
    with session_over(tmp_path / "w", store) as session:
        snapshot = session.snapshot()
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
        again = dict(cached_addresses(snapshot))
    assert before.keys() == again.keys() == set(snapshot.files())
    for path, made in before.items():
        assert attrs.astuple(again[path]) == attrs.astuple(made) == attrs.astuple(addresses(fresh(snapshot), path))


def test_ids_of_a_buffer_are_made_anew_only_where_definitions_differ(tmp_path: Path) -> None:
    base = FILES["shop/core.py"].decode() + "\n\nclass Test(Priced):\n    def test_it(self): ...\n"
    texts = (
        (base + "#", False),
        (base.replace("return self.rate", "return self.rate + len(self.names)"), True),
        (base.replace("return self.rate", "return self.other"), True),
        (base.replace("return self.rate", "local = self.rate"), False),
        (base.replace("class Order(Priced)", "class Order(enum.Enum)"), False),
        (base.replace("rate = 1", "rate: int"), False),
        (base.replace("rate = 1", "rats: int"), False),
        (base.replace("def test_it", "def rest_it"), False),
        (base.replace("class Priced:", "def early(a, b): ...\n\nclass Priced:"), False),
        (base.replace("import json", "import json\n__all__ = ['pick']"), False),
        (base.replace("import json", "import json\n__all__ = ['Priced']"), False),
        (base, False),
    )
    core = FilePath("shop/core.py")
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        session.open(core, FILES[core])
        before = addresses(session.snapshot(), core)
        for text, same in texts:
            session.change(core, text.encode())
            snapshot = session.snapshot()
            made = addresses(snapshot, core)
            assert attrs.astuple(made) == attrs.astuple(addresses(fresh(snapshot), core)), text
            assert (made is before) == same, text
            before = made


ANSWERS: tuple[Mapping[str, str], ...] = (
    {"total": "Priced.total"},
    {"total": "Order.total", "made": ""},
    {"total": "", "lines": "json.loads"},
    {"total": "Order.total", "Order": "Order", "pick": "pick"},
)
"""What a checker says of the uses of a name in the report, one after the other; "" that it knows nothing."""
REPORT = FilePath("shop/report.py")
CORE = FilePath("shop/core.py")


def symbol_named(snapshot: Snapshot, dotted: str) -> AnswerTarget:
    facts = snapshot.facts(CORE)
    for row, symbol in enumerate(facts.definitions.surface):
        if symbol >= 0 and qualified_name(facts, row) == dotted:
            return AnswerTarget(CORE, symbol)
    return AnswerTarget("", EXTERNAL, dotted)


def tell(ledger: AnswerStore, snapshot: Snapshot, said: Mapping[str, str], path: FilePath = REPORT) -> None:
    """Answers about uses of names come in."""
    shard, facts = snapshot.shards[path], snapshot.facts(path)
    page = ledger.file_answers(snapshot, shard, snapshot.own_links(path))
    for row, name in enumerate(facts.occurrences.name):
        if (dotted := said.get(facts.strings[name])) is not None:
            answer = SiteAnswer(SiteOutcome.FOUND, (symbol_named(snapshot, dotted),)) if dotted else SILENT
            ledger.add(page, row, answer, snapshot)


def judge(ledger: AnswerStore, snapshot: Snapshot, *, clean: bool) -> None:
    shard = snapshot.shards[REPORT]
    problem = CheckerProblemRecord(REPORT, 0, 1, "odd", "error", "is wrong", "ty")
    ground = dependency_key_in(snapshot, REPORT, snapshot.own_links(REPORT))
    ledger.add_check(ModuleCheck(REPORT, shard.content, ground, () if clean else (problem,)), keep=True)


def same_with_answers(snapshot: Snapshot, ledger: AnswerStore) -> Snapshot:
    """What tables say is what links say, in a snapshot that has none; the snapshot with the answers."""
    seen = with_verification(snapshot, ledger.overlay())
    assert asked(seen) == asked(with_verification(fresh(snapshot), ledger.overlay()))
    return seen


def test_packed_edges_hold_until_the_checker_says_something_else(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot, ledger = settle(session), AnswerStore({"python": "test 1"})
        list(prepare(snapshot, lambda: False))
        own, before = asked(snapshot), None
        for said in ANSWERS:
            tell(ledger, snapshot, said)
            seen = with_verification(snapshot, ledger.overlay())
            assert cached_table(seen, REPORT) is None
            assert [path for path, _ in prepare(seen, lambda: False)] == [REPORT]
            again = same_with_answers(snapshot, ledger)
            assert cached_table(again, REPORT) is not None
            assert asked(again) not in (own, before)
            before = asked(again)
        for clean in (True, False):
            judge(ledger, snapshot, clean=clean)
            assert cached_table(with_verification(snapshot, ledger.overlay()), REPORT) is None
            same_with_answers(snapshot, ledger)
            list(prepare(with_verification(snapshot, ledger.overlay()), lambda: False))
            same_with_answers(snapshot, ledger)
        # Who asks nobody sees own links, from the tables of these.
        assert cached_table(snapshot, REPORT) is not None
        assert asked(snapshot) == own


def test_packed_edges_of_answers_go_with_what_they_rest_on(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot, ledger = settle(session), AnswerStore({"python": "test 1"})
        tell(ledger, snapshot, ANSWERS[3])
        tell(ledger, snapshot, {"total": "Priced.total"}, FilePath("tests/test_shop.py"))
        for number, edit in enumerate((*EDITS, {"shop/report.py": FILES["shop/report.py"].decode()}, EDITS[2])):
            snapshot = edited(session, edit)
            same_with_answers(snapshot, ledger)
            if number % 3 != 2:
                seen = with_verification(snapshot, ledger.overlay())
                list(prepare(snapshot, lambda: False))
                list(prepare(seen, lambda: False))
                assert all(cached_table(seen, path) for path in seen.files())
                same_with_answers(snapshot, ledger)
            if number == 4:
                tell(ledger, snapshot, {"total": "Order.total"})
                same_with_answers(snapshot, ledger)


def test_answers_of_one_moment_are_never_packed(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot, ledger = settle(session), AnswerStore({"python": "test 1"})
        page = ledger.unlinked_answers(snapshot, snapshot.shards[REPORT])
        ledger.add(page, 0, SiteAnswer(SiteOutcome.FOUND, (symbol_named(snapshot, "Priced.total"),)), snapshot)
        seen = with_verification(snapshot, ledger.overlay())
        before = asked(seen)
        assert before != asked(snapshot)
        assert REPORT not in dict(prepare(seen, lambda: False))
        assert cached_table(seen, REPORT) is None
        assert asked(seen) == before
        # Another state is none of its business: there own links are all there is.
        after = edited(session, {"shop/__init__.py": "from shop.core import Order\n\n"})
        seen = with_verification(after, ledger.overlay())
        list(prepare(seen, lambda: False))
        assert cached_table(seen, REPORT) is not None
        same_with_answers(after, ledger)


def test_a_session_packs_what_was_said(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot, ledger = settle(session), AnswerStore({"python": "test 1"})
        tell(ledger, snapshot, ANSWERS[0])
        seen = with_verification(snapshot, ledger.overlay())
        store = BlobStore(StoreOptions(str(tmp_path / "cache")))
        ahead = Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False)
        ahead.run()
        names = [stored_name(path, key_of(snapshot.shards[path])) for path in snapshot.files()]
        stored = store.get_many("edges", names)
        ahead.run(seen)
        assert all(cached_table(seen, path) and cached_table(snapshot, path) for path in seen.files())
        assert cached_table(seen, REPORT) is not cached_table(snapshot, REPORT)
        assert store.get_many("edges", names) == stored
        same_with_answers(snapshot, ledger)
