"""Queries: one module a question, asked of one snapshot.

Owns: definition, references, neighbourhood, trace, impact, find and their like.
Must not know: LSP types, URIs, JSON, disk, live state.
Invariant: a query reads exactly one snapshot; same snapshot and question, same answer.
"""
