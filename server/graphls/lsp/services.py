"""Services: which methods a language service is made of.

Owns: the methods behind each name in `disabledLanguageServices`.
Must not know: settings, handlers.
Invariant: every service of the settings has methods here, and no method belongs to two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from lsprotocol import types

METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "definition": (types.TEXT_DOCUMENT_DEFINITION,),
    "declaration": (types.TEXT_DOCUMENT_DECLARATION,),
    "typeDefinition": (types.TEXT_DOCUMENT_TYPE_DEFINITION,),
    "implementation": (types.TEXT_DOCUMENT_IMPLEMENTATION,),
    "references": (types.TEXT_DOCUMENT_REFERENCES,),
    "hover": (types.TEXT_DOCUMENT_HOVER,),
    "documentHighlight": (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,),
    "documentSymbol": (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,),
    "workspaceSymbol": (types.WORKSPACE_SYMBOL,),
    "callHierarchy": (
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
        types.CALL_HIERARCHY_INCOMING_CALLS,
        types.CALL_HIERARCHY_OUTGOING_CALLS,
    ),
    "typeHierarchy": (
        types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY,
        types.TYPE_HIERARCHY_SUPERTYPES,
        types.TYPE_HIERARCHY_SUBTYPES,
    ),
    "documentLink": (types.TEXT_DOCUMENT_DOCUMENT_LINK,),
    "foldingRange": (types.TEXT_DOCUMENT_FOLDING_RANGE,),
    "selectionRange": (types.TEXT_DOCUMENT_SELECTION_RANGE,),
    "codeLens": (types.TEXT_DOCUMENT_CODE_LENS, types.CODE_LENS_RESOLVE),
    "codeAction": (types.TEXT_DOCUMENT_CODE_ACTION, types.CODE_ACTION_RESOLVE),
    "diagnostics": (types.TEXT_DOCUMENT_DIAGNOSTIC,),
    "syntaxErrors": (),
    "moniker": (types.TEXT_DOCUMENT_MONIKER,),
    "rename": (
        types.TEXT_DOCUMENT_PREPARE_RENAME,
        types.TEXT_DOCUMENT_RENAME,
        types.WORKSPACE_WILL_RENAME_FILES,
    ),
    "executeCommand": (types.WORKSPACE_EXECUTE_COMMAND,),
}


def methods_of(services: Iterable[str]) -> tuple[str, ...]:
    """Methods that must not be advertised when these services are off. Unknown names have none."""
    return tuple(method for service in sorted(services) for method in METHODS.get(service, ()))
