"""Accessors: a declaration of Java or Kotlin has the uses of both, under the names that each has for it, also those
that annotations of Lombok make, and is renamed with them.

Owns: uses and renames of what is called otherwise; what each name means is asked by the fixtures of resolution.
Must not know: how names are resolved.
Invariant: a use that is not edited is listed with a doubt, never left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import Fixture, fixture
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.queries.position import name_at
from graphls.queries.references import references
from graphls.queries.rename import rename, renamed_at
from graphls.session.memory import snapshot_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORKSPACES = {
    "lombok": fixture((FIXTURES / "java" / "resolution" / "lombok.txt").read_text("utf-8")),
    "java": fixture((FIXTURES / "kotlin" / "resolution" / "java_classes.txt").read_text("utf-8")),
    "kotlin": fixture((FIXTURES / "java" / "resolution" / "kotlin_classes.txt").read_text("utf-8")),
}


def _edits(of: Fixture, label: str, name: str) -> dict[str, set[tuple[str, str, bool]]]:
    """Files -> old text, new text, whether someone should look at it."""
    mark = of.one(f"def:{label}")
    snapshot = snapshot_of(of.files)
    _, place = renamed_at(snapshot, FilePath(mark.path), mark.start)
    found: dict[str, set[tuple[str, str, bool]]] = {}
    for edit in rename(snapshot, place, name).edits:
        old = of.files[edit.file][edit.start : edit.end].decode()
        found.setdefault(edit.file.rpartition("/")[2], set()).add((old, edit.text, bool(edit.doubt)))
    return found


@pytest.mark.parametrize(
    ("of", "label", "name", "there"),
    [
        ("java", "getName", "getTitle", {("getName", "getTitle", False), ("name", "title", False)}),
        ("java", "setName", "setTitle", {("setName", "setTitle", False), ("name", "title", False)}),
        ("java", "setName", "assign", {("setName", "assign", False), ("name", "assign", True)}),
        ("java", "isOpen", "isFree", {("isOpen", "isFree", False)}),
        ("java", "setOpen", "setFree", {("isOpen", "isFree", False)}),
        ("java", "getURL", "getURI", {("url", "uri", False)}),
        ("java", "PREFIX", "HEAD", {("PREFIX", "HEAD", False)}),
        ("java", "Account", "Ledger", {("Account", "Ledger", False)}),
        ("kotlin", "key", "code", {("getKey", "getCode", False)}),
        ("kotlin", "amount", "sum", {("getAmount", "getSum", False), ("setAmount", "setSum", False)}),
        ("kotlin", "isDone", "ready", {("isDone", "getReady", False)}),
        ("kotlin", "standard", "isUsual", {("getStandard", "isUsual", False)}),
        ("kotlin", "renamed", "other", {("renamed", "other", False)}),
        ("kotlin", "Registry", "Index", {("Registry", "Index", False)}),
        (
            "lombok",
            "name",
            "title",
            {("name", "title", False), ("getName", "getTitle", False), ("setName", "setTitle", False)},
        ),
        (
            "lombok",
            "active",
            "ready",
            {("active", "ready", False), ("isActive", "isReady", False), ("setActive", "setReady", False)},
        ),
        ("lombok", "isOpen", "closed", {("isOpen", "isClosed", False), ("setOpen", "setClosed", False)}),
    ],
)
def test_a_rename_follows_into_the_other_language(
    of: str, label: str, name: str, there: set[tuple[str, str, bool]]
) -> None:
    file = {"java": "Service.kt", "kotlin": "Web.java", "lombok": "Use.java"}[of]
    assert _edits(WORKSPACES[of], label, name)[file] == there


@pytest.mark.parametrize("of", sorted(WORKSPACES))
def test_each_use_is_found_before_anything_is_linked(of: str) -> None:
    workspace = WORKSPACES[of]
    wanted: dict[str, set[tuple[str, int]]] = {}
    for mark in workspace.marks:
        kind, _, label = mark.name.partition(":")
        if kind == "ref":
            wanted.setdefault(label, set()).add((mark.path, mark.start))
    for label, uses in wanted.items():
        mark = workspace.one(f"def:{label}")
        snapshot = snapshot_of(workspace.files)
        at = name_at(snapshot, FilePath(mark.path), mark.start)
        assert at is not None, label
        place = SymbolRef(FilePath(mark.path), at.definition)
        assert {(use.file, use.start) for use in references(snapshot, place).uses} >= uses, label


def test_a_type_that_neither_declares_is_outside() -> None:
    files = {
        "a/Use.kt": "package a\nimport b.Missing\nfun f(x: Missing) = x.getName()\n",
        "b/Other.java": "package b;\nclass Other { String getName() { return null; } }\n",
    }
    snapshot = snapshot_of(files)
    links = snapshot.links(FilePath("a/Use.kt"))
    assert set(links.files) == {"a/Use.kt"}
    assert "b.Missing" in links.externals


def test_reading_a_property_that_is_a_method_calls_it() -> None:
    workspace = WORKSPACES["java"]
    snapshot = snapshot_of(workspace.files)
    edges = [edge for edge in edges_from(snapshot, FilePath("kotlin/app/Service.kt")) if edge.kind == "calls"]
    called = {symbol_name(snapshot, edge.target) for edge in edges if isinstance(edge.target, SymbolRef)}
    assert {
        f"java/com/acme/Account.java:Account.{name}" for name in ("getName", "setName", "isOpen", "setOpen")
    } <= called
