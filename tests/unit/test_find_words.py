"""Find words: several words find what is made of them, in any order, and nothing found is not said to be everything."""

from __future__ import annotations

import pytest

from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.find import QUALITIES, FindQuery, find
from graphls.session.memory import snapshot_of


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of(
        {
            "shop/sessions.py": (
                "class SessionInterface:\n"
                "    def open_session(self):\n        '''Loads the basket of a customer.'''\n"
                "    def save(self): ...\n"
                "def before_request(): ...\n"
                "def request_is_before(): ...\n"
                "before_request_funcs = []\n"
                "def to_dict(): ...\n"
                "def validate_input(): ...\n"
            ),
            "src/cart.ts": "export class CartStore { addItemToCart() {} }\nexport const HTTPServerError = 1\n",
            "app.py": "@app.route('/cart/items')\ndef index(): ...\n",
        }
    )


def found(snapshot: Snapshot, text: str, mode: str = "fuzzy") -> list[str]:
    matches = find(snapshot, FindQuery(text, mode)).matches  # type: ignore[arg-type]
    return [symbol_name(snapshot, match.place).partition(":")[2] for match in matches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before request", ["before_request", "before_request_funcs", "request_is_before"]),
        ("Request, before", ["before_request", "request_is_before", "before_request_funcs"]),
        ("funcsRequestBefore", ["before_request_funcs"]),
        ("session open", ["SessionInterface.open_session"]),
        ("sessions save", ["SessionInterface.save"]),
        ("add cart item", ["CartStore.addItemToCart"]),
        ("http error", ["HTTPServerError"]),
        ("to dict", ["to_dict"]),
        ("validation inputs", ["validate_input"]),
        ("open basket", ["SessionInterface.open_session"]),
        ("how to open the session", ["SessionInterface.open_session"]),
    ],
)
def test_words(shop: Snapshot, text: str, expected: list[str]) -> None:
    assert found(shop, text) == expected


def test_some_of_the_words_are_better_than_nothing_and_said_to_be_some(shop: Snapshot) -> None:
    answered = find(shop, FindQuery("open umbrella"))
    assert answered.partial
    assert [QUALITIES[match.quality] for match in answered.matches] == ["someWords"]
    assert not answer(shop, answered.coverage).complete


@pytest.mark.parametrize("text", ["umbrella", "wet umbrella", ""])
def test_nothing_found_is_not_all_there_is(shop: Snapshot, text: str) -> None:
    answered = find(shop, FindQuery(text))
    assert not answered.matches
    assert not answer(shop, answered.coverage).complete
    assert answered.next_step.kind == "outside"


def test_exact_names_are_no_words(shop: Snapshot) -> None:
    assert found(shop, "before request", "exact") == []
    assert found(shop, "open_session", "exact") == ["SessionInterface.open_session"]
