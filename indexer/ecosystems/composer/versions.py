"""Versions by Composer's order, that of PHP's `version_compare` after Composer's normalisation.

A version is a tuple of (rank, number): a number has rank 4, and so has the end, with -1; words have
the ranks of `_RANKS`.
"""

import re
from typing import Final

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
