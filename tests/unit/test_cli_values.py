"""What a command is given without conversion is what conversion gives, and most starts load nothing to convert."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from graphls.cli.command_catalog import commands
from graphls.cli.main import loaded

TEXTS = ("", "text", "json", "in", "JSON", "3", "-1", "0.5", "no", "a/b c.py", "\u00e4", "\udce4", "x" * 200)


def outcome(ask: Callable[[Any, Any], object], value: object) -> object:
    """What comes back, or what is raised, in comparable form."""
    try:
        found = ask(None, value)
    except Exception as error:  # noqa: BLE001 (whatever is raised is what is compared)
        return type(error).__name__, str(error)
    return found.__class__.__name__, found


def usual(parameter: Any) -> Callable[[Any, Any], object]:
    """The conversion of typer itself."""
    return partial(cast("Any", type(parameter)).process_value, parameter)


@pytest.mark.parametrize("name", commands())
def test_values_that_are_taken_as_they_are(name: str) -> None:
    for parameter in loaded(name).params:
        for value in (None, parameter.default, *TEXTS, (), ("a", "b")):
            given = outcome(parameter.process_value, value)
            assert given == outcome(usual(parameter), value), (parameter.name, value)


@pytest.mark.parametrize(
    "arguments", [("index", "gone"), ("neighbors", "a", "--root", "gone", "--format", "json"), ("impact", "a")]
)
def test_what_converts_is_not_loaded_for_plain_values(arguments: tuple[str, ...], tmp_path: Path) -> None:
    program = (
        "import sys\nfrom graphls.cli.main import run\ntry:\n    run()\n"
        "except SystemExit:\n    pass\nprint('pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-1] == "False", done.stderr


def test_synonyms_of_commands_are_no_commands() -> None:
    known = commands()
    assert {name for entry in known.values() for name in entry.synonyms}.isdisjoint(known)
