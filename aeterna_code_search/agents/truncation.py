"""Truncation of answers to a budget of tokens, best rows first.

The budget is for all that is sent: the text, and the structured content if there is any.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from aeterna_code_search.agents.tokens import estimate_tokens
from indexer.output.terminal import show_hidden

DEFAULT_TOKENS: Final = 8_000  # Claude Code warns about outputs above 10,000
MIN_TOKENS: Final = 500
MAX_TOKENS: Final = 50_000

Answer = dict[str, Any]
Row = dict[str, Any]
Text = Callable[[Answer], str]
Structure = Callable[[Answer], Any]
Truncate = Callable[[Answer, "Budget"], Answer]

_LISTS: Final = (
    *("results", "definitions", "callers", "callees", "references", "nodes", "edges", "entries"),
    *("commits", "roots", "violations", "code", "related", "decisions", "policies", "memories"),
    "consumers",
)
_RECEIPT_SHARE: Final = 4  # a receipt may take a quarter of the budget before the rows


@dataclass(frozen=True, slots=True)
class Budget:
    """The tokens of an answer's `text` with its `structure`, which is what programs are sent."""

    max_tokens: int
    text: Text
    structure: Structure | None = None

    def size(self, answer: Answer) -> int:
        """Estimate the tokens of an answer."""
        size = estimate_tokens(self.text(answer))
        if self.structure is not None:
            size += estimate_tokens(shown(self.structure(answer)))
        return size

    def holds(self, answer: Answer) -> bool:
        """Return whether an answer fits."""
        return self.size(answer) <= self.max_tokens


def shown(value: Any) -> Any:
    """Show hidden characters in every text of a value, names of members too."""
    if isinstance(value, str):
        return show_hidden(value)
    if isinstance(value, Mapping):
        return {show_hidden(name): shown(member) for name, member in value.items()}
    return [shown(member) for member in value] if isinstance(value, (list, tuple)) else value


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from 1 to `most` that fits, else 0; none fits above one that fails.

    It tries few of them.
    """
    return bisect_left(range(1, most + 1), True, key=lambda number: not fits(number))


def truncate_search(answer: Answer, budget: Budget) -> Answer:
    """Keep the best results that fit; of files with matching lines, the first lines that fit."""
    results: Sequence[Row] = answer["results"]

    def keep(lines: int) -> Answer:
        return page(answer, "results", _with_lines(results, lines))

    lines = sum(map(_line_count, results))
    advice = "ask for fewer with limit and follow next_cursor"
    if instead := answer.get("instead"):  # there are no results
        lines = sum(map(_line_count, instead["results"]))
        keep = partial(_with_instead, instead)
    return truncate(answer, budget, keep, lines, advice=advice)


def _with_instead(instead: Row, lines: int) -> Answer:
    return {"instead": {**instead, "results": _with_lines(instead["results"], lines)}}


def _line_count(result: Row) -> int:
    return len(result.get("lines") or ()) or 1


def _with_lines(results: Sequence[Row], lines: int) -> list[Row]:
    """Return the first results, with `lines` lines together; one without lines counts as one."""
    kept = []
    for result in results:
        if lines <= 0:
            break
        count = _line_count(result)
        kept.append(result if count <= lines else _first_lines(result, lines))
        lines -= count
    return kept


def _first_lines(result: Row, lines: int) -> Row:
    """Return a result with its first lines, without the lines around any."""
    cut = {**result, "lines": result["lines"][:lines], "truncated": True}
    return {**cut, "context": []} if "context" in result else cut


def truncate_code(answer: Answer, budget: Budget) -> Answer:
    """Truncate `search_code`; if not even the best hit fits, keep the beginning of its text."""
    results: Sequence[Row] = answer["results"]

    def keep(count: int) -> Answer:
        return {"results": results[:count], "totalResults": count}

    def keep_text(characters: int) -> Answer:
        cut = {**results[0], "text": str(results[0]["text"])[:characters], "truncated": True}
        return {"results": [cut], "totalResults": 1}

    cut = partial(truncate, answer, budget, advice="ask for fewer with top_k")
    kept = cut(keep, len(results))
    if kept["results"] or not results:
        return kept
    return cut(keep_text, len(results[0]["text"]))


def first_rows(name: str, *, advice: str) -> Truncate:
    """Return the truncation that keeps the first rows of a list that fit."""

    def truncate_rows(answer: Answer, budget: Budget) -> Answer:
        rows: Sequence[Row] = answer[name]

        def keep(count: int) -> Answer:
            return page(answer, name, rows[:count])

        return truncate(answer, budget, keep, len(rows), advice=advice)

    return truncate_rows


truncate_status: Final = first_rows("projects", advice="name a project")


def page(answer: Answer, name: str, rows: Sequence[Row]) -> Answer:
    """Return the members of a page with these rows of `answer`; after a cut one follows no other.

    The next cursor would skip the rows that were cut.
    """
    if len(rows) == len(answer[name]):
        return {name: list(rows)}
    changed = {"count": len(rows), "next_cursor": None}
    return {name: list(rows), **{key: changed[key] for key in changed if key in answer}}


def truncate(
    answer: Answer,
    budget: Budget,
    keep: Callable[[int], Answer],
    most: int,
    *,
    advice: str,
) -> Answer:
    """Return `answer` if it fits, else as many rows and as much of the receipt as fit.

    `keep` returns the members with a number of rows, from 0 to `most`. `advice` ends the sentence
    that says what to do.
    """
    size = budget.size(answer)
    if size <= budget.max_tokens:
        return answer
    needs = f"max_tokens={budget.max_tokens} is too little for about {size} tokens: "
    raised = f"raise it to {size}, or " if size <= MAX_TOKENS else ""
    missing = len(answer.get("receipt", {}).get("missing", ()))
    projects = _projects_told(answer, budget)

    def cut(count: int, missing: int) -> Answer:
        kept = {**answer, **keep(count)}
        if "receipt" in answer:
            kept["receipt"] = _receipt(kept, missing, projects)
        counts = _omitted(answer, kept)
        return {**kept, "left_out": {"counts": counts, "advice": f"{needs}{raised}{advice}."}}

    def tokens(count: int, missing: int) -> int:
        return budget.size(cut(count, missing))

    bare = tokens(0, 0)
    share = bare + max(0, budget.max_tokens - bare) // _RECEIPT_SHARE
    listed = largest(missing, lambda number: tokens(0, number) <= share)
    count = largest(most, lambda number: tokens(number, listed) <= budget.max_tokens)
    listed += largest(
        missing - listed, lambda more: tokens(count, listed + more) <= budget.max_tokens
    )
    return cut(count, listed)


def _projects_told(answer: Answer, budget: Budget) -> int:
    """Return how many projects that answered the receipt may list; a text only counts them."""
    projects: Sequence[Row] = answer.get("receipt", {}).get("projects", ())
    if budget.structure is None:
        return len(projects)
    share = budget.max_tokens // _RECEIPT_SHARE
    return largest(len(projects), lambda number: estimate_tokens(projects[:number]) <= share)


def _receipt(answer: Answer, missing: int, told: int) -> Answer:
    """Return the receipt with `missing` projects that are missing, and `told` that answered.

    Those of the rows come first.
    """
    receipt = answer["receipt"]
    projects = receipt["projects"]
    if told < len(projects):
        shown_projects = {_project(row) for name in _LISTS for row in answer.get(name, ())}
        ordered = sorted(projects, key=lambda row: row["project"] not in shown_projects)
        projects = ordered[:told]
    return {**receipt, "missing": receipt["missing"][:missing], "projects": projects}


def _project(row: Any) -> Any:
    """Return the project of a row, or of its node."""
    if not isinstance(row, Mapping):
        return None
    return row.get("project") or _project(row.get("node") or row.get("code"))


def _omitted(whole: Answer, kept: Answer) -> dict[str, int]:
    """Count the rows of `whole` that `kept` does not have, by the names of the lists."""
    before, after = _counts(whole), _counts(kept)
    return {name: count - after[name] for name, count in before.items() if count > after[name]}


def _counts(answer: Answer) -> dict[str, int]:
    counts: dict[str, int] = {name: len(answer[name]) for name in _LISTS if name in answer}
    counts["lines"] = sum(len(row.get("lines") or ()) for row in answer.get("results", ()))
    if instead := answer.get("instead"):
        counts["instead.results"] = len(instead["results"])
    receipt = answer.get("receipt")
    if receipt is None:
        return {**counts, "projects": len(answer.get("projects", ()))}
    return counts | {f"receipt.{name}": len(receipt[name]) for name in ("missing", "projects")}
