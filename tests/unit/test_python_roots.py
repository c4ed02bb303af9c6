"""Python roots: which folders hold top-level modules, and what a file is called.

Owns: source roots and module names, layout by layout; which of two readings imports choose.
Must not know: the disk.
Invariant: neither the order of files nor that of manifests matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.provider import ModuleName
from graphls.languages.python.provider import PROVIDER
from graphls.languages.python.setup_script import setup_arguments
from graphls.session.memory import snapshot_of

LAYOUTS: Mapping[str, tuple[Sequence[str], Mapping[str, str], Sequence[str]]] = {
    "flat": (["pkg/__init__.py", "pkg/sub/__init__.py", "setup.py"], {"setup.py": ""}, [""]),
    "src": (["src/pkg/__init__.py", "pyproject.toml"], {"pyproject.toml": "[project]"}, ["src", ""]),
    "src of a namespace": (["src/space/pkg/__init__.py"], {"pyproject.toml": ""}, ["src", ""]),
    "vendored": (
        ["src/pkg/__init__.py", "src/pkg/_vendor/lark/__init__.py"],
        {},
        ["src", ""],
    ),
    "a folder without a package file inside a package": (
        ["pkg/__init__.py", "pkg/_shared/logging/__init__.py", "pkg/tests/test_a.py", "pkg/src/a.py"],
        {},
        [""],
    ),
    "a project inside a package": (
        ["tests/__init__.py", "tests/data/pyproject.toml", "tests/data/src/a.py"],
        {"tests/data/pyproject.toml": ""},
        ["", "tests/data/src", "tests/data"],
    ),
    "tests below sources": (["src/space/pkg/__init__.py", "src/tests/test_a.py"], {}, ["src", "", "src/tests"]),
    "namespace without a manifest": (["space/pkg/__init__.py"], {}, ["", "space"]),
    "setuptools where": (
        ["code/pkg/a.py"],
        {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["code"]'},
        ["code", ""],
    ),
    "setuptools package-dir": (
        ["code/a.py"],
        {"pyproject.toml": '[tool.setuptools.package-dir]\n"" = "code"'},
        ["code", ""],
    ),
    "setup.cfg": (
        ["one/a.py", "two/b.py"],
        {"setup.cfg": "[options]\npackage_dir =\n    = one\n[options.packages.find]\nwhere = two\n"},
        ["one", "two", ""],
    ),
    "hatch packages": (
        ["server/tool/a.py"],
        {"pyproject.toml": '[tool.hatch.build.targets.wheel]\npackages = ["server/tool"]'},
        ["server", ""],
    ),
    "hatch sources": (["s/a.py"], {"pyproject.toml": '[tool.hatch.build]\nsources = ["s"]'}, ["s", ""]),
    "poetry": (
        ["lib2/pkg/a.py"],
        {"pyproject.toml": '[tool.poetry]\npackages = [{include = "pkg", from = "lib2"}]'},
        ["lib2", ""],
    ),
    "package-dir of one package": (
        ["code/pkg/a.py"],
        {"pyproject.toml": '[tool.setuptools.package-dir]\npkg = "code/pkg"\nother = "code/else"'},
        ["code", ""],
    ),
    "setuptools include": (
        ["google/cloud/storage/__init__.py", "tools/pkg/__init__.py"],
        {"pyproject.toml": '[tool.setuptools.packages.find]\ninclude = ["google*"]'},
        ["", "tools"],
    ),
    "setuptools list": (
        ["space/pkg/__init__.py"],
        {"pyproject.toml": '[tool.setuptools]\npackages = ["space.pkg"]'},
        [""],
    ),
    "setup.cfg namespaces": (["space/pkg/__init__.py"], {"setup.cfg": "[options]\nnamespace_packages = space\n"}, [""]),
    "flit": (["space/pkg/__init__.py"], {"pyproject.toml": '[tool.flit.module]\nname = "space.pkg"'}, [""]),
    "hatch only-include": (
        ["space/pkg/__init__.py"],
        {"pyproject.toml": '[tool.hatch.build.targets.wheel]\nonly-include = ["space"]'},
        [""],
    ),
    "poetry namespace": (
        ["space/pkg/__init__.py"],
        {"pyproject.toml": '[tool.poetry]\npackages = [{include = "space"}]'},
        [""],
    ),
    "uv workspace": (
        ["packages/core/acme/core/__init__.py", "packages/web/src/acme/web/__init__.py"],
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]',
            "packages/core/pyproject.toml": '[tool.uv.build-backend]\nmodule-root = ""\nmodule-name = "acme.core"',
            "packages/web/pyproject.toml": '[project]\nname = "acme-web"',
        },
        ["packages/web/src", "packages/core", "packages/web", ""],
    ),
    "setup.py where": (
        ["code/pkg/a.py"],
        {"setup.py": 'from setuptools import *\nsetup(packages=find_packages("code"))\n'},
        ["code", ""],
    ),
    "setup.py package_dir by a name": (
        ["code/pkg/a.py"],
        {"setup.py": 'SOURCES = "code"\nsetuptools.setup(package_dir={"": SOURCES})\n'},
        ["code", ""],
    ),
    "setup.py include": (
        ["space/pkg/__init__.py"],
        {"setup.py": 'setup(packages=find_namespace_packages(include=["space.*"]))\n'},
        [""],
    ),
    "setup.py list": (
        ["space/pkg/__init__.py"],
        {"setup.py": 'PACKAGES = ["space", "space.pkg"]\nsetup(packages=PACKAGES)\n'},
        [""],
    ),
    "setup.py that computes": (
        ["space/pkg/__init__.py"],
        {"setup.py": 'x = x\nsetup(packages=[*more(), f"{a}"], package_dir={"": x, b: ""}); find_packages(*where)\n'},
        ["", "space"],
    ),
    "broken setup.py": (["a.py"], {"setup.py": "setup(" + "(" * 2000 + "package_dir={'': 'src'"}, [""]),
    "pdm": (["p/a.py"], {"pyproject.toml": '[tool.pdm.build]\npackage-dir = "p"'}, ["p", ""]),
    "monorepo": (
        ["libs/a/pyproject.toml", "libs/a/src/a/__init__.py", "libs/b/b/__init__.py", "libs/b/setup.py"],
        {"libs/a/pyproject.toml": "", "libs/b/setup.py": ""},
        ["libs/a/src", "libs/a", "libs/b", ""],
    ),
    "tests without packages": (
        ["pkg/__init__.py", "tests/test_a.py", "tests/unit/conftest.py", "more/__init__.py", "more/test_b.py"],
        {},
        ["", "tests/unit", "tests"],
    ),
    "broken manifests": (["a.py"], {"pyproject.toml": "[[[", "setup.cfg": "\0no section"}, [""]),
    "foreign types": (
        ["a.py"],
        {"pyproject.toml": "[tool]\nsetuptools = 3\nhatch = [1]\npoetry = {packages = 1}"},
        [""],
    ),
    "outside": (["a.py"], {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["../x", "/etc"]'}, [""]),
    "the workspace is a package": (["__init__.py", "a/__init__.py"], {}, [""]),
}


@pytest.mark.parametrize(("files", "manifests", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_roots(files: Sequence[str], manifests: Mapping[str, str], expected: Sequence[str]) -> None:
    given = {FilePath(path): text.encode() for path, text in manifests.items()}
    forward = PROVIDER.roots([FilePath(path) for path in files], given)
    backward = PROVIDER.roots([FilePath(path) for path in reversed(files)], dict(reversed(given.items())))
    assert forward == backward == tuple(expected)


@pytest.mark.parametrize(
    ("path", "roots", "expected"),
    [
        ("pkg/a.py", ("",), ModuleName("pkg.a", False, "")),
        ("src/pkg/__init__.py", ("src", ""), ModuleName("pkg", True, "src")),
        ("src/pkg/a.pyi", ("src", ""), ModuleName("pkg.a", False, "src", also=("pkg/a:stub",))),
        ("src/x/a.py", ("src/x", "src", ""), ModuleName("a", False, "src/x")),
        ("srcs/a.py", ("src", ""), ModuleName("srcs.a", False, "")),
        ("src/__init__.py", ("src", ""), ModuleName("", True, "src")),
        ("tests/test_a.py", ("src", "", "tests"), ModuleName("test_a", False, "tests", True, ("tests.test_a",))),
        (
            "src/t/test_a.py",
            ("src", "", "src/t"),
            ModuleName("test_a", False, "src/t", True, ("t.test_a", "src.t.test_a")),
        ),
        ("space/pkg/__init__.py", ("", "space"), ModuleName("pkg", True, "space", True, ("space.pkg",))),
        ("gui.pyw", ("",), ModuleName("gui", False, "")),
        ("space/logging/a.py", ("", "space"), ModuleName("space.logging.a", False, "")),
        ("tests/queue.py", ("src", "", "tests"), ModuleName("tests.queue", False, "")),
        ("src/logging/a.py", ("src", ""), ModuleName("logging.a", False, "src")),
    ],
)
def test_module_name(path: str, roots: tuple[str, ...], expected: ModuleName) -> None:
    assert PROVIDER.module_name(FilePath(path), roots, ()) == expected


IMPORTING: Mapping[str, tuple[Mapping[str, str], str]] = {
    "named through the folder": (
        {"space/pkg/__init__.py": "", "space/pkg/a.py": "", "use.py": "from space.pkg import a\n"},
        "space.pkg.a",
    ),
    "named through the folder, by what is imported": (
        {"space/pkg/__init__.py": "", "space/pkg/a.py": "", "use.py": "from space import pkg\n"},
        "space.pkg.a",
    ),
    "named below it": (
        {"space/pkg/__init__.py": "import pkg.b\n", "space/pkg/a.py": "", "use.py": "import space.pkg.a\n"},
        "pkg.a",
    ),
    "named as something else": (
        {"space/pkg/__init__.py": "", "space/pkg/a.py": "from . import pkg\n", "use.py": "import pkg, spaces.pkg\n"},
        "pkg.a",
    ),
    "a name of Python": (
        {"space/json/__init__.py": "import json\n", "space/json/a.py": "", "use.py": "import space.json\n"},
        "space.json.a",
    ),
    "a name that a declared root has": (
        {"space/pkg/__init__.py": "import pkg\n", "space/pkg/a.py": "", "pkg.py": "import space.pkg\n"},
        "space.pkg.a",
    ),
}


@pytest.mark.parametrize(("files", "expected"), IMPORTING.values(), ids=IMPORTING)
def test_imports_tell_where_manifests_do_not(files: Mapping[str, str], expected: str) -> None:
    (asked,) = [FilePath(path) for path in files if path.endswith("/a.py")]
    for order in (sorted(files), sorted(files, reverse=True)):
        assert snapshot_of({path: files[path] for path in order}).module_name(asked).dotted == expected


OUTSIDE: Mapping[str, tuple[Mapping[str, str], str, Sequence[str], Sequence[str]]] = {
    "a folder of modules never stands before Python's": (
        {"logging/handlers/a.py": "", "use.py": "import logging\nlogging.getLogger()\n"},
        "use.py",
        ["logging", "logging.getLogger"],
        [],
    ),
    "nor does a package in a folder that is no root": (
        {"pkg/__init__.py": "", "pkg/shared/logging/__init__.py": "", "pkg/shared/b.py": "import logging\n"},
        "pkg/shared/b.py",
        ["logging"],
        [],
    ),
    "nor one in a folder of tests": (
        {"tests/test_a.py": "import logging\n", "tests/logging/__init__.py": "", "tests/conftest.py": ""},
        "tests/test_a.py",
        ["logging"],
        [],
    ),
    "a relative import means the folder": (
        {"pkg/__init__.py": "", "pkg/logging/a.py": "x = 1\n", "pkg/b.py": "from .logging.a import x\n"},
        "pkg/b.py",
        [],
        ["pkg/logging/a.py"],
    ),
    "a script finds what lies beside it": (
        {"pkg/__init__.py": "", "pkg/data/one.py": "import two\ntwo.x\n", "pkg/data/two.py": "x = 1\n"},
        "pkg/data/one.py",
        [],
        ["pkg/data/two.py"],
    ),
    "a module of a package finds nothing beside it": (
        {"pkg/__init__.py": "", "pkg/one.py": "import two\ntwo.x\n", "pkg/two.py": "x = 1\n"},
        "pkg/one.py",
        ["two", "two.x"],
        [],
    ),
}


@pytest.mark.parametrize(("files", "path", "externals", "inside"), OUTSIDE.values(), ids=OUTSIDE)
def test_folders_and_modules_of_others(
    files: Mapping[str, str], path: str, externals: Sequence[str], inside: Sequence[str]
) -> None:
    snapshot = snapshot_of(files)
    links = snapshot.links(FilePath(path))
    assert sorted(links.externals) == externals
    assert sorted({*links.files} - {path}) == inside


def test_lists_of_lists_of_a_script_are_read_in_part() -> None:
    """Names of lists of names multiply."""
    lists = "".join(f"{name} = [{f'{inner}, ' * 900}]\n" for name, inner in (("b", "a"), ("c", "b")))
    packages = setup_arguments(f"a = 'x'\n{lists}setup(packages=c)\n".encode())["packages"]
    assert isinstance(packages, list)
    assert sum(len(inner) for inner in packages if isinstance(inner, list)) < 20_000
