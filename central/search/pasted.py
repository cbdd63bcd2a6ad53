"""Answers to what people paste: stack traces, places in files, error messages.

They have one page. What is not found so is searched by its words (`words_of`).
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from aeterna_code_search.contract.search import (
    Mode,
    ReadAs,
    Reading,
    SearchAnswer,
    SearchRequest,
)
from central.db import one_moment
from central.query.pasted.error_message import (
    ErrorMessage,
    error_of_trace,
    fixed_parts,
    parse_error,
    smaller_parts,
)
from central.query.pasted.places import parse_place
from central.query.pasted.stack_trace import StackTrace, parse_trace
from central.query.syntax import Literal, Node, Query, Regex, conjunction, conjuncts
from central.search.answers import search_answer
from central.search.frame_places import ChosenPlaces
from central.search.frame_results import find_places, frame_results
from central.search.line_search import first_lines_in
from central.search.ranking.rules import path_traits
from central.search.reading import ReadRequest, check_characters
from central.search.scope import SearchScope, search_scope
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from indexer.output.terminal import pluralize

ERROR_SEARCH_SECONDS: Final = 1.0  # for each way to read its parts
ERROR_SECONDS: Final = 3.0  # for all of them
_MAY_BE_PASTED: Final = re.compile(r"[:(#]\s?L?\d|\bline \d|:\s|\]\s|ERR!|\AE  ")
_QUOTING: Final = frozenset({"tests", "docs"})  # kinds of files that hold messages filled in
_CONTEXT_LINES: Final = 2  # around a line that holds an error's text
_CONTEXT_CHARACTERS: Final = 2_000
_WORDS_CHARACTERS: Final = 500  # of the words of a trace
_SHOWN_CHARACTERS: Final = 200  # of a pasted text, as the answer's query


@dataclass(frozen=True, slots=True)
class PastedText:
    """A text that is not read by the query language; at least one of both is there."""

    trace: StackTrace | None
    error: ErrorMessage | None

    @property
    def is_place(self) -> bool:
        """Whether it is a place and not a trace."""
        return self.trace is not None and not self.trace.language


def read_pasted(request: SearchRequest) -> PastedText | None:
    """Return what is pasted into a request, None for a query. Raises QueryError.

    Answers to pasted texts have no further page.
    """
    if request.mode is not Mode.HYBRID or len(request.queries) > 1 or request.cursor:
        return None
    (text,) = request.queries
    if not _MAY_BE_PASTED.search(text):
        return None
    if text.startswith('"') and text.endswith('"'):  # a literal
        return None
    check_characters(text)
    trace = parse_trace(text)
    place = parse_place(text)
    if place and (trace is None or len(trace.frames) == 1):  # pytest begins with a place
        error = parse_error(text) or parse_error(text.partition(": ")[2])
        return PastedText(StackTrace("", (place,)), error)
    error = error_of_trace(text) if trace else parse_error(text)
    return PastedText(trace, error) if trace or error else None


def find_pasted(
    *, credential: Credential, read: ReadRequest, pasted: PastedText
) -> SearchAnswer | None:
    """Return the lines of a pasted trace, or those that hold an error's text; None without any."""
    scope, request = search_scope(credential, read), read.request
    answer = None
    if pasted.trace:
        answer = _find_frames(scope, request, pasted.trace)
    if answer is None and pasted.error:
        answer = _find_message(scope, request, pasted.error, Query())
    return answer and _about(answer, request)


def words_of(request: SearchRequest, pasted: PastedText) -> SearchRequest | None:
    """Return the search by the words of a trace or an error; None for a place, which is a query."""
    words = pasted.error.words.split() if pasted.error else []
    frames = pasted.trace.frames if pasted.trace and not pasted.is_place else ()
    words += [frame.function for frame in frames if frame.function]
    words = words or [frame.path.rpartition("/")[2] for frame in frames]
    text = " ".join(dict.fromkeys(words))[:_WORDS_CHARACTERS]
    return replace(request, queries=(text,)) if text else None


def by_words(answer: SearchAnswer, request: SearchRequest, pasted: PastedText) -> SearchAnswer:
    """Return the answer to a search by `words_of` as that to the pasted text."""
    if pasted.trace and not pasted.is_place:
        frames = len(pasted.trace.frames) + pasted.trace.unplaced
        text = Sentence.of(
            "read_as_trace_words",
            "Read as a stack trace: none of its frames is in an indexed repository, so it is "
            "searched by its words.",
        )
        reading = Reading(ReadAs.STACK_TRACE, text, answer.query, [], frames, frames)
    else:
        text = Sentence.of(
            "read_as_error_words",
            "Read as an error message: its text stands in no indexed file, so it is searched by "
            "its words.",
        )
        reading = Reading(ReadAs.ERROR_MESSAGE, text, answer.query)
    return _about(replace(answer, next_cursor=None, reading=reading), request)


def find_parts(*, credential: Credential, read: ReadRequest, message: str) -> SearchAnswer | None:
    """Return lines that hold the parts of a text which look as if they were not filled in.

    `read` restricts the files. None if no line has them, or if they are a single word.
    """
    error = ErrorMessage("", fixed_parts(message), "")
    scope = search_scope(credential, read)
    return _find_message(scope, read.request, error, read.query)


def _about(answer: SearchAnswer, request: SearchRequest) -> SearchAnswer:
    (text,) = request.queries
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    return replace(answer, query=text, queries=[text])


def _find_frames(
    scope: SearchScope, request: SearchRequest, trace: StackTrace
) -> SearchAnswer | None:
    started = time.perf_counter()
    with one_moment():
        chosen = find_places(trace, request, scope.searched)
        places = [*chosen.best, *chosen.others][: request.limit]
        results = frame_results(places, request, scope.searched, scope.owners, scope.chosen)
    if not results:
        return None
    reading = _reading(trace, chosen)
    return search_answer(
        scope, request, results, lacks={}, match=1.0, started=started, reading=reading
    )


_LANGUAGES: Final = {
    "csharp": "C#",
    "java": "Java or Kotlin",
    "javascript": "JavaScript",
    "php": "PHP",
}


def _reading(trace: StackTrace, chosen: ChosenPlaces) -> Reading:
    if not trace.language:
        return Reading(ReadAs.PLACE, Sentence.of("read_as_place", "Read as a line of a file."))
    count = len(chosen.best) + chosen.elsewhere
    language = _LANGUAGES.get(trace.language, trace.language.capitalize())
    rest = pluralize(chosen.elsewhere, "frame")
    verb = "is" if chosen.elsewhere == 1 else "are"
    text = Sentence.of(
        "read_as_trace",
        "Read as a stack trace of {language}, the innermost call first.{rest}{cut}",
        language=language,
        cut=" The outermost frames are left out: it has too many." if trace.is_cut else "",
        rest=f" {rest} of {count} {verb} in no indexed repository." if chosen.elsewhere else "",
    )
    return Reading(ReadAs.STACK_TRACE, text, frames=count, elsewhere=chosen.elsewhere)


def _find_message(
    scope: SearchScope, request: SearchRequest, error: ErrorMessage, restriction: Query
) -> SearchAnswer | None:
    """Return the first lines of a file that may make the message, else of one that quotes it."""
    until = time.monotonic() + ERROR_SECONDS
    quoting: SearchAnswer | None = None
    for terms, parts in _terms(error):
        seconds = min(ERROR_SEARCH_SECONDS, until - time.monotonic())
        if seconds <= 0:
            break
        query = Query(conjunction([*conjuncts(restriction.root), *terms]), restriction.case)
        shown = replace(
            request,
            queries=(str(query),),
            expand=max(request.expand, _CONTEXT_LINES),
            max_content=max(request.max_content, _CONTEXT_CHARACTERS),
        )
        read = ReadRequest(shown, query, is_exact=True)
        if answer := first_lines_in(scope, read=read, seconds=seconds):
            text = Sentence.of(
                "read_as_error",
                "Read as an error message: these lines have {parts}.",
                parts=" … ".join(f"“{part}”" for part in parts),
            )
            reading = Reading(ReadAs.ERROR_MESSAGE, text, str(query), list(parts))
            answer = replace(answer, reading=reading)
            if not all(path_traits(row.file).kinds & _QUOTING for row in answer.results):
                return answer
            quoting = quoting or answer
    return quoting


def _terms(error: ErrorMessage) -> Iterator[tuple[list[Node], tuple[str, ...]]]:
    """Yield what to look for, the most exact first, with the parts that it holds.

    All parts on a line, all in a file, then some of them.
    """
    parts = error.parts
    if len(parts) > 1:
        yield [Regex(".*".join(map(re.escape, parts)))], parts
        yield list(map(Literal, parts)), parts
    elif parts and " " in parts[0]:
        yield [Literal(parts[0])], parts
    for some in smaller_parts(parts):
        is_several = len(some) > 1
        term = Regex(".*".join(map(re.escape, some))) if is_several else Literal(some[0])
        yield [term], some
