"""Summary: the shape of a workspace or a part of it.

Owns: counts, folders, public names, entry points, the modules that most others import.
Must not know: links (nothing is resolved for a summary), analysis, protocols.
Invariant: read from surfaces alone, so that its cost does not grow with the code inside functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import partial
from typing import Final

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.file_roles import is_aside
from graphls.graph.made_by_tool import comes_last
from graphls.graph.memo import Memo
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import is_stub
from graphls.queries.import_lines import imported_files
from graphls.queries.packaged import Packaged
from graphls.queries.scope import files_in

INNER_KINDS: Final = frozenset(("import", "parameter", "type_parameter"))
"""Kinds of symbols that say nothing of the shape of code."""
MAX_LISTED = 20
_MAINS: Final = frozenset(("main", "program", "app", "manage", "cli", "server"))
"""How files are called with which programs begin, more often than not."""
_PART: Final = 0.7
"""Of a request, up to which files are looked at: what is found is told by name."""
_SHAPES: Final = Memo["_FileShape"]("shape of a file", rests_on_links=False)


@attrs.frozen
class Counted:
    """A name and how often."""

    name: str
    count: int


@attrs.frozen
class Summary:
    """All lists are sorted by count, then name, and capped at 20; `counts` are of everything."""

    files: int
    test_files: int
    bytes: int
    languages: tuple[Counted, ...]
    packages: tuple[Counted, ...]
    folders: tuple[Counted, ...]
    symbols: tuple[Counted, ...]
    """Number of visible symbols of each kind."""
    most_imported: tuple[Counted, ...]
    """Modules of the workspace by the number of modules that import from them; of a language whose imports name no
    file, by the number of files that use what they declare, as far as these are linked."""
    unlinked_files: int
    """Files whose uses nobody knows yet, and which such numbers lack."""
    entry_points: tuple[str, ...]
    public_api: tuple[str, ...]
    """Names that the outermost packages export."""
    skipped: int


def summary(snapshot: Snapshot, scope: str = "", *, linked: bool = True) -> Summary:
    """The shape of a scope. `linked`: imports are resolved where they do not say by themselves which file they mean."""
    files = files_in(snapshot, scope)
    foreign = frozenset(path for path in files if comes_last(snapshot, path))
    # What tools made or others wrote comes last: nobody begins to read there.
    own_first = (*(path for path in files if path not in foreign), *(path for path in files if path in foreign))
    packaged = Packaged(snapshot)
    if linked:
        snapshot.take_in_links()
    kinds: Counter[str] = Counter()
    imported: Counter[str] = Counter()
    unlinked = 0
    for number, path in enumerate(files):
        if is_spent_to(_PART):
            # Names are those of the files that were looked at; counts that need no surface are of all.
            own_first = files[:number]
            break
        shape = _shape(snapshot, path)
        kinds.update(shape.kinds)
        if packaged.covers(path):
            imported.update(packaged.imported(path, snapshot.surface(path)))
        elif snapshot.module_name(path).dotted != path:
            imported.update(_imports(snapshot, path, shape))
        elif linked and _imports_name_files(snapshot, path):
            imported.update(imported_files(snapshot, path))
        elif linked:
            imported[path] += _users(snapshot, path)
            unlinked += snapshot.own_open_names(path) is None
    return Summary(
        files=len(files),
        test_files=sum(1 for path in files if is_test_file(path)),
        bytes=sum(snapshot.shards[path].size for path in files),
        languages=_top(Counter(snapshot.shards[path].language for path in files)),
        packages=_top(Counter(snapshot.package_of(path) for path in files)),
        folders=_top(Counter("/".join(path.split("/")[:-1][:2]) or "." for path in files)),
        symbols=_top(kinds),
        unlinked_files=unlinked,
        most_imported=_top(+imported, frozenset(snapshot.module_name(path).dotted for path in foreign)),
        entry_points=tuple(dict.fromkeys(_entry_points(snapshot, packaged, own_first)))[:MAX_LISTED],
        public_api=tuple(dict.fromkeys((*_public(snapshot, own_first), *_packaged(packaged, own_first))))[
            : MAX_LISTED * 5
        ],
        skipped=len(snapshot.skipped),
    )


def _top(counts: Counter[str], last: Set[str] = frozenset()) -> tuple[Counted, ...]:
    ordered = sorted(counts.items(), key=lambda item: (item[0] in last, -item[1], item[0]))
    return tuple(Counted(name, count) for name, count in ordered[:MAX_LISTED])


@attrs.frozen
class _FileShape:
    """What is asked of one file each time, whatever others say."""

    kinds: Mapping[str, int]
    """Number of visible symbols of each kind."""
    modules: tuple[tuple[str, int], ...]
    """Modules that it names, with the number of dots in front."""
    begins: bool
    """It says what happens when it is run."""
    mains: tuple[str, ...]
    """Qualified names of the functions with which a run begins."""


def _shape(snapshot: Snapshot, path: FilePath) -> _FileShape:
    known = snapshot.capabilities(path)
    method = "" if known is None else known.main_method
    return _SHAPES.once(snapshot.shards[path], lambda: _shape_of(snapshot.surface(path), method))


def _shape_of(surface: Surface, main_method: str) -> _FileShape:
    symbols, expressions, strings = surface.symbols, surface.expressions, surface.strings
    counts = Counter(symbols.kind)
    modules = {
        (strings[name] if name != NONE else "", level)
        for kind, name, level in zip(expressions.kind, expressions.a, expressions.b, strict=True)
        if kind == ExpressionKind.MODULE
    }
    own = [row for row, scope in enumerate(symbols.scope) if scope == 0]
    return _FileShape(
        kinds={DefinitionKind(kind).name.lower(): count for kind, count in counts.items()},
        modules=tuple(sorted(modules)),
        begins=any(symbols.flags[row] & DefinitionFlag.MAIN_GUARD for row in own),
        mains=(
            *(("main",) if any(_is_main(surface, row) for row in own) else ()),
            *(_main_methods(surface, main_method) if main_method else ()),
        ),
    )


def _is_main(surface: Surface, row: int) -> bool:
    symbols = surface.symbols
    return symbols.kind[row] == DefinitionKind.FUNCTION and surface.strings[symbols.name[row]] == "main"


def _main_methods(surface: Surface, name: str) -> Iterator[str]:
    """Qualified names of static methods of this name."""
    symbols, scopes, strings = surface.symbols, surface.scopes, surface.strings
    number = strings.index(name) if name in strings else NONE
    for row in rows_with(symbols.name, number) if number != NONE else ():
        if symbols.kind[row] == DefinitionKind.METHOD and symbols.flags[row] & DefinitionFlag.STATIC:
            parts, owner = [name], scopes.owner[symbols.scope[row]]
            while owner != NONE:
                parts.append(strings[symbols.name[owner]])
                owner = scopes.owner[symbols.scope[owner]]
            yield ".".join(reversed(parts))


def _imports_name_files(snapshot: Snapshot, path: FilePath) -> bool:
    known = snapshot.capabilities(path)
    return known is not None and known.imports_name_files


def _users(snapshot: Snapshot, path: FilePath) -> int:
    """How many other files use what one declares, as far as they are linked. A namespace is of many files, and may be
    one of a library that is added to."""
    kinds = snapshot.surface(path).symbols.kind
    ends = [(path, row) for row, kind in enumerate(kinds) if kind != DefinitionKind.NAMESPACE]
    return len({*snapshot.reaching(ends).files} - {path})


def _imports(snapshot: Snapshot, path: FilePath, shape: _FileShape) -> set[str]:
    """Modules of the workspace that a file's visible imports name."""
    table = snapshot.modules.get(snapshot.shards[path].language)
    if table is None:
        return set()
    own = snapshot.module_name(path)
    folder = own.dotted.split(".") if own.package else own.dotted.split(".")[:-1]
    found = set[str]()
    for name, level in shape.modules:
        base = folder[: len(folder) - level + 1] if level > 0 else []
        dotted = ".".join([*base, *filter(None, [name])])
        if dotted in table.files and dotted != own.dotted:
            found.add(dotted)
    return found


def _entry_points(snapshot: Snapshot, packaged: Packaged, files: tuple[FilePath, ...]) -> Iterator[str]:
    among = frozenset(files)
    yield from (str(path) for path in packaged.beginnings() if path in among)
    # Examples, tools of the build and what is deep inside come after the program.
    for path in sorted(files, key=partial(_reading_order, snapshot)):
        shape, known = _shape(snapshot, path), snapshot.capabilities(path)
        stem = path.rpartition("/")[2].rpartition(".")[0]
        if shape.mains and not shape.begins and not is_test_file(path):
            yield from (f"{snapshot.module_name(path).dotted}:{name}" for name in shape.mains)
        elif shape.begins or (known is not None and stem in known.program_files):
            yield snapshot.module_name(path).dotted


def _reading_order(snapshot: Snapshot, path: FilePath) -> tuple[bool, bool, bool, int]:
    stem = path.rpartition("/")[2].partition(".")[0].strip("_").lower()
    return comes_last(snapshot, path), is_aside(path), stem not in _MAINS, path.count("/")


def _packaged(packaged: Packaged, files: tuple[FilePath, ...]) -> Iterator[str]:
    """What the modules that stand for packages export."""
    among = frozenset(files)
    for path in packaged.mains():
        if path in among:
            yield from packaged.offered(path)


def _public(snapshot: Snapshot, files: tuple[FilePath, ...]) -> Iterator[str]:
    tops = [path for path in files if snapshot.module_name(path).package and not is_test_file(path)]
    tops = [path for path in tops if not is_stub(path)] or tops
    if not tops:
        return
    depth = min(snapshot.module_name(path).dotted.count(".") for path in tops)
    for path in tops:
        dotted = snapshot.module_name(path).dotted
        if dotted.count(".") == depth:
            surface = snapshot.surface(path)
            names = surface.exports if surface.exports is not None else _public_names(surface, dotted)
            yield from (f"{dotted}:{name}" for name in names if not name.startswith("_") and name != "*")


def _public_names(surface: Surface, package: str) -> list[str]:
    """Names that a package without an export list means for others: not what it imports for its own use."""
    names = surface.members(0)
    return sorted(name for name, rows in names.items() if any(_is_own(surface, row, package) for row in rows))


def _is_own(surface: Surface, row: int, package: str) -> bool:
    symbols, expressions = surface.symbols, surface.expressions
    if symbols.kind[row] != DefinitionKind.IMPORT or symbols.flags[row] & DefinitionFlag.EXPORTED:
        return True
    value = symbols.value[row]
    while value != NONE and expressions.kind[value] == ExpressionKind.MEMBER:
        value = expressions.a[value]
    if value == NONE or expressions.kind[value] != ExpressionKind.MODULE:
        return False
    name = surface.strings[expressions.a[value]] if expressions.a[value] != NONE else ""
    return expressions.b[value] > 0 or name.partition(".")[0] == package.partition(".")[0]
