"""What used something that an edit took away is found by the graph before the edit."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.identity import end_name
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot
from graphls.queries import lost_uses
from graphls.queries.changed import ChangedImpact, FileDiff, changed_impact
from graphls.queries.impact import Impact, ImpactQuery, impact
from graphls.session.before import before_edits
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

BEFORE = """
    --- path: shop/__init__.py ---
    from shop.core import tax
    --- path: shop/core.py ---
    class Order:
        def total(self) -> int:
            return tax(1)
        def drop(self) -> None: ...
    def tax(amount: int) -> int:
        return amount
    --- path: shop/web.py ---
    from shop.core import Order
    def view(order: Order) -> int:
        return order.total()
    def remove(order: Order) -> None:
        order.drop()
    def page() -> int:
        return view(Order())
    --- path: shop/tool.py ---
    from shop import tax
    def run() -> int:
        return tax(2)
    def wide() -> int:
        return run()
    --- path: api.ts ---
    export function load() { return 1 }
    export function save() { return 2 }
    --- path: index.ts ---
    export { load as read } from './api'
    export { save } from './api'
    --- path: page.ts ---
    import { read } from './index'
    import { save } from './api'
    export function page() { return read() }
    export function form() { return save() }
"""


def _files() -> dict[str, str]:
    return {str(path): text.decode() for path, text in fixture(BEFORE).files.items()}


def _after(edits: Mapping[str, tuple[str, str] | None], moved: Mapping[str, str]) -> ChangedImpact:
    """What is said of texts that were replaced in files, of files that are gone (None), and of files that moved."""
    files = _files()
    found: list[FileDiff] = []
    for path, replaced in edits.items():
        before = files.pop(path)
        if replaced is None:
            found.append(FileDiff(FilePath(path), "deleted", None, before.encode()))
            continue
        assert replaced[0] in before
        files[path] = before.replace(*replaced)
        found.append(FileDiff(FilePath(path), "modified", None, before.encode()))
    for old, new in moved.items():
        files[new] = files.pop(old)
        found.append(FileDiff(FilePath(new), "renamed", FilePath(old), files[new].encode()))
    now = snapshot_of(files)
    return changed_impact(now, found, None, lambda edits: before_edits(now, Settings(), edits, ()))


def _reached(found: ChangedImpact, now: Snapshot | None = None) -> dict[str, int]:
    snapshot = now or snapshot_of(_files())
    return {
        end_name(snapshot, one.node).rpartition(":")[2]: one.depth
        for one in found.affected
        if not isinstance(one.node, str) and one.node.file in snapshot.shards
    }


def test_a_function_that_was_renamed_and_is_still_called_by_its_old_name() -> None:
    found = _reached(_after({"shop/core.py": ("def tax", "def levy")}, {}))
    assert found["Order.total"] == 1
    # By the name that a package gave on, and from there.
    assert found["run"] == 1
    assert found["wide"] == 2


def test_a_method_that_is_gone() -> None:
    found = _reached(_after({"shop/core.py": ("    def drop(self) -> None: ...\n", "")}, {}))
    assert found["remove"] == 1
    assert "page" not in found


@pytest.mark.parametrize(("path", "user"), [("shop/core.py", "view"), ("api.ts", "page"), ("index.ts", "page")])
def test_a_file_that_is_gone(path: str, user: str) -> None:
    assert _reached(_after({path: None}, {}))[user] == 1


def test_a_file_that_moved_and_who_did_not_follow() -> None:
    assert _reached(_after({}, {"shop/core.py": "shop/model.py"}))["view"] == 1
    # Who follows has lost nothing.
    followed = _after({"shop/web.py": ("shop.core", "shop.model")}, {"shop/core.py": "shop/model.py"})
    assert "page" not in _reached(followed)


def test_an_export_that_is_gone() -> None:
    hidden = _reached(_after({"api.ts": ("export function save", "function save")}, {}))
    assert hidden["form"] == 1
    assert "page" not in hidden
    passed = _reached(_after({"index.ts": ("export { load as read } from './api'\n", "")}, {}))
    assert passed["page"] == 1
    assert "form" not in passed
    given = _reached(_after({"shop/__init__.py": ("from shop.core import tax\n", "")}, {}))
    assert given["run"] == 1
    assert "total" not in given


def test_a_body_reaches_no_further_than_before() -> None:
    found = _after({"shop/core.py": ("return amount", "return amount + 1")}, {})
    assert _reached(found)["run"] == 1
    assert found.removed == ()


def test_who_used_several_things_that_are_gone_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    followed = list[str]()

    def counted(snapshot: Snapshot, query: ImpactQuery) -> Impact:
        followed.append(end_name(snapshot, query.target))
        return impact(snapshot, query)

    monkeypatch.setattr(lost_uses, "impact", counted)
    files = {
        "a.py": "def one(): return 1\ndef two(): return 2\ndef three(): return 3\n",
        "b.py": "from a import one, two, three\ndef user(): return one() + two() + three()\ndef far(): return user()\n",
    }
    now = snapshot_of({"c.py": files["a.py"], "b.py": files["b.py"]})
    edits = (FileDiff(FilePath("c.py"), "renamed", FilePath("a.py"), files["a.py"].encode()),)
    before = snapshot_of(files)
    found = _reached(changed_impact(now, edits, None, lambda _: before), now)
    assert (found["user"], found["far"]) == (1, 2)
    assert followed.count("b:user") == 1


def test_what_is_reached_now_is_in_an_answer_that_has_no_time_for_what_is_gone() -> None:
    files = _files()
    earlier = files["shop/core.py"]
    files["shop/core.py"] = earlier.replace("return tax(1)", "return 1").replace(
        "    def drop(self) -> None: ...\n", ""
    )
    now = snapshot_of(files)

    def spent(_: object) -> Snapshot:
        raise BudgetSpentError("time")

    edits = (FileDiff(FilePath("shop/core.py"), "modified", None, earlier.encode()),)
    found = changed_impact(now, edits, None, spent)
    assert _reached(found, now)["view"] == 1
    assert [name.qualified for name in found.removed] == ["Order.drop"]
    assert found.coverage.truncated
