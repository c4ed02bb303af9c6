"""Sources: which repositories an organisation has, and their files as a folder.

Owns: names of repositories, folders and archives as places, unpacking.
Must not know: what is in files, tasks.
Invariant: an archive is unpacked below a folder of its own; what leads out of it, and links, are left out.
"""

from __future__ import annotations

import os
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Final

import attrs

_ARCHIVES: Final = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip", ".whl")
_NAME: Final = re.compile(r"(?!\.+\Z)[A-Za-z0-9_.+-]{1,150}\Z")
_LARGEST: Final = 2_000_000_000
"""Bytes of an archive when it is unpacked; what comes after them is an error."""
_CHUNK: Final = 1_000_000


class SourceRefused(ValueError):
    """A source that is none. The text is fit for users."""


@attrs.frozen
class OrgRepository:
    """A repository and where its files are: a folder or an archive, by an absolute path that all machines know."""

    name: str
    place: str


def repositories(sources: Iterable[str]) -> Sequence[OrgRepository]:
    """The repositories that arguments name, by name: `PLACE`, `NAME=PLACE`, or `@FILE` with one of these a line. Raises
    SourceRefused."""
    found: dict[str, OrgRepository] = {}
    for text in _listed(sources):
        name, separator, place = text.partition("=")
        name, place = (name, place) if separator and _NAME.match(name) else ("", text)
        real = os.path.realpath(place)
        name = name or named(real)
        if not os.path.exists(real):
            raise SourceRefused(f"{place!r} does not exist. Give folders of repositories, or archives.")
        if os.path.isfile(real) and not real.endswith(_ARCHIVES):
            raise SourceRefused(f"{place!r} is no archive ({', '.join(_ARCHIVES)}). A list of sources is @{place}.")
        if not _NAME.match(name):
            raise SourceRefused(f"{name!r} cannot name a repository. Write NAME={place}.")
        if name in found and found[name].place != real:
            raise SourceRefused(f"{place!r} and {found[name].place!r} have one name. Write NAME={place}.")
        found[name] = OrgRepository(name, real)
    if not found:
        raise SourceRefused("There is no source. Give folders of repositories, archives, or @FILE with a list of them.")
    return [found[name] for name in sorted(found)]


def named(place: str) -> str:
    """What a place is called: its last part without the ending of an archive."""
    name = os.path.basename(place)
    ending = next((one for one in _ARCHIVES if name.endswith(one)), "")
    return name.removesuffix(ending)


@contextmanager
def files_of(place: str) -> Generator[str]:
    """A folder with the files of a repository, for as long as they are needed. Raises SourceRefused."""
    if os.path.isdir(place):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="graphls-org-") as folder:
        try:
            (_unzip if zipfile.is_zipfile(place) else _untar)(place, folder)
        except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise SourceRefused(f"{os.path.basename(place)} cannot be unpacked: {error}") from error
        inside = os.listdir(folder)
        single = os.path.join(folder, inside[0]) if len(inside) == 1 else folder
        yield single if os.path.isdir(single) else folder


def _listed(sources: Iterable[str]) -> Iterator[str]:
    for text in sources:
        if not text.startswith("@"):
            yield text
            continue
        try:
            with open(text[1:], encoding="utf-8") as file:
                lines = [line.strip() for line in file]
        except (OSError, UnicodeDecodeError) as error:
            raise SourceRefused(f"{text[1:]!r} cannot be read as a list of sources: {error}") from error
        yield from (line for line in lines if line and not line.startswith("#"))


def _untar(place: str, folder: str) -> None:
    left = _LARGEST
    with tarfile.open(place) as archive:
        for member in archive:
            if not member.isfile():
                continue
            held = archive.extractfile(member)
            if held is not None:
                left = _written(folder, member.name, held, left)


def _unzip(place: str, folder: str) -> None:
    left = _LARGEST
    with zipfile.ZipFile(place) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with archive.open(member) as held:
                    left = _written(folder, member.filename, held, left)


def _written(folder: str, name: str, held: IO[bytes], left: int) -> int:
    """Writes one file, and says how many bytes may follow. Names that lead elsewhere are passed over."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts or name.startswith("/") or any(part == ".." or "\0" in part or os.sep in part for part in parts):
        return left
    path = os.path.join(folder, *parts)
    if os.path.lexists(path):
        return left
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        while chunk := held.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise OSError(f"it holds more than {_LARGEST:,} bytes")
            file.write(chunk)
    return left
