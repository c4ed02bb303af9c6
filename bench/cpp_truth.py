"""What libclang says each name in C++ files, or in C files with --c, means, one line an occurrence, for `languages.py`.

    python bench/cpp_truth.py ROOT OUT.jsonl [--include DIR]... [--isystem DIR]... [--define NAME]... [--under DIR]...

Needs the wheel `libclang` and the headers of a C++ compiler. Every source below ROOT (or below --under) is parsed as a
unit of its own; those with errors in the tree itself say nothing. Declarations of one entity are all its definitions; a
use of an instance of a template is one of the template; where overloads wait for the arguments of a template, all of
them are. Names in arguments of macros stand where the arguments do.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
from pathlib import Path

from clang import cindex

KINDS = cindex.CursorKind
USES = {
    KINDS.DECL_REF_EXPR,
    KINDS.MEMBER_REF_EXPR,
    KINDS.TYPE_REF,
    KINDS.TEMPLATE_REF,
    KINDS.NAMESPACE_REF,
    KINDS.MEMBER_REF,
    KINDS.OVERLOADED_DECL_REF,
    KINDS.MACRO_INSTANTIATION,
}
LIBRARY = cindex.conf.lib
LIBRARY.clang_getSpecializedCursorTemplate.argtypes = [cindex.Cursor]
LIBRARY.clang_getSpecializedCursorTemplate.restype = cindex.Cursor
LIBRARY.clang_getFileLocation.argtypes = [
    cindex.SourceLocation,
    ctypes.POINTER(ctypes.c_void_p),
    *[ctypes.POINTER(ctypes.c_uint)] * 3,
]
LIBRARY.clang_getNumOverloadedDecls.argtypes = [cindex.Cursor]
LIBRARY.clang_getOverloadedDecl.argtypes = [cindex.Cursor, ctypes.c_uint]
LIBRARY.clang_getOverloadedDecl.restype = cindex.Cursor
LIBRARY.clang_getFileName.argtypes = [ctypes.c_void_p]


class Truth:
    """Everything that units said so far."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.places: dict[str, set[tuple[str, int, int]]] = {}
        """USR -> its declarations in the tree."""
        self.defined: dict[str, tuple[str, int, int]] = {}
        """USR -> where its definition is."""
        self.uses: dict[tuple[str, int, int, str], dict[str, object]] = {}
        self.names: dict[int, str | None] = {}

    def relative(self, file: int | None) -> str | None:
        """The path of a file in the tree."""
        if not file:
            return None
        known = self.names.get(file, "")
        if known == "":
            name = LIBRARY.clang_getFileName(ctypes.c_void_p(file))
            text = name if isinstance(name, str) else cindex.conf.lib.clang_getCString(name)
            path = Path(text.decode() if isinstance(text, bytes) else text).resolve()
            known = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else None
            self.names[file] = known
        return known

    def place(self, cursor: cindex.Cursor) -> tuple[str | None, int, int]:
        """Where a name stands in a text, macros' arguments too."""
        file, line, column, offset = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        LIBRARY.clang_getFileLocation(
            cursor.location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset)
        )
        return self.relative(file.value), line.value, column.value

    def unit(self, parsed: cindex.TranslationUnit) -> None:
        """Takes what one unit says. Numbers of files are those of the unit."""
        self.names.clear()
        pending = [(parsed.cursor, False)]
        while pending:
            cursor, inside = pending.pop()
            for child in cursor.get_children():
                try:
                    kind = child.kind
                except ValueError:
                    continue
                file, line, column = self.place(child)
                if file is None and not inside and kind != KINDS.LINKAGE_SPEC and cursor == parsed.cursor:
                    continue  # a system header
                if file is not None:
                    if kind.is_declaration():
                        usr = child.get_usr()
                        if usr:
                            self.places.setdefault(usr, set()).add((file, line, column))
                            if child.is_definition() and kind != KINDS.NAMESPACE:
                                self.defined[usr] = (file, line, column)
                    elif kind == KINDS.MACRO_DEFINITION:
                        self.places.setdefault(child.get_usr(), set()).add((file, line, column))
                    if kind in USES:
                        self.use(child, kind, file, line, column)
                pending.append((child, file is not None))

    def use(self, cursor: cindex.Cursor, kind: cindex.CursorKind, file: str, line: int, column: int) -> None:
        """One use."""
        whole = cursor if kind == KINDS.OVERLOADED_DECL_REF else cursor.referenced
        targets = [whole]
        if whole is not None and whole.kind == KINDS.OVERLOADED_DECL_REF:
            count = LIBRARY.clang_getNumOverloadedDecls(whole)
            targets = [LIBRARY.clang_getOverloadedDecl(whole, at) for at in range(count)]
        targets = [one for one in targets if one is not None and one.kind != KINDS.NO_DECL_FOUND]
        if not targets:
            return
        usrs: list[str] = []
        spots: list[tuple[str, int, int]] = []
        for one in targets:
            spot, *at = self.place(one)
            if spot is not None:  # members of an instance have names of their own, but stand where the template does
                spots.append((spot, *at))
            template = LIBRARY.clang_getSpecializedCursorTemplate(one)
            seen = one if template is None or template.kind == KINDS.INVALID_FILE else template
            usrs += [seen.get_usr(), one.get_usr()]
        first = targets[0]
        name = first.spelling.partition("<")[0]
        if first.kind in (KINDS.CONSTRUCTOR, KINDS.DESTRUCTOR):
            name = name.removeprefix("~")
        local = first.linkage == cindex.LinkageKind.NO_LINKAGE and first.kind in (KINDS.VAR_DECL, KINDS.PARM_DECL)
        self.uses.setdefault(
            (file, line, column, name),
            {
                "usrs": usrs,
                "spots": spots,
                "local": local or first.kind.name.startswith("TEMPLATE_T"),
                "kind": first.kind.name,
            },
        )

    def symbol(self, usrs: list[str], found: list[tuple[str, int, int]]) -> list[object] | None:
        """The definition of what is used; none of several."""
        known = {self.defined[usr] for usr in usrs if usr in self.defined}
        return list(known.pop()) if len(known) == 1 else list(found[0]) if len(found) == 1 else None

    def rows(self):
        """The lines of the truth."""
        for (file, line, column, name), use in sorted(self.uses.items()):
            found = sorted({place for usr in use["usrs"] for place in self.places.get(usr, ())} | set(use["spots"]))
            yield {
                "file": file,
                "line": line,
                "col": column,
                "name": name,
                "external": not found,
                "local": use["local"],
                "kind": use["kind"],
                "definitions": [list(place) for place in found],
                "symbol": self.symbol(use["usrs"], found),
            }


def main() -> None:
    """Writes the truth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--isystem", action="append", default=[])
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--under", action="append", default=[])
    parser.add_argument("--units", type=int, default=0)
    parser.add_argument("--standard", default="c++17")
    parser.add_argument("--c", action="store_true", help="sources of C, with --standard gnu11 or the like")
    parser.add_argument("--but", action="append", default=[], help="a folder or source to leave out")
    given = parser.parse_args()
    root = given.root.resolve()
    headers = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    flags = [
        f"-std={given.standard}",
        "-xc" if given.c else "-xc++",
        "-isystem",
        headers.stdout.strip(),
        "-Wno-everything",
        "-ferror-limit=0",
        f"-I{root}",
    ]
    flags += [f"-I{root / folder}" for folder in given.include]
    flags += [f"-D{name}" for name in given.define]
    for folder in given.isystem:
        flags += ["-isystem", folder]
    sources = sorted(
        path
        for folder in given.under or [""]
        for ending in (("*.c",) if given.c else ("*.cc", "*.cpp", "*.cxx"))
        for path in (root / folder).rglob(ending)
        if not any(path.is_relative_to(root / one) for one in given.but)
    )
    truth, index, errors, broken = Truth(root), cindex.Index.create(), 0, 0
    for path in sources[: given.units or None]:
        parsed = index.parse(str(path), args=flags, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        severe = [one for one in parsed.diagnostics if one.severity >= cindex.Diagnostic.Error]
        found = len(severe)
        errors, broken = errors + found, broken + (found > 0)
        if found:
            print(
                path.relative_to(root), found, next(str(one) for one in parsed.diagnostics if one.severity >= 3)[:150]
            )
        truth.unit(parsed)
    with given.out.open("w") as out:
        for row in truth.rows():
            out.write(json.dumps(row) + "\n")
    print(f"{len(sources)} units, {broken} with errors ({errors}), {len(truth.uses)} uses")


if __name__ == "__main__":
    main()
