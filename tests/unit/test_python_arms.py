"""Arms of library files: which run under a version and on a system, and what names of them mean then."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.python.syntax.arms import LibraryTarget, chosen
from graphls.session.link.libraries import InstalledLibraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import NEWEST, LibraryPaths, library_paths, required_version

LINUX = LibraryTarget((3, 11), "linux")


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("sys.version_info >= (3, 11)", True),
        ("sys.version_info>=(3,12)", False),
        ("sys.version_info > (3, 11)", True),
        ("sys.version_info < (3, 9)", False),
        ("sys.version_info <= (3, 11)", False),
        ("sys.version_info == (3, 11)", False),
        ("sys.version_info >= (3, 11, 4)", None),
        ("sys.version_info >= (3, 10, 4)", True),
        ("sys.version_info[0] == 3", True),
        ("sys.version_info.major < 3", False),
        ("sys.version_info[:2] == (3, 11)", True),
        ("(sys.version_info >= (3,))", True),
        ('sys.platform == "win32"', False),
        ("sys.platform != 'win32'", True),
        ('sys.platform.startswith("linux")', True),
        ('os.name == "nt"', False),
        ("TYPE_CHECKING", True),
        ("not typing.TYPE_CHECKING", False),
        ('sys.platform == "win32" and other()', False),
        ('sys.platform == "linux" or other()', True),
        ('sys.platform == "linux" and other()', None),
        ("sys.version_info >= LIMIT", None),
        ("MY_TYPE_CHECKING", None),
        ("TYPE_CHECKING is True", True),
        ("other()", None),
    ],
)
def test_a_test_decides_between_its_arms(test: str, holds: bool | None) -> None:
    source = f"if {test}:\n    first = 1\nelse:\n    other = 2\n"
    text = chosen(source.encode(), LINUX).decode()
    assert len(text) == len(source)
    assert ("first" in text, "other" in text.partition("else")[2]) == (holds is not False, holds is not True)


def test_the_first_arm_that_holds_ends_the_others() -> None:
    source = b"""
class A:
    if sys.version_info >= (3, 12):
        new: int
    elif sys.version_info >= (3, 9):
        if sys.platform == "win32":
            window: int
        else:
            shell: int
    elif unknown():
        odd: int
    else:
        old: int
"""
    text = chosen(source, LINUX)
    assert [name for name in (b"new", b"window", b"shell", b"odd", b"old") if name + b":" in text] == [b"shell"]
    assert text.count(b"\n") == source.count(b"\n")
    assert chosen(text, LINUX) == text


def test_names_of_a_library_are_those_of_its_version_and_system(tmp_path: Path) -> None:
    stub = """import sys
class Old:
    def gone(self) -> None: ...
class New:
    def come(self) -> None: ...
if sys.version_info >= (3, 13):
    def make() -> New: ...
else:
    def make() -> Old: ...
if sys.platform == "win32":
    def window() -> Old: ...
"""
    (tmp_path / "box.pyi").write_text(stub, encoding="utf-8")
    source = "import box\nbox.make().come()\nbox.make().gone()\n"
    found: dict[tuple[int, int], list[list[str]]] = {}
    for version in ((3, 12), (3, 13)):
        libraries = InstalledLibraries(LibraryPaths("", version, (str(tmp_path),), "linux"))
        snapshot = snapshot_of({"a.py": source}, libraries=libraries)
        path = FilePath("a.py")
        ends = {source.index("come"): 0, source.index("gone"): 1}
        found[version] = [[], []]
        for row, start in enumerate(snapshot.facts(path).occurrences.start):
            if start in ends:
                found[version][ends[start]] = [target.external for target in snapshot.targets(path, row)]
        assert libraries.definition_of("box.window") is None
    assert found == {(3, 12): [[], ["box.Old.gone"]], (3, 13): [["box.New.come"], []]}
    windows = InstalledLibraries(LibraryPaths("", (3, 13), (str(tmp_path),), "win32"))
    assert windows.definition_of("box.window") is not None
    assert windows.stamp != InstalledLibraries(LibraryPaths("", (3, 13), (str(tmp_path),), "linux")).stamp


@pytest.mark.parametrize(
    ("manifest", "version"),
    [
        ('[project]\nrequires-python = ">=3.9,<4"\n', (3, 9)),
        ('[project]\nrequires-python = "~= 3.10"\n', (3, 10)),
        ('[tool.poetry.dependencies]\npython = "^3.8"\n', (3, 8)),
        ('[project]\nrequires-python = "<4"\n', None),
        ('[project]\nrequires-python = ">=9.1"\n', None),
        ("broken", None),
        ("", None),
    ],
)
def test_without_an_environment_the_project_says_its_version(
    manifest: str, version: tuple[int, int] | None, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(manifest, encoding="utf-8")
    assert required_version(str(tmp_path)) == version
    assert library_paths(None, str(tmp_path)).version == (version or NEWEST)
