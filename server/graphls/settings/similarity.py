"""Similarity: how bodies are compared with each other, and what fits together.

Owns: the numbers of the comparison and their defaults, the one condition that ties three of them.
Must not know: code, who compares.
Invariant: bands times rows is the size of a signature; numbers that do not fit are refused together, never bent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from graphls.settings.kinds import FlagKind, NumberKind, WholeNumberKind
from graphls.settings.option import option

SECTION: Final = "similarity"
SIGNATURE_PARTS: Final = ("minhash_size", "lsh_bands", "lsh_rows")


@attrs.frozen
class SimilaritySettings:
    """How functions are compared."""

    enabled: bool = option(
        True,
        FlagKind(),
        "Compare bodies of functions: `graphls similar`, `graphls clones`, clones in health and reviews.",
    )
    minhash_size: int = option(
        128,
        WholeNumberKind(16, 512),
        "Values of a signature, by which near clones are found; `lshBands` times `lshRows`.",
        most=256,
    )
    shingle_size: int = option(
        5, WholeNumberKind(2, 20), "Tokens of a run: bodies are alike by the runs that both have.", most=20
    )
    lsh_bands: int = option(
        16,
        WholeNumberKind(1, 512),
        """Bands of a signature: bodies with an equal band are compared. More bands miss fewer pairs and compare
        more.""",
        most=64,
    )
    lsh_rows: int = option(8, WholeNumberKind(1, 512), "Values of a band.", most=256)
    min_symbol_lines: int = option(5, WholeNumberKind(1, 1000), "Shorter functions are not compared.", most=1000)
    exact_normalized: bool = option(
        True, FlagKind(), "Bodies that are equal but for names, strings and numbers are clones, and come first."
    )
    candidate_threshold: float = option(
        0.7, NumberKind(0.1, 1), "Part of their runs that two bodies share, from which `graphls similar` lists them."
    )
    structural_threshold: float = option(
        0.8, NumberKind(0.1, 1), "The same, from which two functions are near clones (`graphls clones --near`)."
    )
    max_matches: int = option(
        10, WholeNumberKind(1, 100), "Matches of one symbol that `graphls similar` lists.", most=100
    )


def disagreement(similarity: SimilaritySettings) -> str:
    """Why the numbers of a signature do not fit together, "" where they do."""
    made = similarity.lsh_bands * similarity.lsh_rows
    if made == similarity.minhash_size:
        return ""
    return (
        f"{similarity.lsh_bands} bands of {similarity.lsh_rows} rows are {made} values and not"
        f" {similarity.minhash_size}: lshBands times lshRows has to be minhashSize; all three are ignored"
    )


def without_signature(values: Mapping[tuple[str, ...], object]) -> dict[tuple[str, ...], object]:
    """The same values, but for what does not fit together."""
    return {path: value for path, value in values.items() if path[0] != SECTION or path[-1] not in SIGNATURE_PARTS}


def names_signature(values: Mapping[tuple[str, ...], object]) -> bool:
    """Whether a source says anything of the three."""
    return any((SECTION, part) in values for part in SIGNATURE_PARTS)
