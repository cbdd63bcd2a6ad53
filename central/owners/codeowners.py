"""A CODEOWNERS file as rules: pure, and in time that grows with the file alone.

GitHub: https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
GitLab: https://docs.gitlab.com/user/project/codeowners/reference/

A line that its forge does not follow is kept with the reason. GitHub skips the whole line; GitLab
leaves out an owner that it cannot read, and a rule that is left without owners says that the file
has none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from central.owners.patterns import Pattern, PatternError, github_pattern, gitlab_pattern

OWNERS_RULES: Final = 20_000  # of a file; and so many invalid lines
OWNERS_OF_RULE: Final = 100
OWNERS_INVALID_LINES: Final = 100  # that are named, with the number of all


class Syntax(StrEnum):
    """Whose rules a file is read by."""

    GITHUB = "github"
    GITLAB = "gitlab"


# Where each forge looks for the file; the first that exists counts.
PLACES: Final = {
    Syntax.GITHUB: (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"),
    Syntax.GITLAB: ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"),
}
EVERY_PLACE: Final = tuple(dict.fromkeys((*PLACES[Syntax.GITHUB], *PLACES[Syntax.GITLAB])))

_SECTION: Final = re.compile(r"\^?\[(?P<name>[^\]]*)\](?:\[\d*\])?(?:\s+(?P<owners>.*))?")
_WORD: Final = re.compile(r"(?:[^\s\\]++|\\.)++|\\")  # possessive: a long word needs no memory
_OWNER: Final = {
    Syntax.GITHUB: re.compile(r"@[\w-]+(?:/[\w.-]+)?|[^\s@]+@[^\s@]+"),
    Syntax.GITLAB: re.compile(
        r"@@(?:developer|maintainer|owner)s?|@[\w.-]+(?:/[\w.-]+)*|[^\s@]+@[^\s@]+"
    ),
}
_NO_OWNERS: Final[tuple[str, ...]] = ()
_OWNER_CHARACTERS: Final = 256
_ADDRESS: Final = re.compile(r"[^\s@]+@[^\s@]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and who owns what it matches; without owners, those files have none.

    `section` is the section's number; files of GitHub have one. `excludes`: what it matches is in
    no rule of the section.
    """

    line: int
    pattern: Pattern
    owners: tuple[str, ...]
    section: int = 0
    excludes: bool = False


@dataclass(frozen=True, slots=True)
class InvalidLine:
    """A line that is not followed, or not whole, and why, as a sentence."""

    line: int
    reason: str


class TooManyRulesError(ValueError):
    """The file has more rules, or invalid lines, than are read: those at its end would decide."""


@dataclass(slots=True)
class Codeowners:
    """The rules of a file in their order, and the first of its invalid lines."""

    syntax: Syntax
    rules: list[Rule] = field(default_factory=list)
    invalid: list[InvalidLine] = field(default_factory=list)
    invalid_count: int = 0

    def refuse(self, line: int, reason: str) -> None:
        """Note an invalid line. Raises TooManyRulesError."""
        self.invalid_count += 1
        if self.invalid_count > OWNERS_RULES:
            raise TooManyRulesError
        if len(self.invalid) < OWNERS_INVALID_LINES:
            self.invalid.append(InvalidLine(line, reason))


def is_address(owner: str) -> bool:
    """Return whether an owner is an e-mail address."""
    return _ADDRESS.fullmatch(owner) is not None


@lru_cache(maxsize=10_000)
def forge_syntax(web_url: str) -> Syntax | None:
    """Return whose rules apply by a repository's address; None if it does not tell."""
    host = urlsplit(web_url).hostname or ""
    return next((syntax for syntax in Syntax if syntax.value in host), None)


def file_syntax(path: str, text: str) -> Syntax:
    """Return whose rules a file is written by, if the repository's address does not tell."""
    if path.startswith(".gitlab/"):
        return Syntax.GITLAB
    has_section = any(_section(line.strip()) for line in text.splitlines())
    return Syntax.GITLAB if has_section and not path.startswith(".github/") else Syntax.GITHUB


def parse_codeowners(text: str, syntax: Syntax) -> Codeowners:
    """Parse a file. Raises TooManyRulesError."""
    found = Codeowners(syntax)
    rules = _github_rules if syntax is Syntax.GITHUB else _gitlab_rules
    for rule in rules(found, text.split("\n")):
        if len(found.rules) == OWNERS_RULES:
            raise TooManyRulesError
        found.rules.append(rule)
    return found


def _github_rules(found: Codeowners, lines: Sequence[str]) -> Iterator[Rule]:
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        words = _WORD.findall(line)
        comment = next((at for at, word in enumerate(words) if word[0] == "#"), len(words))
        if not words[:comment]:
            continue
        written, *owners = words[:comment]
        wrong = _invalid_owners(owners, found.syntax)
        if wrong:
            found.refuse(number, wrong)
            continue
        try:
            yield Rule(number, github_pattern(written), tuple(dict.fromkeys(owners)))
        except PatternError as exc:
            found.refuse(number, str(exc))


def _gitlab_rules(found: Codeowners, lines: Sequence[str]) -> Iterator[Rule]:
    sections: dict[str, int] = {"": 0}
    section, default = 0, _NO_OWNERS
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line[0] == "#":
            continue
        if line.startswith(("[", "^[")):
            heading = _section(line)
            if heading is None:
                found.refuse(number, "The heading of a section cannot be read.")
                continue
            name, owners = heading
            section = sections.setdefault(name, len(sections))
            default = _gitlab_owners(found, number, owners)
            continue
        excludes = line[0] == "!"
        written, *owners = _WORD.findall(line.removeprefix("!")) or [""]
        own = () if excludes else _gitlab_owners(found, number, owners) or default
        try:
            rule = Rule(number, gitlab_pattern(written), own, section, excludes)
        except PatternError as exc:
            found.refuse(number, str(exc))
            continue
        if not (own or owners or excludes):
            found.refuse(number, "The rule has no owner, nor has its section: its files have none.")
        yield rule


def _section(line: str) -> tuple[str, list[str]] | None:
    """Return the name of a section, without case, and its default owners; None if it is none."""
    heading = _SECTION.fullmatch(line)
    if heading is None or not heading["name"].strip():
        return None
    return heading["name"].strip().lower(), (heading["owners"] or "").split()


def _gitlab_owners(found: Codeowners, number: int, owners: Sequence[str]) -> tuple[str, ...]:
    """Return the owners that can be read."""
    wrong = _invalid_owners(owners, found.syntax)
    if wrong:
        found.refuse(number, wrong)
    known = [owner for owner in owners if _is_owner(owner, found.syntax)]
    return tuple(dict.fromkeys(known[:OWNERS_OF_RULE]))


def _invalid_owners(owners: Sequence[str], syntax: Syntax) -> str:
    """Return what is wrong with the owners of a line; "" if nothing is."""
    if len(owners) > OWNERS_OF_RULE:
        return f"The line has more than {OWNERS_OF_RULE} owners."
    wrong = next((owner for owner in owners if not _is_owner(owner, syntax)), None)
    if wrong is None:
        return ""
    shown = wrong if len(wrong) <= _OWNER_CHARACTERS else f"{wrong[:_OWNER_CHARACTERS]}…"
    return f"{shown} is no owner: write @user, @organisation/team or an e-mail address."


def _is_owner(owner: str, syntax: Syntax) -> bool:
    return len(owner) <= _OWNER_CHARACTERS and _OWNER[syntax].fullmatch(owner) is not None
