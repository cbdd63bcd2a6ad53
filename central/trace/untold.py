"""Values that are in sight while nothing says of which class they are."""

from central.trace.inquiry import Steps
from central.trace.questions import Classes, Named, Untold
from central.trace.rows import Typing, TypingRow
from central.trace.things import Thing
from indexer.records.files import VALUE_KINDS

_VALUES = VALUE_KINDS | {""}


def untold(question: Untold) -> Steps:
    """(True,) if the names lead into sight, and there to a member, a field or a function of which
    no type is told; () if they lead to a class, or out of sight.
    """
    named = question.origin
    names = named.chain.split(".") if named.chain else []
    for count in range(len(names), -1, -1):
        (things,) = yield [named._replace(chain=".".join(names[:count]))]
        if things:
            return (yield from _any_untold(things, is_whole=count == len(names)))
    return ()


def _any_untold(things: tuple[Thing, ...], *, is_whole: bool) -> Steps:
    """Of what is a class, a member that was not found is untold."""
    answers = yield [Classes(*thing.key) for thing in things]
    classes = [found for answer in answers for found in answer]
    if any(not is_whole or found.kind in _VALUES for found in classes):
        return (True,)
    without = [thing for thing, answer in zip(things, answers, strict=True) if not answer]
    typings = yield [Typing(*thing.key) for thing in without]
    types = [
        Untold(_named(thing, row))
        for thing, rows in zip(without, typings, strict=True)
        for row in rows
        if row.kind == "type"
    ]
    if without and not types:
        return (True,)
    following = yield types
    return (True,) if any(following) else ()


def _named(thing: Thing, row: TypingRow) -> Named:
    place = (row.repository, row.package, row.ecosystem)
    return Named(thing.file, *place, row.binding, row.root, row.chain, thing.name)
