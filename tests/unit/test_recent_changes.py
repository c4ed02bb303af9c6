"""Recent changes: which declarations patches touched, counted by hand."""

from __future__ import annotations

import math

from graphls.context.files import corpus
from graphls.context.recent_changes import touched_units
from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of
from graphls.sources.git_patches import LoggedHunk, RecentPatch

_TEXT = "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    x = 2\n    return x\n"


def _touched(*patches: tuple[int, LoggedHunk]) -> dict[str, float]:
    snapshot = snapshot_of({"m.py": _TEXT})
    words = corpus(snapshot, asides=False, named=frozenset())
    found = touched_units(
        snapshot, words, [RecentPatch(age, {"m.py": (hunk,), "gone.py": (hunk,)}) for age, hunk in patches]
    )
    facts, rows = snapshot.facts(FilePath("m.py")), words[FilePath("m.py")].rows
    names = {unit: facts.strings[facts.definitions.name[row]] for unit, row in enumerate(rows)}
    return {names[key.unit]: round(share, 4) for key, share in found.items()}


def _after(commits: int) -> float:
    return round(math.exp(-commits / 10), 4)


def test_lines_gaps_and_what_lies_between() -> None:
    assert _touched((0, LoggedHunk(4, 5, 4, 5))) == {"a": 1.0}
    assert _touched((5, LoggedHunk(9, 9, 8, 9))) == {"b": _after(5)}
    # A line that went away between the two of `b`, one between the functions, the imports, lines behind the last.
    assert _touched((0, LoggedHunk(9, 10, 9, 9))) == {"b": 1.0}
    assert _touched((0, LoggedHunk(6, 7, 6, 6))) == {}
    assert _touched((0, LoggedHunk(0, 1, 0, 1))) == {}
    assert _touched((0, LoggedHunk(40, 41, 40, 41))) == {}


def test_a_patch_of_many_says_less_of_each() -> None:
    assert _touched((0, LoggedHunk(3, 9, 3, 9))) == {"a": round(1 / math.sqrt(2), 4), "b": round(1 / math.sqrt(2), 4)}


def test_lines_of_older_patches_are_carried_over_later_ones() -> None:
    # Then `a` stood three lines higher: the newer patch put the import and the two lines below it in front.
    assert _touched((1, LoggedHunk(0, 0, 0, 3)), (2, LoggedHunk(1, 2, 1, 2))) == {"a": _after(2)}
