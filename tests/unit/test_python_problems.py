"""Problems of Python: what its grammar takes for broken and Python does not, and the reverse."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("class A[T = int]: pass\n", []),
        ("class A[T: B = int, U = T]: pass\n", []),
        ("def f[T = int, *Ts = *tuple[int, ...], **P = [int]](): pass\n", []),
        ("type L[T: A = B] = list[T]\n", []),
        ("class A[T =]: pass\n", ["="]),
        ("class A[T: int = ]: pass\n", ["="]),
        ("x: list[T = int] = 1\n", ["T ="]),
        ("type L = list[T = int]\n", ["T ="]),
    ],
)
def test_defaults_of_type_parameters_are_broken_where_python_says_so(text: str, broken: list[str]) -> None:
    facts = snapshot_of({"a.py": text}).facts(FilePath("a.py"))
    assert facts is not None
    assert [text[start:end] for start, end in zip(facts.problems.start, facts.problems.end, strict=True)] == broken
