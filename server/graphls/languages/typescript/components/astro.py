"""Astro: what the markup of a component uses.

Owns: expressions in braces, which hold markup themselves, attributes, rendered components, scripts of the page.
Must not know: how code is read.
Invariant: names that a script of the page binds are known in that script only.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from graphls.languages.extract.nesting import DEPTH
from graphls.languages.typescript.components.template import Template

_TAGS = ("start_tag", "self_closing_tag")
_HIDDEN = re.compile(
    rb"<!--.*?-->|<(?:br|hr|wbr)\s*>|<style\b.*?</style\s*>|<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE
)
_COMMENTS = re.compile(rb"(?>\s+|/\*.*?\*/|//[^\n]*|<!--.*?-->)*+\Z", re.DOTALL)


def read_markup(template: Template, root: Node) -> None:
    """Everything outside of frontmatter, scripts and styles."""
    _inside(template, root)
    template.missed(root)


def _inside(template: Template, node: Node) -> None:
    builder = template.draft
    if builder.depth >= DEPTH:
        builder.note_depth(node.start_byte, node.end_byte)
        return
    builder.depth += 1
    for part in node.named_children:
        kind = part.type
        if kind == "html_interpolation":
            _braces(template, part)
        elif kind in _TAGS:
            _tag(template, part)
        elif kind not in ("frontmatter", "script_element", "style_element", "comment", "end_tag"):
            _inside(template, part)
    builder.depth -= 1


def _braces(template: Template, node: Node) -> None:
    """`{code}`; elements in it are code as well."""
    data = template.draft.data
    start, end = node.start_byte + 1, node.end_byte - data.endswith(b"}", node.start_byte, node.end_byte)
    for hidden in _HIDDEN.finditer(data, start, end):
        template.fragments.blanked(*hidden.span())
    if not _COMMENTS.match(data, start, end):
        template.expression(start, end)


def _tag(template: Template, node: Node) -> None:
    data = template.draft.data
    for part in node.named_children:
        start, end = part.start_byte, part.end_byte
        if part.type == "tag_name":
            text = data[start:end]
            if text[:1].isupper() or b"." in text:
                template.rendered(start, end)
        elif part.type == "attribute":
            _attribute(template, part)


def _attribute(template: Template, node: Node) -> None:
    pending = [node]
    while pending:
        part = pending.pop()
        if part.type == "attribute_js_expr":
            start, end = part.start_byte, part.end_byte
            if template.draft.data[start:end].lstrip().startswith(b"..."):
                start = template.draft.data.index(b"...", start) + 3
            template.expression(start, end)
        elif part.type == "attribute_backtick_string":
            template.expression(part.start_byte, part.end_byte)
        else:
            pending.extend(reversed(part.children))
