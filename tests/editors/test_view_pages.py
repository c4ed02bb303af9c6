"""Pages of `graphls view`: whole, closed, and served to nobody without the token."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

SHOP = Path(__file__).parent / "data" / "shop"
SERVER = Path(__file__).parent.parent.parent / "server"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SERVER), "GRAPHLS_CACHE_DIR": str(tmp_path / "cache")}


def view(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "graphls", "view", "--root", str(SHOP), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def picture(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="graphls-picture">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize(
    ("arguments", "kind", "symbols"),
    [
        (["shop.orders:Order.total"], "neighborhood", {"shop.report:line", "shop.model:Item.price"}),
        (["shop.model:Item.price", "--impact"], "impact", {"shop.orders:Order.total", "shop.report:summary"}),
        (["shop.report:summary", "--downstream"], "impact", {"shop.model:Item.price"}),
        (["shop.report:summary", "--to", "shop.model:Item.price"], "trace", {"shop.report:line"}),
    ],
)
def test_picture_holds_what_was_asked(
    environment: dict[str, str], arguments: list[str], kind: str, symbols: set[str]
) -> None:
    answer = view(environment, *arguments, "-o", "-")
    assert answer.returncode == 0, answer.stderr
    shown = picture(answer.stdout)
    ids = {node["id"] for node in shown["nodes"]}
    assert shown["kind"] == kind
    assert symbols <= {node["symbol"] for node in shown["nodes"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in shown["edges"])
    assert shown["edges"]


@pytest.mark.parametrize("arguments", [["shop.orders:Order.total"], ["shop.model:Item.price", "--impact"], ["--map"]])
def test_picture_is_drawn_as_svg(environment: dict[str, str], tmp_path: Path, arguments: list[str]) -> None:
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    for file in (first, second):
        answer = view(environment, *arguments, "-o", str(file))
        assert answer.returncode == 0, answer.stderr
    assert first.read_bytes() == second.read_bytes()
    texts = ElementTree.fromstring(first.read_bytes()).iter("{http://www.w3.org/2000/svg}text")
    words = {element.text for element in texts}
    assert {"price", "total"} <= words or "shop.orders" in words


def test_a_map_has_every_module_and_says_what_is_open_at_first(environment: dict[str, str]) -> None:
    shown = picture(view(environment, "--map", "-o", "-").stdout)
    assert shown["kind"] == "map"
    names = [module["name"] for module in shown["map"]["modules"]]
    assert {"shop.orders", "shop.report"} <= set(names)
    pairs = {(names[one["source"]], names[one["target"]]) for one in shown["map"]["imports"]}
    assert ("shop.report", "shop.orders") in pairs
    assert shown["map"]["unfolded"] == ["shop"]


def test_findings_carry_their_evidence(environment: dict[str, str]) -> None:
    shown = picture(view(environment, "--findings", "-o", "-").stdout)
    (finding,) = shown["findings"]
    assert finding["rule"] == "maintainability.unused_definition"
    assert finding["evidence"][0]["file"] == "src/shop/orders.py"


def test_page_loads_nothing_and_text_is_no_markup(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text('def f() -> None:\n    """</script><script>alert(1)</script>"""\n', "utf-8")
    answer = view(environment, "app:f", "--root", str(tmp_path), "-o", "-")
    page = answer.stdout
    assert "default-src 'none'" in page
    assert "connect-src 'none'" in page
    assert page.count("</script>") == 2
    assert not re.search(r"(?:src|href)=[\"']", page.split("<body", 1)[0])
    assert "alert(1)" in picture(page)["nodes"][0]["doc"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give a symbol"),
        (["shop.orders:Order", "--impact", "--to", "x"], "Choose one of"),
        (["shop.orders:Order", "--serve", "-o", "x.html"], "Choose one of"),
        (["nothing.like:This"], "nothing.like:This"),
        (["--map", "docs"], "docs"),
        (["--findings", "-o", "x.svg"], "ends in .html"),
    ],
)
def test_refusal_says_what_to_do(environment: dict[str, str], arguments: list[str], words: str) -> None:
    answer = view(environment, *arguments)
    assert answer.returncode in (1, 2)
    assert words in answer.stderr
    assert "Traceback" not in answer.stderr


class Served:
    """A running `graphls view --serve`."""

    def __init__(self, address: str) -> None:
        self.url = urlsplit(address)

    def request(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.url.hostname or "", self.url.port, timeout=300)
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[Served]:
    command = [sys.executable, "-m", "graphls", "view", "shop.orders:Order.total", "--serve", "--root", str(SHOP)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Served(process.stdout.readline().strip())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(300)
        process.stdout.close()


def test_served_page_answers_with_the_token_only(served: Served) -> None:
    query = served.url.query
    assert served.url.hostname == "127.0.0.1"
    status, page = served.request("GET", f"/?{query}")
    assert (status, picture(page)["kind"]) == (200, "neighborhood")
    assert "connect-src 'self'" in page
    node = picture(page)["root"]
    question = {"kind": "impact", "node": node, "depth": 2}
    assert json.loads(served.request("POST", f"/ask?{query}", question)[1])["kind"] == "impact"
    status, text = served.request("POST", f"/ask?{query}", {"kind": "neighborhood", "node": "no:Such"})
    assert status == 400
    assert "no:Such" in json.loads(text)["error"]
    assert served.request("GET", "/")[0] == 403
    assert served.request("GET", "/?token=guess")[0] == 403
    assert served.request("POST", "/ask", question)[0] == 403
    assert served.request("GET", f"/?{query}", Host="evil.example:80")[0] == 403
    assert served.request("POST", f"/ask?{query}", question, Origin="http://evil.example")[0] == 403
    assert served.request("GET", f"/etc/passwd?{query}")[0] == 404
    assert served.request("POST", f"/ask?{query}", ["x"])[0] == 400
    assert served.request("POST", f"/ask?{query}", {"kind": "x" * 30_000})[0] == 400
