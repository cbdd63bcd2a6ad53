"""What the indexer knows of a language. `languages/<name>.py` has one record for each."""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import NamedTuple

from indexer.languages.import_style import DOTTED, ImportStyle
from indexer.records.manifests import Ecosystem


class ExportRule(StrEnum):
    """Which definitions other files may use."""

    EVERYTHING = "everything"  # public unless a query captures it as @private
    EXPLICIT = "explicit"  # public if a query captures it as @exported
    EXPLICIT_AT_TOP = "explicit_at_top"  # so at the top level; members are public unless @private
    UNDERSCORE = "underscore"  # private if the name starts with an underscore
    CAPITAL = "capital"  # public if the name starts with an upper-case letter


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter grammar: `module.function()` returns it, `queries` are read in order."""

    distribution: str
    module: str
    queries: tuple[str, ...]
    function: str = "language"


def grammar(stem: str, *queries: str, function: str = "language") -> Grammar:
    """The grammar of the distribution `tree-sitter-<stem>`; its query file is named `stem` too."""
    distribution = f"tree-sitter-{stem.replace('_', '-')}"
    return Grammar(distribution, f"tree_sitter_{stem}", queries or (stem,), function)


class ModuleName(NamedTuple):
    """A name by which imports may mean a file.

    `public`: other repositories may use it. `scope`: files of this name and package see one
    another's definitions without an import (with C# also those of the names before each dot).
    """

    name: str
    public: bool
    scope: bool


@dataclass(frozen=True, slots=True)
class Language:
    """A language's name, its files and, where it is parsed, its grammar and its rules.

    The name is the one that the API filters by and Pygments highlights. What a query captures is
    in `queries/*.scm`; the rest are fields here.
    """

    name: str
    grammar: Grammar | None = None
    _: KW_ONLY

    # Detection. All in lower case; interpreters are those of a `#!` line, without versions.
    suffixes: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()
    file_name_prefixes: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    # Another language that a file (by name and content) with one of the suffixes is in.
    variant: "Callable[[str, bytes], Language | None] | None" = None

    # Modules, imports and exports. A language without an ecosystem is not traced.
    ecosystem: Ecosystem | None = None
    # Names of a file's module by path and namespace, where no manifest of the ecosystem matters.
    module_names: Callable[[str, str], Iterable[ModuleName]] | None = None
    import_style: ImportStyle = DOTTED
    export_rule: ExportRule = ExportRule.EVERYTHING
    reexports_imports: bool = False  # top-level imports of a file are exports of it

    # Keywords: an instance of the enclosing class, the class itself, its base class, names by
    # which a class creates an instance (`Foo.new`, Java's `Outer.this`).
    self_names: frozenset[str] = frozenset()
    class_names: frozenset[str] = frozenset()
    super_names: frozenset[str] = frozenset()
    constructor_names: frozenset[str] = frozenset()
    # Names of values without a declaration, such as Kotlin's `it`.
    implicit_names: frozenset[str] = frozenset()
    # Written in place of a type, such as `var`.
    inferred_type_keywords: frozenset[str] = frozenset()
    # Generic types that stand for their first argument, such as `Optional`.
    wrapper_types: frozenset[str] = frozenset()
    # First parts of paths from the file's module (`crate`). In a language that has them, any other
    # unbound first part of a path is a module too, such as Rust's crates.
    module_roots: frozenset[str] = frozenset()
    # Names that the language defines. Their uses are dropped unless the file shadows them.
    builtins: frozenset[str] = frozenset()

    name_separator: str = "::"  # between the parts of a definition's name
    # Another sign than "." between an object and its method, one byte long.
    method_operator: bytes = b""

    implicit_this: bool = False  # a bare name in a class may be a member
    free_functions: bool = True  # functions outside classes exist, so a bare call may be one
    has_methods: bool = True  # without methods, types of fields and results are not needed
    # Methods (types) and variables of the same name do not shadow each other: the syntax decides.
    separate_method_namespace: bool = False
    separate_type_namespace: bool = False
    extension_methods: bool = False  # an imported function may be called like a member
    module_methods: bool = False  # a module has a self and methods
    open_modules: bool = False  # other files may add members to a module
    calls_without_parentheses: bool = False
    package_visible_types: bool = False  # files see one another's types without an import


def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
