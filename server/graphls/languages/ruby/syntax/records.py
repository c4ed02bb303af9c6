"""Records: what models of a database declare by messages of Active Record.

Owns: associations and scopes, as methods, and the classes that their names mean by convention.
Must not know: which classes there are, what a class inherits.
Invariant: an association whose class is said otherwise, or nowhere, has a name and no type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind, ReturnKind
from graphls.languages.declared.facts_builder import MEMBER, NAME
from graphls.languages.extract.facts_builder import D_NAME, D_SIGNATURE, D_VALUE
from graphls.languages.ruby.syntax.facts_builder import COLLECTION, STATIC, RubyFactsBuilder, literal_name

METHOD: Final = int(DefinitionKind.METHOD)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
RETURN: Final = int(ReturnKind.RETURN)
RELATION: Final = "ActiveRecord::Relation"
_MANY: Final = frozenset((b"has_many", b"has_and_belongs_to_many"))
_IRREGULAR: Final = {"people": "person", "children": "child", "men": "man", "women": "woman", "media": "medium",
                     "data": "datum", "statuses": "status", "aliases": "alias", "news": "news",
                     "series": "series"}  # fmt: skip
_DROPPED: Final = ("sses", "xes", "ches", "shes", "zzes")


def association(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`has_many :items, class_name: "Line"`, `belongs_to :user`: methods that read and write it."""
    row = own.define_symbol(parts[0], PROPERTY, own.member_flags) if parts else -1
    written, is_open = "", False
    for part in parts if row < 0 else parts[1:]:
        key = part.child_by_field_name("key") if part.type == "pair" else None
        name = key.text if key is not None else b""
        if name == b"class_name":
            found = literal_name(part.child_by_field_name("value") or part)
            written = own.source(*found) if found is not None else ""
            is_open = is_open or found is None
        is_open = is_open or name in (b"polymorphic", b"source")
        own.read(part)
    if row < 0:
        return
    name = own.strings[own.definitions[row][D_NAME]]
    own.definitions[row][D_SIGNATURE] = own.text(f"{word.decode()} :{name}")
    if is_open:
        return
    class_ = written.removeprefix("::") or camelized(singular(name) if word in _MANY else name)
    one = own.instance(_constant(own, class_.split("::")))
    many = own.expression(COLLECTION, own.sequence([one]), own.text(RELATION))
    own.definitions[row][D_VALUE] = many if word in _MANY else one


def scope(own: RubyFactsBuilder, node: Node, word: bytes, parts: Sequence[Node]) -> None:
    """`scope :recent, -> { where(...) }`: a method of the class that gives some of its records."""
    row = own.define_symbol(parts[0], METHOD, STATIC) if parts else -1
    for part in parts if row < 0 else parts[1:]:
        own.read(part)
    if row >= 0:
        held = own.expression(COLLECTION, own.sequence([own.instance(own.self_expression())]), own.text(RELATION))
        own.returns.append((row, held, RETURN))


def _constant(own: RubyFactsBuilder, names: Sequence[str]) -> int:
    row = own.expression(NAME, own.text(names[0]), own.class_scope(), -1)
    for name in names[1:]:
        row = own.expression(MEMBER, row, own.text(name), -1)
    return row


def singular(name: str) -> str:
    """One of many, as Active Support names it, but for words that it lists and nobody uses."""
    before, _, last = name.rpartition("_")
    one = _IRREGULAR.get(last, last)
    if one == last:
        if last.endswith("ies") and len(last) > 4:
            one = f"{last[:-3]}y"
        elif last.endswith(_DROPPED):
            one = last[:-2]
        elif last.endswith("s") and not last.endswith("ss"):
            one = last[:-1]
    return f"{before}_{one}" if before else one


def camelized(name: str) -> str:
    """The name of a class for one of a method: `line_item` means `LineItem`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
