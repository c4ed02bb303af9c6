"""Tables: the records of an export as relations, for databases and their readers.

Owns: which tables there are, files of databases, read-only questions in SQL.
Must not know: snapshots, sessions, faces.
Invariant: tables follow from the classes of `graph.records`; no record and no field of one is lost in them.
"""
