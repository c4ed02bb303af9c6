"""Switches: what goes with every command, and the faces that other programs offer.

Owns: the options in front of a command, their values for the whole run.
Must not know: any particular command, how other faces work.
Invariant: made once, when the program starts; commands read it and never change it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

import attrs

if TYPE_CHECKING:
    from graphls.settings import Settings
    from graphls.sources.workspace import Workspace
    from graphls.store.blobs import BlobStore

ANYWHERE = ("--debug", "--trust", "--no-cache")
"""Switches that may also stand behind the command."""
_REPO: Final = "--repo"
"""So may this, with its value; of the command `eval` it is an option of its own."""
_OWN_REPO: Final = "eval"


@attrs.frozen
class ServeRequest:
    """How a server is asked to listen. Without a port it speaks on the standard streams."""

    tcp: int | None = None
    ws: int | None = None
    host: str = "127.0.0.1"
    token: str = ""
    """What a client on a port shows."""
    notice: str = ""
    """What the user is told once a client can connect."""
    programs: bool = False
    """Let a client on a port name programs in its settings."""
    trusted: bool = False
    """The user trusts the workspaces that clients open."""
    agents: bool = True
    """Let `graphls mcp` for the same workspace be answered by this server."""


@attrs.frozen(kw_only=True)
class McpRequest:
    """What a server for agents is started with. Without `http` it speaks on the standard streams."""

    workspace: Workspace
    settings: Settings
    store: BlobStore | None
    problems: tuple[str, ...]
    http: int | None
    token: str
    notice: str
    """As for `ServeRequest`."""
    writes: bool
    max_bytes: int
    profile: Literal["full", "minimal"]
    wait: float
    verify: bool = True
    join: bool = True
    """Have a language server that has the workspace open answer."""
    reread: Callable[[], tuple[Settings, tuple[str, ...]]] | None = None
    """The settings as their files say them later, and what is wrong with them."""


@attrs.frozen
class Faces:
    """Other faces, started from the command line by whoever knows them all."""

    serve: Callable[[ServeRequest], int] | None = None
    mcp: Callable[[McpRequest], int] | None = None


@attrs.frozen
class Switches:
    """The values for one run."""

    debug: bool = False
    trusted: bool = False
    cache: bool = True
    repositories: tuple[str, ...] = ()
    """Aliases of those repositories of a workspace that are read; all of them where none is named."""
    faces: Faces = Faces()


def in_front(arguments: Sequence[str]) -> list[str]:
    """The arguments with the switches that stand behind the command moved before it; nothing moves after `--`."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    own, rest = list[str](), list[str]()
    commands = [argument for argument in arguments[:cut] if not argument.startswith("-")]
    chooses = commands[:1] != [_OWN_REPO]
    values = iter(arguments[:cut])
    for argument in values:
        if argument in ANYWHERE or (chooses and argument.startswith(f"{_REPO}=")):
            own.append(argument)
        elif chooses and argument == _REPO:
            own += [argument, *itertools.islice(values, 1)]
        else:
            rest.append(argument)
    return [*own, *rest, *arguments[cut:]]
