"""Installed: what a folder of installed packages holds, as a digest of contents.

Owns: which distributions there are, what their records say, which files differ from these, who owns a module.
Must not know: how modules are found, how names are resolved, who asks.
Invariant: equal digests, equal Python files and versions, wherever the folder is and whenever it was written. Files
    that no distribution records are read; of recorded ones those whose size differs or that were written since.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping

import attrs

from graphls.facts.cached_property import cached_property
from graphls.sources.read import read_small

_RECORDED = re.compile(rb'^(?!\.\.)([^,\n"]+\.pyi?),(?:sha256=)?([\w=-]*),(\d*)\r?$', re.MULTILINE)
"""A line of RECORD about a Python file below the folder: its path, its hash, its size. Scripts outside of the folder
name the environment that they run in, so they are no matter of contents."""
_ENDINGS = (".py", ".pyi")
_LARGEST_RECORD = 20_000_000
_LARGEST_FILE = 3_000_000
_SETTLING_NS = 60_000_000_000
"""Copying an environment writes files and records in any order: a file must be so much younger to be looked into."""
_MOST_LOOKED_AT = 20_000
"""Recorded files of one folder whose sizes are compared, and files without a record that are looked for."""
_MOST_READ = 30_000_000
"""Bytes of files without a record that are read; of further ones size and time stand for the contents."""
_DIGEST = 16


@attrs.frozen
class Distribution:
    """What was installed at once. `files`: path from the folder -> hash and size, as its record has them."""

    project: str
    version: str
    tops: frozenset[str]
    """Top-level modules."""
    files: Mapping[str, tuple[str, int]] = attrs.field(repr=False)
    written_ns: int

    @property
    def digest(self) -> bytes:
        """Of the name, the version, and the hashes of all Python files."""
        made = hashlib.blake2b(f"{self.project} {self.version}\n".encode(), digest_size=_DIGEST)
        for path, (digest, _) in sorted(self.files.items()):
            made.update(f"{path} {digest}\n".encode(errors="surrogatepass"))
        return made.digest()


class SitePackages:
    """One folder of packages, as it was when this value was made and first asked."""

    def __init__(self, folder: str, entries: Mapping[str, bool]) -> None:
        """`entries`: names in the folder, and whether each is a folder."""
        self.folder = folder
        self._entries = entries

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        """All of them, by the names of their metadata."""
        found = (_distribution(self.folder, name) for name in sorted(self._entries))
        return tuple(distribution for distribution in found if distribution is not None)

    @cached_property
    def digest(self) -> bytes:
        """Of everything that names of the workspace can lead to."""
        made = hashlib.blake2b(digest_size=_DIGEST)
        for distribution in self.distributions:
            made.update(distribution.digest)
        for line in (*self._edited(), *self._unrecorded()):
            made.update(line.encode(errors="surrogatepass"))
        return made.digest()

    def owner(self, top: str) -> tuple[str, str]:
        """Name and version of the distribution that a top-level module most likely belongs to; empty when unknown."""
        wanted = _normal(top)
        for distribution in self.distributions:
            if _normal(distribution.project) == wanted:
                return distribution.project, distribution.version
        return self._owners.get(top, ("", ""))

    @cached_property
    def _owners(self) -> Mapping[str, tuple[str, str]]:
        owners: dict[str, tuple[str, str]] = {}
        for distribution in self.distributions:
            for top in distribution.tops:
                owners.setdefault(top, (distribution.project, distribution.version))
        return owners

    def _edited(self) -> Iterator[str]:
        """Recorded files that hold something else than was installed."""
        left = _MOST_LOOKED_AT
        for distribution in self.distributions:
            if len(distribution.files) > left:
                return
            left -= len(distribution.files)
            for path, (digest, size) in sorted(distribution.files.items()):
                absolute = os.path.join(self.folder, path)
                try:
                    status = os.stat(absolute)
                except OSError:
                    yield f"{path} is gone\n"
                    continue
                if status.st_size != size or status.st_mtime_ns > distribution.written_ns + _SETTLING_NS:
                    actual_digest = _sha256(read_small(absolute, _LARGEST_FILE) or b"")
                    if actual_digest != digest.rstrip("="):
                        yield f"{path} {actual_digest}\n"

    def _unrecorded(self) -> Iterator[str]:
        """Python files that no distribution lists, with their contents."""
        recorded = {path.partition("/")[0] for distribution in self.distributions for path in distribution.files}
        room = _MOST_READ
        for count, path in enumerate(self._files_below(recorded)):
            if count >= _MOST_LOOKED_AT:
                return
            absolute = os.path.join(self.folder, path)
            try:
                status = os.lstat(absolute)
            except OSError:
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            room -= status.st_size
            if room < 0:
                yield f"{path} {status.st_size} {status.st_mtime_ns}\n"
            else:
                yield f"{path} {_sha256(read_small(absolute, _LARGEST_FILE) or b'')}\n"

    def _files_below(self, recorded: set[str]) -> Iterator[str]:
        for name in sorted(self._entries):
            if name in recorded or name == "__pycache__" or name.endswith((".dist-info", ".egg-info")):
                continue
            if not self._entries[name]:
                yield from (name,) if name.endswith(_ENDINGS) else ()
                continue
            for here, folders, files in os.walk(os.path.join(self.folder, name)):
                folders[:] = sorted(folder for folder in folders if folder != "__pycache__")
                above = os.path.relpath(here, self.folder).replace(os.sep, "/")
                yield from (f"{above}/{file}" for file in sorted(files) if file.endswith(_ENDINGS))


def metadata_of(folder: str, project: str) -> str:
    """Name of the metadata folder of a project, which has its version; "" where there is none."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ""
    found = (name for name in names if name.endswith(".dist-info"))
    return next((name for name in found if _normal(name.rpartition("-")[0]) == _normal(project)), "")


def _distribution(folder: str, name: str) -> Distribution | None:
    stem, ending = os.path.splitext(name)
    project, _, version = stem.rpartition("-")
    if ending != ".dist-info" or not project:
        return None
    record = os.path.join(folder, name, "RECORD")
    raw = read_small(record, _LARGEST_RECORD) or b""
    files: dict[str, tuple[str, int]] = {}
    for path, digest, size in _RECORDED.findall(raw):
        files[os.fsdecode(path)] = (digest.decode(), int(size or -1))
    tops = {path.partition("/")[0] if "/" in path else path.rpartition(".")[0] for path in files}
    listed = read_small(os.path.join(folder, name, "top_level.txt"))
    tops.update((listed or b"").decode("utf-8", "replace").split())
    try:
        written = os.stat(record).st_mtime_ns
    except OSError:
        written = 0
    return Distribution(project, version, frozenset(tops), files, written)


def _sha256(data: bytes) -> str:
    """As records spell it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _normal(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")
