"""Find locals: what functions declare inside themselves, by names as they are spelled.

Owns: which files are looked into, how many words spell one name, the order of what is found.
Must not know: names that other files can see (see `find`), records, LSP types.
Invariant: a name is compared letter by letter; what other files can see is never among the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_lasting, is_node, qualified_name, rows_named
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.findable import is_shared

MOST_FILES: Final = 300
"""Files that spell a name and are looked into."""
_PART: Final = 0.8
"""Of a request, up to which they are: each is read as a whole."""
_NEVER: Final = frozenset({DefinitionKind.IMPORT, DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})


@attrs.frozen
class LocalDeclaration:
    """One declaration. `lasting`: a function, a class or a member of one, not a variable."""

    place: SymbolRef
    name: str
    kind: DefinitionKind
    container: str
    lasting: bool


@attrs.frozen
class LocalDeclarations:
    """Functions and classes first. `whole`: every file that spells the name was looked into; not where a request has
    no time for that, and its answer says so."""

    found: tuple[LocalDeclaration, ...]
    whole: bool


def local_declarations(
    snapshot: Snapshot, names: Sequence[str], container: str, wanted: Callable[[SymbolRef], bool]
) -> LocalDeclarations:
    """What functions declare under any of these names; `container`: the end of the path that it stands in."""
    found: list[LocalDeclaration] = []
    whole = True
    for name in names:
        files = sorted(snapshot.files_with_name(name), key=lambda path: (comes_last(snapshot, path), path))
        whole = whole and len(files) <= MOST_FILES
        for path in files[:MOST_FILES]:
            if is_spent_to(_PART):
                whole = False
                break
            found += (one for one in _in_file(snapshot, path, name, container) if wanted(one.place))
    return LocalDeclarations(tuple(sorted(found, key=lambda one: not one.lasting)), whole)


def spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Names that several words make: `handle_click`, `handleClick`, `HandleClick`, `HANDLE_CLICK`."""
    capital = "".join(word.capitalize() for word in words)
    snake = "_".join(words)
    names = (snake, capital[:1].lower() + capital[1:], capital, snake.upper(), f"_{snake}")
    return tuple(name for name in dict.fromkeys(names) if name.isidentifier())


def _is_findable(snapshot: Snapshot, path: FilePath, symbol: int) -> bool:
    """Whether `find` sees a symbol of the surface. What a function gives back is there too, and is not seen."""
    if symbol == NONE:
        return False
    surface = snapshot.surface(path)
    return is_shared(surface, surface.symbols.scope[symbol])


def _in_file(snapshot: Snapshot, path: FilePath, name: str, container: str) -> Iterator[LocalDeclaration]:
    facts = snapshot.facts(path)
    if name not in facts.strings:
        return
    module = snapshot.module_name(path).dotted
    for row in rows_named(facts, facts.strings.index(name)):
        kind = DefinitionKind(facts.definitions.kind[row])
        if kind in _NEVER or _is_findable(snapshot, path, facts.definitions.surface[row]):
            continue
        if not is_node(facts, row, locals=True):
            continue
        around = qualified_name(facts, row).rpartition(".")[0]
        whole = f"{module}.{around}".rstrip(".").lower()
        if not container or f".{whole}".endswith(f".{container.lower()}"):
            yield LocalDeclaration(
                SymbolRef(path, row), name, kind, f"{module}:{around}" if around else module, is_lasting(facts, row)
            )
