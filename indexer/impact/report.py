"""The impact of a branch as text and JSON; `job_summary` formats it for GitHub."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from indexer.exits import Exit
from indexer.impact.assessment import Impact, Lines
from indexer.impact.queries import (
    AffectedProject,
    Call,
    ChangedSymbol,
    OwnerCount,
    Receipt,
    callers_by_owner,
)
from indexer.output.commits import SHORT_COMMIT
from indexer.output.github import strip_commands
from indexer.output.terminal import pluralize

CALLS_SHOWN: Final = 20  # of one definition in one project
OWN_CALLS_SHOWN: Final = 5
NAMES_SHOWN: Final = 20
_FUNCTIONS: Final = frozenset({"function", "method"})


def exit_of(impact: Impact) -> Exit:
    """Return the exit code: callers are no failure, a project without an index is one."""
    return Exit.NOT_INDEXED if impact.indexed_commit is None else Exit.OK


def as_json(impact: Impact) -> dict[str, Any]:
    """Return all of it, with the names of the API's answer."""
    return {
        "project": impact.project,
        "base": impact.range.base,
        "head": impact.range.head,
        "uncommitted": bool(impact.range.work_tree),
        "indexed_commit": impact.indexed_commit,
        "ref": impact.branch.ref or None,
        "ref_not_indexed": impact.branch.not_indexed or None,
        "lines": impact.lines,
        "files": {"changed": len(impact.edits.files), "added": impact.edits.added},
        "symbols": [asdict(symbol) | {"count": symbol.count} for symbol in impact.answer.symbols],
        "owners": [asdict(owner) for owner in callers_by_owner(impact.answer.symbols)],
        "count": sum(symbol.count for symbol in impact.answer.symbols),
        "unknown": impact.answer.unknown,
        "receipt": _receipt(impact.answer.receipt),
    }


def _receipt(receipt: Receipt) -> dict[str, Any]:
    commits = receipt.projects.items()
    return {
        "complete": receipt.complete,
        "projects": [{"project": name, "commit": commit} for name, commit in commits],
        "missing": [asdict(project) for project in receipt.missing],
        "unresolved": {"count": receipt.unresolved},
        "cut": receipt.cut,
    }


def format_text(impact: Impact) -> str:
    """Format for a terminal, without control sequences and workflow commands."""
    commits = f"{impact.range.base[:12]}..{impact.range.head[:12]}"
    if impact.range.work_tree:
        commits += " and uncommitted changes"
    lines = [f"impact of {impact.project} {commits}: {summary_line(impact)}"]
    lines += [f"  note: {sentence}" for sentence in warnings(impact)]
    for symbol in symbols_with_callers(impact):
        lines.append(f"  {format_symbol(symbol)}")
        for project in symbol.others:
            lines += _project_lines(project, CALLS_SHOWN)
        if symbol.own.count:
            lines += _project_lines(symbol.own, OWN_CALLS_SHOWN)
    if owners := callers_by_owner(impact.answer.symbols):
        named = (f"{owner_name(owner)} {owner.count:,}" for owner in owners)
        lines.append(f"  callers by owner: {join_names(named)}")
    if impact.answer.receipt.projects:
        lines.append(f"  searched: {searched_repositories(impact)}")
    return "\n".join(strip_commands(line) for line in lines)


def _project_lines(project: AffectedProject, limit: int) -> Iterator[str]:
    yield f"    in {project.project}: {pluralize(project.count, 'caller')}{versions(project)}"
    for call in project.callers[:limit]:
        caller = call.caller.qualified_name
        inside = f" in {caller}" if caller else ""  # else at a file's top level
        changed = f", {format_change(call)}" if call.last_change else ""
        yield f"      at {call.file}:{call.line}{inside} ({format_confidence(call)}){changed}"
    if more := omitted_lines(project, limit):
        yield f"      {more}"


def owner_name(owner: OwnerCount) -> str:
    """Return an owner's name, or that there is none."""
    return owner.owner or ("no owner" if owner.known else "not known")


def omitted_lines(project: AffectedProject, limit: int) -> str:
    """Format the number of callers beyond `limit` and beyond those that central returned."""
    omitted = project.count - len(project.callers[:limit])
    return f"and {omitted:,} more" if omitted else ""


def format_symbol(symbol: ChangedSymbol) -> str:
    """Format kind, name and location of a changed definition."""
    definition = symbol.definition
    return f"{definition.kind} {definition.qualified_name} ({definition.file}:{definition.line})"


def format_confidence(call: Call) -> str:
    """Format a caller's confidence and the rule that resolved it."""
    several = f", one of {call.candidates} candidates" if call.candidates > 1 else ""
    return f"{call.confidence}, {call.rule}{several}"


def format_change(call: Call) -> str:
    """Format when and by which commit a caller last changed; "" if it is not known."""
    change = call.last_change
    if change is None:
        return ""
    return f"last changed {change.committed_at[:10]} in {change.commit[:SHORT_COMMIT]}"


def versions(project: AffectedProject) -> str:
    """Format the pinned versions of the definition's package."""
    pinned = {caller.pinned_version: caller for caller in project.callers if caller.pinned_version}
    words = [
        f"{version} (older than {call.indexed_version})" if call.lags else version
        for version, call in pinned.items()
        if version
    ]
    return f", pinned to {', '.join(words)}" if words else ""


def symbols_with_callers(impact: Impact) -> list[ChangedSymbol]:
    """Return the changed definitions that have callers, widest reach first."""
    return [symbol for symbol in impact.answer.symbols if symbol.count]


def summary_line(impact: Impact) -> str:
    """Format the result in one sentence."""
    if impact.indexed_commit is None:
        return "this project is not indexed, so the callers of changed definitions are unknown."
    symbols = impact.answer.symbols
    called_elsewhere = [symbol for symbol in symbols if symbol.others]
    if called_elsewhere:
        others = {project.project for symbol in called_elsewhere for project in symbol.others}
        where = f"{len(others):,} other {'repository' if len(others) == 1 else 'repositories'}"
        return f"{_changed(called_elsewhere)} called in {where}."
    called_inside = [symbol for symbol in symbols if symbol.own.count]
    if called_inside:
        return f"{_changed(called_inside)} called in this repository only."
    if symbols:
        return f"{_changed(symbols)} called in none of the searched repositories."
    if impact.edits.files:
        return "the changed lines are outside of all indexed definitions."
    verb = "is" if impact.edits.added == 1 else "are"
    return f"no existing file is changed; {pluralize(impact.edits.added, 'file')} {verb} new."


def _changed(symbols: Sequence[ChangedSymbol]) -> str:
    """Format `3 changed functions are`."""
    is_function = all(symbol.definition.kind in _FUNCTIONS for symbol in symbols)
    noun = "function" if is_function else "definition"
    return f"{pluralize(len(symbols), f'changed {noun}')} {'is' if len(symbols) == 1 else 'are'}"


def warnings(impact: Impact) -> list[str]:
    """Return sentences about what may be missing from the answer, and what to do about it."""
    if impact.indexed_commit is None:
        return [
            "Index it once: run the code index workflow on the default branch "
            "(`python -m indexer run`). If it is indexed under another name, set AETERNA_PROJECT "
            "(the action's input `project`). It may also be outside of the credential's scope."
        ]
    return [
        *_branch_warnings(impact),
        *_line_warnings(impact),
        *_file_warnings(impact),
        *_visibility_warnings(impact),
        *_receipt_warnings(impact),
    ]


def _branch_warnings(impact: Impact) -> Iterator[str]:
    if not_indexed := impact.branch.not_indexed:
        yield (
            f"The base branch {not_indexed} is not indexed, so these are the callers of what the "
            "default branch defines at these places, which may be something else. Name it in "
            "`branches` of .codesearch.toml on the default branch, and push to it once."
        )
    elif impact.branch.ref:
        yield (
            f"Definitions are those of the index of {impact.branch.ref}; other repositories are "
            "searched by their default branches."
        )


def _line_warnings(impact: Impact) -> Iterator[str]:
    if impact.lines is Lines.APPROXIMATE and impact.edits.files:
        yield (
            f"The indexed commit is {(impact.indexed_commit or '')[:12]}, which could not be "
            f"compared with {impact.range.base[:12]}, the base of the change: line numbers are "
            "those of the base, so a neighbouring definition may be reported instead."
        )


def _file_warnings(impact: Impact) -> Iterator[str]:
    unknown = impact.answer.unknown
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        yield (
            f"{pluralize(len(unknown), 'changed file')} {verb} not in the index, so callers of "
            f"their definitions are unknown: {join_names(unknown)}."
        )


def _receipt_warnings(impact: Impact) -> Iterator[str]:
    receipt = impact.answer.receipt
    if receipt.missing:
        missing = [f"{project.project} ({project.reason})" for project in receipt.missing]
        number = pluralize(len(missing), "repository", "repositories")
        yield f"Callers may be missing in {number}: {join_names(missing)}."
    yield from (f"The trace is incomplete: {limit}" for limit in receipt.cut)
    if left_out := impact.answer.last_changes_left_out:
        yield f"When {pluralize(left_out, 'caller')} last changed was not looked up, to save time."
    if receipt.unresolved:
        yield (
            f"At least {pluralize(receipt.unresolved, 'reference')} to these names could not be "
            "resolved; --min-confidence low lists them."
        )


def searched_repositories(impact: Impact) -> str:
    """Format the number of queried indexes."""
    number = len(impact.answer.receipt.projects)
    return f"{pluralize(number, 'repository', 'repositories')}, all in the credential's scope"


def _visibility_warnings(impact: Impact) -> Iterator[str]:
    """Yield a warning about the credential's scope even without hidden callers."""
    visibilities = impact.answer.visibilities
    if visibilities is not None and "private" not in visibilities:
        yield (
            f"Only {' and '.join(sorted(visibilities, reverse=True))} repositories were searched, "
            "because readers of this report may not see others, which may have callers too."
        )


def join_names(names: Iterable[str]) -> str:
    """Join the first names, with the number of the others."""
    listed = list(names)
    omitted = len(listed) - NAMES_SHOWN
    return ", ".join(listed[:NAMES_SHOWN]) + (f" and {omitted:,} more" if omitted > 0 else "")
