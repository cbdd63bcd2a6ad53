"""What functions that values hold are: the rule `value_flow`. See indexer.resolution.value_flow."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.questions import (
    FUNCTIONS,
    Classes,
    Flow,
    Held,
    Limit,
    MemberAccess,
    Members,
    NameInFile,
    Passed,
    ResolvedDefinition,
    best_candidates,
    last_name,
)
from central.trace.resolve.sql import (
    FlowRow,
    HeldRows,
    PassedRow,
    PassedRows,
    SameScopeDefinitions,
    Typing,
)
from central.trace.resolve.statements import MAX_PASSED
from indexer.records.references import CALL_METHOD, CALLED, ELEMENT, HELD, PASSED, Access

CUT_FLOW: Final = (
    f"Of the calls that pass a function to another, {MAX_PASSED:,} of each name were followed."
)
_INDEX: Final = re.compile(r"\[[^\]]*\]")
_CONSTRUCTORS: Final = frozenset({"__init__", "constructor"})
CALLABLE: Final = FUNCTIONS | {"class"}


def flow(question: Flow) -> RuleSteps:
    """Follow the steps from what root and chain are to the functions that are there."""
    names = question.origin.chain.split(".")
    at = names.index(HELD) if HELD in names else len(names)
    (found,) = yield [question.origin._replace(chain=".".join(names[:at]))]
    values: Sequence[ResolvedDefinition] = yield from _with_kinds(found)
    for step in names[at + 1 :]:
        values = yield from _step(values, step)
    return best_candidates((yield from _functions(values)))


def held(question: Held) -> RuleSteps:
    """Collect what a part holds: `make` what a function returns, `TABLE[key]`, `Class.field`."""
    base, bracket, _ = question.name.partition("[")
    asked = [HeldRows(question.file, question.name, f"{base}[" if bracket else "")]
    rows, types = yield [*asked, Typing(question.file, question.name)]
    flows = [
        _flow(question.file, row)
        for row in rows
        if _is_item(row.caller.removesuffix(f".{HELD}"), question.name)
    ]
    flows += [
        _flow(question.file, row, *(() if HELD in row.chain.split(".") else (HELD, CALLED)))
        for row in types
        if row.access == Access.RESULT
    ]
    answers = yield list(dict.fromkeys(flows))
    return best_candidates(one for answer in answers for one in answer)


def passed(question: Passed) -> RuleSteps:
    """Collect what the calls of a function pass as a parameter, and its default."""
    name = last_name(question.name)
    owner = question.name.rpartition(".")[0]
    called = last_name(owner) if name in _CONSTRUCTORS else name
    place, _, keyword = question.parameter.partition("=")
    places = (f"{PASSED}{place}.{HELD}", f"{PASSED}{keyword}.{HELD}")
    default, rows, dynamic = yield [
        Held(question.file, f"{question.name}.{question.parameter}"),
        PassedRows(f"{PASSED}{called}", 0, *places),
        PassedRows(f"{PASSED}{CALLED}", question.file, *places),
    ]
    if max(len(rows), len(dynamic)) > MAX_PASSED:
        yield [Limit(CUT_FLOW)]
    sites: list[PassedRow] = [*rows[:MAX_PASSED], *dynamic[:MAX_PASSED]]
    callees = yield [_callee(row) for row in sites]
    keys = {(question.file, question.name)}
    if name in _CONSTRUCTORS:
        keys.add((question.file, owner))
    flows = [
        Flow(_name(row.file, row, (row.value_binding, row.value_root, row.value_chain)))
        for row, answer in zip(sites, callees, strict=True)
        if any(_receives(row, one, keys) for one in answer)
    ]
    answers = yield list(dict.fromkeys(flows))
    return best_candidates([*default, *(one for answer in answers for one in answer)])


def _receives(row: PassedRow, target: ResolvedDefinition, keys: set[tuple[int, str]]) -> bool:
    """Whether a call leads to one of the functions, and its places are those of parameters."""
    is_held = HELD in row.chain.split(".")
    is_through_class = row.access == Access.PATH and target.kind == "method" and not is_held
    return target.key in keys and not is_through_class


def _callee(row: PassedRow) -> Flow | MemberAccess:
    origin = _name(row.file, row, (row.binding, row.root, row.chain))
    if HELD in row.chain.split("."):
        return Flow(origin)
    return MemberAccess(origin, row.access, "" if row.access == Access.PATH else row.name)


def _flow(file: int, row: FlowRow, *steps: str) -> Flow:
    chain = ".".join(filter(None, (row.chain, *steps)))
    return Flow(_name(file, row, (row.binding, row.root, chain)))


def _name(file: int, row: FlowRow | PassedRow, name: tuple[str, str, str]) -> NameInFile:
    """Return the question what a binding, root and chain mean where a row stands."""
    return NameInFile(file, row.repository, row.package, row.ecosystem, *name, "")


def _is_item(part: str, asked: str) -> bool:
    """Whether a part is the asked one, or an item that any index may lead to."""
    keys, wanted = _INDEX.findall(part), _INDEX.findall(asked)
    is_same = _INDEX.sub(ELEMENT, part) == _INDEX.sub(ELEMENT, asked)
    return is_same and all(
        key == other or ELEMENT in (key, other) for key, other in zip(keys, wanted, strict=True)
    )


def _step(
    values: Sequence[ResolvedDefinition], step: str
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    if step[0] == "[":
        return [one._replace(name=f"{one.name}{step}", kind="") for one in values]
    made: Sequence[ResolvedDefinition] = ()
    if step == CALLED:
        functions = yield from _functions(values)
        made = yield from _members(functions, CALL_METHOD)
        asked: list[Held | Passed | Members] = [
            Held(*one.key) for one in functions if one.kind in FUNCTIONS
        ]
    elif step[0] == "@":
        return (yield from _members(values, step[1:]))
    else:
        asked = [Passed(*one.key, step) for one in values]
    answers = yield asked
    return best_candidates([*made, *(one for answer in answers for one in answer)])


def _members(
    values: Sequence[ResolvedDefinition], name: str
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    """Return the methods of the classes of values, and what a field by this name holds."""
    classes = yield [Classes(*one.key) for one in values]
    keys = list(dict.fromkeys(one.key for answer in classes for one in answer))
    answers = yield [Members(file, owner, (name,)) for file, owner in keys]
    fields = yield [Held(file, f"{owner}.{name}") for file, owner in keys]
    methods = yield from _with_kinds([one for answer in answers for one in answer])
    found = [one for one in methods if one.kind in FUNCTIONS]
    return best_candidates([*found, *(one for answer in fields for one in answer)])


def _functions(
    values: Sequence[ResolvedDefinition],
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    """Replace values that are no functions by the functions that they hold: a table stays."""
    others = [one for one in values if one.kind not in CALLABLE]
    answers = yield [Held(*one.key) for one in others]
    held = dict(zip((one.key for one in others), answers, strict=True))
    return best_candidates(found for one in values for found in (held.get(one.key) or [one]))


def _with_kinds(
    found: Iterable[ResolvedDefinition],
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    values = list(found)
    answers = yield [SameScopeDefinitions(*one.key) for one in values]
    return [
        one._replace(
            kind=next((row.kind for row in rows if row.file == one.file), one.kind),
            receiver=None,
            is_certain=False,
            inherited_by=None,
        )
        for one, rows in zip(values, answers, strict=True)
    ]
