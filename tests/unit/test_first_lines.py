"""First lines: which language a file is in where its ending does not tell.

Owns: names of interpreters as they are written, base names, endings that are not overruled; callers in scripts.
Must not know: sessions, disks.
Invariant: a name that a language knows is never overruled by a first line.
"""

from __future__ import annotations

import pytest

from graphls.analysis.findings import findings
from graphls.facts.paths import FilePath
from graphls.graph.identity import file_id, symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.languages.registry import provider_of, providers
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.references import references
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.settings import Settings


def language(path: str, text: str = "") -> str:
    provider = provider_of(FilePath(path), text.encode())
    return "" if provider is None else provider.capabilities.name


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python", "python"),
        ("#! /usr/local/bin/python3.11 -u", "python"),
        ("#!C:\\\\Python312\\\\python.exe", "python"),
        ("#!/usr/bin/env -S uv run --script", "python"),
        ("#!/usr/bin/env -i -u HOME A=1 pypy3", "python"),
        ("#!/bin/bash\r", "bash"),
        ("#!/bin/sh -eu", "bash"),
        ("#!/bin/busybox sh", "bash"),
        ("#!/usr/bin/env -S node --no-warnings", "typescript"),
        ("#!/usr/bin/env -vS node --no-warnings", "typescript"),
        ("#!/usr/bin/env --split-string=deno run", "typescript"),
        ("#!/usr/bin/env -S npx tsx", "typescript"),
        ("#!/usr/bin/env bun", "typescript"),
        ("#!/usr/bin/env ruby2.7", "ruby"),
        ("#!/usr/bin/env php8.1", "php"),
        ("#!/usr/bin/env npx", ""),
        ("#!/usr/bin/env uv", ""),
        ("#!/usr/bin/perl", ""),
        ("#!/usr/bin/env zsh", ""),
        ("#!", ""),
        ("#!/usr/bin/env", ""),
        ("#!/usr/bin/env -S", ""),
        (" #!/bin/sh", ""),
        ("#!" + "/" * 300 + "python", ""),
        ("python3", ""),
        ("\ufeff#!/bin/sh", ""),
    ],
)
def test_the_first_line_names_the_language(line: str, expected: str) -> None:
    assert language("bin/tool", f"{line}\nx\n") == expected
    assert language("bin/tool.cgi", line) == expected
    assert language("bin/tool-1.2", line) == expected


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.yaml", "a.sh.in", "a.patch", "a.html.erb", "a.pl", "a.zsh"])
def test_an_ending_that_says_something_else_is_not_overruled(path: str) -> None:
    assert language(path, "#!/usr/bin/env python3\n") == ""


def test_a_language_by_ending_is_not_overruled() -> None:
    assert language("a.py", "#!/bin/sh\n") == "python"
    assert language("Rakefile", "#!/bin/sh\n") == "ruby"
    assert language("sub/Rakefile.py", "") == "python"


def test_names_and_interpreters_are_of_one_language() -> None:
    known = [provider.capabilities for provider in providers().values()]
    names = [name for one in known for name in (*one.file_names, *one.files)]
    assert len(names) == len(set(names))
    programs = [name for one in known for name in one.interpreters]
    assert len(programs) == len(set(programs)) > 10


SHOP = {
    "shop/__init__.py": "",
    "shop/sell.py": "def price(n): ...\ndef _only_here(): ...\ndef _lost(): ...\n",
    "bin/sell": (
        "#!/usr/bin/env python3\nfrom shop.sell import price, _only_here\n\n\n"
        "def main():\n    price(1)\n    _only_here()\n\n\nmain()\n"
    ),
}


def test_a_script_is_a_caller_and_its_uses_are_references() -> None:
    snapshot = snapshot_of(SHOP)
    price = one_symbol(snapshot, "shop.sell:price")
    found = references(snapshot, price)
    assert [one.file for one in (*found.bindings, *found.uses)] == ["shop/sell.py", "bin/sell", "bin/sell"]
    assert found.completeness.gaps == ()
    reached = [one.node for one in impact(snapshot, ImpactQuery(price)).affected if isinstance(one.node, SymbolRef)]
    assert [symbol_name(snapshot, node) for node in reached] == ["bin/sell:main", "bin/sell"]


def test_what_only_a_script_uses_is_not_unused() -> None:
    said = [one.title for one in findings(snapshot_of(SHOP), Settings()).findings if one.title.endswith("nothing uses")]
    assert [title.partition(":")[0] for title in said] == ["_lost"]


def test_a_script_is_no_module_that_imports_may_name() -> None:
    """`tool` was `import tool`, and took the name of the package from the files that mean that."""
    files = {
        "tool": "#!/usr/bin/env python3\nfrom tool.core import run\nrun()\n",
        "src/tool/__init__.py": "",
        "src/tool/core.py": "def run(): ...\n",
        "test_it.py": "import tool\ntool.core.run()\n",
    }
    snapshot = snapshot_of(files)
    without = snapshot_of({path: text for path, text in files.items() if path != "tool"})
    run = one_symbol(snapshot, "tool.core:run")
    assert {one.file for one in references(snapshot, run).uses} >= {"tool"}
    for path in without.shards:
        assert file_id(snapshot, path) == file_id(without, path)
        assert snapshot.module_name(path) == without.module_name(path)


def test_a_shell_script_without_an_ending_is_read_for_what_it_runs() -> None:
    files = {**SHOP, "bin/go": "#!/bin/sh\npython -m shop.sell\n", "go.sh": "python -m shop.sell\n"}
    snapshot = snapshot_of(files)
    found = impact(snapshot, ImpactQuery(SymbolRef(FilePath("shop/sell.py"), -1)))
    assert {"bin/go", "go.sh"} <= {
        symbol_name(snapshot, one.node) for one in found.affected if isinstance(one.node, SymbolRef)
    }
