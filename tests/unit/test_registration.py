"""The entry in an agent's configuration: nothing else of the file changes, and a file that is odd stays as it is."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from e2e.cli_runs import graphls
from graphls.cli.agents import AGENTS
from graphls.cli.registration import Entry, NotWritten, register, with_json, with_toml

ENTRY = Entry("mcpServers", {"command": "graphls", "args": ["mcp", "--root", "/w"]})
TABLE = Entry("mcp_servers", {"command": "graphls", "args": ["mcp", "--root", "/w"]})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), VALUES, max_size=4), st.dictionaries(st.text(), VALUES, max_size=3), st.integers(0, 4)
)
def test_nothing_else_changes_in_json(others: dict[str, Any], servers: dict[str, Any], indent: int) -> None:
    text = json.dumps({**others, "mcpServers": servers}, indent=indent or None)
    after = with_json(text, ENTRY)
    assert json.loads(after) == {**others, "mcpServers": {**servers, "graphls": dict(ENTRY.fields)}}
    assert with_json(after, ENTRY) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1}', '{\n  "mcpServers": {\n    "graphls": '),
        ('{"mcpServers": {"x": {}}, "a":   1}', ', "a":   1}'),
        ('{ "mcpServers": {"graphls": {"command": "old"}, "x": {} } }', ', "x": {} } }'),
    ],
)
def test_what_stood_there_keeps_its_form(before: str, after: str) -> None:
    assert after in with_json(before, ENTRY)


@pytest.mark.parametrize("text", ["[]", "{", '{"mcpServers": []}', '// words\n{"a": 1}', '{"a": 1,}', "null"])
def test_odd_files_stay_as_they_are(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(NotWritten):
        register(file, ENTRY, within=tmp_path)
    assert file.read_text() == text
    assert [one.name for one in tmp_path.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model = 'x'  # mine",
        "model = 'x'\n\n[mcp_servers.other]\ncommand = 'y'\n",
        "[mcp_servers.graphls]\ncommand = 'old'\n# words\n\n[tui]\nnotify = true\n",
        "[mcp_servers.graphls]\ncommand = 'old'",
    ],
)
def test_a_table_is_added_or_replaced(text: str) -> None:
    after = with_toml(text, TABLE)
    expected = tomllib.loads(text)
    expected.setdefault("mcp_servers", {})["graphls"] = dict(TABLE.fields)
    assert tomllib.loads(after) == expected
    assert with_toml(after, TABLE) == after


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = 1", "[mcp_servers]\ngraphls = { command = 'old' }"])
def test_odd_tables_stay_as_they_are(text: str) -> None:
    with pytest.raises(NotWritten):
        with_toml(text, TABLE)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights")
def test_a_link_out_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside.json", tmp_path / "work"
    outside.write_text("{}")
    inside.mkdir()
    (inside / ".mcp.json").symlink_to(outside)
    with pytest.raises(NotWritten, match="out of the workspace"):
        register(inside / ".mcp.json", ENTRY, within=inside)
    assert outside.read_text() == "{}"


def test_the_command_writes_the_entry_of_each_agent(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    for agent in AGENTS.values():
        run = graphls("init", "--agent", agent.name, "--root", str(work), HOME=str(home), USERPROFILE=str(home))
        if not agent.path:
            assert (run.code, "Nothing was written" in run.err, "graphls" in run.out) == (1, True, True)
            continue
        file = home / agent.path[2:] if agent.path.startswith("~") else work / agent.path
        assert run.code == 0, run.err
        held = tomllib.loads(file.read_text()) if file.suffix == ".toml" else json.loads(file.read_text())
        entry = held[agent.key]["graphls"]
        words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
        assert words[-3:] == ["mcp", "--root", os.path.realpath(work)]
    again = graphls("init", "--agent", "cursor", "--root", str(work), HOME=str(home))
    assert "has the entry already" in again.out
    assert graphls("init", "--root", str(work)).code == 2
    assert graphls("init", "--agent", "nobody", "--root", str(work)).code == 2
