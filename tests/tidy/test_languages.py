"""Languages: one folder is all that a language takes.

Owns: what each folder under languages/ must hold.
Must not know: any language.
Invariant: a new folder is found here without a change.
"""

from __future__ import annotations

import pytest

from tidy.modules import PACKAGE, ROOT

SHARED = frozenset({"extract", "incremental", "resolve", "__pycache__"})
"""What every language uses."""
FOLDERS = sorted(path for path in (PACKAGE / "languages").iterdir() if path.is_dir() and path.name not in SHARED)


@pytest.mark.parametrize("language", [folder.name for folder in FOLDERS])
class TestLanguage:
    def test_has_a_provider(self, language: str) -> None:
        assert (PACKAGE / "languages" / language / "provider.py").is_file()

    def test_has_fixtures(self, language: str) -> None:
        assert (ROOT / "fixtures" / language).is_dir()
