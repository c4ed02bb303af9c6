"""Remembered words: what the process keeps of each word that it ever met.

Owns: how many words are kept, however many come by.
Must not know: what is remembered of a word.
Invariant: who types for a day meets more words than a workspace has, and memory stays flat.
"""

from __future__ import annotations

from graphls.context.terms import ids_of, stem, terms_of
from graphls.facts.name_numbers import name_number

WORDS = 25_000
MOST = 20_000
"""Each costs up to half a kilobyte in each of these."""


def test_words_without_end_are_not_all_kept() -> None:
    for number in range(WORDS):
        word = f"spelled_{number}_once"
        terms_of(word)
        ids_of(word.encode())
        name_number(word)
    assert max(kept.cache_info().currsize for kept in (stem, terms_of, ids_of, name_number)) <= MOST
