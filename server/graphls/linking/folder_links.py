"""Folder links: the names that files have besides their own, by symbolic links inside the workspace.

Owns: which further path of which file a link gives, and the module names of these paths.
Must not know: the disk, how a language spells names.
Invariant: a file is read once, under its real path; what else it is called only leads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from graphls.facts.paths import FilePath
from graphls.languages.provider import ModuleName, Provider

LINKS: Final = "link:"
"""The key of all links among what manifests say."""
_ROUNDS: Final = 3
"""Links that lead through links are followed so often."""
_MOST: Final = 20_000
"""Further names in one workspace; links beyond give none."""


def with_links(
    provider: Provider, names: Mapping[FilePath, ModuleName], roots: tuple[str, ...], links: Mapping[str, str]
) -> Mapping[FilePath, ModuleName]:
    """Module names, with those that links give."""
    further = dict(_further(names, links)) if links else {}
    if not further:
        return names
    known = frozenset((*names, *further))
    found = dict(names)
    for path, real in further.items():
        name = provider.module_name(path, roots, known)
        # Under a root that nothing declares a plain name may be anything's.
        dotted = [one for one in (name.dotted, *name.also) if not name.local or "." in one]
        also = tuple(dict.fromkeys((*found[real].also, *(one for one in dotted if one != found[real].dotted))))
        found[real] = attrs.evolve(found[real], also=also)
    return found


def _further(names: Mapping[FilePath, ModuleName], links: Mapping[str, str]) -> Iterator[tuple[FilePath, FilePath]]:
    """Paths by links, with the real ones."""
    known: dict[FilePath, FilePath] = {path: path for path in names}
    fresh = dict(known)
    count = 0
    for _ in range(_ROUNDS):
        made: dict[FilePath, FilePath] = {}
        for link, target in sorted(links.items()):
            for path, real in fresh.items():
                if path == target or path.startswith(f"{target}/"):
                    other = FilePath(link + path[len(target) :])
                    if other not in known and count < _MOST:
                        count += 1
                        known[other] = made[other] = real
                        yield other, real
        fresh = made
        if not made:
            return
