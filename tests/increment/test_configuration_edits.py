"""Configuration and documents under random edits: what they name is what a fresh index finds.

Owns: a workspace of manifests, workflows, images, scripts, prose, styles, tables and schemas with code that they name.
Must not know: what any format means.
Invariant: after any edits the export, edges of documents and nodes of their entries among it, is that of a fresh index.
"""

from __future__ import annotations

from hypothesis import given, settings

from fixture_text import fixture
from graphls.graph.export import ExportOptions, export
from graphls.session.memory import snapshot_of
from increment.editor import Step, assert_as_fresh, steps_with

SPACE = """
    --- path: package.json ---
    {"name": "root", "workspaces": ["parts/*"], "main": "./web", "scripts": {
      "build": "npm run build -w @x/one && node web/build.js", "test": "yarn workspace two test",
      "check": "cd parts/one && npm run build"
    }}
    --- path: parts/one/package.json ---
    {"name": "@x/one", "main": "index.js", "scripts": {"build": "pnpm --filter two test", "lint": "npm run build"}}
    --- path: parts/two/package.json ---
    {"name": "two", "scripts": {"test": "node ../../web/build.js", "build": "sh ../../tools/run.sh"}}
    --- path: parts/one/index.js ---
    export const one = process.env.SHOP_MODE
    --- path: marts/dbt_project.yml ---
    name: marts
    --- path: marts/models/orders.sql ---
    select * from {{ ref('staged') }}
    --- path: marts/models/staged.sql ---
    select 1
    --- path: marts/models/schema.yml ---
    models:
      - name: orders
    --- path: web/index.js ---
    export const shown = 1
    --- path: web/build.js ---
    import { shown } from './index.js'
    export const built = shown
    --- path: pyproject.toml ---
    [project]
    name = "shop"
    readme = "README.md"
    [project.scripts]
    shop = "shop.cli:main"
    [tool.setuptools.dynamic]
    version = {attr = "shop.cli.VERSION"}
    --- path: shop/__init__.py ---
    --- path: shop/cli.py ---
    import os
    VERSION = "1"
    QUERY = "select mail, total from users where id = 1"
    def main():
        return os.environ["SHOP_MODE"]
    class Till:
        def open(self): return main()
    --- path: setup.cfg ---
    [options.entry_points]
    console_scripts =
        till = shop.cli:Till.open
    --- path: requirements.txt ---
    -r tools/more.txt
    --- path: tools/more.txt ---
    pytest
    --- path: .env ---
    SHOP_MODE=fast
    --- path: .github/workflows/ci.yml ---
    jobs:
      test:
        steps:
          - uses: ./.github/actions/set
          - run: npm run build && python -m shop.cli
      deploy:
        needs: test
        steps:
          - run: make ship && sh tools/run.sh
            working-directory: parts/two
    --- path: .github/actions/set/action.yml ---
    runs:
      steps:
        - run: npm test
    --- path: compose.yaml ---
    x-common: &common
      restart: always
    services:
      db:
        <<: *common
        image: shop/app:1
      web:
        build: .
        depends_on: [db]
        env_file: .env
        environment:
          SHOP_MODE: slow
    --- path: Dockerfile ---
    FROM python:3 AS base
    ENV SHOP_MODE=slow
    COPY shop/cli.py requirements.txt ./
    FROM base
    RUN npm run build
    --- path: Makefile ---
    ship: pack
    \tpython tools/pack.py
    pack:
    \tsh tools/run.sh
    --- path: tools/run.sh ---
    python tools/pack.py
    yarn workspace two build
    --- path: tools/pack.py ---
    from shop.cli import main
    main()
    --- path: README.md ---
    # Shop tools
    Sell with `shop.cli.main`, [the guide](docs/guide.md#how-to-sell), ![logo](img/logo.svg), [below](#more).
    ## More
    `tools/pack.py`, `SHOP_MODE`.
    --- path: docs/guide.md ---
    # How to sell
    [back](../README.md) and `parts/one/package.json`
    --- path: docs/index.rst ---
    .. _top:

    Index
    =====
    :func:`shop.cli.main`, :ref:`top`, :doc:`guide`
    --- path: img/logo.svg ---
    <svg/>
    --- path: css/a.css ---
    @import "b.css"; a { mask: url(../img/logo.svg) }
    --- path: css/b.css ---
    b { color: red }
    --- path: page.html ---
    <link href="css/a.css"><img srcset="img/logo.svg 2x"><a href="README.md">x</a>
    --- path: api/openapi.yaml ---
    openapi: 3.0.0
    paths:
      /users:
        get:
          schema: {$ref: '#/components/schemas/User'}
    components:
      schemas:
        User: {type: object}
    --- path: db/01.sql ---
    create table users (id int primary key, mail text, total int);
    --- path: db/02.sql ---
    alter table users add column age int;
    create view rich as select mail from users where total > 1;
    --- path: schema.graphql ---
    type Query { user(id: ID): User }
    type User { mail: String }
    --- path: ask.graphql ---
    query Mail { user(id: 1) { mail } }
    --- path: shop.proto ---
    syntax = "proto3"; package shop;
    message Item { string name = 1; }
    service Shop { rpc Sell(Item) returns (Item); }
    --- path: infra/main.tf ---
    module "net" {
      source = "./net"
    }
    --- path: infra/net/main.tf ---
    variable "mode" {}
"""
FILES = dict(fixture(SPACE).files)
ENDINGS = (
    ".json", ".toml", ".cfg", ".txt", ".yml", ".yaml", ".env", ".sh", ".md", ".rst", ".svg", ".css", ".html", ".sql",
    ".graphql", ".proto", ".tf", "Dockerfile", "Makefile", ".py", ".js",
)  # fmt: skip
BLOCKS = (
    b'{"name": "two", "scripts": {"test": "npm run build -w @x/one"}}',
    b'"name": "@x/one",',
    b"{",
    b"}",
    b'"',
    b"  other:\n    needs: test\n    steps:\n      - run: yarn workspace two build\n",
    b"      - run: npm run build -w two\n",
    b"\n# How to sell\n",
    b" [more](docs/guide.md#how-to-sell) `shop.cli.Till.open` ",
    b"\n```\n",
    b"\n.. _top:\n\n",
    b"create table users (id int, mail text);\n",
    b"alter table users drop column mail;\n",
    b"SHOP_MODE=1\n",
    b"type User { total: Int }\n",
    b"\npack: ship\n\tpython -m shop.cli\n",
    b"FROM base AS other\nCOPY tools/ ./\n",
    b"url(../img/logo.svg)",
    b"def main(): return 2\n",
    b"message Item { int32 size = 2; }\n",
)


def test_the_workspace_has_edges_of_all_kinds_of_documents() -> None:
    snapshot = snapshot_of(FILES)
    assert snapshot.derivation is not None
    lonely = [
        path
        for path in snapshot.shards
        if not any(edge.kind != "contains" for edge in snapshot.derivation.edges_from(snapshot, path))
    ]
    named_alone = {".env", "img/logo.svg", "css/b.css", "db/01.sql", "tools/more.txt", "infra/net/main.tf"}
    named_alone |= {"marts/dbt_project.yml", "marts/models/staged.sql"}
    documents = [path for path in lonely if not path.endswith((".py", ".js")) and path not in named_alone]
    assert documents == []
    assert export(snapshot, ExportOptions(mode="allow-errors"))


@given(steps=steps_with((*BLOCKS, *FILES.values()), 10))
@settings(max_examples=2)
def test_any_edits_end_where_a_fresh_index_begins(steps: list[Step]) -> None:
    assert_as_fresh(FILES, ENDINGS, steps)
