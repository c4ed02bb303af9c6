"""Checker: gopls.

Owns: how it is started, what the `go` command that it runs may not do.
Must not know: processes, requests.
Invariant: nothing is downloaded, compiled or written, and no program runs that the workspace names: `go list` reads
    files alone. So it may be asked in a workspace that nobody trusts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from graphls.languages.language_checker import LanguageChecker, ProbeQuestion, Told

_ENVIRONMENT: Final = MappingProxyType({
    # A line `toolchain` in `go.mod` would have another Go downloaded and run.
    "GOTOOLCHAIN": "local",
    # What is not in the cache of modules stays unknown.
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOVCS": "*:off",
    # For files that import "C" a compiler would run, with flags that they name.
    "CGO_ENABLED": "0",
    # Without this `git` may run, which runs what the configuration of a repository names.
    "GOFLAGS": "-buildvcs=false",
    # A program of that name on the PATH would be asked instead of `go`.
    "GOPACKAGESDRIVER": "off",
})  # fmt: skip


def _environment(memory_mb: int) -> Mapping[str, str]:
    """It collects late: without a mark to keep below, the memory of a large module passes the limit that ends it."""
    return {**_ENVIRONMENT, "GOMEMLIMIT": f"{memory_mb * 6 // 10}MiB"}


def _options(root: str, aliases: Mapping[str, tuple[str, ...]]) -> Told:
    """It reads `go.mod` and `go.work` itself. What is not asked for is not worked out."""
    return {"diagnosticsTrigger": "Save", "semanticTokens": False, "staticcheck": False, "vulncheck": "Off"}


GOPLS: Final = LanguageChecker(
    name="gopls",
    program="gopls",
    arguments=("-mode=stdio",),
    oldest=(),
    install="go install golang.org/x/tools/gopls@latest",
    endings=(".go",),
    # A package of its own in a folder that is not there: beside other files it would have to be of their package.
    probe=ProbeQuestion(
        "package probe\n\ntype s struct{ a int }\n\nfunc f(p *s) int { return p.a }\n",
        4,
        28,
        2,
        file=".graphls-probe/probe.go",
    ),
    options=_options,
    environment=_environment,
)
