"""Models of dbt: what `ref` and the YAML beside them name, in a folder that is a project."""

from __future__ import annotations

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import edges_from, edges_to
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of

FILES = {
    "shop/dbt_project.yml": "name: shop\nmodels:\n  shop:\n    name: own\n",
    "shop/models/staging/stg_orders.sql": "select * from {{ ref('raw_orders') }} join {{ source('raw', 'orders') }}\n",
    "shop/seeds/raw_orders.csv": "id\n1\n",
    "shop/notes/stg_orders.csv": "id\n1\n",
    "shop/models/orders.sql": "{# ref('stg_orders') #}\nwith a as (select * from {{ ref('stg_orders') }})\n"
    "select * from a join {{ ref( \"twice\" ) }} using (id) join {{ ref('other', 'stg_orders') }} -- ref('own')\n",
    "shop/models/own.sql": "{% set m = 'orders' %}select * from {{ ref(m) }}\n",
    "shop/models/twice.sql": "select 1\n",
    "shop/models/old/twice.sql": "select 1\n",
    "shop/macros/helper.sql": "{% macro helper() %}select * from {{ ref('orders') }}{% endmacro %}\n",
    "shop/models/schema.yml": "version: 2\nsources:\n  - name: orders\nmodels:\n  - name: orders\n    columns:\n"
    "      - name: own\n  - name: helper\n  - name: 'stg_orders'\n"
    "    tests:\n      - relationships:\n          to: ref('own')\n",
    "shop/its/dbt_project.yml": "name: its\n",
    "shop/its/packages.yml": "packages:\n  - local: ../\n",
    "shop/its/tests/same.sql": "select * from {{ ref('orders') }}\n",
    "shop/alone/dbt_project.yml": "name: alone\n",
    "shop/alone/models/a.sql": "select * from {{ ref('orders') }}\n",
    "loose/a.sql": "select * from {{ ref('stg_orders') }}\n",
}


def _named(snapshot: Snapshot, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for edge in edges_from(snapshot, FilePath(path)):
        if edge.attributes.get("via") == "document" and isinstance(edge.target, SymbolRef):
            file, start, end = edge.sites[0]
            assert edge in list(edges_to(snapshot, edge.target)), "the same from both ends"
            found.append(((snapshot.text(file) or b"")[start:end].decode(), symbol_name(snapshot, edge.target)))
    return sorted(found)


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("shop/models/orders.sql", [("stg_orders", "shop/models/staging/stg_orders.sql")]),
        ("shop/models/own.sql", []),
        ("shop/models/staging/stg_orders.sql", [("raw_orders", "shop/seeds/raw_orders.csv")]),
        ("shop/macros/helper.sql", [("orders", "shop/models/orders.sql")]),
        (
            "shop/models/schema.yml",
            [
                ("orders", "shop/models/orders.sql"),
                ("own", "shop/models/own.sql"),
                ("stg_orders", "shop/models/staging/stg_orders.sql"),
            ],
        ),
        ("shop/dbt_project.yml", []),
        ("shop/its/tests/same.sql", [("orders", "shop/models/orders.sql")]),
        ("shop/alone/models/a.sql", []),
        ("loose/a.sql", []),
    ],
)
def test_models(path: str, named: list[tuple[str, str]]) -> None:
    found = _named(snapshot_of(FILES), path)
    assert [(text, target.removesuffix(":")) for text, target in found] == named


DECLARED = {
    "shop/dbt_project.yml": "name: 'shop'\n",
    "shop/models/schema.yml": "version: 2\nsources:\n  - name: raw\n    tables:\n      - name: orders\n"
    '      - name: "customers"\n        columns:\n          - name: id\n'
    "  - name: other\n    tables:\n      - name: orders\n",
    "shop/models/a.sql": "select {{ cents('amount') }}, {{ lib.star(ref('b')) }} from {{ source('raw', 'orders') }}\n"
    "{# {{ source('raw', 'customers') }} #} join {{ source('other', 'orders') }} join {{ source('gone', 'orders') }}\n",
    "shop/models/b_v1.sql": "select 1\n",
    "shop/models/b_v2.sql": "select * from {{ ref('b', v=1) }} join {{ ref('lib', 'made', version='3') }}\n",
    "shop/macros/cents.sql": "{% macro cents(name) %}\n{{ adapter.dispatch('cents', 'shop')(name) }}\n{% endmacro %}\n"
    "{% macro half() %} 2 {% endmacro %}\n",
    "shop/macros/more.sql": "{%- macro default__cents(name) -%} {{ name }} / 100 {{ half() }} {%- endmacro -%}\n",
    "shop/dbt_packages/lib/dbt_project.yml": "name: lib\n",
    "shop/dbt_packages/lib/macros/star.sql": "{% macro star(from) %} * {% endmacro %}\n",
    "shop/dbt_packages/lib/models/made.sql": "select 1\n",
}


def _meant(snapshot: Snapshot, path: str) -> list[str]:
    found: list[str] = []
    for edge in edges_from(snapshot, FilePath(path)):
        if edge.attributes.get("via") == "document" and not isinstance(edge.target, str):
            file, start, end = edge.sites[0]
            assert edge in list(edges_to(snapshot, edge.target)), "the same from both ends"
            target = edge.target
            name = target.name if isinstance(target, DerivedNode) else ""
            source = edge.source.name if isinstance(edge.source, DerivedNode) else ""
            text = (snapshot.text(file) or b"")[start:end].decode()
            found.append(f"{source} {text} -> {target.file}#{name}".strip())
    return sorted(found)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        (
            "shop/models/a.sql",
            [
                "b -> shop/models/b_v2.sql#",
                "cents -> shop/macros/cents.sql#cents",
                "orders -> shop/models/schema.yml#other.orders",
                "orders -> shop/models/schema.yml#raw.orders",
                "star -> shop/dbt_packages/lib/macros/star.sql#star",
            ],
        ),
        ("shop/models/b_v2.sql", ["b -> shop/models/b_v1.sql#", "made -> shop/dbt_packages/lib/models/made.sql#"]),
        ("shop/macros/cents.sql", ["cents cents -> shop/macros/more.sql#default__cents"]),
        ("shop/macros/more.sql", ["default__cents half -> shop/macros/cents.sql#half"]),
    ],
)
def test_sources_macros_packages_and_versions(path: str, meant: list[str]) -> None:
    assert _meant(snapshot_of(DECLARED), path) == meant
