"""Symbols that are like others: equal bodies under other names, most of a body, the same name."""

from __future__ import annotations

from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.similar import SimilarSymbols, similar
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

BODY = '''\
def collect(rows, limit):
    """Says what it does."""
    totals = {}
    for row in rows:
        if row.price > limit:  # dear
            totals.setdefault(row.owner, []).append(row.price * 2)
        else:
            totals[row.owner] = [row.price // 3]
    return sorted(totals.items(), key=lambda pair: pair[1])
'''
COPY = BODY.replace("collect", "gather").replace("rows", "lines").replace("totals", "sums").replace("limit", "least")
OTHER = '''\
def gather_words(text):
    """Of the same size, about something else."""
    words = text.split()
    while words and not words[-1].price:
        words.pop()
    try:
        return " ".join(word.owner.upper() for word in words if word.isalpha())
    except AttributeError as error:
        raise ValueError("no owner", text) from error
'''
TYPESCRIPT = """\
export function collectAll(rows: Row[], limit: number) {
  const totals = new Map<string, number[]>();
  for (const row of rows) {
    if (row.price > limit) { totals.set(row.owner, [row.price * 2]); } else { totals.delete(row.owner); } // dear
  }
  return [...totals.entries()].filter((pair) => pair[1].length > 1);
}
"""


def found(snapshot: Snapshot, name: str) -> list[tuple[str, bool, bool]]:
    return [
        (symbol_name(snapshot, one.match), one.same_body, one.same_name)
        for one in similar(snapshot, [one_symbol(snapshot, name)]).found
    ]


def test_a_copy_under_other_names_has_the_same_body() -> None:
    snapshot = snapshot_of({"a.py": BODY, "b.py": f"import os\n\n\n{COPY}", "c.py": OTHER})
    assert found(snapshot, "a:collect") == [("b:gather", True, False)]
    assert found(snapshot, "b:gather") == [("a:collect", True, False)]
    assert found(snapshot, "c:gather_words") == []


def test_comments_of_each_language_do_not_count() -> None:
    copy = TYPESCRIPT.replace("collectAll", "every").replace("// dear", "/* as\n it is */").replace("totals", "sums")
    snapshot = snapshot_of({"a.ts": TYPESCRIPT, "b.ts": copy})
    assert found(snapshot, "a.ts:collectAll") == [("b.ts:every", True, False)]
    # What divides in one language begins a comment in another.
    other = snapshot_of({"a.py": BODY, "b.py": COPY.replace("// 3", "/ 3")})
    ((_, same, _),) = found(other, "a:collect")
    assert not same


def test_most_of_a_body_is_alike() -> None:
    edited = COPY.replace("        if row.price > least:", "        if row.price >= least:")
    snapshot = snapshot_of({"a.py": BODY, "b.py": edited})
    (one,) = similar(snapshot, [one_symbol(snapshot, "a:collect")]).found
    assert 0.7 <= one.similarity < 1
    assert not one.same_body


def test_the_same_name_is_named_whatever_the_body() -> None:
    files = {
        "a.py": "def parse_row(text):\n    return text\n",
        "b.py": "def parse_row(line):\n    return line.split()\n",
    }
    methods = {"c.py": "class A:\n    def parse_row(self): ...\n", "test_d.py": "def parse_row(): ...\n"}
    assert found(snapshot_of({**files, **methods}), "a:parse_row") == [("b:parse_row", False, True)]


def test_what_was_left_out_is_said() -> None:
    files = {f"m{number}.py": COPY.replace("gather", f"gather_{number}") for number in range(12)}
    snapshot = snapshot_of({"a.py": BODY, **files})
    answered: SimilarSymbols = similar(snapshot, [one_symbol(snapshot, "a:collect")])
    assert len(answered.found) == 10
    assert answered.coverage.completeness.gaps
    few = snapshot_of({"a.py": BODY, "m1.py": files["m1.py"]})
    assert not similar(few, [one_symbol(few, "a:collect")]).coverage.completeness.gaps
