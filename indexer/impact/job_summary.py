"""GitHub's job summary, and the comment, on the impact of a branch on its callers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from indexer.errors import IndexerError
from indexer.exits import Exit
from indexer.forge.comments import marker
from indexer.impact.assessment import Impact
from indexer.impact.queries import AffectedProject, Call, ChangedSymbol, callers_by_owner
from indexer.impact.report import (
    CALLS_SHOWN,
    NAMES_SHOWN,
    OWN_CALLS_SHOWN,
    format_change,
    format_confidence,
    join_names,
    omitted_lines,
    owner_name,
    searched_repositories,
    summary_line,
    symbols_with_callers,
    versions,
    warnings,
)
from indexer.limits import COMMENT_BYTES
from indexer.output.markdown import code, link, text
from indexer.output.terminal import pluralize

# GitHub refuses a step's summary above 1 MiB:
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
MAX_BYTES: Final = 1_000_000
_LEFT_OUT_BYTES: Final = 500
_PROJECTS_SHOWN: Final = 200
_SHORT: Final = 12  # characters of a commit
_AN_ADDRESS: Final = "an e-mail address"


class _Block(NamedTuple):
    markdown: str
    callers: int  # that it reports


def impact_summary(impact: Impact, *, max_bytes: int = MAX_BYTES) -> str:
    """Format at most `max_bytes` of UTF-8: widest reach first, then the omitted number."""
    begin = "".join(_fitting(_begin(impact), max_bytes // 4))
    end = _end(impact, max_bytes // 4)
    left = max_bytes - _size(begin) - _size(end) - _LEFT_OUT_BYTES
    shown, unreported = [], sum(symbol.count for symbol in impact.answer.symbols)
    for block in chain.from_iterable(map(_blocks, symbols_with_callers(impact))):
        left -= _size(block.markdown)
        if left < 0:
            break
        shown.append(block.markdown)
        unreported -= block.callers
    if left < 0:
        shown.append(f"{pluralize(unreported, 'caller')} omitted: GitHub limits the length.\n\n")
    return "".join([begin, *shown, end])


def comment_body(impact: Impact, run_url: str) -> str:
    """Format at most COMMENT_BYTES, with a link to the job.

    Only a pull request with callers gets a first comment. A later commit may have none: the comment
    that is there then says so.
    """
    has_callers = any(symbol.count for symbol in impact.answer.symbols)
    head = marker(impact.project, is_new=has_callers)
    commit = impact.range.head[:12]
    foot = f"<sub>Of {commit}, updated by {link('this job', run_url or None)}.</sub>\n"
    left = COMMENT_BYTES - len(f"{head}{foot}".encode())
    return f"{head}{impact_summary(impact, max_bytes=left)}{foot}"


def failure_summary(
    error: IndexerError, exit_code: Exit, *, heading: str = "Impact unknown"
) -> str:
    """Format the summary of a command that failed."""
    lines = f"```yaml\n{error.fix}\n```\n\n" if error.fix else ""
    return (
        f"### {heading}: {text(error.title)}\n\n{text(str(error))}\n\n{lines}"
        f"Exit code {exit_code:d}: {exit_code.meaning}.\n\n"
    )


def _size(markdown: str) -> int:
    return len(markdown.encode())


def _fitting(parts: Iterable[str], max_bytes: int) -> Iterator[str]:
    """Yield the first parts, as many as fit."""
    for part in parts:
        max_bytes -= _size(part)
        if max_bytes < 0:
            return
        yield part


def _begin(impact: Impact) -> Iterator[str]:
    sentence = summary_line(impact)
    yield f"### Impact of the changes in {code(impact.project)}\n\n"
    yield f"**{text(sentence[0].upper() + sentence[1:])}**\n\n"
    if owners := _owners(impact):
        yield f"Callers by owner: {owners}\n\n"
    yield from (f"> {text(note)}\n\n" for note in warnings(impact))


def _owners(impact: Impact) -> str:
    """Format whose files the callers are in. An e-mail address is no part of a report to others."""
    counts: Counter[str] = Counter()
    for owner in callers_by_owner(impact.answer.symbols):
        is_shown = owner.owner is None or owner.owner.startswith("@")
        counts[owner_name(owner) if is_shown else _AN_ADDRESS] += owner.count
    rows = counts.most_common()
    shown = [f"{code(name)} {count:,}" for name, count in rows[:NAMES_SHOWN]]
    more = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _blocks(symbol: ChangedSymbol) -> Iterator[_Block]:
    """Yield a definition's heading, then its callers, one block per project."""
    definition = symbol.definition
    location = link(code(f"{definition.file}:{definition.line}"), definition.url)
    yield _Block(
        f"#### {code(definition.qualified_name)}\n\n{text(definition.kind)} at {location}\n\n", 0
    )
    for project in symbol.others:
        yield _project(project, "", CALLS_SHOWN)
    if symbol.own.count:
        yield _project(symbol.own, ", this repository", OWN_CALLS_SHOWN)


def _project(project: AffectedProject, note: str, limit: int) -> _Block:
    head = f"{pluralize(project.count, 'caller')}{versions(project)}"
    calls = "".join(f"  * {_call(caller)}\n" for caller in project.callers[:limit])
    more = omitted_lines(project, limit)
    rest = f"  * {text(more)}\n" if more else ""
    return _Block(f"* {code(project.project)}{note}: {text(head)}\n{calls}{rest}\n", project.count)


def _call(call: Call) -> str:
    location = link(code(f"{call.file}:{call.line}"), call.url)
    caller = call.caller.qualified_name
    inside = f" in {code(caller)}" if caller else ""  # else at a file's top level
    change = call.last_change
    changed = f", {link(text(format_change(call)), change.url)}" if change else ""
    return f"{location}{inside} ({text(format_confidence(call))}){changed}"


def _end(impact: Impact, max_bytes: int) -> str:
    alone = [
        symbol.definition.qualified_name for symbol in impact.answer.symbols if not symbol.count
    ]
    uncalled = f"Changed, without callers: {text(join_names(alone))}\n\n" if alone else ""
    if _size(uncalled) > max_bytes // 2:
        uncalled = f"Changed, without callers: {pluralize(len(alone), 'definition')}\n\n"
    commits = list(impact.answer.receipt.projects.items())
    if not commits:
        return uncalled
    begin = f"{uncalled}<details><summary>Searched: {text(searched_repositories(impact))}</summary>"
    rows = (f"* {code(name)} at {code(sha[:_SHORT])}" for name, sha in commits[:_PROJECTS_SHOWN])
    shown = list(_fitting(rows, max_bytes - _size(begin) - _LEFT_OUT_BYTES))
    if left := len(commits) - len(shown):
        shown.append(f"* and {left:,} more")
    return "\n".join([f"{begin}\n", *shown, "\n</details>\n\n"])
