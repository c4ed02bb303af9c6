"""A dotted text names what the imports of a module bind, and not what they merely mention."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.analysis.frameworks.strings import resolve_dotted
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of

SPACE = """
    --- path: shop/__init__.py ---
    import shop.shop
    from shop.prices import total as total
    from shop.prices import total as sum_of
    --- path: shop/shop.py ---
    def sell(): ...
    --- path: shop/prices.py ---
    def total(): ...
"""


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("shop:shop", "shop/__init__.py"),
        ("shop.shop.sell", "shop/shop.py"),
        ("shop.total", "shop/prices.py"),
        ("shop.sum_of", "shop/__init__.py"),
    ],
)
def test_a_text_names_what_is_bound(text: str, file: str) -> None:
    snapshot = snapshot_of(fixture(SPACE).files)
    found = resolve_dotted(snapshot, text, FilePath("shop/__init__.py"))
    assert found is not None
    assert found.file == FilePath(file)
