"""Increment: edits one by one, against everything from scratch.

Owns: tests of the session's promise that the order of events changes nothing.
Must not know: protocols, queries.
Invariant: no test waits for a time to pass; each waits for a state.
"""
