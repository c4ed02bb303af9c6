"""Tools: what agents can ask, one module a kind of question.

Owns: descriptions, arguments as questions of the layers below, answers as results.
Must not know: transports, how anything is found.
Invariant: a tool calls queries on one snapshot and converts; no text of a workspace enters a description.
"""
