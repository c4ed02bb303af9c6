"""Conventions: what frameworks map and import by themselves.

Owns: that uses by such names lead to their definitions.
Must not know: which answers lack what.
Invariant: without the framework's package in a manifest none of it holds.
"""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

KIT = {
    "app/package.json": '{"devDependencies": {"@sveltejs/kit": "2"}}',
    "app/jsconfig.json": '{"extends": "./.svelte-kit/tsconfig.json"}',
    "app/src/lib/api.js": "export function get() {}\n",
    "app/src/lib/index.js": "export { get } from './api';\n",
    "app/src/routes/+page.server.js": "import { get } from '$lib/api';\nget();\n",
    "app/src/routes/+layout.server.js": "import * as api from '$lib/api';\nimport { get } from '$lib';\napi.get();\n",
}
NUXT = {
    "package.json": '{"devDependencies": {"nuxt": "3"}}',
    "tsconfig.json": '{"extends": "./.nuxt/tsconfig.json"}',
    "types.ts": "export interface Media { id: string }\n",
    "composables/tmdb.ts": "import type { Media } from '~/types'\nexport function listMedia(): Media[] { return [] }\n",
    "utils/deep/far.ts": "export function far() {}\n",
    "components/media/Card.vue": "<script setup>\ndefineProps({ a: Object })\n</script>\n<template><p/></template>\n",
    "components/media/MediaGrid.vue": "<template>\n<MediaCard/>\n<media-card/>\n<LazyMediaCard/>\n</template>\n",
    "pages/index.vue": "<script setup>\nlet a = listMedia()\nfar()\n</script>\n<template>\n<MediaGrid/>\n</template>\n",
}


def users(files: dict[str, str], symbol: str) -> list[str]:
    """Files and lines of all uses of a symbol outside its own file."""
    snapshot = snapshot_of(files)
    place = one_symbol(snapshot, symbol)
    uses = [use for use in references(snapshot, place).uses if use.file != place.file]
    return sorted(f"{use.file}:{snapshot.facts(use.file).line_column(use.start)[0] + 1}" for use in uses)


def test_sveltekit_maps_lib() -> None:
    assert users(KIT, "app/src/lib/api.js:get") == [
        "app/src/lib/index.js:1",
        "app/src/routes/+layout.server.js:2",
        "app/src/routes/+layout.server.js:3",
        "app/src/routes/+page.server.js:1",
        "app/src/routes/+page.server.js:2",
    ]


def test_nuxt_maps_its_folders() -> None:
    assert users(NUXT, "types.ts:Media") == ["composables/tmdb.ts:1", "composables/tmdb.ts:2"]


@pytest.mark.parametrize("home", ["", "app/"])
def test_nuxt_imports_by_itself(home: str) -> None:
    moved = {f"{home}{path}" if "/" in path else path: text for path, text in NUXT.items()}
    assert users(moved, f"{home}composables/tmdb.ts:listMedia") == [f"{home}pages/index.vue:2"]
    snapshot = snapshot_of(moved)
    grid = FilePath(f"{home}components/media/MediaGrid.vue")
    found = {
        (snapshot.facts(grid).line_column(snapshot.facts(grid).occurrences.start[row])[0], target.place.file)
        for row in range(len(snapshot.facts(grid).occurrences))
        for target in snapshot.targets(grid, row)
        if target.place is not None
    }
    assert found == {(line, f"{home}components/media/Card.vue") for line in (1, 2, 3)}
    # What lies deeper in `utils` is imported by nobody.
    assert users(moved, f"{home}utils/deep/far.ts:far") == []


def test_without_the_framework_nothing_is_given() -> None:
    assert users({**KIT, "app/package.json": "{}"}, "app/src/lib/api.js:get") == ["app/src/lib/index.js:1"]
    assert users({**NUXT, "package.json": "{}"}, "composables/tmdb.ts:listMedia") == []
