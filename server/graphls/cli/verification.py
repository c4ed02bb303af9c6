"""Verification: what commands have a checker do.

Owns: how long a command waits for it, settling everything, the words for what is left.
Must not know: how a checker is asked, any particular command.
Invariant: a checker that is missing or fails is named; what it left out is never passed off as settled.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from graphls.cli.guard import NEGATIVE, UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.cli.rendering.progress import bar
from graphls.cli.rendering.words import counted, visible
from graphls.graph.snapshot import SymbolRef
from graphls.languages.registry import providers
from graphls.session.reported_problems import with_logs

if TYPE_CHECKING:
    from graphls.context.pack import Pack, PackRequest
    from graphls.queries.neighborhood import Direction

PATIENCE_MS = 5_000.0
"""Who waits for a command waits longer than who types."""
_START_SECONDS = 30.0
_TRIES = 3
_TICK = 0.1
_NO_DIFFERENCE = "export without --verify, or mend it first: graphls doctor says more"


def settled(
    workspace: OpenWorkspace,
    places: Sequence[SymbolRef],
    direction: Direction = "both",
    depth: int = 1,
    *,
    wanted: bool,
) -> OpenWorkspace:
    """The workspace with the edges at places settled, if that is wanted."""
    if not wanted:
        return workspace
    verifying = workspace.session.checker_service
    verifying.wait_ready(_START_SECONDS, workspace.snapshot)
    return attrs.evolve(
        workspace, snapshot=verifying.near(workspace.snapshot, places, direction, depth, budget_ms=PATIENCE_MS)
    )


def settled_pack(workspace: OpenWorkspace, request: PackRequest, *, wanted: bool) -> tuple[OpenWorkspace, Pack]:
    """A pack whose edges are settled, if that is wanted."""
    if wanted:
        workspace.session.checker_service.wait_ready(_START_SECONDS, workspace.snapshot)
    snapshot, made = workspace.session.pack(workspace.snapshot, request, PATIENCE_MS)
    return attrs.evolve(workspace, snapshot=snapshot), made


def with_reported(workspace: OpenWorkspace, at: str = "") -> OpenWorkspace:
    """The workspace with what logs of other tools say; they say nothing of a commit."""
    if at:
        return workspace
    seen = with_logs(workspace.snapshot, workspace.workspace, workspace.settings, workspace.store)
    return attrs.evolve(workspace, snapshot=seen)


def available(workspace: OpenWorkspace) -> OpenWorkspace:
    """The workspace with every answer that is known from earlier runs."""
    verifying = workspace.session.checker_service
    verifying.load_stored(workspace.snapshot)
    return attrs.evolve(workspace, snapshot=verifying.verified(workspace.snapshot))


def complete(workspace: OpenWorkspace) -> OpenWorkspace:
    """The workspace with every uncertain site settled, of all languages whose checker is installed. Raises Refused
    when that cannot be had."""
    verifying = workspace.session.checker_service
    if not verifying.wait_ready(_START_SECONDS, workspace.snapshot):
        problem = "; ".join(dict.fromkeys(status.problem for status in verifying.status() if status.problem))
        raise UsageError(
            f"Nothing can be verified: {problem or 'the checker did not start'}; {_NO_DIFFERENCE}.", NEGATIVE
        )
    if verifying.problem:
        sys.stderr.write(f"graphls: warning: not verified: {visible(verifying.problem)}\n")
    for _ in range(_TRIES):
        verifying.upgrade(workspace.snapshot)
        with bar() as progress_bar:
            while not verifying.wait(_TICK):
                progress = verifying.last
                if progress is not None:
                    progress_bar.show(f"checking {progress.phase}", progress.files, progress.total)
        progress = verifying.last
        if progress is not None and progress.phase == "done" and not progress.without_answer:
            return attrs.evolve(workspace, snapshot=verifying.verified(workspace.snapshot))
        time.sleep(_TICK)
    progress = verifying.last
    reason = progress.problem if progress is not None and progress.problem else "some questions got no answer"
    left = counted(progress.without_answer if progress is not None else 0, "question")
    raise UsageError(f"Verification is not complete: {reason} ({left} open); {_NO_DIFFERENCE}.", NEGATIVE)


def rule_name(language: str, rule: int) -> str:
    """What a rule is called; sites that no rule resolved have a name too."""
    # Only who asks for rules loads what resolves names.
    from graphls.compilers.precision import UNRESOLVED

    if rule == UNRESOLVED:
        return "unresolved"
    provider = providers().get(language)
    rule_name = None if provider is None else provider.capabilities.rule_name
    return (rule_name(rule) if rule_name is not None else None) or str(rule)
