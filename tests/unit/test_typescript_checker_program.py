"""Finding TypeScript: which program is taken, and what is said where there is none that can be.

Owns: the rules of trust and of versions for an installed TypeScript; nothing is started here.
Must not know: how the server is spoken to.
Invariant: no program of a workspace is taken unless the user said so.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import pytest

from graphls.compilers.checkers import Checker, NoChecker, find_typescript_checker
from graphls.settings import merge
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.typescript_home import typescript_at

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="installations are made with links")


def installed(folder: Path, version: str, *, native: bool = False) -> Path:
    """A `node_modules` as npm leaves it; the launcher in its `.bin`."""
    package = folder / "node_modules" / "typescript"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "typescript", "version": version}))
    runnable(package / "bin" / "tsc")
    if native:
        machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
        runnable(folder / "node_modules" / "@typescript" / f"typescript-{sys.platform}-{machine}" / "lib" / "tsc")
    launcher = folder / "node_modules" / ".bin" / "tsc"
    launcher.parent.mkdir(exist_ok=True)
    launcher.symlink_to("../typescript/bin/tsc")
    return launcher


def runnable(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def problem(found: Checker | NoChecker) -> str:
    assert isinstance(found, NoChecker)
    return found.problem


def test_the_native_program_is_started_without_its_launcher(tmp_path: Path) -> None:
    found = typescript_at(str(installed(tmp_path, "7.1.0", native=True)))
    assert (os.path.basename(os.path.dirname(found.program)), found.version) == ("lib", "7.1.0")


def test_an_installation_without_native_program_keeps_its_launcher(tmp_path: Path) -> None:
    launcher = installed(tmp_path, "7.1.0")
    assert typescript_at(str(launcher)).program == str(launcher)


def test_the_program_of_a_workspace_is_not_taken(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = installed(root, "7.0.2", native=True)
    monkeypatch.setenv("PATH", str(launcher.parent))
    said = problem(find_typescript_checker(CheckerSettings(), (str(root),)))
    assert "not installed" in said
    assert "checker.fromWorkspace" in said


def test_the_program_of_a_trusted_workspace_is_taken(root: Path) -> None:
    installed(root, "7.0.2", native=True)
    found = find_typescript_checker(CheckerSettings(from_workspace=True), (str(root),))
    assert isinstance(found, Checker)
    assert found.command[0].startswith(str(root.resolve()))
    assert found.command[1:] == ("--lsp", "--stdio")


@pytest.mark.parametrize("key", ["typescriptPath", "fromWorkspace"])
def test_a_repository_does_not_say_what_is_started(key: str) -> None:
    value = True if key == "fromWorkspace" else "/bin/sh"
    chosen, problems = merge({"checker": {key: value}}, {}, trusted=False)
    assert (chosen.checker.typescript_path, chosen.checker.from_workspace) == ("", False)
    assert [one.key for one in problems] == [f"checker.{key}"]


def test_an_old_version_is_named(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = installed(tmp_path / "all", "5.9.3")
    monkeypatch.setenv("PATH", str(launcher.parent))
    said = problem(find_typescript_checker(CheckerSettings(), (str(root),)))
    assert "TypeScript 5.9.3; 7.0 or newer is needed; install it with: npm install -g typescript@7" in said


def test_an_old_version_in_the_workspace_is_named(root: Path) -> None:
    installed(root, "5.9.3")
    said = problem(find_typescript_checker(CheckerSettings(from_workspace=True), (str(root),)))
    assert "node_modules holds TypeScript 5.9.3" in said


def test_off_is_off(root: Path) -> None:
    found = find_typescript_checker(CheckerSettings(typescript="off"), (str(root),))
    assert isinstance(found, NoChecker)
    assert found.off


def test_a_new_installation_has_another_stamp(root: Path) -> None:
    installed(root, "7.0.2", native=True)
    settings = CheckerSettings(from_workspace=True)
    first = find_typescript_checker(settings, (str(root),))
    (root / "node_modules" / ".package-lock.json").write_text("{}")
    second = find_typescript_checker(settings, (str(root),))
    assert isinstance(first, Checker)
    assert isinstance(second, Checker)
    assert first.stamp != second.stamp


def language_server(folder: Path, version: str) -> Path:
    """The server that drives TypeScript 5, beside a TypeScript of some version."""
    installed(folder, version)
    if version.startswith("5"):
        (folder / "node_modules" / "typescript" / "lib").mkdir()
        (folder / "node_modules" / "typescript" / "lib" / "tsserver.js").write_text("")
    script = folder / "node_modules" / "typescript-language-server" / "lib" / "cli.mjs"
    runnable(script)
    launcher = folder / "node_modules" / ".bin" / "typescript-language-server"
    launcher.symlink_to("../typescript-language-server/lib/cli.mjs")
    return launcher


def test_the_language_server_is_told_its_own_typescript(tmp_path: Path, root: Path) -> None:
    installed(root, "5.9.3")
    launcher = language_server(tmp_path / "all", "5.8.0")
    settings = CheckerSettings(typescript="typescript-language-server", typescript_path=str(launcher))
    found = find_typescript_checker(settings, (str(root),))
    assert isinstance(found, Checker)
    assert found.command == (str(launcher), "--stdio")
    told = found.configuration["typescript-language-server"]
    server = tmp_path / "all" / "node_modules" / "typescript" / "lib" / "tsserver.js"
    assert told["tsserver"]["path"] == str(server.resolve())  # type: ignore[index,call-overload]


def test_a_language_server_of_the_workspace_is_not_taken(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = language_server(root, "5.9.3")
    monkeypatch.setenv("PATH", str(launcher.parent))
    settings = CheckerSettings(typescript="typescript-language-server")
    assert "typescript-language-server is not installed" in problem(find_typescript_checker(settings, (str(root),)))
    trusting = CheckerSettings(typescript="typescript-language-server", from_workspace=True)
    assert isinstance(find_typescript_checker(trusting, (str(root),)), Checker)


def test_a_language_server_needs_typescript_five(tmp_path: Path, root: Path) -> None:
    launcher = language_server(tmp_path / "all", "7.0.2")
    settings = CheckerSettings(typescript="typescript-language-server", typescript_path=str(launcher))
    assert "the server of TypeScript 5 is not installed" in problem(find_typescript_checker(settings, (str(root),)))
