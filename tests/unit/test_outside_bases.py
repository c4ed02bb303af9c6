"""What classes outside the workspace declare, or may declare, of a member of the workspace."""

from __future__ import annotations

import pytest

from graphls.graph.snapshot import Snapshot
from graphls.queries.completeness import used_outside
from graphls.queries.outside_bases import outside_base
from graphls.queries.rename import RenameRefused, rename
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

FILES = {
    "a.rs": "use std::fmt;\npub struct A;\nimpl fmt::Display for A {\n"
    "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }\n}\n"
    "impl Clone for A { fn clone(&self) -> A { A } }\nimpl A { pub fn own(&self) {} }\n"
    "pub trait T: std::any::Any + Send { fn go(&self); }\n",
    "B.java": "import java.io.Serializable;\nimport gone.Base;\n"
    "class B implements Runnable, Comparable<B>, Serializable {\n  public void run() {}\n  void own() {}\n}\n"
    "class E extends RuntimeException { void own() {} public String getMessage() { return null; } }\n"
    "class U extends Base { void own() {} }\n",
    "c.cs": "using System;\nclass C : IDisposable, IComparable<C> {\n  public void Dispose() { }\n"
    "  public void Own() { }\n}\n",
    "d.kt": "package p\nimport java.io.Closeable\nclass K : Runnable, Closeable {\n  override fun run() {}\n"
    "  override fun close() {}\n  fun own() {}\n}\n",
    "f.php": "<?php\nclass F implements \\Countable, ArrayAccess {\n"
    "  function count(): int { return 1; }\n  function own() {}\n}\n"
    "class G extends \\Exception { function own() {} }\n",
    "e.swift": "struct S: Equatable, Codable {\n  static func == (a: S, b: S) -> Bool { true }\n  func own() {}\n}\n",
}
KNOWN = {
    "f.php:F.own": None,
    "f.php:F.count": ("Countable", "declares"),
    "f.php:G.own": None,
    "a.rs:A.own": None,
    "a.rs:T.go": None,
    "B.java:B.own": None,
    "B.java:B.run": ("java.lang.Runnable", "declares"),
    "B.java:E.own": None,
    "B.java:E.getMessage": ("java.lang.RuntimeException", "declares"),
    "B.java:U.own": ("gone.Base", "unread"),
    "c.cs:C.Own": None,
    "c.cs:C.Dispose": ("System.IDisposable", "declares"),
    "d.kt:K.own": None,
    "d.kt:K.close": ("java.io.Closeable", "declares"),
    "e.swift:S.own": None,
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return snapshot_of(FILES)


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_above_a_member_outside(snapshot: Snapshot, name: str) -> None:
    found = outside_base(snapshot, one_symbol(snapshot, name))
    assert (found and (found.dotted, found.how)) == KNOWN[name]


@pytest.mark.parametrize("name", ["a.rs:A.own", "B.java:B.own", "c.cs:C.Own", "d.kt:K.own", "e.swift:S.own"])
def test_a_member_beside_those_of_known_types_is_known_whole(snapshot: Snapshot, name: str) -> None:
    place = one_symbol(snapshot, name)
    assert used_outside(snapshot, place) is None
    assert rename(snapshot, place, "other").doubtful == 0


def test_what_a_known_type_declares_keeps_its_name(snapshot: Snapshot) -> None:
    with pytest.raises(RenameRefused, match=r"stands in for System.IDisposable.Dispose"):
        rename(snapshot, one_symbol(snapshot, "c.cs:C.Dispose"), "End")
