"""What is so in a language and is no query: how names are seen, written and imported."""

from dataclasses import dataclass
from enum import StrEnum

from indexer.languages.builtins import BUILTINS
from indexer.languages.registry import Language


class ImportStyle(StrEnum):
    """How an import's module is written, and what it names."""

    PYTHON = "python"  # dotted, leading dots are relative
    ECMASCRIPT = "ecmascript"  # a specifier, "./" is relative to the file
    GO = "go"  # a path, bound to its last part
    DOTTED = "dotted"  # names down to a class or a member: Java, Kotlin, Scala, PHP
    NAMESPACE = "namespace"  # a whole namespace, by wildcard: C#, Swift
    RUST = "rust"  # crate::, self::, super:: or another crate
    RUBY = "ruby"  # a path, by wildcard; "./" is relative to the file
    INCLUDE = "include"  # a file, by wildcard


@dataclass(frozen=True, slots=True)
class Traits:
    """The facts of a language that the common code asks for.

    `self_names` are an instance of the enclosing class, `class_names` the class itself,
    `super_names` its base. `implicit_this`: a bare name in a class may be a member.
    `free_functions`: functions exist outside classes, so that a bare call need not be a member.
    `methods_apart`: a method does not share its name's meaning with variables and fields, nor
    does a type with `types_apart`: what is written decides which of two is meant.
    `implicit` names stand for a value of which nothing is written (`it`). `extensions`: a function
    that is imported by name may be called as if it were a member.
    `inferred` are written where a type would stand and say nothing of it (`var`).
    `modules_are_classes`: a module has a self and methods; `modules_go_on`: other files may add to
    it; `bare_calls`: a member is called without parentheses (Ruby).
    `module_roots` begin paths from the file's module; where a language has them, so does any
    name that is bound nowhere (Rust's crates).
    `shares_types`: files see one another's types without an import.
    Unless it `has_methods`, nobody needs the types of fields and results.
    `reexports_imports`: what a file imports at its top level, it gives on. `builtins` are names
    that the language defines; uses of them are left out where nothing shadows them.
    `transparent` are generic types that stand for their first argument, `constructors` names
    by which a class gives an instance (`Foo.new`, Java's `Outer.this`).
    """

    import_style: ImportStyle = ImportStyle.DOTTED
    self_names: frozenset[str] = frozenset()
    class_names: frozenset[str] = frozenset()
    super_names: frozenset[str] = frozenset()
    implicit_this: bool = False
    free_functions: bool = True
    methods_apart: bool = False
    types_apart: bool = False
    implicit: frozenset[str] = frozenset()
    extensions: bool = False
    inferred: frozenset[str] = frozenset()
    modules_are_classes: bool = False
    modules_go_on: bool = False
    bare_calls: bool = False
    module_roots: frozenset[str] = frozenset()
    shares_types: bool = False
    has_methods: bool = True
    reexports_imports: bool = False
    builtins: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PYTHON = Traits(
    import_style=ImportStyle.PYTHON,
    self_names=_names("self"),
    class_names=_names("cls Self"),
    super_names=_names("super"),
    reexports_imports=True,
    builtins=BUILTINS["python"],
    transparent=_names(
        "Optional Annotated ClassVar Final Required NotRequired ReadOnly Awaitable InitVar"
        " Iterator Generator AsyncIterator AsyncGenerator ContextManager AbstractContextManager"
        " AsyncContextManager AbstractAsyncContextManager"
    ),
)

_ECMASCRIPT = Traits(
    import_style=ImportStyle.ECMASCRIPT,
    self_names=_names("this"),
    super_names=_names("super"),
    builtins=BUILTINS["ecmascript"],
    transparent=_names(
        "Promise PromiseLike Awaited Partial Required Readonly NonNullable NoInfer Omit Pick"
    ),
)

_GO = Traits(import_style=ImportStyle.GO, types_apart=True, builtins=BUILTINS["go"])

_RUST = Traits(
    import_style=ImportStyle.RUST,
    self_names=_names("self"),
    class_names=_names("Self"),
    types_apart=True,
    module_roots=_names("crate self:: super"),
    builtins=BUILTINS["rust"],
    transparent=_names(
        "Option Result Box Arc Rc Pin Future Cow Weak Lazy LazyLock LazyCell OnceCell OnceLock Ref"
        " RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop"
    ),
)

_RUBY = Traits(
    import_style=ImportStyle.RUBY,
    self_names=_names("self"),
    super_names=_names("super"),
    implicit_this=True,
    bare_calls=True,
    modules_are_classes=True,
    modules_go_on=True,
    reexports_imports=True,
    builtins=BUILTINS["ruby"],
    constructors=_names("new"),
)

_C = Traits(
    import_style=ImportStyle.INCLUDE,
    has_methods=False,
    types_apart=True,
    reexports_imports=True,
    builtins=BUILTINS["c"],
)

_CPP = Traits(
    import_style=ImportStyle.INCLUDE,
    self_names=_names("this"),
    implicit_this=True,
    types_apart=True,
    inferred=_names("auto"),
    reexports_imports=True,
    builtins=BUILTINS["c"] | BUILTINS["cpp"],
    transparent=_names("unique_ptr shared_ptr weak_ptr optional reference_wrapper"),
)

_JAVA = Traits(
    self_names=_names("this"),
    super_names=_names("super"),
    implicit_this=True,
    free_functions=False,
    methods_apart=True,
    types_apart=True,
    inferred=_names("var"),
    shares_types=True,
    builtins=BUILTINS["java"],
    constructors=_names("new this"),
)

_KOTLIN = Traits(
    self_names=_names("this"),
    super_names=_names("super"),
    implicit_this=True,
    implicit=_names("it"),
    extensions=True,
    shares_types=True,
    builtins=BUILTINS["kotlin"],
)

_CSHARP = Traits(
    import_style=ImportStyle.NAMESPACE,
    self_names=_names("this"),
    super_names=_names("base"),
    implicit_this=True,
    free_functions=False,
    types_apart=True,
    inferred=_names("var"),
    implicit=_names("value"),
    shares_types=True,
    builtins=BUILTINS["csharp"],
    transparent=_names("Task ValueTask"),
)

_PHP = Traits(
    self_names=_names("$this"),
    class_names=_names("self self:: static static::"),
    super_names=_names("parent parent::"),
    methods_apart=True,
    types_apart=True,
    builtins=BUILTINS["php"],
)

_SCALA = Traits(
    self_names=_names("this"),
    super_names=_names("super"),
    implicit_this=True,
    implicit=_names("_"),
    extensions=True,
    shares_types=True,
    builtins=BUILTINS["scala"],
    constructors=_names("this"),
)

_SWIFT = Traits(
    import_style=ImportStyle.NAMESPACE,
    self_names=_names("self"),
    class_names=_names("Self"),
    super_names=_names("super"),
    implicit_this=True,
    implicit=_names("error newValue oldValue"),
    shares_types=True,
    builtins=BUILTINS["swift"],
    constructors=_names("init"),
)

_TRAITS = {
    "python": _PYTHON,
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "ruby": _RUBY,
    "c": _C,
    "cpp": _CPP,
    "java": _JAVA,
    "kotlin": _KOTLIN,
    "csharp": _CSHARP,
    "php": _PHP,
    "scala": _SCALA,
    "swift": _SWIFT,
}


def traits_of(language: Language) -> Traits:
    """The language's traits; plain ones for a language without an entry."""
    return _TRAITS.get(language.name, _PLAIN)


_PLAIN = Traits()
