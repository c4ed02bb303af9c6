"""Output files: files that the user names.

Owns: writing whole or not at all.
Must not know: what is written.
Invariant: a file under its final name is complete; a failed command leaves what was there before. What is no file (a
device, a pipe) stays what it is and takes what is written as it comes.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable

from graphls.cli.guard import UsageError


def write_whole(path: str, chunks: Iterable[bytes]) -> int:
    """Writes all chunks, then puts the file in place. Returns its size. Raises Refused."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UsageError(f"{path!r} is a folder. Give the name of a file.")
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
