"""Text: what is tracked makes sense on any machine.

Owns: looking for paths of a machine in tracked files, and for documents that lag behind their source.
Must not know: what the documents say.
Invariant: a checkout elsewhere holds no trace of where it was written.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from graphls.settings import OPTIONS
from graphls.settings.folders import OWN
from graphls.settings.option import wire_key
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


def leaves(properties: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, about in properties.items():
        if "properties" in about:
            yield from leaves(about["properties"], f"{prefix}.{name}")
        else:
            yield f"{prefix}.{name}", about


def test_settings_of_the_extension_are_those_of_the_server() -> None:
    """As `node editors/vscode/scripts/settings.mjs --check` says, where there is no Node.js."""
    extension = ROOT / "editors" / "vscode"
    schema = json.loads((ROOT / "docs" / "settings.schema.json").read_text("utf-8"))
    manifest = json.loads((extension / "package.json").read_text("utf-8"))
    held = {
        key: {("description" if name == "markdownDescription" else name): value for name, value in about.items()}
        for section in manifest["contributes"]["configuration"]
        for key, about in section["properties"].items()
    }
    own = set(
        re.findall(
            r'^  "(graphls\.[\w.]+)": \{$', (extension / "scripts" / "settings.mjs").read_text("utf-8"), re.MULTILINE
        )
    )
    assert own <= held.keys()
    scopes = dict.fromkeys((f"graphls.{wire_key(path)}" for path in OWN), "resource")
    expected = {
        key: {**{name: value for name, value in about.items() if name != "x-perFolder"}, "scope": scopes[key]}
        if key in scopes
        else {**about, "scope": "window"}
        for key, about in leaves(schema["properties"], "graphls")
    }
    assert {key: about for key, about in held.items() if key not in own} == expected, (
        "run `npm run settings` in editors/vscode"
    )
