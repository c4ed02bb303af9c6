"""Settings of comparison: each number does what it says, and numbers that do not fit together are refused."""

from __future__ import annotations

import pytest

from graphls.queries.body_sketches import SketchForm, sketch_of
from graphls.queries.clone_families import clone_families
from graphls.queries.near_clones import clones_of_all, near_clones
from graphls.queries.similar import similar
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings, SimilaritySettings, merge, parse_settings

BODY = """\
def collect(rows, limit):
    totals = {}
    for row in rows:
        if row.price > limit:
            totals.setdefault(row.owner, []).append(row.price * 2)
        else:
            totals[row.owner] = [row.price // 3]
    while totals and len(totals) > 20:
        totals.popitem()
    return sorted(totals.items(), key=lambda pair: pair[1])
"""
OTHER = """\
    try:
        del rows[limit:]
    except (IndexError, TypeError) as error:
        raise ValueError("nothing", limit) from error
    with open(limit.path) as file, limit.lock:
        file.write("".join(str(row) for row in rows if row))
"""
NEAR = BODY.replace("collect", "gather").replace("    while", f"{OTHER}    while")
FILES = {"a.py": BODY, "b.py": BODY.replace("collect", "again"), "c.py": NEAR}


@pytest.mark.parametrize(
    ("chosen", "exact", "near"),
    [
        ({}, 1, 0),
        ({"structuralThreshold": 0.3}, 1, 1),
        ({"structuralThreshold": 0.3, "minSymbolLines": 100}, 0, 0),
        ({"structuralThreshold": 0.3, "exactNormalized": False}, 0, 1),
        ({"structuralThreshold": 0.3, "enabled": False}, 0, 0),
        ({"structuralThreshold": 0.3, "lshBands": 64, "lshRows": 2}, 1, 1),
        ({"structuralThreshold": 0.3, "lshBands": 1, "lshRows": 128}, 1, 0),
    ],
)
def test_each_number_does_what_it_says(chosen: dict[str, object], exact: int, near: int) -> None:
    settings, problems = parse_settings({"similarity": chosen})
    assert not problems
    snapshot = snapshot_of(FILES)
    assert len(clone_families(snapshot, settings.similarity)) == exact
    assert len(near_clones(snapshot, settings.similarity)) == near
    assert len(clones_of_all(snapshot, settings.similarity)) == exact + near


def test_similar_follows_threshold_and_number_of_matches() -> None:
    snapshot = snapshot_of(FILES)
    source = [one_symbol(snapshot, "a:collect")]

    def found(**chosen: float) -> int:
        return len(similar(snapshot, source, parse_settings({"similarity": chosen})[0].similarity).found)

    assert (
        found(candidate_threshold=0.3),
        found(candidate_threshold=0.99),
        found(candidate_threshold=0.3, max_matches=1),
    ) == (2, 1, 1)
    assert not similar(snapshot, source, SimilaritySettings(enabled=False)).whole


def test_the_form_of_a_sketch_is_part_of_what_it_is_stored_as() -> None:
    tokens = [f"t{number}" for number in range(60)]
    usual, wide = (
        SketchForm(),
        SketchForm.of(SimilaritySettings(minhash_size=64, lsh_bands=32, lsh_rows=2, shingle_size=3)),
    )
    assert (len(sketch_of(tokens, wide).bands), len(sketch_of(tokens, wide).runs)) == (32, 58)
    assert (len(sketch_of(tokens).bands), len(sketch_of(tokens).runs)) == (16, 56)
    assert usual.subject != wide.subject


def test_numbers_that_do_not_fit_together_are_refused_and_named() -> None:
    settings, (problem,) = parse_settings({"similarity": {"lshBands": 32, "maxMatches": 3}})
    assert settings.similarity == SimilaritySettings(max_matches=3)
    assert problem.key == "similarity"
    assert "32 bands of 8 rows are 256 values and not 128" in problem.message


@pytest.mark.parametrize(
    ("repository", "client", "origin"),
    [
        ({"lsh_bands": 32}, {}, "repository"),
        ({"lsh_bands": 32}, {"lshRows": 2}, "client"),
        ({"lsh_bands": 32}, {"lshRows": 4}, ""),
    ],
)
def test_two_sources_are_judged_as_what_they_come_to(
    repository: dict[str, object], client: dict[str, object], origin: str
) -> None:
    settings, problems = merge({"similarity": repository}, {"similarity": client}, trusted=False)
    assert [one.origin for one in problems] == ([origin] if origin else [])
    assert settings.similarity.lsh_bands == (16 if origin else 32)
    assert Settings().similarity == SimilaritySettings()
