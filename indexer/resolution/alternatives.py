"""Names that branches of one conditional bind to different values: `#if`, `#else`.

What is built decides which of them there is; nothing else does.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations, islice, pairwise
from typing import Final, NamedTuple

from indexer.resolution.scopes import NameBinding, ScopeTree
from indexer.syntax.parser import ParsedFile

_DIRECTIVE: Final = re.compile(rb"^[ \t]*#[ \t]*(if|el|endif)\w*\b", re.MULTILINE)
_MAX_DIRECTIVES: Final = 5_000
_MAX_BINDINGS: Final = 8  # of one name: each pair is compared


class _Branch(NamedTuple):
    """A branch of the conditional that ends at `conditional`; `outer` is the one around, or -1."""

    start: int
    end: int
    conditional: int
    outer: int


def tell_alternatives_apart(tree: ScopeTree, parsed: ParsedFile) -> None:
    """Let what a branch binds, and another one too, hold in it alone: it is unknown behind."""
    branches = _branches(parsed.source) if parsed.language.has_conditionals else []
    if not branches:
        return
    starts = [branch.start for branch in branches]
    for names in tree.bound_names():
        for several in names.values():
            if 1 < len(several) <= _MAX_BINDINGS:
                _tell_apart(tree, several, [_around(bound, branches, starts) for bound in several])


def _tell_apart(
    tree: ScopeTree, several: list[NameBinding], around: Sequence[dict[int, _Branch]]
) -> None:
    unknown = []
    for (bound, here), (other, there) in combinations(zip(list(several), around, strict=True), 2):
        shared = [end for end in here if end in there and here[end] != there[end]]
        if not shared or bound.kind or (bound.source, bound.text) == (other.source, other.text):
            continue
        end = max(shared)
        if bound.scope.is_class:
            tree.alternatives.add(bound.qualified)
        else:
            bound.until, other.until = here[end].end, there[end].end
            unknown.append(NameBinding(end, end, bound.scope, bound.qualified))
    several += unknown
    several.sort(key=lambda binding: binding.start)


def _around(
    bound: NameBinding, branches: Sequence[_Branch], starts: list[int]
) -> dict[int, _Branch]:
    """Return the branches around a name, by their conditionals."""
    index = bisect_right(starts, bound.start) - 1
    found: dict[int, _Branch] = {}
    while index >= 0:
        branch = branches[index]
        if bound.start < branch.end:
            found[branch.conditional] = branch
        index = branch.outer
    return found


def _branches(source: bytes) -> list[_Branch]:
    """Return the branches of conditionals that have several, in order of position."""
    found: list[_Branch] = []
    above: list[list[int]] = []  # where the branches of each open conditional begin
    for directive in islice(_DIRECTIVE.finditer(source), _MAX_DIRECTIVES):
        if directive[1] == b"if":
            above.append([directive.start()])
        elif above and directive[1] == b"el":
            above[-1].append(directive.start())
        elif above:
            marks = [*above.pop(), directive.start()]
            if len(marks) > 2:
                found += [_Branch(start, end, marks[-1], -1) for start, end in pairwise(marks)]
    found.sort(key=lambda branch: (branch.start, -branch.end))
    return _nested(found)


def _nested(branches: Sequence[_Branch]) -> list[_Branch]:
    """Return the branches with the index of the one before which may be around each."""
    found: list[_Branch] = []
    above: list[int] = []
    for branch in branches:
        while above and found[above[-1]].end <= branch.start:
            above.pop()
        found.append(branch._replace(outer=above[-1] if above else -1))
        above.append(len(found) - 1)
    return found
