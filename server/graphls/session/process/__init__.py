"""Process: worker processes, and what this process spends.

Owns: starting, killing, messages, memory of the process.
Must not know: what the work means.
Invariant: no worker outlives the session.
"""
