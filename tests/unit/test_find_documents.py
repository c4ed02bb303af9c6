"""What schemas declare is found by name, beside symbols of code."""

from __future__ import annotations

import pytest

from graphls.graph.snapshot import Snapshot
from graphls.queries.find import FindQuery, Mode, find
from graphls.queries.find_filter import FindFilter
from graphls.session.memory import snapshot_of

FILES = {
    "shop.py": "class Account: ...\n" + "".join(f"def account_{n}(): ...\n" for n in range(30)),
    "migrations/001.sql": "CREATE TABLE account (id int, email text);\nCREATE TABLE account_log (id int);\n",
    "shop.proto": (
        'syntax = "proto3";\nmessage Item { string name = 1; }\nservice Shop { rpc Get(Item) returns (Item); }\n'
    ),
    "schema.graphql": "type Buyer { email: String }\nextend type Buyer { age: Int }\n",
}


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of(FILES)


@pytest.mark.parametrize(
    ("text", "mode", "expected"),
    [
        ("Get", "fuzzy", ["Shop.Get"]),
        ("shop", "fuzzy", ["Shop"]),
        ("item", "exact", []),
        ("Item", "exact", ["Item"]),
        ("Buy", "prefix", ["Buyer"]),
        ("uyer", "prefix", []),
        ("uyer", "fuzzy", ["Buyer"]),
        ("email", "fuzzy", ["Buyer.email", "account.email"]),
        ("account.email", "fuzzy", ["account.email"]),
        ("nothing", "fuzzy", []),
    ],
)
def test_entries_are_found_by_their_name_or_its_end(shop: Snapshot, text: str, mode: Mode, expected: list[str]) -> None:
    found = find(shop, FindQuery(text, mode, documents=True))
    assert [node.name for node in found.derived] == expected
    assert found.total == len(found.matches) + len(expected)


def test_a_table_is_shown_however_many_symbols_are_like_its_name(shop: Snapshot) -> None:
    found = find(shop, FindQuery("account", limit=5, documents=True))
    assert [node.name for node in found.derived] == ["account"]
    assert [match.name for match in found.matches][:1] == ["Account"]
    assert len(found.matches) == 4
    assert found.total == 33
    assert found.coverage.truncated


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (FindFilter(kinds=frozenset(("class",))), []),
        (FindFilter(languages=frozenset(("python",))), []),
        (FindFilter(under="migrations"), ["account", "account_log"]),
        (FindFilter(under="other"), []),
    ],
)
def test_filters_hold_for_entries(shop: Snapshot, only: FindFilter, expected: list[str]) -> None:
    found = find(shop, FindQuery("account", only=only, documents=True))
    assert [node.name for node in found.derived] == expected


def test_who_asks_for_symbols_gets_symbols(shop: Snapshot) -> None:
    assert find(shop, FindQuery("Item")).derived == ()
