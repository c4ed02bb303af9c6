"""Computed names: what is looked up by a name that code puts together is not known to be complete.

Owns: forms of such lookups, which names fit them, where they are listed.
Must not know: how patterns are found in a text.
Invariant: a lookup by a plain variable says nothing about any name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.computed_names import computed_uses
from graphls.graph.snapshot import Snapshot
from graphls.queries.completeness import Cause, CoverageClaim, completeness, open_sites
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write

DEFINED = "class A:\n    def visit_name(self): ...\n\n\ndef _push_handler(): ...\n\n\ndef other(): ...\n"

NAMES = {
    "defined:A.visit_name": "visit_name",
    "defined:_push_handler": "_push_handler",
    "defined:other": "other",
}


@pytest.mark.parametrize(
    ("code", "fitting"),
    [
        ("getattr(x, f'visit_{k}')()", {"visit_name"}),
        ("getattr(x, 'visit_' + k)()", {"visit_name"}),
        ("getattr(x, 'visit_%s' % k)()", {"visit_name"}),
        ("getattr(x, 'visit_{}'.format(k), None)", {"visit_name"}),
        ("method = 'visit_' + k\ngetattr(x, method)", {"visit_name"}),
        ("hasattr(x, k + '_name')", {"visit_name"}),
        ("method = 'visit_' + k\nmethod = go()\ngetattr(x, method)", {"visit_name"}),
        ("getattr(getattr(x, 'a'), f'visit_{k}')", {"visit_name"}),
        ("getattr(x, f'{getattr(x, k, str)}', getattr(x, f'visit_{k}'))", {"visit_name"}),
        ("getattr(self.part(k, 1), f'visit_{k}')", {"visit_name"}),
        ("methodcaller(f'visit_{k}')", {"visit_name"}),
        ("globals()[f'_{k}_handler']()", {"_push_handler"}),
        ("vars(module).get(f'_{k}_handler')", {"_push_handler"}),
        ("exec(f'_{k}_handler()')", {"_push_handler"}),
        ('exec("""\nother()\n""")', {"other"}),
        ("getattr(x, f'{a}{b}')", set[str]()),
        ("getattr(x, k)", set[str]()),
        ("getattr(x, f'visit {k}')", set[str]()),
        ("log(f'visit_{k}')", set[str]()),
        ("getattr(x, 'visit_')", set[str]()),
    ],
)
def test_names_that_fit_are_not_complete(code: str, fitting: set[str]) -> None:
    snapshot = snapshot_of({"defined.py": DEFINED, "user.py": f"{code}\n"})
    found = {
        name
        for symbol, name in NAMES.items()
        for gap in completeness(snapshot, CoverageClaim(uses_of=(one_symbol(snapshot, symbol),))).gaps
        if gap.cause == Cause.STRING and gap.direction == "in" and gap.count == 1
    }
    assert found == fitting


def test_what_spells_too_little_counts_in_its_own_file() -> None:
    """`getattr(self, f"{part}{state}")` is about the names beside it."""
    text = "class M:\n    def go(self, a, b):\n        getattr(self, f'{a}{b}')\n\n    def begin(self): ...\n"
    snapshot = snapshot_of({"m.py": text, "n.py": "def begin(): ...\n"})
    assert [use.pattern for use in computed_uses(snapshot, FilePath("m.py"), "begin")] == ["*"]
    assert not list(computed_uses(snapshot, FilePath("n.py"), "begin"))


def test_the_places_are_listed() -> None:
    text = "# \u00e9\ndef run(x, k):\n    return getattr(x, f'visit_{k}')()\n"
    snapshot = snapshot_of({"defined.py": DEFINED, "user.py": text})
    (site,) = open_sites(snapshot, CoverageClaim(uses_of=(one_symbol(snapshot, "defined:A.visit_name"),)))
    assert (site.file, site.name, site.cause) == ("user.py", "visit_name", Cause.STRING)
    assert text.encode()[site.start : site.end] == b"getattr(x, "


def test_another_run_finds_them_without_a_look_at_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "w"
    write(root, {"defined.py": DEFINED, "user.py": "getattr(x, f'visit_{k}')()\n"})
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))

    def found() -> list[str]:
        with session_over(root, store) as session:
            uses = computed_uses(settle(session), FilePath("defined.py"), "visit_name")
            return [f"{use.file} {use.start} {use.end} {use.pattern}" for use in uses]

    assert found() == ["user.py 0 11 visit_*"]
    read = list[str]()
    before = Snapshot.text

    def text(self: Snapshot, path: FilePath) -> bytes | None:
        read.append(path)
        return before(self, path)

    monkeypatch.setattr(Snapshot, "text", text)
    assert (found(), read) == (["user.py 0 11 visit_*"], [])
    write(root, {"user.py": "\ngetattr(x, f'visit_{k}')()\n"})
    assert (found(), read) == (["user.py 1 12 visit_*"], ["user.py"])


def test_edits_change_what_is_found_in_their_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"defined.py": DEFINED, "user.py": "getattr(x, f'visit_{k}')()\n", "other.py": "getattr(x, f'visit_{k}')\n"}
    write(tmp_path, files)
    with session_over(tmp_path) as session:

        def found(text: str | None) -> list[str]:
            if text is not None:
                session.change(FilePath("user.py"), text.encode())
            uses = computed_uses(session.snapshot(), FilePath("defined.py"), "visit_name")
            return sorted(f"{use.file} {use.start}" for use in uses)

        session.open(FilePath("user.py"), files["user.py"].encode())
        assert found(None) == ["other.py 0", "user.py 0"]
        read = list[str]()
        before = Snapshot.text

        def text(self: Snapshot, path: FilePath) -> bytes | None:
            read.append(path)
            return before(self, path)

        monkeypatch.setattr(Snapshot, "text", text)
        assert found("\ngetattr(x, f'visit_{k}')()\n") == ["other.py 0", "user.py 1"]
        session.change(FilePath("user.py"), b"pass\n")
        session.snapshot()
        assert found("getattr(x, k)\n") == ["other.py 0"]
        assert set(read) == {"user.py"}
