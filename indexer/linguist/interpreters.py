"""The program that runs a script by its `#!` line: also what `env` or `nix-shell` starts."""

import re
from collections.abc import Sequence
from typing import Final

from indexer.linguist.facts import Names, facts

_LINE_BYTES: Final = 1_024
_HEAD_LINES: Final = 5
_MINOR_VERSION: Final = re.compile(r"\.\d+$")
_VERSION: Final = re.compile(r"[\d.]+$")
# A shell that hands the file on to another program, in the first lines.
_EXEC: Final = re.compile(rb"""\bexec (\w{1,40})[\s"']{1,40}\$0[\s"']{1,40}\$@""")
# What nix-shell runs stands in a further line.
_NIX: Final = re.compile(rb"^#![ \t]*nix[ -]shell\b.*[ \t](?:-i|-c|--command)[ \t]+(\S+)", re.M)
_ENV_WITH_VALUE: Final = frozenset({"-u", "--unset", "-C", "--chdir", "-P"})
_SHELLS: Final = frozenset({"sh"})
_NIX_PROGRAMS: Final = frozenset({"nix-shell", "nix"})


def interpreter_languages(content: bytes) -> Names:
    """Return the languages of the interpreter; none without a `#!` line, or if it is unknown."""
    return next(
        (found for interpreter in interpreters(content) if (found := _languages(interpreter))), ()
    )


def interpreters(content: bytes) -> Sequence[str]:
    """Return the names of the programs in the `#!` line, the likeliest first."""
    if not content.startswith(b"#!"):
        return ()
    head = content[: _LINE_BYTES * _HEAD_LINES]
    line, _, rest = head.partition(b"\n")
    words = line[2:_LINE_BYTES].decode("ascii", "replace").split()
    if words and _program(words[0]) == "env":
        words = _started_by_env(words[1:])
    programs = [_program(word) for word in words if not word.startswith("-")]
    if programs and (other := _handed_on_to(programs[0], head, rest)):
        return (other,)
    return programs


def without_versions(program: str) -> Sequence[str]:
    """Return the names under which a program may be known: `python3.12` is `python3`, `python`."""
    return (program, _MINOR_VERSION.sub("", program), _VERSION.sub("", program))


def _languages(program: str) -> Names:
    known = facts().interpreters
    return next((known[name] for name in without_versions(program) if name in known), ())


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _started_by_env(words: Sequence[str]) -> list[str]:
    """Return the command of `env`, without its options and the variables that it sets."""
    rest = list(words)
    while rest and (rest[0].startswith("-") or "=" in rest[0]):
        word = rest.pop(0)
        if word in _ENV_WITH_VALUE:
            del rest[:1]
        elif word.startswith("--split-string="):
            rest.insert(0, word.partition("=")[2].strip("\"'"))
        elif word.startswith("-S") and len(word) > 2:
            rest.insert(0, word[2:].strip("\"'"))
    return rest


def _handed_on_to(program: str, head: bytes, rest: bytes) -> str:
    if program in _SHELLS:
        found = _EXEC.search(b"\n".join(head.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]))
    elif program in _NIX_PROGRAMS:
        found = _NIX.search(rest)
    else:
        return ""
    return _program(found[1].decode("ascii", "replace")) if found else ""
