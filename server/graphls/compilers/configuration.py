"""Configuration: the files of a workspace that decide how a checker reads its programs.

Owns: which files these are for a language, the digest of them.
Must not know: checkers, processes, what the files say.
Invariant: a function of names and contents; languages whose checker reads no such file have the digest "".
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from hashlib import blake2b

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.graph.verification import CONFIGURED
from graphls.languages.registry import language_of, providers

CONFIGURATIONS: Mapping[str, tuple[str, ...]] = {
    "typescript": ("*tsconfig*.json", "jsconfig*.json", "package.json", "base.json"),
    **{
        provider.capabilities.name: provider.capabilities.manifests
        for provider in providers().values()
        if (known := provider.capabilities.checker) is not None and known.project is None
    },
}
"""Language -> names of files that say which projects there are and how names of modules are read."""


UNREAD = frozenset({
    "typescript",
    *(
        name
        for name, provider in providers().items()
        if (known := provider.capabilities.checker) is not None and known.names_outside
    ),
})  # fmt: skip
"""Languages whose installed packages graphls does not read: only a checker knows what is imported from there."""


def packages_read(path: FilePath) -> bool:
    """Whether nobody knows more than graphls itself of what the packages hold that a file may import from."""
    return language_of(path) not in UNREAD


def of_runtime(name: str) -> bool:
    """Whether a name outside is one of the runtime itself, which is never missing."""
    return name.startswith("node:")


def configures(path: FilePath, language: str) -> bool:
    """Whether a file is part of the configuration for a language."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in CONFIGURATIONS.get(language, ()))


def configuration_in(snapshot: Snapshot, path: FilePath) -> str:
    """Digest of the configuration for the language of a file, made once for a snapshot."""
    language = language_of(path)
    if language not in CONFIGURATIONS:
        return ""
    description = CONFIGURED.of(snapshot)
    if language not in description:
        digest = blake2b(digest_size=8)
        alike = ".json" if language == "typescript" else ""
        for name in sorted(path for path in snapshot.shards if path.endswith(alike)):
            if configures(name, language):
                digest.update(f"{name}\n{snapshot.shards[name].content}\n".encode(errors="surrogatepass"))
        description[language] = digest.hexdigest()
    return description[language]
