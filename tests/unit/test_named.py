"""What people write for a member: through imports, through bases, and what is refused."""

from __future__ import annotations

import pytest

from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of


@pytest.fixture
def app() -> Snapshot:
    return snapshot_of(
        {
            "app/__init__.py": "from app.core import App as App\n",
            "app/base.py": (
                "class Base:\n    def route(self): ...\n    def close(self): ...\n"
                "class Left(Base):\n    def route(self): ...\n    def pick(self): ...\n"
                "class Right(Base):\n    def pick(self): ...\n"
            ),
            "app/core.py": (
                "from app.base import Left, Right\n"
                "class App(Left, Right):\n    def run(self): ...\n"
                "class Loop(Loop):\n    pass\n"
            ),
            "use.py": "import app.core\n",
        }
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("app.App.run", "app.core:App.run"),
        ("app:App.run", "app.core:App.run"),
        ("App.close", "app.base:Base.close"),
        ("app.core:App.close", "app.base:Base.close"),
        ("app.App.route", "app.base:Left.route"),
        ("Right.route", "app.base:Base.route"),
    ],
)
def test_members_are_found_where_they_are_inherited(app: Snapshot, text: str, name: str) -> None:
    assert symbol_name(app, one_symbol(app, text)) == name


def test_an_import_of_a_path_names_its_first_part(app: Snapshot) -> None:
    """As definition and hover say of the same name."""
    assert symbol_name(app, one_symbol(app, "use:app")) == "app"


def test_bases_that_stand_side_by_side_are_candidates(app: Snapshot) -> None:
    with pytest.raises(AmbiguousSymbol) as refusal:
        one_symbol(app, "App.pick")
    assert set(refusal.value.candidates) == {"app.base:Left.pick", "app.base:Right.pick"}


@pytest.mark.parametrize("text", ["App.nothing", "Loop.run2", "app.core:.x", ".", "run.close", "App."])
def test_what_no_class_has_is_unknown(app: Snapshot, text: str) -> None:
    with pytest.raises(UnknownSymbol):
        one_symbol(app, text)


def test_names_with_the_same_last_part_are_offered(app: Snapshot) -> None:
    with pytest.raises(UnknownSymbol) as refusal:
        one_symbol(app, "Application.route")
    assert refusal.value.candidates == ("app.base:Base.route", "app.base:Left.route")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("App.rote", "app.base:Left.route"),
        ("app.core:Ap", "app.core:App"),
        ("app.bsae", "app.base"),
        ("clo", "app.base:Base.close"),
        ("clsoe", "app.base:Base.close"),
        ("rout", "app.base:Left.route"),
    ],
)
def test_names_that_are_spelled_alike_are_offered(app: Snapshot, text: str, name: str) -> None:
    with pytest.raises(UnknownSymbol) as refusal:
        one_symbol(app, text)
    assert name in refusal.value.candidates
