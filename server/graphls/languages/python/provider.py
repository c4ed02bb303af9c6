"""Provider: Python as the core sees it.

Owns: the capabilities and the recipe of the language; the way to its parts.
Must not know: how any part works.
Invariant: the recipe changes whenever facts of the same bytes may.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from keyword import kwlist
from typing import TYPE_CHECKING, Final

import attrs
from tree_sitter import Parser, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath, ending_of
from graphls.facts.surface import Surface
from graphls.languages.capabilities import Capabilities, ClassHook, FileType, LibraryRow
from graphls.languages.extract import grammars
from graphls.languages.extract.recovery import deciding_stretches
from graphls.languages.provider import Imports, ModuleName, Resolver, World, no_imports
from graphls.languages.python import roots as source_roots
from graphls.languages.python.import_rewriting import PythonImports
from graphls.languages.python.name_lookups import LOOKED_UP_OUTSIDE, PythonNameLookups
from graphls.languages.python.special_methods import ATTRIBUTE_HOOKS, RUN_BY_CONSTRUCTS, methods_of, next_method
from graphls.languages.python.standard import is_standard
from graphls.languages.python.standard_templates import STANDARD_MEMBERS

if TYPE_CHECKING:
    from graphls.languages.python.types.inference import PyTypeInference

EXTRACTOR_VERSION: Final = 20
"""Raised whenever extraction says something else about the same bytes."""


NOTEBOOK: Final = ".ipynb"
_REWRITTEN: Final = frozenset((NOTEBOOK, *source_roots.CYTHON))


def is_rewritten(path: FilePath) -> bool:
    """Whether facts are not those of the text as it stands: then its tree is of no use, and it is read whole."""
    return ending_of(path) in _REWRITTEN


@attrs.frozen
class PythonFragments:
    """Python read by parts."""

    def new_cache(self) -> object:
        """An empty memory of one file."""
        from graphls.languages.incremental.fragments import FragmentCache

        return FragmentCache()

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """Facts of one file, with what was read of an earlier text of it."""
        from graphls.languages.incremental.fragments import FragmentCache

        if is_rewritten(path):
            return PROVIDER.extract(path, data, tree)
        from graphls.languages.python.syntax.extraction import (
            extract,  # loads the grammar, which not every command needs
        )

        return extract(data, tree, cache if isinstance(cache, FragmentCache) else None)

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """Facts of one file, where its text differs little from the one read before."""
        from graphls.languages.incremental.fragments import FragmentCache
        from graphls.languages.python.syntax.fragment_cache import patch_facts, patch_run

        if is_rewritten(path) or not isinstance(cache, FragmentCache):
            return None
        if deciding_stretches(data, tree.root_node, "python") is None:
            return None
        return patch_facts(data, tree.root_node, cache) or patch_run(data, tree.root_node, cache)


_NOWHERE = FilePath("nowhere.py")


@attrs.frozen
class PythonLibraries:
    """Libraries of Python, as the resolver sees them from a file that says nothing."""

    def text_for(self, data: bytes, version: tuple[int, int], platform: str) -> bytes:
        """The text with arms that never run as white space."""
        from graphls.languages.python.syntax.arms import (  # loads the grammar, which not every command needs
            LibraryTarget,
            chosen,
        )

        return chosen(data, LibraryTarget(version, platform))

    def located(self, dotted: str, world: World) -> LibraryRow | None:
        """The definition that a dotted name leads to."""
        types = _from_nowhere(world)
        found = types.library.located(dotted)
        types.release()
        return None if found is None else LibraryRow(found.file, found.row)

    def members_called(self, dotted: str) -> Mapping[str, Set[str]]:
        """What a function of the standard library calls on its arguments: position or name -> names of members."""
        return STANDARD_MEMBERS.get(dotted, {})

    def running(self, dotted: str, member: str, world: World) -> frozenset[str]:
        """Names of the members of a class that may run another one on the same object."""
        from graphls.languages.python.types.template_methods import running

        types = _from_nowhere(world)
        found = running(types, dotted, member)
        types.release()
        return found


def _from_nowhere(world: World) -> PyTypeInference:
    """The types that a file sees which says nothing."""
    from graphls.languages.extract.surfaces import build_surface  # those who only extract do without these
    from graphls.languages.python.types.inference import PyTypeInference

    tree = PROVIDER.parser(_NOWHERE).parse(b"")
    facts, _ = build_surface(PROVIDER.extract(_NOWHERE, b"", tree))
    return PyTypeInference(_NOWHERE, facts, world)


@attrs.frozen
class PythonProvider:
    """The Python language."""

    @property
    def capabilities(self) -> Capabilities:
        """What Python is called, how its files look, what it can do besides."""
        return CAPABILITIES

    @property
    def recipe(self) -> str:
        """Digest of grammar and extractor version."""
        return grammars.recipe(("python",), EXTRACTOR_VERSION)

    def parser(self, path: FilePath, data: bytes | None = None) -> Parser:
        """A new parser."""
        return grammars.parser("python")

    def extract(self, path: FilePath, data: bytes, tree: Tree) -> FileFacts:
        """Facts of one file."""
        # These load the grammar, which not every command needs.
        if ending_of(path) == NOTEBOOK:
            from graphls.languages.python.syntax.notebook_extraction import extract_notebook

            return extract_notebook(data)
        if ending_of(path) in source_roots.CYTHON:
            from graphls.languages.python.syntax.cython_extraction import extract_cython

            return extract_cython(data)
        from graphls.languages.python.syntax.extraction import extract

        return extract(data, tree)

    def read(self, path: FilePath, data: bytes) -> FileFacts:
        """Facts of a file that nobody parsed."""
        return self.extract(path, data, grammars.parse(self.parser(path, data), data))

    def roots(
        self, files: Collection[FilePath], manifests: Mapping[FilePath, bytes], imports: Imports = no_imports
    ) -> tuple[str, ...]:
        """Source roots, most specific first."""
        return source_roots.roots(files, manifests, imports)

    def module_name(self, path: FilePath, roots: tuple[str, ...], files: Collection[FilePath]) -> ModuleName:
        """The module name of a file under these roots."""
        return source_roots.module_name(path, roots)

    def resolver(self, path: FilePath, facts: FileFacts, surface: Surface, world: World) -> Resolver:
        """A resolver for one file."""
        from graphls.languages.python.types import PythonResolver  # those who only extract do without it

        return PythonResolver(path, facts, surface, world)


def _name_at(tree: Tree, start: int, end: int) -> str | None:
    from graphls.languages.python.syntax.naming import name_at  # loads the grammar, which not every command needs

    return name_at(tree, start, end)


def _is_implied_name(name: str) -> bool:
    """Operators, loops and calls of classes ask for methods with underscores; `*` brings in any name."""
    return name == "*" or (name.startswith("__") and name.endswith("__"))


def _is_run_unnamed(name: str) -> bool:
    # Those that make an instance run where the class is called, which is a use of it.
    return name.startswith("__") and name.endswith("__") and name not in _CONSTRUCTORS


_ITERATING: Final = frozenset(("__iter__", "__contains__", "__reversed__"))


_PROPERTY_MAKERS: Final[Mapping[str, Mapping[int, tuple[int, str]]]] = {
    "builtins.property": {
        Role.READ: (0, "fget"), Role.CALL: (0, "fget"), Role.WRITE: (1, "fset"), Role.DELETE: (2, "fdel"),
    },
}  # fmt: skip
_PROXY_MAKERS: Final[Mapping[str, tuple[int, int]]] = {
    "werkzeug.local.LocalProxy": (0, 1), "celery.local.Proxy": (0, -1), "celery.local.PromiseProxy": (0, -1),
    "django.utils.functional.SimpleLazyObject": (0, -1), "lazy_object_proxy.Proxy": (0, -1),
}  # fmt: skip
"""Each variable of such a value means what the function gives whenever a member is taken."""
_CONTEXT_MAKERS: Final[Mapping[str, frozenset[str]]] = {
    "contextmanager": frozenset(("__enter__",)),
    "asynccontextmanager": frozenset(("__aenter__",)),
}
_RUN_BY_ACCESS: Final[Mapping[int, str]] = {
    Role.READ: "__get__",
    Role.CALL: "__get__",
    Role.WRITE: "__set__",
    Role.DELETE: "__delete__",
}


_CLASS_HOOKS: Final[Mapping[str, ClassHook]] = {
    "__init_subclass__": "above",
    "__prepare__": "metaclass",
    "__new__": "metaclass",
    "__init__": "metaclass",
    "__set_name__": "member",
}


def _run_by_construct(kind: int, name: str) -> Sequence[Sequence[str]]:
    after = next_method(kind, name)
    # What stands in for `__iter__` and `__contains__` may be inherited from outside, which flow cannot tell.
    found = [choice[:1] if choice[0] in _ITERATING else choice for choice in methods_of(kind, name)]
    return (*found, (after,)) if after else found


def _rule_name(rule: int) -> str | None:
    from graphls.languages.python.types.values import PyRule  # only who shows rules loads what resolves names

    return next((known.name.lower() for known in PyRule if known == rule), None)


_CONSTRUCTORS = ("__new__", "__init__")
_SOURCE = FileType("python", "python", "python")
_CYTHON = FileType("python", "python", "cython", checked=False)
_NOTEBOOK = FileType("python", "python", "python", wrapped=True, checked=False)
CAPABILITIES = Capabilities(
    name="python",
    package_manager="pip",
    test_runner="pytest",
    reserved=frozenset(kwlist),
    files={
        ".py": _SOURCE,
        ".pyi": _SOURCE,
        ".pyw": _SOURCE,
        NOTEBOOK: _NOTEBOOK,
        **dict.fromkeys(source_roots.CYTHON, _CYTHON),
    },
    line_comment="#",
    file_names=frozenset(("SConstruct", "SConscript", "wscript", ".pythonrc", ".pythonstartup")),
    interpreters=frozenset(("python", "pypy", "ipython", "pythonw", "sage", "uv run", "pipx run", "scons")),
    manifests=source_roots.MANIFESTS,
    stubs={".pyi": (".py", ".pyw", ".pyx"), ".pxd": (".pyx", ".py")},
    constructors=_CONSTRUCTORS,
    enumerations_are_called=True,
    calls_constructors_by_name=True,
    assigns_what_is_declared_above=True,
    package_files=frozenset({"__init__"}),
    chosen_roots=True,
    import_rewriter=PythonImports(),
    is_implied_name=_is_implied_name,
    is_run_unnamed=_is_run_unnamed,
    run_by_construct=_run_by_construct,
    run_by_constructs=RUN_BY_CONSTRUCTS,
    program_files=frozenset(("__main__", "manage")),
    context_makers=_CONTEXT_MAKERS,
    run_by_access=_RUN_BY_ACCESS,
    property_makers=_PROPERTY_MAKERS,
    proxy_makers=_PROXY_MAKERS,
    class_hooks=_CLASS_HOOKS,
    structural_bases=frozenset(("typing.Protocol", "typing_extensions.Protocol")),
    attribute_hooks=ATTRIBUTE_HOOKS,
    looked_up_outside=LOOKED_UP_OUTSIDE,
    is_held_where_read=True,
    fragments=PythonFragments(),
    name_at=_name_at,
    is_standard=is_standard,
    libraries=PythonLibraries(),
    name_lookups=PythonNameLookups(),
    rule_name=_rule_name,
    modifier_marks=(
        (re.compile(rb"\s*:\s*(?:\w+\.)*ClassVar\b"), "static"),
        (re.compile(rb"\s*:\s*(?:\w+\.)*NotRequired\["), "optional"),
        (re.compile(rb"\s*:\s*(?:\w+\.)*ReadOnly\["), "readonly"),
    ),
    modifier_decorators={"override": "override"},
)
PROVIDER = PythonProvider()
