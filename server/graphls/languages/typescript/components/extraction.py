"""Extraction: facts of one component file.

Owns: the order in which blocks and template are read, and what the names of the one mean in the other.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes, tree and ending; blocks are read from the bytes, the tree is the template's only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs
from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import D_VALUE, U_OWNER, U_ROLE, USE
from graphls.languages.typescript.components import astro, options, props, svelte, vue
from graphls.languages.typescript.components.fragments import block
from graphls.languages.typescript.components.scripts import Script, frontmatter, scripts
from graphls.languages.typescript.components.template import PARTIAL, Template
from graphls.languages.typescript.syntax.extraction import kinds, module_doc, rules
from graphls.languages.typescript.syntax.facts_builder import (
    BLOCK,
    BODY,
    DEFAULT_EXPORT,
    EXPORT,
    EXPORTED,
    IMPORT,
    IMPORTED,
    MEMBER,
    MODULE_SCOPE,
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.finish import find_problems, finish
from graphls.languages.typescript.syntax.functions import read_statements
from graphls.languages.typescript.syntax.imports import DEFAULT, give


def extract_component(data: bytes, tree: Tree, ending: str) -> FileFacts:
    """Facts of one file."""
    builder = TsFactsBuilder(
        data,
        rules=rules("typescript"),
        kinds=kinds("typescript"),
        script=False,
        ambient=False,
        frame=TsFrame(-1, False),
    )
    builder.scopes.append([MODULE_SCOPE, -1, 0, len(data), -1])
    builder.regions.append((BODY, 0, len(data), 0))
    doc = _READERS[ending](builder, tree.root_node)
    return finish(builder, doc)


@attrs.define(eq=False)
class _Blocks:
    """Blocks of code of one file, while they are being read."""

    draft: TsFactsBuilder
    doc: str = ""
    bodies: list[tuple[int, int, int, int]] = attrs.field(factory=list[tuple[int, int, int, int]])
    """Uses and literals of blocks that run with the component, as stretches of the draft's tables."""

    def read_body(
        self, script: Script, statements: Callable[[TsFactsBuilder, list[Node]], None] = read_statements
    ) -> None:
        """A block whose statements run whenever the component is made."""
        builder = self.draft
        uses, literals, builder.component = len(builder.occurrences), len(builder.literals), True
        self.read(script, statements)
        self.bodies.append((uses, len(builder.occurrences), literals, len(builder.literals)))
        builder.component = False

    def give_to(self, component: int) -> None:
        """What no function or class of such blocks uses, the component uses; imports stay those of the module."""
        builder = self.draft
        uses = builder.occurrences
        for first, last, first_literal, last_literal in self.bodies:
            for at in range(first, last, USE):
                if uses[at + U_OWNER] < 0 and uses[at + U_ROLE] not in (IMPORTED, EXPORT):
                    uses[at + U_OWNER] = component
            for row in range(first_literal, last_literal):
                text, start, end, owner, *place = builder.literals[row]
                if owner < 0:
                    builder.literals[row] = (text, start, end, component, *place)

    def read(self, script: Script, statements: Callable[[TsFactsBuilder, list[Node]], None] = read_statements) -> None:
        """One block, as part of the module."""
        builder, grammar = self.draft, script.grammar
        if not grammar:
            text = builder.text(f'Not read: no grammar for lang="{script.attributes.get("lang", "")}".')
            builder.problems.append((PARTIAL, script.tag, script.tag_end, text))
            return
        use_grammar(builder, grammar)
        root = block(builder.data, script.start, script.end, grammar)
        statements(builder, root.named_children)
        find_problems(builder, root)
        self.doc = self.doc or module_doc(builder, root)


def use_grammar(builder: TsFactsBuilder, grammar: str) -> None:
    """What is read from now on are trees of this grammar."""
    builder.rules, builder.kinds, builder.script = rules(grammar), kinds(grammar), grammar == "javascript"


def _template(builder: TsFactsBuilder, blocks: Sequence[Script], grammar: str = "") -> Template:
    """The template, in the language of the blocks."""
    typed = any(script.grammar in ("typescript", "tsx") for script in blocks)
    chosen = grammar or ("typescript" if typed else "javascript")
    use_grammar(builder, chosen)
    return Template(builder, chosen)


def _vue(builder: TsFactsBuilder, root: Node) -> str:
    found = list(scripts(builder.data))
    plain = next((script for script in found if "setup" not in script.attributes), None)
    setup = next((script for script in found if "setup" in script.attributes), None)
    blocks, read = _Blocks(builder), [script for script in found if script in (plain, setup)]
    given: dict[str, int] = {}
    typed: list[int] = []

    def read_setup(setup_builder: TsFactsBuilder, statements: list[Node]) -> None:
        options.read_script(setup_builder, statements)
        given.update(props.prop_names(setup_builder, statements))
        typed.append(props.prop_type(setup_builder, statements))

    for script in read:
        if "src" in script.attributes:
            _elsewhere(builder, script)
        elif script is setup:
            blocks.read_body(script, read_setup)
        else:
            blocks.read(script, options.read_script)
    template = _template(builder, read)
    if setup is not None or not options.has_component(builder):
        template.enter(_first_tag(root, setup))
        blocks.give_to(builder.owner)
        template.given(given)
    else:
        template.enter_apart(options.template_names(builder))
        builder.owner = options.component_row(builder)
    since = len(builder.occurrences)
    vue.read_template(template, root)
    template.given(props.maybe_props(builder, typed[0] if typed else -1, since))
    return blocks.doc


def _elsewhere(builder: TsFactsBuilder, script: Script) -> None:
    """`<script src="./x.ts">`: the component is what that module exports."""
    spec = script.attributes["src"].encode()
    start = builder.data.find(spec, script.tag, script.start)
    builder.full = (script.tag, script.start)
    module = builder.module(builder.text(script.attributes["src"]), 0)
    value = builder.expression(MEMBER, module, builder.text(DEFAULT), -1)
    span = (script.tag, script.tag_end)
    row = give(builder, builder.text(DEFAULT), IMPORT, span, -1, flags=EXPORTED | DEFAULT_EXPORT)
    builder.definitions[row][D_VALUE] = value
    builder.imports.append(
        [builder.text(script.attributes["src"]), 0, builder.text(DEFAULT), row, 0, start, start + len(spec), 0]
    )


def _first_tag(root: Node, script: Script | None) -> tuple[int, int]:
    """Where a component without a name of its own is declared: the name of the first tag, or of the script's."""
    for part in root.named_children:
        if part.type in ("template_element", "script_element", "element") and part.children:
            for name in part.children[0].named_children[:1]:
                return name.start_byte, name.end_byte
    return (script.tag, script.tag_end) if script is not None else (0, 0)


def _svelte(builder: TsFactsBuilder, root: Node) -> str:
    found = [script for script in scripts(builder.data) if not _in_head(builder.data, script.start)]
    outer = next((script for script in found if _of_module(script)), None)
    inner = next((script for script in found if not _of_module(script)), None)
    blocks, read = _Blocks(builder), [script for script in found if script in (outer, inner)]
    for script in read:
        if script is inner:
            blocks.read_body(script)
        else:
            blocks.read(script)
    template = _template(builder, read)
    template.enter(_first_tag(root, inner or outer))
    blocks.give_to(builder.owner)
    svelte.read_markup(template, root)
    svelte.resolve_stores(builder)
    return blocks.doc


def _of_module(script: Script) -> bool:
    return "module" in script.attributes or script.attributes.get("context") == "module"


def _in_head(data: bytes, offset: int) -> bool:
    """Inside of `<svelte:head>`: a script of the page, none of the component."""
    return data.rfind(b"<svelte:head", 0, offset) > data.rfind(b"</svelte:head", 0, offset)


def _astro(builder: TsFactsBuilder, root: Node) -> str:
    blocks, front = _Blocks(builder), frontmatter(builder.data)
    if front is not None:
        blocks.read_body(front)
    template = _template(builder, (), "tsx")
    template.enter((front.tag, front.tag_end) if front is not None else _first_tag(root, None))
    blocks.give_to(builder.owner)
    astro.read_markup(template, root)
    for script in scripts(builder.data, front.end if front is not None else 0):
        builder.scope = builder.open_scope(BLOCK, script.start, script.end)
        builder.scopes[builder.scope][1] = 0
        builder.frame = TsFrame(-1, False)
        typed = {**script.attributes, "lang": "ts"}
        if "src" not in script.attributes and "define:vars" not in script.attributes:
            blocks.read(attrs.evolve(script, attributes=typed))
    props.page_props(builder)
    return blocks.doc


_READERS: Mapping[str, Callable[[TsFactsBuilder, Node], str]] = {".vue": _vue, ".svelte": _svelte, ".astro": _astro}
