"""MCP: the face for agents.

Owns: tools, resources, their schemas and size limits.
Must not know: the other faces, syntax trees, disk.
Invariant: source text is data in named fields and never part of a tool's description.
"""
