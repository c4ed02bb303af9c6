"""Partly read files: code that is nested too deeply is named, and no answer that it could touch is complete.

Owns: deep code of each language, what status, headers, searches and answers say of it.
Must not know: how deep is too deep.
Invariant: the same code, flat, gives complete answers.
"""

from __future__ import annotations

import json

import pytest

from graphls.facts.kinds import DefinitionFlag
from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.partly_read import partly_read
from graphls.graph.snapshot import Snapshot
from graphls.languages.extract.nesting import DEPTH
from graphls.queries.answer import Answer, Coverage, answer
from graphls.queries.call_hierarchy import callers
from graphls.queries.completeness import Completeness
from graphls.queries.find import FindQuery, find
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.references import references
from graphls.queries.status import status
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of


def _files(ending: str, depth: int) -> dict[str, str]:
    """`other` is called, and in Python and JavaScript a function `inner` declared, below so many brackets."""
    start, end = "(" * depth, ")" * depth
    match ending:
        case "py":
            inner = "(" * depth + "lambda other: other" + ")" * depth
            return {"app/__init__.py": "", "app/deep.py": f"def other(): pass\nx = {inner}\ny = {start}other(){end}\n"}
        case "ts" | "js":
            text = f"export function other() {{}}\nexport const y = {start}function inner() {{ other() }}{end};\n"
            return {f"deep.{ending}": text}
        case "go":
            text = f"package main\n\nfunc other() int {{ return 1 }}\n\nvar y = {start}other(){end}\n"
            return {"go.mod": "module shop\n\ngo 1.22\n", "deep.go": text}
        case "java":
            text = f"class Deep {{\n  static int other() {{ return 1; }}\n  int y = {start}other(){end};\n}}\n"
            return {"Deep.java": text}
        case _:
            return {"deep.c": f"int other(void) {{ return 1; }}\nint use(void) {{ return {start}other(){end}; }}\n"}


def _causes(found: Answer) -> set[str]:
    return {str(gap.cause) for gap in found.causes}


def _with(snapshot: Snapshot, found: Completeness) -> Answer:
    return answer(snapshot, Coverage(completeness=found))


_SYMBOL = {
    "py": "app.deep:other",
    "ts": "deep.ts:other",
    "js": "deep.js:other",
    "go": "other",
    "java": "Deep.other",
    "c": "other",
}


@pytest.mark.parametrize("ending", _SYMBOL)
def test_code_that_is_nested_too_deeply_is_named_and_no_answer_hides_it(ending: str) -> None:
    for depth, deep in ((2, False), (DEPTH, True)):
        snapshot = snapshot_of(_files(ending, depth))
        named = [path for path in snapshot.files() if path.endswith(ending) and "deep" in path.lower()]
        assert list(partly_read(snapshot)) == (named if deep else [])
        now = status(snapshot)
        assert now.partly_read_count == deep
        assert [one.reason for one in now.partly_read] == ["nested too deeply to be read in full"] * deep
        header = json.loads(next(iter(export(snapshot, ExportOptions(mode="allow-errors")).lines())))
        about = [one for one in header["problems"] if one["reason"].startswith("read in part: ")]
        assert [one["file"] for one in about] == (named if deep else [])
        assert header["degraded"] == deep
        other = one_symbol(snapshot, _SYMBOL[ending])
        answers = {
            "references": _with(snapshot, references(snapshot, other).completeness),
            "callers": _with(snapshot, callers(snapshot, other).completeness),
            "neighborhood": answer(snapshot, neighborhood(snapshot, other, NeighborhoodQuery()).coverage),
            "find": answer(snapshot, find(snapshot, FindQuery("other", "exact")).coverage),
        }
        for what, found in answers.items():
            assert found.complete != deep, (what, found.causes)
        if deep:
            assert _causes(answers["find"]) == {"not_searched"}
            assert _causes(answers["callers"]) & {"unread_files", "unknown_receiver"}


@pytest.mark.parametrize("ending", ["vue", "svelte", "astro"])
def test_a_template_that_is_nested_too_deeply_is_named(ending: str) -> None:
    for depth, deep in ((DEPTH // 4, False), (DEPTH + 20, True)):
        code = "(" * depth + "a" + ")" * depth
        inner = "<div>" * 100 + ("{{" + code + "}}" if ending == "vue" else "{" + code + "}") + "</div>" * 100
        text = f"<template>{inner}</template>\n<script setup></script>\n" if ending == "vue" else inner
        assert [*partly_read(snapshot_of({f"a.{ending}": text}))] == [f"a.{ending}"] * deep


def test_names_of_scopes_that_were_not_read_are_not_taken_for_others() -> None:
    snapshot = snapshot_of(_files("py", DEPTH))
    text = snapshot.text(next(path for path in snapshot.files() if path.endswith("deep.py"))) or b""
    own = text.index(b"lambda other: other") + len(b"lambda other: ")
    assert own not in [use.start for use in references(snapshot, one_symbol(snapshot, "app.deep:other")).uses]


def _minified(use: str = "t.total()") -> str:
    """A bundle in one line, whose functions have a use inside."""
    inner = ";".join(f"function a{number}(t){{return t+{number}}}" for number in range(200))
    return f"export function shown(t){{{inner};return {use}}}export class Box{{open(t){{return new Box}}}}\n"


_APP = """import { shown } from "./lib.min.js";
export class Cart { total() { return 1; } alone() { return shown(2); } }
export function run(cart: Cart) { return cart.total(); }
"""


def test_bodies_in_minified_code_are_not_read_and_no_answer_hides_it() -> None:
    snapshot = snapshot_of({"src/app.ts": _APP, "src/lib.min.js": _minified(), "tools/run.py": "def total(): pass\n"})
    path = FilePath("src/lib.min.js")
    assert partly_read(snapshot) == {path: "minified: the bodies of its functions are not read"}
    named = snapshot.facts(path).strings
    outline = [named[name] for name in snapshot.facts(path).definitions.name]
    assert {"shown", "Box", "open"} <= {*outline}
    assert not [name for name in outline if name.startswith("a1")]
    # What it offers is what others import.
    uses = references(snapshot, one_symbol(snapshot, "src/lib.min.js:shown")).uses
    assert [use.file for use in uses if use.file == "src/app.ts"] == ["src/app.ts"] * 2
    total, alone = one_symbol(snapshot, "Cart.total"), one_symbol(snapshot, "Cart.alone")
    found = _with(snapshot, references(snapshot, total).completeness)
    assert _causes(found) == {"unread_files"}
    assert _with(snapshot, references(snapshot, alone).completeness).complete
    # A word there names nothing of another language.
    assert _with(snapshot, references(snapshot, one_symbol(snapshot, "tools.run:total")).completeness).complete
    assert not answer(snapshot, find(snapshot, FindQuery("total", "exact")).coverage).complete
    assert answer(snapshot, find(snapshot, FindQuery("alone", "exact")).coverage).complete


def test_what_a_body_gives_back_that_was_not_read_is_not_known() -> None:
    text = 'import { shown, Box } from "./lib.min.js";\nshown(1).open();\nnew Box().open(2);\n'
    files = {"app.ts": text, "lib.min.js": _minified("1")}
    snapshot = snapshot_of(files)
    sites = [use.start for use in references(snapshot, one_symbol(snapshot, "Box.open")).uses if use.file == "app.ts"]
    assert sites == [text.rindex("open")]
    assert not _with(snapshot, references(snapshot, one_symbol(snapshot, "Box.open")).completeness).complete


def test_functions_beside_long_lines_of_data_are_read() -> None:
    table = f"export const table = [{','.join(str(number) for number in range(4_000))}];\n"
    text = f'{table}export const font = "{"QUJD" * 9_000}";\n{_APP.split(chr(10), 1)[1]}'
    snapshot = snapshot_of({"app.ts": text.replace("return shown(2)", "return this.total()")})
    assert partly_read(snapshot) == {}
    assert len(references(snapshot, one_symbol(snapshot, "Cart.total")).uses) == 2


def test_accessors_in_minified_code_are_no_overloads() -> None:
    pad = ",".join(f"a{number}.b{number}" for number in range(300))
    text = f"export class Box{{get v(){{return[{pad}]}}set v(t){{this.w=[{pad}]}}}}\n"
    facts = snapshot_of({"lib.min.js": text}).facts(FilePath("lib.min.js"))
    named = [facts.strings[name] for name in facts.definitions.name]
    assert named.count("v") == 2
    assert not any(
        facts.definitions.flags[row] & DefinitionFlag.OVERLOAD for row, name in enumerate(named) if name == "v"
    )
