"""JSX: elements that are built in are uses of what the workspace declares for them, and of nothing where it does not.

Owns: pragmas, configs and declaration files that say which namespace `JSX` a file has.
Must not know: components, faces.
Invariant: each case states all uses, so that one more or less is seen.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.snapshot import Snapshot
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

TABLE = """
export namespace JSX {
  interface Attributes { onTap?: () => void }
  interface Style { color?: string }
  export interface IntrinsicElements { box: BoxAttributes & Attributes; line: Attributes; [tag: string]: any }
  interface BoxAttributes { wide?: boolean; style?: Style }
}
"""
PAGE = "export const page = <box wide style={{ color: 'red' }} onTap={() => 1}><line onTap={() => 2} /></box>\n"
USES = {"box": 2, "line": 1}
GLOBAL = TABLE.replace("export namespace", "declare namespace")


def uses(snapshot: Snapshot, symbol: str) -> tuple[int, Mapping[str, int]]:
    """Uses outside of the file that declares, and causes for which there may be more."""
    place = one_symbol(snapshot, symbol)
    found = references(snapshot, place)
    causes = {str(gap.cause): gap.count for gap in found.completeness.gaps if gap.direction == "in"}
    return sum(use.file != place.file for use in found.uses), causes


WAYS: Mapping[str, Mapping[str, str]] = {
    "pragma": {"page.tsx": "/** @jsxImportSource ./own */\n" + PAGE, "own/jsx-runtime.ts": TABLE},
    "factory": {"page.tsx": "/** @jsx h */\nimport { h } from './own/h'\n" + PAGE, "own/h.ts": ""},
    "config": {
        "page.tsx": PAGE,
        "tsconfig.json": '{"compilerOptions": {"jsxImportSource": "own"}}',
        "own/package.json": '{"name": "own", "exports": {"./jsx-runtime": "./jsx-runtime.ts"}}',
        "own/jsx-runtime.ts": TABLE,
    },
    "global": {"page.tsx": PAGE, "own/jsx-runtime.d.ts": GLOBAL},
    "block": {"page.tsx": PAGE, "own/jsx-runtime.d.ts": f"declare module 'react' {{ {TABLE} }}\nexport {{}}\n"},
}
FACTORY = TABLE.replace("JSX {", "h {\n export namespace JSX {") + "}\nexport function h() {}\n"


@pytest.mark.parametrize("way", sorted(WAYS))
def test_elements_and_attributes_are_uses_of_what_declares_them(way: str) -> None:
    files = dict(WAYS[way])
    if way == "factory":
        files["own/h.ts"] = FACTORY
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    inner = {"onTap": 2, "wide": 1, "color": 1, "box": 2, "line": 1}
    (home,) = (path for path in snapshot.files() if path.startswith("own/"))
    facts = snapshot.facts(home)
    names = {facts.strings[name] for name in facts.definitions.name}
    assert names >= set(inner)
    for name, count in inner.items():
        assert uses(snapshot, name) == (count, {}), name


def test_what_no_file_declares_is_no_use_of_anything() -> None:
    code = "interface Props { wide: boolean }\nexport const page = (p: Props) => <box wide color='x'>{p.wide}</box>\n"
    snapshot = snapshot_of({"page.tsx": code.encode()})
    found = references(snapshot, one_symbol(snapshot, "Props.wide"))
    assert not found.completeness.gaps
    assert len(found.uses) == 1
    (path,) = snapshot.files()
    assert not snapshot.links(path).unresolved.occurrence


def test_a_source_that_is_not_there_leaves_the_question_open() -> None:
    files = {"page.tsx": "/** @jsxImportSource ./gone */\n" + PAGE, "own.ts": TABLE}
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    assert uses(snapshot, "Attributes.onTap") == (0, {"unknown_receiver": 2})


def test_a_config_that_only_tools_read_leaves_the_question_open() -> None:
    files = {
        "page.tsx": PAGE,
        "tsconfig.spec.json": '{"compilerOptions": {"jsxImportSource": "./own"}}',
        "own/jsx-runtime.ts": TABLE,
    }
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    assert uses(snapshot, "Attributes.onTap") == (0, {"unknown_receiver": 2})


def test_names_for_all_files_are_members_of_the_global_object() -> None:
    files = {
        "deno.d.ts": "declare namespace Deno { export function open(path: string): void }\n",
        "a.ts": "globalThis.Deno = {} as typeof Deno\nexport const f = () => window.Deno.open('x')\n",
    }
    snapshot = snapshot_of({path: text.encode() for path, text in files.items()})
    assert uses(snapshot, "deno.d.ts:Deno") == (3, {})
    assert uses(snapshot, "Deno.open") == (1, {})
