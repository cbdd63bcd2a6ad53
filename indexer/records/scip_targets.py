"""What the symbols of SCIP's indexers mean: a package, a module, and names of a definition in it.

Each indexer writes symbols in its own way (the examples of the tests). Which repository has the
package, and what its modules define and re-export, is resolved where all repositories are known.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from indexer.records.manifests import Ecosystem, python_name, typed_package, without_scala
from indexer.records.scip import CONSTRUCTOR, Descriptor, ScipSymbol, Suffix


class ScipTarget(NamedTuple):
    """A definition, or with no `names` a module, as a symbol names it.

    `package` is the distribution's name as manifests have it, "" if the symbol has none: a hint,
    which indexers sometimes get wrong. `module` is a file's path in the package as it is published,
    or a module's or namespace's name; "" if the symbol has none. `names` are those of the
    definition's qualified name. `path` is the import path by which another repository finds the
    definition (`indexer.records.references`): of npm through the package's public entry; "" if
    there is none.
    """

    ecosystem: Ecosystem
    package: str
    module: str
    names: tuple[str, ...]
    path: str


_Reader = Callable[[ScipSymbol], ScipTarget | None]
_Descriptors = Sequence[Descriptor]
_INIT: Final = Descriptor("__init__", Suffix.META)  # a module of Python
_WITHIN_TYPES: Final = frozenset({Suffix.TYPE_PARAMETER, Suffix.PARAMETER, Suffix.META})


def scip_target(symbol: ScipSymbol) -> ScipTarget | None:
    """Return what a symbol means; None if that is no definition, or of an unknown indexer.

    Parameters, type parameters and members of types and objects without a name are no definitions.
    A constructor that the code does not name is its class.
    """
    read = _READERS.get(symbol.scheme)
    return read(symbol) if read else None


def _parts(descriptors: _Descriptors) -> tuple[list[str], _Descriptors] | None:
    """Return the namespaces, and the descriptors after them; None for parts of types."""
    if any(descriptor.suffix in _WITHIN_TYPES for descriptor in descriptors):
        return None
    spaces = [
        descriptor.name for descriptor in descriptors if descriptor.suffix is Suffix.NAMESPACE
    ]
    return spaces, descriptors[len(spaces) :]


def _dotted(*names: str) -> str:
    return ".".join(filter(None, names))


def _in_module(ecosystem: Ecosystem, package: str, module: str, names: Iterable[str]) -> ScipTarget:
    """Return a target that is imported by the name of its module."""
    found = tuple(names)
    return ScipTarget(ecosystem, package, module, found, _dotted(module, *found))


_NPM_FILE: Final = re.compile(r"\.[cm]?[jt]sx?\Z")
_QUOTES: Final = "'\""
_ACCESSOR: Final = re.compile("<[gs]et>")


def _typescript(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-typescript: a file's path, namespaces, then names as they are written."""
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    files = [at for at, name in enumerate(spaces, 1) if _NPM_FILE.search(name)]
    inside = files[-1] if files else 0
    module = "/".join(spaces[:inside])
    names, declared = [], ""
    for name in spaces[inside:]:
        if name[:1] in _QUOTES:  # `declare module "fs"`
            declared = name.strip(_QUOTES)
        elif name != "global":
            names.append(name)
    names += [
        _ACCESSOR.sub("", member.name).strip(_QUOTES)
        for member in members
        if member.name != CONSTRUCTOR
    ]
    package = typed_package(symbol.package)
    is_language = package == "typescript" and module.startswith("lib/lib.")
    start = declared if declared and not declared.startswith(".") else package
    path = _dotted(start, *names) if start and not is_language else ""
    return ScipTarget(Ecosystem.NPM, package, module, tuple(names), path)


def _python(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-python: a module, then names; that of a variable with two declarations twice."""
    descriptors = symbol.descriptors
    if descriptors[-1:] == (_INIT,):
        descriptors = descriptors[:-1]
    if (parts := _parts(descriptors)) is None:
        return None
    spaces, members = parts
    names = [
        member.name
        for at, member in enumerate(members)
        if member.suffix is not Suffix.TERM or member not in members[at - 1 : at]
    ]
    return _in_module(Ecosystem.PYPI, python_name(symbol.package), _dotted(*spaces), names)


def _go(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-go: an import path, then names. Types without a name have one that begins with `$`."""
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    names = [member.name for member in members]
    if any(name.startswith("$") for name in names):
        return None
    return _in_module(Ecosystem.GO, symbol.package, "/".join(spaces), names)


def _jvm(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-java: a package, then classes and members, as the JVM sees them.

    Kotlin's and Scala's compilers put what stands outside of classes into classes and objects of
    their own, and what a companion has into another object, which source code does not name.
    """
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    names = list(_jvm_names(members))
    if any(name.startswith("<") for name in names):  # anonymous classes
        return None
    group, _, artifact = symbol.package.removeprefix("maven/").rpartition("/")
    package = without_scala(f"{group}:{artifact}") if group else ""
    return _in_module(Ecosystem.MAVEN, package, _dotted(*spaces), names)


def _jvm_names(members: _Descriptors) -> Iterator[str]:
    for at, member in enumerate(members):
        is_companion = at > 0 and member.name == "Companion"
        is_around = at == 0 and _is_around(member, members[1:])
        if member.name != "<init>" and not (is_companion or is_around):
            yield member.name.removesuffix("_=")


def _is_around(descriptor: Descriptor, inner: _Descriptors) -> bool:
    """Whether the compiler made it for what stands outside of classes; a class can be made."""
    if descriptor.suffix is Suffix.TERM:
        return descriptor.name == "package" or descriptor.name.endswith("$package")
    return descriptor.name.endswith("Kt") and bool(inner) and inner[0].name != "<init>"


_IMPL: Final = Descriptor("impl", Suffix.TYPE)
_TYPE_NAME: Final = re.compile(r"(?:\w+::)*(\w+)(?:<.*)?\Z", re.DOTALL)


def _rust(symbol: ScipSymbol) -> ScipTarget | None:
    """rust-analyzer: modules, then names; `impl#[Type][Trait]` for the type of an `impl`."""
    types, descriptors = _implemented(symbol.descriptors)
    if (parts := _parts(descriptors)) is None:
        return None
    spaces, members = parts
    crate = symbol.package.replace("-", "_")
    module = _dotted(crate, *(name for name in spaces if name != "crate"))
    names = (*types, *(member.name for member in members))
    return _in_module(Ecosystem.CARGO, symbol.package, module, names)


def _implemented(descriptors: _Descriptors) -> tuple[list[str], _Descriptors]:
    """Return the name of the type that an `impl` is for, and the descriptors without that block.

    References, slices, tuples and the like have no name of their own.
    """
    if _IMPL not in descriptors:
        return [], descriptors
    start = descriptors.index(_IMPL)
    block = list(
        takewhile(
            lambda descriptor: descriptor.suffix is Suffix.TYPE_PARAMETER, descriptors[start + 1 :]
        )
    )
    found = [_TYPE_NAME.match(descriptor.name) for descriptor in block[:1]]
    rest = (*descriptors[:start], *descriptors[start + 1 + len(block) :])
    return [match[1] for match in found if match], rest


def _csharp(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-dotnet: the last part of the namespace alone, then names.

    So the path is right for a namespace of one part, and leads nowhere for others.
    """
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    names = [
        member.name.rpartition(".")[2]  # `IHello.Hello` implements a member of an interface
        for member in members
        if member.name not in {".ctor", ".cctor"}
    ]
    return _in_module(Ecosystem.NUGET, symbol.package.lower(), _dotted(*spaces), names)


_SINGLETON: Final = re.compile(r"<Class:(.+)>\Z")


def _ruby(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-ruby: constants and methods; methods outside of classes are those of `Object`."""
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    _, members = parts
    if any(member.name[:1] in "@$" for member in members):  # variables
        return None
    names = [_SINGLETON.sub(r"\1", member.name) for member in members]
    is_method = len(members) > 1 and members[1].suffix is Suffix.METHOD
    if is_method and names[0] == "Object":
        names = names[1:]
    return ScipTarget(Ecosystem.RUBYGEMS, symbol.package, "", tuple(names), "")


def _php(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-php: a namespace, then names; properties with their `$`."""
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    if any(member.name.startswith("anon-") for member in members):
        return None
    names = [member.name.removeprefix("$") for member in members]
    return _in_module(Ecosystem.COMPOSER, symbol.package.lower(), _dotted(*spaces), names)


def _cpp(symbol: ScipSymbol) -> ScipTarget | None:
    """scip-clang: namespaces and names, without a file; a macro is a place, a file a namespace."""
    if (parts := _parts(symbol.descriptors)) is None:
        return None
    spaces, members = parts
    if any(member.suffix is Suffix.MACRO or member.name.startswith("$") for member in members):
        return None
    file = next((name.removeprefix("<file>/") for name in spaces if name[:7] == "<file>/"), "")
    named = () if file else (name for name in spaces if not name.startswith("$anonymous"))
    names = (*named, *_cpp_names(members))
    return ScipTarget(Ecosystem.NONE, symbol.package, file, names, "")


def _cpp_names(members: Iterable[Descriptor]) -> Iterator[str]:
    around = ""
    for member in members:
        is_constructor = member.suffix is Suffix.METHOD and member.name.partition("<")[0] == around
        if not is_constructor:
            yield member.name
        around = member.name if member.suffix is Suffix.TYPE else ""


_READERS: Final[Mapping[str, _Reader]] = {
    "scip-typescript": _typescript,
    "scip-python": _python,
    "scip-go": _go,
    "scip-java": _jvm,
    "semanticdb": _jvm,  # scip-java until 0.10
    "rust-analyzer": _rust,
    "scip-dotnet": _csharp,
    "scip-ruby": _ruby,
    "scip-php": _php,
    "cxx": _cpp,
}
