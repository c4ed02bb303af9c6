"""Libraries: what files of libraries say, read when they are first needed.

Owns: facts and surfaces of library files, kept in memory within a bound and in the store by content.
Must not know: the workspace, snapshots, how names are resolved.
Invariant: safe for threads; a file that cannot be read or understood shows nothing, and what it has is unknown.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.library_calls import NO_CALLS, LibraryCalls, library_calls
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.facts.validity import check_facts, check_surface
from graphls.languages.capabilities import LibraryReader, LibraryRow
from graphls.languages.provider import ModuleName
from graphls.languages.registry import capabilities_for, is_stub, provider_for, providers
from graphls.linking.libraries import Descriptor, LibraryDefinition, LibrarySet, LibrarySymbol
from graphls.linking.linker import EMPTY_SURFACE
from graphls.linking.module_table import ModuleTable
from graphls.linking.world import RecordingWorld
from graphls.session.cache.sized_cache import SizedCache
from graphls.session.index.extraction import content_key, understand
from graphls.sources.content import content_hash
from graphls.sources.environment import find_environment
from graphls.sources.libraries import PREFIX, STANDARD, LibraryFiles, LibraryPaths, library_paths

if TYPE_CHECKING:
    from graphls.settings import Settings
    from graphls.sources.workspace import Workspace
    from graphls.store.blobs import BlobStore

_LibrariesMessage: TypeAlias = "tuple[str, int, int, tuple[str, ...], str, str, str]"
_SURFACE_BYTES = 64_000_000
_FACTS_BYTES = 16_000_000
_KIND = "surface"
_FACTS_KIND = "facts"
_NO_MEMBERS: Final[Mapping[str, Set[str]]] = {}
_PREFIX = "library:"


class InstalledLibraries:
    """The `Libraries` of one environment."""

    def __init__(self, paths: LibraryPaths, store: BlobStore | None = None, stamp: str = "") -> None:
        """`stamp`: where somebody has worked it out already."""
        self.paths = paths
        self.memo: dict[object, object] = {}
        self._files = LibraryFiles(paths, stamp)
        self._store = store
        self._found: dict[str, FilePath | None] = {}
        self._names: dict[FilePath, ModuleName] = {}
        self._owners: dict[FilePath, tuple[str, str]] = {}
        self._symbols: dict[str, LibrarySymbol | None] = {}
        self._calls: dict[FilePath, LibraryCalls] = {}
        self._called: dict[str, tuple[Set[str], Mapping[str, Set[str]]]] = {}
        self._running: dict[tuple[str, str], frozenset[str]] = {}
        self._surfaces: SizedCache[FilePath, Surface] = SizedCache(_SURFACE_BYTES)
        self._facts: SizedCache[FilePath, FileFacts] = SizedCache(_FACTS_BYTES)
        self._lock = threading.Lock()
        self._resolver_lock = threading.Lock()

    @classmethod
    def renewed(cls, known: InstalledLibraries, paths: LibraryPaths, stamp: str = "") -> InstalledLibraries:
        """The state of things now: the known libraries if nothing was installed, removed or edited."""
        made = cls(paths, known._store, stamp)
        return known if (made.stamp, made.paths) == (known.stamp, known.paths) else made

    @property
    def store_folder(self) -> str:
        """Where surfaces are kept; "" for nowhere."""
        return "" if self._store is None else self._store.home

    @property
    def stamp(self) -> str:
        """Digest of what is installed."""
        return self._files.stamp

    @property
    def about(self) -> LibrarySet:
        """What is installed, in short."""
        return LibrarySet(".".join(map(str, self.paths.version)), self.paths.platform, self._files.distribution_count)

    def find(self, dotted: str) -> FilePath | None:
        """The file of an absolute module name."""
        if dotted not in self._found:
            self._found[dotted] = self._files.find(dotted)
        return self._found[dotted]

    def name_of(self, file: FilePath) -> ModuleName:
        """The module name of a library file."""
        found = self._names.get(file)
        if found is None:
            dotted, package = self._files.name_of(file)
            found = self._names[file] = ModuleName(dotted, package, "")
        return found

    def surface(self, file: FilePath) -> Surface:
        """What a library file shows."""
        found = self._surfaces.get(file)
        if found is None:
            with self._lock:
                found = self._surfaces.get(file) or self._read(file)
        return found

    def library_calls(self, file: FilePath) -> LibraryCalls:
        """What functions of a library file call on their object and of their arguments. Stubs have no bodies."""
        found = self._calls.get(file)
        if found is None:
            facts = None if is_stub(file) else self.facts(file)
            found = self._calls[file] = NO_CALLS if facts is None else library_calls(facts)
        return found

    def called_arguments(self, dotted: str) -> Set[str]:
        """The arguments that a function of a library calls: positions and names."""
        return self._calls_of(dotted)[0]

    def called_members(self, dotted: str) -> Mapping[str, Set[str]]:
        """Arguments of a function of a library, by position and name -> names of the members that it calls on these."""
        return self._calls_of(dotted)[1]

    def _calls_of(self, dotted: str) -> tuple[Set[str], Mapping[str, Set[str]]]:
        known = self._called.get(dotted)
        if known is None:
            ref = self._with_body(dotted)
            rows = () if ref is None else _of_one_name(self.surface(ref.file), ref.row)
            calls = NO_CALLS if ref is None else self.library_calls(ref.file)
            members: dict[str, set[str]] = {}
            for row in rows:
                for argument, names in calls.members.get(row, _NO_MEMBERS).items():
                    members.setdefault(argument, set()).update(names)
            arguments = frozenset(name for row in rows for name in calls.arguments.get(row, ()))
            known = self._called[dotted] = arguments, members or self._documented_members(dotted)
        return known

    def _documented_members(self, dotted: str) -> Mapping[str, Set[str]]:
        """The same of a function that only stubs declare, where its documentation says so."""
        readers = (provider.capabilities.libraries for provider in providers().values())
        found = (reader.members_called(dotted) for reader in readers if reader is not None)
        return next((members for members in found if members), _NO_MEMBERS)

    def _with_body(self, dotted: str) -> LibraryRow | None:
        """Where a name is defined; None for what stubs alone declare, as all of the standard library."""
        package = self.find(dotted.partition(".")[0])
        if package is None or is_stub(package):
            return None
        with self._resolver_lock:
            return self._located(dotted)

    def running(self, dotted: str, member: str) -> frozenset[str]:
        """Names of the members of a library's class that may run another one on the same object."""
        key = dotted, member
        if key not in self._running:
            with self._resolver_lock:
                world, readers = self._alone()
                found = (reader.running(dotted, member, world) for reader in readers)
                self._running[key] = frozenset(name for names in found for name in names)
        return self._running[key]

    def facts(self, file: FilePath) -> FileFacts | None:
        """Everything that a library file says; None when it cannot be read."""
        found = self._facts.get(file)
        if found is None:
            data = self.text(file)
            found = None if data is None else self._facts_of(file, data)
            if found is not None:
                self._facts.put(file, found, found.size * 8)
        return found

    def text(self, file: FilePath) -> bytes | None:
        """The bytes of a library file."""
        return self._files.read(file)

    def absolute(self, file: FilePath) -> str:
        """Where a library file lies on disk."""
        return self._files.absolute(file)

    def distribution_of(self, file: FilePath) -> tuple[str, str]:
        """Name and version of the installed package of a file; empty when unknown."""
        return self._files.distribution_of(file)

    def distribution(self, dotted: str) -> tuple[str, str]:
        """Name and version of the installed package that a dotted name belongs to, or of Python; empty when unknown."""
        parts = dotted.split(".")
        for size in range(1, len(parts) + 1):
            file = self.find(".".join(parts[:size]))
            if file is not None:
                return self._owner(file)
        return "", ""

    def symbol_of(self, dotted: str) -> LibrarySymbol | None:
        """What a dotted name stands for; None for what is in no library."""
        if dotted not in self._symbols:
            self._symbols[dotted] = self._symbol(dotted)
        return self._symbols[dotted]

    def _symbol(self, dotted: str) -> LibrarySymbol | None:
        with self._resolver_lock:
            ref = self._located(dotted)
        if ref is not None:
            package, version = self._owner(ref.file)
            names = _names_around(self.surface(ref.file), ref.row)
            return LibrarySymbol(package, version, self.name_of(ref.file).dotted, names)
        # What the files do not show (a module in C, a computed name) belongs to the nearest module that is there.
        parts = dotted.split(".")
        for size in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:size])
            file = self.find(module)
            if file is not None:
                return LibrarySymbol(*self._owner(file), module, tuple((name, NONE) for name in parts[size:]))
        return None

    def _owner(self, file: FilePath) -> tuple[str, str]:
        """Name and version of the package of a file, or of Python."""
        if file.startswith(f"{PREFIX}{STANDARD}/"):
            return "python", ".".join(map(str, self.paths.version))
        if file not in self._owners:
            self._owners[file] = self._files.distribution_of(file)
        return self._owners[file]

    def definition_of(self, dotted: str) -> LibraryDefinition | None:
        """Where a dotted name is defined, as far as the files of libraries show it."""
        with self._resolver_lock:
            ref = self._located(dotted)
        text = None if ref is None else self.text(ref.file)
        facts = None if ref is None else self.facts(ref.file)
        if ref is None or text is None or facts is None:
            return None
        path, (package, version) = self.absolute(ref.file), self.distribution_of(ref.file)
        if ref.row < 0:
            return LibraryDefinition(path, text, 0, 0, "", facts.doc, package, version)
        rows, row = facts.definitions, facts.definitions.surface.index(ref.row)
        signature = facts.strings[rows.signature[row]] if rows.signature[row] >= 0 else ""
        doc = facts.strings[rows.doc[row]] if rows.doc[row] >= 0 else ""
        return LibraryDefinition(path, text, rows.start[row], rows.end[row], signature, doc, package, version)

    def _located(self, dotted: str) -> LibraryRow | None:
        """The definition in libraries, in a world of these alone."""
        world, readers = self._alone()
        found = (reader.located(dotted, world) for reader in readers)
        return next((row for row in found if row is not None), None)

    def _alone(self) -> tuple[RecordingWorld, Sequence[LibraryReader]]:
        """A world of libraries alone, and who reads them."""
        world = RecordingWorld(ModuleTable({}, {}, {}, libraries=self), lambda _: EMPTY_SURFACE)
        readers = (provider.capabilities.libraries for provider in providers().values())
        return world, [reader for reader in readers if reader is not None]

    def _read(self, file: FilePath) -> Surface:
        data = self._files.read(file)
        surface, size = EMPTY_SURFACE, 1_000
        if data is not None:
            surface, size = self._surface_of(file, data)
        self._surfaces.put(file, surface, size)
        return surface

    def _surface_of(self, file: FilePath, data: bytes) -> tuple[Surface, int]:
        raw = None if self._store is None else self._store.get(_KIND, self._key(file, data))
        if raw is not None:
            try:
                surface = decode(Surface, raw)
                check_surface(surface)
                return surface, 3 * len(raw)
            except CodecError:
                pass
        _, surface, size = self._extract(file, data)
        return surface, 3 * size

    def _facts_of(self, file: FilePath, data: bytes) -> FileFacts | None:
        raw = None if self._store is None else self._store.get(_FACTS_KIND, self._key(file, data))
        if raw is not None:
            try:
                facts = decode(FileFacts, raw)
                check_facts(facts)
                return facts
            except CodecError:
                pass
        return self._extract(file, data)[0]

    def _extract(self, file: FilePath, data: bytes) -> tuple[FileFacts | None, Surface, int]:
        """What a file says, made anew and kept in the store; and how long its surface is there."""
        known = capabilities_for(file)
        reader = None if known is None else known.libraries
        text = data if reader is None else reader.text_for(data, self.paths.version, self.paths.platform)
        facts, surface = _understood(file, text)
        raw = encode(surface)
        if facts is not None and not is_stub(file):
            self._calls[file] = library_calls(facts)
        if facts is not None and self._store is not None:
            self._store.put(_KIND, self._key(file, data), raw)
            # Whose surface is wanted by many is soon shown to somebody, and to read a large file again takes long.
            self._store.put(_FACTS_KIND, self._key(file, data), encode(facts))
        return facts, surface, len(raw)

    def _key(self, file: FilePath, data: bytes) -> str:
        """Names what a file says to this version of Python on this system."""
        version, platform = self.paths.version, self.paths.platform
        provider = provider_for(file)
        key = "" if provider is None else content_key(provider, file, content_hash(data))
        return f"{_PREFIX}{version[0]}.{version[1]}-{platform}-{key}"


def installed_now(
    workspace: Workspace, settings: Settings, known: InstalledLibraries | None, store: BlobStore | None
) -> InstalledLibraries:
    """What is installed for a workspace; `known` if that is still so. Files are read when a name leads to them."""
    root = workspace.folders[0].root
    paths = library_paths(find_environment(root, settings.python.environment).found, root)
    return InstalledLibraries(paths, store) if known is None else InstalledLibraries.renewed(known, paths)


def _of_one_name(surface: Surface, row: int) -> Sequence[int]:
    """A definition with others of its name beside it: overloads, and what they are signatures of."""
    symbols = surface.symbols
    return surface.members(symbols.scope[row]).get(surface.strings[symbols.name[row]], ()) if row >= 0 else ()


def _names_around(surface: Surface, row: int) -> tuple[Descriptor, ...]:
    """Name and kind of a symbol and of all that it is declared in, outermost first."""
    symbols, found = surface.symbols, list[Descriptor]()
    while row >= 0:
        found.append((surface.strings[symbols.name[row]], symbols.kind[row]))
        scope = symbols.scope[row]
        row = surface.scopes.owner[scope] if scope > 0 else NONE
    return tuple(reversed(found))


def _understood(file: FilePath, data: bytes) -> tuple[FileFacts | None, Surface]:
    provider = provider_for(file)
    if provider is None:
        return None, EMPTY_SURFACE
    try:
        return understand(provider, file, data)
    except Exception:  # noqa: BLE001 (a library file that extraction cannot take is as good as absent)
        return None, EMPTY_SURFACE


def encode_libraries(libraries: InstalledLibraries | None) -> tuple[object, ...]:
    """What a worker must know to read the same libraries."""
    if libraries is None:
        return ()
    paths = libraries.paths
    return (paths.standard, *paths.version, paths.sites, paths.platform, libraries.store_folder, libraries.stamp)


def decode_libraries(message: tuple[object, ...], known: InstalledLibraries | None) -> InstalledLibraries | None:
    """The inverse; what was read already for the same state of things is kept."""
    if not message:
        return None
    standard, major, minor, sites, platform, folder, stamp = cast("_LibrariesMessage", message)
    paths = LibraryPaths(standard, (major, minor), tuple(sites), platform)
    if known is None:
        return InstalledLibraries(paths, _opened(folder) if folder else None, stamp)
    return InstalledLibraries.renewed(known, paths, stamp)


def _opened(folder: str) -> BlobStore:
    from graphls.store.blobs import BlobStore, StoreOptions  # workers without a store do without it

    return BlobStore(StoreOptions(folder))
