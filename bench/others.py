"""Others: what a complete index of the same tree costs here and in other graph tools, one after the other.

Owns: installing the tools from the package registry, a copy of the tree for each, CPU seconds and peak memory.
Must not know: what the tools write, or what the numbers should be.
Invariant: each tool has a virtual environment, a home folder and a copy of its own; a tool that cannot run is named.

    python bench/others.py ROOT [--tools FOLDER] [--only NAME] [--seconds N] [--package FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests")]

from e2e.processes import cpu_seconds, descendants, resident  # noqa: E402

SERVER = str(HERE / "server")
OWN = "graphls"
# {tree}: the copy that is indexed; {data}: an empty folder. Each builds its graph without a language model.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "code-review-graph": ("code-review-graph", "build", "--repo", "{tree}", "--data-dir", "{data}", "--quiet"),
    "codegraphcontext": ("cgc", "index", "--no-progress", "{tree}"),
    "graphifyy": ("graphify", "extract", "{tree}", "--code-only", "--no-cluster", "--out", "{data}"),
    "codebase-memory-mcp": ("codebase-memory-mcp", "cli", "index_repository", '{{"repo_path": "{tree}"}}'),
}


def installed(name: str, tools: Path) -> Path:
    """The folder of the tool's programs."""
    folder = tools / name
    if not (folder / "bin").is_dir():
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name]
        subprocess.run(pip, check=True)
    return folder / "bin"


def version(name: str, programs: Path) -> str:
    asked = [str(programs / "python"), "-c", f"import importlib.metadata as m; print(m.version({name!r}))"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def copied(root: Path, into: Path) -> Path:
    """A copy under version control: some tools list files by git."""
    tree = into / root.name
    shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for words in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message", "all"]):
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tree, check=True)
    return tree


def measured(command: Sequence[str], environment: Mapping[str, str], cwd: Path, seconds: float) -> dict[str, object]:
    """Runs a command to its end."""
    peak, ended, spent = 0, threading.Event(), dict[int, float]()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    with (cwd / "output").open("wb") as output:
        process = subprocess.Popen(command, env=environment, cwd=cwd, stdout=output, stderr=output)

        def look() -> None:
            nonlocal peak
            while not ended.wait(0.2):
                running = {*descendants(process.pid), *spent}
                peak = max(peak, sum(resident(one) for one in running))
                # Some tools leave their work to a process that nobody waits for.
                spent.update({one: max(cpu_seconds(one), spent.get(one, 0.0)) for one in running})

        looking = threading.Thread(target=look)
        looking.start()
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        ended.set()
        looking.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    waited = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    said = (cwd / "output").read_text("utf-8", "replace").strip().splitlines()[-3:]
    return {
        "code": code,
        "cpu_seconds": round(max(waited, sum(spent.values())), 1),
        "seconds": round(time.perf_counter() - begun, 1),
        "peak_mb": round(peak / 1e6),
        "said": " | ".join(said)[-300:],
    }


def one(name: str, root: Path, tools: Path, seconds: float, package: str) -> dict[str, object]:
    """One tool over a fresh copy."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "home").mkdir()
        (place / "data").mkdir()
        tree = copied(root, place)
        environment = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        if name == OWN:
            command: tuple[str, ...] = (sys.executable, "-m", "graphls", "index", str(tree))
            environment |= {"PYTHONPATH": package, "GRAPHLS_CACHE_DIR": str(place / "data")}
        else:
            programs = installed(name, tools)
            filled = [word.format(tree=tree, data=place / "data") for word in COMMANDS[name]]
            command = (str(programs / filled[0]), *filled[1:])
        return measured(command, environment, place, seconds)


def main() -> None:
    """Prints a line a tool; ours first and last, because other work on the machine changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--tools", type=Path, default=None, help="where the tools are, or are to be, installed")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=1_800)
    parser.add_argument("--package", default=SERVER, help="the folder with our package, for example a compiled one")
    parser.add_argument("--one", default="")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(one(chosen.one, chosen.root.resolve(), chosen.tools, chosen.seconds, chosen.package)))
        return
    with tempfile.TemporaryDirectory() as folder:
        tools = (chosen.tools or Path(folder)).resolve()
        tools.mkdir(parents=True, exist_ok=True)
        for name in (OWN, *(chosen.only or COMMANDS), OWN):
            report(name, chosen.root, tools, chosen.seconds, chosen.package)


def report(name: str, root: Path, tools: Path, seconds: float, package: str) -> None:
    """One line; what went wrong is said in it."""
    try:
        number = "" if name == OWN else version(name, installed(name, tools))
        asked = [sys.executable, __file__, str(root), "--tools", str(tools), "--seconds", str(seconds), "--one", name]
        asked += ["--package", package]
        answered = subprocess.run(asked, capture_output=True, text=True, check=True)
        found = json.loads(answered.stdout.splitlines()[-1])
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError) as error:
        print(f"{name:22} could not be run: {error}", flush=True)
        return
    (tools / f"{name}.said").write_text(f"{found['said']}\n", "utf-8")
    failed = "" if found["code"] == 0 else f"  exit code {found['code']}: {found['said']}"
    print(
        f"{name:22}{number:10}{found['cpu_seconds']:9} CPU s{found['seconds']:9} s{found['peak_mb']:8} MB{failed}",
        flush=True,
    )


if __name__ == "__main__":
    main()
