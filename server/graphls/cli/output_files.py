"""Output files: files that the user names.

Owns: writing whole or not at all.
Must not know: what is written.
Invariant: what stands under its final name is complete; a failed command leaves what was there before. What is no file
(a device, a pipe) stays what it is and takes what is written as it comes. No file of code or settings is replaced.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Set
from typing import Final

from graphls.cli.guard import UsageError
from graphls.facts.paths import FilePath
from graphls.languages.registry import language_of

_SETTINGS: Final = frozenset(("graphls.toml", "pyproject.toml", "package.json", "tsconfig.json"))


def check_place(path: str, *, folder: bool = False) -> None:
    """Raises UsageError for a place that cannot take what a command makes, which may take minutes. `folder`: it is one
    that is made."""
    above = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(above):
        raise UsageError(f"{path!r} cannot be written: there is no folder {above!r}. Make it first.")
    if not folder and os.path.isdir(path):
        raise UsageError(f"{path!r} is a folder. Give the name of a file.")
    _refuse_source(path)


def write_whole(path: str, chunks: Iterable[bytes]) -> int:
    """Writes all chunks, then puts the file in place. Returns its size. Raises Refused."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UsageError(f"{path!r} is a folder. Give the name of a file.")
    _refuse_source(path)
    if os.path.exists(path) and not os.path.isfile(path):
        return _written_into(path, chunks)
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.")
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            size = file.tell()
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return size


def made_file(path: str, make: Callable[[str], None]) -> int:
    """Has a file made beside the final one, then puts it in place. Returns its size. Raises UsageError."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path!r} is no file. Give the name of a file.")
    _refuse_source(path)
    with _scratch_folder(path) as folder:
        temporary = os.path.join(folder, os.path.basename(path))
        try:
            make(temporary)
            os.chmod(temporary, _mode(path))
            size = os.path.getsize(temporary)
            os.replace(temporary, path)
        except OSError as error:
            raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    return size


def made_folder(path: str, names: Set[str], make: Callable[[str], None]) -> int:
    """Has files of some names made in a folder, which must be new or hold nothing else. Returns their size."""
    if os.path.exists(path):
        if not os.path.isdir(path):
            raise UsageError(f"{path!r} is a file, and this format is a folder. Give another name.")
        other = sorted(set(os.listdir(path)) - names)
        if other:
            raise UsageError(f"{path!r} holds {other[0]!r}, which no export wrote. Give a new folder.")
    with _scratch_folder(path) as folder:
        made = os.path.join(folder, "made")
        try:
            os.mkdir(made)
            make(made)
            os.makedirs(path, exist_ok=True)
            size = 0
            for name in sorted(os.listdir(made)):
                size += os.path.getsize(os.path.join(made, name))
                os.replace(os.path.join(made, name), os.path.join(path, name))
        except OSError as error:
            raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    return size


def _refuse_source(path: str) -> None:
    """Raises UsageError for a file that somebody wrote by hand: nothing that is written here has such a name."""
    name = os.path.basename(path)
    written = bool(language_of(FilePath(name))) or name in _SETTINGS
    if written and os.path.isfile(path) and os.path.getsize(path):
        raise UsageError(f"{path!r} is there and no output of graphls. Give a new name, or remove it first.")


@contextlib.contextmanager
def _scratch_folder(path: str) -> Generator[str]:
    """A folder on the same disk, for as long as something is made in it."""
    absolute = os.path.abspath(path)
    try:
        folder = tempfile.mkdtemp(dir=os.path.dirname(absolute), prefix=f".{os.path.basename(absolute)}.")
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _written_into(path: str, chunks: Iterable[bytes]) -> int:
    size = 0
    try:
        with open(path, "wb") as stream:
            for chunk in chunks:
                size += stream.write(chunk)
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror or error}.") from error
    return size


def _mode(path: str) -> int:
    """That of the file that is replaced, else what a new file gets."""
    with contextlib.suppress(OSError):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
