"""Faults: every fault of the list has tests, and they are there.

Owns: reading docs/faults.md.
Must not know: what the tests do.
Invariant: a test that is renamed or removed fails here until the table says what stands in its place.
"""

from __future__ import annotations

import ast
import functools
import re

import pytest

from tidy.modules import ROOT

ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
FAULTS = 50
ROWS = {int(number): tests for number, _, tests in ROW.findall((ROOT / "docs" / "faults.md").read_text("utf-8"))}


@functools.cache
def defined(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(function.name for function in functions)


@pytest.mark.parametrize("fault", range(1, FAULTS + 1))
def test_fault_has_tests_that_exist(fault: int) -> None:
    named = NAMED.findall(ROWS.get(fault, ""))
    assert named
    assert [f"{path}::{name}" for path, name in named if name not in defined(path)] == []


@pytest.mark.parametrize("fault", range(1, FAULTS + 1))
def test_fault_is_shown_through_a_door(fault: int) -> None:
    assert any(path.startswith("e2e/") for path, _ in NAMED.findall(ROWS.get(fault, "")))


def test_table_names_nothing_but_faults_and_tests() -> None:
    assert sorted(ROWS) == list(range(1, FAULTS + 1))
    assert all(not NAMED.sub("", tests).strip(" ,") for tests in ROWS.values())
