"""Linking: the links of one file, with everything that they rest on.

Owns: running a resolver in a recording world, and writing down what it asked.
Must not know: any language, where surfaces come from, who keeps links.
Invariant: never raises on what a file contains; a resolver that fails leaves every occurrence unresolved, none lost.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import Bases, Decorators, Expressions, ListItems, Lists, Returns, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.links import Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceScopes, Symbols
from graphls.languages.provider import Provider
from graphls.resolve.modules import ModuleTable
from graphls.resolve.world import RecordingWorld, SurfaceReader

NOTHING = Surface(
    strings=("",),
    scopes=SurfaceScopes.of(((0, -1, -1),)),
    symbols=Symbols.of(()),
    expressions=Expressions.of(()),
    lists=Lists.of(()),
    items=ListItems.of(()),
    decorators=Decorators.of(()),
    bases=Bases.of(()),
    returns=Returns.of(()),
    exports=None,
    dynamic=True,
)
"""Stands for the surface of a file without facts: it shows nothing, and what it has is not known."""


class LinkingFailedError(RuntimeError):
    """The resolver failed on a file; `links` says so for each of its occurrences."""

    def __init__(self, links: Links, cause: str) -> None:
        super().__init__(cause)
        self.links = links


def link_file(
    provider: Provider,
    path: FilePath,
    facts: FileFacts,
    surface: Surface,
    *,
    modules: ModuleTable,
    surfaces: SurfaceReader,
) -> Links:
    """Links of one file. Raises LinkingFailedError and nothing else."""
    world = RecordingWorld(modules, surfaces)
    try:
        links = provider.resolver(path, facts, surface, world).links()
    except Exception as error:
        links = unresolved_links(path, facts)
        failed = attrs.evolve(links, reads=world.reads(), lookups=world.lookups())
        raise LinkingFailedError(failed, f"{type(error).__name__}: {error}") from error
    return attrs.evolve(links, reads=world.reads(), lookups=world.lookups())


def unresolved_links(path: FilePath, facts: FileFacts) -> Links:
    """Links that resolve nothing and say so for every occurrence."""
    count = len(facts.occurrences)
    reasons = column([UnresolvedReason.LIMIT]) * count
    return Links(
        files=(path,),
        externals=(),
        targets=_empty_targets(),
        unresolved=Unresolved(column(range(count)), reasons),
        overrides=Overrides.of(()),
        module_targets=_empty_targets(),
        rules=column(),
        reads=(),
        lookups=(),
    )


def _empty_targets() -> Targets:
    return Targets.of(())
