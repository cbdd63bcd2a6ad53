"""Truncation of lists of files, and of their content, to a budget."""

from collections.abc import Sequence

from agents.files.text import content_text, list_text
from agents.truncation import Answer, Budget, Row, largest, page, truncate


def truncate_list(answer: Answer, budget: Budget) -> Answer:
    """Keep the first entries that fit."""
    entries: Sequence[Row] = answer["entries"]

    def keep(count: int) -> Answer:
        return page(answer, "entries", entries[:count])

    advice = "name a directory or a glob, or ask for fewer with limit and follow next_cursor"
    return truncate(answer, budget, keep, len(entries), text=list_text, advice=advice)


def truncate_content(answer: Answer, budget: Budget) -> Answer:
    """Keep the first lines that fit; if not even one does, its beginning."""
    if answer["content"] is None or budget.holds(answer, content_text):
        return answer
    lines = answer["content"].removesuffix("\n").split("\n")

    def fits(cut: Answer) -> bool:
        return budget.holds(cut, content_text)

    count = largest(len(lines), lambda count: fits(_first_lines(answer, lines, count)))
    if count:
        return _first_lines(answer, lines, count)
    characters = largest(len(lines[0]), lambda count: fits(_beginning(answer, lines[0], count)))
    return _beginning(answer, lines[0], characters)


def _first_lines(answer: Answer, lines: Sequence[str], count: int) -> Answer:
    content = "".join(f"{line}\n" for line in lines[:count])
    return _cut(answer, content, answer["start_line"] + count - 1, "The answer ends after it")


def _beginning(answer: Answer, line: str, characters: int) -> Answer:
    first = answer["start_line"]
    return _cut(answer, line[:characters], first, "It is longer than the answer")


def _cut(answer: Answer, content: str, last: int, why: str) -> Answer:
    following = f": go on with start_line={last + 1}" if last < answer["total_lines"] else ""
    hint = f"Line {last}: {why}, because of max_tokens{following}."
    return {**answer, "content": content, "end_line": last, "truncated": True, "hint": hint}
