"""Doors: disk, environment, processes and code execution stay where they belong.

Owns: which call needs which door, and who holds a key.
Must not know: what any module does.
Invariant: each exception carries a reason, and an exception that is no longer needed fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from functools import cache

import pytest

from tidy.modules import Module, dotted, every_module, modules

DISK_CALLS = frozenset({
    "open", "io.open", "os.open", "gzip.open", "os.listdir", "os.scandir", "os.walk", "os.stat", "os.lstat",
    "os.replace", "os.rename", "os.remove", "os.unlink", "os.mkdir", "os.makedirs", "os.path.exists",
    "os.path.isfile", "os.path.isdir", "os.path.realpath", "Path.cwd", "Path.home", "os.getcwd",
    "os.path.expanduser", "os.path.expandvars",
})  # fmt: skip
DISK_METHODS = frozenset({
    "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "rglob", "mkdir", "rmdir", "unlink",
    "is_file", "is_dir", "expanduser", "symlink_to", "readlink",
})  # fmt: skip
DISK_MODULES = frozenset({
    "tempfile", "shutil", "glob", "fileinput", "mmap", "sqlite3", "diskcache", "watchfiles",
})  # fmt: skip
ENVIRONMENT = frozenset({
    "os.environ", "os.getenv", "os.putenv", "os.environb",
})  # fmt: skip
PROCESS_MODULES = frozenset({
    "subprocess", "pty",
})  # fmt: skip
PROCESS_CALLS = frozenset({
    "asyncio.create_subprocess_exec", "os.fork", "os.posix_spawn", "os.execv", "os.execvp",
})  # fmt: skip
NETWORK_MODULES = frozenset({
    "socket", "urllib.request", "http.client", "requests", "httpx", "ftplib", "smtplib",
})  # fmt: skip

FORBIDDEN_MODULES = frozenset(
    {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "code", "runpy"}
)
FORBIDDEN_CALLS = frozenset({
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "asyncio.create_subprocess_shell",
    "subprocess.getoutput", "subprocess.getstatusoutput", "yaml.load", "yaml.unsafe_load",
})  # fmt: skip
DOORS_OF_MODULES = {
    "disk": DISK_MODULES,
    "process": PROCESS_MODULES,
    "network": NETWORK_MODULES,
    "forbidden": FORBIDDEN_MODULES,
}

# Who may open a door, by path below server/graphls. Each carries a reason.
DISK: Mapping[str, str] = {
    "sources/": "the door to the disk of a workspace",
    "tables/": "writes and asks databases, in places that a command has made",
    "store/": "the door to what is kept between runs",
    "org/": "unpacks archives and makes tables, in places of its own",
    "cli/": "a face: writes the files that the user names",
}
DISK_EXCEPTIONS: Mapping[str, str] = {
    "analysis/frameworks/rules.py": "rule files that come with the package",
    "lsp/protocol/lifecycle.py": "the state of the parent process, which is no part of a workspace",
    "session/process/forked_workers.py": "how many threads this process has, and the null device",
}
ENVIRONMENTS: Mapping[str, str] = {
    "sources/": "the door to the surroundings of a workspace",
    "store/": "the cache folder of the user",
    "cli/": "a face: colours, width, variables that the user sets",
}
ENVIRONMENT_EXCEPTIONS: Mapping[str, str] = {}
PROCESSES: Mapping[str, str] = {
    "sources/": "asks git about the workspace",
    "compilers/": "runs checkers, with argument lists and an environment of its own making",
}
PROCESS_EXCEPTIONS: Mapping[str, str] = {
    "session/process/forked_workers.py": "copies this process: workers that extract and link",
    "session/process/workers.py": "starts this interpreter with a fixed argument list: workers that extract and link",
}
NETWORK: Mapping[str, str] = {}


def uses(module: Module) -> Iterator[tuple[str, str]]:
    """(door, what) for every use that needs a door."""
    for node in ast.walk(module.tree):
        yield from ((door, name) for name in _imported(node) for door in _doors_of_module(name))
        if isinstance(node, ast.Attribute) and dotted(node) in ENVIRONMENT:
            yield "environment", dotted(node)
        if isinstance(node, ast.Call):
            yield from _call(node)


@cache
def uses_of(module: Module) -> Set[tuple[str, str]]:
    """The same of one of the package's modules, which many tests ask for."""
    return frozenset(uses(module))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _doors_of_module(name: str) -> Iterator[str]:
    roots = {name, name.split(".")[0]}
    table = {
        "disk": DISK_MODULES,
        "process": PROCESS_MODULES,
        "network": NETWORK_MODULES,
        "forbidden": FORBIDDEN_MODULES,
    }
    yield from (door for door, names in table.items() if roots & names)
    if name in ENVIRONMENT:
        yield "environment"
    if name in FORBIDDEN_CALLS:
        yield "forbidden"


def _call(node: ast.Call) -> Iterator[tuple[str, str]]:
    name = dotted(node.func)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name in DISK_CALLS or method in DISK_METHODS:
        yield "disk", name or method
    if name in PROCESS_CALLS:
        yield "process", name
    if name in FORBIDDEN_CALLS:
        yield "forbidden", name
    if any(word.arg == "shell" and not _is_false(word.value) for word in node.keywords):
        yield "forbidden", "shell=True"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


HOLDERS: Mapping[str, Mapping[str, str]] = {
    "disk": {**DISK, **DISK_EXCEPTIONS},
    "environment": {**ENVIRONMENTS, **ENVIRONMENT_EXCEPTIONS},
    "process": {**PROCESSES, **PROCESS_EXCEPTIONS},
    "network": NETWORK,
    "forbidden": {},
}


@every_module
@pytest.mark.parametrize("door", HOLDERS)
def test_door_is_used_by_its_holders_only(module: Module, door: str) -> None:
    if not module.within(tuple(HOLDERS[door])):
        found = sorted({what for kind, what in uses_of(module) if kind == door})
        assert found == [], f"{module.name}: {door} belongs to {sorted(HOLDERS[door]) or 'nobody'}"


@pytest.mark.parametrize(
    ("door", "exceptions"),
    [("disk", DISK_EXCEPTIONS), ("environment", ENVIRONMENT_EXCEPTIONS), ("process", PROCESS_EXCEPTIONS)],
)
def test_exceptions_are_needed(door: str, exceptions: Mapping[str, str]) -> None:
    holders = [module for module in modules() if any(kind == door for kind, _ in uses_of(module))]
    unused = [prefix for prefix in exceptions if not any(module.within((prefix,)) for module in holders)]
    assert unused == []
    assert all(exceptions.values())


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('x')", "disk"),
        ("path.read_text()", "disk"),
        ("import shutil", "disk"),
        ("os.environ['x']", "environment"),
        ("from os import environ", "environment"),
        ("import subprocess", "process"),
        ("from urllib.request import urlopen", "network"),
        ("import pickle", "forbidden"),
        ("from pickle import loads", "forbidden"),
        ("run(x, shell=True)", "forbidden"),
        ("run(x, shell=flag)", "forbidden"),
        ("eval(x)", "forbidden"),
        ("os.system(x)", "forbidden"),
        ("from os import system", "forbidden"),
    ],
)
def test_use_is_seen(code: str, expected: str) -> None:
    assert expected in {door for door, _ in uses(Module("sample.py", code))}


@pytest.mark.parametrize("code", ["re.compile(x)", "run(x, shell=False)", "session.open(x)", "import os.path"])
def test_harmless_use_is_left_alone(code: str) -> None:
    assert list(uses(Module("sample.py", code))) == []
