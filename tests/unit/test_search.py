"""Search: a question in words finds declarations and sections by what they say, in an order that says why."""

from __future__ import annotations

import attrs
import pytest

from graphls.context.search import SearchMethod, SearchQuery, method_for, search
from graphls.context.search_view import is_question
from graphls.context.synonyms import synonyms_of_missing
from graphls.context.task_search import search_for_task
from graphls.context.terms import asked_words
from graphls.context.vectors import LatentSemantics
from graphls.graph.derivation import DerivedNode
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.find import FindQuery, find
from graphls.queries.find_filter import FindFilter
from graphls.session.memory import snapshot_of


@pytest.fixture(scope="module")
def shop() -> Snapshot:
    return snapshot_of(
        {
            "shop/basket.py": (
                "class Basket:\n"
                "    def keep(self, row):\n        '''Remember what a customer chose.'''\n"
                "        self.rows += row\n"
                "    def total(self):\n        # gross price with tax\n"
                "        return sum(row.price * row.tax for row in self.rows)\n"
                "def refund(order):\n    order.price = 0\n"
                "def invoice(order):\n    '''An invoice with gross price and tax.'''\n"
                "    return order.price * order.tax\n"
            ),
            "shop/mail.ts": "/** Sends a letter to the customer. */\nexport function post(letter: string) {}\n",
            "tests/test_basket.py": "def test_total():\n    assert Basket().total() == 0  # gross price with tax\n",
            "docs/guide.md": "# Guide\n\nText.\n\n## Refunds\n\nHow a customer gets the price back.\n",
            "docs/parcels.txt": "Parcels\n=======\n\nWhich courier brings it.\n",
        }
    )


def found(snapshot: Snapshot, query: SearchQuery) -> list[str]:
    places = (hit.place for hit in search(snapshot, query).hits)
    return [symbol_name(snapshot, place).partition(":")[2] for place in places if isinstance(place, SymbolRef)]


@pytest.mark.parametrize("method", ["words", "both"])
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("remember what somebody chose", "Basket.keep"),
        ("gross price with tax", "Basket.total"),
        ("sends letters to customers", "post"),
        ("what does `refund` do", "refund"),
    ],
)
def test_a_question_finds_what_says_its_words(shop: Snapshot, method: SearchMethod, text: str, first: str) -> None:
    assert first in found(shop, SearchQuery(text=text, method=method))[:2]


def test_filters_are_hard(shop: Snapshot) -> None:
    query = SearchQuery(text="gross price with tax")
    assert "test_total" not in found(shop, query)
    assert found(shop, attrs.evolve(query, only=FindFilter(under="tests"))) == ["test_total"]
    assert found(
        shop, attrs.evolve(query, text="customer letter", only=FindFilter(languages=frozenset({"typescript"})))
    ) == ["post"]
    assert found(shop, attrs.evolve(query, text="customer basket", only=FindFilter(frozenset({"class"})))) == ["Basket"]


def test_sections_of_documents_are_found_and_say_why(shop: Snapshot) -> None:
    sections = search(shop, SearchQuery(text="customer gets price back")).sections
    assert [hit.place.name for hit in sections if isinstance(hit.place, DerivedNode)][:1] == ["Refunds"]
    assert {"customer", "price", "back"} <= set(sections[0].words)
    (parcels,) = search(shop, SearchQuery(text="which courier")).sections
    assert (parcels.key.file, parcels.words) == ("docs/parcels.txt", ("courier",))
    assert not search(shop, SearchQuery(text="price", only=FindFilter(frozenset({"class"})))).sections


def test_a_ranking_is_not_complete_and_nothing_found_asks_for_other_words(shop: Snapshot) -> None:
    made = search(shop, SearchQuery(text="customer price", limit=1))
    assert made.coverage.truncated
    assert made.coverage.completeness.gaps
    nothing = search(shop, SearchQuery(text="zebra giraffe"))
    assert (nothing.hits, nothing.next_step.kind) == ((), "clarify")


def test_the_same_contents_give_the_same_answer(shop: Snapshot) -> None:
    query = SearchQuery(text="price of the customer", method="both")
    texts = {str(path): shop.text(path) or b"" for path in sorted(shop.shards, reverse=True)}
    again = snapshot_of(texts)
    assert [(hit.key, hit.score) for hit in search(again, query).hits] == [
        (hit.key, hit.score) for hit in search(shop, query).hits
    ]
    assert search(shop, query).vectors == LatentSemantics().name


def test_nothing_to_learn_from_is_no_failure() -> None:
    assert search(snapshot_of({"a.txt": "price"}), SearchQuery(text="the price", method="both")).hits == ()


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("Fix rounding of the total", "task"),
        ("fix(basket): rounding", "task"),
        ("[3.2.x] Rounding of totals", "task"),
        ("The total with tax", "words"),
        ("where is the price made", "words"),
        ("Returns the addition of both", "words"),
        ("", "words"),
    ],
)
def test_what_wants_a_change_is_searched_for_as_a_task(text: str, method: SearchMethod) -> None:
    assert method_for(text) == method


def test_a_question_with_a_participle_finds_its_verb_and_not_the_words_of_every_question() -> None:
    texts = {
        "files.py": "def find_location(path):\n    return path\ndef open_location(path):\n    return path\n",
        "docs.py": "def explain(path):\n    '''How it happens that one gets a path.'''\n",
    }
    hits = found(snapshot_of(texts), SearchQuery(text="how does it happen that the location gets found"))
    assert hits[0] == "find_location"
    assert "explain" not in hits
    # Who does not ask means the words as they are.
    assert asked_words("found", {"found": 1.0}) == {"found": 1.0}


def test_a_word_that_nothing_has_finds_what_programmers_call_alike(shop: Snapshot) -> None:
    files = {"a.py": "def delete_row(row): ...\ndef count(row): ...\n", "b.py": "def close(erased): ...\n"}
    hits = search(snapshot_of(files | {"b.py": ""}), SearchQuery(text="erasing a row")).hits
    assert [(hit.key.file, hit.words) for hit in hits[:1]] == [("a.py", ("delete", "row"))]
    # Where something has the word itself, that alone is meant.
    assert found(snapshot_of(files), SearchQuery(text="erase")) == ["close"]
    assert synonyms_of_missing({"eras": 1.0}, {"eras"}) == {}
    assert found(shop, SearchQuery(text="zebra")) == []


@pytest.mark.parametrize(("text", "asked"), [("gross", True), ("basket", False), ("Bskt", False), ("bskt", False)])
def test_one_word_that_no_name_has_is_searched_for(shop: Snapshot, text: str, *, asked: bool) -> None:
    query = FindQuery(text)
    assert is_question(query, find(shop, query)) is asked


def test_what_others_wrote_comes_behind() -> None:
    text = "def solve_equation(f):\n    '''Solve an equation.'''\n"
    given = snapshot_of({".gitattributes": "lib/* linguist-vendored\n", "lib/a.py": text, "own/b.py": text})
    files = [hit.key.file for hit in search(given, SearchQuery(text="solves the equation")).hits]
    assert files[0] == "own/b.py"


def test_a_task_finds_what_is_linked_to_its_words(shop: Snapshot) -> None:
    query = SearchQuery(text="fix the gross price with tax", method="task")
    hits = search_for_task(shop, query).hits
    symbols = [symbol_name(shop, hit.place) for hit in hits if isinstance(hit.place, SymbolRef)]
    assert symbols[0] in ("shop.basket:Basket.total", "shop.basket:invoice")
    assert not any(symbol.startswith("tests") for symbol in symbols)
    only = attrs.evolve(query, only=FindFilter(frozenset({"method"})))
    assert {hit.place.file for hit in search_for_task(shop, only).hits if isinstance(hit.place, SymbolRef)} == {
        "shop/basket.py"
    }
    assert not search_for_task(shop, attrs.evolve(query, only=FindFilter(under="docs"))).hits
