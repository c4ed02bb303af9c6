"""Configuration and prose lead to the file, entry or definition that they name, else to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.config.reading import MAX_ENTRIES, read_document
from graphls.queries.definition import definition
from graphls.queries.document_uses import document_spans
from graphls.queries.hover import hover
from graphls.queries.impact import ImpactQuery, impact
from graphls.session.memory import snapshot_of
from increment.session_folder import session_over, settle, write

SPACE = """
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
    VERSION = "1"
    def main(): ...
    class Till:
        def open(self): ...
    --- path: scripts/release.py ---
    print()
    --- path: tools/run.sh ---
    python scripts/release.py
    --- path: requirements.txt ---
    -r requirements/dev.txt
    --- path: requirements/dev.txt ---
    pytest
    --- path: package.json ---
    {
      "main": "./web",
      "scripts": {
        "build": "node web/build.js && npm run check",
        "check": "tsc -p tsconfig.json"
      }
    }
    --- path: web/index.js ---
    export const shown = 1
    --- path: web/build.js ---
    export const built = 1
    --- path: tsconfig.json ---
    {
      // comments are fine
      "extends": "./tsconfig.base",
      "files": ["web/index.js"],
    }
    --- path: tsconfig.base.json ---
    {}
    --- path: .github/workflows/ci.yml ---
    jobs:
      test:
        steps:
          - uses: ./.github/actions/setup
          - uses: actions/checkout@v4
          - run: |
              pip install -r requirements.txt  # not scripts/release.py
              python scripts/release.py --all
              make check
          - run: npm run build
          - run: node build.js
            working-directory: web
      deploy:
        needs: [test]
    --- path: .github/actions/setup/action.yml ---
    runs:
      using: composite
    --- path: Makefile ---
    check: lint
    \tpython -m shop.cli
    lint:
    \t./tools/run.sh
    --- path: Dockerfile ---
    FROM python:3.12 AS base
    COPY requirements.txt /app/
    FROM base
    COPY --from=base /app /app
    CMD ["python", "-m", "shop.cli"]
    --- path: compose.yaml ---
    x-common: &common
      restart: always
    services:
      db:
        image: postgres
      web:
        <<: *common
        build: .
        depends_on:
          - db
    --- path: setup.cfg ---
    [options.entry_points]
    console_scripts =
        shop = shop.cli:main
    --- path: api/openapi.yaml ---
    paths:
      /pets:
        get:
          schema:
            $ref: '#/components/schemas/Pet'
    components:
      schemas:
        Pet:
          type: object
    --- path: infra/main.tf ---
    module "net" {
      source = "./net"
    }
    --- path: infra/net/main.tf ---
    locals {}
    --- path: README.md ---
    # Shop tools

    See [the guide](docs/guide.md#how-to-sell), [above](#shop-tools) and `shop.cli.Till.open()`.
    `scripts/release.py` releases, `open` opens, `shop.nothing` is not there.

    ```
    [no link](docs/guide.md)
    ```
    --- path: docs/guide.md ---
    ## How to sell
    --- path: docs/index.rst ---
    .. _top:

    Title
    =====

    .. currentmodule:: shop.cli

    :class:`Till`, :func:`~shop.cli.main`, :doc:`guide`, :ref:`top`
    --- path: docs/selling.txt ---
    Selling
    =======

    .. currentmodule:: shop.cli

    :class:`Till` sells, see :ref:`top`.
    --- path: docs/words.txt ---
    shop.cli
    scripts/release.py
"""


@pytest.fixture(scope="module")
def space() -> Snapshot:
    return snapshot_of(fixture(SPACE).files)


def _targets(snapshot: Snapshot, path: str, words: str, before: str = "") -> list[str]:
    """Where a stretch of a document leads."""
    text = (snapshot.text(FilePath(path)) or b"").decode()
    start = text.index(before + words) + len(before)
    assert snapshot.derivation is not None
    site = (path, start, start + len(words))
    edges = snapshot.derivation.edges_from(snapshot, FilePath(path))
    found = [edge.target for edge in edges if site in edge.sites]
    return [_name(snapshot, target) for target in found]


def _name(snapshot: Snapshot, target: SymbolRef | DerivedNode | str) -> str:
    if isinstance(target, DerivedNode):
        return f"{target.file}#{target.name}"
    return target if isinstance(target, str) else symbol_name(snapshot, target)


@pytest.mark.parametrize(
    ("path", "words", "leads"),
    [
        ("pyproject.toml", "README.md", "README.md"),
        ("pyproject.toml", "shop.cli:main", "shop.cli:main"),
        ("pyproject.toml", "shop.cli.VERSION", "shop.cli:VERSION"),
        ("setup.cfg", "shop.cli:main", "shop.cli:main"),
        ("requirements.txt", "requirements/dev.txt", "requirements/dev.txt"),
        ("tools/run.sh", "scripts/release.py", "scripts.release"),
        ("package.json", "./web", "web/index.js"),
        ("package.json", "web/build.js", "web/build.js"),
        ("package.json", "check", "package.json#scripts.check"),
        ("package.json", "tsconfig.json", "tsconfig.json"),
        ("tsconfig.json", "./tsconfig.base", "tsconfig.base.json"),
        ("tsconfig.json", "web/index.js", "web/index.js"),
        (".github/workflows/ci.yml", "./.github/actions/setup", ".github/actions/setup/action.yml"),
        (".github/workflows/ci.yml", "requirements.txt", "requirements.txt"),
        (".github/workflows/ci.yml", "check", "Makefile#check"),
        (".github/workflows/ci.yml", "build", "package.json#scripts.build"),
        (".github/workflows/ci.yml", "build.js", "web/build.js"),
        ("Makefile", "lint", "Makefile#lint"),
        ("Makefile", "shop.cli", "shop.cli"),
        ("Makefile", "./tools/run.sh", "tools/run.sh"),
        ("Dockerfile", "requirements.txt", "requirements.txt"),
        ("Dockerfile", "shop.cli", "shop.cli"),
        ("compose.yaml", "common", "compose.yaml#&common"),
        ("compose.yaml", ".", "Dockerfile"),
        ("compose.yaml", "db", "compose.yaml#services.db"),
        ("api/openapi.yaml", "#/components/schemas/Pet", "api/openapi.yaml#components.schemas.Pet"),
        ("infra/main.tf", "./net", "infra/net/main.tf"),
        ("README.md", "docs/guide.md#how-to-sell", "docs/guide.md#How to sell"),
        ("README.md", "#shop-tools", "README.md#Shop tools"),
        ("README.md", "shop.cli.Till.open", "shop.cli:Till.open"),
        ("README.md", "scripts/release.py", "scripts.release"),
        ("docs/index.rst", "Till", "shop.cli:Till"),
        ("docs/index.rst", "shop.cli.main", "shop.cli:main"),
        ("docs/index.rst", "guide", "docs/guide.md"),
        ("docs/index.rst", "top", "docs/index.rst#top"),
        ("docs/selling.txt", "Till", "shop.cli:Till"),
        ("docs/selling.txt", "top", "docs/index.rst#top"),
    ],
)
def test_a_value_leads_to_what_it_names(space: Snapshot, path: str, words: str, leads: str) -> None:
    text = (space.text(FilePath(path)) or b"").decode()
    starts = [at for at in range(len(text)) if text.startswith(words, at)]
    assert space.derivation is not None
    edges = space.derivation.edges_from(space, FilePath(path))
    sites = {(path, at, at + len(words)) for at in starts}
    found = [_name(space, edge.target) for edge in edges if edge.kind != "contains" and sites.intersection(edge.sites)]
    assert found == [leads]


def test_a_list_of_words_is_no_document(space: Snapshot) -> None:
    assert space.derivation is not None
    assert not space.derivation.nodes(space, FilePath("docs/words.txt"))
    assert not space.derivation.edges_from(space, FilePath("docs/words.txt"))
    assert [node.name for node in space.derivation.nodes(space, FilePath("docs/selling.txt"))] == ["Selling"]


@pytest.mark.parametrize(
    ("path", "words", "before"),
    [
        (".github/workflows/ci.yml", "scripts/release.py", "not "),
        (".github/workflows/ci.yml", "actions/checkout@v4", ""),
        ("README.md", "open", "releases, `"),
        ("README.md", "shop.nothing", ""),
        ("README.md", "docs/guide.md", "[no link]("),
    ],
)
def test_what_names_nothing_for_certain_leads_nowhere(space: Snapshot, path: str, words: str, before: str) -> None:
    assert _targets(space, path, words, before) == []


@pytest.mark.parametrize(
    ("command", "leads"),
    [
        ("bun test", []),
        ("bun run test", ["scripts.test"]),
        ("bun run --shell bun test", ["scripts.test"]),
        ("npm run env -- npm run test -w other", ["scripts.env"]),
        ("wait -t 0 -- npm run test -- --watch", ["scripts.test"]),
        ("npm run test -w other", []),
        ("npm run test -w @x/part", ["part/package.json#scripts.test"]),
        ("npm run test --workspace=part", ["part/package.json#scripts.test"]),
        ("npm run missing -w @x/part", []),
        ("yarn workspace @x/part test --watch", ["part/package.json#scripts.test"]),
        ("yarn workspace part run test", []),
        ("yarn workspaces foreach -A run test", []),
        ("pnpm --filter part... test", ["part/package.json#scripts.test"]),
        ("pnpm -F @x/part run test", ["part/package.json#scripts.test"]),
        ("pnpm --filter '@x/*' test", []),
        ("pnpm --filter !@x/part test", []),
        ("pnpm --filter twin test", []),
        ("cd part && npm run test", ["part/package.json#scripts.test"]),
        ("cd away && npm run test", []),
        ("npm install test", []),
        ("cp env other", ["env"]),
        ("compose --env-file env up", ["env"]),
        ("print env", []),
    ],
)
def test_commands_name_scripts_and_files(command: str, leads: list[str]) -> None:
    script = '{"name": "%s", "scripts": {"test": "a"}}'
    files = {
        "package.json": '{"scripts": {"test": "a", "env": "b"}}',
        "part/package.json": script % "@x/part",
        "one/package.json": script % "twin",
        "two/package.json": script % "twin",
        "env": "A=1\n",
        "Dockerfile": f"RUN {command}\n",
    }
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    edges = snapshot.derivation.edges_from(snapshot, FilePath("Dockerfile"))
    assert [_name(snapshot, edge.target).removeprefix("package.json#") for edge in edges] == leads


def _led(snapshot: Snapshot, path: str) -> list[tuple[bytes, str]]:
    """Words of a document that lead somewhere, with what they lead to."""
    assert snapshot.derivation is not None
    text = snapshot.text(FilePath(path)) or b""
    edges = snapshot.derivation.edges_from(snapshot, FilePath(path))
    found = [(start, text[start:end], _name(snapshot, edge.target)) for edge in edges for _, start, end in edge.sites]
    return [(words, name) for _, words, name in sorted(found)]


def test_scripts_of_packages_follow_the_names_of_packages() -> None:
    shell = {"run.sh": "yarn workspace b build\n", "a/package.json": '{"name": "b", "scripts": {"build": "x"}}'}
    assert _led(snapshot_of(shell), "run.sh") == [(b"build", "a/package.json#scripts.build")]


def test_styles_and_pages_lead_to_drawn_pictures() -> None:
    files = {
        "img/logo.svg": "<svg/>\n",
        "css/a.css": '/* url(../img/logo.svg) */ a { mask: url("../img/logo.svg") }'
        ' b { x: image-set("../img/logo.svg" 2x) }\n',
        "b.scss": "@import 'css/a.css'; .c { background: url(img/#{$name}.svg) }\n",
        "page.html": '<img srcset="img/none.svg 1x, img/logo.svg 2x"><object data="img/logo.svg"></object>'
        '<p style="mask: url(img/logo.svg)"><style>a { mask: url(img/logo.svg) }</style>\n',
        "a.md": '<source srcset="img/logo.svg 2x">\n',
    }
    snapshot = snapshot_of(files)
    assert _led(snapshot, "css/a.css") == [(b"../img/logo.svg", "img/logo.svg")] * 2
    assert _led(snapshot, "b.scss") == [(b"css/a.css", "css/a.css")]
    assert _led(snapshot, "page.html") == [(b"img/logo.svg", "img/logo.svg")] * 4
    assert _led(snapshot, "a.md") == [(b"img/logo.svg", "img/logo.svg")]


def test_a_path_with_a_symbol_leads_to_that_as_long_as_it_is_there(tmp_path: Path) -> None:
    links = "`shop/cli.py#Till.open()`, [it](shop/cli.py#main), `shop/cli.py#nobody` and [file](shop/cli.py#L3).\n"
    (tmp_path / "a.md").write_text(links)
    code = "def main(): ...\nclass Till:\n    def open(self): ...\n"
    write(tmp_path, {"shop/__init__.py": "", "shop/cli.py": code})
    with session_over(tmp_path) as session:
        rest = [(b"shop/cli.py#main", "shop.cli:main"), (b"shop/cli.py#L3", "shop.cli")]
        opened = (b"shop/cli.py#Till.open", "shop.cli:Till.open")
        assert _led(settle(session), "a.md") == [opened, *rest]
        write(tmp_path, {"shop/cli.py": f"first = 1\nsecond = 2\n\n{code}"})
        session.files_changed([FilePath("shop/cli.py")])
        assert _led(settle(session), "a.md") == [opened, *rest]
        write(tmp_path, {"shop/cli.py": code.replace("open", "close")})
        session.files_changed([FilePath("shop/cli.py")])
        assert _led(settle(session), "a.md") == rest


def test_paths_lead_through_symbolic_links(tmp_path: Path) -> None:
    (tmp_path / "real/deep").mkdir(parents=True)
    (tmp_path / "real/deep/guide.md").write_text("# Guide\n")
    (tmp_path / "real/run.py").write_text("x = 1\n")
    links = "[1](short/guide.md) [2](short/guide.md#guide) [3](r/again/guide.md) [4](r/up/run.py) [5](r/run.py)\n"
    (tmp_path / "a.md").write_text(links)
    (tmp_path / "short").symlink_to("real/deep")
    (tmp_path / "r").symlink_to("real")
    (tmp_path / "real/again").symlink_to("deep")
    (tmp_path / "real/up").symlink_to("../real")
    (tmp_path / "real/round").symlink_to("../r/round")
    with session_over(tmp_path) as session:
        assert _led(settle(session), "a.md") == [
            (b"short/guide.md", "real/deep/guide.md"),
            (b"short/guide.md#guide", "real/deep/guide.md#Guide"),
            (b"r/again/guide.md", "real/deep/guide.md"),
            (b"r/run.py", "real.run"),
        ]
        (tmp_path / "r").unlink()
        session.files_changed([FilePath("r")])
        assert [words for words, _ in _led(settle(session), "a.md")] == [b"short/guide.md", b"short/guide.md#guide"]


def test_prose_documents_code_and_configuration_refers_to_it(space: Snapshot) -> None:
    assert space.derivation is not None
    kinds = {
        path: {edge.kind for edge in space.derivation.edges_from(space, FilePath(path)) if edge.kind != "contains"}
        for path in ("README.md", "Makefile")
    }
    assert kinds == {"README.md": {"documents", "references"}, "Makefile": {"references"}}


def test_a_workflow_is_among_what_a_renamed_script_reaches(space: Snapshot) -> None:
    found = impact(space, ImpactQuery(SymbolRef(FilePath("scripts/release.py"), -1)))
    names = {_name(space, one.node) for one in found.affected}
    assert {".github/workflows/ci.yml#jobs.test", "tools/run.sh"} <= names
    assert ".github/workflows/ci.yml#jobs.deploy" in names


def test_positions_in_documents_answer(space: Snapshot) -> None:
    path = FilePath("setup.cfg")
    at = (space.text(path) or b"").index(b"shop.cli:main")
    led, shown = definition(space, path, at), hover(space, path, at)
    assert led is not None
    assert shown is not None
    assert shown.card is not None
    assert [(place.file, place.start) for place in led.places] == [("shop/cli.py", 18)]
    assert shown.card.symbol == "shop.cli:main"
    assert ("setup.cfg", at, at + 13) in document_spans(space, shown.card.place)


def test_an_entry_of_another_document_has_its_uses(space: Snapshot) -> None:
    path = FilePath("package.json")
    at = (space.text(path) or b"").index(b'"build"') + 1
    shown = hover(space, path, at)
    assert shown is not None
    assert shown.card is not None
    assert shown.card.symbol == "package.json#scripts.build"
    assert space.derivation is not None
    (node,) = (one for one in space.derivation.nodes(space, path) if one.name == "scripts.build")
    assert [span[0] for span in document_spans(space, node)] == [".github/workflows/ci.yml"]


def test_entries_have_a_path_and_a_digest_of_their_text(space: Snapshot) -> None:
    assert space.derivation is not None
    nodes = space.derivation.nodes(space, FilePath("compose.yaml"))
    keys = [node.name for node in nodes if node.subkind == "key"]
    assert keys == ["x-common", "x-common.restart", "services", "services.db", "services.web"]
    other = snapshot_of({"compose.yaml": "services:\n  db:\n    image: postgres\n"})
    assert other.derivation is not None
    same = {node.name: node.attributes for node in other.derivation.nodes(other, FilePath("compose.yaml"))}
    assert same["services.db"] == next(node.attributes for node in nodes if node.name == "services.db")


def test_a_table_of_data_is_one_thing() -> None:
    rows = "".join(f"key_{number}: 1\n" for number in range(MAX_ENTRIES + 1)).encode()
    found = read_document("data.yaml", rows)
    assert found.cut
    assert not found.entries
    assert read_document("package-lock.json", b'{"a": {"b": 1}}').entries == ()


@pytest.mark.parametrize(
    "name", ["a.yaml", "a.toml", "package.json", "a.ini", "Makefile", "Dockerfile", "a.md", "a.rst", "a.tf"]
)
@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"{" * 5000, b"[" * 5000, b"a: [", b"- " * 400, b'"', b"= \n[", b"\t\\\n", b"``[](", b"{}}}:,"],
)
def test_broken_documents_are_read(name: str, data: bytes) -> None:
    read_document(name, data)
