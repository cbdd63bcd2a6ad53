"""Sentences about an answer that is empty or has no good match: why, and what to try."""

from collections.abc import Sequence
from typing import Final

from central.repositories.visibility import MissingProject
from central.search.answers import UNKNOWN_PROJECT
from central.search.query import Mode, SearchRequest, is_narrowed
from central.sentences import Sentence

_NAMED_PROJECTS: Final = 5
NO_GOOD_MATCH = (
    "No good match: these results are only the nearest. Check the spelling, or try other words, a "
    "shorter query or the name of a definition."
)


def hint_for(
    request: SearchRequest,
    *,
    searched: int,
    missing: list[MissingProject],
    is_restricted: bool = False,
) -> str:
    """Explain why an answer is empty, and what to try.

    `is_restricted`: the query has filters, literals or patterns of its own.
    """
    if request.cursor:
        return "There are no more results; the page before was the last."
    if of_scope := _scope_hint(searched=searched, missing=missing):
        return of_scope
    if is_restricted:
        return (
            "No file fulfils the query's filters, quoted texts and patterns together. Leave some "
            "of them out, or search for the words alone."
        )
    if is_narrowed(request):
        return "Nothing passed the filters. Widen or drop them; paths are case-sensitive prefixes."
    if request.mode is Mode.SYMBOL:
        template = "No symbol has such a name. Try a part of the name, or mode=hybrid."
        return Sentence.of("no_such_symbol", template)
    if request.mode is Mode.LEXICAL:
        template = "No chunk holds these words. Try other words, or mode=hybrid."
        return Sentence.of("no_such_words", template)
    return "Nothing in the index resembles the query. Try other words, or an identifier."


def _scope_hint(*, searched: int, missing: list[MissingProject]) -> str:
    """Explain which projects were not searched; "" if all of the requested ones were."""
    if unknown := [one.project for one in missing if one.reason == UNKNOWN_PROJECT]:
        return _unknown_hint(unknown, is_all=not searched)
    if searched:
        return ""
    if missing:
        return Sentence.of(
            "none_indexed",
            "None of the requested projects is indexed: see receipt.missing, and run the index "
            "action in their repositories.",
        )
    return Sentence.of(
        "none_in_scope",
        "No project is in the search's scope: the organisation has none that this token sees, "
        "or exclude_projects excludes all of them.",
    )


def _unknown_hint(names: Sequence[str], *, is_all: bool) -> str:
    """Name projects that do not exist, or that the credential does not see."""
    further = len(names) - _NAMED_PROJECTS
    more = f" and {further} more" if further > 0 else ""
    named = ", ".join(names[:_NAMED_PROJECTS]) + more
    if is_all:
        return f"No such project: {named}. Check include_projects."
    return f"No such project: {named}. Nothing was found in the others; check include_projects."


def exact_hint(request: SearchRequest, *, searched: int, missing: list[MissingProject]) -> str:
    """Explain why an exact search found nothing, and what to try."""
    is_unknown = any(one.reason == UNKNOWN_PROJECT for one in missing)
    if request.cursor or not searched or is_unknown:
        return hint_for(request, searched=searched, missing=missing)
    if any(one.reason in {"timeout", "too_many_files"} for one in missing):
        return Sentence.of(
            "exact_unread",
            "The search stopped before it had read every file. Add a filter such as repo: or "
            "file:, or a longer literal.",
        )
    return Sentence.of(
        "exact_nothing",
        "No indexed file matches. Upper and lower case differ where the query has an upper-case "
        "letter: case:no ignores case. Without quotes, words are searched by meaning.",
    )
