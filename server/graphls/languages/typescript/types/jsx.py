"""JSX: what declares the elements of a file that are built in.

Owns: which namespace `JSX` a file has: by its pragma, its config, or what declaration files add for all.
Must not know: occurrences, edges.
Invariant: what the workspace does not declare is React's or another library's, and no use of anything here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from graphls.facts.paths import enclosing_folders
from graphls.languages.extract.kinds import MODULE_EXPRESSION
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External
from graphls.languages.typescript.modules import JSX, JSX_SOURCES
from graphls.languages.typescript.types.ambient import added_namespaces
from graphls.languages.typescript.types.names import SymbolMeaning, TsNameLookup

INTRINSIC: Final = "JSX.IntrinsicElements"
"""The built-in type that extraction gives to the elements of a file."""
_NAMESPACE: Final = "JSX"
_TABLE: Final = "IntrinsicElements"
_RUNTIME: Final = "/jsx-runtime"
_SOURCE: Final = "jsx:source"
_FACTORY: Final = "jsx:factory"
_FIRST: Final = 8
"""Expressions among which those of a pragma are."""


@final
class JsxOrigin:
    """Where the elements of a file come from. `tables`: declarations of `IntrinsicElements` in the workspace;
    `undecided`: others of the workspace may be meant."""

    def __init__(self, tables: DefinitionRefs, undecided: bool) -> None:
        self.tables = tables
        self.undecided = undecided


def jsx_origin(lookup: TsNameLookup) -> JsxOrigin:
    """The origin for the own file."""
    return lookup.context.guarded(("jsx", lookup.context.own.file), lambda: _origin(lookup), JsxOrigin((), True))


def _origin(lookup: TsNameLookup) -> JsxOrigin:
    if lookup.context.own.file.endswith(".astro"):
        return JsxOrigin((), False)  # elements there are those of HTML
    named = _by_pragma(lookup) or _by_config(lookup)
    if named is not None and (named.tables or named.undecided):
        return named
    added: dict[DefinitionRef | External, None] = {}
    for unit, row in added_namespaces(lookup.context, _NAMESPACE):
        added.update(dict.fromkeys(_tables(lookup, DefinitionRef(unit.file, row))))
    return JsxOrigin(tuple(added), named is None and not added and _is_named_elsewhere(lookup))


def _by_pragma(lookup: TsNameLookup) -> JsxOrigin | None:
    own = lookup.context.own
    for row in range(min(_FIRST, len(own.expressions.kind))):
        operator = own.operator(row)
        if operator == _SOURCE:
            operand = own.operands(row)[0]
            if own.expressions.kind[operand] == MODULE_EXPRESSION:
                return _of_module(lookup, own.strings[own.expressions.a[operand]])
        elif operator == _FACTORY:
            operand = own.operands(row)[0]
            return _of_factory(lookup, own.strings[own.expressions.a[operand]])
    return None


def _by_config(lookup: TsNameLookup) -> JsxOrigin | None:
    for near in enclosing_folders(lookup.context.own.file.rpartition("/")[0]):
        for entry in lookup.context.world.aliases(JSX + near, lookup.context.own.file):
            how, _, name = entry.partition("\t")
            if how == "source":
                return _of_module(lookup, name.rstrip("/") + _RUNTIME)
            return _of_factory(lookup, name.partition(".")[0])
    return None


def _is_named_elsewhere(lookup: TsNameLookup) -> bool:
    """Whether some config names a module of the workspace: tools read other configs than compilers."""
    sources = lookup.context.world.aliases(JSX_SOURCES, lookup.context.own.file)
    return any(
        lookup.context.modules().find(source.rstrip("/") + _RUNTIME, lookup.context.own.file) for source in sources
    )


def _of_module(lookup: TsNameLookup, spec: str) -> JsxOrigin:
    file = lookup.context.modules().find(spec, lookup.context.own.file)
    if file is None:
        return JsxOrigin((), not lookup.context.modules().external(spec))
    return _gathered(lookup, lookup.module_member(file, _NAMESPACE, SymbolMeaning.ANY))


def _of_factory(lookup: TsNameLookup, name: str) -> JsxOrigin:
    answer = lookup.name_answer(lookup.context.own, 0, name, SymbolMeaning.ANY)
    inner: dict[DefinitionRef | External, None] = {}
    for ref in answer:
        inner.update(dict.fromkeys(_member(lookup, ref, _NAMESPACE)))
    return _gathered(lookup, tuple(inner))


def _gathered(lookup: TsNameLookup, namespaces: DefinitionRefs) -> JsxOrigin:
    found: dict[DefinitionRef | External, None] = {}
    for ref in namespaces:
        found.update(dict.fromkeys(_tables(lookup, ref)))
    return JsxOrigin(tuple(found), False)


def _tables(lookup: TsNameLookup, namespace: DefinitionRef | External) -> Iterator[DefinitionRef | External]:
    yield from (ref for ref in _member(lookup, namespace, _TABLE) if isinstance(ref, DefinitionRef) and ref.row >= 0)


def _member(lookup: TsNameLookup, ref: DefinitionRef | External, name: str) -> DefinitionRefs:
    if isinstance(ref, External):
        return ()
    if ref.row < 0:
        return lookup.module_member(ref.file, name, SymbolMeaning.ANY)
    unit = lookup.context.unit(ref.file)
    return lookup.followed(unit, lookup.merged_member(unit, ref.row, name), SymbolMeaning.ANY)
