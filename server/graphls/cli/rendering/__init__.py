"""Rendering: answers as text for people and as JSON for programs.

Owns: words, columns, colours, progress bars, the JSON form.
Must not know: any particular command, the graph.
Invariant: text from source cannot steer a terminal; what is piped has no colour and no bar.
"""
