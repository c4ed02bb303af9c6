"""Records of TypeScript: what is exported, what modules, signatures and outside names are called."""

from __future__ import annotations

import pytest

from graphls.graph.export import ExportOptions, export
from graphls.graph.records import Node
from graphls.session.memory import snapshot_of

MODULE = """
import fs from 'node:fs'
import os from 'os'
import { z } from 'zod'
export class Shop<T> {
  private till = 1
  protected count(): void {}
  #secret = 2
  _plain = 3
  constructor(private readonly name: string, public size: number) {}
  async sell(item: T): Promise<Response> { return fs.sell(os, z, item) }
}
function helper(): Array<string> { return [] }
function renamed() {}
const passed = 1, object = { kept: helper }, own = 2
export { renamed as given, passed }
export default object
namespace Inner { export const a = 1 }
export namespace Outer { export const seen = 1; const unseen = 2 }
export const arrow = async (text: string): Promise<Array<string>> => text.split('.')
"""
IMPORTS = ("import", "api_member")
SCRIPT = """
function offered() {}
function own() {}
module.exports = { offered, other: 1 }
"""


def _nodes(files: dict[str, str]) -> dict[str, Node]:
    lines = export(snapshot_of(files), ExportOptions(mode="allow-errors")).records()
    return {node.qualified_name: node for node in lines if isinstance(node, Node) and node.kind not in IMPORTS}


@pytest.fixture(scope="module")
def module() -> dict[str, Node]:
    return _nodes({"src/shop.ts": MODULE})


def test_exported_is_what_a_file_exports(module: dict[str, Node]) -> None:
    exported = {name for name, node in module.items() if node.exported and node.file}
    assert exported == {
        *("src/shop.ts", "Shop", "Shop._plain", "Shop.constructor", "Shop.size", "Shop.sell"),
        *("renamed", "passed", "object", "object.kept", "Outer", "Outer.seen", "arrow"),
    }


def test_what_module_exports_holds_is_exported() -> None:
    script = _nodes({"a.js": SCRIPT})
    assert script["offered"].exported
    assert not script["own"].exported


def test_a_file_of_plain_declarations_offers_all_of_them() -> None:
    assert _nodes({"global.d.ts": "declare function ask(): void\n"})["ask"].exported
    assert not _nodes({"global.d.ts": "import x from 'y'\ndeclare function ask(): void\n"})["ask"].exported


@pytest.mark.parametrize(
    ("name", "visibility"),
    [
        ("Shop.till", "private"),
        ("Shop.#secret", "private"),
        ("Shop.name", "private"),
        ("Shop.count", "internal"),
        ("Shop._plain", "public"),
        ("Shop.sell", "public"),
    ],
)
def test_visibility_is_said_by_words(module: dict[str, Node], name: str, visibility: str) -> None:
    assert module[name].visibility == visibility


def test_modules_are_called_as_their_files_are(module: dict[str, Node]) -> None:
    assert module["src/shop.ts"].name == "shop.ts"


def test_signatures_keep_their_end(module: dict[str, Node]) -> None:
    assert module["Shop.sell"].signature == "async sell(item: T): Promise<Response>"
    assert module["Shop"].signature == "export class Shop<T>"
    assert module["helper"].signature == "function helper(): Array<string>"
    assert (module["arrow"].signature or "").endswith("Promise<Array<string>>")


@pytest.mark.parametrize("ending", ["a.ts", "a.py"])
def test_a_long_signature_loses_its_middle(ending: str) -> None:
    names = ", ".join(f"parameter{number}: str" for number in range(60))
    text = f"function f({names}): Last {{}}" if ending == "a.ts" else f"def f({names}) -> Last: ..."
    signature = _nodes({ending: text})["f"].signature or ""
    assert len(signature) <= 500
    assert signature.rstrip(":").endswith("Last")
    assert "parameter0: str" in signature


def test_what_comes_with_the_language_is_no_other_package() -> None:
    text = "import { sep } from 'os'\nimport { z } from 'zod'\nimport c from 'chart.js'\n"
    text += "export const a = sep, b = z.string(), d = c, e = 'x'.replace('x', 'y')\n"
    kinds = {name: node.kind for name, node in _nodes({"a.ts": text}).items() if not node.file}
    assert kinds["os"] == kinds["string.replace"] == "stdlib_item"
    assert kinds["zod"] == "external"


def test_the_library_of_one_language_is_none_of_another() -> None:
    assert _nodes({"a.py": "import zlib, fs\n"})["fs"].kind == "external"
    assert _nodes({"a.ts": "import textwrap from 'textwrap'\nexport default textwrap\n"})["textwrap"].kind == "external"
    assert _nodes({"a.ts": "import chart from 'chart.js'\nexport default chart\n"})["chart.js"].name == "chart.js"
