"""Bounds table: `docs/bounds.md` agrees with the code.

Owns: its numbers, and the tests that it names.
Must not know: what happens at a bound.
Invariant: every row names a test that exists.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.analysis.flow import calls, class_members, holders, leaves, passing, places, reach
from graphls.facts import definer_keys
from graphls.graph import inherited_runs
from graphls.languages import bounds
from graphls.languages.c.cpp.types import inference as cpp_inference
from graphls.languages.config import protobuf
from graphls.languages.extract import grammars, scanner_stacks, surfaces
from graphls.languages.go.types import implements
from graphls.languages.go.types import inference as go_types
from graphls.languages.python.types import classes, context, flow, template_methods
from graphls.languages.python.types import occurrences as python_occurrences
from graphls.languages.typescript.syntax import minified, patterns
from graphls.languages.typescript.types import context as typescript_context
from graphls.languages.typescript.types import hierarchy
from graphls.queries import way_to_tests
from graphls.session import pauses, rest_stage
from graphls.session.process import worker, workers
from graphls.settings.tree import FilesSettings

ROOT = Path(__file__).parents[2]
ROWS = {
    cells[1]: cells
    for line in (ROOT / "docs/bounds.md").read_text("utf-8").partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| step"))
    for cells in ([cell.strip() for cell in line.split("|")],)
}
NUMBERS: dict[str, tuple[int, ...]] = {
    "reading a file": (FilesSettings().max_bytes, FilesSettings().max_line_bytes),
    "reading or linking a file in a worker": (int(workers.CpuLimit().base), int(workers.CpuLimit().megabyte)),
    "nodes that may run what changes (tests to run)": (way_to_tests.MOST_NAMING, way_to_tests.MOST_RUNNING),
    "one tree": (
        int(grammars.MOST_SECONDS),
        round(grammars.MOST_SECONDS_A_BYTE * 1_000_000),
        round(grammars.SHORT_SECONDS_A_BYTE * 1_000_000),
        round(grammars.LEAST_SECONDS * 1_000),
    ),
    "tags that are open at one place (Vue, Svelte, Astro), strings in strings (Kotlin)": (
        scanner_stacks.MOST_TAGS,
        scanner_stacks.MOST_STRINGS,
    ),
    "linking a file in the server's own process": (int(workers.CpuLimit().base), int(workers.CpuLimit().megabyte)),
    "memory of a worker": (worker.MEMORY_LIMIT >> 20,),
    "what files carry for flow once they were asked about": (
        passing.MOST_BYTES,
        passing.MOST_OPERAND_BYTES,
        calls.MOST_FLOW_BYTES,
    ),
    "all calls by flow ahead (servers)": (int(rest_stage.CALLS_AT_ONCE), int(pauses.CALM)),
    "things that one use may mean": (bounds.MAX_CANDIDATES,),
    "places of one thing that a use may mean": (python_occurrences._MAX_PLACES,),  # pyright: ignore[reportPrivateUsage]
    "questions at a cut (circles, depth)": (bounds.MAX_REPEATED,),
    "values inside of one value (Python)": (bounds.MAX_WEIGHT,),
    "values of one expression (Python)": (bounds.MAX_CANDIDATES,),
    "values of one expression (TypeScript)": (bounds.MAX_CANDIDATES,),
    "functions that one place may hold (flow)": (
        holders.MOST_HELD,
        holders.MOST_LISTED,
        holders.MOST_OBJECTS,
        holders.MOST_STEPS,
        holders.STEPS_OF_A_FILE // holders.MOST_STEPS,
        holders.STEPS_OF_A_FILE,
        holders.LEAST_STEPS,
        reach.MOST_FORWARD,
        reach.MOST_REMEMBERED,
        places.MOST_USES,
    ),
    "members of objects that flow alone knows": (
        class_members.MOST_FILES,
        holders.MOST_DEPTH,
        class_members.MOST_CLASSES,
        class_members.MOST_BASES,
        class_members.MOST_LEVELS,
        class_members.MOST_HEIRS,
        leaves.MOST_CHOICES,
    ),
    "classes around a method whose libraries may run it (before files are linked)": (
        inherited_runs.MOST_CLASSES,
        2 * inherited_runs.MOST_CLASSES,
    ),
    "methods of libraries that are followed from one (Python)": (template_methods.MOST_METHODS,),
    "bindings of one name in one scope": (bounds.MAX_BINDINGS, 4 * flow.MAX_BINDINGS),
    "bindings of one member in a class": (bounds.MAX_BINDINGS,),
    "declarations that are merged (TypeScript)": (bounds.MAX_BINDINGS,),
    "`from m import *`, `export *` in one file": (bounds.MAX_BINDINGS,),
    "tests (`isinstance`) of one name": (bounds.MAX_TESTS,),
    "definitions that one use of Go, Java or C may mean": (bounds.MAX_DECLARED,),
    "namespaces that one scope, or one namespace, opens (C++)": (cpp_inference.MAX_DIRECTIVES,),
    "messages in messages (Protocol Buffers)": (protobuf.MAX_NESTING,),
    "methods of one name in a class (Java)": (bounds.MAX_OVERLOADS,),
    "types embedded at one depth (Go)": (go_types.MAX_EMBEDDED,),
    "interfaces with which the types of a file are compared (Go)": (implements.MAX_INTERFACES,),
    "bodies of functions in minified TypeScript and JavaScript": (
        minified.LEAST_BYTES,
        minified.LINE_BYTES,
        minified.LINE_NODES,
    ),
    "names of one pattern that have the uses of all of its keys (TypeScript)": (patterns.MAX_SHARED,),
    "parts of the name of a namespace (C#)": (definer_keys.MAX_NAMESPACE_PARTS,),
    "overloads of one function (Python)": (bounds.MAX_CANDIDATES,),
    "bases of a class, classes in its order": (classes.MAX_BASES, classes.MAX_ORDER, hierarchy.MAX_BASES),
    "questions that lead to questions": (context.MAX_DEPTH, typescript_context.MAX_DEPTH),
    "questions for one file": (context.MAX_STEPS, typescript_context.MAX_STEPS),
    "expressions that a surface shows": (surfaces.MAX_COPIES, surfaces.MAX_DEPTH),
}


@pytest.mark.parametrize("row", NUMBERS)
def test_the_numbers_are_those_of_the_code(row: str) -> None:
    said = "".join(character if character.isdigit() else " " for character in ROWS[row][3].replace(",", "")).split()
    assert sorted(set(map(int, said))) == sorted(set(NUMBERS[row]))


@pytest.mark.parametrize("row", ROWS)
def test_every_row_names_a_test(row: str) -> None:
    file, _, name = ROWS[row][5].strip("`").partition("::")
    assert f"def {name}(" in (ROOT / "tests/unit" / file).read_text("utf-8")
