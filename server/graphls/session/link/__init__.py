"""Link: what the files of one snapshot mean by names.

Owns: links, what they rest on, which of them stay valid.
Must not know: protocols, how files are read.
Invariant: a link that is reused equals a link made anew.
"""
