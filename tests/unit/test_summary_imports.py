"""What most files import, in languages whose imports name no file."""

from __future__ import annotations

import pytest

from graphls.graph.snapshot import ReachingFiles, Snapshot
from graphls.queries.summary import summary
from graphls.queries.tour import entry_points, tour
from graphls.session.memory import snapshot_of

SAMPLES = {
    "go": (
        {"go.mod": "module ex\n", "store/a.go": "package store\nfunc Open() {}\n",
         "x/x.go": 'package x\nimport "ex/store"\nfunc f() { store.Open() }\n',
         "y/y.go": 'package y\nimport "ex/store"\nfunc f() { store.Open() }\n'},
        "store/a.go",
    ),
    "java": (
        {"src/p/A.java": "package p;\npublic class A {}\n",
         "src/q/B.java": "package q;\nimport p.A;\nclass B { A a; }\n",
         "src/q/C.java": "package q;\nimport p.A;\nclass C { A a; }\n"},
        "src/p/A.java",
    ),
    "rust": (
        {"Cargo.toml": '[package]\nname = "ex"\n', "src/lib.rs": "mod a;\nmod b;\nmod c;\n",
         "src/a.rs": "pub struct A;\n", "src/b.rs": "use crate::a::A;\nfn f(_: A) {}\n",
         "src/c.rs": "use crate::a::A;\nfn f(_: A) {}\n"},
        "src/a.rs",
    ),
    "php": (
        {"src/A.php": "<?php\nnamespace P;\nclass A {}\n",
         "src/B.php": "<?php\nnamespace Q;\nuse P\\A;\nclass B extends A {}\n",
         "src/C.php": "<?php\nnamespace Q;\nuse P\\A;\nclass C extends A {}\n"},
        "src/A.php",
    ),
    "c": (
        {"a.h": "int f(void);\n", "b.c": '#include "a.h"\nint g(void) { return f(); }\n', "c.c": '#include "a.h"\n'},
        "a.h",
    ),
}  # fmt: skip
USES = {
    "ruby": (
        {"lib/a.rb": "class A; end\n", "lib/b.rb": "require_relative 'a'\nA.new\n",
         "lib/c.rb": "require_relative 'a'\nA.new\n"},
        "lib/a.rb",
    ),
    "csharp": (
        {"App.csproj": "<Project/>", "A.cs": "namespace P; class A { }\n",
         "B.cs": "using P;\nnamespace Q; class B { A a; }\n", "C.cs": "using P;\nnamespace Q; class C { A a; B b; }\n"},
        "A.cs",
    ),
    "swift": (
        {"Package.swift": "", "Sources/App/A.swift": "struct A {}\n", "Sources/App/B.swift": "let b = A()\n",
         "Sources/App/C.swift": "let c = A()\n"},
        "Sources/App/A.swift",
    ),
}  # fmt: skip
BEGINS = {
    "csharp": ({"P/Program.cs": "namespace P; class Program { static void Main(string[] args) { } void main() { } }\n"},
               ("P/Program.cs:P.Program.Main",)),
    "statements of C#": ({"Program.cs": 'Console.WriteLine("a");\n'}, ("Program.cs",)),
    "java": ({"src/p/App.java": "package p;\nclass App {\n  public static void main(String[] a) {}\n}\n"},
             ("src/p/App.java:App.main",)),
    "go": ({"cmd/main.go": "package main\nfunc main() {}\n"}, ("cmd/main.go:main",)),
    "swift": ({"Sources/App/main.swift": 'print("a")\n'}, ("Sources/App/main.swift",)),
    "python": ({"manage.py": "x = 1\n", "app.py": "class A:\n    @staticmethod\n    def main(): ...\n"}, ("manage",)),
}  # fmt: skip


@pytest.mark.parametrize(("files", "names"), BEGINS.values(), ids=BEGINS)
def test_where_runs_begin(files: dict[str, str], names: tuple[str, ...]) -> None:
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    assert summary(snapshot).entry_points == names
    assert [stop.why for stop in entry_points(snapshot)[: len(names)]] == ["entry point"] * len(names)


@pytest.mark.parametrize(("files", "most"), USES.values(), ids=USES)
def test_what_most_files_use_where_imports_name_no_file(files: dict[str, str], most: str) -> None:
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    for path in snapshot.files():
        snapshot.links(path)
    assert not summary(snapshot).unlinked_files
    first = summary(snapshot).most_imported[0]
    assert (first.name, first.count) == (most, 2)
    assert most in [stop.place.file for stop in tour(snapshot).stops if stop.why == "used by many"]


@pytest.mark.parametrize(("files", "most"), SAMPLES.values(), ids=SAMPLES)
def test_what_most_files_import_is_the_same_in_summary_and_tour(files: dict[str, str], most: str) -> None:
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    first = summary(snapshot).most_imported[0]
    assert first.name == most
    assert first.count >= 2
    assert most in [stop.place.file for stop in tour(snapshot).stops if stop.why == "imported by many"]
    assert not summary(snapshot, linked=False).most_imported
    assert all(stop.why != "imported by many" for stop in entry_points(snapshot))


def test_uses_that_nobody_knows_yet_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    files, _ = USES["ruby"]
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    assert not summary(snapshot).unlinked_files
    monkeypatch.setattr(Snapshot, "own_open_names", lambda *_: None)
    monkeypatch.setattr(Snapshot, "reaching", lambda *_: ReachingFiles((), frozenset()))
    cold = summary(snapshot)
    assert cold.unlinked_files == len(files)
    assert not cold.most_imported  # a 0 would say that nothing uses it
