"""Languages: one folder is all that a language takes.

Owns: what each folder under languages/ must hold.
Must not know: any language.
Invariant: a new folder is found here without a change.
"""

from __future__ import annotations

import pytest

from tidy.modules import PACKAGE, ROOT

FOLDERS = sorted(path for path in (PACKAGE / "languages").iterdir() if path.is_dir() and path.name != "__pycache__")

READ_BY_RULES = {
    "python": "facts need scopes, owners and expressions together: one walk is cheaper than joining queries",
    "typescript": "as Python; a query for problems takes quadratic time below an error with many children",
}
"""Languages without queries, and why."""


@pytest.mark.parametrize("language", [folder.name for folder in FOLDERS])
class TestLanguage:
    def test_has_a_provider(self, language: str) -> None:
        assert (PACKAGE / "languages" / language / "provider.py").is_file()

    def test_has_queries(self, language: str) -> None:
        queries = list((PACKAGE / "languages" / language).glob("*.scm"))
        assert bool(queries) != (language in READ_BY_RULES)

    def test_has_fixtures(self, language: str) -> None:
        assert (ROOT / "fixtures" / language).is_dir()
