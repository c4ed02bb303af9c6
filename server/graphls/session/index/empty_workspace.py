"""Empty workspace: why a workspace has no file that graphls reads.

Owns: the sentence that says so.
Must not know: who is told, and how.
Invariant: nothing is said of a workspace with a source file, nor before all of it was looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for, providers
from graphls.settings.tree import Settings
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import walk
from graphls.sources.workspace import Workspace

_MOST = 6
_MOST_NAMED = 3


def why_empty(snapshot: Snapshot, workspace: Workspace, settings: Settings) -> str:
    """What was found instead of source files, and what was left out; "" where there is one."""
    if snapshot.pending or any(shard.language for shard in snapshot.shards.values()):
        return ""
    found = walk(workspace, SourceLimits.of(settings.files))
    others = [file.path for file in found.files if provider_for(file.path) is None]
    endings = Counter(_ending(path) for path in others)
    parts = [f"{_counted(len(others), 'file')} of other kinds{_listed(endings)}"] if others else []
    left = [one for one in snapshot.skipped if provider_for(one.path) is not None]
    if left:
        named = "; ".join(f"{one.path}: {one.reason}" for one in left[:_MOST_NAMED])
        more = f"; and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        parts.append(f"{_counted(len(left), 'source file')} left out ({named}{more})")
    if found.ignored:
        left_out = "ignore files or settings" if settings.files.exclude else "ignore files"
        parts.append(f"{_counted(found.ignored, 'entry', 'entries')} left out by {left_out}")
    if found.excluded:
        parts.append(f"{_counted(found.excluded, 'folder')} left out by name (.git, node_modules and the like)")
    unread = [one for one in found.skipped if provider_for(one.path) is None]
    if unread:
        parts.append(f"{_counted(len(unread), 'file')} that cannot be read")
    read = " ".join(ending for provider in providers().values() for ending in provider.capabilities.files)
    return f"no source files: {', '.join(parts) or 'the folder is empty'}. graphls reads {read}."


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else name


def _listed(endings: Counter[str]) -> str:
    named: Sequence[str] = [ending for ending, _ in endings.most_common(_MOST)]
    return f" ({', '.join(named)})" if named else ""
