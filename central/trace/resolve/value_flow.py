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
from indexer.records.references import (
    CALL_METHOD,
    CALLED,
    CLOSURE,
    CONSTRUCTOR_METHODS,
    ELEMENT,
    HELD,
    PASSED,
    Access,
)

CUT_FLOW: Final = (
    f"Of the calls that pass a function to another, {MAX_PASSED:,} of each name were followed."
)
_PARAMETER: Final = re.compile(r"\d+=")
_INDEX: Final = re.compile(r"\[[^\]]*\]")
CALLABLE: Final = FUNCTIONS | {"class"}


def flow(question: Flow) -> RuleSteps:
    """Follow the steps from what root and chain are to the functions that are there."""
    names = question.origin.chain.split(".")
    at = names.index(HELD) if HELD in names else len(names)
    (found,) = yield [question.origin._replace(chain=".".join(names[:at]))]
    values: Sequence[ResolvedDefinition] = yield from _with_kinds(found)
    steps = names[at + 1 :]
    for place, step in enumerate(steps, 1):
        values = yield from _step(values, step, question.site if place == len(steps) else ())
    return best_candidates((yield from _functions(values)))


def held(question: Held) -> RuleSteps:
    """Collect what a part holds: `make` what a function returns, `TABLE[key]`, `Class.field`."""
    base, bracket, _ = question.name.partition("[")
    asked = [HeldRows(question.file, question.name, f"{base}[" if bracket else "")]
    rows, types = yield [*asked, Typing(question.file, question.name)]
    flows: list[Flow | Passed] = [
        _given_back(question, row) or _flow(question.file, row)
        for row in rows
        if _is_item(row.caller.removesuffix(f".{HELD}"), question.name)
    ]
    flows += [
        _flow(question.file, row, *(() if HELD in row.chain.split(".") else (HELD, CALLED)))
        for row in types
        if row.access == Access.RESULT
    ]
    answers = yield list(dict.fromkeys(flows))
    return best_candidates(definition for answer in answers for definition in answer)


def passed(question: Passed) -> RuleSteps:
    """Collect what the calls of a function pass as a parameter, and its default."""
    name = last_name(question.name)
    owner = question.name.rpartition(".")[0]
    called = last_name(owner) if name in CONSTRUCTOR_METHODS else _called(question.name)
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
    at_site = [row for row in sites if _site(row) == question.site]
    sites = at_site or sites
    callees = yield [_callee(row) for row in sites]
    keys = {(question.file, question.name)}
    if name in CONSTRUCTOR_METHODS:
        keys.add((question.file, owner))
    flows = [
        Flow(_name(row.file, row, (row.value_binding, row.value_root, row.value_chain)))
        for row, answer in zip(sites, callees, strict=True)
        if any(_receives(row, definition, keys) for definition in answer)
    ]
    answers = yield list(dict.fromkeys(flows))
    found = best_candidates([*default, *(target for answer in answers for target in answer)])
    is_unresolved = question.site is not None and not at_site
    return () if is_unresolved and len(found) > 1 else found


def _called(name: str) -> str:
    """Return how a function is called: `wrap()` the one that `wrap` returns."""
    *around, last = name.split(".")
    return f"{_called('.'.join(around))}{CALLED}" if last == CLOSURE else last


def _receives(row: PassedRow, target: ResolvedDefinition, keys: set[tuple[int, str]]) -> bool:
    """Whether a call leads to one of the functions, and its places are those of parameters."""
    is_in_value = HELD in row.chain.split(".")
    is_through_class = row.access == Access.PATH and target.kind == "method" and not is_in_value
    return target.key in keys and not is_through_class


def _site(row: PassedRow) -> tuple[int, ...]:
    return row.file, row.line, row.column


def _given_back(question: Held, row: FlowRow) -> Passed | None:
    """Return the question for a function's own parameter, if that is what it returns."""
    *closures, last = row.chain.removeprefix(f"{HELD}.").split(".")
    name = ".".join((row.root, *closures))
    is_own = name == question.name and _PARAMETER.match(last)
    return Passed(question.file, name, last, question.site) if is_own else None


def _callee(row: PassedRow) -> Flow | MemberAccess:
    origin = _name(row.file, row, (row.binding, row.root, row.chain))
    if HELD in row.chain.split("."):
        return Flow(origin)
    return MemberAccess(origin, row.access, "" if row.access == Access.PATH else row.name)


def _flow(file: int, row: FlowRow, *steps: str) -> Flow:
    chain = ".".join(filter(None, (row.chain, *steps)))
    site = (file, row.line, row.column) if isinstance(row, FlowRow) else ()
    return Flow(_name(file, row, (row.binding, row.root, chain)), site)


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
    values: Sequence[ResolvedDefinition], step: str, site: tuple[int, ...]
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    if step[0] == "[":
        return [target._replace(name=f"{target.name}{step}", kind="") for target in values]
    if step == CLOSURE:
        return [
            target._replace(name=f"{target.name}.{CLOSURE}")
            for target in values
            if target.kind in FUNCTIONS
        ]
    made: Sequence[ResolvedDefinition] = ()
    if step == CALLED:
        functions = yield from _functions(values)
        made = yield from _members(functions, CALL_METHOD)
        asked: list[Held | Passed | Members] = [
            Held(*function.key, site) for function in functions if function.kind in FUNCTIONS
        ]
    elif step[0] == "@":
        return (yield from _members(values, step[1:]))
    else:
        asked = [Passed(*definition.key, step) for definition in values]
    answers = yield asked
    return best_candidates([*made, *(definition for answer in answers for definition in answer)])


def _members(
    values: Sequence[ResolvedDefinition], name: str
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    """Return the methods of the classes of values, and what a field by this name holds."""
    classes = yield [Classes(*definition.key) for definition in values]
    keys = list(dict.fromkeys(definition.key for answer in classes for definition in answer))
    answers = yield [Members(file, owner, (name,)) for file, owner in keys]
    fields = yield [Held(file, f"{owner}.{name}") for file, owner in keys]
    methods = yield from _with_kinds([definition for answer in answers for definition in answer])
    found = [method for method in methods if method.kind in FUNCTIONS]
    return best_candidates([*found, *(definition for answer in fields for definition in answer)])


def _functions(
    values: Sequence[ResolvedDefinition],
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    """Replace values that are no functions by the functions that they hold: a table stays."""
    others = [definition for definition in values if definition.kind not in CALLABLE]
    answers = yield [Held(*definition.key) for definition in others]
    held = dict(zip((definition.key for definition in others), answers, strict=True))
    return best_candidates(
        found for target in values for found in (held.get(target.key) or [target])
    )


def _with_kinds(
    found: Iterable[ResolvedDefinition],
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    values = list(found)
    answers = yield [SameScopeDefinitions(*definition.key) for definition in values]
    return [
        definition._replace(
            kind=next((row.kind for row in rows if row.file == definition.file), definition.kind),
            receiver=None,
            is_certain=False,
            inherited_by=None,
        )
        for definition, rows in zip(values, answers, strict=True)
    ]
