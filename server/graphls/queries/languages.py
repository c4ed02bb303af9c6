"""Languages: what a workspace is written in, how deep each language is read, what stays open.

Owns: counts by language.
Must not know: checkers, protocols.
Invariant: each use of a name is resolved, outside, or unresolved; the three add up to all.
"""

from __future__ import annotations

import attrs

from graphls.facts.links import EXTERNAL
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers


@attrs.frozen
class LanguageCoverage:
    """One language. `tier`: as `Capabilities.tier`."""

    name: str
    tier: str
    files: int
    uses: int
    outside: int
    """Uses that lead out of the workspace, and nowhere in it."""
    unresolved: int


def language_coverage(snapshot: Snapshot) -> tuple[LanguageCoverage, ...]:
    """Languages that the workspace has, most files first. Links all files."""
    found: list[LanguageCoverage] = []
    for name, provider in providers().items():
        files = [path for path, shard in snapshot.shards.items() if shard.language == name]
        uses = outside = unresolved = 0
        for path in files:
            links = snapshot.links(path)
            uses += len(snapshot.facts(path).occurrences)
            unresolved += links.unresolved.open_count()
            targets = links.targets
            leads_in = {
                use for use, symbol in zip(targets.occurrence, targets.symbol, strict=True) if symbol != EXTERNAL
            }
            outside += len(set(targets.occurrence) - leads_in)
        if files:
            tier = provider.capabilities.tier
            found.append(LanguageCoverage(name, tier, len(files), uses, outside, unresolved))
    return tuple(sorted(found, key=lambda one: (-one.files, one.name)))
