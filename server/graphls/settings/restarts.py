"""Restarts: which settings a running server cannot take in.

Owns: that list.
Must not know: servers, where settings come from.
Invariant: every other setting counts from the next state of the graph on.
"""

from __future__ import annotations

from graphls.settings.tree import Settings


def needs_restart(before: Settings, now: Settings) -> tuple[str, ...]:
    """What differs and counts only from the next start on."""
    differing = {
        "cache": before.cache != now.cache,
        "disabled-language-services": before.disabled_services != now.disabled_services,
    }
    return tuple(name for name, differs in differing.items() if differs)
