"""Read: the bytes of one source, or the reason why not.

Owns: opening regular files without following links or blocking, the checks of size, encoding and line length.
Must not know: languages, what the bytes mean.
Invariant: only regular files inside the workspace are read, whatever happens on disk meanwhile.
"""

from __future__ import annotations

import os
import stat

from graphls.facts.paths import FilePath
from graphls.sources.encodings import EncodingError, utf8_text
from graphls.sources.limits import SourceLimits
from graphls.sources.overlays import Overlays
from graphls.sources.source_files import SkippedSource, SourceText, Stamp
from graphls.sources.workspace import OutsideWorkspaceError, Workspace

_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang the opening
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_BY_STEPS = os.open in os.supports_dir_fd
_STABLE_READS = 3
_PEEK = 4096
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_PICTURES_IN_LINES = (".ipynb",)
"""Formats that keep what code printed, pictures too, beside the code: a long line says nothing of that."""
BINARY = "binary: has NUL bytes"
"""The reason why a file that is no text is not read."""


class _UnfitError(Exception):
    """Carries a reason for Skipped."""


def read_source(workspace: Workspace, path: FilePath, limits: SourceLimits) -> SourceText | SkippedSource:
    try:
        raw, stamp = _read_stable(workspace, path, limits.of_path(path).max_file_bytes)
        data = utf8_text(path, raw)
        check_text(path, data, limits)
    except (_UnfitError, EncodingError, OutsideWorkspaceError) as reason:
        return SkippedSource(path, str(reason))
    except OSError as error:
        gone = isinstance(error, FileNotFoundError | NotADirectoryError)
        return SkippedSource(path, f"cannot be read: {error.strerror or error}", gone=gone)
    return SourceText(data, stamp)


def current_source(
    workspace: Workspace, overlays: Overlays, path: FilePath, limits: SourceLimits
) -> SourceText | SkippedSource:
    """The open buffer if there is one, else the disk."""
    buffer = overlays.get(path)
    if buffer is None:
        return read_source(workspace, path, limits)
    try:
        check_text(path, buffer.data, limits)
    except _UnfitError as reason:
        return SkippedSource(path, str(reason))
    return SourceText(buffer.data, Stamp(len(buffer.data), 0))


def text_of(path: FilePath, raw: bytes, limits: SourceLimits) -> SourceText | SkippedSource:
    """The text of bytes that a file of this path held elsewhere, as in a commit."""
    try:
        data = utf8_text(path, raw)
        check_text(path, data, limits)
    except (_UnfitError, EncodingError) as reason:
        return SkippedSource(path, str(reason))
    return SourceText(data, Stamp(len(raw), 0))


def read_text(absolute: str, limit: int) -> bytes | None:
    """The text of a small regular file that is no part of the workspace; None where none can be read. Links are
    followed."""
    raw = read_small(absolute, limit)
    try:
        return None if raw is None else utf8_text(absolute, raw)
    except EncodingError:
        return None


def read_small(absolute: str, limit: int = 1_000_000) -> bytes | None:
    """A small regular file such as a settings file; None when there is none that can be read. Links are followed."""
    try:
        descriptor = os.open(absolute, _FILE_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return None
    try:
        return _read_regular(descriptor, limit)[0]
    except (_UnfitError, OSError):
        return None
    finally:
        os.close(descriptor)


def read_start(absolute: str, most: int) -> bytes | None:
    """The first bytes of a regular file, at most so many; None when there is none that can be read. Links are
    followed."""
    try:
        descriptor = os.open(absolute, _FILE_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return None
    try:
        return os.read(descriptor, most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def check_text(path: FilePath, data: bytes, limits: SourceLimits) -> None:
    limits = limits.of_path(path)
    if len(data) > limits.max_file_bytes:
        raise _UnfitError(f"larger than {limits.max_file_bytes:,} bytes")
    if b"\0" in data:
        raise _UnfitError(BINARY)
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _UnfitError(f"not valid UTF-8 at byte {error.start}") from None
    if path.lower().endswith(_PICTURES_IN_LINES):
        return
    if len(data) > limits.max_line_bytes and max(map(len, data.splitlines())) > limits.max_line_bytes:
        raise _UnfitError(f"has a line longer than {limits.max_line_bytes:,} bytes")


def unfit(path: FilePath, data: bytes, limits: SourceLimits) -> str | None:
    """Why contents are not read as source, wherever they come from."""
    try:
        check_text(path, data, limits)
    except _UnfitError as reason:
        return str(reason)
    return None


def _read_stable(workspace: Workspace, path: FilePath, limit: int) -> tuple[bytes, Stamp]:
    """Reads until the file did not change while it was read, so that stamp and bytes belong together."""
    for _ in range(_STABLE_READS):
        descriptor = _open(workspace, path)
        try:
            data, before = _read_regular(descriptor, limit)
            after = _stamp(os.fstat(descriptor))
        finally:
            os.close(descriptor)
        if before == after and len(data) == before.size:
            return data, before
    raise _UnfitError("changes while it is read")


def _open(workspace: Workspace, path: FilePath) -> int:
    folder, parts = workspace.located(path)
    if not parts:
        raise _UnfitError("is a folder")
    if _BY_STEPS:
        return _open_below(folder.root, parts)
    absolute = workspace.absolute(path)
    if workspace.relative(absolute) != path:
        raise _UnfitError("leads outside the workspace or is a link")
    return os.open(absolute, _FILE_FLAGS)


def _open_below(base: str, parts: tuple[str, ...]) -> int:
    """Opens step by step and follows no link, so that a swapped folder cannot lead outside."""
    *folders, name = parts
    here = os.open(base, _FOLDER_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER_FLAGS, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, _FILE_FLAGS, dir_fd=here)
    finally:
        os.close(here)


def _read_regular(descriptor: int, limit: int) -> tuple[bytes, Stamp]:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _UnfitError("not a regular file")
    if status.st_size > limit:
        head = os.read(descriptor, _PEEK)
        if b"\0" in head and not head.startswith(_WIDE):
            raise _UnfitError(BINARY)
        raise _UnfitError(f"larger than {limit:,} bytes ({status.st_size:,})")
    parts: list[bytes] = []
    left = limit + 1
    # One byte more than there should be: what grew meanwhile shows, and no room is set aside for nothing.
    # Files of the system itself say that they are empty, and are read at once or not at all.
    ask = status.st_size + 1 if status.st_size else 1 << 12
    while left > 0 and (part := os.read(descriptor, min(left, ask))):
        parts.append(part)
        left -= len(part)
        ask = 1 << 16
    if left <= 0:
        raise _UnfitError(f"larger than {limit:,} bytes")
    return b"".join(parts), _stamp(status)


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino)
