"""Agents: how well-known agents are told to start the server.

Owns: which agents there are, where each looks, the text that goes there.
Must not know: the server, the protocol.
Invariant: nothing is written; a user sees what would change and changes it.
"""

from __future__ import annotations

import json
import shlex
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


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent("claude-code", "run this in the workspace", _command),
        Agent("codex", "~/.codex/config.toml", _toml),
        Agent("cursor", ".cursor/mcp.json in the workspace", _entries("mcpServers", _plain)),
        Agent("vscode", ".vscode/mcp.json in the workspace", _entries("servers", _typed)),
        Agent("gemini", ".gemini/settings.json in the workspace", _entries("mcpServers", _plain)),
        Agent("zed", "settings.json of Zed", _entries("context_servers", _plain)),
        Agent("windsurf", "~/.codeium/windsurf/mcp_config.json", _entries("mcpServers", _plain)),
        Agent("opencode", "opencode.json in the workspace", _entries("mcp", _local)),
        Agent("other", ".mcp.json, or wherever your agent keeps servers", _entries("mcpServers", _typed)),
    )
}
