"""Languages: one folder is all that a language takes.

Owns: what each folder under languages/ must hold; that no code elsewhere tells languages apart by their names.
Must not know: any language.
Invariant: a new folder is found here without a change.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping

import pytest

from graphls.languages.registry import providers
from tidy.modules import PACKAGE, ROOT, Module, modules

SHARED = frozenset({"config", "declared", "extract", "incremental", "resolve", "__pycache__"})
"""What every language uses, and configuration, whose files name code of every language."""
FOLDERS = sorted(path for path in (PACKAGE / "languages").iterdir() if path.is_dir() and path.name not in SHARED)

EDITED_ELSEWHERE = frozenset({"python", "typescript"})
"""Languages with edits of whole workspaces of their own (`increment/test_equal_to_scratch.py`)."""


@pytest.mark.parametrize("language", [folder.name for folder in FOLDERS])
class TestLanguage:
    def test_has_a_provider(self, language: str) -> None:
        assert (PACKAGE / "languages" / language / "provider.py").is_file()

    def test_has_fixtures(self, language: str) -> None:
        assert (ROOT / "fixtures" / language).is_dir()

    def test_has_edits(self, language: str) -> None:
        assert (ROOT / "fixtures" / language / "edits.json").is_file() or language in EDITED_ELSEWHERE


# ---------------------------------------------------------------- nobody else knows a language

WITHIN = ("languages/", "settings/", "compilers/checkers.py", "compilers/configuration.py")
"""Where languages are named: in their folders, in the names of settings, in what is known of checkers."""
EXCEPTIONS: Mapping[str, str] = {
    "cli/checks.py": "one of the checks is about the interpreter that runs graphls",
    "session/index/packages.py": "a key in the manifests of a package tool",
    "session/link/libraries.py": "the name of a distribution",
    "sources/encodings.py": "which files may declare an encoding, before anybody reads them as a language",
    "sources/read.py": "the format that keeps pictures beside code, and so long lines",
    "sources/libraries.py": "the door to installed packages: files and keys of manifests of that one interpreter",
    "sources/installed.py": "the same",
    "sources/surroundings.py": "the same: files that bear on what is installed",
    "sources/typescript_home.py": "the door to a checker's folder, and the name of its package",
}


def named(module: Module) -> set[str]:
    """Names and file endings of languages that stand as texts in a module."""
    known = {capabilities.name for capabilities in (provider.capabilities for provider in providers().values())}
    endings = {ending for provider in providers().values() for ending in provider.capabilities.files}
    texts = {
        node.value for node in ast.walk(module.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return texts & (known | endings)


def test_no_code_elsewhere_names_a_language() -> None:
    wrong = {
        module.name: named(module)
        for module in modules()
        if not module.within(WITHIN) and module.name not in EXCEPTIONS and named(module)
    }
    assert wrong == {}


def test_no_code_elsewhere_imports_a_language() -> None:
    own = re.compile(rf"graphls\.languages\.({'|'.join(folder.name for folder in FOLDERS)})\b")
    assert [module.name for module in modules() if not module.within(("languages/",)) and own.search(module.text)] == []


def test_exceptions_are_needed() -> None:
    assert [name for name in EXCEPTIONS if not any(module.name == name and named(module) for module in modules())] == []


NEOVIM: Mapping[str, tuple[str, ...]] = {"csharp": ("cs",), "shellscript": ("sh", "bash")}
"""What Neovim calls file types that have other names in the protocol."""


def test_editors_open_files_of_every_language() -> None:
    ids = {kind.editor_id for provider in providers().values() for kind in provider.capabilities.files.values()}
    package = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))
    assert {event.removeprefix("onLanguage:") for event in package["activationEvents"] if ":" in event} >= ids
    neovim = (ROOT / "editors" / "neovim" / "lua" / "graphls" / "config.lua").read_text("utf-8")
    listed = re.search(r"M\.FILETYPES = \{([^}]*)\}", neovim)
    assert listed is not None
    types = {other for one in ids for other in NEOVIM.get(one, (one,))}
    assert set(re.findall(r'"(\w+)"', listed[1])) == types
    life = (ROOT / "editors" / "vscode" / "src" / "life.ts").read_text("utf-8")
    selected = re.search(r"const LANGUAGES = \[([^\]]*)\]", life)
    assert selected is not None
    components = re.search(r'const COMPONENTS = "\*\*/\*\.\{([^}]*)\}"', life)
    assert components is not None
    assert {*re.findall(r'"(\w+)"', selected[1]), *components[1].split(",")} == ids
