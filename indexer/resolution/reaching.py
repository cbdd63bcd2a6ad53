"""Which assignments of a name may reach a use: those in branches and loops are one of several."""

import re
from collections.abc import Sequence
from typing import Final

from indexer.resolution.scopes import (
    ANONYMOUS_FUNCTION,
    NameBinding,
    Scope,
    ValueSource,
)
from indexer.syntax.branches import Branch, branches_around
from indexer.syntax.definitions import FUNCTION_KINDS
from indexer.syntax.parser import ParsedFile
from indexer.syntax.source_text import SourceText

_NULL: Final = re.compile(r"\s*(?:[;\n]|$|=\s*(?:null|None|nil|undefined|NULL|nullptr)\b)")
_AFTER_NAME: Final = 40
_FUNCTIONS: Final = FUNCTION_KINDS | {ANONYMOUS_FUNCTION}
_UNVALUED: Final = (ValueSource.UNKNOWN, ValueSource.TYPE_PARAMETER)


class Reaching:
    """The assignments of one file's names that may reach a use."""

    __slots__ = ("_branches", "_differ", "_parsed", "_text")

    def __init__(self, parsed: ParsedFile, text: SourceText) -> None:
        self._parsed = parsed
        self._text = text
        self._branches: dict[NameBinding, list[Branch]] = {}
        self._differ: dict[int, bool] = {}

    def of(
        self,
        names: Sequence[NameBinding],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None,
    ) -> list[NameBinding]:
        """Return which of a scope's bindings of one name may reach a use, the last first.

        None of them if the use stands before all, or a test says what the name is there.
        """
        around = _function_between(scope, names[0].scope) if names else None
        found: list[NameBinding] = []
        stop = -1
        for name in reversed(names):
            if name is excluding or name.start >= offset or name.start < offset < name.since:
                continue
            if name.until:
                if offset < name.until:
                    return []  # a test says what it is here
                continue
            outside = [branch for branch in self._around(name) if not branch.has(offset)]
            if any(branch.excludes(offset) for branch in outside):
                continue
            found.append(name)
            if not outside:
                stop = name.start
                break
        if not found:
            return []
        later = (bound for bound in names if bound.start >= offset and bound is not excluding)
        found += [bound for bound in later if self._is_run_before(bound, offset, around, stop)]
        return found

    def is_null(self, name: NameBinding) -> bool:
        """Whether a name is declared without a value, or as null."""
        after = self._text.slice((name.end, name.end + _AFTER_NAME))
        return name.parameters < 0 and _NULL.match(after) is not None

    def may_differ(self, names: Sequence[NameBinding]) -> bool:
        """Whether the bindings say different things, as their text tells."""
        known = self._differ.get(id(names))
        if known is None:
            said = {
                name.imported or name.kind or (name.source, name.text, name.steps)
                for name in filter(_is_known, names)
            }
            is_function = any(name.source is ValueSource.ALIAS for name in names)
            may_be_lost = _is_known(names[0]) and not all(map(_is_known, names))
            known = len(said) + is_function + may_be_lost > 1
            self._differ[id(names)] = known
        return known

    def _is_run_before(
        self, name: NameBinding, offset: int, around: Scope | None, stop: int
    ) -> bool:
        """Whether an assignment that stands after a use may be run before it."""
        if name.until or name.start < offset < name.since:
            return False
        if around is not None and not around.start <= name.start < around.end:
            return True  # the function around the use may be called at any later time
        loops = (branch for branch in self._around(name) if branch.is_loop)
        return any(stop < loop.start and loop.has(offset) for loop in loops)

    def _around(self, name: NameBinding) -> list[Branch]:
        """Return the branches, loops and functions of the name's scope that a binding is in."""
        known = self._branches.get(name)
        if known is None:
            inside, within = name.inside, (name.scope.start, name.scope.end)
            known = self._branches[name] = branches_around(self._parsed, name.start, within)
            if inside is not None:
                known.append(Branch(inside.start, inside.end))
        return known


def _is_known(name: NameBinding) -> bool:
    return bool(name.imported or name.kind) or name.source not in _UNVALUED


def _function_between(scope: Scope, outer: Scope) -> Scope | None:
    """Return the outermost function around a use that does not bind the name itself."""
    found, here = None, scope
    while here is not outer and here.parent is not None:
        found = here if here.kind in _FUNCTIONS else found
        here = here.parent
    return found
