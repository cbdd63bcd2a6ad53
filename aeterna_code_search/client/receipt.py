"""One line about an answer: its repositories, their commits, and what may be missing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aeterna_code_search.client.text import age, short_commit
from indexer.exits import Exit
from indexer.output.terminal import escape_line, owners_line, pluralize

NOTHING_INDEXED: Final = (
    "Nothing is indexed here yet: type `codesearch init` in a repository, or `codesearch index` "
    "if it has a .codesearch.toml."
)
_OF_BRANCHES: Final = ("no_such_branch", "branch_not_indexed")
LINE_EDITED: Final = (
    "This line of the checkout is not that of the indexed commit, of which the answer is."
)
CHECKOUT_NOT_INDEXED: Final = "This checkout is not indexed: `codesearch init` indexes it."
_NAMED: Final = 5
_REASONS: Final = {
    "never_indexed": "never indexed: type `codesearch index` in it",
    "checkout_not_indexed": "this checkout is not indexed: type `codesearch init`",
    "not_cloned": "the service could not clone or index it: see `codesearch status`",
    "failed": "its last run failed: see `codesearch status`",
    "behind": "newer commits are not indexed yet",
    "paused": "paused",
    "embedder_unavailable": "lexical results only: its embedder is unavailable",
    "unknown_project": "no such repository here: see `codesearch status`",
    "local_index_unavailable": "uncommitted work: the index of the work tree is unavailable",
    "base_commit_not_in_clone": "links to other repositories: git fetch the indexed commit",
    "links_on_edited_lines": "links to other repositories, on uncommitted lines",
    "not_linked_yet": "its newest code is not linked yet: try again in a few seconds",
    "policies_not_checked_yet": "policies are still being checked: try again in a few seconds",
    "too_many_hits": "the filters remove too many of its hits: search with other words",
    "too_many_commits": "it has too many commits: only the newest were read, search fewer projects",
    "too_many_files": "too many of its files may match: add a filter or a longer text",
    "timeout": "its files were not all read in time: add a filter, or ask for the next page",
    "text_index_incomplete": "its text index is being built: search again in some minutes",
    "text_index_damaged": "its text index cannot be read whole: an administrator runs `reconcile`",
    "too_many_matches": "a file has too many matches: use a longer text",
    "owners_unread": "who owns its files is not known: see its page",
    "no_such_branch": "it has no such indexed branch",
    "branch_not_indexed": "the index of its branch waits for a run of the branch",
    "reindexed": "it was indexed again meanwhile: search again",
}
# Parameter names of the service as options of this command line.
_OPTIONS: Final = {
    "mode=": "--mode ",
    "give the mode ": "give --mode ",
    "min_confidence=": "--min-confidence ",
    "exclude_projects": "--exclude-project",
    "include_projects": "--project",
    "caller_projects": "--caller-project",
    "kind leaves": "--kind leaves",
    "lower depth, raise limit, or give project and file": (
        "lower --depth, raise --limit, or give --project and --file"
    ),
    "lags_only leaves": "--lags leaves",
    ": see receipt.missing": ", as said above",
    ": see receipt.unread_manifests": ", as said above",
    ": see receipt.older_extractor": ", as said above",
    "Something may be missing: see receipt.": "Something may be missing, as said above.",
    ": see inside": ", as said above",
    "types=": "--types ",
    "direction=": "--direction ",
    "graph_link links nodes": "`codesearch graph link` links nodes",
}


def receipt_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Format lines about an answer: its commits, and what it omits."""
    receipt = answer["receipt"]
    yield _receipt_line(receipt)
    yield from (in_options(limit) for limit in receipt.get("cut", ()))
    yield from filter(None, (_behind_line(receipt), _total_line(answer)))
    if answer.get("next_cursor") and "definitions" in answer:
        yield "There are more: raise --limit, or narrow with --project, --file and --line."
    owned = owners_line(answer.get("owners", ()))
    yield from filter(None, (owned, _unresolved_line(answer)))
    if relevant := receipt.get("partly_parsed", {}).get("relevant"):
        yield (
            "Lines that could not be parsed have the name, or are of the definition, in "
            f"{', '.join(escape_line(_place(manifest)) for manifest in relevant)}."
        )
    if unread := receipt.get("unread_manifests"):
        named = ", ".join(
            f"{_place(manifest)} ({manifest['problem'].replace('_', ' ')})" for manifest in unread
        )
        yield escape_line(f"More may depend on manifests that could not be read whole: {named}.")
    if line := _older_line(receipt.get("older_extractor", {})):
        yield line
    for index in receipt.get("resolved_by", ()):
        yield escape_line(f"{index['project']} is resolved {_shares(index['files'])}.")
    elsewhere = receipt.get("elsewhere", {"count": 0})
    if elsewhere["count"]:
        at_least = "at least " if elsewhere["more"] else ""
        count = pluralize(elsewhere["count"], "further reference")
        yield f"Bound to something else: {at_least}{count}."


def _shares(files: Mapping[str, int]) -> str:
    """`by scip-typescript 0.4.0 (93 % of files), by rules (7 %)`."""
    total = sum(files.values())
    shares = [f"by {name} ({round(100 * count / total)} %)" for name, count in files.items()]
    return ", ".join(shares).replace(" %)", " % of files)", 1)


def _unresolved_line(answer: Mapping[str, Any]) -> str:
    """Count what could not be resolved; "" if the hint of an empty answer says it."""
    unresolved = answer["receipt"].get("unresolved", {}).get("count")
    if not unresolved or "of something unknown" in (answer.get("hint") or ""):
        return ""
    place = "inside of it" if "callees" in answer else "of that name"
    counted = f"{pluralize(unresolved, 'reference')} {place} could not be resolved"
    links = answer.get("callees") or answer.get("callers") or answer.get("references") or ()
    if any(link["confidence"] == "low" for link in links):
        return f"{counted}."
    return f"{counted}; --min-confidence low includes matches by name only."


def _behind_line(receipt: Mapping[str, Any]) -> str:
    if not (behind := receipt.get("files_left_out")):
        return ""
    files = pluralize(behind, "file")
    return f"References of {files} are left out. If they were just indexed, ask again shortly."


def _older_line(older: Mapping[str, Any]) -> str:
    if not older.get("count"):
        return ""
    named = older["sample"][:_NAMED]
    further = older["count"] - len(named)
    more = f" and {further:,} more" if further else ""
    return escape_line(
        f"Read by an older version, which may find less, until their next run: "
        f"{', '.join(named)}{more}."
    )


def _place(file: Mapping[str, Any]) -> str:
    return f"{file['project']}:{file['file']}"


def _total_line(answer: Mapping[str, Any]) -> str:
    """Say how many files an exact search found, if not all of them are in the answer."""
    shown, total = len(answer.get("results", ())), answer.get("total")
    if not total or not shown or (total["files"] <= shown and not answer.get("next_cursor")):
        return ""
    at_least = "at least " if total["at_least"] else ""
    if answer["results"][0].get("change"):
        return f"Shown: {shown:,} of {at_least}{total['files']:,}. --limit shows more."
    return (
        f"Shown: {shown:,} of {at_least}{total['files']:,} files. --limit shows more, "
        "`codesearch grep -m query` every match."
    )


def missing_note(missing: Sequence[Mapping[str, Any]]) -> str:
    """Format a note about projects that may have missing results; "" without any."""
    return escape_line(f"Results may be missing from {_missing(missing)}.") if missing else ""


def graph_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Format lines about an answer of the graph, which may consist of documents only."""
    receipt = answer["receipt"]
    if receipt["projects"] or receipt["missing"]:
        yield _receipt_line(receipt)
    if answer.get("next_cursor"):
        yield "There are more: raise --limit, or narrow the query."
    if truncated := answer.get("truncated"):
        omitted = ", ".join(f"{count:,} {name}" for name, count in _counts(truncated))
        yield f"Omitted: {omitted}." if omitted else ""


def _counts(truncated: object) -> list[tuple[str, int]]:
    return list(truncated.items()) if isinstance(truncated, Mapping) else []


def match_note(answer: Mapping[str, Any]) -> str:
    """Return the match of an answer that is not strong; nothing of others."""
    match = answer.get("match")
    if match is None or answer.get("confidence") not in {"weak", "none"}:
        return ""
    return f"Match: {match:.2f} of 1."


def exit_status(answer: Mapping[str, Any], *, count: int) -> tuple[Exit, str]:
    """Return the exit code of a command, and the reason for an empty answer."""
    receipt = answer["receipt"]
    if count:
        return Exit.OK, ""
    if receipt["projects"]:
        return Exit.NOTHING_FOUND, in_options(answer.get("hint") or "Nothing was found.")
    if any(project["reason"] == "unknown_project" for project in receipt["missing"]):
        names = [
            project["project"]
            for project in receipt["missing"]
            if project["reason"] == "unknown_project"
        ]
        hint = answer.get("hint") or ""
        if not hint or names[0] not in hint:  # a hint that names them has near names, too
            hint = f"No such repository: {', '.join(names[:_NAMED])}."
        return Exit.NOT_INDEXED, f"{in_options(hint)} `codesearch status` lists the repositories."
    if any(row["reason"] in _OF_BRANCHES for row in receipt["missing"]):
        hint = in_options(answer.get("hint") or "Of no repository is this branch indexed.")
        return Exit.NOT_INDEXED, f"{hint} `codesearch status` lists the branches."
    return Exit.NOT_INDEXED, NOTHING_INDEXED


def _receipt_line(receipt: Mapping[str, Any]) -> str:
    parts = [f"{_searched(receipt['projects'])} ({receipt['took_ms']:,.0f} ms)"]
    if local := receipt.get("local"):
        parts.append(local_line(local))
    if missing := receipt["missing"]:
        parts.append(
            f"results may be missing from {_missing(missing, receipt.get('missing_more', 0))}"
        )
    return escape_line("; ".join(parts) + ".")


def local_line(local: Mapping[str, Any]) -> str:
    """Describe the overlay on the service's answer: this checkout's uncommitted work."""
    files = "every file" if local["files"] is None else pluralize(local["files"], "changed file")
    return escape_line(
        f"{files} of {local['project']} as in this checkout {age(local['indexed_at'])}"
    )


def indexed_line(receipt: Mapping[str, Any]) -> str:
    """Describe the index that a file or a list is from."""
    parts = [
        f"{row['project']} at {short_commit(row['commit'])}, indexed {age(row['indexed_at'])}"
        for row in receipt["projects"]
    ]
    parts += [_REASONS.get(project["reason"], project["reason"]) for project in receipt["missing"]]
    return escape_line("; ".join(parts) + ".")


def _searched(projects: Sequence[Mapping[str, Any]]) -> str:
    if not projects:
        return "Searched no repository"
    if len(projects) == 1:
        project = projects[0]
        commit = short_commit(project["commit"])
        return f"Searched {project['project']} at {commit}, indexed {age(project['indexed_at'])}"
    times = sorted(project["indexed_at"] or "" for project in projects)
    oldest, newest = (age(time or None) for time in (times[0], times[-1]))
    when = newest if newest == oldest else f"between {oldest} and {newest}"
    names = {project["project"] for project in projects}
    if len(names) == 1:
        return f"Searched {len(projects)} branches of {min(names)}, indexed {when}"
    return f"Searched {len(names):,} repositories at their indexed commits, indexed {when}"


def _missing(missing: Sequence[Mapping[str, Any]], more: int = 0) -> str:
    named = [
        f"{row['project']} ({_REASONS.get(row['reason'], row['reason'])}{_since(row)})"
        for row in missing[:_NAMED]
    ]
    further = len(missing) - len(named) + more
    return ", ".join(named) + (f" and {further:,} more" if further else "")


def _since(row: Mapping[str, Any]) -> str:
    since = row.get("since")
    return f"; announced {age(since)}" if since else ""


def in_options(sentence: str) -> str:
    """Replace parameter names in a sentence of the service with options."""
    for parameter, option in _OPTIONS.items():
        sentence = sentence.replace(parameter, option)
    return escape_line(sentence)
