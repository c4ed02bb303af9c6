"""Filters of a search: by kind, language and folder, beside names and beside words."""

from __future__ import annotations

import pytest

from graphls.context.search import SearchQuery, search
from graphls.context.search_view import is_question
from graphls.graph.derivation import DerivedNode
from graphls.graph.errors import BadRequest
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.find import FindQuery, find
from graphls.queries.find_filter import FindFilter, checked_filter
from graphls.session.memory import snapshot_of

FILES = {
    "shop/basket.py": (
        "from enum import Enum\nfrom typing import Protocol\n"
        "class BasketState(Enum):\n    OPEN = 1\n"
        "class BasketLike(Protocol): ...\n"
        "class Basket: ...\n"
        "def basket_total():\n    '''The gross price of a basket.'''\n"
        "    def basket_row(): ...\n"
    ),
    "web/basket.ts": "/** The gross price of a basket, in the page. */\nexport function basketTotal() {}\n",
    "tests/test_basket.py": "def test_basket_total(): ...\ndef basket_made(): ...\n",
    "docs/basket.md": "# Basket\n\n## Basket totals\n\nThe gross price of a basket.\n",
}


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of(FILES)


def names(snapshot: Snapshot, text: str, only: FindFilter) -> set[str]:
    found = find(snapshot, FindQuery(text, only=only, locals=True))
    return {symbol_name(snapshot, match.place).partition(":")[2] for match in found.matches} | {
        node.name for node in found.derived
    }


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("test",), {"test_basket_total"}),
        (("enum",), {"BasketState"}),
        (("protocol",), {"BasketLike"}),
        (("class",), {"BasketState", "BasketLike", "Basket"}),
        (("heading",), {"Basket", "Basket totals"}),
        (("test", "protocol"), {"test_basket_total", "BasketLike"}),
        (("route",), set[str]()),
    ],
)
def test_a_kind_is_what_the_node_says(shop: Snapshot, kinds: tuple[str, ...], expected: set[str]) -> None:
    assert names(shop, "basket", FindFilter(frozenset(kinds))) == expected


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (FindFilter(languages=frozenset({"typescript"})), {"basketTotal"}),
        (FindFilter(under="web"), {"basketTotal"}),
        (FindFilter(under="./web/basket.ts"), {"basketTotal"}),
        (FindFilter(frozenset({"test"}), under="web"), set[str]()),
        (FindFilter(frozenset({"heading"}), under="shop"), set[str]()),
    ],
)
def test_languages_and_folders_filter_names(shop: Snapshot, only: FindFilter, expected: set[str]) -> None:
    for text in ("basket", "basket total"):
        assert names(shop, text, only) == expected


def test_locals_are_filtered_too(shop: Snapshot) -> None:
    for kind, folder, seen in (("function", "shop", True), ("function", "web", False), ("class", "shop", False)):
        only = FindFilter(frozenset({kind}), under=folder)
        assert ("basket_total.basket_row" in names(shop, "basket_row", only)) is seen


def test_words_are_filtered_before_they_are_ranked(shop: Snapshot) -> None:
    many = {f"m{number}.py": "def gross(): return gross_price_of_a_basket\n" for number in range(450)}
    crowded = snapshot_of({**FILES, **many, "last.py": "class Kept:\n    '''basket'''\n"})
    hits = search(crowded, SearchQuery(text="gross price of a basket", only=FindFilter(frozenset({"class"})))).hits
    symbols = {symbol_name(crowded, hit.place) for hit in hits if isinstance(hit.place, SymbolRef)}
    assert "last:Kept" in symbols
    assert not any(symbol.endswith(":gross") for symbol in symbols)


def test_sections_alone(shop: Snapshot) -> None:
    found = search(shop, SearchQuery(text="gross price of a basket", only=FindFilter(frozenset({"heading"}))))
    assert not found.hits
    assert [hit.place.name for hit in found.sections if isinstance(hit.place, DerivedNode)][:1] == ["Basket totals"]
    in_code = FindFilter(languages=frozenset({"python"}))
    assert not search(shop, SearchQuery(text="gross price of a basket", only=in_code)).sections


def test_questions_keep_their_filters(shop: Snapshot) -> None:
    for only, ranked in ((FindFilter(frozenset({"function"})), True), (FindFilter(frozenset({"route"})), False)):
        query = FindQuery("gross price made where", only=only)
        assert is_question(query, find(shop, query)) is ranked


def test_what_asks_something_is_no_name() -> None:
    shop = snapshot_of({"cart.py": "".join(f"def sign_cookie_{number}(): ...\n" for number in range(6))})
    for text, ranked in (("sign cookie", False), ("where is the cookie signed", True)):
        query = FindQuery(text)
        assert is_question(query, find(shop, query)) is ranked


def test_words_of_many_names_and_little_documentation_are_a_question() -> None:
    many = "".join(f"def solve_{number}(): ...\n" for number in range(400))
    files = {
        "solvers.py": f"{many}def aux_of_a_very_long_solve():\n    '''Of a differential equation.'''\n",
        "ode.py": "def dsolve(f):\n    '''Solve an equation, ordinary and differential.\n\n    Solve it.'''\n",
    }
    query = FindQuery("solve differential equation")
    few = snapshot_of({**files, "solvers.py": files["solvers.py"].replace(many, "")})
    assert not is_question(query, find(few, query)), "all that is called so was looked at"
    crowded = snapshot_of(files)
    assert is_question(query, find(crowded, query))
    named = "".join(f"def solve_differential_equation_{number}(): ...\n" for number in range(5))
    clear = snapshot_of({**files, "named.py": named})
    assert not is_question(query, find(clear, query)), "the names say it"
    tests = snapshot_of({**files, "tests/test_named.py": named})
    assert is_question(query, find(tests, query))


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"kinds": ("verb",)}, "no kind 'verb'"),
        ({"languages": ("cobol",)}, "no language 'cobol'"),
        ({"under": "nowhere"}, "'nowhere' is no folder"),
    ],
)
def test_a_filter_that_names_nothing_is_refused(
    shop: Snapshot, filters: dict[str, tuple[str, ...] | str], said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        checked_filter(shop, **filters)  # type: ignore[arg-type]
