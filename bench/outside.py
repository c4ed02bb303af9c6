"""Outside: changes that no editor makes, and whether a running server has the graph of a fresh start after each.

Owns: rounds of random edits, moves, checkouts, ignore rules, settings and environments on copies of repositories.
Must not know: how a server learns of changes.
Invariant: the folders given are only read; a round whose exports are not the same byte for byte is a failure.

A round is one of three kinds: `look` asks at once and requires a fresh answer; `notice` tells the server what a client
would be told by its watcher; `watch` tells nothing and waits for the server's own watching.

    python bench/outside.py ROOT ... [--rounds 20] [--seed N] [--installed]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

HERE = Path(__file__).resolve().parent.parent
INSTALLED = "--installed" in sys.argv
sys.path[:0] = [str(HERE / "tests"), *([] if INSTALLED else [str(HERE / "server")])]

from e2e.raw_client import SERVER, RawClient, notification  # noqa: E402
from fuzz.wire import ask  # noqa: E402
from git_folders import committed, git  # noqa: E402
from graphls.graph.export import ExportOptions, export  # noqa: E402
from graphls.lsp.file_watching import GLOBS  # noqa: E402
from graphls.session.session import Session, SessionOptions  # noqa: E402
from graphls.settings import merge  # noqa: E402
from graphls.sources.settings_files import read_settings  # noqa: E402
from graphls.sources.workspace import Workspace  # noqa: E402
from graphls.store.blobs import BlobStore, StoreOptions  # noqa: E402

PATIENCE = 300.0
KINDS = ("look", "notice", "watch")
CODE = (".py", ".ts", ".tsx", ".js", ".go", ".java", ".c", ".cs", ".rs", ".php", ".kt", ".rb", ".sh")
STATEMENTS = {
    ".py": "\n\ndef {}(v):\n    return v\n",
    ".go": "\nfunc {}(v int) int {{\n\treturn v\n}}\n",
    ".java": "\nclass {} {{}}\n",
    ".c": "\nint {}(int v) {{ return v; }}\n",
    ".cs": "\nclass {} {{}}\n",
    ".rs": "\nfn {}(v: u8) -> u8 {{ v }}\n",
    ".kt": "\nfun {}(v: Int): Int = v\n",
    ".rb": "\ndef {}(v)\n  v\nend\n",
    ".sh": "\n{}() {{ echo; }}\n",
}
SCRIPT = "\nexport function {}() {{}}\n"
_PLAIN = [
    f"{head}{one}{tail}"
    for head, braces, tail in (re.fullmatch(r"\*\*/([^{]*)(?:\{(.*)\})?(.*)", glob).groups("") for glob in GLOBS)
    for one in braces.split(",")
]
"""The globs without the two signs that `match` does not know."""
Stamps = Mapping[str, tuple[int, int, int]]


def listed(root: Path) -> Stamps:
    """Every file below a folder, but for what git keeps, with its stamp."""
    found: dict[str, tuple[int, int, int]] = {}
    for here, folders, names in os.walk(root):
        if os.path.basename(here) == ".git":
            folders[:] = ["info"]
        folders[:] = [name for name in folders if name != ".graphls"]
        for name in names:
            path = Path(here, name)
            status = path.lstat()
            key = path.relative_to(root).as_posix()
            if not key.startswith(".git/") or key == ".git/info/exclude":
                found[key] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def told(before: Stamps, after: Stamps) -> list[tuple[str, int]]:
    """What a client that watches the globs says: created 1, changed 2, deleted 3."""
    kinds = {path: 1 if path not in before else 3 if path not in after else 2 for path in before.keys() | after.keys()}
    news = [(path, kind) for path, kind in kinds.items() if before.get(path) != after.get(path)]
    return [(path, kind) for path, kind in news if any(PurePosixPath(path).match(glob) for glob in _PLAIN)]


@attrs.define
class Copy:
    """A copy of a repository, and what may happen to it."""

    root: Path
    random: random.Random
    number: int = 0

    def sources(self) -> list[Path]:
        paths = (path for path in self.root.rglob("*") if path.suffix in CODE and path.is_file())
        hidden = {".venv", ".git", "node_modules", ".graphls"}
        return sorted(path for path in paths if hidden.isdisjoint(path.relative_to(self.root).parts))

    def some(self) -> Path:
        return self.random.choice(self.sources())

    def statement(self, path: Path) -> str:
        return STATEMENTS.get(path.suffix, SCRIPT).format(f"outside_{self.number}")

    # Files

    def append(self) -> None:
        path = self.some()
        with path.open("a", encoding="utf-8") as file:
            file.write(self.statement(path))

    def replace(self) -> None:
        path = self.some()
        new = path.with_name(f"{path.name}.new")
        new.write_text(path.read_text("utf-8", "replace") + self.statement(path), "utf-8")
        new.replace(path)

    def same_size(self) -> None:
        path = self.some()
        data = path.read_bytes()
        names = [word for word in data.split() if len(word) > 4 and word.isalpha()]
        if names:
            word = self.random.choice(names)
            path.write_bytes(data.replace(word, bytes(reversed(word))))

    def touch(self) -> None:
        os.utime(self.some())

    def delete(self) -> None:
        self.some().unlink()

    def create(self) -> None:
        path = self.root / f"made{self.number}" / "deep" / f"file{self.number}{self.some().suffix}"
        path.parent.mkdir(parents=True)
        path.write_text(self.statement(path), "utf-8")

    def rename(self) -> None:
        path = self.some()
        path.rename(path.with_name(f"renamed{self.number}{path.suffix}"))

    def move_folder(self) -> None:
        folder = self.some().parent
        if folder != self.root:
            folder.rename(folder.with_name(f"moved{self.number}"))

    # Version control

    def checkout(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x", "--allow-empty")
        git(self.root, "checkout", "-q", self.random.choice(["HEAD~1", "main"]))
        git(self.root, "checkout", "-q", "-B", f"round{self.number}")

    def restore(self) -> None:
        git(self.root, "checkout", "-q", "--force", "main")

    # What the graph rests on

    def ignore(self) -> None:
        (self.root / ".gitignore").open("a", encoding="utf-8").write(f"\n{self.some().name}\n")

    def exclude(self) -> None:
        (self.root / ".git/info").mkdir(exist_ok=True)
        (self.root / ".git/info/exclude").write_text(self.random.choice(["", f"{self.some().name}\n"]), "utf-8")

    def settings(self) -> None:
        path = self.root / "graphls.toml"
        if path.exists() and self.random.random() < 0.5:
            path.unlink()
        else:
            path.write_text(f'[files]\nexclude = ["{self.some().name}"]\n', "utf-8")

    def tool_settings(self) -> None:
        path = self.root / "pyproject.toml"
        before = path.read_text("utf-8") if path.exists() else ""
        table = f'\n[tool.graphls.files]\nexclude = ["{self.some().name}"]\n'
        path.write_text(before.split("\n[tool.graphls")[0] + self.random.choice(["", table]), "utf-8")

    def editor_config(self) -> None:
        (self.root / ".editorconfig").write_text(f"[*]\ntab_width = {self.random.choice([2, 4, 8])}\n", "utf-8")

    def python_version(self) -> None:
        path = self.root / "pyproject.toml"
        wanted = self.random.choice(["3.8", "3.10", "3.12"])
        path.write_text(f'[project]\nname = "outside"\nrequires-python = ">={wanted}"\n', "utf-8")

    def package(self) -> None:
        packages = self.root / ".venv" / "lib" / "python3.12" / "site-packages"
        packages.mkdir(parents=True, exist_ok=True)
        (self.root / ".venv/pyvenv.cfg").write_text("version = 3.12.1\n", "utf-8")
        name = self.random.choice(["click", "werkzeug", "jinja2", "blinker", f"box{self.number}"])
        for folder in packages.glob(f"{name}*"):
            shutil.rmtree(folder)
        text = f"class Box:\n    def value{self.number}(self) -> int: ...\n\ndef echo(text: str) -> Box: ...\n"
        for path, data in {
            f"{name}/__init__.py": text,
            f"{name}-1.{self.number}.dist-info/METADATA": f"Name: {name}\n",
            f"{name}-1.{self.number}.dist-info/RECORD": f"{name}/__init__.py,,{len(text)}\n",
        }.items():
            (packages / path).parent.mkdir(exist_ok=True)
            (packages / path).write_text(data, "utf-8")

    def no_environment(self) -> None:
        shutil.rmtree(self.root / ".venv", ignore_errors=True)

    def modules(self) -> None:
        folder = self.root / "node_modules"
        if folder.exists() and self.random.random() < 0.5:
            shutil.rmtree(folder)
        else:
            folder.mkdir(exist_ok=True)
            (folder / ".package-lock.json").write_text(f'{{"n": {self.number}}}', "utf-8")

    def step(self) -> str:
        """One change."""
        self.number += 1
        files = (self.append, self.replace, self.same_size, self.touch, self.delete, self.create, self.rename)
        around = (self.ignore, self.exclude, self.settings, self.tool_settings, self.editor_config, self.python_version)
        rest = (self.move_folder, self.checkout, self.restore, self.no_environment, self.modules)
        packages = (self.package, self.package)
        chosen: Callable[[], None] = self.random.choice((*files, *around, *rest, *packages))
        chosen()
        return chosen.__name__


def environment(cache: Path) -> dict[str, str]:
    without = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    return {**without, "PYTHONPATH": "" if INSTALLED else str(SERVER), "GRAPHLS_CACHE_DIR": str(cache)}


def served(root: Path, cache: Path, *, watches: bool) -> RawClient:
    """A server over a folder. `watches`: the client says that it watches files."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "graphls", "serve"]
    client = RawClient(
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment(cache), cwd=root)
    )
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": watches}}}
    folder = {"uri": root.as_uri(), "name": "w"}
    params = {"processId": None, "capabilities": watching, "rootUri": root.as_uri(), "workspaceFolders": [folder]}
    ask(client, "initialize", {**params, "initializationOptions": {"checker": {"enabled": False}}})
    client.send(notification("initialized", {}))
    return client


def fresh(root: Path, store: BlobStore) -> tuple[str, list[bytes]]:
    """Id and lines of a start that knows no earlier state of the folder; facts and links are kept by contents."""
    settings, _ = merge(read_settings(str(root)).table, {}, trusted=False)
    session = Session(Workspace.of([str(root)]), settings, store, SessionOptions(libraries=True, upgrade=False))
    session.start()
    try:
        assert session.wait("complete", PATIENCE), session.problems
        snapshot = session.snapshot()
        lines = b"".join(export(snapshot, ExportOptions(mode="allow-errors")).lines()).splitlines()
        return str(json.loads(lines[0])["snapshot"]), lines
    finally:
        session.close()


def asked(client: RawClient, freshness: str) -> dict[str, Any]:
    answer = ask(client, "graph/status", {"freshness": freshness})
    return dict(answer["result"])


def exported(client: RawClient, root: Path) -> list[bytes]:
    """What the server writes; into a folder that no graph has."""
    (root / ".graphls").mkdir(exist_ok=True)
    params = {"mode": "allow-errors", "destination": ".graphls/live.jsonl", "freshness": "require-fresh"}
    answer = ask(client, "graph/export", params)
    if "result" not in answer:
        raise AssertionError(answer)
    return (root / ".graphls/live.jsonl").read_bytes().splitlines()


@attrs.define
class Tally:
    """What the rounds of one repository came to."""

    rounds: Counter[str] = attrs.field(factory=Counter[str])
    differing: int = 0
    stale: int = 0
    """Answers that said fresh of another graph than that of a fresh start."""
    waits: list[float] = attrs.field(factory=list[float])


def one_round(copy: Copy, kind: str, client: RawClient, store: BlobStore, tally: Tally) -> str:
    """Changes something, and compares."""
    before = listed(copy.root)
    what = copy.step()
    begun = time.monotonic()
    first = asked(client, "require-fresh" if kind == "look" else "allow-stale")
    waited = time.monotonic() - begun
    if kind == "notice":
        changes = [{"uri": (copy.root / path).as_uri(), "type": code} for path, code in told(before, listed(copy.root))]
        client.send(notification("workspace/didChangeWatchedFiles", {"changes": changes}))
    expected, lines = fresh(copy.root, store)
    tally.stale += first["fresh"] and first["snapshot"] != expected
    while kind != "look" and time.monotonic() - begun < PATIENCE and first["snapshot"] != expected:
        time.sleep(0.1)
        first = asked(client, "allow-stale")
    if kind == "look":
        tally.waits.append(waited)
    live = exported(client, copy.root)
    same = live == lines
    tally.differing += not same
    tally.rounds[kind] += 1
    detail = (
        "" if same else f" DIFFERS in {sum(a != b for a, b in zip(live, lines, strict=False))} lines of {len(lines)}"
    )
    return f"{kind:7}{what:16}{waited:6.2f} s {expected}{detail}"


def main() -> None:
    """Prints a line a round and the figures; fails where anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("roots", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--installed", action="store_true", help="the installed package instead of this tree's")
    chosen = parser.parse_args()
    failed = 0
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        os.environ.pop(name, None)
    for source in chosen.roots:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            root, tally = Path(folder, "space").resolve(), Tally()
            shutil.copytree(source, root, ignore=shutil.ignore_patterns(".git", "node_modules", ".venv"), symlinks=True)
            committed(root)
            copy, store = Copy(root, random.Random(chosen.seed)), BlobStore(StoreOptions(str(Path(folder, "other"))))
            for kind in KINDS:
                client = served(root, Path(folder, "live"), watches=kind == "notice")
                while asked(client, "require-fresh")["session"]["stage"] != "complete":
                    time.sleep(0.2)
                for _ in range(-(-chosen.rounds // len(KINDS))):
                    print(f"{source.name:10}{one_round(copy, kind, client, store, tally)}", flush=True)
                client.close()
            waits = sorted(tally.waits)
            print(
                f"{source.name}: {sum(tally.rounds.values())} rounds {dict(tally.rounds)}, {tally.differing} differ, "
                f"{tally.stale} said fresh and were not; require-fresh p50 {waits[len(waits) // 2]:.2f} s, most "
                f"{waits[-1]:.2f} s",
                flush=True,
            )
            failed += tally.differing + tally.stale
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
