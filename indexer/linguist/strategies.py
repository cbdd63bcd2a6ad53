"""Linguist's strategies, one after the other, until one language remains.

These are the mode line of an editor, the file's name, its `#!` line, its suffix, an XML
declaration, and patterns of the content. In two points an editor's or a shell's line does not
decide, where Linguist lets it: if the name has a suffix that only one language has, and that is
`certain`. Mode lines name the mode that is nearest (`Mode: Java` in JavaScript), and `sh` is the
first interpreter of files that are also a script of the language of their suffix.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

Names = Sequence[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Languages by alias, file name, interpreter and suffix. Aliases and suffixes are lower case.

    `rules` are as in the file: languages, patterns that must be found, patterns that must not.
    """

    version: str
    licence: str
    aliases: Mapping[str, str]
    file_names: Mapping[str, Names]
    interpreters: Mapping[str, Names]
    suffixes: Mapping[str, Names]
    generic_suffixes: Names
    rules: Mapping[str, Sequence[tuple[Names, Names, Names]]]


class Rule:
    """Languages whose files have each of some patterns and none of others."""

    def __init__(self, languages: Names, present: Names, absent: Names) -> None:
        self.languages: Final = languages
        self._present = [re.compile(pattern.encode(), re.MULTILINE) for pattern in present]
        self._absent = [re.compile(pattern.encode(), re.MULTILINE) for pattern in absent]

    def fits(self, content: bytes) -> bool:
        """Whether the rule is met."""
        return all(pattern.search(content) for pattern in self._present) and not any(
            pattern.search(content) for pattern in self._absent
        )


@cache
def facts() -> Facts:
    """Return the facts of the release that `version` names."""
    text = Path(__file__).with_name("data.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return Facts(**found)


@cache
def rules_of(suffix: str) -> tuple[Rule, ...]:
    """Return the rules that decide between the languages of a suffix, in order."""
    return tuple(Rule(*rule) for rule in facts().rules.get(suffix, ()))


def language_named(name: str) -> str:
    """Return the language with a name or alias, as people write it; "" if there is none."""
    if not name:  # of most files: the data is not loaded
        return ""
    aliases = facts().aliases
    name = name.lower()
    return aliases.get(name) or aliases.get(name.partition(",")[0], "")


LANGUAGE_BYTES: Final = 51_200  # in which patterns tell a language, as many as Linguist reads
_XML: Final = re.compile(rb"xml version=")
_XML_BYTES: Final = 1_024
_SHELL: Final = "Shell"


def candidates(name: str, content: bytes, *, certain: Collection[str] = ()) -> Names:
    """Return the languages that a file of this name may have: one if the rules decide.

    Without content, those that its name tells.
    """
    by_suffix = suffix_languages(name)
    is_certain = len(by_suffix) == 1 and by_suffix[0] in certain
    if not is_certain and (language := language_named(mode(content))):
        return (language,)
    found: Names = facts().file_names.get(name, ())
    if len(found) == 1:
        return found
    by_interpreter = interpreter_languages(content)
    if not (is_certain and _SHELL in by_interpreter):
        found = _narrowed(found, by_interpreter)
    if len(found) == 1:
        return found
    found = _narrowed(found, by_suffix)
    if not found and _XML.search(b"\n".join(content[:_XML_BYTES].split(b"\n", 2)[:2])):
        return ("XML",)
    return found if len(found) == 1 else _by_content(name, content) or found


def suffix_languages(name: str) -> Names:
    """Return the languages with the longest suffix of the name that any language has."""
    suffix = _known_suffix(name.lower())
    return () if suffix in facts().generic_suffixes else facts().suffixes.get(suffix, ())


def _known_suffix(name: str) -> str:
    start = name.find(".")
    while start >= 0:
        if name[start:] in facts().suffixes:
            return name[start:]
        start = name.find(".", start + 1)
    return ""


def _narrowed(found: Names, others: Names) -> Names:
    """Return those of both, unless there are none."""
    if not found:
        return others
    return [language for language in found if language in others] or found


def _by_content(name: str, content: bytes) -> Names:
    head = content[:LANGUAGE_BYTES]
    rules = rules_of(_known_suffix(name.lower()))
    return next((rule.languages for rule in rules if rule.fits(head)), ())


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


_MODE_LINES: Final = 5
_MODE_BYTES: Final = 4_096  # of the first lines, and of the last ones
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
    head = content[:_MODE_BYTES].split(b"\n", _MODE_LINES)[:_MODE_LINES]
    tail = content[-_MODE_BYTES:].removesuffix(b"\n").rsplit(b"\n", _MODE_LINES)[-_MODE_LINES:]
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
