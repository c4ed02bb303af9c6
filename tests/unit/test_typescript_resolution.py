"""TypeScript resolution beyond what labels in fixtures say."""

from __future__ import annotations

from graphls.facts.kinds import EdgeKind
from graphls.session.memory import snapshot_of


def test_type_parameters_that_bound_each_other_end() -> None:
    code = "function f<T extends U, U extends T>(x: T) { const y = new x(); y.c; x(z => z.b); new x(w => w.d).e; }"
    snapshot = snapshot_of({"a.ts": code.encode()})
    (path,) = snapshot.files()
    assert len(snapshot.links(path).targets) == 9


def test_what_an_operator_stands_before_is_called_with_type_arguments_as_without() -> None:
    code = "async function f<T>(x: T) { await f<string>(1); !f<string>(2); 1 + f<string>(3); await f(4); }"
    snapshot = snapshot_of({"a.ts": code.encode()})
    (path,) = snapshot.files()
    table, targets = snapshot.facts(path).occurrences, snapshot.links(path).targets
    calls = [row for row, edge in zip(targets.occurrence, targets.edge, strict=True) if edge == EdgeKind.CALLS]
    assert [code[table.start[row] : table.end[row] + 1] for row in calls] == ["f<", "f<", "f<", "f("]
