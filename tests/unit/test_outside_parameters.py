"""Names of arguments of what is outside mean nothing of the workspace, and are no open uses of its members."""

from __future__ import annotations

import pytest

from graphls.facts.kinds import Role, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.languages import language_coverage
from graphls.queries.node import node
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

CODE = """
import requests
from requests import Session

class Item:
    def __init__(self):
        self.headers = None

class Mine(Session):
    pass

class Own(Session):
    def __init__(self, width):
        self.width = width

def use(thing):
    requests.get("x", headers={})
    Session(headers=1)
"""


def _reasons(snapshot: Snapshot) -> dict[int, int]:
    facts, links = snapshot.facts(FilePath("a.py")), snapshot.links(FilePath("a.py"))
    keywords = {row for row, role in enumerate(facts.occurrences.role) if role == Role.KEYWORD}
    pairs = zip(links.unresolved.occurrence, links.unresolved.reason, strict=True)
    return {row: reason for row, reason in pairs if row in keywords}


@pytest.mark.parametrize(
    ("line", "outside"),
    [
        ("Own(width=1)", None),
        ("Own(height=1)", False),
        ("thing(headers=1)", False),
        ("thing.get(headers=1)", False),
        ("requests.post(headers=1)", True),
    ],
)
def test_only_what_is_called_outside_is_certain(line: str, outside: bool | None) -> None:
    snapshot = snapshot_of({"a.py": f"{CODE}    {line}\n"})
    last = max(
        row for row, role in enumerate(snapshot.facts(FilePath("a.py")).occurrences.role) if role == Role.KEYWORD
    )
    reasons = _reasons(snapshot)
    if outside is None:
        assert last not in reasons
    else:
        assert (reasons[last] == UnresolvedReason.OUTSIDE_PARAMETER) == outside


def test_they_are_no_open_uses() -> None:
    snapshot = snapshot_of({"a.py": CODE})
    place = one_symbol(snapshot, "Item.headers")
    assert answer(snapshot, node(snapshot, place).coverage).unresolved_sites == 0
    assert [(one.name, one.unresolved) for one in language_coverage(snapshot)] == [("python", 0)]
