"""Replies of tools: an answer with its forms, which is cut to the budget of what is sent."""

from dataclasses import dataclass
from typing import Final

from mcp.types import CallToolResult

from aeterna_code_search.agents.results import success
from aeterna_code_search.agents.tokens import estimate_tokens
from aeterna_code_search.agents.truncation import Answer, Budget, Structure, Text, Truncate, largest

_CUT: Final = "\n… (cut: max_tokens)"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, its text form, and how it is truncated.

    `max_tokens`: None sends all of it. `structure`: what is sent beside the text in any case; None
    if the caller chooses.
    """

    answer: Answer
    text: Text
    truncate: Truncate | None = None
    max_tokens: int | None = None
    structure: Structure | None = None


def result_of(reply: Reply, structure: Structure | None) -> CallToolResult:
    """Return the result of a call, within its budget; `structure` is sent beside the text."""
    answer, form = reply.answer, reply.structure or structure
    if reply.max_tokens is None or reply.truncate is None:
        return success(reply.text(answer), form and form(answer))
    budget = Budget(reply.max_tokens, reply.text, form)
    answer = reply.truncate(answer, budget)
    text = reply.text(answer)
    if budget.holds(answer):
        return success(text, form and form(answer))
    return success(_beginning(text, reply.max_tokens), None)


def _beginning(text: str, max_tokens: int) -> str:
    """Return as much of a text as fits: a long query alone may be more."""
    if estimate_tokens(text) <= max_tokens:
        return text
    count = largest(len(text), lambda end: estimate_tokens(text[:end] + _CUT) <= max_tokens)
    return text[:count] + _CUT
