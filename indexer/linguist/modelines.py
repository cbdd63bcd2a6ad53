"""The mode that a line for Emacs or Vim names, in the first or last lines of a file."""

import re
from typing import Final

_LINES: Final = 5
_BYTES: Final = 4_096  # of the first lines, and of the last ones
_EMACS_SIGN: Final = b"-*-"
_EMACS_MODE: Final = re.compile(rb"(?:^|[ \t;])mode[ \t]*:[ \t]*([^:;\s]+)", re.IGNORECASE)
_VIM_START: Final = re.compile(rb"(?:(?:^|[ \t])(?:vi|[vV]im(?:[<=>]?\d{1,5})?)|[ \t]ex):")
_VIM_SET: Final = re.compile(rb"[ \t]*set?[ \t]")
_VIM_OPTION: Final = re.compile(rb"(?:[^\s:\\]|\\.)+")
_VIM_TYPES: Final = frozenset({b"ft", b"filetype", b"syntax"})
_WORD: Final = re.compile(rb"\w+")
_VIMBALL: Final = b"UseVimball"  # a file that holds others, whose mode line is theirs


def mode(content: bytes) -> str:
    """Return the mode or file type, as written; "" if no line names one."""
    head = content[:_BYTES].split(b"\n", _LINES)[:_LINES]
    tail = content[-_BYTES:].removesuffix(b"\n").rsplit(b"\n", _LINES)[-_LINES:]
    lines = b"\n".join([*head, *tail])
    if _VIMBALL in lines:
        return ""
    return (_emacs_mode(lines) or _vim_type(lines)).decode("ascii", "replace")


def _emacs_mode(text: bytes) -> bytes:
    """Return the mode of `-*- NAME -*-` or `-*- …; mode: NAME; … -*-`."""
    if _EMACS_SIGN not in text:
        return b""
    for line in text.split(b"\n"):
        _, _, rest = line.partition(_EMACS_SIGN)
        inside, end, _ = rest.partition(_EMACS_SIGN)
        if not end:
            continue
        if found := _EMACS_MODE.search(inside):
            return found[1]
        word = inside.strip(b" \t")
        if word and not re.search(rb"[:;\s]", word):
            return word
    return b""


def _vim_type(text: bytes) -> bytes:
    """Return the file type of `vim: ft=NAME` or `vim: set … ft=NAME …:`."""
    for line in text.split(b"\n"):
        if (start := _VIM_START.search(line)) and (found := _option(line[start.end() :])):
            return found
    return b""


def _option(options: bytes) -> bytes:
    if is_set := _VIM_SET.match(options):
        options, end, _ = options[is_set.end() :].partition(b":")
        if not end:
            return b""
    pairs = (option.partition(b"=") for option in _VIM_OPTION.findall(options))
    return next(
        (value for name, _, value in pairs if name in _VIM_TYPES and _WORD.fullmatch(value)), b""
    )
