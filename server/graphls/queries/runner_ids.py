"""Test names: which tests there are, and what their runner calls them.

Owns: tests of a file, of a class, below a folder; the ids that runners take.
Must not know: what tests run, how runners are started.
Invariant: an id is what the runner takes on its command line; a test that a class inherits has an id in that class too.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import node_of
from graphls.graph.edges import edge_refs_of_kinds
from graphls.graph.memo import MemoTable
from graphls.graph.node_table import node_kind
from graphls.graph.nodes import is_node, is_test_file, node_row, qualified_name
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.rows import class_around, name_of
from graphls.queries.type_hierarchy import all_subtypes, member

PYTEST: Final = "pytest"
BY_CALL: Final = "vitest"
_BY_FOLDER: Final = "go test"
OTHER: Final = "other"
_JOIN: Final = " > "
_HEIRS: Final = MemoTable[SymbolRef, "Sequence[SymbolRef]"]("classes that inherit tests")


def is_test(snapshot: Snapshot, place: SymbolRef) -> bool:
    """Whether a place is a function that a runner starts."""
    if place.definition == NONE or not snapshot.shards[place.file].language:
        return False
    return node_kind(snapshot, place).kind == "test"


def find_tests(snapshot: Snapshot, path: FilePath, around: int = NONE) -> Iterator[SymbolRef | DerivedNode]:
    """Tests of a file; with `around`, those of one class. Also what a rule of a framework takes for one."""
    if not snapshot.shards[path].language:
        return
    facts = snapshot.facts(path)
    for row, kind in enumerate(facts.definitions.kind):
        if kind not in (DefinitionKind.FUNCTION, DefinitionKind.METHOD) or node_row(facts, row) != row:
            continue
        if around in (NONE, class_around(facts, row)) and is_node(facts, row):
            place = SymbolRef(path, row)
            if is_test(snapshot, place):
                yield place
    if around == NONE:
        yield from called_tests(snapshot, path)


def called_tests(snapshot: Snapshot, path: FilePath) -> Iterator[DerivedNode]:
    """Tests of a file that are calls, as those of Vitest."""
    if snapshot.derivation is not None:
        yield from (node for node in snapshot.derivation.nodes(snapshot, path) if node.kind == "test")


def files_of_tests(snapshot: Snapshot, folder: str = "") -> Iterator[FilePath]:
    """Files of tests below a folder, by path."""
    prefix = f"{folder}/" if folder else ""
    yield from (path for path in sorted(snapshot.shards) if path.startswith(prefix) and is_test_file(path))


def runner_of(snapshot: Snapshot, test: SymbolRef | DerivedNode) -> str:
    """Who runs a test, by its language."""
    known = snapshot.capabilities(test.file)
    runner = "" if known is None else known.test_runner
    return runner or (BY_CALL if isinstance(test, DerivedNode) else OTHER)


def runner_ids(snapshot: Snapshot, test: SymbolRef | DerivedNode) -> tuple[str, ...]:
    """The ids of a test; several where classes below that of the test inherit it.

    pytest: `path::Class::test`; tests that are calls: `path > suite > test`, as `vitest list` prints them and, without
    the path, `-t` of Vitest and Jest takes them; Go: `folder:Test`; GoogleTest: `Suite.Name`, as `--gtest_filter` takes
    it; JUnit: `package.Class#method`; Minitest: `path:Class#test`; .NET: `Namespace.Class.Method`; Cargo:
    `module::test`, without the crate.
    """
    if isinstance(test, DerivedNode):
        return (f"{test.file}{_JOIN}{test.name}",)
    facts = snapshot.facts(test.file)
    name = qualified_name(facts, test.definition)
    runner = runner_of(snapshot, test)
    if runner == _BY_FOLDER:
        return (f"./{test.file.rpartition('/')[0]}:{name}",)
    if runner in _BY_NAME:
        return (_BY_NAME[runner](test.file, name),)
    owner = class_around(facts, test.definition)
    own = _id(test.file, name)
    if owner == NONE or runner != PYTEST:
        return (own,)
    last = name_of(facts, test.definition)
    cls, below = SymbolRef(test.file, owner), list[SymbolRef]()
    with contextlib.suppress(BudgetSpentError):  # its own id is what is known by then
        below = [one for one in _heirs(snapshot, cls) if member(snapshot, one, last) is None]
        below += [one for some in (cls, *below) for one in _brought(snapshot, some)]
    heirs = [_id(one.file, f"{qualified_name(snapshot.facts(one.file), one.definition)}.{last}") for one in below]
    return tuple(dict.fromkeys((own, *heirs)))


def _of_suite(path: FilePath, name: str) -> str:
    return ".".join(name.split(".")[-2:])


def _of_class(path: FilePath, name: str) -> str:
    """The folders of a package are those below the root of sources."""
    folders = f"/{path.rpartition('/')[0]}/"
    root = _ROOT.search(folders)
    package = folders[root.end() if root is not None else 0 :].strip("/").replace("/", ".")
    around, _, last = name.rpartition(".")
    # A function outside of classes is one of the class that stands for its file.
    holder = around.replace(".", "$") or f"{path.rpartition('/')[2].partition('.')[0]}Kt"
    return f"{package}.{holder}#{last}" if package else f"{holder}#{last}"


def _of_crate(path: FilePath, name: str) -> str:
    """The module of a file is its path below `src`; files of `tests` are crates of their own."""
    stem = path.rpartition(".")[0]
    inside = f"/{stem}".rpartition("/src/")[2] if "/src/" in f"/{stem}" else ""
    modules = [part for part in inside.split("/") if part not in _CRATE_ROOTS]
    return "::".join([*modules, *name.split(".")])


def _of_target(path: FilePath, name: str) -> str:
    """A target of tests is the folder below `Tests`, else the one around the file; a method stands behind a slash."""
    folders = path.split("/")[:-1]
    below = folders.index("Tests") + 1 if "Tests" in folders else len(folders)
    target = folders[below] if below < len(folders) else folders[-1] if folders else ""
    around, _, last = name.rpartition(".")
    return ".".join([part for part in (target, f"{around.replace('.', '/')}/{last}" if around else last) if part])


_ROOT: Final = re.compile(r"/(?:src/[^/]+/(?:java|kotlin)|java|kotlin|src|tests?)/")
_CRATE_ROOTS: Final = ("", "lib", "main", "mod")
_BY_NAME: Final[Mapping[str, Callable[[FilePath, str], str]]] = {
    "gtest": _of_suite,
    "junit": _of_class,
    "minitest": lambda path, name: f"{path}:{name.replace('.', '#')}",
    "dotnet test": lambda path, name: name,
    "cargo test": _of_crate,
    "swift test": _of_target,
}


def _heirs(snapshot: Snapshot, owner: SymbolRef) -> Sequence[SymbolRef]:
    """Classes below: all tests of a class ask for the same."""
    memo = _HEIRS.of(snapshot)
    known = memo.get(owner)
    if known is None:
        known = memo[owner] = all_subtypes(snapshot, owner)
    return known


def _brought(snapshot: Snapshot, owner: SymbolRef) -> Iterator[SymbolRef]:
    """Imports of a class of tests into other files of tests, where runners find it again."""
    for ref in edge_refs_of_kinds(snapshot, owner, ("aliases",), incoming=True):
        source = node_of(ref.source_key)
        if isinstance(source, SymbolRef) and is_test_file(source.file):
            yield source


def _id(path: FilePath, qualified: str) -> str:
    return "::".join((path, *qualified.split(".")))
