"""Files of languages with declared types are read by runs of statements: random edits, sound and broken, say what a
reading from scratch says, and a letter inside of one member reads nothing else."""

from __future__ import annotations

import random

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.declared import statement_runs
from graphls.languages.registry import provider_for
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, Document, TextChange, apply, open_document
from graphls.session.index.extraction import understand

GO = (
    """\
// Package p.
package p

import "os"

const (
	A = iota
	B
)
""",
    """\
// T{0} holds.
type T{0} struct {{ a int; b *T{1} }}

var v{0}, w{0} = {0}, os.Args

// M{0} runs.
func (t *T{0}) M{0}(x string) (int, error) {{
	y := t.b.M{1}(x)
	if y > v{1} {{
		return A, nil
	}}
	return func() int {{ return t.a }}(), nil
}}
""",
)
JAVA = (
    """\
/** All of it. */
package p;

import java.util.*;

/** The class. */
class C<T> extends B implements I {{
""",
    """\
    /** A field. */
    private final List<String> f{0} = new ArrayList<>();
    private final Supplier<List<String>> g{0} = ArrayList::new;
    // of use
    @Override
    public int m{0}(int x) {{
        Runnable r = () -> this.m{1}(x);
        for (String s : f{0}) {{ r.run(); }}
        return new Object() {{ int g() {{ return x; }} }}.g();
    }}
    enum E{0} {{ A(1), B; int q; E{0}(int a) {{ q = a; }} }}
    record R{0}(int a, String b) {{ }}
""",
    """\
}
""",
)
CSHARP = (
    """\
using System;
using L = System.Collections.Generic.List<int>;

namespace P.Q;

/// <summary>All.</summary>
public class C<T> : B, I where T : new()
{{
""",
    """\
    /// <summary>A field.</summary>
    private readonly L f{0} = new L(), g{0};
    [Obsolete]
    public int P{0} {{ get; set; }} = {0};
    public C(int a{0}) : this(x: a{0}, y: 1) {{ f{0}.Add(a{0}); }}
    int M{0}(string s, int n = 1)
    {{
        Func<int, int> h = q => q + P{1};
        if (B.Take(s, new(n), out var found{0})) found{0}.Add(n);
        return M{1}(n: h(1), s: s);
    }}
    enum E{0} {{ A, B = 2 }}
""",
    """\
}
""",
)
C = (
    """\
/* All of it. */
#include <stdio.h>
#include "p.h"

#ifdef WHOLE
int other;
#endif
""",
    """\
/* A thing. */
struct s{0} {{ int a; struct s{1} *next; }};
typedef enum {{ A{0}, B{0} }} e{0};
#define N{0} (A{0} + 1)
static int v{0} = N{0};
extern int v{0};

// It runs.
int f{0}(struct s{0} *p, int n) {{
    if (n > N{0})
        return f{1}(p->next, n - v{0});
    for (int i = 0; i < n; i++) {{ p->a += i; }}
    return p->a;
}}
""",
)
PHP = (
    """\
<?php
namespace P;

use A\\B;
use function A\\f;

/** All. */
final class C extends B implements I
{{
    use T;
""",
    """\
    /** @var B[] */
    private array $f{0} = [];
    public const K{0} = {0};

    /**
     * Runs.
     * @param B $x
     */
    public function m{0}(B $x, int $n = self::K{0}): ?B
    {{
        $y = $this->m{1}($x);
        foreach ($this->f{0} as $k => $v) {{
            $y = fn() => $v->m($n, f($k));
        }}
        return $y ?? new class {{ public $q; }};
    }}
""",
    """\
}
function late(C $c) { return $c->m1(new B()); }
""",
)
RUST = (
    """\
//! All of it.
#![allow(dead_code)]

use std::fmt::{{self, Display as Show}};

/// It shows.
pub trait Named<T> {{
    fn name(&self) -> T;
    /// Twice.
    fn both(&self) -> (T, T) {{ (self.name(), self.name()) }}
}}
""",
    """\
/// A thing.
#[derive(Clone, Debug)]
pub struct S{0}<T> {{ a: Vec<T>, b: Option<Box<S{1}<T>>> }}

const K{0}: usize = {0};

impl<T> S{0}<T> {{
    // of use
    #[inline]
    pub fn new(a: Vec<T>) -> Self {{ S{0} {{ a, b: None }} }}
    fn m{0}(&self, n: usize) -> Option<&T> {{
        println!("{{}} {{:?}}", n, vec![K{0}, n; 2]);
        match &self.b {{ Some(b) if n > K{1} => b.m{1}(n - 1), _ => self.a.get(n) }}
    }}
    fn where{0}(&self) where T: Show {{ assert!(matches!(self.b, None), "no {{}}", 1); }}
}}

impl<T: Show> Named<String> for S{0}<T> {{
    fn name(&self) -> String {{ format!("{{}}", self.a[0]) }}
}}

mod inner{0} {{
    use super::*;
    pub enum E{0} {{ A(u8), B {{ c: u8 }} }}
    impl E{0} {{ pub fn is(&self) -> bool {{ let x = |y: u8| y > 1; x(1) }} }}
}}
""",
)
SOURCES = {"a.rs": RUST, "a.go": GO, "A.java": JAVA, "A.cs": CSHARP, "a.c": C, "a.php": PHP}
PIECES = [
    *"\n (){}x;\"'",
    *("// c\n", "/* c */", "/** d */\n", "x = 1;\n", "return", "if (a) {", "class Q { int a; }\n", "a.b(c);\n"),
    *("int g() { return 1; }\n", "#if X\n", 'import "os"\n', "#define M 1\n", "package q;\n", "namespace N;\n"),
    *("func g() {}\n", "y := 1\n", "$x = 2;\n", "public $u;\n", "@O\n", "enum E { A, B }\n"),
    *(
        "let z = 1;\n",
        "impl S1<u8> {\n",
        "#[test]\n",
        "fn f() where T: Copy {}\n",
        "dbg!(self, 1)",
        "use a::*;\n",
        "<T>",
    ),
]


def text_of(name: str) -> str:
    head, part, *tail = SOURCES[name]
    parts = "".join(part.format(number, max(number - 1, 0)) for number in range(8))
    return head.replace("{{", "{") + parts + "".join(tail)


class Typist:
    """One open file, compared with a reading from scratch after each edit."""

    def __init__(self, name: str) -> None:
        found = provider_for(FilePath(name))
        assert found is not None
        self.name, self.provider, self.version = FilePath(name), found, 0
        self.document: Document = open_document("", 0, text_of(name), "")
        self.held = open_files.OpenFile(self.name, self.document.data, self.provider)
        self.held.parse()

    @property
    def lines(self) -> list[str]:
        return self.document.data.decode().split("\n")

    def edit(self, text: str, start: tuple[int, int], end: tuple[int, int] | None = None) -> None:
        self.version += 1
        applied = apply(self.document, self.version, [TextChange(text, (start, end or start))], "utf-32")
        assert isinstance(applied, AppliedChange)
        self.document = applied.document
        self.held.change(self.document.data, applied.edits)
        shown, fresh = self.held.parse(), understand(self.provider, self.name, self.document.data)
        assert shown is not None
        assert encode(shown.facts) == encode(fresh[0])
        assert encode(shown.surface) == encode(fresh[1])


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each text that no run was found for."""
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    found: list[int] = []
    started = statement_runs.FragmentCache.end_reading
    monkeypatch.setattr(
        statement_runs.FragmentCache,
        "end_reading",
        lambda *some: found.append(1) or started(*some),  # type: ignore[func-returns-value]
    )
    return found


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", SOURCES)
def test_random_edits_say_what_a_fresh_reading_says(name: str, seed: int, whole: list[int]) -> None:
    typist, choice = Typist(name), random.Random(f"{name}{seed}")
    for _ in range(24):
        lines = typist.lines
        row = choice.randrange(len(lines))
        column, end = choice.randrange(len(lines[row]) + 1), None
        if choice.random() < 0.3:
            below = min(row + choice.randrange(3), len(lines) - 1)
            end = (below, choice.randrange(column if below == row else 0, len(lines[below]) + 1))
        typist.edit(choice.choice(PIECES) if end is None or choice.random() < 0.5 else "", (row, column), end)
        if choice.random() < 0.3:
            typist.edit(text_of(name), (0, 0), (len(typist.lines), 0))


@pytest.mark.parametrize(
    ("name", "inside", "typed"),
    [
        ("a.go", "func (t *T5)", "z := t.M4(v3"),
        ("A.java", "public int m5(", "x = this.m4(1"),
        ("A.cs", "    {", "var z = M4(n: P3"),
        ("a.c", "int f5(", "v4 = p->a"),
        ("a.php", "    {", "$z = $this->m4(1"),
        ("a.rs", "fn m5(", "let z = vec![self.b, n]"),
    ],
)
def test_a_letter_reads_one_member(name: str, inside: str, typed: str, whole: list[int]) -> None:
    typist = Typist(name)
    rows = [number for number, line in enumerate(typist.lines) if line.lstrip().startswith(inside.strip())]
    row = rows[0] + 1 if len(rows) == 1 else rows[len(rows) // 2] + 1
    typist.edit("\n", (row, 0))
    whole.clear()
    for column, key in enumerate(typed + ";"):
        typist.edit(key, (row, column))
    assert len(whole) <= len(typed) // 2
    typist.edit("", (row, 0), (row + 1, 0))
    assert typist.document.data.decode() == text_of(name)
