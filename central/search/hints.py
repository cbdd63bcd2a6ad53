"""Sentences about an answer that is empty, or whose best match is weak: why, and what to try."""

import re
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import Confidence, Mode, SearchRequest
from central.search.filters import is_narrowed
from central.sentences import Sentence

# With the results of an answer of this confidence.
OF_CONFIDENCE = {
    Confidence.NONE: "No good match: these results are only the nearest. Check the spelling, or "
    "try other words, a shorter query or the name of a definition.",
    Confidence.WEAK: "A weak match: these results may be about something else. Read them before "
    "you rely on them, or try the name of a definition or an exact text in quotes.",
}
_USES: Final = r"(?:calls?|uses?|invokes?|references|imports?|depends on|is (?:calling|using))"
_LISTED: Final = r"(?:callers?|usages?|uses|references|call ?sites)"
_USED: Final = r"(?:called|used|invoked|referenced|imported)"
_NAME: Final = r"[^\W\d][\w$]{0,200}(?:(?:\.|::|#|->)[^\W\d][\w$]{0,200}){0,10}"
_QUESTION: Final = re.compile(
    rf"(?:(?:who|what|which \w{{1,30}}) (?:all )?{_USES}"
    rf"|(?:(?:find|show|list) )?(?:(?:all|the|every) ){{0,2}}{_LISTED} (?:of|to)"
    r"|(?P<where>where (?:is|are)))"
    rf"(?: the (?:function|method|class))? [`'\"]?(?P<name>{_NAME})(?:\(\))?[`'\"]?"
    rf"(?P<used> {_USED}(?: from)?)?\s*\??",
    re.IGNORECASE,
)


def trace_advice(name: str) -> Sentence:
    """Return where the callers of a name are found."""
    return Sentence.of(
        "trace_callers",
        "What calls {name} is a trace, not a search: code_trace_callers with this symbol, or "
        "`codesearch trace callers {name}`.",
        name=name,
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
    if not searched and missing:
        return Sentence.of(
            "none_indexed",
            "None of the requested projects is indexed: see receipt.missing, and run the index "
            "action in their repositories.",
        )
    if not searched:
        return Sentence.of(
            "none_in_scope",
            "No project is in the search's scope: the organisation has none that this token sees, "
            "or exclude_projects excludes all of them.",
        )
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


def called_name(text: str) -> str:
    """Return the name whose callers a question asks for, "" if it asks for something else."""
    found = _QUESTION.fullmatch(text)
    if found is None or bool(found["where"]) is not bool(found["used"]):
        return ""
    return re.sub(r"::|#|->", ".", found["name"])
