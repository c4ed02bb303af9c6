"""Words: what the text of an import path says of the name of its package.

Owns: the conventions of import paths.
Must not know: files, which packages there are.
Invariant: a function of the path.
"""

from __future__ import annotations


def package_word(path: str) -> tuple[str, int]:
    """The name that the package of a path most likely has, and where it stands: `yaml` of `gopkg.in/yaml.v3`."""
    parts = path.split("/")
    at = len(parts) - 1
    if at > 0 and len(parts[at]) > 1 and parts[at][0] == "v" and parts[at][1:].isdigit():
        at -= 1
    word = parts[at]
    offset = len("/".join(parts[:at])) + (1 if at else 0)
    stem, dot, version = word.rpartition(".v")
    if dot and version.isdigit():
        word = stem
    for prefix in ("go-", "go."):
        if word.startswith(prefix) and len(word) > len(prefix):
            word, offset = word[len(prefix) :], offset + len(prefix)
    for suffix in ("-go", ".go"):
        word = word.removesuffix(suffix) or word
    return word, offset
