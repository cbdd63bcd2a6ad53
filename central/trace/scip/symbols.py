"""The symbols of definitions, as the indexer of each ecosystem writes them.

By what scip-typescript 0.4.0, scip-python 0.6.6 and scip-go 0.2.9 write, and the snapshots of
scip-java 0.13; elsewhere by a scheme of our own (docs/reference/scip.md). Nothing here reads the
database.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from indexer.records.scip import CONSTRUCTOR, Descriptor, ScipSymbol, Suffix

OWN_SCHEME: Final = "aeterna"
OWN_MANAGER: Final = "codesearch"


class DefiningFile(NamedTuple):
    """A file with its package: `root` is that one's directory, "" the top.

    `package` and `version` are "" if no manifest says so; `namespace` is what the file declares.
    """

    repository: str
    commit: str
    path: str
    language: str
    namespace: str
    package: str
    version: str
    root: str


class Defined(NamedTuple):
    """A definition; `is_inner`: its text shows that it stands inside of something."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    is_inner: bool = False


class Part(NamedTuple):
    """A definition of a path from the file's top level; kind "" if the file has no such one.

    `overload` counts the definitions before it that have its whole name, `held` the functions of
    its name before it that a property holds.
    """

    name: str
    kind: str
    signature: str = ""
    is_inner: bool = False
    overload: int = 0
    held: int = 0


_Path = tuple[Part, ...]
_TYPES: Final = frozenset({"class", "interface", "enum", "struct", "trait", "type"})
_CALLABLE: Final = frozenset({"function", "method", "macro"})


def symbols_of(file: DefiningFile, definitions: Sequence[Defined]) -> list[ScipSymbol | None]:
    """Return the symbol of each of a file's definitions; None of what is local to the file.

    They are all of the file's, in order of position.
    """
    write = _WRITERS.get(file.language, _own)
    return [write(file, path) for path in _paths(definitions)]


def _paths(definitions: Sequence[Defined]) -> Iterator[_Path]:
    """Yield the path to each definition from the file's top level."""
    first: dict[str, Defined] = {}
    for definition in definitions:
        first.setdefault(definition.qualified_name, definition)
    overloads: Counter[str] = Counter()
    held: Counter[str] = Counter()
    known: dict[str, _Path] = {"": ()}
    for defined in definitions:
        end = Part(
            defined.name,
            defined.kind,
            defined.signature,
            defined.is_inner,
            overloads[defined.qualified_name],
            held[defined.name],
        )
        overloads[defined.qualified_name] += 1
        held[defined.name] += is_variable(end)
        yield (*_owners(_owner(defined.qualified_name, defined.name), first, known), end)


def _owner(qualified_name: str, name: str) -> str:
    return qualified_name[: -len(name) - 1] if qualified_name != name else ""


def _owners(name: str, first: Mapping[str, Defined], known: dict[str, _Path]) -> _Path:
    if name not in known:
        if definition := first.get(name):
            part = Part(definition.name, definition.kind, definition.signature, definition.is_inner)
        else:
            part = Part(name.rpartition(".")[2], "")
        known[name] = (*_owners(_owner(name, part.name), first, known), part)
    return known[name]


def _own(file: DefiningFile, path: _Path) -> ScipSymbol:
    """The file's path as namespaces, then the definitions around it."""
    *owners, last = path
    return ScipSymbol(
        OWN_SCHEME,
        OWN_MANAGER,
        file.package or file.repository,
        file.version,
        (
            *_namespaces(file.path.split("/")),
            *(_descriptor(owner.name, owner.kind or "type") for owner in owners),
            _descriptor(last.name, last.kind, last.overload),
        ),
    )


def _typescript(file: DefiningFile, path: _Path) -> ScipSymbol | None:
    if _is_local_in_typescript(path):
        return None
    *owners, last = path
    folders = _inside(file.path, file.root if file.package else "").split("/")
    return ScipSymbol(
        "scip-typescript",
        "npm",
        file.package,
        file.version,
        (*_namespaces(folders), *_typescript_path(owners, last)),
    )


_MODIFIERS: Final = (
    r"(?:(?:export|default|declare|public|protected|private|static|override|abstract|async) )*"
)
_ACCESSOR: Final = re.compile(rf"{_MODIFIERS}(get|set) \S")
_HELD: Final = re.compile(rf"{_MODIFIERS}(?:readonly )?['\"]?[\w$#-]+['\"]?[?!]? ?:")
_VALUE: Final = re.compile(rf"{_MODIFIERS}(?:readonly )?(?:const |let |var |[\w$#]+[?!]? ?[:=])")


def is_variable(part: Part) -> bool:
    """Whether a property of an object, or an attribute, holds the function (TypeScript)."""
    return part.kind in _CALLABLE and _HELD.match(part.signature) is not None


def _is_of_class(owners: Sequence[Part]) -> bool:
    return bool(owners) and owners[-1].kind in _TYPES


def _is_local_in_typescript(path: _Path) -> bool:
    *owners, last = path
    if is_variable(last) and not _is_of_class(owners):
        return False
    is_inner = path[0].is_inner or (last.is_inner and not path[0].kind)
    return is_inner or any(owner.kind in _CALLABLE for owner in owners)


def _typescript_path(owners: Sequence[Part], last: Part) -> Iterator[Descriptor]:
    """A function that a variable holds is that one; of a property's only the file is reported."""
    if is_variable(last) and not _is_of_class(owners):
        yield Descriptor(f"{last.name}{last.held}", Suffix.META)
        return
    for owner in owners:
        yield _descriptor(owner.name, owner.kind or "type")
    if last.kind not in _CALLABLE:
        yield _descriptor(last.name, last.kind)
    elif last.kind == "method" and last.name == "constructor":
        yield Descriptor(CONSTRUCTOR, Suffix.METHOD)
    elif found := _ACCESSOR.match(last.signature):
        yield Descriptor(f"<{found[1]}>{last.name}", Suffix.METHOD)
    else:
        is_value = _VALUE.match(last.signature) is not None
        yield Descriptor(last.name, Suffix.TERM if is_value else Suffix.METHOD)


def _python(file: DefiningFile, path: _Path) -> ScipSymbol:
    """The file's module, then the definitions around it."""
    inside = _inside(file.path, file.root if file.package else "")
    module = re.sub(r"(/__init__)?\.pyi?\Z", "", inside.removeprefix("src/")).replace("/", ".")
    return ScipSymbol(
        "scip-python",
        "python",
        file.package or file.repository,
        file.version,
        (Descriptor(module, Suffix.NAMESPACE), *_python_path(path)),
    )


def _python_path(path: _Path) -> Iterator[Descriptor]:
    """A function inside of a method is named as if it stood beside that one."""
    *owners, last = path
    if last.kind in _CALLABLE:
        classes = [number for number, owner in enumerate(owners) if owner.kind in _TYPES]
        owners = owners[: classes[-1] + 1] if classes else owners
    if owners:
        yield from _python_path(tuple(owners))
    yield _descriptor(last.name, last.kind or "type")


def _go(file: DefiningFile, path: _Path) -> ScipSymbol | None:
    """The package's import path, then the type, if there is one. An interface has terms."""
    *owners, last = path
    if any(owner.kind in _CALLABLE for owner in owners):
        return None
    folder = _inside(file.path, file.root).rpartition("/")[0]
    is_aside = file.path.endswith("_test.go") and file.namespace.endswith("_test")
    package = "/".join(filter(None, [file.package, folder])) + ("_test" if is_aside else "")
    is_of_interface = bool(owners) and owners[-1].kind == "interface"
    return ScipSymbol(
        "scip-go",
        "gomod",
        file.package,
        file.version or file.commit[:12],
        (
            Descriptor(package or ".", Suffix.NAMESPACE),
            *(Descriptor(owner.name, Suffix.TYPE) for owner in owners),
            _descriptor(last.name, "" if is_of_interface else last.kind),
        ),
    )


def _java(file: DefiningFile, path: _Path) -> ScipSymbol | None:
    *owners, last = path
    if any(owner.kind in _CALLABLE for owner in owners):
        return None
    is_constructor = last.kind in _CALLABLE and bool(owners) and last.name == owners[-1].name
    return ScipSymbol(
        "scip-java",
        "maven",
        f"maven/{file.package.replace(':', '/')}" if file.package else "",
        file.version,
        (
            *_namespaces(file.namespace.split(".") if file.namespace else ()),
            *(Descriptor(owner.name, Suffix.TYPE) for owner in owners),
            _descriptor("<init>" if is_constructor else last.name, last.kind, last.overload),
        ),
    )


_Writer = Callable[[DefiningFile, _Path], ScipSymbol | None]
_WRITERS: Final[Mapping[str, _Writer]] = {
    **dict.fromkeys(("typescript", "tsx", "javascript"), _typescript),
    "python": _python,
    "go": _go,
    "java": _java,
}


def _inside(path: str, root: str) -> str:
    """The path from a package's directory on."""
    return path.removeprefix(f"{root}/") if root else path


def _namespaces(names: Sequence[str]) -> list[Descriptor]:
    return [Descriptor(name, Suffix.NAMESPACE) for name in names]


def _descriptor(name: str, kind: str, overload: int = 0) -> Descriptor:
    if kind in _CALLABLE:
        return Descriptor(name, Suffix.METHOD, f"+{overload}" if overload else "")
    if kind in _TYPES:
        return Descriptor(name, Suffix.TYPE)
    return Descriptor(name, Suffix.NAMESPACE if kind == "module" else Suffix.TERM)
