"""What a dependency's value in package.json or deno.json means, by the tools' protocols.

References: https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies,
https://yarnpkg.com/protocols, https://pnpm.io/catalogs, https://docs.deno.com/runtime/fundamentals/modules
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from indexer.ecosystems.local_ranges import ranges_by_local
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import Dependency, Pin, PinUse

_VERSION: Final = r"\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?"
_EXACT: Final = re.compile(rf"[=v]?({_VERSION})")
_RANGE: Final = re.compile(r"[\d^~<>=*].*|v\d.*|[xX](?:\..*)?|latest|next")
_NAME: Final = re.compile(r"(@[^@/\s]+/[^@/\s]+|[^@/\s:]+)(?:@([^/\s]*[^/]*?))?(?:/(.*))?")
# A tag of a git repository or a tarball of a registry, that has a version as its name.
_TAG: Final = re.compile(rf"[^#]*#(?:semver:)?[=v]?({_VERSION})")
_TARBALL: Final = re.compile(rf"https?://[^?#]*/-/([^/?#]{{1,{NAME_CHARACTERS}}})\.tgz(?:[?#].*)?")
_TARBALL_NAME: Final = re.compile(rf".*?-({_VERSION})")


class Requested(NamedTuple):
    """A dependency: its real name, its range as written, and the part that an alias means."""

    name: str
    required: str
    part: str = ""


def wanted(local: str, value: str) -> Requested:
    """Read a value of package.json; `local` is its key."""
    if value.startswith(("npm:", "jsr:")):
        rest = value[4:]
        if not rest or (_RANGE.fullmatch(rest) and "@" not in rest[1:]):
            return Requested(local, "" if rest == "*" else rest)
        real, at, version = rest.rpartition("@")
        return Requested(real, version) if real and at else Requested(rest, "")
    return Requested(local, "" if value == "*" else value)


def imported(value: str) -> Requested | None:
    """Read a target of Deno's import map: `jsr:@acme/log@^1/sub`; None if it is no package."""
    scheme, _, rest = value.partition(":")
    found = _NAME.fullmatch(rest.lstrip("/")) if scheme in {"npm", "jsr"} else None
    if found is None:
        return None
    return Requested(found[1], found[2] or "", (found[3] or "").strip("/"))


def pinned(required: str) -> str:
    """Return the version that a value alone decides, or ""."""
    value = (
        unquote(required.removeprefix("patch:").partition("#")[0].rpartition("@")[2]).removeprefix(
            "npm:"
        )
        if required.startswith("patch:")
        else required
    )
    tarball = _TARBALL.fullmatch(value)
    found = (
        _TARBALL_NAME.fullmatch(tarball[1])
        if tarball
        else _EXACT.fullmatch(value) or _TAG.fullmatch(value)
    )
    return found[1] if found else ""


class Needs(NamedTuple):
    """What a manifest says of the packages it depends on."""

    dependencies: tuple[Dependency, ...]
    pins: tuple[Pin, ...]
    uses: tuple[PinUse, ...]
    settings: tuple[tuple[str, str], ...]


def needs_of(
    packages: Sequence[tuple[str, Requested]], imports: Sequence[tuple[str, Requested]] = ()
) -> Needs:
    """Tell each package's range and pin, and by its uses where it has several local names.

    `packages` have local names; so have `imports`, whose packages are no dependencies.
    """
    several, ranges = ranges_by_local(
        (local, meant.name, meant.required) for local, meant in (*packages, *imports)
    )
    wanted = [meant for _, meant in packages]
    exact = [(meant, version) for meant in wanted if (version := pinned(meant.required))]
    return Needs(
        tuple(
            Dependency(meant.name, "" if meant.name in several else meant.required)
            for meant in wanted
        ),
        tuple(Pin(meant.name, version) for meant, version in exact if meant.name not in several),
        tuple(
            PinUse("", meant.name, meant.required, version)
            for meant, version in exact
            if meant.name in several
        ),
        tuple(ranges),
    )


def uses_of(user: str, found: Iterable[tuple[Requested, str]]) -> Iterator[PinUse]:
    """Yield what a package uses; by its range where it has one package under several names."""
    versions: dict[str, dict[tuple[str, str], None]] = {}
    for wanted, version in found:
        versions.setdefault(wanted.name, {})[wanted.required, version] = None
    for name, several in versions.items():
        for required, version in several:
            is_only = len({version for _, version in several}) == 1
            yield PinUse(user, name, "" if is_only else required or "*", version)
