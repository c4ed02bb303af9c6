"""Edits to symbols to impact; lines that differ; graphs that differ."""

from __future__ import annotations

import random
from difflib import SequenceMatcher
from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from git_folders import committed, git
from graphls.facts.paths import FilePath
from graphls.graph.identity import symbol_name
from graphls.graph.merkle import snapshot_id
from graphls.graph.records import Edge, Node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.changed import ChangedImpact, ChangesQuery, FileDiff, changed_impact
from graphls.queries.diff import Difference, DiffQuery, diff
from graphls.queries.hunks import Hunk, hunks, rebase_hunks
from graphls.queries.tour import entry_points, tour
from graphls.session.comparing import NoHistory, edits
from graphls.session.memory import snapshot_of
from graphls.session.revisions import at_commit, compared
from graphls.session.session import SessionOptions
from graphls.settings import Settings
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Workspace
from increment.session_folder import session_over, settle, write

BEFORE = """
    --- path: shop/__init__.py ---
    from shop.core import Order
    __all__ = ["Order"]
    --- path: shop/core.py ---
    RATE = 2


    def tax(amount: int) -> int:
        return amount * RATE


    class Order:
        '''An order.'''

        def total(self) -> int:
            return tax(1)

        def gone(self) -> int:
            return 0
    --- path: shop/web.py ---
    from shop.core import Order


    def view() -> int:
        return Order().total() + Order().gone()


    def main() -> None:
        view()
    --- path: tests/test_web.py ---
    from shop.web import view


    def test_view() -> None:
        assert view()
    --- path: notes.md ---
    Notes.
"""
FILES = fixture(BEFORE).files


def _after(**replaced: str) -> Snapshot:
    """The workspace with texts replaced in `shop/core.py`."""
    text = FILES["shop/core.py"].decode()
    for old, new in replaced.values():
        assert old in text
        text = text.replace(old, new)
    return snapshot_of({**FILES, "shop/core.py": text})


def _changed(snapshot: Snapshot, *found: FileDiff, **wanted: object) -> ChangedImpact:
    return changed_impact(snapshot, found, attrs.evolve(ChangesQuery(), **wanted))


def _core(snapshot: Snapshot, **wanted: object) -> ChangedImpact:
    return _changed(snapshot, FileDiff(FilePath("shop/core.py"), "modified", None, FILES["shop/core.py"]), **wanted)


def _names(snapshot: Snapshot, found: ChangedImpact) -> list[str]:
    return [symbol_name(snapshot, node.place) for node in found.nodes]


def _reached(snapshot: Snapshot, found: ChangedImpact) -> dict[str, int]:
    return {symbol_name(snapshot, one.node): one.depth for one in found.affected if isinstance(one.node, SymbolRef)}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", []),
        ("a\nb\n", "a\nb\n", []),
        ("a\nb\n", "a\r\nb\r\n", []),
        ("a\nb\n", "a\nb", []),
        ("", "a\nb\n", [Hunk(0, 2, 0)]),
        ("a\nb\n", "", [Hunk(0, 0, 2)]),
        ("a\nb\nc\n", "a\nX\nc\n", [Hunk(1, 2, 1)]),
        ("a\nb\nc\n", "a\nc\n", [Hunk(1, 1, 1)]),
        ("a\nb\nc\nd\n", "X\nb\nc\nY\nd\n", [Hunk(0, 1, 1), Hunk(3, 4, 0)]),
    ],
)
def test_hunks(before: str, after: str, expected: list[Hunk]) -> None:
    assert list(hunks(before.encode(), after.encode())) == expected


def test_hunks_are_a_shortest_edit_script() -> None:
    chosen = random.Random(11)
    for _ in range(2_000):
        old = [chosen.choice("abcd") for _ in range(chosen.randrange(14))]
        new = [chosen.choice("abcd") for _ in range(chosen.randrange(14))]
        found, rest, at = hunks("\n".join(old).encode(), "\n".join(new).encode()), list(old), 0
        for hunk in found:
            rest[hunk.start : hunk.start + hunk.removed] = new[hunk.start : hunk.end]
            assert hunk.start > at or not at
            at = hunk.end
        assert rest == new
        least = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        edits = sum(i2 - i1 + j2 - j1 for tag, i1, i2, j1, j2 in least if tag != "equal")
        assert sum(hunk.removed + hunk.end - hunk.start for hunk in found) <= edits


def test_hunks_of_repeated_lines_cost_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are everywhere made a comparison the cube of their number."""
    old = "".join(f"def f{number}():\n    text\n\n\n" for number in range(400)).encode()
    new = old.replace(b"def", b"async def")
    assert [(hunk.end - hunk.start, hunk.removed) for hunk in hunks(old, new)] == [(1, 1)] * 400
    monkeypatch.setattr("graphls.queries.hunks._MOST_EDITS", 799)
    assert len(hunks(old, new)) == 1


def test_hunks_of_long_texts_are_one() -> None:
    old = "".join(f"{number}\n" for number in range(9_000)).encode()
    new = "".join(f"{number + number % 2}\n" for number in range(9_000)).encode()
    assert len(hunks(old, new)) == 1


def test_hunks_move_with_later_edits() -> None:
    index, now = b"a\nX\nc\nd\n", b"0\n0\na\nX\nc\n"
    assert rebase_hunks(hunks(b"a\nb\nc\nd\n", index), index, now) == (Hunk(3, 4, 1),)
    gone = b"0\nc\nd\n"
    assert rebase_hunks(hunks(b"a\nb\nc\nd\n", index), index, gone) == (Hunk(1, 1, 1),)


def test_a_body_is_its_function() -> None:
    after = _after(a=("amount * RATE", "amount * RATE + 1"))
    found = _core(after)
    assert _names(after, found) == ["shop.core:tax"]
    reached = _reached(after, found)
    expected = {"shop.core:Order.total": 1, "shop.web:view": 2, "shop.web:main": 3, "test_web:test_view": 3}
    assert expected.items() <= reached.items()
    assert any(one.test for one in found.affected)


def test_limits_are_said() -> None:
    after = _after(a=("amount * RATE", "amount * RATE + 1"))
    one = _core(after, limit=1)
    assert len(one.affected) == 1
    assert one.coverage.truncated
    assert not any(affected.test for affected in _core(after, tests=False).affected)
    assert {affected.depth for affected in _core(after, depth=1).affected} == {1}


def test_a_docstring_is_its_class_and_a_constant_itself() -> None:
    after = _after(a=("An order.", "One order."), b=("RATE = 2", "RATE = 3"))
    assert _names(after, _core(after)) == ["shop.core:RATE", "shop.core:Order"]


def test_a_name_that_is_gone_is_listed_with_who_spells_it() -> None:
    after = _after(a=("\n    def gone(self) -> int:\n        return 0\n", ""))
    (gone,) = _core(after).removed
    assert (gone.qualified, gone.kind, list(gone.mentioned_in)) == ("Order.gone", "method", ["shop/web.py"])


def test_new_names_are_told_apart() -> None:
    after = _after(a=("def tax", "def fresh() -> None:\n    pass\n\n\ndef tax"))
    assert [(node.added, symbol_name(after, node.place)) for node in _core(after).nodes] == [(True, "shop.core:fresh")]


def test_files_come_and_go() -> None:
    files = dict(FILES)
    core = files.pop("shop/core.py")
    after = snapshot_of({**files, "shop/extra.py": "def extra() -> None:\n    pass\n"})
    found = _changed(
        after,
        FileDiff(FilePath("shop/core.py"), "deleted", None, core),
        FileDiff(FilePath("shop/extra.py"), "added"),
        FileDiff(FilePath("data.bin"), "modified"),
        FileDiff(FilePath("notes.md"), "modified", None, b"Old notes.\n"),
    )
    assert {file.edit.path: file.reason for file in found.files} == {
        "data.bin": "not in the graph",
        "notes.md": "no code: not compared by symbols",
        "shop/core.py": "deleted",
        "shop/extra.py": "",
    }
    assert _names(after, found) == ["shop.extra:extra"]
    assert {gone.qualified for gone in found.removed} == {"RATE", "tax", "Order", "Order.total", "Order.gone"}


def test_broken_code_before_is_no_obstacle() -> None:
    after = _after(a=("RATE = 2", "RATE = 3"))
    found = _changed(after, FileDiff(FilePath("shop/core.py"), "modified", None, b"def (((:\n\xff\n"))
    assert found.nodes


def test_module_code_reaches_importers() -> None:
    after = snapshot_of({**FILES, "shop/core.py": FILES["shop/core.py"] + b"\n\nprint(RATE)\n"})
    found = _core(after)
    assert _names(after, found) == ["shop.core"]
    assert {one.via for one in found.affected} == {"imports"}


# ---------------------------------------------------------------- with a repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    fixture(BEFORE).write(root)
    committed(root)
    return root


def _live(root: Path) -> Snapshot:
    files = {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    return snapshot_of({name: data for name, data in files.items() if not name.startswith(".git/")})


def _edits(root: Path, live: Snapshot, *how: str) -> dict[str, FileDiff]:
    found = edits(Workspace.of([str(root)]), live, SourceLimits(), *how)  # pyright: ignore
    return {edit.path: edit for edit in found}


def test_edits_of_a_working_tree(repo: Path) -> None:
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"].replace(b"RATE = 2", b"RATE = 3"))
    (repo / "shop/web.py").rename(repo / "shop/site.py")
    (repo / "shop/new.py").write_text("x = 1\n")
    live = _live(repo)
    found = _edits(repo, live, "all")
    assert {path: edit.status for path, edit in found.items()} == {
        "shop/core.py": "modified", "shop/new.py": "added", "shop/site.py": "renamed",
    }  # fmt: skip
    assert found["shop/core.py"].before == FILES["shop/core.py"]
    assert found["shop/site.py"].old_path == "shop/web.py"
    assert _edits(repo, live, "staged") == {}
    assert _edits(repo, live, "compare", "HEAD").keys() == found.keys()


def test_a_pull_request_is_compared_with_where_it_left_its_base(repo: Path) -> None:
    """What the base got since then is none of its changes."""
    start = git(repo, "rev-parse", "--abbrev-ref", "HEAD").strip()
    git(repo, "checkout", "-q", "-b", "feature")
    (repo / "shop/web.py").write_bytes(FILES["shop/web.py"] + b"\n\nlate = 1\n")
    committed(repo, "feature")
    git(repo, "checkout", "-q", start)
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"].replace(b"RATE = 2", b"RATE = 3"))
    committed(repo, "base goes on")
    git(repo, "checkout", "-q", "feature")
    live = _live(repo)
    assert _edits(repo, live, "compare", f"{start}...").keys() == {"shop/web.py"}
    assert _edits(repo, live, "compare", start).keys() == {"shop/web.py", "shop/core.py"}
    with pytest.raises(NoHistory, match="There is no commit 'nowhere'"):
        _edits(repo, live, "compare", "nowhere...")


def test_a_time_stamp_is_no_edit(repo: Path) -> None:
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"])
    assert _edits(repo, _live(repo), "all") == {}


def test_a_file_that_became_unreadable_is_named(repo: Path) -> None:
    live = _live(repo)
    (repo / "shop/core.py").write_bytes(b"\0")
    left_out = attrs.evolve(live, shards={path: shard for path, shard in live.shards.items() if path != "shop/core.py"})
    (edit,) = _edits(repo, left_out, "all").values()
    assert (edit.path, edit.status, edit.before) == ("shop/core.py", "modified", FILES["shop/core.py"])
    (file,) = changed_impact(left_out, [edit]).files
    assert file.reason == "not in the graph"


def test_without_history(tmp_path: Path) -> None:
    with pytest.raises(NoHistory, match="no git repository"):
        _edits(tmp_path, snapshot_of({}), "all")


def test_past_snapshot_equals_the_one_of_that_time(repo: Path) -> None:
    then = _live(repo)
    (repo / "shop/core.py").write_text("def other() -> None:\n    pass\n")
    (repo / "shop/web.py").unlink()
    (repo / "shop/new.py").write_text("from shop.core import other\n")
    live = _live(repo)
    past = at_commit(Workspace.of([str(repo)]), live, Settings(), "HEAD")
    assert _counts(diff(then, past, DiffQuery("all"))) == (0, 0, 0)
    assert diff(then, past).before == diff(then, past).after


def test_difference_of_graphs(repo: Path) -> None:
    text = FILES["shop/core.py"].replace(b"return tax(1)", b"return 1").replace(b"RATE = 2\n", b"\nRATE = 2\n")
    (repo / "shop/core.py").write_bytes(text.replace(b"def gone", b"def fresh"))
    live = _live(repo)
    found = diff(compared(Workspace.of([str(repo)]), live, Settings(), "main"), live)
    assert found.files_changed == ("shop/core.py",)
    assert _nodes(found.added) == {"Order.fresh"}
    assert _nodes(found.removed) == {"Order.gone"}
    assert {
        pair.after.qualified_name
        for pair in found.changed
        if isinstance(pair.after, Node) and pair.after.kind == "method"
    } == {"Order.total"}
    assert found.moved > 0
    assert "calls" in {edge.kind for edge in found.removed}
    assert _counts(diff(live, live)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("path", "more"), [("shop/core.py", "# More.\n"), ("shop/web.py", "\n\n"), ("notes.md", "More.\n")]
)
def test_a_comment_makes_no_difference(repo: Path, path: str, more: str) -> None:
    (repo / path).write_bytes(FILES[path] + more.encode())
    found = diff(compared(Workspace.of([str(repo)]), _live(repo), Settings(), "HEAD"), _live(repo))
    assert (found.files_changed, _counts(found), found.moved, found.coverage) == (
        (path,),
        (0, 0, 0),
        0,
        Coverage(empty=True),
    )


def test_the_past_is_seen_with_what_is_installed_now(repo: Path, tmp_path: Path) -> None:
    """Without libraries every name that leads out of the workspace would be another one."""
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"].replace(b"RATE = 2", b"import os\n\nRATE = 2"))
    committed(repo, "more")
    with session_over(repo, options=SessionOptions(libraries=True)) as session:
        then = settle(session)
        (repo / "shop/core.py").write_bytes((repo / "shop/core.py").read_bytes() + b"# More.\n")
        session.files_changed([FilePath("shop/core.py")])
        live = settle(session)
        past = compared(session.workspace, live, Settings(), "HEAD")
        assert snapshot_id(past) == snapshot_id(then)
        assert _counts(diff(past, live, DiffQuery("all"))) == (0, 0, 0)


def test_ends_of_edges_have_names(repo: Path) -> None:
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"].replace(b"return tax(1)", b"return len('')"))
    live = _live(repo)
    found = diff(compared(Workspace.of([str(repo)]), live, Settings(), "HEAD"), live)
    (gone,) = (edge for edge in found.removed if isinstance(edge, Edge) and edge.kind == "calls")
    assert (found.names[gone.source], found.names[gone.target]) == ("shop.core:Order.total", "shop.core:tax")
    ends = {
        end for edge in (*found.added, *found.removed) if isinstance(edge, Edge) for end in (edge.source, edge.target)
    }
    assert ends <= found.names.keys()
    assert not any(name.startswith("n:") for name in found.names.values())


def test_submodules_and_ignored_files_are_in_no_difference(repo: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", {"inner.py": "x = 1\n"})
    committed(tmp_path / "other")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"), "sub")
    write(repo, {"kept.py": "x = 1\n", ".gitignore": "kept.py\n"})
    git(repo, "add", "-f", "kept.py")
    committed(repo, "both")
    with session_over(repo) as session:
        live = settle(session)
        assert "sub/inner.py" in live.shards
        (repo / "kept.py").write_text("x = 2\n")
        assert _counts(diff(compared(session.workspace, live, Settings(), "HEAD"), live)) == (0, 0, 0)


def test_edges_of_other_files_need_all(repo: Path) -> None:
    (repo / "shop/core.py").write_bytes(FILES["shop/core.py"].replace(b"def gone", b"def fresh"))
    live = _live(repo)
    past = compared(Workspace.of([str(repo)]), live, Settings(), "main")
    quick, whole = diff(past, live), diff(past, live, DiffQuery("all"))
    assert len(whole.removed) > len(quick.removed)
    assert (quick.coverage.truncated, whole.coverage.truncated) == (True, False)
    cut = diff(past, live, DiffQuery("all", 1))
    assert (len(cut.removed), cut.coverage.truncated, cut.counts) == (1, True, whole.counts)


def test_only_the_current_snapshot_is_known_by_id(repo: Path) -> None:
    live = _live(repo)
    workspace = Workspace.of([str(repo)])
    assert compared(workspace, live, Settings(), diff(live, live).after) is live
    with pytest.raises(NoHistory, match="Only the current snapshot"):
        compared(workspace, live, Settings(), "s:aaaaaaaaaaaaaaaaaaaaaaaaaa")


def _counts(found: Difference) -> tuple[int, int, int]:
    return found.counts


def _nodes(records: object) -> set[str]:
    assert isinstance(records, tuple)
    return {record.qualified_name for record in records if isinstance(record, Node)}


# ---------------------------------------------------------------- tour


def test_tour_begins_where_runs_begin() -> None:
    snapshot = snapshot_of(FILES)
    stops = [(stop.why, symbol_name(snapshot, stop.place)) for stop in tour(snapshot).stops]
    assert stops[0] == ("entry point", "shop.web:main")
    assert ("imported by many", "shop.core") in stops
    assert len({stop.place for stop in tour(snapshot).stops}) == len(stops)
    assert tour(snapshot, limit=1).coverage.omitted == len(stops) - 1
    assert {stop.why for stop in entry_points(snapshot)} <= {"entry point", "public name"}
