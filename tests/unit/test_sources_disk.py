"""Disk: walking and reading odd, hostile and changing trees.

Owns: names, links, special files, limits, the mapping between paths and FilePaths.
Must not know: ignore patterns.
Invariant: nothing hangs, nothing outside is read, whatever is left out is named with a reason or counted.
"""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.sources.content import content_hash
from graphls.sources.limits import SourceLimits
from graphls.sources.overlays import Overlays
from graphls.sources.read import current_source, read_small, read_source
from graphls.sources.source_files import SkippedSource, SourceText
from graphls.sources.walk import walk
from graphls.sources.workspace import OutsideWorkspaceError, Workspace, fold_drive
from increment.session_folder import session_over

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX file kinds")
LIMITS = SourceLimits()


def reasons(root: Path) -> dict[str, str]:
    return {str(skipped.path): skipped.reason for skipped in walk(Workspace.of([str(root)]), LIMITS).skipped}


def files(*roots: Path) -> list[str]:
    return [str(file.path) for file in walk(Workspace.of([str(root) for root in roots]), LIMITS).files]


def read(root: Path, name: str, limits: SourceLimits = LIMITS) -> SourceText | SkippedSource:
    return read_source(Workspace.of([str(root)]), FilePath(name), limits)


# ---------------------------------------------------------------- names


NAMES = ["a b.py", "#.py", "100%25.py", "naïve.py", "日本/x.py", "a\u0301.py", "😀.py", "-x.py"]


@pytest.mark.parametrize("name", NAMES)
def test_name_round_trips(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x")
    workspace = Workspace.of([str(tmp_path)])
    (found,) = walk(workspace, LIMITS).files
    assert found.path == name
    assert workspace.relative(workspace.absolute(found.path)) == name
    assert workspace.contained(name) == workspace.contained(str(path)) == name
    assert isinstance(read_source(workspace, found.path, LIMITS), SourceText)


@posix
def test_name_that_is_not_utf8_is_named_as_skipped(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")).write_bytes(b"")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert reasons(tmp_path) == {"\\xff.py": "the name is not valid UTF-8"}
    assert files(tmp_path) == []


def test_order_is_by_path(tmp_path: Path) -> None:
    for name in ("b.py", "a/z.py", "a.py", "a-b/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert files(tmp_path) == sorted(["b.py", "a/z.py", "a.py", "a-b/c.py"])


# ---------------------------------------------------------------- workspace


def test_several_folders_have_stable_unique_names(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("one/app", "two/app", "three/app-2")]
    for root in roots:
        root.mkdir(parents=True)
        (root / "x.py").touch()
    one = Workspace.of([str(root) for root in roots])
    assert one == Workspace.of([str(root) for root in reversed(roots)])
    assert sorted(folder.name for folder in one.folders) == ["app", "app-2", "app-3"]
    assert [one.relative(one.absolute(FilePath(name))) for name in files(*roots)] == files(*roots)
    assert one.contained("app/x.py") == "app/x.py"


def test_files_of_a_nested_folder_belong_to_it_alone(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "x.py").touch()
    assert files(tmp_path / "outer", inner) == ["inner/x.py"]
    assert Workspace.of([str(tmp_path / "outer"), str(inner)]).relative(str(inner / "x.py")) == "inner/x.py"


@pytest.mark.parametrize("argument", ["../x", "a/../../x", "/etc/passwd", "", "x\0y", "/", "..", "link/x", "out"])
def test_argument_that_leads_outside_is_refused(tmp_path: Path, argument: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (tmp_path / "x").touch()
    _link(root / "link", tmp_path)
    _link(root / "out", tmp_path / "x")
    with pytest.raises(OutsideWorkspaceError):
        Workspace.of([str(root)]).contained(argument)


@pytest.mark.parametrize("argument", ["x.py", "app/../app/../../etc/passwd", "../x"])
def test_argument_needs_a_folder_name_among_several(tmp_path: Path, argument: str) -> None:
    for name in ("app", "lib"):
        (tmp_path / name).mkdir()
    with pytest.raises(OutsideWorkspaceError):
        Workspace.of([str(tmp_path / "app"), str(tmp_path / "lib")]).contained(argument)


def test_argument_inside_is_named_plainly(tmp_path: Path) -> None:
    workspace = Workspace.of([str(tmp_path)])
    assert workspace.contained("./a/../b.py") == "b.py"
    assert workspace.contained(".") == "."
    assert workspace.absolute(FilePath(".")) == os.path.realpath(tmp_path)


@pytest.mark.parametrize("path", ["../x", "a//b", "/x", "a/../b", "a/./b", "a\0"])
def test_forged_file_path_is_refused(tmp_path: Path, path: str) -> None:
    workspace = Workspace.of([str(tmp_path)])
    with pytest.raises(OutsideWorkspaceError):
        workspace.absolute(FilePath(path))
    assert isinstance(read_source(workspace, FilePath(path), LIMITS), SkippedSource)


def test_drive_letters_are_one() -> None:
    assert fold_drive("c:\\X") == fold_drive("C:\\X") == "C:\\X"
    assert fold_drive("/c:/x") == "/c:/x"


# ---------------------------------------------------------------- links and odd files


def _link(path: Path, target: Path | str) -> None:
    try:
        path.symlink_to(target)
    except OSError:
        pytest.skip("links cannot be made here")


def test_links_are_never_followed(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / "real").mkdir(parents=True)
    (root / "real" / "a.py").write_bytes(b"a")
    (tmp_path / "secret.py").write_bytes(b"s")
    _link(root / "file", root / "real" / "a.py")
    _link(root / "folder", root / "real")
    _link(root / "self", "self")
    _link(root / "real" / "up", "..")
    _link(root / "broken", "nowhere")
    _link(root / "out", tmp_path / "secret.py")
    _link(root / "slash", "/")
    assert files(root) == ["real/a.py"]
    assert reasons(root) == {
        "self": "is a symbolic link in a loop",
        "real/up": "is a symbolic link to a folder that contains it",
        "broken": "is a broken symbolic link",
        "out": "is a symbolic link that leads outside the workspace",
        "slash": "is a symbolic link that leads outside the workspace",
    }
    assert Workspace.of([str(root)]).relative(str(root / "folder" / "a.py")) == "real/a.py"
    for name in ("out", "folder/a.py", "slash/etc/passwd", "file"):
        assert isinstance(read(root, name), SkippedSource)


@posix
def test_special_files_are_skipped_and_never_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.py")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(tmp_path)  # the whole path may be too long for a socket
        try:
            listener.bind("socket.py")
        finally:
            os.chdir(here)
        assert reasons(tmp_path) == {"fifo.py": "is a FIFO", "socket.py": "is a socket"}
        assert read(tmp_path, "fifo.py") == SkippedSource(FilePath("fifo.py"), "not a regular file")
        assert isinstance(read(tmp_path, "socket.py"), SkippedSource)


@posix
def test_devices_are_skipped(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "zero.py", 0o666 | stat.S_IFCHR, os.stat("/dev/zero").st_rdev)
    except PermissionError:
        pytest.skip("only the superuser makes devices")
    assert reasons(tmp_path) == {"zero.py": "is a device"}
    assert read(tmp_path, "zero.py") == SkippedSource(FilePath("zero.py"), "not a regular file")


def test_missing_root_and_folder_as_source(tmp_path: Path) -> None:
    assert "cannot be read" in reasons(tmp_path / "nowhere")["."]
    (tmp_path / "folder.py").mkdir()
    assert isinstance(read(tmp_path, "folder.py"), SkippedSource)
    assert isinstance(read(tmp_path, "."), SkippedSource)


NOBODY = 65_534


@contextmanager
def folder_of_a_plain_user() -> Iterator[Path]:
    """A folder, and no right to read what others shut: the superuser, as whom builds run, becomes nobody meanwhile."""
    with tempfile.TemporaryDirectory() as made:
        folder, user = Path(made), os.geteuid()
        try:
            if user == 0:
                os.chown(folder, NOBODY, NOBODY)
                os.seteuid(NOBODY)
            yield folder
        finally:
            if user == 0:
                os.seteuid(0)
            for path in folder.iterdir():
                path.chmod(0o700)


@posix
def test_unreadable_is_reported() -> None:
    with folder_of_a_plain_user() as folder:
        (folder / "shut").mkdir(mode=0o000)
        (folder / "x.py").touch(mode=0o000)
        assert reasons(folder) == {"shut": "folder cannot be read: Permission denied"}
        assert read(folder, "x.py") == SkippedSource(FilePath("x.py"), "cannot be read: Permission denied")


def test_folder_that_cannot_be_listed_leaves_the_rest(tmp_path: Path, unlistable: Callable[[str], None]) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "x.py").touch()
    unlistable("shut")
    assert files(tmp_path) == ["x.py"]
    assert reasons(tmp_path) == {"shut": "folder cannot be read: Permission denied"}
    with session_over(tmp_path) as session:
        assert [(one.path, one.reason) for one in session.snapshot().skipped] == [
            ("shut", "folder cannot be read: Permission denied")
        ]


@posix
def test_folder_swapped_for_a_link_after_the_walk(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "a.py").write_bytes(b"own")
    (tmp_path / "a.py").write_bytes(b"foreign")
    (root / "pkg").rename(tmp_path / "moved")
    (root / "pkg").symlink_to(tmp_path)
    assert isinstance(read(root, "pkg/a.py"), SkippedSource)


def test_excluded_folders_are_counted(tmp_path: Path) -> None:
    for name in (".git", "node_modules", ".venv", "venv", "env", "pkg/__pycache__"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.py").touch()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    found = walk(Workspace.of([str(tmp_path)]), LIMITS)
    assert [file.path for file in found.files] == ["venv/x.py"]
    assert found.excluded == 5


def test_walk_stops_at_its_limit(tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / f"{name}.py").touch()
    found = walk(Workspace.of([str(tmp_path)]), SourceLimits(max_files=2))
    assert found.truncated
    assert [file.path for file in found.files] == ["a.py", "b.py"]
    assert not walk(Workspace.of([str(tmp_path)]), SourceLimits(max_files=3)).truncated


# ---------------------------------------------------------------- contents


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "binary: has NUL bytes"),
        (b"ok\xff", "not valid UTF-8 at byte 2"),
        ("\ud800".encode("utf-8", "surrogatepass"), "not valid UTF-8 at byte 0"),
        (b"x" * 101, "larger than 100 bytes (101)"),
        (b"a\n" + b"x" * 60, "has a line longer than 50 bytes"),
    ],
)
def test_unfit_contents_are_skipped(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "x.py").write_bytes(data)
    assert read(tmp_path, "x.py", SourceLimits(max_file_bytes=100, max_line_bytes=50)) == SkippedSource(
        FilePath("x.py"), reason
    )


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbfx = 1\r\n", b"a\rb\r", "é\f\u2028".encode()])
def test_contents_are_kept_as_they_are(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.py").write_bytes(data)
    source = read(tmp_path, "x.py")
    assert isinstance(source, SourceText)
    assert source.data == data
    assert source.stamp == walk(Workspace.of([str(tmp_path)]), LIMITS).files[0].stamp


def test_deleted_meanwhile_is_reported(tmp_path: Path) -> None:
    skipped = read(tmp_path, "gone/x.py")
    assert isinstance(skipped, SkippedSource)
    assert "cannot be read" in skipped.reason


SYSTEM = Path("/proc/sys/fs/inotify/max_user_watches")


@pytest.mark.skipif(not SYSTEM.exists(), reason="no files of the system")
def test_a_file_that_says_it_is_empty_is_read_whole() -> None:
    assert read_small(str(SYSTEM)) == SYSTEM.read_bytes()


def test_content_hash_names_bytes() -> None:
    assert content_hash(b"") == "cae66941d9efbd404e4d88758ea67670"
    assert content_hash(b"a\r\n") != content_hash(b"a\n")


def test_open_buffer_stands_before_the_disk(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"disk")
    workspace, path = Workspace.of([str(tmp_path)]), FilePath("x.py")
    none = Overlays()
    one = none.with_buffer(path, b"buffer", 1)
    two = one.with_buffer(path, b"\0", 2)
    assert (path in none, path in one, len(two), list(two)) == (False, True, 1, [path])

    def data(overlays: Overlays) -> object:
        source = current_source(workspace, overlays, path, LIMITS)
        return source.data if isinstance(source, SourceText) else source.reason

    assert [data(none), data(one), data(two), data(two.without(path))] == [
        b"disk",
        b"buffer",
        "binary: has NUL bytes",
        b"disk",
    ]
