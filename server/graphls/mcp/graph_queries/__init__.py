"""Graph queries: what the tool `graph` can be asked, one module a kind of question.

Owns: arguments as questions of the layers below, answers as records and as text.
Must not know: the tool, transports, how anything is found.
Invariant: a module is registered by lying here; every edge that is shown is one of the graph.
"""
