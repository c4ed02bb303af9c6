"""TypeScript modules: what manifests say about names, and which file a name means.

Owns: rules of endings, folders, paths and packages.
Must not know: what files contain.
Invariant: each case is one rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.json_text import read_json
from graphls.languages.typescript.manifests import aliases
from graphls.linking.module_table import ModuleTable
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of

WORKSPACE: Mapping[str, str] = {
    "tsconfig.json": '{ "files": [], "references": [{ "path": "./web" }] }',
    "web/tsconfig.json": '{ "extends": "../tsconfig.base.json", "compilerOptions": { "rootDirs": ["src", "made"] } }',
    "tsconfig.base.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["shared/*", "lib/*"], }, } }',
    "lib/a.ts": "export const a = 1;",
    "shared/b.ts": "export const b = 1;",
    "web/src/view.ts": "",
    "web/src/page.tsx": "",
    "web/src/index.ts": "",
    "web/made/routes.ts": "",
    "web/src/types.d.ts": "",
    "web/src/data.js": "",
    "web/src/both.js": "",
    "web/src/both.ts": "",
    "tools/package.json": '{ "name": "@x/tools", "main": "dist/main.js", "imports": { "#in": "./src/in.ts" } }',
    "tools/src/main.ts": "",
    "tools/src/in.ts": "",
    "tools/bin.mjs": "",
    "kit/package.json": '{ "name": "kit", "exports": { "./*": { "types": "./src/*.ts" } } }',
    "kit/src/one.ts": "",
}

CASES = [
    ("web/src/view.ts", "./page", "web/src/page.tsx"),
    ("web/src/view.ts", "./page.js", "web/src/page.tsx"),
    ("web/src/view.ts", "./data", "web/src/data.js"),
    ("web/src/view.ts", "./both.js", "web/src/both.ts"),
    ("web/src/view.ts", "./types", "web/src/types.d.ts"),
    ("web/src/view.ts", ".", "web/src/index.ts"),
    ("web/src/view.ts", "./routes", "web/made/routes.ts"),
    ("web/src/view.ts", "@lib/a", "lib/a.ts"),
    ("web/src/view.ts", "@lib/b", "shared/b.ts"),
    ("web/src/view.ts", "lib/a", "lib/a.ts"),
    ("web/src/view.ts", "@x/tools", "tools/src/main.ts"),
    ("web/src/view.ts", "@x/tools/bin.mjs", "tools/bin.mjs"),
    ("tools/src/main.ts", "#in", "tools/src/in.ts"),
    ("tools/src/main.ts", "@x/tools", "tools/src/main.ts"),
    ("tools/src/main.ts", "kit/one", "kit/src/one.ts"),
    ("kit/src/one.ts", "@x/tools/dist/in", "tools/src/in.ts"),
    ("tools/src/main.ts", "../../tools", "tools/src/main.ts"),
    ("tools/src/main.ts", "../../../outside", ""),
    ("tools/src/main.ts", "lodash", "lodash"),
    ("tools/src/main.ts", "./nowhere", ""),
]


def _answer(snapshot: Snapshot, path: FilePath) -> str:
    links = snapshot.links(path)
    if not len(links.module_targets):
        return ""
    target = snapshot.module_target(path, links, 0)
    return target.place.file if target.place else target.external


@pytest.mark.parametrize(("importer", "spec", "wanted"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES])
def test_name_means_file(importer: str, spec: str, wanted: str) -> None:
    snapshot = snapshot_of({**WORKSPACE, importer: f'import "{spec}";'})
    assert _answer(snapshot, FilePath(importer)) == wanted


def test_every_answer_of_a_manifest_is_a_dependency() -> None:
    path = FilePath("web/src/view.ts")
    files = {**WORKSPACE, path: 'import "@lib/a";'}
    lookups = snapshot_of(files).links(path).lookups
    assert any(lookup.startswith("@config:web\t") and "@lib/*" in lookup for lookup in lookups)


def test_manifests_that_cannot_be_read_say_nothing() -> None:
    broken = {FilePath("package.json"): b"{", FilePath("a/tsconfig.json"): b"[1]", FilePath("b/package.json"): b"\xff"}
    assert not aliases(broken)
    odd = b'{"compilerOptions": {"paths": {"a": 1, "b": ["../../../x", "\\u0000"]}, "baseUrl": 3}, "extends": {}}'
    assert not aliases({FilePath("tsconfig.json"): odd})


def test_configs_that_extend_each_other_end() -> None:
    config = b'{ "extends": "./tsconfig.json", "compilerOptions": { "baseUrl": "." } }'
    assert aliases({FilePath("tsconfig.json"): config}) == {"config:": ("*\t*",)}


def test_json_with_comments() -> None:
    assert read_json(b'\xef\xbb\xbf{ /* a */ "x": "//no", // b\n "y": [1, 2,], }') == {"x": "//no", "y": [1, 2]}


def test_tables_without_manifests_have_no_aliases() -> None:
    table = snapshot_of({"a.py": "", "a.ts": ""}).modules
    assert isinstance(table["python"], ModuleTable)
    assert not table["python"].aliases
    assert not table["typescript"].aliases


TAKEN = """const one = require("left-pad")
const { Client: Two } = require("@scope/undici")
const three = require("node:fs")
const { four } = require("events")
one(Two, three, four)
"""


@pytest.mark.parametrize(
    ("depends", "shown"),
    [
        ({}, ["one", "Two", "three", "four"]),
        ({"left-pad": "1"}, ["Two", "three", "four"]),
        ({"@types/left-pad": "1", "@types/scope__undici": "1"}, ["three", "four"]),
        ({"@types/node": "1"}, ["one", "Two"]),
    ],
)
def test_what_no_manifest_mentions_leads_to_where_it_is_brought_in(depends: dict[str, str], shown: list[str]) -> None:
    manifest = json.dumps({"name": "app", "devDependencies": depends})
    snapshot = snapshot_of({"package.json": manifest, "src/a.js": TAKEN})
    path, use = FilePath("src/a.js"), TAKEN.rindex("one(")
    led: list[str] = []
    for name in ("one", "Two", "three", "four"):
        found = definition(snapshot, path, TAKEN.index(name, use))
        assert found is not None
        assert len(found.externals) == 1
        led += [TAKEN[one.start : one.end] for one in found.places if one.start < use]
    assert led == shown


def test_a_name_of_a_module_that_is_not_there_leads_to_what_brings_it_in() -> None:
    text = (
        'import { built, type Made as Own } from "../dist/built"\nexport const kept: Own = built(built)\nkept.built\n'
    )
    snapshot = snapshot_of({"src/a.ts": text})
    found = {
        name: definition(snapshot, FilePath("src/a.ts"), text.index(name)) for name in ("Own =", "built(", "built)")
    }
    led = {name: [text[one.start : one.end] for one in answer.places] for name, answer in found.items() if answer}
    assert led == {"Own =": ["Own"], "built(": ["built"], "built)": ["built"]}
    assert all(one.start < text.index("from") for answer in found.values() if answer for one in answer.places)
    member = definition(snapshot, FilePath("src/a.ts"), text.rindex("built"))
    assert member is not None
    assert not member.places
