"""The definition of a language. `languages/<name>.py` has one record for each.

A host format has a rule that gives the regions of its files that are code in other languages. For
each of these the file is masked: what is not code becomes spaces, so that an offset in the masked
text is the offset in the file. Rules are linear and never raise.
"""

import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum, StrEnum, auto
from importlib import import_module
from re import Pattern
from typing import Final, NamedTuple, TypeAlias

from indexer.languages.import_style import DOTTED, ImportStyle
from indexer.languages.rewrites import Rewrite, spaces
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALLED, EACH, ELEMENT, NAMED

FILE_REGIONS: Final = 20_000  # of code inside of a file that is no code
# The version of all host formats, whose rules share code. Raise if one gives other regions.
HOSTS_VERSION: Final = 3


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes `start` to `end` of a file, half-open, with the name of their language.

    `text` is parsed in their place if it is not empty. It is as long, has the file's line feeds at
    their places, and may have more.
    """

    start: int
    end: int
    language: str
    text: bytes = b""


@dataclass(frozen=True, slots=True)
class HostFormat:
    """A format of files that hold code. `regions` come in order and do not overlap.

    `only_regions`: the rest of the file is data, of which no chunks are made. `are_examples`: they
    are of a text and define nothing; their uses alone are read.
    """

    regions: Callable[[bytes], Iterable[Region]]
    languages: tuple[str, ...]  # that regions may have
    only_regions: bool = False
    are_examples: bool = False


def mask(source: bytes, regions: Iterable[Region]) -> bytes:
    """Return the text of the regions, at their offsets, and spaces and line feeds elsewhere."""
    parts = []
    end = 0
    for region in regions:
        parts.append(spaces(source[end : region.start]))
        parts.append(region.text or source[region.start : region.end])
        end = region.end
    return b"".join([*parts, spaces(source[end:])])


PartPath: TypeAlias = tuple[str, ...]

_UNNAMED: Final = frozenset({"", ELEMENT, NAMED, EACH, CALLED})
_ENTRY = re.compile(r"[\w ]+:[^:]*(?=\n|$)")


def is_name(part: str) -> bool:
    """Whether a part is a member that a program can name."""
    return part not in _UNNAMED and not part.isdigit()


class Containers(dict[str, tuple[tuple[PartPath, int], ...]]):
    """A language's generic types by name: paths to parts, each with its argument's number.

    Calls of `same_methods` give what has the same parts, such as an iterator; those of
    `item_methods` an item. Compared by identity, so that answers can be kept.
    """

    def __init__(self, table: str, *, same_methods: str = "", item_methods: str = "") -> None:
        """Read entries such as `dict Mapping: []=1 *=0 values.().*=1`; -1 is the last argument."""
        super().__init__()
        self.same_methods = frozenset(same_methods.split())
        self.item_methods = frozenset(item_methods.split())
        for entry in _ENTRY.findall(table):
            heads, _, parts = entry.partition(":")
            shape = tuple(
                (tuple(path.split(".")), int(number))
                for path, _, number in (part.partition("=") for part in parts.split())
            )
            self.update(dict.fromkeys(heads.split(), shape))

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


NO_CONTAINERS: Final = Containers("")


SLASH_COMMENTS: Final = rb"//[^\n]*|/\*(?:(?s:.{0,1000}?)\*/)?"
HASH_COMMENTS: Final = rb"#[^\n]*"
DASH_COMMENTS: Final = rb"--[^\n]*"
_STRING: Final = rb'"(?:[^"\\\n]|\\.)*"'
_SINGLE_QUOTED: Final = rb"'(?:[^'\\\n]|\\.)*'"
_ESCAPED_QUOTE: Final = rb"\\[\"']"  # or a line of these would be read again from each
_CHARACTER: Final = rb"'(?:[^'\\\n]|\\[^\n']{1,8})'"
_NAME: Final = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"


@dataclass(frozen=True, slots=True)
class Lexis:
    """The patterns of a language's comments, and what differs in its strings and names.

    `quotes_characters`: an apostrophe quotes one character, no string. `marks_methods`: a name may
    end in `?` or `!`.
    """

    comments: tuple[bytes, ...]
    quotes_characters: bool = False
    marks_methods: bool = False

    @property
    def token(self) -> re.Pattern[bytes]:
        """The pattern of a comment, a string of one line, or a name: the group `name`."""
        quoted = _CHARACTER if self.quotes_characters else _SINGLE_QUOTED
        name = _NAME + (rb"[?!]?" if self.marks_methods else b"")
        named = b"(?P<name>%s)" % name
        return re.compile(b"|".join([*self.comments, _STRING, quoted, _ESCAPED_QUOTE, named]))


C_LEXIS: Final = Lexis((SLASH_COMMENTS,), quotes_characters=True)


class ExportRule(StrEnum):
    """The rule for which definitions other files may use."""

    EVERYTHING = "everything"  # public unless a query captures it as @private
    EXPLICIT = "explicit"  # public if a query captures it as @exported
    EXPLICIT_AT_TOP = "explicit_at_top"  # members are public unless @private
    UNDERSCORE = "underscore"  # private if the name starts with an underscore
    CAPITAL = "capital"  # public if the name starts with an upper-case letter


class ItemShape(Enum):
    """What iterating over the result of a function over items gives."""

    SAME = auto()  # the items of its argument: `sorted(items)`
    SECOND = auto()  # those of its second argument: `filter(test, items)`
    NUMBERED = auto()  # pairs of a number and an item: `enumerate(items)`
    ZIPPED = auto()  # tuples of the items of each argument
    NEXT = auto()  # nothing: the result is one of them, `next(items)`
    LARGEST = auto()  # the same, if there is one argument: `max(items)`


ONE_ITEM: Final = frozenset({ItemShape.NEXT, ItemShape.LARGEST})
PAIRS: Final = frozenset({ItemShape.NUMBERED, ItemShape.ZIPPED})


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter grammar, returned by `module.function()`; `queries` are read in order."""

    distribution: str
    module: str
    queries: tuple[str, ...]
    function: str = "language"


def grammar(stem: str, *queries: str, function: str = "language") -> Grammar:
    """Return the grammar of the distribution `tree-sitter-<stem>`, with the query file `stem`."""
    distribution = f"tree-sitter-{stem.replace('_', '-')}"
    return Grammar(distribution, f"tree_sitter_{stem}", queries or (stem,), function)


class ModuleName(NamedTuple):
    """A name by which imports may refer to a file.

    `public`: other repositories may use it. `scope`: files of this name and package see each
    other's definitions without an import (with C# also those of the names before each dot).
    """

    name: str
    public: bool
    scope: bool


@dataclass(frozen=True, slots=True)
class Language:
    """A language's name, its files and, if it is parsed, its grammar and its rules.

    The API filters and Pygments highlights by the name. Queries are in `queries/*.scm`; all other
    rules are fields here.
    """

    name: str
    grammar: Grammar | None = None
    _: KW_ONLY
    version: int = 1  # raise if other data are extracted from the same file
    rewrites: tuple[Rewrite, ...] = ()  # tried in order
    lexis: Lexis = C_LEXIS
    host: HostFormat | None = None  # of files whose code is in other languages

    # Detection. Linguist's facts about its languages of these names come first; what follows counts
    # where they say nothing or leave the choice. All in lower case; interpreters are from a `#!`
    # line, without versions.
    linguist: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()
    file_name_prefixes: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()

    # Modules, imports and exports. A language without an ecosystem is not traced.
    ecosystem: Ecosystem | None = None
    # Names of a file's module by path and namespace, for ecosystems without manifests.
    module_names: Callable[[str, str], Iterable[ModuleName]] | None = None
    import_style: ImportStyle = DOTTED
    export_rule: ExportRule = ExportRule.EVERYTHING
    # A call that gives the module that it names: its first group.
    import_call: Pattern[str] | None = None
    reexports_imports: bool = False  # a file's top-level imports are its exports
    # Whether pytest collects the file at a path: parameters of its tests are fixtures.
    collects_tests: Callable[[str], bool] | None = None

    # Keywords for an instance of the enclosing class, the class itself, its base class; and members
    # of a class that yield an instance (`Foo.new`, Java's `Outer.this`).
    self_names: frozenset[str] = frozenset()
    class_names: frozenset[str] = frozenset()
    super_names: frozenset[str] = frozenset()
    constructor_names: frozenset[str] = frozenset()
    # A member of an instance that is its class, and what every class has: Ruby's `self.class.name`.
    class_member: str = ""
    members_of_classes: frozenset[str] = frozenset()
    # Those of these keywords that call a constructor of the class itself or of its superclass, as
    # functions: `super(1)`.
    constructor_calls: frozenset[str] = frozenset()
    # Undeclared names of values, such as Kotlin's `it`.
    implicit_names: frozenset[str] = frozenset()
    # What variables alone begin with. One that a file does not set is unknown: no other file's.
    variable_sign: str = ""
    # Written in place of a type, such as `var`.
    inferred_type_keywords: frozenset[str] = frozenset()
    # Generic types that are treated as their first argument, such as `Optional`.
    wrapper_types: frozenset[str] = frozenset()
    # Types that tell nothing, and built-in objects whose members anything may be (`window`).
    unknown_types: frozenset[str] = frozenset()
    open_objects: frozenset[str] = frozenset()
    # Generic types whose arguments are the types of parts, such as `list`.
    containers: Containers = NO_CONTAINERS
    # Methods that give the value itself, or what it wraps: Kotlin's `apply`, Rust's `unwrap`.
    same_methods: frozenset[str] = frozenset()
    # The container that a literal of items is, by its first sign.
    container_literals: Mapping[str, str] = field(default_factory=dict)
    # Methods that a part of an instance calls, such as `__getitem__`.
    part_methods: Mapping[str, str] = field(default_factory=dict)
    call_member: str = ""  # what calling an instance calls: `__call__`
    # Before the name of a class that a call constructs even if an object beside has such a member.
    constructed_keyword: str = ""
    # A method of a class whose instances, as attributes of another class, give its result.
    descriptor_method: str = ""
    # Functions over the items of their arguments.
    adapters: Mapping[str, ItemShape] = field(default_factory=dict)
    # First parts of paths from the file's module (`crate`). In languages with them, any other
    # unbound first part of a path is also a module, such as Rust's crates.
    module_roots: frozenset[str] = frozenset()
    # Names that the language defines. Their references are dropped unless the file shadows them.
    # Of those in lower case the classes; all others may give values of any class.
    builtins: frozenset[str] = frozenset()
    builtin_classes: frozenset[str] = frozenset()

    name_separator: str = "::"  # between the parts of a definition's name
    # A separator other than "." between an object and its method, one byte long.
    method_operator: bytes = b""
    # Before a callee, where the grammar binds them closer than the call: `!f(1)` is `(!f)(1)`.
    prefix_operators: str = ""
    not_null: str = ""  # after a value that is not null: TypeScript's `f!()`

    implicit_receivers: bool = False  # extensions and lambdas have objects of their own
    implicit_this: bool = False  # a bare name in a class may be a member
    free_functions: bool = True  # functions outside classes exist, so a bare call may be one
    plain_decorators: frozenset[str] = frozenset()  # that leave a method what it is
    decorators_replace: bool = False  # a decorated function is what the decorator gives
    functions_as_values: bool = False  # the queries say where they are passed and held
    fixed_types: bool = False  # a variable keeps the type that it is declared with
    function_methods: frozenset[str] = frozenset()  # of each function, that call or give it
    function_givers: frozenset[str] = frozenset()  # of these, those that only give it
    has_methods: bool = True  # without methods, types of fields and results are not needed
    # Methods (types) and variables of the same name do not shadow each other: the syntax decides.
    separate_method_namespace: bool = False
    separate_type_namespace: bool = False
    type_parameters_in_paths: bool = True  # `T::new()`; else `T.make()` is of an object
    extension_methods: bool = False  # an imported function may be called like a member
    # Of languages whose own types may be given members: the types of literals, by their first sign.
    literal_types: Mapping[str, str] = field(default_factory=dict)
    module_methods: bool = False  # a module has a self and methods
    open_modules: bool = False  # other files may add members to a module
    calls_without_parentheses: bool = False
    bare_methods: bool = False  # a method's name alone may be a call of it
    calls_commands: bool = False  # a call is a command: one word, whatever signs are in it
    has_conditionals: bool = False  # a preprocessor may take one of several branches: `#if`
    has_headers: bool = False  # a class may stand in another file than its members
    package_visible_types: bool = False  # files see each other's types without an import
    package_visible_functions: bool = False  # and functions, by names that a call may pass


def languages_of_modules(*, without: str = "") -> Iterator[Language]:
    """Yield the languages in order of their modules' names; a module that asks is left out."""
    package = "indexer.languages"
    modules = pkgutil.iter_modules(import_module(package).__path__)
    for name in sorted(module.name for module in modules if module.name != without):
        yield from getattr(import_module(f"{package}.{name}"), "LANGUAGES", ())


def names(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
