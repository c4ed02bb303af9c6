"""Flow: which functions the variables, parameters and fields of a workspace may hold.

Owns: what is handed to what, how functions get to where they are called, the calls that follow.
Must not know: LSP types, URIs, disk, how facts were extracted, rules of frameworks.
Invariant: a call that follows from flow is marked possible; where too many functions are possible there is none.
"""
