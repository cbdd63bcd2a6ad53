"""Uses of names in a file, as the queries capture them: where they stand, and of which kind."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.records.references import ReferenceKind
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText, leading_identifier
from indexer.syntax.trees import ByteRange

# The first of these labels on a node determines its kind.
_KINDS: Final = {
    "base": ReferenceKind.INHERIT,
    "decorate": ReferenceKind.DECORATE,
    "element": ReferenceKind.ELEMENT,
    "new": ReferenceKind.NEW,
    "call": ReferenceKind.CALL,
    "value": ReferenceKind.VALUE,
}
_VALUE: Final = ReferenceKind.VALUE  # a look-up on the enumeration for each use costs more
_BY_RANK: Final = tuple(_KINDS.values())
_RANKS: Final = {label: rank for rank, label in enumerate(_KINDS)}
USE_LABELS: Final = frozenset(_KINDS)


class NameUse(NamedTuple):
    """One reference: range and text of the expression with its receiver, and its first name.

    `is_passed`: kept although it is a value, whatever its first name is. `is_initialized`: a base
    or field that a constructor initialises.
    """

    start: int
    end: int
    kind: ReferenceKind
    written: str
    first: str
    is_passed: bool = False
    is_initialized: bool = False


def collect_uses(
    matches: Sequence[QueryMatch], text: SourceText, *, not_null: str = "", prefixes: str = ""
) -> list[NameUse]:
    """Return the references among the matches, in order of position, one for each node.

    Of several with the same end the longest counts: arguments of a macro are read token by token.
    `not_null` is an operator that may follow the name, `prefixes` are those of one character that
    may be before the expression.
    """
    found: dict[int, tuple[int, int]] = {}
    infix = {
        mark[1]: (match["infix"], mark)
        for match in matches
        if "infix" in match
        for label, mark in match.items()
        if label in _RANKS
    }
    passed = {match["passed"][1] for match in matches if "passed" in match}
    initialized = {match["initialized"][1] for match in matches if "initialized" in match}
    for match in matches:
        receiver = match.get("receiver") or match.get("infix")
        for label, mark in match.items():
            rank = _RANKS.get(label)
            if rank is None:
                continue
            start, end = mark if receiver is None else (receiver[0], mark[1])
            if not_null and text.slice((end - 1, end)) == not_null:
                end -= 1
            while prefixes and start < end and text.slice((start, start + 1)) in prefixes:
                start += 1
            known = found.get(end)
            if known is None or (start, rank) < known:
                found[end] = start, rank
    return [
        NameUse(
            start,
            end,
            _BY_RANK[rank],
            written := _written(start, end, infix, text),
            leading_identifier(written),
            end in passed,
            end in initialized,
        )
        for start, end, rank in sorted((start, end, rank) for end, (start, rank) in found.items())
    ]


def _written(
    start: int, end: int, infix: Mapping[int, tuple[ByteRange, ByteRange]], text: SourceText
) -> str:
    """Return the expression; of an infix call as if it had a dot: `a upTo b` → `a.upTo`."""
    if end not in infix:
        return text.shortened((start, end))
    left, name = infix[end]
    return f"{text.shortened(left)}.{text.slice(name)}"


def drop_unresolvable_values(
    uses: Iterable[NameUse],
    bindable_names: Container[str],
    language: Language,
    local: Iterable[QueryMatch],
    text: SourceText,
) -> list[NameUse]:
    """Drop values whose first name is not in `bindable_names`, which are most of them.

    Those that are passed are kept and what other files of the package may define: `Type.member`,
    functions of names that are nothing else here.
    """
    has_types, has_functions = language.package_visible_types, language.package_visible_functions
    bound = (
        {text.slice(capture["local"]) for capture in local if "local" in capture}
        if has_functions
        else ()
    )
    return [
        use
        for use in uses
        if use.kind is not _VALUE
        or use.is_passed
        or use.first in bindable_names
        or (has_types and use.first[:1].isupper() and use.first != use.written)
        or (has_functions and use.written.endswith(use.first) and use.first not in bound)
    ]
