"""Vue: what the template of a single file component uses.

Owns: interpolations, directives, `v-for` and slots, names of components in all their spellings.
Must not know: how code is read, script blocks.
Invariant: a tag that HTML knows is no component, whatever the script binds.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from graphls.languages.extract.nesting import DEPTH
from graphls.languages.typescript.components.tags import HTML
from graphls.languages.typescript.components.template import Template, camel
from graphls.languages.typescript.syntax.facts_builder import ELEMENT, READ, RENDER, WANTED

_FOR = re.compile(rb"\s+(?:in|of)\s+")
_BUILT_IN = frozenset(
    ("template", "slot", "component", "transition", "transition-group", "keep-alive", "teleport", "suspense")
)
_DIRECTIVES = frozenset(
    ("v-if", "v-else", "v-else-if", "v-show", "v-for", "v-on", "v-bind", "v-model", "v-slot", "v-html", "v-text")
) | {"v-pre", "v-once", "v-memo", "v-cloak", "v-is"}
_ELEMENTS = ("element", "template_element")
_TAGS = ("start_tag", "self_closing_tag")


def read_template(template: Template, root: Node) -> None:
    """Everything in the first `<template>` of a file, if it is HTML."""
    for part in root.named_children:
        if part.type == "template_element":
            if _lang(template, part) in (b"", b"html"):
                _inside(template, part)
                template.missed(part)
            return


def _lang(template: Template, node: Node) -> bytes:
    for attribute in node.children[0].named_children:
        text = template.draft.data[attribute.start_byte : attribute.end_byte]
        if text.startswith(b"lang"):
            return text.partition(b"=")[2].strip(b"\"' ").lower()
    return b""


def _inside(template: Template, node: Node) -> None:
    builder = template.draft
    if builder.depth >= DEPTH:
        builder.note_depth(node.start_byte, node.end_byte)
        return
    builder.depth += 1
    for part in node.named_children:
        if part.type in _ELEMENTS:
            _element(template, part)
        elif part.type == "interpolation":
            for text in part.named_children:
                template.expression(text.start_byte, text.end_byte)
        elif part.is_error:
            _inside(template, part)
    builder.depth -= 1


def _element(template: Template, node: Node) -> None:
    tag = node.children[0] if node.children else node
    if tag.type not in _TAGS:
        _inside(template, node)
        return
    directives = [_Directive(template, part) for part in tag.named_children if part.type == "directive_attribute"]
    outer = template.draft.scope
    for directive in directives:
        if directive.name == "v-for":
            _for(template, node, directive)
    _tag(template, tag)
    slots = [directive for directive in directives if directive.is_slot]
    for directive in directives:
        if directive.name != "v-for" and directive not in slots and not directive.of_tag:
            _directive(template, directive)
    for slot in slots:
        template.inner(node)
        template.patterns(*slot.value)
    _inside(template, node)
    template.leave(outer)


class _Directive:
    """`v-name:argument.modifiers="value"` and its short forms."""

    def __init__(self, template: Template, node: Node) -> None:
        data = template.draft.data
        self.name = ""
        self.span = self.argument = self.computed = self.value = (0, 0)
        before, parts = node.prev_sibling, node.children
        if before is not None and before.type == "tag_name" and before.end_byte == node.start_byte:
            # `<a.b :c="d">`: the grammar takes the rest of the name for a part of the first attribute.
            parts = parts[2:]
        self.of_tag = not parts
        sign = parts[0].type if parts else ""
        for part in parts:
            span = (part.start_byte, part.end_byte)
            if part.type == "directive_name":
                self.name, self.span = data[slice(*span)].decode("utf-8", "replace"), span
            elif part.type == "directive_value":
                self.argument = span
            elif part.type == "dynamic_directive_value":
                self.computed = (span[0] + 1, span[1] - 1)
            elif part.type == "quoted_attribute_value":
                self.value = (span[0] + 1, span[1] - 1)
            elif part.type == "attribute_value":
                self.value = span
        short = {":": "v-bind", ".": "v-bind", "@": "v-on", "#": "v-slot"}
        self.name = self.name or short.get(sign, "")

    @property
    def is_slot(self) -> bool:
        return self.name in ("v-slot", "slot-scope")


def _for(template: Template, node: Node, directive: _Directive) -> None:
    """`pattern in items`: the names are known in the whole element."""
    start, end = directive.value
    sign = _FOR.search(template.draft.data, start, end)
    if sign is None:
        template.expression(start, end)
        return
    items = template.expression(sign.end(), end, want=WANTED)
    template.inner(node)
    value = template.draft.expression(ELEMENT, items, 0) if items >= 0 else -1
    template.patterns(start, sign.start(), value)


def _tag(template: Template, tag: Node) -> None:
    """The component that a tag renders."""
    name = next((part for part in tag.named_children if part.type == "tag_name"), None)
    if name is None:
        return
    start, end = name.start_byte, name.end_byte
    follower = name.next_sibling
    written = template.draft.source(start, end)
    if follower is not None and follower.type == "directive_attribute" and follower.start_byte == end:
        last = follower.named_children[0] if follower.named_child_count else follower
        template.rendered(start, last.end_byte)
        return
    if written in HTML or written in _BUILT_IN or camel(f"-{written}") in _BUILT_INS:
        return
    for spelled in (written, camel(written), camel(f"-{written}")):
        if spelled in template.bound:
            template.named(start, end, spelled, RENDER)
            return
    if "-" in written or written[:1].isupper():
        template.named(start, end, camel(f"-{written}") if "-" in written else "", RENDER)


_BUILT_INS = frozenset(camel(f"-{name}") for name in _BUILT_IN if name not in ("template", "slot", "component"))


def _directive(template: Template, directive: _Directive) -> None:
    start, end = directive.value
    if directive.computed[1] > directive.computed[0]:
        template.expression(*directive.computed)
    if directive.name == "v-on":
        template.handler(start, end)
    elif directive.name == "v-model":
        template.updated(start, end)
    elif directive.name == "v-bind" and start == end == 0:
        first, last = directive.argument
        written = template.draft.source(first, last)
        if camel(written) in template.bound:
            template.named(first, last, camel(written))
    else:
        rendered = template.draft.data[slice(*directive.argument)] == b"is"
        template.expression(start, end, RENDER if rendered else READ)
    own = camel(directive.name)
    if directive.name not in _DIRECTIVES and own in template.bound:
        template.named(*directive.span, own)
