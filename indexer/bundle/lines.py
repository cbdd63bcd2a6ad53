"""Checks of one line of a batch or tree: its JSON, its characters and its path."""

import re
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from msgspec import MsgspecError, ValidationError

from indexer.errors import BundleError
from indexer.records.files import PATH_BYTES

_T = TypeVar("_T")

_NO_COMPONENT: Final = re.compile(r"(?:\A|/)\.{0,2}(?:/|\Z)")  # empty, . or ..
# In valid JSON backslashes occur only in strings; an even number before `u` is no escape.
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*+\\u0000")
_INVALID_ENUM: Final = re.compile(r"(Invalid enum value) .*", re.DOTALL)  # ends with the value
_PROBLEM_CHARACTERS: Final = 100


def parse_line(decode: Callable[[bytes], _T], line: bytes, where: str) -> _T:
    """Decode a line. Raises BundleError (`batch_malformed`), which names `where` it is."""
    try:
        fields = decode(line)
    except ValidationError as exc:
        refuse(where, validation_problem(exc))
    except (MsgspecError, UnicodeDecodeError, RecursionError) as exc:  # or a lone surrogate
        raise BundleError(f"{where}: must be one JSON object in UTF-8") from exc
    if b"\\u0000" in line and _NUL.search(line):
        refuse(where, "must not hold a NUL character")
    return fields


def refuse(where: str, problem: str, *, code: str = "batch_malformed") -> NoReturn:
    """Raise BundleError for the problem of a line."""
    raise BundleError(f"{where}: {problem}", code=code)


def require_path(path: str, where: str) -> None:
    """Raise BundleError (`batch_path_invalid`) for a path that cannot be stored."""
    if problem := path_problem(path):
        refuse(where, f"path {problem}", code="batch_path_invalid")


def path_problem(path: str) -> str:
    """Explain why a path is not relative, POSIX and normalised. Control characters are legal."""
    if _NO_COMPONENT.search(path):
        return "must be relative, without an empty, . or .. component"
    if len(path.encode()) > PATH_BYTES:
        return f"must have at most {PATH_BYTES} bytes"
    return ""


def validation_problem(exc: ValidationError) -> str:
    """Describe the error's position and kind, without the value, which may be long."""
    problem, separator, location = str(exc).rpartition(" - at `$")
    if not separator:
        problem, location = location, ""
    description = ": ".join(filter(None, (location.strip("`."), _INVALID_ENUM.sub(r"\1", problem))))
    return ascii(description[:_PROBLEM_CHARACTERS])[1:-1][:_PROBLEM_CHARACTERS]
