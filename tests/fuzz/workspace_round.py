"""Workspace round: series of random edits of small workspaces of many files, each ended by a fresh index of its text.

Owns: which workspaces of a language there are, which steps a seed draws.
Must not know: what the steps do, what is compared (`increment.editor`).
Invariant: the same seed takes the same steps.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import attrs

from increment import test_configuration_edits, test_equal_to_scratch, test_mixed_languages, test_packages_of_files
from increment.editor import ACTIONS, assert_as_fresh

SERIES = 25
"""Steps before both are compared: few enough that one that went wrong is not mended by a later one."""


@attrs.frozen
class Space:
    """A workspace and the texts that are pasted into it."""

    name: str
    files: Mapping[str, bytes]
    endings: tuple[str, ...]
    blocks: tuple[bytes, ...]


@attrs.define
class Taken:
    """What a round did."""

    steps: int = 0
    series: int = 0


def spaces(language: str) -> Sequence[Space]:
    """The workspaces whose files are of a language; "mixed" for two in one, "configuration" for none."""
    if language == "configuration":
        documents = test_configuration_edits
        return (Space("configuration", documents.FILES, documents.ENDINGS, documents.BLOCKS),)
    if language == "mixed":
        mixed = test_mixed_languages
        return (Space("mixed", mixed.FILES, mixed.ENDINGS, mixed.BLOCKS),)
    if language == "python":
        python = test_equal_to_scratch
        return (Space("python", python.FILES, (".py",), python.BLOCKS),)
    if language == "typescript":
        mixed = test_mixed_languages
        files = {path: text for path, text in mixed.FILES.items() if path.startswith("typescript_")}
        return (Space("typescript", files, mixed.ENDINGS[1:], mixed.BLOCKS),)
    packages = test_packages_of_files
    return [
        Space(f"{one} {name}", packages.files_of(one, name), endings, blocks)
        for one, name, endings, blocks in packages.WORKSPACES
        if one == language
    ]


def workspace_round(language: str, seed: int, count: int) -> Taken:
    """So many steps, in series over one workspace of the language after the other."""
    chosen, done, known = random.Random(seed), Taken(), spaces(language)
    while done.steps < count:
        space = chosen.choice(known)
        lines = sorted({line + b"\n" for text in space.files.values() for line in text.split(b"\n") if line.strip()})
        texts = (*space.blocks, *space.blocks, *chosen.sample(lines, min(len(lines), 40)), b"x", b"\n", b".")
        steps = [
            (chosen.choice(ACTIONS), chosen.randrange(1000), chosen.randrange(20_000), chosen.choice(texts))
            # Odd and even lengths are read in two manners.
            for _ in range(SERIES + chosen.randrange(2))
        ]
        try:
            assert_as_fresh(space.files, space.endings, steps)
        except AssertionError as error:
            raise AssertionError(f"{space.name}, series {done.series}: {str(error)[:300]}") from error
        done.steps += len(steps)
        done.series += 1
    return done
