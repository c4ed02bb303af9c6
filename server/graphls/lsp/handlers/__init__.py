"""Handlers: one short module a group of requests.

Owns: the list of all that is answered.
Must not know: transports, how answers are found.
Invariant: a handler parses, asks one query on one snapshot and converts the answer.
"""
