"""Dependencies: what answers about one file rest on outside of it, and whether that still holds.

Owns: the record of what was looked at in other files and asked of module tables, its digest, its encoded form.
Must not know: how a language resolves names, who keeps answers.
Invariant: equal digests, and lookups that hold, mean that the same questions would get the same answers.

A resolver's looks are recorded by the world that it is given (`linking/world.py`) and stand in the links; links in the
store and a checker's answers, which lay over links, are tested by the same record.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from hashlib import blake2b

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.links import LINKS_VERSION, Links
from graphls.facts.paths import FilePath
from graphls.languages.provider import LIBRARY
from graphls.linking.definers import NEXT
from graphls.linking.module_table import ModuleTable

ALIAS = "@"
"""Before the key of a question to manifests, where lookups are written down."""
PACKAGE = "&"
"""Before the name of a package."""
DEFINES = "!"
"""Before the number of a name of which it was asked who defines it."""

SurfaceHashes = Callable[[FilePath], str]
"""Surface hash of a file, "" for a file that is not there."""


@attrs.frozen(eq=False)
class LinkDependencies:
    """Files whose surfaces were read, and questions about modules with their answers, as links have them."""

    reads: tuple[str, ...]
    lookups: tuple[str, ...]

    @classmethod
    def of(cls, links: Links) -> LinkDependencies:
        """Those of links."""
        return cls(links.reads, links.lookups)

    def digest(self, path: FilePath, modules: ModuleTable, hashes: SurfaceHashes) -> str:
        """Digest of a state, as far as a file looked at it: names and surfaces of what was read, answers to lookups."""
        digest = blake2b(f"{LINKS_VERSION}\n{_named(modules, path)}\n".encode(errors="surrogatepass"), digest_size=16)
        for read in self.reads:
            file = FilePath(read)
            digest.update(f"{read}\n{hashes(file)}\n{_named(modules, file)}\n".encode(errors="surrogatepass"))
        for lookup in self.lookups:
            digest.update(f"{lookup}\n".encode(errors="surrogatepass"))
        return digest.hexdigest()

    def hold(self, digest: str, path: FilePath, modules: ModuleTable, hashes: SurfaceHashes) -> bool:
        """Whether a state is, as far as the file looked at it, the one with this digest."""
        return self.digest(path, modules, hashes) == digest and all(
            _holds(lookup, modules, path) for lookup in self.lookups
        )

    @property
    def names(self) -> frozenset[str]:
        """Names whose meaning was asked for."""
        return frozenset(
            sys.intern(lookup.partition("\t")[0].rstrip("/").partition(NEXT)[0]) for lookup in self.lookups
        )

    def packed(self) -> bytes:
        """Compressed bytes."""
        return zlib.compress(encode(self), 1)


def unpacked_dependencies(raw: bytes) -> LinkDependencies:
    """The inverse of `packed`. Raises CodecError."""
    try:
        return decode(LinkDependencies, zlib.decompress(raw))
    except zlib.error as error:
        raise CodecError("not packed dependencies") from error


def library_lookup(modules: ModuleTable) -> str:
    """The record of having asked about libraries: what is installed."""
    return f"{LIBRARY}\t{'' if modules.libraries is None else modules.libraries.stamp}"


def _named(modules: ModuleTable, path: FilePath) -> str:
    name = modules.names.get(path)
    return f"{name.dotted} {name.package:d} {name.root}" if name else ""


def _holds(lookup: str, modules: ModuleTable, importer: FilePath) -> bool:
    """Whether a module question would be answered, and written down, as it was."""
    dotted, _, answer = lookup.partition("\t")
    if dotted == LIBRARY:
        return library_lookup(modules) == lookup
    if dotted.startswith(ALIAS):
        return NEXT.join(modules.aliases.get(dotted[len(ALIAS) :], ())) == answer
    if dotted.startswith(PACKAGE):
        return modules.package_record(dotted[len(PACKAGE) :]) == answer
    if dotted.startswith(DEFINES):
        return modules.definers is not None and modules.definers.record(int(dotted[1:])) == answer
    name, _, asking = dotted.removesuffix("/").partition(NEXT)
    if dotted.endswith("/"):
        known = modules.is_local(name) == bool(asking)
        return known and modules.has_namespace(name, FilePath(asking) or importer) == bool(answer)
    return (
        modules.is_shared(name) == bool(asking) and (modules.find(name, FilePath(asking) or importer) or "") == answer
    )
