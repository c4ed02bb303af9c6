"""Worker: what runs in a worker process.

Owns: answering `extract`, `world` and `link` messages, one answer a file.
Must not know: files of the workspace on disk, other workers, protocols of editors. Libraries it reads itself.
Invariant: ends when its input ends, and by itself when one file takes far too long; imports only what files need.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import BinaryIO, TypeAlias, cast

from graphls.facts.codec import CodecError, decode
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.languages.provider import ModuleName
from graphls.languages.registry import providers
from graphls.resolve.linking import NOTHING, LinkingFailedError, link_file
from graphls.resolve.modules import ModuleTable
from graphls.session.extraction import extract_file
from graphls.session.frames import BrokenFrameError, Message, receive, send
from graphls.session.layout import with_libraries
from graphls.session.libraries import InstalledLibraries, heard_libraries
from graphls.session.link_entries import Own, make_entry

MEMORY_LIMIT = 3 << 30
PATIENCE = 300
"""Seconds of CPU; the session gives a file less, this is for a worker whose session is gone."""
_DEEPEST = 8_000
_NICE = 5
"""Whoever waits for an answer goes before whoever works ahead."""

_Told: TypeAlias = tuple[
    str, Mapping[str, str], Mapping[str, Message], Mapping[str, bytes], Mapping[str, str], Mapping[str, str]
]
"""Kind, languages by path, module tables by language, surfaces by content key, surface hashes and keys by path."""
_Spelled: TypeAlias = tuple[
    Mapping[FilePath, tuple[str, bool, str, bool]],
    Mapping[str, tuple[FilePath, ...]],
    Mapping[str, tuple[str, ...]],
    Mapping[str, tuple[str, ...]],
]


def main() -> None:
    """Serves messages on standard input and output until input ends."""
    sys.setrecursionlimit(_DEEPEST)
    _limit_memory()
    if sys.platform != "win32":
        os.nice(_NICE)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(BrokenFrameError, BrokenPipeError, KeyboardInterrupt):
        _warm_up()
        send(sink, ("ready",))
        _serve(source, sink)


def _warm_up() -> None:
    """Loads grammars and compiles queries, so that the first file is not charged for it."""
    for provider in providers().values():
        for ending in provider.extensions[:1]:
            _extracted(FilePath(f"warm{ending}"), provider.name, b"")


def _limit_memory() -> None:
    """A file that makes a parser explode gets a MemoryError here, before the machine suffers."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


class Serving:
    """Answers messages; what a worker process does, and what the session does itself for a few files."""

    def __init__(self) -> None:
        self._world: _World | None = None
        self._libraries: InstalledLibraries | None = None

    def answers(self, message: Message) -> Iterator[Message]:
        """One answer a file, each made when it is asked for."""
        if message[0] == "world":
            self._libraries = heard_libraries(cast("tuple[object, ...]", message[6]), self._libraries)
            self._world = _World(message, self._libraries)
        elif message[0] == "extract":
            for path, language, data in cast("tuple[tuple[str, str, bytes], ...]", message[1]):
                yield (path, *_extracted(FilePath(path), language, data))
        elif message[0] == "link":
            for path, content, facts in cast("tuple[tuple[str, str, bytes], ...]", message[1]):
                yield (path, *((None,) if self._world is None else self._world.linked(FilePath(path), content, facts)))


def _serve(source: BinaryIO, sink: BinaryIO) -> None:
    serving = Serving()
    # Facts hold no cycles: looking for some in the midst of work costs a tenth of it.
    gc.disable()
    while True:
        gc.collect(0)
        answers = serving.answers(receive(source))
        while True:
            _alarm(PATIENCE)
            answer = next(answers, None)
            _alarm(0)
            if answer is None:
                break
            send(sink, answer)


def _extracted(path: FilePath, language: str, data: bytes) -> tuple[object, ...]:
    try:
        made = extract_file(providers()[language], path, data)
    except Exception as error:  # noqa: BLE001 (the answer names the file's problem)
        return (f"{type(error).__name__}: {error}"[:300],)
    return ("", made.facts, made.surface, made.names, made.surface_hash)


class _World:
    """Module tables and surfaces of one snapshot."""

    def __init__(self, message: Message, libraries: InstalledLibraries | None) -> None:
        _, self._languages, modules, self._surfaces, self._hashes, self._keys = cast("_Told", message[:6])
        self._modules = with_libraries({name: _table(parts) for name, parts in modules.items()}, libraries)
        self._decoded: dict[str, Surface] = {}

    def surface(self, path: FilePath) -> Surface:
        key = self._keys.get(path)
        if key is None:
            return NOTHING
        found = self._decoded.get(key)
        if found is None:
            found = self._decoded[key] = decode(Surface, self._surfaces[key])
        return found

    def linked(self, path: FilePath, content: str, facts: bytes) -> tuple[object, ...]:
        language = self._languages[path]
        modules, problem = self._modules[language], ""
        try:
            decoded = decode(FileFacts, facts)
        except CodecError:
            return (None,)
        try:
            links = link_file(
                providers()[language], path, decoded, self.surface(path), modules=modules, surfaces=self.surface
            )
        except LinkingFailedError as failure:
            links, problem = failure.links, str(failure)[:300]
        except Exception:  # noqa: BLE001 (the session links the file itself, and names what fails)
            return (None,)
        made = make_entry(Own(path, content, decoded), links, modules=modules, hashes=self._hash_of, problem=problem)
        index = made.index.packed()
        return (content, made.digest, made.reads, tuple(made.lookups), made.encoded, made.complete, index, problem)

    def _hash_of(self, path: FilePath) -> str:
        return self._hashes.get(path, "")


def _table(parts: Message) -> ModuleTable:
    names, files, namespaces, aliases = cast("_Spelled", parts)
    return ModuleTable({path: ModuleName(*name) for path, name in names.items()}, files, namespaces, aliases)


def _alarm(seconds: int) -> None:
    """The system ends this process when one file takes far too long, should the session be gone by then."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)
