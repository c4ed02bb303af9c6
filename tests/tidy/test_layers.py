"""Layers: the import contract of pyproject.toml holds.

Owns: running import-linter on this tree.
Must not know: which layers there are.
Invariant: a folder that is in no layer fails, as does an import that goes up or sideways.
"""

from __future__ import annotations

import subprocess
import sys

from tidy.modules import PACKAGE, ROOT

RUN = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_imports_go_down_only() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", RUN, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert sorted(str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()) == []
    assert (PACKAGE / "py.typed").exists()
