"""What a branch changes for others, as text and JSON; `summary` has it for GitHub."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from indexer.exits import Exit
from indexer.impact.assessment import Impact, Lines
from indexer.impact.queries import AffectedProject, Call, ChangedSymbol, Receipt
from indexer.output.github import strip_commands
from indexer.output.terminal import pluralize

CALLS_SHOWN: Final = 20  # of one definition in one project
OWN_CALLS_SHOWN: Final = 5
NAMES_SHOWN: Final = 20
_FUNCTIONS: Final = frozenset({"function", "method"})


def exit_of(impact: Impact) -> Exit:
    """Callers are no failure; a project without an index is one."""
    return Exit.NOT_INDEXED if impact.indexed_commit is None else Exit.OK


def as_json(impact: Impact) -> dict[str, Any]:
    """Everything, by the names of the API's answer."""
    return {
        "project": impact.project,
        "base": impact.range.base,
        "head": impact.range.head,
        "indexed_commit": impact.indexed_commit,
        "lines": impact.lines,
        "files": {"changed": len(impact.edits.files), "added": impact.edits.added},
        "symbols": [asdict(one) | {"count": one.count} for one in impact.answer.symbols],
        "count": sum(one.count for one in impact.answer.symbols),
        "unknown": impact.answer.unknown,
        "receipt": _receipt(impact.answer.receipt),
    }


def _receipt(receipt: Receipt) -> dict[str, Any]:
    commits = receipt.projects.items()
    return {
        "complete": receipt.complete,
        "projects": [{"project": name, "commit": commit} for name, commit in commits],
        "missing": [asdict(one) for one in receipt.missing],
        "unresolved": {"count": receipt.unresolved},
        "cut": receipt.cut,
    }


def format_text(impact: Impact) -> str:
    """For a person at a terminal; nothing in it is a control sequence or a workflow command."""
    ends = f"{impact.range.base[:12]}..{impact.range.head[:12]}"
    lines = [f"impact of {impact.project} {ends}: {summary_line(impact)}"]
    lines += [f"  note: {sentence}" for sentence in caveats(impact)]
    for symbol in called(impact):
        lines.append(f"  {told(symbol)}")
        for project in symbol.others:
            lines += _project_lines(project, CALLS_SHOWN)
        if symbol.own.count:
            lines += _project_lines(symbol.own, OWN_CALLS_SHOWN)
    if impact.answer.receipt.projects:
        lines.append(f"  asked: {asked(impact)}")
    return "\n".join(strip_commands(line) for line in lines)


def _project_lines(project: AffectedProject, limit: int) -> Iterator[str]:
    yield f"    in {project.project}: {pluralize(project.count, 'caller')}{versions(project)}"
    for call in project.callers[:limit]:
        caller = call.caller.qualified_name
        yield f"      at {call.file}:{call.line} in {caller} ({format_confidence(call)})"
    if more := omitted_lines(project, limit):
        yield f"      {more}"


def omitted_lines(project: AffectedProject, limit: int) -> str:
    """How many callers there are beyond `limit` and beyond those that central named."""
    left = project.count - len(project.callers[:limit])
    return f"and {left:,} more" if left else ""


def told(symbol: ChangedSymbol) -> str:
    """Kind, name and place of a changed definition."""
    one = symbol.definition
    return f"{one.kind} {one.qualified_name} ({one.file}:{one.line})"


def format_confidence(call: Call) -> str:
    """The confidence of a caller, and why it is taken to be a call."""
    several = f", one of {call.candidates} candidates" if call.candidates > 1 else ""
    return f"{call.confidence}, {call.rule}{several}"


def versions(project: AffectedProject) -> str:
    """Which versions of the definition's package the project pins."""
    pinned = {one.pinned_version: one for one in project.callers if one.pinned_version}
    words = [
        f"{version} (older than {one.indexed_version})" if one.lags else version
        for version, one in pinned.items()
        if version
    ]
    return f", pinned to {', '.join(words)}" if words else ""


def called(impact: Impact) -> list[ChangedSymbol]:
    """The changed definitions that have callers, those with the widest reach first."""
    return [one for one in impact.answer.symbols if one.count]


def summary_line(impact: Impact) -> str:
    """The result in one sentence."""
    if impact.indexed_commit is None:
        return "this project is not indexed: the callers of what is changed here are not known yet."
    symbols = impact.answer.symbols
    reaching = [one for one in symbols if one.others]
    if reaching:
        others = {project.project for one in reaching for project in one.others}
        where = f"{len(others)} other {'repository' if len(others) == 1 else 'repositories'}"
        return f"{_changed(reaching)} called in {where}."
    inside = [one for one in symbols if one.own.count]
    if inside:
        return f"{_changed(inside)} called in this repository, and in no other."
    if symbols:
        return f"{_changed(symbols)} called nowhere that was asked."
    if impact.edits.files:
        return "the changed lines are in no function or other definition of the index."
    verb = "is" if impact.edits.added == 1 else "are"
    return f"no file that existed is changed; {pluralize(impact.edits.added, 'file')} {verb} new."


def _changed(symbols: Sequence[ChangedSymbol]) -> str:
    """`3 changed functions are`."""
    is_function = all(one.definition.kind in _FUNCTIONS for one in symbols)
    noun = "function" if is_function else "definition"
    return f"{pluralize(len(symbols), f'changed {noun}')} {'is' if len(symbols) == 1 else 'are'}"


def caveats(impact: Impact) -> list[str]:
    """What the answer may lack, and what to do about it."""
    if impact.indexed_commit is None:
        return [
            "Index it once: run the code index workflow on the default branch "
            "(`python -m indexer run`). If it is indexed by another name, give that as "
            "AETERNA_PROJECT (the action's input `project`); it may also be that this "
            "credential does not see it."
        ]
    return [*_of_lines(impact), *_of_files(impact), *_limits(impact), *_of_receipt(impact)]


def _of_lines(impact: Impact) -> Iterator[str]:
    if impact.lines is Lines.APPROXIMATE and impact.edits.files:
        yield (
            f"The index is of {(impact.indexed_commit or '')[:12]}, which could not be compared "
            f"with {impact.range.base[:12]}, where the change begins: lines are those of the "
            "latter, so a neighbour may be named for what was changed."
        )


def _of_files(impact: Impact) -> Iterator[str]:
    unknown = impact.answer.unknown
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        yield (
            f"{pluralize(len(unknown), 'changed file')} {verb} not in the index, so of what they "
            f"define nothing is known: {some(unknown)}."
        )


def _of_receipt(impact: Impact) -> Iterator[str]:
    receipt = impact.answer.receipt
    if receipt.missing:
        lacks = [f"{one.project} ({one.reason})" for one in receipt.missing]
        number = pluralize(len(lacks), "repository", "repositories")
        yield f"The answer may lack callers in {number}: {some(lacks)}."
    yield from (f"Not everything was traced: {limit}" for limit in receipt.cut)
    if receipt.unresolved:
        yield (
            f"At least {pluralize(receipt.unresolved, 'use')} of such names could not be "
            "resolved; --min-confidence low lists them."
        )


def asked(impact: Impact) -> str:
    """How many indexes answered."""
    number = len(impact.answer.receipt.projects)
    return f"{pluralize(number, 'repository', 'repositories')}, all that the credential sees"


def _limits(impact: Impact) -> Iterator[str]:
    """Always stated: stated only where callers are hidden, it would reveal them."""
    visibilities = impact.answer.visibilities
    if visibilities is not None and "private" not in visibilities:
        yield (
            f"Only {' and '.join(sorted(visibilities, reverse=True))} repositories were asked, "
            "because more people read this than may know of others: there may be callers in those."
        )


def some(names: Iterable[str]) -> str:
    """The first of them, and how many more there are."""
    every = list(names)
    left = len(every) - NAMES_SHOWN
    return ", ".join(every[:NAMES_SHOWN]) + (f" and {left:,} more" if left > 0 else "")
