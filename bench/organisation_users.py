"""Organisation users: do `graphls org query users` and an independent reading of the sources list the same lines?

    python bench/organisation_users.py STORE FOLDER NAME[=OTHER_NAME...]... [--show differing|grep]

FOLDER has the unpacked repositories, each under its name in the store. The reading uses Python's `ast` alone: it follows
imports from file to file of a repository, aliases, attributes and annotations in quotes, and knows no scopes. Both sides
are sets of (repository, file, line). Every line where they differ is printed, to be judged by hand; `--show grep` prints
also those lines that have the word and that neither lists, of files that name the package.
Owns: the reading, the comparison. Must not know: how graphls resolves. Invariant: the store is only read.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from graphls.org.objects import OrgStore
from graphls.org.query import opened_tables

Line = tuple[str, str, int]
_ROUNDS = 4


class Source:
    """One file: its tree, what imports bind there."""

    def __init__(self, repository: Path, path: Path) -> None:
        self.path = str(path.relative_to(repository))
        self.text = path.read_text("utf-8", "replace")
        self.lines = self.text.splitlines()
        parts = list(path.relative_to(repository).with_suffix("").parts)
        self.parts = parts[:-1] if parts[-1] == "__init__" else parts
        self.package = parts[:-1]
        self.names: dict[str, set[str]] = {}

    @cached_property
    def tree(self) -> ast.Module | None:
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError):
            return None

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes, with those of annotations in quotes."""
        found: list[ast.AST] = []
        for node in ast.walk(self.tree) if self.tree is not None else ():
            found.append(node)
            hints = [getattr(node, "annotation", None), getattr(node, "returns", None)]
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "cast":
                hints += node.args[:1]
            for hint in filter(None, hints):
                for inner in ast.walk(hint):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        try:
                            quoted = ast.parse(inner.value.strip(), mode="eval")
                        except SyntaxError:
                            continue
                        for part in ast.walk(quoted):
                            if isinstance(part, ast.expr):
                                part.end_lineno = inner.end_lineno
                            found.append(part)
        return found


class Repository:
    """Files of one repository, and what their modules pass on."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        paths = sorted(path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi") and path.is_file())
        self.sources = [Source(folder, path) for path in paths]
        self._by_parts: dict[str, list[Source]] = {}
        for source in self.sources:
            for start in range(len(source.parts)):
                self._by_parts.setdefault(".".join(source.parts[start:]), []).append(source)
        for _ in range(_ROUNDS):
            for source in self.sources:
                self._bind(source)

    def _bind(self, source: Source) -> None:
        for node in source.nodes:
            if isinstance(node, ast.Import):
                for one in node.names:
                    bound = one.asname or one.name.partition(".")[0]
                    source.names.setdefault(bound, set()).add(one.name if one.asname else bound)
            elif isinstance(node, ast.ImportFrom):
                module = self.module(source, node)
                for one in node.names:
                    if one.name != "*":
                        source.names.setdefault(one.asname or one.name, set()).update(self.passed(module, one.name))
                        continue
                    for other in self._by_parts.get(module, ()):
                        for name, meant in list(other.names.items()):
                            source.names.setdefault(name, set()).update(meant)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                meant = self.dotted(source, node.value)
                if meant:
                    source.names.setdefault(node.targets[0].id, set()).update(meant)

    def module(self, source: Source, node: ast.ImportFrom) -> str:
        """The module of a `from`, of a relative one by the folders of the repository."""
        if not node.level:
            return node.module or ""
        package = source.package[: len(source.package) - node.level + 1]
        return ".".join([*package, *(node.module or "").split(".")]).strip(".")

    def passed(self, module: str, name: str) -> set[str]:
        """What a name of a module is: as it is written, and what modules of this repository bind it to."""
        found = {f"{module}.{name}"}
        for other in self._by_parts.get(module, ()):
            found |= other.names.get(name, set())
        return found

    def dotted(self, source: Source, node: ast.AST) -> set[str]:
        if isinstance(node, ast.Name):
            return source.names.get(node.id, set())
        if isinstance(node, ast.Attribute):
            return {one for base in self.dotted(source, node.value) for one in self.passed(base, node.attr)}
        return set()

    def uses(self, wanted: set[str]) -> Iterator[Line]:
        """Lines of files that name one of these."""
        last = {name.rpartition(".")[2] for name in wanted}
        for source in self.sources:
            known = {name for name, meant in source.names.items() if meant & wanted} | last
            for node in source.nodes:
                if isinstance(node, ast.ImportFrom):
                    module = self.module(source, node)
                    for one in node.names:
                        if one.name in known | last and self.passed(module, one.name) & wanted:
                            yield self.name, source.path, one.lineno
                elif isinstance(node, ast.Name) and node.id in known:
                    if isinstance(node.ctx, ast.Load) and self.dotted(source, node) & wanted:
                        yield self.name, source.path, node.end_lineno or 0
                elif isinstance(node, ast.Attribute) and node.attr in known:
                    if isinstance(node.ctx, ast.Load) and self.dotted(source, node) & wanted:
                        yield self.name, source.path, node.end_lineno or 0


def main() -> int:
    """Prints the lines that differ, and counts."""
    options = argparse.ArgumentParser()
    options.add_argument("store", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("names", nargs="+")
    options.add_argument("--show", choices=("differing", "grep"), default="differing")
    chosen = options.parse_args()
    repositories = [Repository(folder) for folder in sorted(chosen.folder.iterdir()) if folder.is_dir()]
    texts = {(one.name, source.path): source for one in repositories for source in one.sources}
    with opened_tables(OrgStore(chosen.store.resolve().as_uri(), signed=False)) as tables:
        for text in chosen.names:
            name, *others = text.split("=")
            answered = tables.users(name, 1_000_000)
            offering = {one.partition(" ")[0] for one in answered.offered}
            ours = {(str(row[0]), str(row[1]), int(str(row[2]))) for row in answered.rows if row[2] is not None}
            wanted = {name, *others}
            read = {line for one in repositories if one.name not in offering for line in one.uses(wanted)}
            print(f"{name}: {len(ours)} lines of {len({one[0] for one in ours})} repositories, read {len(read)}, "
                  f"both {len(ours & read)}")  # fmt: skip
            _show("only graphls", ours - read, texts)
            _show("only read", read - ours, texts)
            if chosen.show == "grep":
                head, last = name.partition(".")[0], name.rpartition(".")[2]
                _show("neither", set(_grep(head, last, offering, texts)) - ours - read, texts)
    return 0


def _grep(head: str, last: str, offering: set[str], texts: Mapping[tuple[str, str], Source]) -> Iterator[Line]:
    word, package = re.compile(rf"\b{last}\b"), re.compile(rf"\b{head}\b")
    for (repository, path), source in texts.items():
        if repository not in offering and package.search(source.text):
            for number, line in enumerate(source.lines, 1):
                if word.search(line):
                    yield repository, path, number


def _show(what: str, lines: set[Line], texts: Mapping[tuple[str, str], Source]) -> None:
    for repository, path, number in sorted(lines):
        source = texts.get((repository, path))
        line = source.lines[number - 1].strip() if source is not None and number <= len(source.lines) else ""
        print(f"  {what}: {repository} {path}:{number}  {line[:120]}")


if __name__ == "__main__":
    sys.exit(main())
