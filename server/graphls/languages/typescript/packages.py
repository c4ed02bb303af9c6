"""Packages: whether manifests say where a name outside the workspace comes from.

Owns: the names of packages that a folder depends on, which modules come with Node.js.
Must not know: what is installed, the disk.
Invariant: a function of manifests, the asking file and the name.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphls.facts.paths import FilePath, enclosing_folders

DEPENDS = "depends:"
"""Key of the packages that the manifest of a folder names."""
KINDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_TYPES = "@types/"
_NODE = f"{_TYPES}node"
_BUILT_IN = frozenset(
    (
        *("assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram"),
        *("diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module"),
        *("net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream"),
        *("string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi"),
        *("worker_threads", "zlib"),
    )
)
_TYPES_OF_THE_LANGUAGE = frozenset(
    (
        *("string", "number", "boolean", "bigint", "symbol", "object", "never", "unknown", "any", "void"),
        *("Partial", "Required", "Readonly", "Record", "Pick", "Omit", "Exclude", "Extract", "NonNullable"),
        *("Parameters", "ConstructorParameters", "ReturnType", "InstanceType", "Awaited", "ThisType", "NoInfer"),
        *("PromiseLike", "ArrayLike", "Iterable", "Iterator", "IterableIterator", "Generator", "AsyncIterable"),
        *("AsyncIterator", "AsyncGenerator", "AsyncIterableIterator", "ReadonlyArray", "ReadonlyMap", "ReadonlySet"),
        *("PropertyKey", "PropertyDescriptor", "TemplateStringsArray"),
    )
)


def declares(aliases: Mapping[str, tuple[str, ...]], path: FilePath, dotted: str) -> bool:
    """Whether a manifest around a file names the package of a dotted name, or what declares its types."""
    first = dotted.removeprefix("node:").split("/")[0].split(".")[0]
    built_in = dotted.startswith("node:") or first in _BUILT_IN
    for folder in enclosing_folders(path.rpartition("/")[0]):
        for package in aliases.get(DEPENDS + folder, ()):
            if built_in and package == _NODE:
                return True
            if _is_of(dotted, package) or (package.startswith(_TYPES) and _is_of(dotted, _typed(package))):
                return True
    return False


def is_standard(dotted: str) -> bool:
    """Whether a dotted name comes with the language, with browsers or with Node.js."""
    from graphls.languages.typescript.types.global_names import GLOBALS  # brings all of resolution along

    if dotted.startswith("node:"):
        return True
    first = dotted.partition("/")[0].partition(".")[0]
    return first in _BUILT_IN or first in _TYPES_OF_THE_LANGUAGE or first in GLOBALS


def _typed(package: str) -> str:
    """The package whose types another one declares: `@types/scope__name` those of `@scope/name`."""
    name = package.removeprefix(_TYPES)
    scope, found, rest = name.partition("__")
    return f"@{scope}/{rest}" if found else name


def _is_of(dotted: str, package: str) -> bool:
    return dotted.startswith(package) and dotted[len(package) : len(package) + 1] in ("", ".", "/")
