"""Toml text: what a parser would take long for is refused before."""

from __future__ import annotations

import time
import tomllib

import pytest

from graphls.languages.python.manifests import ManifestDeclarations, declared
from graphls.session.index.manifest_values import toml_table
from graphls.settings.toml_text import toml_values


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 50_000) + " = 1",
        ".".join(['"a b"'] * 50_000) + " = 1",
        " . ".join(["a"] * 50_000) + " = 1",
        "[" + ".".join(["a"] * 50_000) + "]\n",
        "x = { " + ".".join(["a"] * 50_000) + " = 1 }",
        "a = " + "[" * 50_000,
        "a = " + "1" * 50_000,
        '"' * 200_000,
        "a" + " " * 200_000,
        "a.\n" * 50_000,
    ],
)
def test_what_takes_long_is_refused(text: str) -> None:
    begun = time.thread_time()
    with pytest.raises(tomllib.TOMLDecodeError):
        toml_values(text)
    assert toml_table(text) == {}
    assert declared("pyproject.toml", text.encode()) == ManifestDeclarations()
    assert time.thread_time() - begun < 5


def test_what_people_write_is_read() -> None:
    long = "see a.b.c. " * 200
    text = f'[tool.a."b.c".d]\ntext = "{long}"\nnames = ["{".".join(map(str, range(99)))}"]\nx.y.z = 1\n'
    assert toml_values(text) == tomllib.loads(text)
