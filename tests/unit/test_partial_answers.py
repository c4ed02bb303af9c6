"""Partial answers: which shown types have a part that the checker does not know.

Owns: the forms in which servers show a type.
Must not know: what becomes of the answer.
Invariant: a type that is no union at its top is whole.
"""

from __future__ import annotations

import pytest

from graphls.compilers.partial_answers import is_open_union


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("Unknown | B", True),
        ("B | Any", True),
        ("B | @Todo(generics)", True),
        ("Unknown | (bound method B.fit() -> Unknown)", True),
        ("B | C", False),
        ("Unknown", False),
        ("bound method B.fit() -> Unknown", False),
        ("list[Unknown | B]", False),
        ("dict[str, Any] | B", False),
        ("", False),
    ],
)
def test_types_with_an_unknown_part(shown: str, wanted: bool) -> None:
    forms = ({"kind": "plaintext", "value": shown}, shown, [{"language": "python", "value": shown}])
    assert [is_open_union({"contents": form}) for form in forms] == [wanted] * 3
    assert (
        is_open_union({"contents": {"kind": "markdown", "value": f"```python\n{shown}\n```\n---\na | Any"}}) == wanted
    )
    assert not is_open_union(None)
