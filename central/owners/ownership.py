"""Who owns each file of a repository, by the rules of its CODEOWNERS. Pure."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from central.owners.codeowners import Codeowners, InvalidLine, Syntax, is_address
from central.owners.patterns import PatternIndex

AN_ADDRESS: Final = "an e-mail address"  # instead of one that is not shown
TIME_USED_UP: Final = "The time for looking at the patterns of CODEOWNERS was used up."
_RULE_BYTES: Final = 400  # of a rule in memory, roughly
_WILDCARD_BYTES: Final = 4_000  # more of one that an automaton looks for


@dataclass(frozen=True, slots=True)
class Ownership:
    """The rules of a repository, compiled. Without a `path` there is no CODEOWNERS.

    `names` are all owners that a rule names.
    """

    path: str = ""
    syntax: Syntax | None = None
    rules: int = 0
    invalid: Sequence[InvalidLine] = ()
    invalid_count: int = 0
    names: frozenset[str] = frozenset()
    _compiled: "_Rules | None" = field(default=None, repr=False)

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file, as they are written; () if it has none."""
        return self._compiled.owners(path) if self._compiled else ()

    @property
    def memory(self) -> int:
        """Bytes, roughly."""
        wildcards = self._compiled.index.wildcards if self._compiled else 0
        rows = 1 + self.rules + len(self.invalid)
        return _RULE_BYTES * rows + _WILDCARD_BYTES * wildcards


@dataclass(frozen=True, slots=True)
class _Rules:
    index: PatternIndex
    sections: Sequence[int]  # of each rule, as the others
    excludes: Sequence[bool]
    of_rule: Sequence[tuple[str, ...]]
    has_sections: bool

    def owners(self, path: str) -> tuple[str, ...]:
        matching = self.index.matching(path)
        if not matching:
            return ()
        if not self.has_sections:
            return self.of_rule[max(matching)]
        last: dict[int, int] = {}
        for rule in sorted(matching):
            last[self.sections[rule]] = rule
        for rule in matching:
            if self.excludes[rule]:
                last.pop(self.sections[rule], None)
        owners = (owner for _, rule in sorted(last.items()) for owner in self.of_rule[rule])
        return tuple(dict.fromkeys(owners))


def compile_ownership(path: str, parsed: Codeowners) -> Ownership:
    """Compile the rules of the file at `path`. Raises patterns.TooComplexError."""
    rules = parsed.rules
    same: dict[tuple[str, ...], tuple[str, ...]] = {}  # most rules have the owners of another
    compiled = _Rules(
        PatternIndex(rule.pattern for rule in rules),
        [rule.section for rule in rules],
        [rule.excludes for rule in rules],
        [same.setdefault(rule.owners, rule.owners) for rule in rules],
        any(rule.section or rule.excludes for rule in rules),
    )
    names = frozenset(owner for rule in rules for owner in rule.owners)
    return Ownership(
        path, parsed.syntax, len(rules), parsed.invalid, parsed.invalid_count, names, compiled
    )


@dataclass(slots=True)
class Budget:
    """Seconds of processor time in which a request may look for owners, of all files together."""

    seconds: float
    spent: float = 0.0

    @property
    def is_used_up(self) -> bool:
        """Whether no further file is looked at."""
        return self.spent > self.seconds


class RepositoryOwners:
    """The owners of a repository's files, as one reader sees them.

    `unread`: why they are not known, a sentence; "" if they are.
    """

    def __init__(
        self, ownership: Ownership, budget: Budget, *, unread: str = "", shows_addresses: bool
    ) -> None:
        self.ownership = ownership
        self._unread = unread
        self._budget = budget
        self._shows_addresses = shows_addresses
        self._is_cut = False

    @property
    def unread(self) -> str:
        """Why the owners of some files are not known, a sentence; "" if they are."""
        return self._unread or (TIME_USED_UP if self._is_cut else "")

    @property
    def names(self) -> frozenset[str] | None:
        """All owners that a rule names; None if that is not known."""
        if self._unread:
            return None
        return frozenset(map(self._shown, self.ownership.names))

    def of(self, path: str) -> tuple[str, ...] | None:
        """Return the owners of a file, () if it has none, None if that is not known."""
        if self._unread:
            return None
        if self._budget.is_used_up:
            self._is_cut = True
            return None
        started = time.thread_time()
        owners = self.ownership.of(path)
        self._budget.spent += time.thread_time() - started
        if self._shows_addresses or not any(map(is_address, owners)):
            return owners
        return tuple(dict.fromkeys(map(self._shown, owners)))

    def _shown(self, owner: str) -> str:
        return AN_ADDRESS if not self._shows_addresses and is_address(owner) else owner
