"""Versions by Composer's order, that of PHP's `version_compare` after Composer's normalisation.

A version is a tuple of (rank, number): a number has rank 4, and so has the end, with -1; words have
the ranks of `_RANKS`. Constraints: https://getcomposer.org/doc/articles/versions.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Key = tuple[tuple[int, int], ...]

DEV: Final = (0, 0)
_END: Final = (4, -1)
_RANKS: Final = {"dev": 0, "alpha": 1, "a": 1, "beta": 2, "b": 2, "rc": 3}
_PATCH: Final = 5
_WILD: Final = 9_999_999  # of the branch `1.x-dev`
MODIFIER: Final = r"[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)((?:[.-]?[0-9]+)*+)?)?([.-]?dev)?"
_CLASSIC: Final = re.compile(
    rf"v?([0-9]{{1,5}})(\.[0-9]+)?(\.[0-9]+)?(\.[0-9]+)?{MODIFIER}", re.IGNORECASE
)
_DATE: Final = re.compile(
    rf"v?([0-9]{{4}}(?:[.:-]?[0-9]{{2}}){{1,6}}(?:[.:-]?[0-9]{{1,3}})?){MODIFIER}", re.IGNORECASE
)
_BRANCH: Final = re.compile(
    r"v?([0-9]+)(?:\.([0-9]+|[x*]))?(?:\.([0-9]+|[x*]))?(?:\.([0-9]+|[x*]))?[.-]?dev", re.IGNORECASE
)
_ALIAS: Final = re.compile(r"([^,\s]+) +as +[^,\s]+")
_FLAG: Final = re.compile(r"@(?:stable|rc|beta|alpha|dev)\Z", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]+")


def parse_version(version: str) -> Key:
    """Return the version as a value with Composer's order; what follows a "+" does not count.

    A branch (`dev-main`) has no order. Raises ValueError.
    """
    found = read_version(version)
    if isinstance(found, str):
        raise ValueError(f"{version!r} is a branch")
    return found


def read_version(version: str) -> Key | str:
    """Return the version, or a branch as `dev-NAME`. Raises ValueError."""
    text = version.strip()
    alias = _ALIAS.fullmatch(text)
    text = _FLAG.sub("", alias[1] if alias else text)
    if text in {"master", "trunk", "default"}:
        text = f"dev-{text}"
    if text[:4].lower() == "dev-":
        return f"dev-{text[4:]}"
    text = re.sub(r"\A([^,\s+]+)\+\S+\Z", r"\1", text)
    if found := _CLASSIC.fullmatch(text):
        numbers = [int(part.lstrip(".") if part else 0) for part in found.groups()[:4]]
        return (*key(numbers)[:-1], *_modified(*found.groups()[4:]), _END)
    if found := _DATE.fullmatch(text):
        numbers = [int(part) for part in _NUMBER.findall(re.sub(r"\D", ".", found[1]))]
        return (*key(numbers)[:-1], *_modified(*found.groups()[1:]), _END)
    if found := _BRANCH.fullmatch(text):
        parts = [int(part) if part and part.isdigit() else _WILD for part in found.groups()]
        return key(parts, DEV)
    raise ValueError(f"{version!r} is no version of Composer")


def key(numbers: list[int], *modifiers: tuple[int, int]) -> Key:
    """Return the version of these numbers."""
    return (*((4, number) for number in numbers), *modifiers, _END)


def _modified(stability: str | None, numbers: str | None, dev: str | None) -> Key:
    if stability == "stable":
        return ()
    found: list[tuple[int, int]] = []
    if stability:
        found.append((_RANKS.get(stability.lower(), _PATCH), 0))
        found += [(4, int(number)) for number in _NUMBER.findall(numbers or "")]
    return (*found, DEV) if dev else tuple(found)


_VERSION: Final = (
    r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:\.([0-9]+))?"
    rf"(?:{MODIFIER}|\.([x*][.-]?dev))(?:\+\S+)?"
)
_NEAR: Final = re.compile(rf"[~^]({_VERSION})", re.IGNORECASE)
_SPAN: Final = re.compile(rf"({_VERSION}) +- +({_VERSION})", re.IGNORECASE)
_STARRED: Final = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:\.[xX*])+")
_ANY: Final = re.compile(r"(v)?[x*](\.[x*])*", re.IGNORECASE)
_PLAIN: Final = re.compile(r"(<>|!=|>=?|<=?|==?|)\s*(.*)")
_OR: Final = re.compile(r"\s*\|\|?\s*")
_AND: Final = re.compile(r"(?<!^)(?<![=>< ,])(?<!as) *(?<!-)[, ](?!-) *(?!,|as|$)")
_FLAGGED: Final = re.compile(r"([^,\s]*?)@(stable|rc|beta|alpha|dev)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"(dev-[^,\s@]+?|[^,\s@]+?\.x-dev)#.+", re.IGNORECASE)
_HAS_MODIFIER: Final = re.compile(rf"-{MODIFIER}\Z", re.IGNORECASE)
_STABILITIES: Final = {"dev": (0, 0), "alpha": (1, 0), "beta": (2, 0), "rc": (3, 0)}
_Bound = tuple[str, Key | str]


def allows(required: str, version: str) -> bool:
    """Whether a version is in a constraint. Raises ValueError."""
    found = read_version(version)
    return any(
        all(_matches(bound, found) for part in _AND.split(group) for bound in _bounds(part))
        for group in _OR.split(required.strip())
    )


def _matches(bound: _Bound, version: Key | str) -> bool:
    operator, wanted = bound
    if isinstance(wanted, str) or isinstance(version, str):  # branches have no order
        same = wanted == version
        return same if operator == "=" else operator == "!=" and not same
    return _OPERATORS[operator](version, wanted)


def _bounds(part: str) -> Sequence[_Bound]:
    """Return what a version must satisfy."""
    alias = _ALIAS.fullmatch(part)
    part = alias[1] if alias else part
    flagged = _FLAGGED.fullmatch(part)
    part = (flagged[1] or "*") if flagged else part
    reference = _REFERENCE.fullmatch(part)
    part = reference[1] if reference else part
    if found := _ANY.fullmatch(part):
        return [(">=", key([0, 0, 0, 0], DEV))] if found[1] or found[2] else []
    if found := _NEAR.fullmatch(part):
        return _near(part[0], found[1], found.groups()[1:])
    if found := _STARRED.fullmatch(part):
        numbers = [int(number) for number in found.groups() if number]
        low = [(">=", _from(numbers))] if any(numbers) else []
        return [*low, ("<", _after(numbers, len(numbers)))]
    if found := _SPAN.fullmatch(part):
        half = len(found.groups()) // 2
        return _span(found.groups()[:half], found.groups()[half:])
    return [_plain(part, flagged[2].lower() if flagged else "")]


def _near(operator: str, version: str, parts: Sequence[str | None]) -> Sequence[_Bound]:
    """Return the bounds of `~1.2` and `^1.2`: from it up to the next of a number before its end."""
    numbers = [int(part) for part in parts[:4] if part]
    low = _unsuffixed(version, parts)
    if operator == "~":
        position = len(numbers) + bool(parts[7])
        return [(">=", low), ("<", _after(numbers, max(1, position - 1)))]
    zeros = next((n for n, number in enumerate(numbers[:3]) if number), len(numbers[:3]) - 1)
    return [(">=", low), ("<", _after(numbers, zeros + 1))]


def _span(low: Sequence[str | None], high: Sequence[str | None]) -> Sequence[_Bound]:
    first = (">=", _unsuffixed(low[0] or "", low[1:]))
    numbers = [int(number) for number in high[1:5] if number]
    if len(numbers) > 2 or high[5] or high[7] or high[8]:
        return [first, ("<=", read_version(high[0] or ""))]
    return [first, ("<", _after(numbers, len(numbers)))]


def _unsuffixed(version: str, parts: Sequence[str | None]) -> Key | str:
    """Return the version; one without a suffix with the unstable ones before it."""
    found = read_version(version)
    has_suffix = parts[4] or parts[6] or parts[7]
    return found if has_suffix or isinstance(found, str) else (*found[:-1], DEV, found[-1])


def _plain(part: str, flag: str) -> _Bound:
    found = _PLAIN.fullmatch(part)
    if not found:
        raise ValueError(f"{part!r} is no constraint of Composer")
    operator = {"": "=", "==": "=", "<>": "!="}.get(found[1], found[1])
    version = _named(found[2])
    if isinstance(version, str):
        return operator, version
    stable = all(rank >= 4 for rank, _ in version)
    if flag in _STABILITIES and operator != "=" and stable:
        version = (*version[:-1], _STABILITIES[flag], version[-1])
    elif operator in {"<", ">="} and not _HAS_MODIFIER.search(found[2]):
        version = (*version[:-1], DEV, version[-1])
    return operator, version


def _named(written: str) -> Key | str:
    try:
        return read_version(written)
    except ValueError:
        if written.endswith("-dev") and re.fullmatch(r"[0-9a-zA-Z./-]+", written):
            return f"dev-{written.removesuffix('-dev')}"
        raise


def _from(numbers: list[int]) -> Key:
    return key([*numbers, *[0] * (4 - len(numbers))], DEV)


def _after(numbers: list[int], position: int) -> Key:
    """Return the lowest version with a higher number at the position, which counts from 1."""
    kept = [*numbers, 0, 0, 0][:position]
    return _from([*kept[:-1], kept[-1] + 1])


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": lambda version, wanted: version == wanted,
    "!=": lambda version, wanted: version != wanted,
    ">": lambda version, wanted: version > wanted,
    "<": lambda version, wanted: version < wanted,
    ">=": lambda version, wanted: version >= wanted,
    "<=": lambda version, wanted: version <= wanted,
}
