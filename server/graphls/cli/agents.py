"""Agents: how well-known agents are told to start the server.

Owns: which agents there are, where each looks, what goes there.
Must not know: the server, the protocol, how a file is written.
Invariant: an agent has a `path` only where its configuration is documented to stand there.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

Json = dict[str, Any]


@attrs.frozen
class Agent:
    """One agent: its name, where its configuration stands, and what belongs there."""

    name: str
    where: str
    text: Callable[[Sequence[str]], str]
    path: str = ""
    """The file that an entry is written to: in the workspace, or behind `~/`; "" where nothing is written."""
    key: str = ""
    """Below which key of it."""
    entry: Callable[[Sequence[str]], Json] = lambda words: {}


def start_words(root: str, *, writes: bool) -> list[str]:
    """The command that starts the server for a workspace."""
    program = shutil.which("graphls")
    start = [program] if program else [sys.executable, "-P", "-m", "graphls"]
    return [*start, "mcp", "--root", root, *(["--allow-writes"] if writes else [])]


def _entries(key: str, entry: Callable[[Sequence[str]], Json]) -> Callable[[Sequence[str]], str]:
    return lambda words: json.dumps({key: {"graphls": entry(words)}}, indent=2, ensure_ascii=False)


def _plain(words: Sequence[str]) -> Json:
    return {"command": words[0], "args": list(words[1:])}


def _typed(words: Sequence[str]) -> Json:
    return {"type": "stdio", **_plain(words)}


def _local(words: Sequence[str]) -> Json:
    return {"type": "local", "command": list(words), "enabled": True}


def _command(words: Sequence[str]) -> str:
    return shlex.join(["claude", "mcp", "add", "graphls", "--", *words])


def _toml(words: Sequence[str]) -> str:
    command, args = json.dumps(words[0]), json.dumps(list(words[1:]))
    return f"[mcp_servers.graphls]\ncommand = {command}\nargs = {args}"


def _in_json(name: str, where: str, key: str, entry: Callable[[Sequence[str]], Json], path: str = "") -> Agent:
    return Agent(name, where, _entries(key, entry), path, key, entry)


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent("claude-code", "run this in the workspace", _command, ".mcp.json", "mcpServers", _typed),
        Agent("codex", "~/.codex/config.toml", _toml, "~/.codex/config.toml", "mcp_servers", _plain),
        _in_json("cursor", ".cursor/mcp.json in the workspace", "mcpServers", _plain, ".cursor/mcp.json"),
        _in_json("vscode", ".vscode/mcp.json in the workspace", "servers", _typed, ".vscode/mcp.json"),
        _in_json("gemini", ".gemini/settings.json in the workspace", "mcpServers", _plain, ".gemini/settings.json"),
        _in_json("zed", "settings.json of Zed", "context_servers", _plain),
        _in_json(
            "windsurf",
            "~/.codeium/windsurf/mcp_config.json",
            "mcpServers",
            _plain,
            "~/.codeium/windsurf/mcp_config.json",
        ),
        _in_json("opencode", "opencode.json in the workspace", "mcp", _local, "opencode.json"),
        _in_json("other", ".mcp.json, or wherever your agent keeps servers", "mcpServers", _typed, ".mcp.json"),
    )
}
