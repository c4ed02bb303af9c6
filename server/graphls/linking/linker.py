"""Linker: the links of one file, with everything that they rest on.

Owns: running a resolver in a recording world, and writing down what it asked; asking it about single occurrences.
Must not know: any language, where surfaces come from, who keeps links.
Invariant: never raises on what a file contains; a resolver that fails leaves every occurrence unresolved, none lost.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final

import attrs

from graphls.facts.columns import Bases, Decorators, Expressions, ListItems, Lists, Returns, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import UnresolvedReason
from graphls.facts.links import Links, Overrides, Targets, Unresolved
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, SurfaceScopes, Symbols
from graphls.languages.provider import Provider, Resolver
from graphls.linking.module_table import ModuleTable
from graphls.linking.world import RecordingWorld, SurfaceReader

EMPTY_SURFACE = Surface(
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


class LinkingStoppedError(RuntimeError):
    """Whoever wanted the links does not want them any more; nothing is known of the file."""


_PACE: Final = 200
"""Occurrences between two looks at whether links are still wanted."""
_FEW: Final = 8
_WHILE: Final = 0.05
"""Seconds after which somebody looks all the same, once so few occurrences are done: each of them may be dear."""


def _until(stop: Callable[[], bool], rows: Iterable[int]) -> Iterator[int]:
    looked = time.monotonic()
    for number, row in enumerate(rows):
        due = number % _PACE == _PACE - 1
        if due or (number % _FEW == _FEW - 1 and time.monotonic() - looked > _WHILE):
            if stop():
                raise LinkingStoppedError
            looked = time.monotonic()
        yield row


def _reader_until(stop: Callable[[], bool], surfaces: SurfaceReader) -> SurfaceReader:
    def surface(path: FilePath) -> Surface:
        if stop():
            raise LinkingStoppedError
        return surfaces(path)

    return surface


def link_file(
    provider: Provider,
    path: FilePath,
    facts: FileFacts,
    surface: Surface,
    *,
    modules: ModuleTable,
    surfaces: SurfaceReader,
    stop: Callable[[], bool] | None = None,
) -> Links:
    """Links of one file. Raises LinkingFailedError, and LinkingStoppedError where `stop` says so on the way."""
    world = RecordingWorld(modules, surfaces if stop is None else _reader_until(stop, surfaces))
    try:
        resolver = provider.resolver(path, facts, surface, world)
        links = resolver.links(None if stop is None else partial(_until, stop))
    except LinkingStoppedError:
        raise
    except Exception as error:
        links = unresolved_links(path, facts)
        failed = attrs.evolve(links, reads=world.reads(), lookups=world.lookups())
        raise LinkingFailedError(failed, f"{type(error).__name__}: {error}") from error
    return attrs.evolve(links, reads=world.reads(), lookups=world.lookups())


class OccurrenceResolver:
    """A resolver of one file in one state of the world, asked about a few occurrences at a time, from any thread.

    What it worked out for one answer serves the next; it goes with the state of the world.
    """

    def __init__(
        self,
        provider: Provider,
        path: FilePath,
        facts: FileFacts,
        surface: Surface,
        *,
        modules: ModuleTable,
        surfaces: SurfaceReader,
    ) -> None:
        self._path = path
        self._facts = facts
        self._world = RecordingWorld(modules, surfaces)
        self._resolver: Resolver = provider.resolver(path, facts, surface, self._world)
        self._frame: Links | None = None
        self._lock = threading.Lock()

    def at(self, occurrences: Collection[int], frame: bool = False, constructs: bool = False) -> Links:
        """The rows that the links of the whole file have for these occurrences; a failing resolver has none.

        `frame`: overrides and imported modules of the file as well; `constructs`: what constructs run in the
        definitions that own these occurrences.
        """
        return self._guarded(partial(self._at, frame=frame, constructs=constructs), occurrences)

    def _at(self, occurrences: Collection[int], *, frame: bool, constructs: bool) -> Links:
        # The frame first: numbers of files in the later answer hold for both.
        if frame and self._frame is None:
            self._frame = self._resolver.at((), frame=True)
        made = self._resolver.at(occurrences, constructs=constructs)
        if not frame or self._frame is None:
            return made
        return attrs.evolve(made, overrides=self._frame.overrides, module_targets=self._frame.module_targets)

    def types_at(self, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets; `reads`: all that was looked at so far."""
        found = self._guarded(self._resolver.types_at, occurrences)
        return attrs.evolve(found, reads=self._world.reads())

    def _guarded(self, ask: Callable[[Collection[int]], Links], occurrences: Collection[int]) -> Links:
        with self._lock:
            try:
                return ask(occurrences)
            except Exception:  # noqa: BLE001 (linking the whole file is what names the failure)
                return unresolved_links(self._path, self._facts)


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
        implicit=_empty_targets(),
        implicit_rules=column(),
        rules=column(),
        reads=(),
        lookups=(),
    )


def _empty_targets() -> Targets:
    return Targets.of(())
