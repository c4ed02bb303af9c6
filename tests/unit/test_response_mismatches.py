"""Response mismatches: keys that code reads from an answer, and that no answer has.

Owns: routes and consumers in several frameworks, where both sides are certain, and where one is not.
Must not know: how either side is read.
Invariant: what is not certain says nothing.
"""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_view import entry_view
from graphls.queries.node_views import Presenter
from graphls.session.memory import snapshot_of

EXPRESS = """
    --- path: server.js ---
    const express = require("express");
    const app = express();
    app.get("/items", (req, res) => {
        if (!req.user) return res.status(401).json({ error: "who" });
        {ANSWER}
    });
    --- path: web.js ---
    export async function shown() {
        const res = await fetch("/items");
        const data = await res.json();
        {READS}
    }
"""
FLASK = """
    --- path: app.py ---
    from flask import Flask, jsonify
    app = Flask(__name__)

    @app.get("/items")
    def items():
        {ANSWER}
    --- path: client.py ---
    import requests

    def shown():
        r = requests.get("http://localhost/items")
        {READS}
"""
TRPC = """
    --- path: trpc.ts ---
    import { initTRPC } from "@trpc/server";
    const t = initTRPC.create();
    export const router = t.router;
    export const open = t.procedure;
    --- path: root.ts ---
    import { router, open } from "./trpc";
    import { getItems } from "./items";
    export const appRouter = router({ items: getItems });
    --- path: items.ts ---
    import { open } from "./trpc";
    export const getItems = open.query(async () => {
        {ANSWER}
    });
    --- path: page.tsx ---
    import { createTRPCReact } from "@trpc/react-query";
    export const api = createTRPCReact();
    export function shown() {
        {READS}
    }
"""


def missing(form: str, name: str, answer: str, reads: str) -> list[str]:
    text = form.replace("{ANSWER}", answer).replace("{READS}", reads)
    known = snapshot_of(fixture(text).files)
    view = entry_view(Presenter(known), entry(known, find_entry(known, name)))
    assert view.consumers
    return [one.key for one in view.mismatches]


SENT = "res.json({ items: [], total: 1 });"


@pytest.mark.parametrize(
    ("answer", "reads", "expected"),
    [
        (SENT, "return data.items + data.count;", ["count"]),
        (SENT, "return data?.counted + data['gone'] + data.total;", ["counted", "gone"]),
        (SENT, "return data.error + data.items.length;", []),
        (SENT, "return data.map((one) => one.name);", []),
        (SENT, "// data.old\n        return data.total;", []),
        (SENT, "data = other();\n        return data.count;", []),
        ("res.json({ ...all, total: 1 });", "return data.count;", []),
        ("res.json(all);", "return data.count;", []),
        ("if (req.a) { return res.json(all); } res.json({ total: 1 });", "return data.count;", []),
        ("return res.send({ total: 1 });", "return data.count;", ["count"]),
    ],
)
def test_express_and_fetch(answer: str, reads: str, expected: list[str]) -> None:
    assert missing(EXPRESS, "GET /items", answer, reads) == expected


@pytest.mark.parametrize(
    ("answer", "reads", "expected"),
    [
        ("return {'total': 1}", "return r.json()['count']", ["count"]),
        ("return jsonify(total=1)", "d = r.json()\n        return d['total'], d.get('gone')", ["gone"]),
        ("return {'total': 1}, 200", "return r.status_code", []),
        ("x = load()\n        return x", "return r.json()['count']", []),
        ("if x:\n            return other()\n        return {'total': 1}", "return r.json()['count']", []),
        ("return {'total': 1}", "r = other()\n        return r.json()['count']", []),
        ("return {'total': 1}", "return r.json()['detail']", []),
    ],
)
def test_flask_and_requests(answer: str, reads: str, expected: list[str]) -> None:
    assert missing(FLASK, "GET /items", answer, reads) == expected


ONE = "return { items: [], total: 1 };"


@pytest.mark.parametrize(
    ("answer", "reads", "expected"),
    [
        (ONE, "const { data } = api.items.useQuery();\n    return data.items + data.gone;", ["gone"]),
        (ONE, "const { data: found, error } = api.items.useQuery({ a: 1 });\n    return found?.gone;", ["gone"]),
        (ONE, "const [found] = api.items.useSuspenseQuery();\n    return found.total;", []),
        (ONE, "const query = api.items.useQuery();\n    return query.data?.gone + query.isLoading;", ["gone"]),
        (
            "const all = await load();\n    return all;",
            "const { data } = api.items.useQuery();\n    return data.x;",
            [],
        ),
        (
            "const f = () => { return other(); };\n    return { total: f() };",
            "const { data } = api.items.useQuery();\n    return data.gone;",
            [],
        ),
    ],
)
def test_procedures_and_clients(answer: str, reads: str, expected: list[str]) -> None:
    assert missing(TRPC, "items", answer, reads) == expected
