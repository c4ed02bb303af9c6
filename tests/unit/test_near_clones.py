"""Near clones: pairs that share most of a body, edges between them, code that stands nowhere yet."""

from __future__ import annotations

import random

import pytest

from graphls.graph.errors import BadRequest
from graphls.graph.identity import symbol_name
from graphls.queries.body_sketches import bands_of, hashed_runs, signature_of, sketch_of
from graphls.queries.body_tokens import tokens_of
from graphls.queries.clone_families import clone_families
from graphls.queries.near_clones import near_clones, similar_edges
from graphls.queries.similar import similar
from graphls.session.memory import snapshot_of
from graphls.session.snippets import with_snippet
from graphls.settings import Settings

BODY = '''\
def collect(rows, limit):
    """Says what it does."""
    totals = {}
    for row in rows:
        if row.price > limit:  # dear
            totals.setdefault(row.owner, []).append(row.price * 2)
        else:
            totals[row.owner] = [row.price // 3]
    if limit is None or not totals:
        raise ValueError("nothing", limit)
    while totals and len(totals) > 20:
        totals.popitem()
    return sorted(totals.items(), key=lambda pair: pair[1])
'''
COPY = BODY.replace("collect", "gather").replace("rows", "lines").replace("totals", "sums").replace("limit", "least")
NEAR = COPY.replace("        sums.popitem()\n", "        sums.popitem()\n        sums.update(least)\n")
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
    finally:
        print(text, words, sep="")
        del words[:]
'''


def test_a_copy_with_a_line_more_is_a_near_clone_and_what_is_unlike_is_none() -> None:
    snapshot = snapshot_of({"a.py": BODY, "b.py": NEAR, "c.py": OTHER})
    found = [(symbol_name(snapshot, one.one), symbol_name(snapshot, one.other)) for one in near_clones(snapshot)]
    assert found == [("a:collect", "b:gather")]
    assert not near_clones(snapshot_of({"a.py": BODY, "c.py": OTHER}))


def test_edges_tie_equal_and_near_bodies_once() -> None:
    snapshot = snapshot_of({"a.py": BODY, "b.py": COPY, "c.py": NEAR, "d.py": OTHER})
    edges = [(path, edge.edge.attributes["same_body"], edge.edge.confidence) for path, edge in similar_edges(snapshot)]
    assert [(path, same) for path, same, _ in edges] == [("a.py", True), ("a.py", False)]
    assert edges[0][2] == 1.0
    assert 0.8 <= edges[1][2] < 1.0


def test_a_renamed_copy_is_found_where_no_name_is_in_common() -> None:
    plain = {f"m{number}.py": f"def f{number}(x):\n    return x\n" for number in range(60)}
    strange = COPY.replace("row", "zeile").replace("price", "preis").replace("owner", "eigner")
    snapshot = snapshot_of({**plain, "a.py": BODY})
    made = with_snippet(snapshot, strange, Settings(), (), language="python")
    found = similar(made.snapshot, made.places, texts=True)
    assert [(symbol_name(made.snapshot, one.match), one.same_body) for one in found.found] == [("a:collect", True)]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (BODY.partition("\n")[2].replace("return", "return ("), "does not parse"),
        ("import os\nimport sys\n", "declares nothing"),
    ],
)
def test_code_without_symbols_is_compared_as_one_piece(code: str, why: str) -> None:
    snapshot = snapshot_of({"a.py": BODY})
    made = with_snippet(snapshot, code, Settings(), (), path="app/new.py")
    assert why in made.why_whole
    found = similar(made.snapshot, made.places, texts=True).found
    assert [symbol_name(made.snapshot, one.match) for one in found] == (["a:collect"] if "parse" in why else [])


@pytest.mark.parametrize(("language", "path"), [("cobol", ""), ("", ""), ("", "notes.txt")])
def test_a_language_that_nobody_reads_is_refused(language: str, path: str) -> None:
    with pytest.raises(BadRequest, match="python"):
        with_snippet(snapshot_of({"a.py": BODY}), BODY, Settings(), (), language=language, path=path)


def test_signatures_agree_as_often_as_runs_are_in_common() -> None:
    """The mean over many pairs is the Jaccard index, within three of its standard errors."""
    choice = random.Random(1)
    off = 0.0
    for _ in range(200):
        both = {choice.getrandbits(64) for _ in range(80)}
        one, other = ({choice.getrandbits(64) for _ in range(20)} | both for _ in range(2))
        equal = sum(a == b for a, b in zip(signature_of(one), signature_of(other), strict=True)) / 128
        off += equal - len(one & other) / len(one | other)
    assert abs(off / 200) < 0.02


def test_a_sketch_depends_on_nothing_but_tokens() -> None:
    tokens = tokens_of(BODY, "python")
    assert sketch_of(tokens) == sketch_of(tokens_of(COPY, "python"))
    assert len(bands_of(signature_of(hashed_runs(tokens)), 16)) == 16
    assert len(set(sketch_of(tokens).bands)) > 10


METHOD = """\
class Box:
    def collect(self, rows, limit):
        for row in rows:
            if row.price > self.limit:
                self.totals.setdefault(row.owner, []).append(self.rate(row.price) * 2)
        if limit is None or not self.totals:
            raise ValueError("nothing", limit)
        return sorted(self.totals.items(), key=self.key)
"""
SCRIPT_METHOD = """\
export class Box {
  collect(rows: Row[], limit: number) {
    for (const row of rows) {
      if (row.price > this.limit) { this.totals.set(row.owner, this.rate(row.price) * 2) }
      else { this.seen[row.owner] = row.price / 3 }
    }
    if (!limit || !this.seen) throw new Error("nothing")
    while (this.totals.size > this.most) this.totals.clear()
    return [...this.totals.values()].map(this.key)
  }
}
"""


@pytest.mark.parametrize("receiver", ["this", "me", "order"])
def test_a_copy_whose_receiver_has_another_name_is_an_equal_body(receiver: str) -> None:
    method = METHOD.replace("self", receiver).replace("Box", "Crate")
    function = "\n".join(line[4:] for line in METHOD.replace("self", receiver).splitlines()[1:]) + "\n"
    for copy in (method, function):
        snapshot = snapshot_of({"a.py": METHOD, "b.py": copy})
        (family,) = clone_families(snapshot)
        assert {place.file for place in family.members} == {"a.py", "b.py"}
        (edge,) = similar_edges(snapshot)
        assert edge[1].edge.attributes["same_body"]


def test_a_method_made_a_function_of_its_receiver_is_like_it() -> None:
    body = SCRIPT_METHOD.split("{\n", 2)[2].rsplit("}", 1)[0].replace("this", "me")
    function = f"export function gather(me: Box, rows: Row[], limit: number) {{\n{body}"
    (pair,) = near_clones(snapshot_of({"a.ts": SCRIPT_METHOD, "b.ts": function}))
    assert pair.similarity >= 0.8
