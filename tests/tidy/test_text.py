"""Text: what is tracked makes sense on any machine.

Owns: looking for paths of a machine in tracked files, and for documents that lag behind their source.
Must not know: what the documents say.
Invariant: a checkout elsewhere holds no trace of where it was written.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from graphls.settings import OPTIONS
from tidy.modules import ROOT

# Written in pieces, so that this file is no hit itself.
FOLDERS = (b"work", b"tmp", b"root")
MACHINE_PATH = re.compile(rb"(?:(?<![\w/.}*-])|(?<=file://))/(?:" + b"|".join(FOLDERS) + rb")(?=/\w)")
# Sample code that quotes such a path on purpose, with the reason.
EXCEPTIONS: dict[str, str] = {}


def tracked() -> list[str]:
    answer = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip("not a git checkout: which files are tracked is unknown")
    return [name for name in answer.stdout.split("\0") if name]


def test_no_machine_paths() -> None:
    hits: list[str] = []
    for name in tracked():
        path = ROOT / name
        content = path.read_bytes() if path.is_file() and name not in EXCEPTIONS else b""
        found = MACHINE_PATH.search(content) if b"\0" not in content else None
        if found:
            line = content.count(b"\n", 0, found.start()) + 1
            hits.append(f"{name}:{line}")
    assert hits == []


@pytest.mark.parametrize("text", [b"see /%s/a/b", b'"/%s/a"', b"file:///%s/a", b"=/%s/a"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_machine_path_is_seen(text: bytes, folder: bytes) -> None:
    assert MACHINE_PATH.search(text % folder)


@pytest.mark.parametrize("key", [placed.key for placed in OPTIONS.values()])
def test_setting_is_documented(key: str) -> None:
    (placed,) = (placed for placed in OPTIONS.values() if placed.key == key)
    assert placed.option.doc.endswith(".")
    assert f"`{key}`" in (ROOT / "docs" / "settings.md").read_text("utf-8")


def test_generated_documents_are_current() -> None:
    answer = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
