"""Write queries: what the tool `write` can be asked, offered only when the server was started so.

Owns: arguments as questions of the layers below, answers as records and as text.
Must not know: how feedback is kept, how files are read.
Invariant: nothing of the workspace is written.
"""
