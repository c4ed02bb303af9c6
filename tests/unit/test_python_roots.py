"""Python roots: which folders hold top-level modules, and what a file is called.

Owns: source roots and module names, layout by layout.
Must not know: the disk.
Invariant: neither the order of files nor that of manifests matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from graphls.facts.paths import FilePath
from graphls.languages.provider import ModuleName
from graphls.languages.python.provider import PROVIDER

LAYOUTS: Mapping[str, tuple[Sequence[str], Mapping[str, str], Sequence[str]]] = {
    "flat": (["pkg/__init__.py", "pkg/sub/__init__.py", "setup.py"], {"setup.py": ""}, [""]),
    "src": (["src/pkg/__init__.py", "pyproject.toml"], {"pyproject.toml": "[project]"}, ["src", ""]),
    "src of a namespace": (["src/space/pkg/__init__.py"], {"pyproject.toml": ""}, ["src", ""]),
    "vendored": (
        ["src/pkg/__init__.py", "src/pkg/_vendor/lark/__init__.py"],
        {},
        ["src", "", "src/pkg/_vendor"],
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
    ],
)
def test_module_name(path: str, roots: tuple[str, ...], expected: ModuleName) -> None:
    assert PROVIDER.module_name(FilePath(path), roots, ()) == expected
