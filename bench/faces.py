"""Faces: the same symbols asked on every face of graphls; whatever two faces say differently is printed.

    python bench/faces.py ROOT [--count N] [--seed N] [--symbols A,B] [--installed]

The command line (show, impact, neighbors, trace) is asked first, cold, on a cache of its own; then a language server
that has linked everything (hover, code lens, references, call hierarchy, graph/* requests), and the tools for agents,
once answered by that server and once by a server of their own. Compared are id, kind, snapshot and revision, edges and
their sites by direction and kind, callers, uses, what could not be resolved, and completeness with its causes.

Prints one JSON object; ends with 1 where faces differ.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import attrs

_PATIENCE = 900
_CALLING = ("calls", "instantiates", "renders")
_KINDS = ("class", "function", "method", "callable", "constant", "variable", "interface", "type_alias")
_CALLED = re.compile(r"Called by (\d+) callers? at (\d+) sites?")
_UNDECIDED = re.compile(r"(\d+) uses? of that name could not be resolved")
_VALUES = re.compile(r"handed on as a value (\d+) times?")

Json = Mapping[str, Any]
Facts = dict[str, dict[str, object]]
"""What each face says, by question."""


@attrs.frozen
class Asked:
    """A symbol: its id, how people write it, where its name stands."""

    id: str
    symbol: str
    uri: str
    position: Json


def main() -> int:
    """Prints what was compared, and each difference."""
    chosen = _options()
    root = Path(chosen.root).resolve()
    with tempfile.TemporaryDirectory() as cache:
        run = _Run(root, cache, chosen)
        server = _Server(run)
        try:
            asked = list(_sampled(server, chosen))
            # A cache of its own: what the server linked is not there.
            with tempfile.TemporaryDirectory() as cold, ThreadPoolExecutor(2) as pool:
                alone = _Run(root, cold, chosen)
                alone.command("index")
                said = [one.result() for one in [pool.submit(_by_line, alone, one) for one in asked]]
            joined, own = _Agent(run, "--join"), _Agent(run, "--no-join")
            try:
                for one, facts in zip(asked, said, strict=True):
                    _by_editor(server, one, facts)
                    _by_agent("agent in the editor's server", joined, one, facts)
                    _by_agent("agent", own, one, facts)
            finally:
                joined.close()
                own.close()
        finally:
            server.close()
    return _report(root, asked, said)


def _report(root: Path, asked: Sequence[Asked], said: Sequence[Facts]) -> int:
    differing: Counter[str] = Counter()
    lines: list[str] = []
    answers = 0
    for one, facts in zip(asked, said, strict=True):
        for question, values in facts.items():
            answers += len(values)
            spelled = {face: json.dumps(value, sort_keys=True) for face, value in values.items()}
            if len(set(spelled.values())) > 1:
                differing[question] += 1
                lines.append(f"  {question} of {one.symbol}:")
                lines += [f"    {face}: {value[:600]}" for face, value in spelled.items()]
    figures = {"workspace": root.name, "symbols": len(asked), "answers": answers, "differing": sum(differing.values())}
    print(json.dumps({**figures, "questions": dict(differing)}))
    print("\n".join(lines), flush=True)
    return 1 if differing else 0


# ---------------------------------------------------------------- the faces


def _by_line(run: _Run, one: Asked) -> Facts:
    facts: Facts = {}
    show = run.command("show", one.symbol, "-n", "1000")
    _node(facts, "show", show, show["node"])
    _edges(facts, "show", _groups(show["links"]))
    near = run.command("neighbors", one.symbol, "-n", "2000")
    _node(facts, "neighbors", near, near["root"])
    _walked(facts, "neighbors", near["edges"], one.id, "site_count", ("source_id", "target_id"))
    reach = run.command("impact", one.symbol, "-n", "5000", "-d", "2")
    _impact(facts, "impact", reach, reach["changed"], reach["counts"], reach["tests"], reach["importers"])
    way = run.command("trace", one.symbol, "-d", "2")
    _trace(facts, "trace", way)
    return facts


def _by_editor(server: _Server, one: Asked, facts: Facts) -> None:
    node = server.ask("graph/node", node=one.id, limit=10_000, includeSites=True)
    _node(facts, "graph/node", node, node["node"])
    _edges(facts, "graph/node", _groups(node["edges"]))
    near = server.ask("graph/neighborhood", node=one.id, limit=2_000)
    _node(facts, "graph/neighborhood", near, near["root"])
    _walked(facts, "graph/neighborhood", near["edges"], one.id, "siteCount", ("source", "target"))
    reach = server.ask("graph/impact", node=one.id, depth=2, limit=5_000)
    _impact(facts, "graph/impact", reach, reach["seeds"], reach["byDepth"], len(reach["tests"]), reach["importers"])
    _trace(facts, "graph/trace", server.ask("graph/trace", source={"node": one.id}, depth=2))
    _uses(facts, server, one, node)


def _uses(facts: Facts, server: _Server, one: Asked, node: Json) -> None:
    """References, hover, code lens and call hierarchy against the direct edges."""
    at = {"textDocument": {"uri": one.uri}, "position": one.position}
    incoming = [edge for group in node["edges"] if group["direction"] == "in" for edge in group["edges"]]
    found = server.ask("textDocument/references", **at, context={"includeDeclaration": False}) or ()
    spots = {_spot(use) for use in found}
    # An edge names 20 of its sites at most: of those that it names, each is a use.
    named = {_spot(site) for edge in incoming for site in edge.get("sites") or () if edge["kind"] not in _NO_USE}
    if node["node"]["kind"] != "module" and node["node"]["name"] not in _CONSTRUCTORS:
        _say(facts, "sites of edges are references", "references", [])
        _say(facts, "sites of edges are references", "edges", sorted(map(list, named - spots)))
    items = server.ask("textDocument/prepareCallHierarchy", **at) or ()
    item = next((item for item in items if item["data"]["node"] == one.id), None)
    if item is None:
        return
    calls = server.ask("callHierarchy/incomingCalls", item=item) or ()
    direct = [call for call in calls if "possibly, through" not in (call["from"].get("detail") or "")]
    _say(facts, "callers and sites", "call hierarchy", [len(direct), sum(len(call["fromRanges"]) for call in direct)])
    calling = [edge for edge in incoming if edge["kind"] in _CALLING]
    spelled = [len({edge["source"] for edge in calling}), sum(edge["siteCount"] for edge in calling)]
    _say(facts, "callers and sites", "graph/node", spelled)
    hover = server.ask("textDocument/hover", **at)
    text = hover["contents"]["value"].replace("\\", "") if hover else ""
    called = _CALLED.search(text)
    if called or "No caller found" in text:
        _say(facts, "callers and sites", "hover", [int(called[1]), int(called[2])] if called else [0, 0])
        _say(facts, "undecided", "hover", _number(_UNDECIDED, text))
        lacking = [cause for cause in node["causes"] if cause["direction"] == "in"]
        _say(facts, "undecided", "graph/node", sum(cause["count"] for cause in lacking))
        if not any("possibly, through" in (call["from"].get("detail") or "") for call in calls):
            values = sum(cause["count"] for cause in item["data"]["causes"] if cause["cause"] == "passed_value")
            _say(facts, "undecided", "call hierarchy", item["data"]["unresolvedSites"])
            _say(facts, "handed on as a value", "call hierarchy", values)
            _say(facts, "handed on as a value", "hover", _number(_VALUES, text))


_NO_USE = ("contains", "defines", "overrides", "implements", "documents", "diagnoses", "handles", "exports", "aliases")
"""Edges that no occurrence of the name need make."""
_CONSTRUCTORS = ("__init__", "__new__", "constructor")
"""Called where the name of their class stands."""


def _by_agent(name: str, agent: _Agent, one: Asked, facts: Facts) -> None:
    context = agent.ask("understand", symbol=one.id, limit=1_000)
    _node(facts, name, context, context["node"], revision=name != "agent")
    _say(facts, "edges", name, {kind: n for kind, n in context["counts"].items() if n})
    near = agent.ask("graph", query="neighbors", symbol=one.id, limit=2_000)
    edges = [edge for step in near["nodes"] for edge in step["edges"]]
    _node(facts, f"{name}: neighbors", near, near["root"], revision=name != "agent")
    _walked(facts, f"{name}: neighbors", edges, one.id, "site_count", ("source_id", "target_id"))
    reach = agent.ask("graph", query="impact", symbol=one.id, depth=2, limit=5_000)
    _impact(facts, name, reach, reach["changed"], reach["counts"], reach["tests"], reach["importers"])
    _trace(facts, name, agent.ask("graph", query="trace", symbol=one.id, depth=2))


# ---------------------------------------------------------------- what is compared


def _say(facts: Facts, question: str, face: str, value: object) -> None:
    facts.setdefault(question, {})[face] = value


def _node(facts: Facts, face: str, envelope: Json, node: Json, *, revision: bool = True) -> None:
    _say(facts, "id", face, node["id"])
    _say(facts, "kind", face, _kind(node))
    _say(facts, "symbol", face, node["symbol"])
    _say(facts, "snapshot", face, envelope["snapshot"])
    if face.startswith("graph/") or (revision and face.startswith("agent")):
        # A number of one session: a command begins one of its own.
        _say(facts, "revision", face, envelope["revision"])
    _say(facts, "completeness", face, _lacking(envelope))


def _kind(node: Json) -> list[object]:
    return [node["kind"], node.get("subkind")]


def _lacking(envelope: Json) -> list[object]:
    causes = sorted([cause["cause"], cause["direction"], cause["count"]] for cause in envelope["causes"])
    unresolved = envelope["unresolved_sites"] if "unresolved_sites" in envelope else envelope["unresolvedSites"]
    return [not causes, causes, unresolved]


def _groups(groups: Iterable[Json]) -> Iterator[tuple[str, int, int]]:
    for group in groups:
        incoming = group["incoming"] if "incoming" in group else group["direction"] == "in"
        edges = group["links"] if "links" in group else group["edges"]
        sites = sum(edge["site_count"] if "site_count" in edge else edge["siteCount"] for edge in edges)
        yield f"{'in' if incoming else 'out'} {group['kind']}", group["count"], sites


def _edges(facts: Facts, face: str, groups: Iterable[tuple[str, int, int]]) -> None:
    found = list(groups)
    _say(facts, "edges", face, {name: count for name, count, _ in found})
    _say(facts, "sites", face, {name: sites for name, _, sites in found})


def _walked(facts: Facts, face: str, edges: Iterable[Json], root: str, sites: str, ends: tuple[str, str]) -> None:
    """Those at the root: a walk gives what joins its other nodes as well. One that leads back counts both ways."""
    count: Counter[str] = Counter()
    spots: Counter[str] = Counter()
    for edge in edges:
        for way, end in zip(("out", "in"), ends, strict=True):
            if edge[end] == root:
                count[f"{way} {edge['kind']}"] += 1
                spots[f"{way} {edge['kind']}"] += edge[sites]
    _say(facts, "edges", face, dict(count))
    _say(facts, "sites", face, dict(spots))


def _impact(
    facts: Facts, face: str, reach: Json, seeds: Iterable[Json], counts: object, tests: object, brought: object
) -> None:
    _say(facts, "impact", face, [[seed["id"] for seed in seeds], counts, tests, brought])
    _say(facts, "completeness of impact", face, _lacking(reach))


def _trace(facts: Facts, face: str, way: Json) -> None:
    paths = [[round(path["confidence"], 4), len(path["nodes"])] for path in way["paths"]]
    _say(facts, "trace", face, [paths, way["exhausted"]])
    _say(facts, "completeness of trace", face, _lacking(way))


def _spot(location: Json) -> tuple[str, int, int]:
    start = location["range"]["start"]
    return location["uri"], start["line"], start["character"]


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else 0


def _sampled(server: _Server, chosen: argparse.Namespace) -> Iterator[Asked]:
    found: dict[str, Json] = {}
    if chosen.symbols:
        for symbol in chosen.symbols.split(","):
            node = server.ask("graph/node", symbol=symbol)["node"]
            found[node["id"]] = node
    else:
        for letter in string.ascii_lowercase + "_":
            matches = server.ask("graph/find", text=letter, mode="prefix", kinds=_KINDS, limit=200)["matches"]
            found.update((match["node"]["id"], match["node"]) for match in matches)
    nodes = [found[key] for key in sorted(found)]
    random.Random(chosen.seed).shuffle(nodes)
    for node in nodes[: chosen.count]:
        yield Asked(node["id"], node["symbol"], node["uri"], node["range"]["start"])


# ---------------------------------------------------------------- processes


class _Run:
    """How graphls is started on one cache."""

    def __init__(self, root: Path, cache: str, chosen: argparse.Namespace) -> None:
        self.root = root
        program = shutil.which("graphls") if chosen.installed else None
        self.program = (program,) if program else (sys.executable, "-m", "graphls")
        self.environment = {**os.environ, "GRAPHLS_CACHE_DIR": cache}

    def command(self, name: str, *arguments: str) -> Json:
        """The answer of one command."""
        shape = () if name == "index" else ("--format", "json")
        words = (*self.program, name, *arguments, *shape, "--root", str(self.root))
        done = subprocess.run(words, env=self.environment, capture_output=True, check=False, timeout=_PATIENCE)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)}: {done.stderr.decode()}")
        return {} if name == "index" else json.loads(done.stdout)

    def started(self, *words: str) -> subprocess.Popen[bytes]:
        """A server on its standard streams."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            (*self.program, *words),
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            cwd=self.root,
        )


class _Peer:
    """A server that is asked one thing at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._process, self._to, self._back = process, process.stdin, process.stdout
        self._number = 0

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._to.close()
        self._back.close()

    def call(self, method: str, params: Json) -> Any:
        """The result of a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self._read(self._back)
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method} {params}: {message['error']}")
                return message["result"]
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def tell(self, method: str, params: Json) -> None:
        """A notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: Json) -> None:
        self._to.write(self._framed(json.dumps(message).encode()))
        self._to.flush()

    _framed: Callable[[bytes], bytes]
    _read: Callable[[IO[bytes]], Json]


class _Server(_Peer):
    """The language server, once it has linked everything."""

    def __init__(self, run: _Run) -> None:
        super().__init__(run.started("serve"))
        folder = {"uri": run.root.as_uri(), "name": "root"}
        abilities = {
            "general": {"positionEncodings": ["utf-8"]},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}},
        }
        # What a checker settles meanwhile makes another state, which commands do not ask for.
        hello = {"processId": None, "rootUri": folder["uri"], "workspaceFolders": [folder], "capabilities": abilities}
        hello["initializationOptions"] = {"checker": {"enabled": False}}
        self.call("initialize", hello)
        self.tell("initialized", {})
        end = time.monotonic() + _PATIENCE
        while self.ask("graph/status")["session"]["stage"] != "complete":
            assert time.monotonic() < end, "the workspace was not linked in time"
            time.sleep(0.3)

    def ask(self, method: str, **params: object) -> Any:
        """The result of a request."""
        return self.call(method, params)

    @staticmethod
    def _framed(body: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    @staticmethod
    def _read(back: IO[bytes]) -> Json:
        length = 0
        while (line := back.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(back.read(length))


class _Agent(_Peer):
    """The tools for agents."""

    def __init__(self, run: _Run, join: str) -> None:
        more = ("--max-bytes", "10000000", "--wait", "600", "--no-verify")
        super().__init__(run.started("mcp", join, *more, "--root", str(run.root)))
        about = {"name": "faces", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
        self.tell("notifications/initialized", {})

    def ask(self, tool: str, **arguments: object) -> Json:
        """What a tool answers."""
        result = self.call("tools/call", {"name": tool, "arguments": {**arguments, "format": "json"}})
        if result.get("isError"):
            raise SystemExit(f"{tool} {arguments}: {result['content']}")
        return result["structuredContent"]

    @staticmethod
    def _framed(body: bytes) -> bytes:
        return body + b"\n"

    @staticmethod
    def _read(back: IO[bytes]) -> Json:
        return json.loads(back.readline())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=20, help="symbols that are asked about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--symbols", default="", help="these instead of a sample, with commas between them")
    parser.add_argument("--installed", action="store_true", help="ask the graphls on the PATH")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
