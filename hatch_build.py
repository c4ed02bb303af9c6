"""Build: grammars of our own, and the modules that most of the time is spent in, compiled where a C compiler is.

Owns: which modules are compiled, and what a build does when they cannot be.
Must not know: what the modules do.
Invariant: a build never fails for want of a compiler; without one the package is the same in plain Python, and says of
    files whose grammar is missing that it is.

    python hatch_build.py       builds the grammars beside their sources, for work on a checkout
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH = "GRAPHLS_COMPILE"
"""Set to 0: plain Python only. Set to 1: a build that cannot compile fails and shows why."""
GROUP = "graphls_compiled"
SHARED = ("declared", "extract", "incremental", "resolve")
"""Folders of what every language uses: one library."""
PLAIN = frozenset(
    {
        *("__init__", "declared_provider", "grammars", "jsdoc", "mending", "notebook_json", "recovery", "roots"),
        *("rules", "syntax_errors", "yielding"),
    }
)
"""Modules that only the start of a session needs, that wait for patterns and the world, or that must stay plain."""
PARTS = ("syntax", "types")
"""Folders of a language, or of a dialect in it, whose modules are compiled together, and the folders side by side."""
UNCOMPILED = frozenset({"bash", "ruby"})
"""Languages that run as plain Python in any case."""
FLAGS = ["-fvisibility=hidden", "-w"] if os.name == "posix" else []
"""Nothing of a library is called by name from outside: calls inside it need no look-up, and short ones are inlined.
Looking for warnings, in code that no person wrote, takes a C compiler as long as level 0 itself."""
MYPY = ["--ignore-missing-imports", "--follow-imports=silent", "--disable-error-code=misc"]
LEVEL = os.environ.get("GRAPHLS_COMPILE_LEVEL", "1")
"""Of the C compiler. Level 2 takes 397 s of CPU for 246, and an index of Django 12.6 s with it for 12.5 without. Level
0 takes some 110: for who asks whether the modules say the same, and not how fast."""
SCRIPT = f"""
import sys
from mypyc.build import mypycify
from setuptools import setup
groups = [(part.split(",")[1:], part.split(",")[0]) for part in sys.argv[1:]]
modules = [module for group, _ in groups for module in group]
sys.argv[1:] = ["build_ext", "--inplace", "--parallel", "{os.cpu_count() or 1}"]
made = mypycify([*{MYPY!r}, *modules], opt_level="{LEVEL}", debug_level="0", separate=groups)
for library in made:
    library.extra_compile_args = [*library.extra_compile_args, *{FLAGS!r}]
setup(name="{GROUP}", packages=[], ext_modules=made)
"""


GRAMMARS = ("incan",)
"""Languages whose grammar is a folder of ours."""
GRAMMAR_SCRIPT = """
import sys
from setuptools import Extension, setup
name = sys.argv[1]
folder = f"graphls/languages/{name}/grammar/src"
sources = [f"{folder}/{part}.c" for part in ("binding", "parser", "scanner")]
sys.argv[1:] = ["build_ext", "--inplace", "--build-temp", sys.argv[2]]
made = Extension(
    f"graphls.languages.{name}.{name}_grammar",
    sources,
    include_dirs=[folder],
    define_macros=[("Py_LIMITED_API", "0x030B0000")],
    py_limited_api=True,
)
setup(name="graphls-grammar", packages=[], ext_modules=[made])
"""


class CompilingHook(BuildHookInterface):
    """Adds compiled modules to a wheel, beside their sources."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict) -> None:
        """Called before the wheel is written. Editable installs stay in plain Python, with grammars in the checkout."""
        wanted = os.environ.get(SWITCH, "")
        package = Path(self.root, "server", "graphls")
        if version == "editable":
            self._warn(build_grammars(package))
            return
        self._folder = tempfile.mkdtemp()
        self._add_grammars(package, build_data)
        if wanted == "0":
            return
        done = compiled(package, Path(self._folder))
        built = sorted(Path(self._folder).glob("graphls/**/*.so")) + sorted(Path(self._folder).glob("graphls/**/*.pyd"))
        built += [path for path in Path(self._folder).iterdir() if path.suffix in (".so", ".pyd")]
        if done.returncode or not built:
            if wanted:
                raise RuntimeError(f"{SWITCH}={wanted}, but the modules cannot be compiled:\n{done.stdout[-4000:]}")
            last = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
            self.app.display_warning(f"graphls is built without compiled modules, which is slower: {last[:200]}")
            return
        for path in built:
            build_data["force_include"][str(path)] = path.relative_to(self._folder).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def _add_grammars(self, package: Path, build_data: dict) -> None:
        """Builds the grammars in a copy, so that nothing is left in the checkout."""
        place = Path(self._folder, "grammars")
        for name in GRAMMARS:
            source = package / "languages" / name
            shutil.copytree(
                source, place / "graphls" / "languages" / name, ignore=shutil.ignore_patterns("*.so", "*.pyd")
            )
        self._warn(build_grammars(place / "graphls"))
        for path in sorted([*place.glob("graphls/**/*.so"), *place.glob("graphls/**/*.pyd")]):
            build_data["force_include"][str(path)] = path.relative_to(place).as_posix()
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _warn(self, failed: dict[str, str]) -> None:
        for name, reason in failed.items():
            self.app.display_warning(
                f"graphls is built without the grammar of {name}, whose files it cannot read: {reason}"
            )

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        """Called when the wheel is written."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)


def build_grammars(package: Path) -> dict[str, str]:
    """Builds the grammars beside their sources; answers the reason for each that cannot be built."""
    failed: dict[str, str] = {}
    for name in GRAMMARS:
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(
                [sys.executable, "-c", GRAMMAR_SCRIPT, name, scratch],
                cwd=package.parent,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        if done.returncode:
            failed[name] = (done.stdout.strip().splitlines() or ["no reason given"])[-1][:200]
    return failed


def compiled(package: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compiles a copy of the package in a folder; the output says why where it fails."""
    shutil.copytree(package, folder / "graphls", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *(",".join((name, *names)) for name, names in groups(folder).items())],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def groups(folder: Path) -> dict[str, list[str]]:
    """Paths of the modules that are compiled, below a folder, by the library that they go into."""
    languages = folder / "graphls" / "languages"
    shared = [path for name in SHARED for path in sorted((languages / name).glob("*.py"))]
    found = {f"{GROUP}_shared": [path for path in shared if path.stem not in PLAIN]}
    for part in sorted(part for name in PARTS for part in languages.rglob(name) if part.is_dir()):
        if part.parent.name not in UNCOMPILED:
            paths = sorted(part.glob("*.py"))
            found[f"{GROUP}_{part.parent.name}_{part.name}"] = [path for path in paths if path.stem not in PLAIN]
    return {name: [path.relative_to(folder).as_posix() for path in paths] for name, paths in found.items()}


if __name__ == "__main__":
    sys.exit(str(failures) if (failures := build_grammars(Path(__file__).parent / "server" / "graphls")) else 0)
