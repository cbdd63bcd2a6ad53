"""Models of well-known libraries: which calls and members of what is outside give which type.

They are data, central/trace/models/*.toml; README.md there describes a file. No other module reads
them, and no tenant can add one.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

_FOLDER: Final = Path(__file__).parent.parent / "models"
_GIVEN: Final = re.compile(
    r"(?P<within>[\w.$/@-]+)\[(?P<inner>.+)\]\Z"
    r"|(?P<how>as |item of )?argument (?P<argument>[\w<> ]+)\Z"
    r"|(?P<name>[\w.$/@-]+)\Z"
)
SELF: Final = "self"
ITEM: Final = "item"
ARGUMENT: Final = "argument"
TYPE_ARGUMENT: Final = "<>"  # among the arguments of a call: `useState<Store>(null)`
OWN_NAME: Final = "<name>"  # likewise: the class that is named as the attribute
OWN_NAMES: Final = "<names>"  # the class of which the attribute's name is the plural


class Given(NamedTuple):
    """What a member or a call gives.

    `what` is SELF, ITEM, ARGUMENT (one of `arguments`, by place or name), or "" for what `path`
    alone says. With a `path` it is that class, of `inner` things. `is_same`: using the result is
    using the argument itself. `is_item`: it is an item of the argument.
    """

    what: str = ""
    arguments: tuple[str, ...] = ()
    path: str = ""
    inner: "Given | None" = None
    is_same: bool = False
    is_item: bool = False


class Modelled(NamedTuple):
    """A class or function of a library: `members` by dotted name, and what calling it gives.

    `declares` are methods of the class that make a member of a symbol, and what that member gives.
    `like` are the classes whose members it has too. `is_owned`: as an attribute of a class its
    items are of that class.
    """

    path: str
    ecosystem: str
    library: str
    members: Mapping[str, Given]
    declares: Mapping[str, Given]
    result: Given | None
    like: tuple[str, ...]
    is_owned: bool


class Shared(NamedTuple):
    """Methods that files see by their bare names: patterns of the whole paths of both."""

    library: str
    members: str
    seen_by: str


class Library(NamedTuple):
    """A model file: the library, its versions, where they are documented, and its examples."""

    name: str
    ecosystem: str
    versions: str
    source: str
    types: tuple[Modelled, ...]
    shared: tuple[Shared, ...]
    examples: tuple[Mapping[str, Any], ...]


class LibraryModels(NamedTuple):
    """All models; `version` changes with any of them."""

    libraries: tuple[Library, ...]
    types: Mapping[tuple[str, str], Modelled]  # by ecosystem and path
    version: str

    def shared(self, ecosystem: str) -> list[Shared]:
        """Return what files of an ecosystem see by bare names."""
        own = (library for library in self.libraries if library.ecosystem == ecosystem)
        return [shared for library in own for shared in library.shared]

    def longest(self, ecosystem: str, path: str) -> tuple[Modelled, tuple[str, ...]] | None:
        """Return the type with which an import path begins, and the names that follow."""
        parts = path.replace(".default.", ".").split(".")
        for count in range(len(parts), 0, -1):
            found = self.types.get((ecosystem, ".".join(parts[:count])))
            if found is not None:
                return found, tuple(parts[count:])
        return None

    def member(self, modelled: Modelled, name: str) -> Given | None:
        """Return what a member of a class gives, its own or one of a class that it is like."""
        if name in modelled.members:
            return modelled.members[name]
        for path in modelled.like:
            found = self.member(self.types[modelled.ecosystem, path], name)
            if found is not None:
                return found
        return None


@cache
def library_models() -> LibraryModels:
    """Return the models of this release, read once."""
    texts = {path.name: path.read_bytes() for path in sorted(_FOLDER.glob("*.toml"))}
    libraries = tuple(read_library(text.decode()) for text in texts.values())
    digest = hashlib.sha256(b"\0".join(texts.values())).hexdigest()
    types = {
        (modelled.ecosystem, modelled.path): modelled
        for library in libraries
        for modelled in library.types
    }
    return LibraryModels(libraries, types, digest[:12])


def read_library(text: str) -> Library:
    """Read a model file. Raises ValueError or KeyError if it is none."""
    read = tomllib.loads(text)
    name = f"{read['library']} {read['versions']}"
    types = [
        Modelled(
            path=path,
            ecosystem=read["ecosystem"],
            library=name,
            members=dict(_members(written.get("gives", {}))),
            declares=dict(_members(written.get("declares", {}))),
            result=read_given(written["result"]) if "result" in written else None,
            like=tuple(written.get("like", ())),
            is_owned=written.get("owned", False),
        )
        for written in read["types"]
        for path in written["names"]
    ]
    examples = tuple(read.get("examples", ()))
    return Library(
        name=read["library"],
        ecosystem=read["ecosystem"],
        versions=read["versions"],
        source=read["source"],
        types=tuple(types),
        shared=tuple(Shared(name, **members) for members in read.get("shared", ())),
        examples=examples,
    )


def read_given(text: str) -> Given:
    """Read `self`, `item`, `argument 0 klass`, `a.B`, `a.B[item]`. Raises ValueError."""
    match = _GIVEN.match(text)
    if match is None:
        raise ValueError(f"Not what a member gives: {text!r}")
    if match["within"]:
        return Given(path=match["within"], inner=read_given(match["inner"]))
    if match["argument"]:
        arguments = tuple(match["argument"].split())
        how = match["how"] or ""
        return Given(ARGUMENT, arguments, is_same=how == "as ", is_item=how == "item of ")
    return Given(match["name"]) if match["name"] in {SELF, ITEM} else Given(path=match["name"])


def _members(gives: Mapping[str, str]) -> Iterator[tuple[str, Given]]:
    """Yield each member; a file lists those of one outcome together."""
    for outcome, names in gives.items():
        for name in names.split():
            yield name, read_given(outcome)
