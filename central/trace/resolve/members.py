"""Members of classes, through bases and types, over files and repositories."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from central.trace.resolve.engine import Asking, Steps
from central.trace.resolve.questions import (
    FUNCTIONS,
    Bases,
    Classes,
    Key,
    Limit,
    Lineage,
    Members,
    Named,
    Thing,
    after,
    surest,
)
from central.trace.resolve.sql import Near, Typing, TypingRow

MAX_LEVELS: Final = 64  # of inheritance, up or down from a class

CUT_BASES: Final = f"Classes more than {MAX_LEVELS} levels of inheritance apart were not related."

_Found: TypeAlias = list[tuple[Thing, tuple[str, ...]]]
_Bases: TypeAlias = dict[Key, Sequence[Thing]]


def members(question: Members) -> Steps:
    """Its own members first, then those of its bases, nearest first; of a variable, its type's.

    As many names at once are taken as a definition has.
    """
    own = yield from _own([(question.file, question.name)], question.names)
    if own[0]:
        return (yield from _on(own[0]))
    (classes,) = yield [Classes(question.file, question.name)]
    found: list[Thing] = []
    for one in classes:
        if one.key == (question.file, question.name):
            found += yield from _inherited(question)
        else:
            (answer,) = yield [Members(one.file, one.name, question.names)]
            found += [
                thing._replace(receiver=thing.receiver or one.key) for thing in after(answer, one)
            ]
    return surest(found)


def classes(question: Classes) -> Steps:
    """A class is answered by itself, what has TYPE references by what they tell.

    Whatever has none and is no function is taken for a class.
    """
    typing, near = yield [Typing(*question), Near(*question)]
    types = [row for row in typing if row.kind == "type"]
    if types:
        return (yield from _of_types(question, types))
    kind = next((row.kind for row in near if row.file == question.file), "")
    return () if kind in FUNCTIONS else (Thing(*question, kind),)


def bases(question: Bases) -> Steps:
    """A class may stand in several files, and each may name bases."""
    (near,) = yield [Near(*question)]
    files = dict.fromkeys([question.file, *(row.file for row in near)])
    typing = yield [Typing(file, question.name) for file in files]
    named = [
        _named(file, question.name, row)
        for file, rows in zip(files, typing, strict=True)
        for row in rows
        if row.kind == "inherit"
    ]
    answers = yield named
    return tuple(dict.fromkeys(thing for answer in answers for thing in answer))


def lineage(question: Lineage) -> Steps:
    """Level by level, then put in order: depth-first from left to right, and of one that comes
    twice the last, so that a class always precedes its own bases.
    """
    start = Thing(*question, "")
    found: _Bases = {}
    level = [start]
    for _ in range(MAX_LEVELS):
        answers = yield [Bases(*one.key) for one in level]
        found |= {one.key: answer for one, answer in zip(level, answers, strict=True)}
        following = (thing for answer in answers for thing in answer)
        level = list({one.key: one for one in following if one.key not in found}.values())
        if not level:
            break
    else:
        yield [Limit(CUT_BASES)]
    return tuple(_ordered(start, found))[1:]


def _inherited(question: Members) -> Steps:
    (ancestors,) = yield [Lineage(question.file, question.name)]
    own = yield from _own([base.key for base in ancestors], question.names)
    for base, found in zip(ancestors, own, strict=True):
        if found:
            return tuple(after((yield from _on(found)), base))
    return ()


def _ordered(start: Thing, found: _Bases) -> Iterator[Thing]:
    """Post-order from right to left, reversed, which is the order of look-up."""
    order: dict[Key, Thing] = {}
    entered = {start.key}
    above = [(start, iter(found[start.key][::-1]))]
    while above:
        one, bases = above[-1]
        base = next(bases, None)
        if base is None:
            order[one.key] = one
            above.pop()
        elif base.key not in entered:
            entered.add(base.key)
            base = base._replace(sure=base.sure and one.sure)
            above.append((base, iter(found.get(base.key, ())[::-1])))
    return reversed(order.values())


def _own(keys: Sequence[Key], names: tuple[str, ...]) -> Asking[list[_Found]]:
    """For each class what it defines itself of `names`, as many as it can, and what is left."""
    counts = range(len(names), 0, -1)
    wanted = [
        Near(file, ".".join((name, *names[:count]))) for file, name in keys for count in counts
    ]
    answers = yield wanted
    found: list[_Found] = []
    for start in range(0, len(wanted), len(counts)):
        longest: _Found = []
        for near, count, rows in zip(
            wanted[start:], counts, answers[start : start + len(counts)], strict=False
        ):
            if rows and not longest:
                longest = [(Thing(row.file, near.name, row.kind), names[count:]) for row in rows]
        found.append(longest)
    return found


def _on(own: _Found) -> Steps:
    """Go on from members with the names that are left."""
    answers = yield [Members(one.file, one.name, rest) for one, rest in own if rest]
    following = iter(answers)
    found: list[Thing] = []
    for one, rest in own:
        found += after(next(following), one) if rest else [one]
    return surest(found)


def _of_types(question: Classes, types: Sequence[TypingRow]) -> Steps:
    named = yield [_named(question.file, question.name, row) for row in types]
    things = [thing for answer in named for thing in answer]
    answers = yield [Classes(*thing.key) for thing in things]
    return surest(
        found
        for thing, answer in zip(things, answers, strict=True)
        for found in after(answer, thing)
    )


def _named(file: int, caller: str, row: TypingRow) -> Named:
    place = (row.repository, row.package, row.ecosystem)
    return Named(file, *place, row.binding, row.root, row.chain, caller)
