"""Go interfaces: which methods stand for those of an interface, by its methods alone.

Owns: what counts as implementing, what does not.
Must not know: how links are made.
Invariant: nothing that lacks a method implements.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

FILES = {
    "go.mod": "module example.org/m\n",
    "a/a.go": """package a

import "example.org/m/b"

type Base struct{}

func (Base) Close() error { return nil }

type Full struct{ *Base }

func (f *Full) Read(x int) (int, error) { return 0, nil }

type Half struct{}

func (Half) Read(x int) (int, error) { return 0, nil }

type Other struct{ Base }

func (Other) Read(x int) int { return 0 }

var _ b.Reader = &Full{}
""",
    "b/b.go": """package b

type Closer interface{ Close() error }

type Reader interface {
	Closer
	Read(x int) (int, error)
}
""",
    "c/c.go": "package c\n\ntype Far interface{ Read(x int) (int, error) }\n",
}


def test_methods_stand_for_those_of_interfaces_that_a_type_has_whole() -> None:
    snapshot = snapshot_of({path: text.encode() for path, text in FILES.items()})
    facts, links = snapshot.facts(FilePath("a/a.go")), snapshot.links(FilePath("a/a.go"))
    table, found = links.overrides, []
    for row, file, symbol, edge in zip(table.definition, table.file, table.symbol, table.edge, strict=True):
        other = snapshot.surface(FilePath(links.files[file]))
        line = facts.line_column(facts.definitions.start[row])[0]
        found.append((line, links.files[file], other.strings[other.symbols.name[symbol]], edge))
    # `Base.Close` implements `Closer`; of those that have `Read` only `Full` has all of `Reader`.
    assert found == [(6, "b/b.go", "Close", 1), (10, "b/b.go", "Read", 1)]
