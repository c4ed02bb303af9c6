"""A workspace without a file that graphls reads: a negative answer that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.cli_runs import graphls

CASES = {
    "the folder is empty": {},
    "1 file of other kinds (.md)": {"readme.md": "x"},
    "1 entry left out by ignore files": {".gitignore": "src/\n", "src/a.ts": "let a = 1"},
    "1 folder left out by name": {"node_modules/x/a.js": "let a = 1"},
    "1 source file left out (a.ts: ": {"a.ts": "let a = '" + "x" * 3_000_000 + "'"},
    "4 source files left out (a.ts: ": dict.fromkeys(("a.ts", "b.ts", "c.py", "d.js"), "\0\0\0"),
    "1 file of other kinds (.json)": {"tsconfig.json": '{"include": ["source"]}'},
}


@pytest.mark.parametrize("said", CASES)
def test_no_source_file_is_an_error_that_says_why(said: str, tmp_path: Path) -> None:
    for path, text in CASES[said].items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    done = graphls("index", "--root", str(tmp_path))
    assert done.code == 1
    assert "no source files" in done.out
    assert said in done.out
    told = graphls("status", "--root", str(tmp_path), "--format", "json")
    assert told.code == 1
    assert any(said in problem for problem in told.json["problems"])


def test_an_empty_graph_is_exported_only_to_who_asks_for_it(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("x")
    refused = graphls("export", "--root", str(tmp_path))
    assert (refused.code, refused.out) == (1, "")
    assert "no source files: 1 file of other kinds (.md)" in refused.err
    assert graphls("export", "--root", str(tmp_path), "--mode", "allow-errors").code == 0


def test_one_source_file_is_enough(tmp_path: Path) -> None:
    (tmp_path / "tsconfig.json").write_text('{"files": [], "references": [{"path": "./a"}]}')
    (tmp_path / "b.vue").write_text("<template><p /></template>")
    assert graphls("index", "--root", str(tmp_path)).code == 0
