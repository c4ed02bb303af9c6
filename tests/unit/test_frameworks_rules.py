"""What each framework's rules derive, as lists: everything on the list is derived, and nothing else is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.analysis.frameworks.rules import rule_set, shipped
from graphls.analysis.frameworks.text_routes import text_route_rules
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import RawEdge, edges_from, edges_to
from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of
from graphls.settings import Settings
from graphls.settings.parse import parse_settings

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = {path.parent.name: path.parent for path in sorted(FIXTURES.glob("*/frameworks/*/input.txt"))}
NAMES = sorted(CASES)
_QUIET = ("rule", "path", "method", "methods")


def workspace(name: str) -> Snapshot:
    files = dict(fixture((CASES[name] / "input.txt").read_text("utf-8")).files)
    raw = files.pop("graphls.toml", b"")
    settings, problems = parse_settings(tomllib.loads(raw.decode()))
    assert problems == ()
    return snapshot_of(files, settings)


def told(snapshot: Snapshot) -> Iterator[str]:
    """Nodes derived by rules with their attributes, and their edges with what they rest on."""
    assert snapshot.derivation is not None
    for path in snapshot.shards:
        nodes = snapshot.derivation.nodes(snapshot, path)
        yield from (f"{path}: {_node(node)}" for node in nodes if "rule" in dict(node.attributes))
        found = snapshot.derivation.edges_from(snapshot, path)
        edges = (edge for edge in found if edge.kind != "contains" and edge.attributes.get("via") != "document")
        yield from (f"{path}: {_edge(snapshot, edge)}" for edge in edges)


def _node(node: DerivedNode) -> str:
    about = dict(node.attributes)
    rest = [f"{name}={value}" for name, value in about.items() if name not in _QUIET]
    return " ".join([node.kind, node.subkind or "-", repr(node.name), f"by {about['rule']}", *rest])


def _edge(snapshot: Snapshot, edge: RawEdge) -> str:
    marks = [f"{name}={value}" for name, value in edge.attributes.items() if name != "rule"]
    ends = f"{end_name(snapshot, edge.source)} {edge.kind} {end_name(snapshot, edge.target)}"
    return " ".join([ends, f"{edge.resolution} {edge.confidence}", *marks])


@pytest.mark.parametrize("name", NAMES)
def test_derived(name: str, update_goldens: bool) -> None:
    found = "".join(f"{line}\n" for line in told(workspace(name)))
    golden = CASES[name] / "expected.txt"
    if update_goldens:
        golden.write_text(found, "utf-8")
    assert found == golden.read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_both_directions_agree(name: str) -> None:
    snapshot = workspace(name)
    edges = [edge for path in snapshot.shards for edge in edges_from(snapshot, path)]
    for end in {edge.target for edge in edges if not isinstance(edge.target, str)}:
        incoming = [edge for edge in edges if edge.target == end]
        assert _sorted(edges_to(snapshot, end)) == _sorted(incoming), end
        if isinstance(end, SymbolRef) and snapshot.derivation is not None:
            handled = [edge for edge in incoming if edge.kind == "handles"]
            assert _sorted(snapshot.derivation.handlers_at(snapshot, end)) == _sorted(handled)
    assert snapshot.derivation is not None
    for node in snapshot.derivation.all_nodes(snapshot):
        handled = [edge for edge in edges if edge.source == node and edge.kind == "handles"]
        assert _sorted(snapshot.derivation.handled_by(snapshot, node)) == _sorted(handled), node


def _sorted(edges: object) -> list[str]:
    return sorted(repr(edge) for edge in edges)  # type: ignore[attr-defined]


def test_every_shipped_rule_has_a_case() -> None:
    text = "".join((CASES[name] / "expected.txt").read_text("utf-8") for name in NAMES)
    named = {rule.name for rule in shipped() if rule.yields in ("route", "tool") and f"by {rule.name}" not in text}
    assert named == set()
    assert {rule.name for rule in text_route_rules() if f"by text.{rule.name}\n" not in text} == set()


def test_rules_keep_to_the_files_of_their_framework() -> None:
    """`get` of a dictionary is no call that any rule of Python speaks of: nobody infers what it is called on."""
    assert all(rule.endings for rule in shipped())
    rules = rule_set()
    assert not rules.calls_in("a.py", "get")
    assert rules.calls_in("a.ts", "get")
    assert rules.calls_in("a.py", "path")
    text = "import express\n\napp = express.express()\napp.get('/x', 1)\nexpress.get('/y', app)\n"
    snapshot = snapshot_of({"a.py": text})
    assert snapshot.derivation is not None
    assert snapshot.derivation.nodes(snapshot, FilePath("a.py")) == ()


def test_switched_off() -> None:
    settings, _ = parse_settings({"frameworks": {"enabled": False}})
    assert snapshot_of({"a.py": ""}, settings).derivation is None
    assert Settings().frameworks.enabled


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"name": "a", "on": "decorator"}, "a rule that has match"),
        (
            {"name": "a", "on": "sky", "match": ["a.b"]},
            "one of decorator, call, base, assignment, file, read, literal for on",
        ),
        ({"name": "a", "on": "call", "match": ["a.*"]}, "last part is written out"),
        ({"name": "a", "on": "call", "match": ["a.b"], "colour": 1}, "only these keys"),
        ({"name": "a", "on": "base", "match": ["a.b"]}, "names its members in handler"),
        ({"name": "a", "on": "call", "match": ["a.b"], "byName": "yes"}, "true or false for by_name"),
    ],
)
def test_bad_rules_are_refused_with_a_reason(rule: dict[str, object], said: str) -> None:
    settings, problems = parse_settings({"frameworks": {"rules": [rule]}})
    assert settings.frameworks.rules == ()
    assert len(problems) == 1
    assert said in problems[0].message


def test_order_of_files_changes_nothing() -> None:
    for name in NAMES:
        files = {str(path): workspace(name).text(path) or b"" for path in workspace(name).shards}
        assert list(told(snapshot_of(dict(reversed(files.items()))))) == list(told(snapshot_of(files)))


def test_a_place_may_be_asked_alone() -> None:
    snapshot = workspace("flask")
    assert snapshot.derivation is not None
    place = next(
        edge.target
        for edge in snapshot.derivation.edges_from(snapshot, next(iter(snapshot.shards)))
        if edge.kind == "handles" and isinstance(edge.target, SymbolRef)
    )
    again = workspace("flask")
    assert again.derivation is not None
    assert [edge.kind for edge in again.derivation.edges_to(again, place)] == ["handles", "handles"]
