"""Which links edits add and take away: a link that both states have is neither."""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import ChangesQuery, FileDiff, changed_impact
from graphls.queries.changed_links import ChangedLinks, changed_links
from graphls.session.memory import snapshot_of

BEFORE = {
    "core.py": b"def price():\n    return 1\n\n\ndef total():\n    return price()\n",
    "use.py": b"from core import total\n\n\ndef report():\n    return total()\n",
}


def _links(before: dict[str, bytes], after: dict[str, bytes], limit: int = 100) -> tuple[ChangedLinks, set[str]]:
    then, now = snapshot_of(before), snapshot_of(after)
    edits = [
        FileDiff(FilePath(path), "modified", before=before[path]) for path in before if after.get(path) != before[path]
    ]
    found = changed_impact(now, edits, ChangesQuery(edges=100), lambda _: then)
    links = changed_links(now, then, edits, found, limit)

    def words(state: Snapshot, index: int) -> str:
        link = links.links[index]
        ends = (end_name(state, end).rpartition(":")[2] for end in (link.edge.source, link.edge.target))
        return f"{link.change} {link.edge.kind} {' '.join(ends)}"

    return links, {words(then if one.change == "removed" else now, at) for at, one in enumerate(links.links)}


def test_an_edit_that_moves_code_changes_no_link() -> None:
    _, found = _links(BEFORE, {**BEFORE, "core.py": b"# More.\n\n" + BEFORE["core.py"]})
    assert not {one for one in found if not one.startswith("None")}


def test_what_is_called_anew_and_no_more_is_told_apart() -> None:
    text = BEFORE["core.py"].replace(b"return price()", b"return extra()") + b"\n\ndef extra():\n    return 2\n"
    _, found = _links(BEFORE, {**BEFORE, "core.py": text})
    assert {"added calls total extra", "removed calls total price", "None calls report total"} <= found
    assert "added calls report total" not in found


def test_uses_of_what_is_gone_are_removed_links_of_files_that_nobody_edited() -> None:
    links, found = _links(BEFORE, {**BEFORE, "core.py": BEFORE["core.py"].replace(b"def total", b"def sum_of")})
    assert {"removed calls report total", "removed calls total price", "added calls sum_of price"} <= found
    assert [end_name(links.before, node) for node in links.gone] == ["core:total"]


def test_links_beyond_the_limit_are_counted() -> None:
    after = {**BEFORE, "core.py": BEFORE["core.py"].replace(b"return price()", b"return 1")}
    whole, _ = _links(BEFORE, after)
    cut, found = _links(BEFORE, after, limit=1)
    assert (len(cut.links), cut.omitted) == (1, len(whole.links) - 1)
    assert found == {"removed calls total price"}
