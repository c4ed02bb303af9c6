"""What compose, skaffold, Makefiles, scripts and runners of packages name beside the commonest things.

Owns: networks, volumes and stages of compose, folders of artifacts, targets of files that are brought in, variables,
    scripts of other packages.
Must not know: how formats are read.
Invariant: a name leads to the entry that declares it in its own kind, never to one that is only called alike.
"""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of

SPACE = """
    --- path: docker-compose.yml ---
    services:
      web:
        build:
          context: ./web
          target: dev
        networks:
          - front
        volumes:
          - data:/var/data
          - ./web:/app
          - /var/lib
          - web
        secrets: [key]
      db:
        image: postgres
        networks:
          back:
            aliases: [front]
          front:
        volumes:
          - type: volume
            source: data
          - type: bind
            source: ./web/app.js
        configs:
          - source: settings
      other:
        build:
          context: ./web
          dockerfile: Other.Dockerfile
          target: dev
      extended:
        extends:
          service: db
      service:
        image: x
    volumes:
      data:
    networks:
      front:
      back:
    secrets:
      key:
        file: key.txt
    configs:
      settings:
        file: settings.txt
    --- path: key.txt ---
    --- path: settings.txt ---
    --- path: docker-stack.yml ---
    services:
      db:
        networks: [inner]
    networks:
      inner:
    --- path: web/Dockerfile ---
    FROM node AS dev
    --- path: web/Other.Dockerfile ---
    FROM node AS final
    --- path: web/app.js ---
    export const a = 1
    --- path: skaffold.yaml ---
    build:
      artifacts:
      - image: a
        context: app
        docker:
          dockerfile: One.Dockerfile
      - image: b
        context: app
        custom:
          dependencies:
            paths: [make.cfg, "*.go"]
      - image: c
        custom:
          dependencies:
            paths: [top.cfg]
    deploy:
      helm:
        releases:
        - name: shop
          chartPath: charts/shop
          valuesFiles: [charts/values.yaml]
    --- path: app/One.Dockerfile ---
    FROM go
    --- path: app/make.cfg ---
    --- path: make.cfg ---
    --- path: top.cfg ---
    --- path: charts/shop/Chart.yaml ---
    name: shop
    --- path: charts/values.yaml ---
    a: 1
    --- path: Makefile ---
    include common.mk
    include absent.mk $(OTHER)
    CONFIG ?= .tool.yml
    OUT = fixtures/out.txt fixtures/none.txt
    IMAGE = a:b
    ifeq (a, b)
    \tSECOND := fixtures/out.txt
    endif
    all: shared own both
    \tTHIRD=fixtures/out.txt true
    own:
    \ttrue
    both:
    \ttrue
    --- path: common.mk ---
    shared:
    \ttrue
    both:
    \ttrue
    --- path: .tool.yml ---
    a: 1
    --- path: fixtures/out.txt ---
    --- path: tools/set ---
    #!/bin/sh
    VERSION_FILE="shop/version.py"
    LIST='names.txt'
    --- path: shop/version.py ---
    --- path: names.txt ---
    --- path: package.json ---
    {"scripts": {
      "one": "pnpm run -C packages/p build && npm --prefix packages/q run build",
      "two": "pnpm run --filter ./packages/p -r build",
      "three": "pnpm --filter=./packages/p check",
      "four": "pnpm --filter p build",
      "five": "pnpm run -r build",
      "six": "pnpm --filter './packages/*' build",
      "seven": "pnpm run -C ../out build",
      "eight": "pnpm run --filter ./packages/p --filter ./packages/q build",
      "build": "tsc"
    }}
    --- path: packages/p/package.json ---
    {"name": "p", "scripts": {"build": "tsc", "check": "tsc"}}
    --- path: packages/q/package.json ---
    {"name": "q", "scripts": {"build": "tsc"}}
"""
COMPOSE, PACKAGE, SKAFFOLD = "docker-compose.yml", "package.json", "skaffold.yaml"


@pytest.fixture(scope="module")
def space() -> Snapshot:
    return snapshot_of(fixture(SPACE).files)


def _leads(snapshot: Snapshot, path: str, words: str, before: str) -> str:
    text = (snapshot.text(FilePath(path)) or b"").decode()
    start = text.index(before + words) + len(before)
    site = (path, start, start + len(words))
    assert snapshot.derivation is not None
    found = [edge.target for edge in snapshot.derivation.edges_from(snapshot, FilePath(path)) if site in edge.sites]
    assert len(found) <= 1
    return "" if not found else _name(snapshot, found[0])


def _name(snapshot: Snapshot, target: object) -> str:
    if isinstance(target, DerivedNode):
        return f"{target.file}#{target.name}"
    return target if isinstance(target, str) else symbol_name(snapshot, target)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("path", "before", "words", "leads"),
    [
        (COMPOSE, "target: ", "dev", "web/Dockerfile#dev"),
        (COMPOSE, "Other.Dockerfile\\n      target: ", "dev", ""),
        (COMPOSE, "      - ", "front", f"{COMPOSE}#networks.front"),
        (COMPOSE, "      ", "back", f"{COMPOSE}#networks.back"),
        (COMPOSE, "aliases: [", "front", ""),
        (COMPOSE, "      - ", "data", f"{COMPOSE}#volumes.data"),
        (COMPOSE, "source: ", "data", f"{COMPOSE}#volumes.data"),
        (COMPOSE, "source: ", "./web/app.js", "web/app.js"),
        (COMPOSE, "/var/lib\\n      - ", "web", ""),
        (COMPOSE, "secrets: [", "key", f"{COMPOSE}#secrets.key"),
        (COMPOSE, "source: ", "settings", f"{COMPOSE}#configs.settings"),
        (COMPOSE, "service: ", "db", f"{COMPOSE}#services.db"),
        (COMPOSE, "extends:\\n      ", "service", ""),
        ("docker-stack.yml", "networks: [", "inner", "docker-stack.yml#networks.inner"),
        (SKAFFOLD, "dockerfile: ", "One.Dockerfile", "app/One.Dockerfile"),
        (SKAFFOLD, "paths: [", "make.cfg", "app/make.cfg"),
        (SKAFFOLD, "paths: [", "top.cfg", "top.cfg"),
        (SKAFFOLD, "chartPath: ", "charts/shop", "charts/shop/Chart.yaml"),
        (SKAFFOLD, "valuesFiles: [", "charts/values.yaml", "charts/values.yaml"),
        ("Makefile", "all: ", "shared", "common.mk#shared"),
        ("Makefile", "all: shared ", "own", "Makefile#own"),
        ("Makefile", "own ", "both", "Makefile#both"),
        ("Makefile", "CONFIG ?= ", ".tool.yml", ".tool.yml"),
        ("Makefile", "OUT = ", "fixtures/out.txt", "fixtures/out.txt"),
        ("Makefile", "SECOND := ", "fixtures/out.txt", "fixtures/out.txt"),
        ("Makefile", "THIRD=", "fixtures/out.txt", "fixtures/out.txt"),
        ("Makefile", "OUT = fixtures/out.txt ", "fixtures/none.txt", ""),
        ("tools/set", '"', "shop/version.py", "shop.version"),
        ("tools/set", "'", "names.txt", "names.txt"),
        (PACKAGE, "packages/p ", "build", "packages/p/package.json#scripts.build"),
        (PACKAGE, "packages/q run ", "build", "packages/q/package.json#scripts.build"),
        (PACKAGE, "packages/p -r ", "build", "packages/p/package.json#scripts.build"),
        (PACKAGE, "./packages/p ", "check", "packages/p/package.json#scripts.check"),
        (PACKAGE, "--filter p ", "build", "packages/p/package.json#scripts.build"),
        (PACKAGE, "run -r ", "build", ""),
        (PACKAGE, "packages/*' ", "build", ""),
        (PACKAGE, "../out ", "build", ""),
        (PACKAGE, "--filter ./packages/q ", "build", ""),
    ],
)
def test_a_value_leads_to_what_it_names(space: Snapshot, path: str, before: str, words: str, leads: str) -> None:
    assert _leads(space, path, words, before.replace("\\n", "\n")) == leads
