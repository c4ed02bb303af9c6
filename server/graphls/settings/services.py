"""Services: which language services may be switched off, and which a setting leaves on.

Owns: the names of the services, the presets.
Must not know: how a service is advertised or answered.
Invariant: a service named in `disabledLanguageServices` follows that entry, whatever the preset says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SERVICES: Final = (
    "definition",
    "declaration",
    "typeDefinition",
    "implementation",
    "references",
    "hover",
    "documentHighlight",
    "documentSymbol",
    "workspaceSymbol",
    "callHierarchy",
    "typeHierarchy",
    "documentLink",
    "foldingRange",
    "selectionRange",
    "codeLens",
    "codeAction",
    "diagnostics",
    "syntaxErrors",
    "moniker",
    "rename",
    "executeCommand",
)

_KEPT_BESIDE_A_MAIN_SERVER: Final = frozenset({"codeLens", "codeAction", "diagnostics", "executeCommand"})

PRESETS: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset(),
    "companion": frozenset(SERVICES) - _KEPT_BESIDE_A_MAIN_SERVER,
}


def disabled(preset: str, explicit: Mapping[str, bool]) -> frozenset[str]:
    """The services that must not be advertised."""
    on = {name for name, off in explicit.items() if not off}
    off = {name for name, off in explicit.items() if off}
    return (PRESETS[preset] - on) | off
