"""Names that lead to libraries: labels as in the resolution cases, with the standard library's stubs at hand.

An installed package is a folder of the test: what its files say, and nothing else, is what is known of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.node_records import external_record
from graphls.session.link.libraries import InstalledLibraries, decode_libraries, encode_libraries
from graphls.session.memory import snapshot_of
from graphls.sources.libraries import LibraryFiles, LibraryPaths, library_paths
from graphls.store.blobs import BlobStore, StoreOptions
from resolution_labels import wrong_labels

FOLDER = Path(__file__).parents[2] / "fixtures" / "python" / "libraries"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.fixture(scope="module")
def standard() -> InstalledLibraries:
    return InstalledLibraries(library_paths(None))


@pytest.mark.parametrize("case", CASES)
def test_every_label_holds(case: str, standard: InstalledLibraries) -> None:
    parsed = fixture((FOLDER / f"{case}.txt").read_text(encoding="utf-8"))
    wrong = wrong_labels(snapshot_of(parsed.files, libraries=standard), parsed)
    assert not wrong, "\n".join(wrong)


def installed(tmp_path: Path, files: dict[str, str]) -> LibraryPaths:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return LibraryPaths(library_paths(None).standard, (3, 12), (str(tmp_path),))


def externals(source: str, paths: LibraryPaths) -> set[str]:
    snapshot = snapshot_of({"a.py": source}, libraries=InstalledLibraries(paths))
    links = snapshot.links(FilePath("a.py"))
    rows = range(len(links.targets.occurrence))
    return {links.externals[links.targets.file[row]] for row in rows if links.targets.symbol[row] == EXTERNAL}


def test_a_package_answers_through_its_re_exports_and_its_stubs_win(tmp_path: Path) -> None:
    paths = installed(
        tmp_path,
        {
            "box/__init__.py": "from .core import Box as Box\nfrom .more import *\n",
            "box/core.py": "class Base:\n    def low(self): ...\nclass Box(Base):\n    def get(self): return self\n",
            "box/more.py": "def made() -> 'Other': ...\nclass Other:\n    def deep(self): ...\n",
            "box-stubs/core.pyi": "class Base:\n    def low(self) -> int: ...\n"
            "class Box(Base):\n    def get(self) -> Box: ...\n",
        },
    )
    source = "import box\nbox.Box().get().low().bit_length()\nbox.made().deep()\nbox.Box().gone()\n"
    found = externals(source, paths)
    assert {"box.core.Base.low", "builtins.int.bit_length", "box.more.Other.deep"} <= found
    assert not any(name.endswith("gone") for name in found)


def test_modules_that_the_version_lacks_are_not_found() -> None:
    standard = library_paths(None).standard
    assert LibraryFiles(LibraryPaths(standard, (3, 11))).find("distutils.core") is not None
    assert LibraryFiles(LibraryPaths(standard, (3, 12))).find("distutils.core") is None


@pytest.mark.parametrize("name", ["..", "os/path", "a..b", "", "os.path\0"])
def test_odd_names_lead_nowhere(name: str) -> None:
    assert LibraryFiles(library_paths(None)).find(name) is None


def test_a_link_that_leads_out_of_the_packages_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("password = 'x'\n")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "leak.py").symlink_to(tmp_path / "secret.py")
    files = LibraryFiles(LibraryPaths("", (3, 12), (str(tmp_path / "site"),)))
    found = files.find("leak")
    assert found == "lib:site/leak.py"
    assert files.read(found) is None


def test_where_a_name_is_defined(standard: InstalledLibraries) -> None:
    place = standard.definition_of("os.path.join")
    assert place is not None
    assert place.text[place.start : place.end] == b"join"
    assert standard.definition_of("os.nothing") is None


def test_what_a_library_file_says_is_read_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    paths = installed(tmp_path / "packages", {"box.py": "class Box:\n    def get(self): ...\n"})
    first = InstalledLibraries(paths, store)
    box = first.find("box")
    assert box is not None
    first.surface(box)

    def never(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("graphls.session.link.libraries.understand", never)
    facts = InstalledLibraries(paths, store).facts(box)
    assert facts is not None
    assert "get" in facts.strings


def test_workers_keep_what_libraries_say_where_the_session_does(tmp_path: Path) -> None:
    paths = installed(tmp_path, {"box.py": "class Box: ...\n"})
    store = BlobStore(StoreOptions(folder=str(tmp_path / "cache")))
    heard = decode_libraries(encode_libraries(InstalledLibraries(paths, store)), None)
    assert heard is not None
    assert heard.store_folder == store.home
    assert [path.parent for path in (tmp_path / "cache").rglob("cache.db")] == [Path(store.folder)]


def test_star_imports_in_a_circle_end(tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(12)]
    stars = "".join(f"from ring.{name} import *\n" for name in names)
    files = {f"ring/{name}.py": stars for name in names} | {"ring/__init__.py": stars}
    assert externals("import ring\nring.nothing\n", installed(tmp_path, files)) == {"ring", "ring.nothing"}


def test_links_know_what_was_installed(tmp_path: Path) -> None:
    source = {"a.py": "import box\nbox.Box\n"}
    before = InstalledLibraries(installed(tmp_path, {"box.py": "class Box: ...\n"}))
    links = snapshot_of(source, libraries=before).links(FilePath("a.py"))
    after = InstalledLibraries(installed(tmp_path, {"more.py": ""}))
    again = snapshot_of(source, libraries=after).links(FilePath("a.py"))
    assert before.stamp != after.stamp
    assert links.lookups != again.lookups


def test_what_is_outside_says_which_package_it_belongs_to(tmp_path: Path) -> None:
    files = {
        "yaml/__init__.py": "def load(): ...\n",
        "PyYAML-6.0.dist-info/RECORD": "yaml/__init__.py,sha256=x,1\nPyYAML-6.0.dist-info/METADATA,,\n../bin/x,,\n",
        "one/__init__.py": "",
        "one-1.5.dist-info/METADATA": "",
        "six.py": "x = 1\n",
        "sixes-2.dist-info/top_level.txt": "six\n",
        "lonely.py": "y = 1\n",
    }
    libraries = InstalledLibraries(installed(tmp_path, files))
    snapshot = snapshot_of({"a.py": "import yaml, os\nyaml.load()\nos.getcwd()\n"}, libraries=libraries)
    assert snapshot.distribution("yaml.load") == ("PyYAML", "6.0")
    assert snapshot.distribution("one") == ("one", "1.5")
    assert snapshot.distribution("six.x") == ("sixes", "2")
    assert snapshot.distribution("lonely.y") == snapshot.distribution("absent") == ("", "")
    assert external_record(snapshot, "os.getcwd").attributes == {"package": "python", "version": "3.12"}
    assert external_record(snapshot, "absent").attributes == {}
