"""Equal to scratch: whatever the order of edits, the graph is that of a fresh index.

Owns: random edits of real files, on disk and in buffers, one at a time and in bulk.
Must not know: what facts or links say.
Invariant: facts, surfaces, links, names and packages are equal to the byte, file by file; so is the export.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings

from increment.editor import Editor, Step, assert_as_fresh, steps_with
from increment.session_folder import everything, from_scratch, key, session_over, settle, write

BLOCKS = (
    b"def pasted(first, second=1):\n    return first.other(second)\n",
    b"class Pasted(Base):\n    field: int = 1\n\n    def method(self):\n        return self.field\n",
    b"from . import util\nfrom .util import *\n",
    b'"""',
    b"(",
    b"    return\n",
    b"\xf0\x9f\x90\x8d = '\xc3\xa9'\n",
)


def real_files() -> Mapping[str, bytes]:
    """A small package that is always installed."""
    spec = find_spec("pathspec")
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    found = {f"pathspec/{path.relative_to(root).as_posix()}": path.read_bytes() for path in sorted(root.rglob("*.py"))}
    return {path: data for path, data in found.items() if len(data) < 30_000}


FILES = real_files()


@given(steps=steps_with(BLOCKS, 12))
@settings(max_examples=4)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    assert_as_fresh(FILES, (".py",), steps)


@pytest.mark.parametrize("size", [400])
def test_large_open_file_keeps_its_tree_and_its_facts(tmp_path: Path, size: int) -> None:
    """Large files reuse their tree: after each keystroke facts equal those of a full parse."""
    text = b"".join(b"def f%d(a, b):\n    return a.m(b)[%d] + f'{a}'\n\n" % (n, n) for n in range(size * 2))
    write(tmp_path, {"large.py": text})
    with session_over(tmp_path) as session:
        editor = Editor(session, tmp_path, (".py",))
        for at, block in ((1000, b"x"), (1000, b"("), (1001, b")"), (2000, b"\n"), (0, b'"""doc"""\n'), (20_000, b"'")):
            editor.replace(key("large.py"), at, at, block)
            assert everything(settle(session)) == from_scratch(session.snapshot())


def test_names_follow_the_imports_that_they_rest_on(tmp_path: Path) -> None:
    """Which of two readings of a folder is right may be said by any file, and unsaid."""
    write(tmp_path, {"space/pkg/__init__.py": b"", "space/pkg/a.py": b"x = 1\n", "use.py": b"import other\n"})
    asked, user = key("space/pkg/a.py"), key("use.py")
    with session_over(tmp_path) as session:
        assert settle(session).module_name(asked).dotted == "pkg.a"
        for text, expected in (
            (b"from space.pkg.a import x\n", "space.pkg.a"),
            (b"from space.pkg.a import x\nx\n", "space.pkg.a"),
            (b"import other\n", "pkg.a"),
        ):
            session.open(user, text)
            shown = settle(session)
            assert shown.module_name(asked).dotted == expected
            assert everything(shown) == from_scratch(shown)
            session.close_document(user)
            settle(session)


def test_names_follow_a_script_that_is_a_manifest(tmp_path: Path) -> None:
    """`setup.py` is code and manifest: both count, from the disk and from a buffer."""
    files = {"setup.py": b"setup()\n", "code/pkg/__init__.py": b"", "code/pkg/a.py": b"x = 1\n"}
    write(tmp_path, {**files, "code/b.py": b"import pkg.a\n"})
    asked, script = key("code/b.py"), key("setup.py")
    said = b"setup(package_dir={'': 'code'})\n"
    with session_over(tmp_path) as session:
        assert settle(session).module_name(asked).local
        session.open(script, said)
        shown = settle(session)
        assert not shown.module_name(asked).local
        assert everything(shown) == from_scratch(shown)
        session.close_document(script)
        assert settle(session).module_name(asked).local
        write(tmp_path, {"setup.py": said})
        session.files_changed([script])
        shown = settle(session)
        assert not shown.module_name(asked).local
        assert everything(shown) == from_scratch(shown)


def test_a_module_name_that_only_one_file_has_any_more(tmp_path: Path) -> None:
    """Who asks for it matters no longer, and is not written down."""
    project = b"[project]\nname = 'p'\n"
    files = {f"{root}/src/core/{name}.py": b"x = 1\n" for root in ("one", "two") for name in ("__init__", "parts")}
    files |= {f"{root}/pyproject.toml": project for root in ("one", "two")}
    write(tmp_path, {**files, "two/src/use.py": b"from core.parts import x\nprint(x)\n"})
    with session_over(tmp_path) as session:
        assert session.snapshot().modules["python"].is_shared("core.parts")
        (tmp_path / "one/src/core/parts.py").unlink()
        session.files_changed([key("one/src/core/parts.py")])
        shown = settle(session)
        assert not shown.modules["python"].is_shared("core.parts")
        assert everything(shown) == from_scratch(shown)
