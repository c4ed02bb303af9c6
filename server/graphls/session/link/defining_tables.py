"""Defining tables: module tables that know which files define a name.

Owns: which languages ask that, how the answer follows edits.
Must not know: what a definition is, where contents are kept; workers import this and little else.
Invariant: a table keeps all that it says otherwise, and is the same one where no file defines other names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from graphls.facts.paths import FilePath
from graphls.languages.registry import providers
from graphls.linking.definers import Definers
from graphls.linking.module_table import ModuleTable

Columns = Callable[[Sequence[FilePath]], Mapping[FilePath, bytes]]
"""Numbers of the names that files define."""


def with_definers(
    modules: Mapping[str, ModuleTable],
    columns: Columns,
    before: Mapping[str, ModuleTable] | None = None,
    is_same: Callable[[FilePath], bool] | None = None,
) -> Mapping[str, ModuleTable]:
    """The tables, with what files define where the language asks for it. `before`: tables of an earlier state, in which
    the files of which `is_same` holds had the contents that they have now."""
    known, made = providers(), dict[str, ModuleTable]()
    for name, table in modules.items():
        if not known[name].capabilities.asks_who_defines:
            continue
        old = before.get(name) if before is not None else None
        definers = None if old is None else old.definers
        nothing: Mapping[FilePath, bytes] = {}
        kept = nothing if definers is None or is_same is None else definers.columns
        # Languages that use each other's declarations ask about each other's files as well.
        others = sorted(other for other in known[name].capabilities.interop if other in modules)
        files = [*table.names, *(file for other in others for file in modules[other].names)]
        held = {file: kept[file] for file in files if file in kept and (is_same is None or is_same(file))}
        missing = [file for file in files if file not in held]
        found = columns(missing) if missing else nothing
        now = {file: held[file] if file in held else found.get(file, b"") for file in files}
        following = Definers(now) if definers is None else definers.with_columns(now)
        if table.definers is not following:
            made[name] = attrs.evolve(table, definers=following)
    return {**modules, **made} if made else modules
