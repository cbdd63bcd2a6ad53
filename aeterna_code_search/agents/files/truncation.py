"""Truncation of lists of files, and of their content, to a budget."""

from collections.abc import Sequence
from typing import Final

from aeterna_code_search.agents.truncation import Answer, Budget, first_rows, largest

truncate_list: Final = first_rows(
    "entries",
    advice="name a directory or a glob, or ask for fewer with limit and follow next_cursor",
)


def truncate_content(answer: Answer, budget: Budget) -> Answer:
    """Keep the first lines that fit; if not even one does, its beginning."""
    if answer["content"] is None or budget.holds(answer):
        return answer
    lines = answer["content"].removesuffix("\n").split("\n")

    count = largest(len(lines), lambda count: budget.holds(_first_lines(answer, lines, count)))
    if count:
        return _first_lines(answer, lines, count)
    line = lines[0]
    characters = largest(len(line), lambda count: budget.holds(_beginning(answer, line, count)))
    return _beginning(answer, line, characters)


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
