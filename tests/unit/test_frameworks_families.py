"""Callers that may reach an override through what it overrides are found, and marked as possible."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.graph.identity import end_name, symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.call_hierarchy import callers
from graphls.queries.hover import card
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

FAMILY = """
    --- path: base.py ---
    class Base:
        def run(self): ...
        def go(self):
            self.run()

    class Sub(Base):
        def run(self): ...

    class Other(Base):
        def run(self): ...

    class Leaf(Sub):
        def run(self):
            super().run()
    --- path: use.py ---
    from base import Base, Other, Sub

    def through(base: Base):
        base.run()

    def named(base: Base):
        Base.run(base)

    def direct(sub: Sub):
        sub.run()

    def elsewhere(other: Other):
        other.run()

    def unknown(thing):
        thing.run()
"""


@pytest.fixture(scope="module")
def workspace() -> Snapshot:
    return snapshot_of(fixture(FAMILY).files)


def _callers(snapshot: Snapshot, name: str) -> dict[str, str]:
    found = callers(snapshot, one_symbol(snapshot, name))
    return {
        symbol_name(snapshot, calls.place): symbol_name(snapshot, calls.through) if calls.through else ""
        for calls in found.calls
    }


def test_callers_of_an_override_through_its_base(workspace: Snapshot) -> None:
    assert _callers(workspace, "base:Sub.run") == {
        "base:Leaf.run": "",
        "use:direct": "",
        "base:Base.go": "base:Base.run",
        "use:through": "base:Base.run",
    }


def test_callers_of_the_base_are_its_own(workspace: Snapshot) -> None:
    assert _callers(workspace, "base:Base.run") == {"base:Base.go": "", "use:through": "", "use:named": ""}


def test_possible_callers_are_less_sure(workspace: Snapshot) -> None:
    found = callers(workspace, one_symbol(workspace, "base:Sub.run"))
    sure = min(site.confidence for calls in found.calls if calls.through is None for site in calls.sites)
    assert all(site.confidence < sure for calls in found.calls if calls.through for site in calls.sites)


def test_answers_say_that_they_may_miss_something(workspace: Snapshot) -> None:
    """`thing.run()` may call any of them."""
    place = one_symbol(workspace, "base:Sub.run")
    assert callers(workspace, place).unresolved_sites == 1
    found = impact(workspace, ImpactQuery(place))
    assert found.coverage.unresolved_sites == 1
    assert not answer(workspace, found.coverage).complete


def test_impact_goes_through_the_base_and_not_to_siblings(workspace: Snapshot) -> None:
    found = impact(workspace, ImpactQuery(one_symbol(workspace, "base:Sub.run"), depth=1))
    assert {end_name(workspace, one.node): one.possible for one in found.affected} == {
        "use:direct": False,
        "base:Base.go": True,
        "use:through": True,
    }
    assert [symbol_name(workspace, seed) for seed in found.seeds] == ["base:Sub.run", "base:Base.run", "base:Leaf.run"]


def test_impact_of_the_base_reaches_callers_of_overrides(workspace: Snapshot) -> None:
    found = impact(workspace, ImpactQuery(one_symbol(workspace, "base:Base.run"), depth=1))
    possible = {end_name(workspace, one.node) for one in found.affected if one.possible}
    assert possible == {"use:direct", "use:elsewhere"}


def test_impact_names_the_routes_that_a_change_can_be_met_through() -> None:
    snapshot = snapshot_of({
        "app.py": "from flask import Flask\nfrom lib import price\napp = Flask('a')\n"
        "@app.get('/price')\ndef show():\n    return price()\n",
        "lib.py": "def price(): ...\n",
        "tests/test_app.py": "from flask import Flask\nfrom lib import price\napp = Flask('t')\n"
        "@app.get('/only-a-test')\ndef show():\n    return price()\n",
    })  # fmt: skip
    found = impact(snapshot, ImpactQuery(one_symbol(snapshot, "lib:price")))
    assert [end_name(snapshot, one.node) for one in found.entries] == ["route GET /price"]
    tests = {end_name(snapshot, one.node) for one in found.affected if one.test}
    assert "route GET /only-a-test" in tests


def test_hover_tells_what_a_function_handles() -> None:
    snapshot = workspace_of("""
        --- path: app.py ---
        from flask import Flask
        app = Flask("a")
        @app.get("/price")
        def show(): ...
        def plain(): ...
    """)
    assert card(snapshot, one_symbol(snapshot, "app:show")).entries == ("route GET /price",)
    assert card(snapshot, one_symbol(snapshot, "app:plain")).entries == ()


def workspace_of(text: str) -> Snapshot:
    return snapshot_of(fixture(text).files)
