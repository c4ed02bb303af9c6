"""Rounds: one run of each kind of fuzz from an empty folder to a verdict.

Owns: the life of the servers of one run, what is compared at its end.
Must not know: how much is wanted, who asks.
Invariant: a round leaves no process behind; it raises Complaint where the server did what it must not.
"""

from __future__ import annotations

from pathlib import Path

from fuzz.talk import Talk
from fuzz.wire import (
    Complaint,
    Tally,
    conversation,
    methods,
    noise,
    say_goodbye,
    small_workspace,
    snapshot_id,
    start_server,
)


def bytes_round(place: Path, seed: int, size: int) -> Tally:
    """Random bytes between real messages."""
    root = place / "space"
    small_workspace(root)
    client = start_server(root, place / "cache")
    try:
        tally = noise(client, Talk(seed, root, methods()), size)
        say_goodbye(client)
    finally:
        client.close()
    return tally


def messages_round(place: Path, seed: int, count: int) -> Tally:
    """Random messages; what the server holds at the end is what another one reads from the disk."""
    root = place / "space"
    small_workspace(root)
    client = start_server(root, place / "cache")
    try:
        tally = conversation(client, Talk(seed, root, methods()), count)
        shown = snapshot_id(client)
        say_goodbye(client)
    finally:
        client.close()
    fresh = start_server(root, place / "other cache")
    try:
        if (expected := snapshot_id(fresh)) != shown:
            raise Complaint(f"the graph is {shown}, a fresh start has {expected}")
        say_goodbye(fresh)
    finally:
        fresh.close()
    return tally
