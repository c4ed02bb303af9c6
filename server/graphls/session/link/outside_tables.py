"""Outside tables: module tables that lead out of the workspace.

Owns: which languages use what is installed.
Must not know: what is installed, how modules are named; workers import this and little else.
Invariant: a table keeps all that it says of the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from graphls.languages.registry import providers
from graphls.linking.libraries import Libraries
from graphls.linking.module_table import ModuleTable


def with_libraries(modules: Mapping[str, ModuleTable], libraries: Libraries | None) -> Mapping[str, ModuleTable]:
    """The tables, with what is installed where the language uses it."""
    if libraries is None:
        return modules
    known = providers()
    return {
        name: attrs.evolve(table, libraries=libraries) if known[name].capabilities.libraries is not None else table
        for name, table in modules.items()
    }
