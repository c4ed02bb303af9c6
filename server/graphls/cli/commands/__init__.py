"""Commands: one module a command of `graphls`.

Owns: arguments of each command, and which query they are for.
Must not know: other commands.
Invariant: a module offers `run`; it opens the workspace once, asks one question, renders the answer.
"""
