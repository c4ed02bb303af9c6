"""A component file over the protocol: positions of template and script in every encoding, before and after an edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.lsp_workspace import Workspace

TEXT = """--- path: Child.vue ---
<template><i /></template>
--- path: App.vue ---
<template>
  <p title="\U0001f600 é">\U0001f600 {{ greet(name) }}</p><Child :a="name" />
</template>
<script setup lang="ts">
import Child from './Child.vue'
const name = '\U0001f600'
function greet(text: string) { return text }
</script>
--- path: package.json ---
{}
"""
PATH = "App.vue"


@pytest.fixture(params=["utf-8", "utf-16", "utf-32"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(tmp_path / "w", TEXT, encoding=request.param)
    made.ready()
    made.open(PATH)
    yield made
    made.close()


def _lower(position: Any) -> object:
    """Two lines further down."""
    return {**position, "line": position["line"] + 2}


def test_names_of_the_template_lead_to_the_script_wherever_it_moves(opened: Workspace) -> None:
    found = opened.ask("textDocument/definition", **opened.at(PATH, "greet", 0))
    assert [place["range"] for place in found] == [opened.range(PATH, "greet", 1)]
    assert opened.ask("textDocument/hover", **opened.at(PATH, "Child", 0))["contents"]
    child = opened.ask("textDocument/definition", **opened.at(PATH, "Child", 0))
    assert [place["uri"] for place in child] == [opened.uri("Child.vue")]
    change = {
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
        "text": "<b>é</b>\n\n",
    }
    opened.tell(
        "textDocument/didChange",
        textDocument={"uri": opened.uri(PATH), "version": 2},
        contentChanges=[change],
    )
    use = {"textDocument": opened.document(PATH), "position": _lower(opened.at(PATH, "greet", 0)["position"])}
    moved = {end: _lower(place) for end, place in opened.range(PATH, "greet", 1).items()}
    found = opened.ask("textDocument/definition", **use)
    assert [place["range"] for place in found] == [moved]
    uses = opened.ask("textDocument/references", **use, context={"includeDeclaration": False})
    assert [use["range"]["start"]["line"] for use in uses] == [3]
