"""Packages: what manifests of Python and of npm make of the folders they stand in."""

from __future__ import annotations

import json

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.export import Export, ExportOptions, export
from graphls.graph.records import Edge, Header, Node
from graphls.graph.scope import Scope
from graphls.session.index.packages import declared_packages
from graphls.session.memory import snapshot_of

ROOT = {"name": "shop", "version": "2.1.0", "workspaces": ["packages/*", "!packages/old"], "private": True}
CORE = {"name": "@shop/core", "version": "1.0.0", "dependencies": {"zod": "^3"}, "peerDependencies": {"zod": ">=3"}}
WEB = {"name": "@shop/web", "dependencies": {"@shop/core": "workspace:*", "react": "18"}, "devDependencies": {"x": 1}}
NPM = {
    "package.json": json.dumps(ROOT),
    "packages/core/package.json": json.dumps(CORE),
    "packages/core/index.ts": "export const a = 1\n",
    "packages/web/package.json": json.dumps(WEB),
    "packages/web/page.ts": "import { a } from '@shop/core'\nexport const b = a\n",
    "packages/old/package.json": "{}",
    "packages/bare/package.json": "{}",
}


def _export(files: dict[str, str], **options: object) -> Export:
    return export(snapshot_of(files), ExportOptions(mode="allow-errors", **options))  # pyright: ignore[reportArgumentType]


def _required(made: Export) -> dict[tuple[str, str], object]:
    records = list(made.records())
    names = {node.id: node.name for node in records if isinstance(node, Node)}
    edges = [edge for edge in records if isinstance(edge, Edge) and edge.kind == "requires"]
    return {(names[edge.source], names[edge.target]): edge.attributes for edge in edges}


def test_packages_of_an_npm_workspace_are_nodes() -> None:
    made = _export(NPM)
    header, *records = made.records()
    assert isinstance(header, Header)
    assert header.workspace.name == "shop"
    packages = {node.name: node.attributes for node in records if isinstance(node, Node) and node.kind == "package"}
    assert packages == {
        "shop": {"folders": ["."], "version": "2.1.0"},
        "@shop/core": {"folders": ["packages/core"], "version": "1.0.0", "workspace_member": True},
        "@shop/web": {"folders": ["packages/web"], "workspace_member": True},
        "packages/bare": {"folders": ["packages/bare"], "workspace_member": True},
    }
    page = next(node for node in records if isinstance(node, Node) and node.qualified_name == "b")
    assert page.package == "@shop/web"


def test_what_packages_need_is_an_edge() -> None:
    assert _required(_export(NPM)) == {
        ("@shop/core", "zod"): {"versions": [">=3", "^3"], "groups": ["dependencies", "peerDependencies"]},
        ("@shop/web", "@shop/core"): {"versions": ["workspace:*"], "groups": ["dependencies"]},
        ("@shop/web", "react"): {"versions": ["18"], "groups": ["dependencies"]},
        ("@shop/web", "x"): {"groups": ["devDependencies"]},
    }


def test_a_part_of_the_graph_has_both_ends_of_what_it_needs() -> None:
    made = _required(_export(NPM, scope=Scope("package", "@shop/web")))
    assert set(made) == {("@shop/web", "@shop/core"), ("@shop/web", "react"), ("@shop/web", "x")}
    assert not _required(_export(NPM, kinds=("callable",)))


def test_requirements_of_python() -> None:
    project = """[project]
name = "shop"
version = "3"
dependencies = ["Shop_Core >=1,<2 ; python_version > '3'", "PyYAML[fast]"]
[dependency-groups]
dev = ["pytest", {include-group = "x"}]
"""
    core = "[metadata]\nname = shop-core\nversion = file: VERSION\n[options]\ninstall_requires =\n  attrs\n"
    made = _required(_export({"pyproject.toml": project, "core/setup.cfg": core, "core/a.py": "", "b.py": ""}))
    assert made == {
        ("shop", "shop-core"): {"versions": [">=1,<2"], "groups": ["dependencies"]},
        ("shop", "PyYAML"): {"groups": ["dependencies"]},
        ("shop", "pytest"): {"groups": ["dependency-groups.dev"]},
        ("shop-core", "attrs"): {"groups": ["dependencies"]},
    }


def test_a_manifest_of_python_names_a_folder_before_one_of_npm() -> None:
    both = {
        FilePath("pyproject.toml"): b'[project]\nname = "site"\n',
        FilePath("package.json"): b'{"name": "tools", "version": "1", "devDependencies": {"eslint": "9"}}',
    }
    found = declared_packages(both)[FilePath("")]
    assert (found.name, found.version, [one.name for one in found.requires]) == ("site", "1", ["eslint"])


@pytest.mark.parametrize(
    ("patterns", "members"),
    [
        ("packages:\n  - 'apps/*'\n  - \"libs/**\" # all\n", {"apps/web", "libs/a/b"}),
        ("packages:\n- apps/web\n- '!apps/web'\n", set[str]()),
        ("# none\ncatalog:\n  - apps/*\n", set[str]()),
        ("packages:\n  - '**'\n  - '!**/web'\n", {"libs/a/b"}),
        ("packages:\n  - 'a*p*/w*b'\n", {"apps/web"}),
        ("packages:\n  - '" + "**/" * 5_000 + "*a'\n", set[str]()),
    ],
)
def test_members_of_a_pnpm_workspace(patterns: str, members: set[str]) -> None:
    manifests = {
        FilePath("pnpm-workspace.yaml"): patterns.encode(),
        FilePath("apps/web/package.json"): b"{}",
        FilePath("libs/a/b/package.json"): b"{}",
    }
    assert set(declared_packages(manifests)) == members


@pytest.mark.parametrize("text", ["", "[]", '{"name": 1}', '{"name": "a\\u0007"}', '{"workspaces": 3}', "\xff"])
def test_broken_manifests_declare_nothing(text: str) -> None:
    assert not declared_packages({FilePath("package.json"): text.encode("latin-1")})


def test_modules_of_go_are_packages() -> None:
    text = (
        b"module example.org/shop // comment\n\ngo 1.22\n\nrequire golang.org/x/text v0.3.0\n\nrequire (\n"
        b"\tgithub.com/one/two v1.2.3\n\texample.org/far v0.1.0-20200101 // indirect\n)\n\n"
        b"replace (\n\texample.org/old v1.0.0 => example.org/new v1.1.0\n)\nexclude example.org/bad v1.0.0\n"
    )
    found = declared_packages({FilePath("a/go.mod"): text, FilePath("b/go.mod"): b"go 1.22\n"})
    assert list(found) == ["a"]
    assert found[FilePath("a")].name == "example.org/shop"
    assert [(one.name, one.version, one.group) for one in found[FilePath("a")].requires] == [
        ("example.org/far", "v0.1.0-20200101", "indirect"),
        ("github.com/one/two", "v1.2.3", "require"),
        ("golang.org/x/text", "v0.3.0", "require"),
    ]
