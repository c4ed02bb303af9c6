"""Import rewriting: import statements, and dotted uses of what they bring in, that follow moved files.

Owns: the new text of a statement, in the manner of the old one: relative stays relative.
Must not know: which files move, or why.
Invariant: names that a statement binds stay bound, under their old name where a use cannot follow. A statement some of
    whose names move elsewhere is split; the others stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from graphls.facts.kinds import DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.languages.import_rewriting import ImportChange, ImportingFile, PathAfter, module_after
from graphls.languages.provider import World

_FROM = re.compile(rb"from(?:[ \t]+|(?=\.))(?P<module>[.\w \t]*?)[ \t]*\bimport\b")
_PACKAGE = ".__init__"


@attrs.frozen
class _Row:
    """One imported name and what it becomes; modules as they are spelled, with dots in front."""

    row: int
    start: int
    end: int
    name: str
    module: str
    new_module: str
    new_name: str


class PythonImports:
    """`import m`, `from m import x` and `m.x`."""

    def changes(self, file: ImportingFile, after: PathAfter, world: World) -> Iterator[ImportChange]:
        """See `ImportRewriter`."""
        imports = file.facts.imports
        statements: dict[int, list[int]] = {}
        for row in range(len(imports.module)):
            if imports.name[row] >= 0:
                statements.setdefault(_from_before(file, row), []).append(row)
            elif row in file.modules:
                yield from _plain(file, row, after, world)
        for start, rows in statements.items():
            yield from _statement(file, start, rows, after, world)
        yield from _chains(file, after, world)


def _name_after(file: ImportingFile, path: FilePath, after: PathAfter, world: World) -> str | None:
    """The dotted name that a module will have; None where no import could spell it."""
    name = world.name_of(path)
    if after(path) == path:
        return name.dotted
    found = module_after(name, after(path), file.roots)
    found = None if found is None else f".{found}".removesuffix(_PACKAGE)[1:]
    return found if found and all(part.isidentifier() for part in found.split(".")) else None


def _plain(file: ImportingFile, row: int, after: PathAfter, world: World) -> Iterator[ImportChange]:
    """`import a.b`."""
    imports = file.facts.imports
    target, module, start = file.modules[row], file.facts.strings[imports.module[row]], imports.start[row]
    if after(target) == target or world.name_of(target).dotted != module:
        return
    end = start + len(module.encode())
    if file.text[start:end] == module.encode():
        yield ImportChange(start, end, _name_after(file, target, after, world))


def _from_before(file: ImportingFile, row: int) -> int:
    """Where the `from` of an imported name stands; -1 where it is written in another way."""
    imports = file.facts.imports
    spelled = "." * imports.level[row] + file.facts.strings[imports.module[row]]
    at = imports.start[row]
    while (at := file.text.rfind(b"from", 0, at)) >= 0:
        found = _FROM.match(file.text, at)
        if found and re.sub(rb"\s", b"", found["module"]).decode() == spelled:
            return at
    return -1


def _statement(
    file: ImportingFile, start: int, rows: Sequence[int], after: PathAfter, world: World
) -> Iterator[ImportChange]:
    """`from m import a, b as c`."""
    made = [_row(file, row, after, world) for row in rows]
    known = [one for one in made if isinstance(one, _Row)]
    yield from (one for one in made if isinstance(one, ImportChange))
    changed = [one for one in known if (one.new_module, one.new_name) != (one.module, one.name)]
    statement = _FROM.match(file.text, start) if start >= 0 else None
    if statement is None or not changed:
        return
    moved = {one.new_module for one in known}
    if len(known) == len(rows) and len(moved) == 1:
        (module,) = moved
        if module != known[0].module:
            yield ImportChange(statement.start("module"), statement.end("module"), module)
        for one in changed:
            if one.new_name != one.name:
                yield from _renamed(file, one)
        return
    yield from _split(file, statement, rows, [one for one in changed if one.new_module != one.module])
    for one in changed:
        if one.new_module == one.module:
            yield from _renamed(file, one)


def _row(file: ImportingFile, row: int, after: PathAfter, world: World) -> _Row | ImportChange:
    """What one name becomes; a change without text where that cannot be written."""
    imports, strings = file.facts.imports, file.facts.strings
    start, end, name = imports.start[row], imports.end[row], strings[imports.name[row]]
    module = "." * imports.level[row] + strings[imports.module[row]]
    same = _Row(row, start, end, name, module, module, name)
    target = file.modules.get(row)
    if target is None or (after(target) == target and (not imports.level[row] or after(file.path) == file.path)):
        return same
    whole, new = _absolute(file.path, module, world), _name_after(file, target, after, world)
    if whole is None or new is None:
        return ImportChange(start, end, None)
    dotted = world.name_of(target).dotted
    if dotted == f"{whole}.{name}".lstrip("."):
        package, _, last = new.rpartition(".")
    elif dotted == whole:
        package, last = new, name
    else:
        return same if after(target) == target else ImportChange(start, end, None)
    spelled = package
    if imports.level[row]:
        spelled = _relative(file, package, after, world) or package
    return attrs.evolve(same, new_module=spelled, new_name=last) if spelled else ImportChange(start, end, None)


def _absolute(importer: FilePath, module: str, world: World) -> str | None:
    """The dotted name of a module that may be spelled with dots in front."""
    name = module.lstrip(".")
    level = len(module) - len(name)
    if not level:
        return name
    own = world.name_of(importer)
    parts = own.dotted.split(".") if own.dotted else []
    kept = len(parts) - (level if not own.package else level - 1)
    return None if kept < 0 else ".".join((*parts[:kept], *([name] if name else [])))


def _relative(file: ImportingFile, package: str, after: PathAfter, world: World) -> str | None:
    """With dots in front, as seen from where the importing file will be; None where it shares no package with it."""
    own = _name_after(file, file.path, after, world)
    if own is None:
        return None
    is_package = after(file.path).rpartition("/")[2].startswith("__init__.")
    here, there = own.split(".")[: None if is_package else -1], package.split(".") if package else []
    most = min(len(here), len(there))
    shared = next((n for n in range(most) if here[n] != there[n]), most)
    if not shared:
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def _renamed(file: ImportingFile, one: _Row) -> Iterator[ImportChange]:
    """Another name for a module that is imported by its name, and its uses along with it where that is free."""
    end = one.start + len(one.name.encode())
    if file.text[one.start : end] != one.name.encode():
        yield ImportChange(one.start, one.end, None)
    elif one.end > end:  # `x as y`
        yield ImportChange(one.start, end, one.new_name)
    elif _is_bound(file, one.new_name):
        yield ImportChange(one.start, end, f"{one.new_name} as {one.name}")
    else:
        yield ImportChange(one.start, end, one.new_name)
        yield from _uses(file, one)


def _is_bound(file: ImportingFile, name: str) -> bool:
    table, strings = file.facts.definitions, file.facts.strings
    return any(strings[number] == name for number in table.name)


def _uses(file: ImportingFile, one: _Row) -> Iterator[ImportChange]:
    uses, strings = file.facts.occurrences, file.facts.strings
    for use, target in file.uses.items():
        if uses.base[use] < 0 and target == file.modules[one.row] and strings[uses.name[use]] == one.name:
            yield ImportChange(uses.start[use], uses.end[use], one.new_name)


def _split(
    file: ImportingFile, statement: re.Match[bytes], rows: Sequence[int], leaving: Sequence[_Row]
) -> Iterator[ImportChange]:
    """Takes names out of a statement and writes statements of their own before it."""
    imports = file.facts.imports
    gone = {one.row for one in leaving}
    kept = [row for row in rows if row not in gone]
    for row, following in zip(rows, (*rows[1:], None), strict=True):
        if row in gone and following is not None and any(other > row for other in kept):
            yield ImportChange(imports.start[row], imports.start[following], "")
    if kept and rows[-1] in gone:
        yield ImportChange(imports.end[kept[-1]], imports.end[rows[-1]], "")
    start = statement.start()
    line = file.text[file.text.rfind(b"\n", 0, start) + 1 : start].decode()
    between = f"\n{line}" if not line.strip() else "; "
    made = (f"from {one.new_module} import {_with_alias(file, one)}{between}" for one in leaving)
    if kept:
        yield ImportChange(start, start, "".join(made))
    else:
        yield ImportChange(start, imports.end[rows[-1]], "".join(made)[: -len(between)])


def _with_alias(file: ImportingFile, one: _Row) -> str:
    rest = file.text[one.start + len(one.name.encode()) : one.end].decode()
    if rest.strip() or one.new_name == one.name:
        return one.new_name + rest
    return f"{one.new_name} as {one.name}"


def _chains(file: ImportingFile, after: PathAfter, world: World) -> Iterator[ImportChange]:
    """`a.b.f()` behind `import a.b`."""
    uses = file.facts.occurrences
    for use, target in file.uses.items():
        dotted = world.name_of(target).dotted
        end = uses.end[use]
        start = end - len(dotted.encode())
        if after(target) == target or file.text[start:end] != dotted.encode() or uses.role[use] == Role.IMPORT:
            continue
        if uses.base[use] >= 0 or _is_imported_whole(file, dotted):
            yield ImportChange(start, end, _name_after(file, target, after, world))


def _is_imported_whole(file: ImportingFile, dotted: str) -> bool:
    """Whether `import dotted` binds a module without packages around it."""
    facts = file.facts
    imports, table = facts.imports, facts.definitions
    return any(
        imports.name[row] < 0
        and facts.strings[imports.module[row]] == dotted
        and imports.definition[row] >= 0
        and table.kind[imports.definition[row]] == DefinitionKind.IMPORT
        and facts.strings[table.name[imports.definition[row]]] == dotted
        for row in range(len(imports.module))
    )
