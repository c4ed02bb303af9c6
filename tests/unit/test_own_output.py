"""Own output: a file that lists what was found about code is no use of it, wherever somebody keeps it.

Owns: every format that this program writes, beside the code that it is about.
Must not know: by which beginnings these are known.
Invariant: findings and open uses are those of the code without the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from graphls.analysis.baseline import baseline_text, read_baseline
from graphls.analysis.finding import Finding
from graphls.analysis.findings import findings
from graphls.analysis.review_marks import mark_of, marks_text, read_marks
from graphls.analysis.sarif.log import sarif_log
from graphls.graph.export import export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.snapshot import Snapshot
from graphls.queries.completeness import CoverageClaim
from graphls.queries.open_uses import open_uses
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings

FILES = {"m.py": "def a():\n    return 1\n\n\ndef _gone():\n    return 2\n"}
Written = Callable[[Snapshot, Finding], str]


def log(snapshot: Snapshot, finding: Finding) -> str:
    return sarif_log(snapshot, findings(snapshot, Settings()), [finding]).decode()


def linter_log(snapshot: Snapshot, finding: Finding) -> str:
    found = {"message": {"text": finding.title}, "ruleId": "X1"}
    runs = [{"tool": {"driver": {"name": "lint"}}, "results": [found]}]
    return json.dumps({"runs": runs, "version": "2.1.0"})


def reviews(snapshot: Snapshot, finding: Finding) -> str:
    return marks_text(read_marks(b""), {finding.id: mark_of(snapshot, finding, "accept", "_gone", "ana")})


def exported(kind: str) -> Written:
    return lambda snapshot, finding: "".join(WHOLE_GRAPH[kind](export(snapshot).records()))


OUTPUTS: dict[str, Written] = {
    "known.json": lambda snapshot, finding: baseline_text(read_baseline(b""), (finding,)),
    "reviews.yaml": reviews,
    "log.sarif": log,
    "log.json": log,
    "linter.json": linter_log,
    "graph.jsonl": lambda snapshot, finding: b"".join(export(snapshot).lines()).decode(),
    "answer.json": lambda snapshot, finding: json.dumps(
        {"snapshot": "s:r7ofin5z6lppbzbislzzsfx4pm", "findings": [{"title": finding.title}]}, indent=2
    ),
    "nodes.csv": lambda snapshot, finding: '"id","kind","subkind","name"\n"n:1","callable","function","_gone"\n',
    **{f"graph.{kind}": exported(kind) for kind in WHOLE_GRAPH},
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_this_program_wrote_names_nothing(name: str) -> None:
    snapshot = snapshot_of(FILES)
    (finding,) = findings(snapshot, Settings()).findings
    text = OUTPUTS[name](snapshot, finding)
    assert "_gone" in text or name == "graph.svg"  # a picture of modules
    beside = snapshot_of({**FILES, f"ci/{name}": text})
    assert [one.id for one in findings(beside, Settings()).findings] == [finding.id]
    assert not list(open_uses(beside, CoverageClaim(uses_of=(one_symbol(beside, "m:_gone"),))))


def test_other_texts_name_what_they_spell() -> None:
    for name, text in (("known.json", '{"version": 1, "run": ["_gone"]}'), ("a.csv", "name,by\n_gone,x\n")):
        assert not findings(snapshot_of({**FILES, f"ci/{name}": text}), Settings()).findings
