"""Known members: which members well-known types outside the workspace declare, as each language lists them.

Owns: the way from a dotted name to such a list.
Must not know: any language, who asks.
Invariant: a list is whole: what it does not name is no member. A type that no list names may declare anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

KnownMembers = Callable[[str], "frozenset[str] | None"]
"""A dotted name -> all members of that type; None where these are not known."""


def known_members(roots: tuple[str, ...], listed: Mapping[str, str]) -> KnownMembers:
    """By the last names of types, with their members as words. `roots`: what dotted names of these types begin with;
    `?` is a package that is not known."""
    members = {name: frozenset(words.split()) for name, words in listed.items()}

    def of(dotted: str) -> frozenset[str] | None:
        head, _, last = dotted.rpartition(".")
        return members.get(last) if head.partition(".")[0] in roots else None

    return of
