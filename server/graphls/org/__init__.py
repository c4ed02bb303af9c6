"""Organisation: many repositories, read by many machines, as one set of tables.

Owns: the tasks that read, link and join repositories, the engines that run tasks, questions to the tables.
Must not know: faces, how a session works inside.
Invariant: a task is given plain values and leaves everything in the store, so that it may run anywhere, again, or not
    to its end.
"""
