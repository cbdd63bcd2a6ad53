"""The compact text form of answers, which costs agents few tokens.

Content of repositories cannot look like text of the service: names and paths stay on one line, and
content is indented.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from indexer.output.commits import line_sign, result_marks
from indexer.output.terminal import escape_line, escape_lines, pluralize

Row = Mapping[str, Any]

_CONTENTS: Final = ("content", "text")  # the members that may have several lines

_COMMIT_CHARACTERS: Final = 10
_OWNERS: Final = 3  # of a file that a row names
_OF_RECEIPT: Final = re.compile(r"see receipt(?:\.\w+)?")  # in hints; its text follows them
_MISSING: Final = {
    "never_indexed": "never indexed",
    "checkout_not_indexed": "this checkout is not indexed; `codesearch init` indexes it",
    "not_cloned": "never indexed: the service could not clone or index it",
    "failed": "its last indexing failed",
    "behind": "indexed at an older commit",
    "paused": "indexing is paused",
    "embedder_unavailable": "lexical results only: its embedding service is unavailable",
    "unknown_project": "no such visible project",
    "too_many_hits": "too many hits: narrow the filters",
    "too_many_commits": "too many commits: only the newest were read; add repo:",
    "too_many_files": "too many files: add repo:, file: or a longer literal",
    "timeout": "not read in time: follow the cursor, or narrow the query",
    "text_index_incomplete": "its text index is being built: try again in a few minutes",
    "text_index_damaged": "a part of its text index cannot be read: an administrator reconciles it",
    "local_index_unavailable": "its uncommitted work: the index of the work tree is unavailable",
    "base_commit_not_in_clone": "links to other projects: the indexed commit is not in this clone; "
    "fetch it",
    "links_on_edited_lines": "links to other projects on uncommitted lines",
    "not_linked_yet": "its newest code is not linked yet: try again in a few seconds",
    "policies_not_checked_yet": "policies are still being checked: try again in a few seconds",
    "reindexed": "it was indexed again meanwhile: search again",
    "owners_unread": "who owns its files is not known: see its page",
    "no_such_branch": "it has no such indexed branch",
    "branch_not_indexed": "the index of its branch waits for a run of the branch",
    "commits_unknown": "the sidecar does not say which commits answered",
}

_WEAKNESSES: Final = {"none": "No good match", "weak": "A weak match"}


def search_text(answer: Row) -> str:
    """Format each hit with its location, kind and snippet."""
    answer = printable(answer)
    head = heading(answer, "results", f"for {answer['query']}")
    if answer.get("total"):
        head += _total(answer["total"], _noun(answer["results"]))
    if answer["results"] and (weakness := _WEAKNESSES.get(answer.get("confidence") or "")):
        match = answer.get("match")
        estimate = "" if match is None else f" ({match:.2f} of 1)"
        head = f"{weakness}{estimate}. {head}"
    if reading := answer.get("reading"):
        head = f"{head}\n{reading['text']}"
    return joined([head, *map(_result, answer["results"]), *_instead(answer)], answer)


def _instead(answer: Row) -> list[str]:
    """Format what an answer without results has by the words of the quoted text."""
    instead = answer.get("instead")
    if not instead:
        return []
    return ["No line has this text. By its words:", *map(_result, instead["results"])]


def code_text(answer: Row) -> str:
    """Format the answer of `search_code`."""
    answer = printable(answer)
    parts = [f"{pluralize(answer['totalResults'], 'result')} in {answer['searchTimeMs']} ms"]
    for row in answer["results"]:
        location = f"{row['project']}/{row['path']}".lstrip("/")
        head = f"{location}:{row['startLine']}-{row['endLine']}  {row['score']:.2f}"
        cut = "\n… (cut; code_search with expand shows more)" if row["truncated"] else ""
        parts.append(f"{head}\n{indented(row['text'])}{cut}".rstrip())
    if not answer["complete"]:
        parts.append("Incomplete: some projects are missing or behind; see code_index_status.")
    return joined(parts, answer)


def status_text(answer: Row) -> str:
    """Format a line for each project."""
    answer = printable(answer)
    head = f"{pluralize(len(answer['projects']), 'project')} of {answer['org_id']}"
    rows = "\n".join(_status(row) for row in answer["projects"])
    head = f"{head}, {pluralize(answer['total_chunks'], 'chunk')}"
    return joined([head, rows, _local(answer).strip()], answer)


def receipt_text(
    receipt: Row, shown: Iterable[str], *, nothing: str = "No project was searched."
) -> str:
    """Format the commits of the projects `shown`, and the missing projects with reasons.

    `nothing` is the text of an answer without commits.
    """
    projects = {row["project"]: row["commit"] for row in receipt["projects"]}
    named = [name for name in dict.fromkeys(shown) if name in projects]
    commits = [f"{name}@{projects[name][:_COMMIT_CHARACTERS]}" for name in named]
    others = len(projects) - len(named)
    if others:
        commits.append(f"{others} more" if named else pluralize(others, "project"))
    source = f"Answered by {', '.join(commits)}." if commits else nothing
    lines = [f"{source}{_local(receipt)}"]
    missing = [
        f"{row['project'] or 'every project'} "
        f"({_MISSING.get(row['reason'], row['reason'])}{_since(row)})"
        for row in receipt["missing"]
    ]
    if more := receipt.get("missing_more"):
        missing.append(f"{more} more without an index")
    if missing:
        lines.append(f"Incomplete: {', '.join(missing)}.")
    if receipt.get("files_left_out"):
        files = pluralize(receipt["files_left_out"], "file")
        lines.append(f"Without references of {files}. If just indexed, ask again shortly.")
    if receipt.get("cut"):
        lines.append(f"Limits reached: {', '.join(receipt['cut'])}.")
    if receipt["complete"] and commits:
        lines[0] = f"Complete. {lines[0]}"
    return "\n".join([*lines, *_of_trace(receipt)])


def _since(row: Row) -> str:
    since = row.get("since")
    return f", since {since}" if since else ""


def printable(value: Any) -> Any:
    """Escape each text in `value` to one line, except contents."""
    if isinstance(value, str):
        return escape_line(value)
    if isinstance(value, list):
        return [printable(member) for member in value]
    if isinstance(value, Mapping):
        return {
            name: member if name in _CONTENTS else printable(member)
            for name, member in value.items()
        }
    return value


def indented(content: str) -> str:
    """Indent every line of content."""
    return "\n".join(f"    {line}" if line else "" for line in escape_lines(content.rstrip()))


def joined(parts: list[str], answer: Row) -> str:
    """Join an answer's parts, remarks and receipt."""
    parts = [*parts, *remarks(answer)]
    if "receipt" in answer:
        parts.append(receipt_text(answer["receipt"], _shown(answer)))
    return "\n\n".join(part for part in parts if part)


def remarks(answer: Row) -> list[str]:
    """Return the hint of an empty answer, the truncated rows, and the next cursor."""
    lines = []
    if answer.get("hint"):
        lines.append(_OF_RECEIPT.sub("see below", answer["hint"]))
    if answer.get("left_out"):
        counts = ", ".join(f"{n} of {name}" for name, n in answer["left_out"]["counts"].items())
        lines.append(f"Omitted: {counts}. {answer['left_out']['advice']}")
    if answer.get("next_cursor"):
        lines.append(f"More: cursor={answer['next_cursor']}")
    return lines


def _shown(answer: Row) -> Iterable[str]:
    if "project" in answer:
        yield answer["project"]
    for name in ("results", "definitions", "callers", "callees", "nodes", "consumers"):
        for row in answer.get(name, ()):
            yield row["project"]
    for row in (answer.get("instead") or {}).get("results", ()):
        yield row["project"]


def heading(answer: Row, name: str, subject: str) -> str:
    """Format how many rows of a list an answer has, such as "2 results for retry"."""
    count, noun = len(answer[name]), name.removesuffix("s")
    if count:
        return f"{pluralize(count, noun)} {subject}"
    omitted = (answer.get("left_out") or {}).get("counts", {}).get(name, 0)
    if omitted:
        return f"None of {pluralize(omitted, noun)} {subject} fits into max_tokens"
    return f"No {name} {subject}"


def location(row: Row, lines: int | str) -> str:
    """Format `project/file:lines`, and what is unusual about the file."""
    return f"{_path(row)}:{lines}{_state(row)}"


def owners(row: Row) -> str:
    """Format the owners of a row's file; nothing if there are none, or they are not known."""
    names: Sequence[str] = row.get("owners") or ()
    more = f" +{len(names) - _OWNERS}" if len(names) > _OWNERS else ""
    return f"  {' '.join(names[:_OWNERS])}{more}" if names else ""


def _branches(row: Row) -> str:
    return f"  on {', '.join(row['branches'])}" if row.get("branches") else ""


def _path(row: Row) -> str:
    prefix = f"{row['project']}/" if row["project"] else ""
    return f"{prefix}{row['file']}"


def _state(row: Row) -> str:
    state = " (uncommitted)" if row.get("local") else " (removed)" if row.get("gone") else ""
    return f" (generated){state}" if row.get("generated") else state


def _total(total: Row, noun: str) -> str:
    least = "at least " if total["at_least"] else ""
    matches = pluralize(total["matches"], "match", "matches")
    return f": {least}{matches} in {pluralize(total['files'], noun)}"


def _noun(results: Sequence[Row]) -> str:
    """Return what a total counts."""
    if not (results and results[0].get("change")):
        return "file"
    return "changed file" if results[0]["file"] else "commit"


def _file_matches(row: Row) -> str:
    """Format a file of an exact search with the lines that match, and those around them."""
    found = pluralize(row["matches"], "match", "matches")
    head = f"{_path(row)}  {found}{_state(row)}"
    if row.get("name"):  # of a frame, which is a line
        head = f"{location(row, row['start_line'])}  in {_named(row).strip()}"
    head += f"{_branches(row)}{owners(row)}"
    if row.get("note"):
        head = f"{head}\n{row['note']}"
    around = row.get("context")
    if not around:
        return "\n".join([head, *(_matched_line(line) for line in row["lines"])])
    lines = {line["line"]: _context_line(line) for line in around}
    lines |= {line["line"]: _matched_line(line) for line in row["lines"]}
    return "\n".join([head, *(lines[line] for line in sorted(lines))])


def _context_line(line: Row) -> str:
    after = "…" if line["truncated"] else ""
    return f"    {line['line']}- {escape_line(line['text'])}{after}"


def _matched_line(line: Row) -> str:
    before, after = "…" if line["column"] > 1 else "", "…" if line["truncated"] else ""
    return f"    {line['line']}: {line_sign(line)}{before}{escape_line(line['text'])}{after}"


def _begins(row: Row) -> str:
    first = row["content_start_line"]
    return f"from line {first}, " if first > row["start_line"] else ""


def _change(row: Row) -> str:
    """Format a commit, or a path that it changed, with the lines or the message found."""
    change = row["change"]
    marks = "".join(f"; {mark}" for mark in result_marks(row))
    commit = f"{row['project']}@{row['commit'][:_COMMIT_CHARACTERS]}"
    head = f"{commit}  {change['committed_at'][:10]}  {change['subject']}{marks}"
    if row["file"]:
        head = f"{head}\n{row['file']}"
    elif row.get("matches") is None:
        body = row["content"].partition("\n")[2].strip("\n")
        head = f"{head}  {row['score']:.2f}\n{indented(body)}".rstrip()
    return "\n".join([head, *(_matched_line(line) for line in row["lines"])])


def _result(row: Row) -> str:
    if row.get("change"):
        return _change(row)
    if row.get("matches") is not None:
        return _file_matches(row)
    lines = f"{row['start_line']}-{row['end_line']}"
    head = f"{location(row, lines)}  {_named(row)}  {row['score']:.2f}"
    head += f"{_branches(row)}{owners(row)}"
    cut = (
        f"\n… ({_begins(row)}cut; expand shows all of it)"
        if row["truncated"] and row["content"]
        else ""
    )
    return f"{head}\n{indented(row['content'])}{cut}".rstrip() + _spans(row)


def _spans(row: Row) -> str:
    """Format the further hits in the file on one line."""
    also = [
        f"{span['start_line']}-{span['end_line']} {_named(span)}" for span in row.get("spans", ())
    ]
    return f"\nalso: {', '.join(also)}" if also else ""


def _named(row: Row) -> str:
    name = ".".join(part for part in (row["container"], row["name"]) if part)
    return f"{row['chunk_type']} {name}".strip()


def _status(row: Row) -> str:
    commit = (row["last_indexed_commit"] or "")[:_COMMIT_CHARACTERS]
    at = f"@{commit} {row['default_branch']}, indexed {row['indexed_at']}" if commit else ""
    sizes = ", ".join(f"{row[name]} {name}" for name in ("files", "chunks", "symbols"))
    if row.get("generated"):
        sizes += f", {row['generated']} of the files generated: symbols and references only"
    if row.get("skipped"):
        sizes += f", {row['skipped']} files skipped{_reasons(row.get('skipped_reasons'))}"
    not_run = ", ".join(row.get("policies_not_run", ()))
    policies = f"\n    policies that are not run: {not_run}" if not_run else ""
    error = f"\n    {row['error']}" if row["error"] else ""
    if since := row.get("lacking_since"):
        error += f"\n    without an index since {since}: answers about all projects are incomplete"
    branches = "".join(map(_branch, row.get("branches", ())))
    return f"{row['project']}{at}: {row['state']}; {sizes}{policies}{error}{branches}"


def _branch(row: Row) -> str:
    if row["reason"]:
        return f"\n    branch {row['ref']}: not indexed"
    commit = row["last_indexed_commit"][:_COMMIT_CHARACTERS]
    trouble = f": {row['trouble']}" if row["trouble"] else ""
    return f"\n    branch {row['ref']}@{commit}, indexed {row['indexed_at']}{trouble}"


def _reasons(counts: Mapping[str, int] | None) -> str:
    named = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in (counts or {}).items())
    return f" ({named})" if named else ""


def _local(answer: Row) -> str:
    local = answer.get("local")
    if not local:
        return ""
    return f" Includes uncommitted work of {local['project']} as of {local['indexed_at']}."


def _of_trace(receipt: Row) -> Iterator[str]:
    """Yield what a trace could not decide or not read, and by what it was resolved."""
    if (unresolved := receipt.get("unresolved")) and unresolved["count"]:
        rows = unresolved["sample"][:3]
        sites = ", ".join(f"{row['name']} at {location(row, row['line'])}" for row in rows)
        count = _at_least(unresolved)
        yield f"Unresolved references, matched by name only: {count} ({sites} …)."
    if (elsewhere := receipt.get("elsewhere")) and elsewhere["count"]:
        yield f"Further references, bound to something else: {_at_least(elsewhere)}."
    if relevant := (receipt.get("partly_parsed") or {}).get("relevant"):
        files = ", ".join(f"{row['project']}:{row['file']}" for row in relevant)
        yield f"Lines that could not be parsed have the name, or are of the definition: {files}."
    if unread := receipt.get("unread_manifests"):
        files = ", ".join(f"{row['project']}:{row['file']} ({row['problem']})" for row in unread)
        yield f"Manifests that could not be read whole, and may hide more: {files}."
    if indexed := receipt.get("resolved_by"):
        named = "; ".join(f"{row['project']} {_files_by(row['files'])}" for row in indexed)
        yield f"Files bound by an index or by rules: {named}."
    if (older := receipt.get("older_extractor")) and older["count"]:
        named = ", ".join(older["sample"][:3])
        further = older["count"] - len(older["sample"][:3])
        more = f" and {further} more" if further > 0 else ""
        yield (
            "Read by an older extractor, so what a newer one finds is left out until their next "
            f"run: {named}{more}."
        )


def _at_least(counted: Row) -> str:
    return f"{counted['count']}{'+' if counted['more'] else ''}"


def _files_by(counts: Mapping[str, int]) -> str:
    """Format `scip-typescript 0.4.0 93, rules 7`."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())
