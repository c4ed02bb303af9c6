"""What a repository puts in the way of programs that graphls starts: interpreters, shells, git, in a relative PATH."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from e2e.cli_runs import graphls, start
from e2e.raw_client import TIMEOUT, RawClient
from git_folders import committed

FAKE = Path(__file__).with_name("fake_checker.py")
TRAPS = ("node", "python", "python3", "python3.11", "sh", "bash", "env", "git", "ty", "pyright-langserver", "tsc",
         "typescript-language-server", "false", "uname", "dirname", "readlink")  # fmt: skip
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose own programs tell when they run."""
    made = tmp_path / "repo"
    inside = made / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    for name in TRAPS:
        (inside / name).write_text(f"#!{shutil.which('sh')}\necho {name} >> {tmp_path}/ran\n")
        (inside / name).chmod(0o755)
    (made / "a.py").write_text("class C:\n    pass\n\ndef use(thing):\n    thing.member\n")
    (made / "b.ts").write_text("export function f(x: any) { return x.member() }\n")
    committed(made)
    (made / "a.py").write_text("class C:\n    pass\n\ndef use(thing):\n    return thing.member\n")
    return made


def habit(root: Path) -> str:
    """A PATH as many have it, and one of a tool that spells the folder out."""
    return os.pathsep.join(("./node_modules/.bin", f"{root}/node_modules/.bin", os.environ["PATH"]))


@pytest.mark.parametrize(
    "setting",
    ['name = "pyright"', 'typescript = "typescript-language-server"', "from-workspace = true", 'path = "/bin/true"'],
)
def test_a_repository_does_not_choose_the_checker(root: Path, setting: str) -> None:
    (root / "graphls.toml").write_text(f"[checker]\n{setting}\n")
    run = graphls("export", "--verify", "available", "--mode", "allow-errors", cwd=root, PATH=habit(root))
    assert (run.code, "may not be set by a repository that is not trusted" in run.err) == (0, True), run.err
    changed = graphls("changed", "--format", "json", cwd=root, PATH=habit(root))
    assert changed.json["files"]
    assert not (root.parent / "ran").exists()


def test_a_checker_runs_elsewhere_with_an_interpreter_that_is_not_of_the_repository(root: Path) -> None:
    log = root.parent / "log"
    checker = root.parent / "checker"
    checker.write_text(f"#!/usr/bin/env python3\nimport runpy, sys, os\nsys.argv = ['', 'good', {str(log)!r}]\n"
                       f"open({str(root.parent / 'folder')!r}, 'w').write(os.getcwd() + ' ' + os.environ['PATH'])\n"
                       f"runpy.run_path({str(FAKE)!r}, run_name='__main__')\n")  # fmt: skip
    checker.chmod(0o755)
    client = RawClient(start("serve", cwd=root, PATH=habit(root), GRAPHLS_CACHE_DIR=str(root.parent / "cache")))
    settings = {"checker": {"path": str(checker), "budgetMs": 60_000}}
    client.initialize(rootUri=root.as_uri(), initializationOptions=settings)
    question = {"textDocument": {"uri": (root / "a.py").as_uri()}, "position": {"line": 4, "character": 18}}
    end, found = time.monotonic() + TIMEOUT, None
    while not found and time.monotonic() < end:
        found = client.ask("d", "textDocument/definition", question)["result"]
    client.close()
    assert found, client.stderr
    folder, path = (root.parent / "folder").read_text().split()
    assert folder == "/"
    assert not any(str(root) in entry or not os.path.isabs(entry) for entry in path.split(os.pathsep))
    assert not (root.parent / "ran").exists()
