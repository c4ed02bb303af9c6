"""Memory snapshots: what other tests stand on.

Owns: that a snapshot of given texts resolves names across files.
Must not know: how facts are made.
Invariant: nothing touches the disk.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg.b import f\n\ndef g():\n    return f(1)\n",
    "pkg/b.py": "def f(x):\n    return x\n",
    "README.md": "# pkg\n",
    "pyproject.toml": '[project]\nname = "sample"\n',
}


def test_names_resolve_across_files() -> None:
    snapshot = snapshot_of(FILES)
    use = FILES["pkg/a.py"].index("f(1)")
    facts = snapshot.facts(FilePath("pkg/a.py"))
    (target,) = snapshot.targets(FilePath("pkg/a.py"), facts.occurrences.start.index(use))
    assert target.place is not None
    assert target.place.file == "pkg/b.py"


def test_plain_files_are_shards_without_language() -> None:
    snapshot = snapshot_of(FILES)
    assert snapshot.shards[FilePath("README.md")].language == ""
    assert list(snapshot.files()) == ["pkg/__init__.py", "pkg/a.py", "pkg/b.py"]


def test_package_name_is_the_declared_one() -> None:
    assert snapshot_of(FILES).package_of(FilePath("pkg/a.py")) == "sample"


def test_names_are_found() -> None:
    assert snapshot_of(FILES).files_with_name("f") == ("pkg/a.py", "pkg/b.py")
    assert snapshot_of(FILES).files_with_name("nothing") == ()
