"""Python. `queries/python.trace.scm` matches imports and references."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from indexer.languages.base import (
    HASH_COMMENTS,
    Containers,
    ExportRule,
    ItemShape,
    Language,
    Lexis,
    grammar,
    names,
)
from indexer.languages.import_style import ImportStyle
from indexer.languages.rewrites import Edit, Rewrite, blank, blanked, closing, occurrences, parts
from indexer.records.manifests import Ecosystem
from indexer.records.references import CALL_METHOD, CALLED, DESCRIPTOR_METHOD, EACH, ELEMENT

_SUFFIX: Final = re.compile(r"\.py[iw]?$")
_COLLECTED: Final = re.compile(r"(?:.*/)?(?:conftest|tests|test_[^/]*|[^/]*_tests?)\.py")


def python_module(path: str) -> str:
    """Convert `auth/middleware.py` → `/auth.middleware`, `auth/__init__.py` → `/auth`."""
    dotted = _SUFFIX.sub("", path).replace("/", ".")
    return "/" + ("" if dotted == "__init__" else dotted.removesuffix(".__init__"))


def _package(path: str) -> str:
    """Return the package of a file, for relative imports: `auth/api.py` → `/auth`."""
    return "/" + posixpath.dirname(path).replace("/", ".")


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve leading dots against the file's package."""
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return module
    package = _package(file)
    for _ in range(dots - 1):
        if package == "/":
            return module
        package = package.rpartition(".")[0] or "/"
    return f"{package}.{name}" if name and package != "/" else package + name


def _local_name(module: str, _is_used: Callable[[str], bool]) -> str:
    return module


def is_collected(path: str) -> bool:
    """Whether pytest collects a file, or it is a conftest.py.

    By the default of `python_files`, and by the names that projects of Django add to it. Other
    names in a project's configuration are not read: no file is read with the content of another.
    """
    return _COLLECTED.fullmatch(path) is not None


_BUILTINS: Final = names("""
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr
    classmethod compile complex delattr dict dir divmod enumerate eval exec filter float
    format frozenset getattr globals hasattr hash help hex id input int isinstance
    issubclass iter len list locals map max memoryview min next object oct open ord pow
    print property range repr reversed round set setattr slice sorted staticmethod str
    sum super tuple type vars zip __import__ None True False NotImplemented Ellipsis
    BaseException Exception ArithmeticError AssertionError AttributeError BufferError
    EOFError FileExistsError FileNotFoundError ImportError IndexError InterruptedError
    IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError IOError
    OverflowError PermissionError RecursionError ReferenceError RuntimeError
    StopAsyncIteration StopIteration SyntaxError SystemExit TimeoutError TypeError
    UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError
    ConnectionError BrokenPipeError ConnectionResetError ConnectionRefusedError
    DeprecationWarning UserWarning Warning RuntimeWarning ExceptionGroup
""")

_CONTAINERS: Final = Containers("""
    list List Sequence MutableSequence deque Deque: []=0 *=0 pop.()=0 popleft.()=0
    set Set frozenset FrozenSet AbstractSet MutableSet: *=0 pop.()=0
    Iterable Collection Reversible KeysView ValuesView: *=0
    Iterator Generator: *=0 __enter__=0
    AsyncIterable: *=0
    AsyncIterator AsyncGenerator: *=0 __aenter__=0
    ContextManager AbstractContextManager: __enter__=0
    AsyncContextManager AbstractAsyncContextManager: __aenter__=0
    dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict UserDict ChainMap:
        []=1 *=0 get.()=1 pop.()=1 setdefault.()=1 values.().*=1 keys.().*=0
        items.().*.0=0 items.().*.1=1
    WeakValueDictionary: []=1 *=0 get.()=1 values.().*=1 items.().*.1=1
    Callable: ()=-1
    type Type: ()=0
""")

_TYPE_PARAMETERS: Final = re.compile(rb"\b(?:class|def|type)[ \t]+\w+\[")


def _type_defaults(source: bytes) -> Iterator[Sequence[Edit]]:
    """Blank the defaults of type parameters."""
    for found in occurrences(_TYPE_PARAMETERS, source):
        start, end = found.end(), closing(source, found.end() - 1) - 1
        if end < start:  # not closed
            continue
        equals = [(source.find(b"=", *part), part[1]) for part in parts(source, start, end)]
        if edits := [blank(source, sign, last) for sign, last in equals if sign >= 0]:
            yield edits


_REWRITES: Final = (
    Rewrite(_type_defaults),
    blanked(rb"^[ \t]*(lazy)[ \t]+(?=(?:import|from)\b)"),
    blanked(rb"\{\s*(\*\*)(?=[^{}:\n]{1,300}\sfor\s)"),
)

PYTHON: Final = Language(
    "python",
    grammar("python"),
    version=3,
    rewrites=_REWRITES,
    lexis=Lexis((HASH_COMMENTS,)),
    linguist=("Python",),
    suffixes=(".py", ".pyi", ".pyw"),
    file_names=("sconstruct", "wscript"),
    interpreters=("python", "pypy"),
    ecosystem=Ecosystem.PYPI,
    import_style=ImportStyle(_import_path, _local_name, binds_first_name=True),
    export_rule=ExportRule.UNDERSCORE,
    reexports_imports=True,
    collects_tests=is_collected,
    self_names=names("self"),
    class_names=names("cls Self"),
    super_names=names("super"),
    wrapper_types=names(
        "Optional Annotated ClassVar Final Required NotRequired ReadOnly Awaitable InitVar"
    ),
    unknown_types=names("Any object Incomplete"),
    decorators_replace=True,
    functions_as_values=True,
    plain_decorators=names("staticmethod classmethod"),
    containers=_CONTAINERS,
    container_literals={"[": "list", "{": "dict"},
    part_methods={
        "__getitem__": ELEMENT,
        CALL_METHOD: CALLED,
        "__iter__": EACH,
        "__aiter__": EACH,
    },
    descriptor_method=DESCRIPTOR_METHOD,
    call_member=CALL_METHOD,
    adapters={
        **dict.fromkeys(
            names("sorted list tuple set frozenset reversed iter aiter"), ItemShape.SAME
        ),
        **dict.fromkeys(names("next anext"), ItemShape.NEXT),
        **dict.fromkeys(names("max min"), ItemShape.LARGEST),
        "filter": ItemShape.SECOND,
        "enumerate": ItemShape.NUMBERED,
        "zip": ItemShape.ZIPPED,
    },
    builtins=_BUILTINS,
    builtin_classes=names(
        "bool bytearray bytes complex dict float frozenset int list memoryview range set slice str"
        " tuple"
    ),
)
LANGUAGES: Final = (PYTHON,)
