"""Emptiness: why a workspace has no file that graphls reads.

Owns: the sentence that says so, and that it is a negative answer.
Must not know: arguments, how files are read.
Invariant: nothing is said of a workspace with a source file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import typer

from graphls.cli.guard import NEGATIVE, Refused
from graphls.cli.opening import Opened
from graphls.cli.rendering.words import counted, visible
from graphls.languages.registry import provider_for, providers
from graphls.queries.status import status
from graphls.sources.limits import Limits
from graphls.sources.walk import walk

_MOST = 6
_MOST_NAMED = 3


def why_empty(workspace: Opened) -> str:
    """What was found instead of source files, and what was left out."""
    found = walk(workspace.workspace, Limits.of(workspace.settings.files))
    others = [file.path for file in found.files if provider_for(file.path) is None]
    endings = Counter(_ending(path) for path in others)
    parts = [f"{counted(len(others), 'file')} of other kinds{_listed(endings)}"] if others else []
    left = [one for one in workspace.snapshot.skipped if provider_for(one.path) is not None]
    if left:
        named = "; ".join(f"{visible(one.path)}: {visible(one.reason)}" for one in left[:_MOST_NAMED])
        more = f"; and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        parts.append(f"{counted(len(left), 'source file')} left out ({named}{more})")
    if found.ignored:
        parts.append(f"{counted(found.ignored, 'entry', 'entries')} left out by ignore files")
    if found.excluded:
        parts.append(f"{counted(found.excluded, 'folder')} left out by name (.git, node_modules and the like)")
    unread = [one for one in found.skipped if provider_for(one.path) is None]
    if unread:
        parts.append(f"{counted(len(unread), 'file')} that cannot be read")
    read = " ".join(ending for provider in providers().values() for ending in provider.extensions)
    return f"no source files: {', '.join(parts) or 'the folder is empty'}. graphls reads {read}."


def refuse_if_empty(workspace: Opened) -> None:
    """Raises Refused where there is nothing to make a graph of."""
    held = status(workspace.snapshot)
    if not (held.indexed or held.pending):
        raise Refused(
            f"Nothing to export: {why_empty(workspace)} With --mode allow-errors the empty graph is written.", NEGATIVE
        )


def end_if_empty(indexed: int) -> None:
    """A workspace without source files is a negative answer."""
    if not indexed:
        raise typer.Exit(NEGATIVE)


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else name


def _listed(endings: Counter[str]) -> str:
    named: Sequence[str] = [ending for ending, _ in endings.most_common(_MOST)]
    return f" ({', '.join(named)})" if named else ""
