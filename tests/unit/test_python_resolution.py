"""Python resolution, case by case: each label in a fixture is one expectation (see `resolution_labels`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.session.memory import snapshot_of
from resolution_labels import wrong_labels

FOLDER = Path(__file__).parents[2] / "fixtures" / "python" / "resolution"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("case", CASES)
def test_every_label_holds(case: str) -> None:
    parsed = fixture((FOLDER / f"{case}.txt").read_text(encoding="utf-8"))
    wrong = wrong_labels(snapshot_of(parsed.files), parsed)
    assert not wrong, "\n".join(wrong)
