"""CommonJS: what stands for the exports of a script, and what other modules put into them.

Owns: `exports`, `module.exports` and variables that begin as these; calls of modules that are given them.
Must not know: which modules exist, what assignments declare.
Invariant: a variable stands for the exports where no function around gives its name to a parameter.

    const User = module.exports;
    User.find = find;               // as `exports.find = find`
    require('./data')(User);        // members of the first parameter there are exports here
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from graphls.languages.extract.kinds import MODULE_EXPRESSION, NAME_EXPRESSION
from graphls.languages.typescript.export_names import MIXED_IN
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import IMPORT, STAR, TsFactsBuilder
from graphls.languages.typescript.syntax.imports import give
from graphls.languages.typescript.syntax.nesting import field

_WORDS: Final = frozenset((b"exports", b"module.exports"))
_ALIAS: Final = re.compile(
    rb"^(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:module\.)?exports[ \t]*(?:;|,|$)", re.MULTILINE
)
_CALLEES: Final = frozenset((NAME_EXPRESSION, MODULE_EXPRESSION))
_MOST_AROUND: Final = 200


def export_aliases(data: bytes) -> frozenset[bytes]:
    """Names of the variables of a script that stand for its exports."""
    return frozenset(found[1] for found in _ALIAS.finditer(data)) if b"exports" in data else frozenset()


def own_aliases(builder: TsFactsBuilder) -> frozenset[bytes]:
    """Those of the script that is read, sought once."""
    if builder.export_aliases is None:
        builder.export_aliases = export_aliases(builder.data)
    return builder.export_aliases


def is_exports(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether an expression of a script is the object that others import."""
    spelled = builder.data[node.start_byte : min(node.end_byte, node.start_byte + 80)]
    if spelled in _WORDS:
        return True
    if builder.kinds.of(node) != nodes.IDENTIFIER:
        return False
    return spelled in own_aliases(builder) and not _is_parameter(builder, node, spelled)


def mixes_in(builder: TsFactsBuilder, given: list[Node]) -> bool:
    """Whether a call outside of functions is given the exports: what it calls may add to them."""
    alone = len(given) == 1 and builder.scope == 0 and not builder.frame.function
    return alone and is_exports(builder, given[0])


def note_mixin(builder: TsFactsBuilder, callee: int, exports: Node) -> None:
    """`require("m")(exports)`, `mixin(exports)`."""
    if builder.kind_of(callee) in _CALLEES:
        span = (exports.start_byte, exports.end_byte)
        give(builder, builder.text(MIXED_IN), IMPORT, span, callee, flags=STAR)


def _is_parameter(builder: TsFactsBuilder, node: Node, name: bytes) -> bool:
    """Whether a function around a name has a parameter that is called so."""
    if builder.scope == 0:
        return False
    around = builder.ancestry.parent(node)
    for _ in range(_MOST_AROUND):
        if around is None:
            return False
        given = field(builder, around, nodes.F_PARAMETER) or _parameters(builder, around)
        if given is not None and _names(builder.data[given.start_byte : given.end_byte], name):
            return True
        around = builder.ancestry.parent(around)
    return True


def _parameters(builder: TsFactsBuilder, node: Node) -> Node | None:
    found = (part for part in node.named_children[:4] if builder.kinds.of(part) == nodes.FORMAL_PARAMETERS)
    return next(found, None)


def _names(text: bytes, name: bytes) -> bool:
    return name in text and re.search(rb"(?<![\w$.])%b(?![\w$])" % re.escape(name), text) is not None
