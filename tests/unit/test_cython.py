"""Cython: what its declarations say by Python's grammar, and what is said not to be read.

Owns: the spelling of declarations, casts and blocks; uses in files of Cython; hostile files.
Must not know: how a file of Cython is written as Python.
Invariant: what such a file uses is used at the very bytes that spell it, or is said to be left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.analysis.findings import findings
from graphls.facts.columns import Occurrences
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers
from graphls.queries.completeness import Cause
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

FILE = FilePath("a.pyx")
EXAMPLE = Path(__file__).parents[2] / "fixtures" / "python" / "facts" / "cython.pyx"


def facts_of(text: str) -> FileFacts:
    provider, data = providers()["python"], text.encode()
    return provider.extract(FILE, data, provider.parser(FILE).parse(data))


def checked(text: str) -> FileFacts:
    """Facts whose names stand where the file spells them."""
    facts, data = facts_of(text), text.encode()
    for table in (facts.occurrences, facts.definitions):
        assert list(table.start) == sorted(table.start)
        for row, (start, end, name) in enumerate(zip(table.start, table.end, table.name, strict=True)):
            said = facts.strings[name]
            renamed = isinstance(table, Occurrences) and table.role[row] == Role.IMPORT  # `a as b` stands at `b` too
            assert data[start:end].decode() == said or said == "*" or renamed
    table = facts.definitions
    for first, start, end, last in zip(table.full_start, table.start, table.end, table.full_end, strict=True):
        assert 0 <= first <= start <= end <= last <= len(data)
    return facts


def used(text: str) -> list[str]:
    facts = checked(text)
    return [facts.strings[name] for name in facts.occurrences.name]


def defined(text: str) -> list[str]:
    facts = checked(text)
    return [facts.strings[name] for name in facts.definitions.name]


def left_out(text: str) -> list[str]:
    facts, data = checked(text), text.encode()
    table = facts.problems
    assert {*table.kind} <= {ProblemKind.PARTIAL}
    return [data[start:end].decode() for start, end in zip(table.start, table.end, strict=True)]


@pytest.mark.parametrize(
    ("text", "names", "uses"),
    [
        ("cdef int a\n", ["a"], ["int"]),
        ("cdef unsigned long long a = f(b), *c, d[10]\n", ["a", "c", "d"], ["f", "b"]),
        ("cdef Node a = None, b\n", ["a", "b"], ["Node"]),
        ("cdef mod.Node* a\n", ["a"], ["mod", "Node"]),
        ("cdef np.ndarray[np.float64_t, ndim=2] a = f()\n", ["a"], ["f"]),
        ("cdef double[:, ::1] a\n", ["a"], []),
        ("cdef floating[:] a\n", ["a"], ["floating"]),
        ("cdef int (*call)(int, void*)\n", ["call"], []),
        ("cdef public Node a\n", ["a"], ["Node"]),
        ("cdef f(self): return g()\n", ["f", "self"], ["g"]),
        (
            "cdef inline A f(B a, int b=0) except NULL:\n    return a\n",
            ["f", "a", "b"],
            ["A", "B", "int", "a"],
        ),
        ("cpdef f(a, *args, **kw)\n", ["f", "a", "args", "kw"], []),
        ("cdef (int, int) f(int a): return a, a\n", ["f", "a"], ["int", "a", "a"]),
        ("cdef int f(int[:] a not None) noexcept nogil:\n    pass\n", ["f", "a"], ["int"]),
        ("def f(Node a not None, b: int = 1, c=d): pass\n", ["f", "a", "b", "c"], ["Node", "int", "d"]),
        ("def f(\n    int a,  # first\n    Node b,\n):\n    return b\n", ["f", "a", "b"], ["int", "Node", "b"]),
        ("cdef class A:\n    cdef B b\n", ["A", "b"], ["B"]),
        ("cdef class A(B) [object C, type D]:\n    pass\n", ["A"], ["B"]),
        ("cdef class A\n", [], []),
        (
            "cdef extern from 'x.h' nogil:\n    int f 'c' (A a, B*, int)\n    struct B 'c':\n        int c 'c'\ng()\n",
            ["f", "a", "B", "c"],
            ["A", "B", "int", "int", "int", "g"],
        ),
        ("cdef extern from *:\n    ctypedef struct S\n    struct T\n    void f(void)\n", ["S", "T", "f"], []),
        ("cdef extern from 'x.h':\n    '''\n    int c\n    '''\n    int a\n", ["a"], ["int"]),
        (
            "cdef extern from 'x.h':\n    enum E:\n        A 'C_A' = 1, B\n    enum:\n        C\n",
            ["E", "A", "B", "C"],
            [],
        ),
        ("cdef extern from 'x.h':\n    A* f(...)\n    B (*g)(B)\n", ["f", "g"], ["A"]),
        (
            (
                "cdef extern from 'x' namespace 'n':\n    cdef cppclass V[T, A=*](Base):\n        V(T&) except +\n"
                "        T& at(size_t i)\n        T& operator[](size_t)\n        cppclass I:\n            int d\n"
                "    cppclass O\n"
            ),
            ["V", "T", "A", "V", "at", "i", "I", "d", "O"],
            ["Base", "T", "T", "int"],
        ),
        (
            "cdef extern from 'x':\n    int f(A* dict, char* str, unsigned int, const A, void (*g)(int))\n",
            ["f", "dict", "str", "g"],
            ["A", "A", "int"],
        ),
        ("cdef extern from 'x':\n    T most[T](T a, int b)\n", ["most", "a", "b"], ["T", "T", "int"]),
        (
            "cdef cppclass O:\n    int a\n    void f(int b):\n        this.a = g(b)\nh()\n",
            ["O", "a", "f", "b"],
            ["int", "int", "this", "a", "g", "b", "h"],
        ),
        ("cdef:\n    A a = f()\n    int b\ng()\n", ["a", "b"], ["A", "f", "int", "g"]),
        ("cdef struct S:\n    A* a\n    int b\n", ["S", "a", "b"], ["A", "int"]),
        ("cpdef enum E:\n    A = 1\n    B\n", ["E", "A", "B"], []),
        ("ctypedef fused T:\n    int\n    float\ncdef T f(T a): pass\n", ["T", "f", "a"], ["T", "T"]),
        ("ctypedef A* B\n", ["B"], ["A"]),
        ("ctypedef unsigned char A\n", ["A"], []),
        ("ctypedef struct A\n", ["A"], []),
        ("from a cimport b, c as d\ncimport e.f\n", ["b", "d", "e"], ["a", "b", "c", "c", "e", "f"]),
        ("a = <B>c(d)\n", ["a"], ["B", "c", "d"]),
        ("a = <int>b\nc = <unsigned char*>d\n", ["a", "c"], ["int", "b", "d"]),
        ("return_(&a, a & b, a < b > c)\n", [], ["return_", "a", "a", "b", "a", "b", "c"]),
        ("for i from 0 <= i < n:\n    f(i)\n", ["i"], ["i", "n", "f", "i"]),
        ("a = b.new(c)\nd = new E(f)\n", ["a", "d"], ["b", "new", "c", "E", "f"]),
        ("a = 10UL + 0xFFL\n", ["a"], []),
        ("a = c'x'\n", ["a"], []),
        ("DEF A = b\nIF A:\n    c\nELSE:\n    d\n", ["A"], ["b", "A", "c", "d"]),
        ("class A:\n    def f(self, a): return self.g(a)\n", ["A", "f", "self", "a"], ["self", "g", "a"]),
        ("s = '''\ncdef int a\n'''\n# cdef b\nf(s)\n", ["s"], ["f", "s"]),
    ],
)
def test_names_are_those_of_the_file(text: str, names: list[str], uses: list[str]) -> None:
    assert defined(text) == names
    assert sorted(used(text)) == sorted(uses)


def test_code_of_python_says_what_it_says_there() -> None:
    for path in (Path(__file__), Path(__file__).parent / "test_notebooks.py"):
        text = path.read_text("utf-8")
        provider, data = providers()["python"], text.encode()
        facts = provider.extract(FilePath("a.py"), data, provider.parser(FilePath("a.py")).parse(data))
        assert used(text) == [facts.strings[name] for name in facts.occurrences.name]
        assert defined(text) == [facts.strings[name] for name in facts.definitions.name]
        assert left_out(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cdef np.ndarray[Item, ndim=2] a\n", ["np.ndarray[Item"]),
        ("if <Item>a:\n    pass\n", ["Item"]),
        ("ctypedef Item* (*make)(Item*)\n", ["Item* (*make)(Item"]),
        ("ctypedef Item* Items\n", []),
        ("cdef unsigned int a\n", []),
    ],
)
def test_types_that_are_left_out_are_said(text: str, words: list[str]) -> None:
    assert left_out(text) == words


def test_what_is_not_understood_is_no_error() -> None:
    assert left_out("a = b ? c : d\n")


PKG = {
    "pkg/__init__.py": "",
    "pkg/tools.py": "def helper(a): ...\ndef _only(): ...\ndef _lost(): ...\nclass Base:\n    def go(self): ...\n",
    "pkg/fast.pyx": (
        "from pkg.tools import helper, _only, Base\nfrom .decl cimport Thing\n"
        "include 'part.pxi'\ninclude \"sub/more.pyx\"\n"
        "cdef class Fast(Base):\n    cdef Thing thing\n    cpdef int run(self, Base other):\n        other.go()\n"
        "        self.thing.work()\n        parted(); more()\n        return helper(<int>_only())\n"
    ),
    "pkg/decl.pxd": "cdef class Thing:\n    cdef int work(self)\n",
    "pkg/decl.pyx": "cdef class Thing:\n    cdef int work(self):\n        return 1\n",
    "pkg/part.pxi": "def parted(): ...\n",
    "pkg/sub/more.pyx": "def more(): ...\n",
    "use.py": "from pkg.fast import Fast\nFast().run(None)\nFast().go()\n",
}


def uses_of(snapshot: Snapshot, name: str) -> list[str]:
    return [one.file for one in references(snapshot, one_symbol(snapshot, name)).uses]


def test_uses_lead_from_and_to_cython() -> None:
    snapshot = snapshot_of(PKG)
    assert uses_of(snapshot, "pkg.tools:helper") == ["pkg/fast.pyx"] * 2
    assert uses_of(snapshot, "pkg.tools:Base.go") == ["pkg/fast.pyx", "use.py"]
    assert uses_of(snapshot, "pkg.fast:Fast.run") == ["use.py"]
    assert uses_of(snapshot, "pkg.part.pxi:parted") == ["pkg/fast.pyx"]
    assert uses_of(snapshot, "pkg.sub.more:more") == ["pkg/fast.pyx"]
    work = next(iter(one for one in snapshot.shards if one == "pkg/decl.pyx"))
    table = snapshot.facts(FilePath("pkg/fast.pyx")).occurrences
    strings = snapshot.facts(FilePath("pkg/fast.pyx")).strings
    row = next(row for row, name in enumerate(table.name) if strings[name] == "work")
    assert [one.place.file for one in snapshot.targets(FilePath("pkg/fast.pyx"), row) if one.place] == [work]


def test_what_only_cython_uses_is_not_unused() -> None:
    said = [one.title for one in findings(snapshot_of(PKG), Settings()).findings if one.title.endswith("nothing uses")]
    assert [title.partition(":")[0] for title in said] == ["_lost"]


def test_a_type_that_is_left_out_makes_answers_incomplete() -> None:
    files = {**PKG, "pkg/more.pyx": "from pkg.tools import *\ncdef vector[Base*, x=1] a\n"}
    snapshot = snapshot_of(files)
    gaps = references(snapshot, one_symbol(snapshot, "pkg.tools:Base")).completeness.gaps
    assert [gap.cause for gap in gaps] == [Cause.UNREAD]


def test_every_beginning_of_a_file_is_read() -> None:
    text = EXAMPLE.read_text("utf-8")
    for length in range(0, len(text), 7):
        checked(text[:length])
        left_out(text[length:])


@pytest.mark.parametrize(
    "text",
    [
        "cdef " * 20_000,
        "cdef int " + "(" * 20_000,
        "cdef int " + "a, " * 20_000,
        "cdef int f(" + "int a, " * 20_000 + "):\n pass\n",
        "a = " + "<" * 20_000,
        "a = " + "<int>" * 20_000 + "b",
        "cdef class A [" * 5_000,
        "'''" * 10_001,
        "cdef:\n" + " a\n" * 20_000,
        "\\\n" * 2_000,
    ],
)
def test_hostile_files_take_time_in_proportion(text: str) -> None:
    facts_of(text)
