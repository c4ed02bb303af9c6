"""Capabilities: what a language is called, how its files look, and what it can do besides extraction and resolution.

Owns: the one record by which other layers tell languages apart.
Must not know: any particular language.
Invariant: outside `languages/` nobody compares the name of a language with a text; whoever must tell languages apart
    reads a field here. A tidy test holds it.

Fields that are functions are None where the language has nothing to say; the field says what holds then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import attrs
from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath, ending_of

if TYPE_CHECKING:
    from graphls.languages.import_rewriting import ImportRewriter
    from graphls.languages.language_checker import LanguageChecker
    from graphls.languages.provider import World

Aliases: TypeAlias = Mapping[str, tuple[str, ...]]
"""What manifests say about module names, by key; keys and entries are opaque to the core."""


ClassHook: TypeAlias = Literal["above", "metaclass", "member"]
"""Whose method runs where a class is declared: that of a class above, of its metaclass, of what a member of it is."""


@attrs.frozen
class FileType:
    """Files of one ending."""

    grammar: str
    """The grammar's name."""
    editor_id: str
    """The language id of LSP documents."""
    fence: str
    """The info string of a block of such code in Markdown."""
    wrapped: bool = False
    """Its code stands inside of another format: lines can neither be added to it nor taken from it."""
    checked: bool = True
    """Checkers of the language read such files."""
    linkage: str = ""
    """`name`: a linker knows functions with bodies by their names; `extern`: it does where they are declared so."""
    component: bool = False
    """It holds a template beside its code: what its code declares at the top, the template and its users may name."""


class FragmentExtraction(Protocol):
    """Reads a text faster when it has read an earlier text of the same file."""

    def new_cache(self) -> object:
        """An empty memory of one file; only the language itself looks into it."""
        ...

    def extract_again(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts:
        """What `extract` gives, whatever was read with this memory before; brings the memory up to date."""
        ...

    def extract_edited(self, path: FilePath, data: bytes, tree: Tree, cache: object) -> FileFacts | None:
        """What `extract` gives, where it differs little from what was read before; None, and nothing done, where
        that is not certain."""
        ...


class Exports(Protocol):
    """Words, not the names themselves, say what others may use."""

    def offered(self, path: FilePath, facts: FileFacts) -> Set[int]:
        """Definitions outside of classes and objects that other files may use."""
        ...

    def visibility(self, name: str, before: bytes) -> str:
        """`public`, `internal` or `private`, by a name and what stands before it in its statement."""
        ...


ModuleFinder: TypeAlias = Callable[[str, FilePath], FilePath | None]
"""The text of an import and the file that holds it -> the file of the workspace that it means."""


class NameLookups(Protocol):
    """Code that looks names up by strings which it puts together."""

    @property
    def words(self) -> tuple[str, ...]:
        """Names of which such a text spells one."""
        ...

    def find(self, text: str) -> Iterable[tuple[str, tuple[int, int]]]:
        """Patterns of such strings, `*` for what is not written, each with its start and end."""
        ...


class LibraryReader(Protocol):
    """Reads the code of installed packages and of the library that comes with the language."""

    def text_for(self, data: bytes, version: tuple[int, int], platform: str) -> bytes:
        """A text of the same length without the code that never runs under this version on this system."""
        ...

    def located(self, dotted: str, world: World) -> LibraryRow | None:
        """The definition that a dotted name leads to in libraries alone; re-exports and aliases are followed."""
        ...

    def members_called(self, dotted: str) -> Mapping[str, Set[str]]:
        """What a function without a body is documented to call on its arguments: position or name -> members."""
        ...

    def running(self, dotted: str, member: str, world: World) -> frozenset[str]:
        """Names of the members of a library's class that may run another one on the same object."""
        ...


TEST_CLASSES: Final = ("Test", "test_")
"""What the names of classes begin with that hold tests without a base that says so, in files of tests. `test_` is no
default of pytest: suites that are older than it set it up so, and give nothing else such a name."""


@attrs.frozen
class LibraryRow:
    """A definition of a library."""

    file: FilePath
    row: int
    """In the surface of the file; below 0 for the module."""


@attrs.frozen
class Capabilities:
    """One language."""

    name: str
    """Lower case; the name of its folder, of its fixtures and of its part in exports."""
    files: Mapping[str, FileType]
    """By ending, with the dot, in lower case. The first one is the commonest."""
    line_comment: str
    """What begins a comment that ends with its line."""
    file_names: frozenset[str] = frozenset()
    """Names of files, without their folders, that are of the language whatever they end in."""
    interpreters: frozenset[str] = frozenset()
    """Names, without versions, of programs that run files of the language which name one in their first line; with the
    word behind it of those that run several languages (`npx tsx`)."""
    named_type: FileType | None = None
    """What is known of files that are of the language by their names or first lines. None: as of the first ending."""
    tier: str = "inferred"
    """`inferred`: types follow values through the code. `typed`: written types alone decide."""
    own_grammar: str = ""
    """The module of a grammar that the install of graphls builds; where it is missing, such files are plain."""
    test_runner: str = ""
    """Who starts tests that are functions, as it is called on the command line; "" where rules of frameworks say."""
    structural: bool = False
    """Types with the same members are the same, whatever declares them."""
    reserved: frozenset[str] = frozenset()
    """Words that no declaration may be called."""
    package_manager: str = ""
    """What installs its packages, as SCIP calls it; "" where nothing does."""
    manifests: tuple[str, ...] = ()
    """Base names, or patterns of such, of files from which roots and module names come."""

    stubs: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict[str, tuple[str, ...]])
    """Endings of files that only declare what another one defines -> endings of those others."""
    constructors: tuple[str, ...] = ()
    """Names of methods that run when an instance is made; where a class has several, the last is the one."""
    enumerations_are_called: bool = False
    """Calling a class that lists the members of an enumeration looks one up: no constructor runs."""
    constructors_named_by_class: bool = False
    """A method that is called like its class runs when an instance is made, which names the class."""
    constructor_words: tuple[str, ...] = ()
    """Words that name a constructor in files which spell its class: `super(1)`, `Type::new`. Constructors are methods
    that are called like their class."""
    part_word: str | None = None
    """A class may be declared in several parts: the word before each, "" where there is none. None: in one place."""
    class_names_file: bool = False
    """A file must be called like the class that it offers to others."""
    labels_of_class: tuple[str, ...] = ()
    """Words that the name of a class around stands directly behind: `this@Store`."""
    bracket_links: bool = False
    """Comments link to names in brackets: `[Store.put]`."""
    fills_fields_in_order: bool = False
    """An object may be written out with the values of its fields in their order, without their names."""
    overloads: bool = False
    """Functions of one name and other parameters are other functions."""
    package_clauses: bool = False
    """A file says what the package is called that it belongs to: the name of its first export."""
    calls_constructors_by_name: bool = False
    """`Base.__init__(self)` names one. Elsewhere only calls of what the name stands for, as `new x.constructor()`."""
    assigns_what_is_declared_above: bool = False
    """`x = 1` in a class is a write of the `x: int` that a class above declares, and uses lead to the declaration."""
    calls_inherited_constructor: bool = False
    """The constructor of a subclass must call that of the class above."""
    package_files: frozenset[str] = frozenset()
    """Names, without endings, of files that stand for their folder."""
    program_files: frozenset[str] = frozenset()
    """Names, without endings, of files with which a run begins."""
    main_method: str = ""
    """The name of the static method with which a run begins; "" where only functions begin one."""
    imports_name_files: bool = True
    """An import says which file, or which folder, it means: not a namespace of many."""
    shared_package: Literal["", "folder", "clause"] = ""
    """What makes files one package, which name each other's things without an import: a folder, or what they say."""
    imports_load: bool = True
    """An import runs the file that it names, or reads it in: what it names is not looked up only once it is needed."""
    declaration_endings: tuple[str, ...] = ()
    """Endings of files that hold no code: what they declare is somebody else's, and used elsewhere."""
    functions_nest: bool = True
    """Functions may be declared in functions: where not, what is written like one is the block of a macro."""
    untried_rules: frozenset[str] = frozenset()
    """Codes of rules that say nothing of its files unless settings give them a priority: too few cases were judged."""
    reserved_prefix: str = ""
    """What names of members begin with that the language itself calls: `__get`."""
    library_run: frozenset[str] = frozenset()
    """Names that the language or the library which comes with it runs, private ones too: `readObject`, `main`."""
    imported_endings: frozenset[str] = frozenset()
    """Endings, without the dot, that names of modules outside may have."""
    markup: bool = False
    """`<Name` is a use of that name."""
    erases_type_imports: bool = False
    """An import of what is only used as a type does not run."""
    routes_join_by_slash: bool = False
    """Between the path of a router and that of a route its frameworks put one slash."""
    keys_name_methods: bool = False
    """The key of an object or the name of an argument may mean a method: `{ close() {} }`, `@Limit(value = 3)`."""
    test_prefixes: tuple[str, ...] = ("test",)
    """What the names of test functions begin with, in files of tests."""
    test_bases: tuple[str, ...] = ("TestCase",)
    """How the last names of classes end whose subclasses hold tests."""
    tests_are_offered: bool = False
    """A function that other files cannot use is no test: `local function test_x()` is a part of one."""
    test_annotations: frozenset[str] = frozenset()
    """Last names of annotations, attributes or macros that make a function a test."""
    prototypes: bool = False
    """What one file defines others declare: the definition implements these, and uses of one are uses of both."""
    chosen_roots: bool = False
    """The user may choose source roots, and each open folder is one unless it is itself a package."""

    is_implied_name: Callable[[str], bool] | None = None
    """Whether the resolver asks for a name that no text spells. None: it may ask for any."""
    is_run_unnamed: Callable[[str], bool] | None = None
    """Whether constructs that do not name it run a method of this name. None: nothing runs unless it is named."""
    run_by_construct: Callable[[int, str], Sequence[Sequence[str]]] | None = None
    """Names of the methods that a construct (its ConstructKind and name) runs of its operand: of each choice the first
    that there is."""
    run_by_constructs: frozenset[str] | None = None
    """All names that it gives; None: any."""
    context_makers: Mapping[str, frozenset[str]] = attrs.field(factory=dict[str, frozenset[str]])
    """Last names of decorators that make contexts of generators -> the methods by which constructs run these."""
    class_hooks: Mapping[str, ClassHook] = attrs.field(factory=dict[str, ClassHook])
    """Names of methods that declaring a class runs -> whose they are."""
    run_by_access: Mapping[int, str] = attrs.field(factory=dict[int, str])
    """Role of a use of a member -> the method that it runs where the member is an object with such a method."""
    property_makers: Mapping[str, Mapping[int, tuple[int, str]]] = attrs.field(
        factory=dict[str, Mapping[int, tuple[int, str]]]
    )
    """Dotted names of what makes a property of functions -> role of a use of it -> position and name of the argument
    that such a use runs."""
    proxy_makers: Mapping[str, tuple[int, int]] = attrs.field(factory=dict[str, tuple[int, int]])
    """Dotted names of what makes a proxy -> position of the function whose result, or of the context whose member, each
    use of it means; position of the member's name, -1 where it is given none."""
    attribute_hooks: frozenset[str] = frozenset()
    """Names of the methods by which a class answers itself where a member of an object is read, written or deleted."""
    looked_up_outside: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict[str, tuple[str, ...]])
    """Dotted names of classes outside that look members up by text, with what the names of such members begin with."""
    outside_members: Callable[[str], frozenset[str] | None] | None = None
    """The dotted name of a type outside -> all of its members; None where these are not known."""
    augments_modules: bool = False
    """A file may add to what another module declares: `declare module "./app" { interface App { ... } }`."""
    script: bool = False
    """Words of its files may name programs, files and code of other languages, as those of files that nobody reads."""
    interop: frozenset[str] = frozenset()
    """Names of languages whose files may use its declarations by name, as they run in one machine with it."""
    interop_names: Callable[[str], Collection[str]] | None = None
    """What a declaration of a name may be called there. None: the name alone."""
    interop_renamed: Callable[[str, str, str, int], str] | None = None
    """A name, the one that takes its place, what the first is called there, the DefinitionKind -> what the second is
    called there; "" for nothing that can stand there. None: nothing is called otherwise."""
    accessors_of_fields: bool = False
    """Annotations may make methods that read and write a field, under the names of `interop_names`."""
    is_held_where_read: bool = False
    """A call of what holds a function runs it only in files that read the function's name, or have it decorated."""
    is_reached_by_type: Callable[[int, int], bool] | None = None
    """Whether who spells a type alone may use a member of it: by the kind of the type and the flags of the member."""
    is_functional: Callable[[str], bool] | None = None
    """Whether a dotted name outside is the one method of an interface for whose objects functions stand. None: no
    function stands for an object."""
    calls_given: Callable[[str], bool] | None = None
    """Whether what a dotted name outside means calls the functions that it is given. None: nothing is known to."""
    structural_bases: frozenset[str] = frozenset()
    """Dotted names of classes outside; what is below one says what objects have, whatever classes these are of."""
    compared_types: frozenset[int] = frozenset()
    """Kinds of types whose members are compared with those of types that do not spell them."""
    fragments: FragmentExtraction | None = None
    """None: each text is read whole."""
    name_at: Callable[[Tree, int, int], str | None] | None = None
    """What facts would call the definition whose name is in this stretch of a tree, where the tree alone says it."""
    module_aliases: Callable[[Collection[FilePath], Mapping[FilePath, bytes]], Aliases] | None = None
    """Entries of manifests, and of the names of files, that give modules other names than their paths."""
    import_keys: Callable[[Aliases, FilePath], Collection[str]] | None = None
    """Keys (`facts.import_keys`) of all names by which imports may name a file; more do no harm. None: imports name
    modules by their dotted names."""
    declares: Callable[[Aliases, FilePath, str], bool] | None = None
    """Whether a manifest around a file says where a dotted name outside comes from. None: manifests never say it."""
    exports: Exports | None = None
    """None: names without an underscore in front are for others."""
    modifier_words: frozenset[str] = frozenset()
    """Words in front of a declared name that records say of it, beside what flags of facts say."""
    modifier_marks: tuple[tuple[re.Pattern[bytes], str], ...] = ()
    """What may stand directly behind the name, and the modifier that it means: `?` of `name?: string`."""
    modifier_decorators: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """Last names of decorators -> the modifiers that they mean."""
    hides_unexported: bool = False
    """What a file that imports or exports anything does not export, no other file can name."""
    is_standard: Callable[[str], bool] | None = None
    """Whether a dotted name outside the workspace is in the library that comes with the language."""
    module_start: Callable[[FilePath, bytes], int] | None = None
    """Where the first statement of a text begins, 0 for a text without any. None: a module begins with its file."""
    module_finder: Callable[[World], ModuleFinder] | None = None
    """Finds the file that the text of an import means. None: imports name what the module table names."""
    import_rewriter: ImportRewriter | None = None
    """None: imports do not follow files that get another path."""
    libraries: LibraryReader | None = None
    """None: code of installed packages is not read."""
    name_lookups: NameLookups | None = None
    """None: the language has no such lookups, or nobody can see them."""
    asks_who_defines: bool = False
    """The resolver asks which files define a name: neither paths nor manifests tell where to look."""
    checker: LanguageChecker | None = None
    """None: no server is described here."""
    rule_name: Callable[[int], str | None] | None = None
    """What a rule of the resolver is called."""

    def is_named_otherwise(self, language: str, kind: int) -> bool:
        """Whether code of a language may call a declaration of this kind by another one of `interop_names`."""
        made = self.accessors_of_fields and language == self.name and kind == DefinitionKind.FIELD
        return self.interop_names is not None and (made or language in self.interop)

    @property
    def endings(self) -> tuple[str, ...]:
        """File name endings with the dot."""
        return tuple(self.files)

    def file_type(self, path: str) -> FileType:
        """What is known of a file of the language."""
        known = self.files.get(ending_of(path))
        return known or self.named_type or next(iter(self.files.values()))
