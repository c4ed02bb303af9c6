"""Bundlers: names that configs of bundlers give lead to files, as far as they are written out.

Owns: the ways to write an alias, and what is not plain.
Must not know: what files contain.
Invariant: nothing of a config is run.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

SVELTE = """
import adapter from '@sveltejs/adapter-auto';
/** @type {import('@sveltejs/kit').Config} */
const config = {
  kit: { adapter: adapter(), alias: { $ui: 'src/ui', 'exact/*': './src/ui/*' }, files: { lib: 'source/lib' } }
};
export default config;
"""
VITE = """
import { defineConfig } from 'vite'
import path from 'node:path'
import { fileURLToPath, URL } from 'node:url'
export default defineConfig(({ mode }) => ({
  resolve: { alias: {
    '@': fileURLToPath(new URL('./src', import.meta.url)),
    ui: path.resolve(__dirname, 'src', 'ui'),
    '~/': `${__dirname}/src/`,
    rooted: '/src/ui',
    odd: process.env.ODD,
    ...more,
  } },
}) satisfies UserConfig)
"""
WEBPACK = """
const { resolve } = require('path')
module.exports = { resolve: { alias: { only$: resolve(__dirname, 'src/ui/a.ts'), all: resolve('src/ui') } } }
"""
LIST = """
export default { resolve: { alias: [
  { find: '@ui', replacement: path.join(__dirname, './src/ui') },
  { find: /^x/, replacement: 'y' },
] } }
"""
FILES = {
    "src/ui/a.ts": "export const a = 1\n",
    "src/ui/index.ts": "export const whole = 1\n",
    "source/lib/l.ts": "export const l = 1\n",
}
CASES: list[tuple[str, str, Mapping[str, str]]] = [
    ("svelte.config.js", SVELTE, {"$ui/a": "a", "$ui": "whole", "exact/a": "a", "$lib/l": "l"}),
    ("vite.config.ts", VITE, {"@/ui/a": "a", "ui": "whole", "ui/a": "a", "~/ui/a": "a", "rooted/a": "a"}),
    ("web/vite.config.mts", VITE, {"@/ui/a": "a"}),
    ("webpack.config.js", WEBPACK, {"only": "a", "all/a": "a"}),
    ("vitest.config.js", LIST, {"@ui/a": "a", "@ui": "whole"}),
]


def made(config: str, text: str, imports: Mapping[str, str]) -> Snapshot:
    home = config.rpartition("/")[0]
    before = f"{home}/" if home else ""
    lines = [f"import {{ {name} as n{number} }} from '{spec}'" for number, (spec, name) in enumerate(imports.items())]
    files = {config: text, f"{before}src/page.ts": "\n".join(lines), "package.json": '{"name": "x"}'}
    return snapshot_of({**files, **{f"{before}{path}": code for path, code in FILES.items()}})


@pytest.mark.parametrize(("config", "text", "imports"), CASES, ids=[case[0] for case in CASES])
def test_names_lead_to_files(config: str, text: str, imports: Mapping[str, str]) -> None:
    snapshot = made(config, text, imports)
    for name in set(imports.values()):
        answer = references(snapshot, one_symbol(snapshot, name))
        assert not answer.completeness.gaps, name
        places = [(use.file, use.start) for use in answer.uses if use.file.endswith("page.ts")]
        lines = {snapshot.facts(file).line_column(start)[0] for file, start in places}
        assert lines == {number for number, wanted in enumerate(imports.values()) if wanted == name}


def test_what_is_not_plain_says_nothing() -> None:
    snapshot = made("vite.config.ts", VITE, {"odd/a": "a", "more/a": "a"})
    table = snapshot.modules["typescript"]
    assert not [entry for entry in table.aliases["bundler:"] if entry.startswith(("odd", "more"))]
    assert table.find("src/ui/a.ts", FilePath("src/page.ts")) == "src/ui/a.ts"


def test_only_exact_names_of_webpack() -> None:
    snapshot = made("webpack.config.js", WEBPACK, {"only/b": "a"})
    assert snapshot.modules["typescript"].aliases["bundler:"][0] == "only\tsrc/ui/a.ts"
