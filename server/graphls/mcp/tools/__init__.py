"""Tools: what agents can ask, one module a tool.

Owns: descriptions, arguments as questions of the layers below, answers as records and as text.
Must not know: transports, how anything is found.
Invariant: a tool calls queries on one snapshot and converts; no text of a workspace enters a description.
"""
