"""What an answer says beside its results: why it is empty or weak, and what to write instead.

An exact search that found nothing asks for what is found nearby.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import nsmallest
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import Confidence, Mode, SearchAnswer, SearchRequest
from central.query.filters import NO_OWNER, FilterName
from central.query.patterns import owner_matcher, text_matcher
from central.query.syntax import (
    Case,
    Filter,
    Literal,
    Query,
    Structural,
    conjunction,
    conjuncts,
)
from central.repositories.models import Repository
from central.search.exact.plan import exact_plan
from central.search.exact.structural import StructuralMatcher
from central.search.filters import is_narrowed
from central.search.reading import ReadRequest
from central.search.rows import is_defined
from central.search.scope import SearchScope
from central.sentences import Sentence, similar_names
from indexer.output.terminal import first_names

EXACT_HINT_NAMES: Final = 3  # unknown repositories that it names, with near names of each
Finds = Callable[[SearchScope, ReadRequest], bool]  # whether there is something, for a moment

_NAMES: Final = 2_000  # of repositories, or owners, that are compared with a name
_PATTERN: Final = re.compile(
    r"\\(?:[wWsSdDB](?!\w)|b)|[.\])][*+]|\.\?|\A\^|\$\Z|\(\?|\[\^|\w\|\w|\A/.+/\Z", re.DOTALL
)

_PATH: Final = re.compile(r"(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*\.[a-z]\w*", re.ASCII)
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
PATTERN_ADVICE: Final = Sentence.of(
    "looks_like_pattern",
    "The text looks like a regular expression, but is not searched as one: write it between "
    "slashes, /…/, or give the mode regex.",
)


def looks_like_pattern(text: str) -> bool:
    """Return whether a text that is searched as it stands may be meant as a regular expression."""
    return bool(_PATTERN.search(text.strip()))


def query_advice(queries: Sequence[str]) -> str | None:
    """Return how a question is written that looks like a regular expression or a path."""
    if any(map(looks_like_pattern, queries)):
        return PATTERN_ADVICE
    paths = [text for text in queries if _PATH.fullmatch(text)]
    if not paths:
        return None
    return Sentence.of(
        "looks_like_path",
        "To find a file by its path, write type:file {path}.",
        path=paths[0],
    )


def hint_of_ranked(
    answer: SearchAnswer, asked: SearchRequest, read: ReadRequest, scope: SearchScope
) -> str | None:
    """Return what to know of the answer to a ranked search that was `asked`, if anything."""
    if answer.results:
        advice = query_advice(read.request.queries)
        said = [OF_CONFIDENCE.get(answer.confidence or Confidence.STRONG), advice]
    else:
        said = [
            repository_hint(read, scope)
            or hint_for(
                asked,
                searched=len(scope.searched),
                missing=answer.receipt.missing,
                is_restricted=read.query.predicate is not None,
            )
        ]
    name = called_name(asked.queries[0])
    if name and is_defined(name.rpartition(".")[2], repositories=scope.searched):
        said.insert(0, _trace_advice(name))
    return Sentence.joined([hint for hint in said if hint]) or None


def exact_hint(
    read: ReadRequest, scope: SearchScope, *, missing: list[MissingProject], finds: Finds
) -> str:
    """Explain why an exact search found nothing; `finds` looks whether others find something."""
    request = read.request
    if request.cursor:
        return hint_for(request, searched=len(scope.searched), missing=missing)
    reasons = repository_hint(read, scope) or _of_receipt(missing)
    if not scope.searched and not reasons:
        return hint_for(request, searched=0, missing=missing)
    return reasons or next(_reasons(read, partial(finds, scope)))


def repository_hint(read: ReadRequest, scope: SearchScope) -> Sentence | None:
    """Return the sentence about repositories, branches, languages or owners that do not exist."""
    if scope.left_out and not scope.searched:
        return _no_branch(read, scope)
    if scope.unknown and not scope.selected:
        return _no_repository(scope.unknown, scope)
    names = [item.name for item in scope.selected]
    unknown = [
        term.value
        for term in conjuncts(read.query.predicate)
        if isinstance(term, Filter)
        and term.name is FilterName.REPO
        and not any(map(text_matcher(term.value, term.match, ignore_case=True), names))
    ]
    if unknown and names:
        return _no_repository(unknown, scope)
    return _language_hint(read, scope) or _owner_hint(read, scope)


def _no_branch(read: ReadRequest, scope: SearchScope) -> Sentence:
    left_out = {project.project for project in scope.left_out}
    known = (scope.chosen.known.get(item.id, ()) for item in scope.visible if item.name in left_out)
    return Sentence.of(
        "no_such_branch",
        "Of no repository in the search's scope is a branch {refs} indexed. Indexed are: {names}.",
        refs=" or ".join(read.refs[:EXACT_HINT_NAMES]),
        names=first_names(sorted({name for names in known for name in names})) or "none",
    )


def _language_hint(read: ReadRequest, scope: SearchScope) -> Sentence | None:
    """Return the sentence about a language of which nothing is indexed in the search's scope."""
    wanted = [
        term.value
        for term in conjuncts(read.query.predicate)
        if isinstance(term, Filter) and term.name is FilterName.LANG
    ]
    searched = Repository.objects.filter(pk__in=list(scope.searched))
    missing = next(
        (name for name in wanted if not searched.filter(languages__has_key=name).exists()), None
    )
    if missing is None or not scope.searched:
        return None
    return Sentence.of(
        "no_such_language",
        "No file of the language {name} is indexed in the search's scope. Leave lang: out to "
        "search all files.",
        name=missing,
    )


def _owner_hint(read: ReadRequest, scope: SearchScope) -> Sentence | None:
    """Return the sentence about an owner that no visible CODEOWNERS names, with near names."""
    terms = [
        term
        for term in conjuncts(read.query.predicate)
        if isinstance(term, Filter)
        and term.name is FilterName.OWNER
        and term.value.lower() != NO_OWNER
    ]
    if not terms:
        return None
    owners = scope.owners.of(scope.searched.values()).values()
    names = set[str]().union(*(owner.names or () for owner in owners))
    unknown = next(
        (
            filter_
            for filter_ in terms
            if not any(map(owner_matcher(filter_.value, filter_.match), names))
        ),
        None,
    )
    if unknown is None:
        return None
    compared = nsmallest(_NAMES, names)
    parts = {part.lower(): name for name in compared for part in (name, name.split("/")[-1])}
    return Sentence.of(
        "no_such_owner",
        "No CODEOWNERS in the search's scope names the owner {name}.{near}",
        name=unknown.value,
        near=similar_names([unknown.value], parts),
    )


def _no_repository(unknown: Sequence[str], scope: SearchScope) -> Sentence:
    names = unknown[:EXACT_HINT_NAMES]
    visible = [item.name for item in scope.visible[:_NAMES]]
    known = {name.lower().rpartition("/")[2]: name for name in visible}
    known |= {name.lower(): name for name in visible}
    written = dict.fromkeys(part for name in names for part in (name, name.rpartition("/")[2]))
    return Sentence.of(
        "no_such_repository",
        "No repository in the search's scope is called {names}.{near}",
        names=", ".join(names) + (" and others" if len(unknown) > len(names) else ""),
        near=similar_names(written, known),
    )


def _of_receipt(missing: Sequence[MissingProject]) -> Sentence | None:
    if any(project.reason in {"timeout", "too_many_files"} for project in missing):
        return Sentence.of(
            "exact_unread",
            "The search stopped before it had read every file. Add a filter such as repo: or "
            "file:, or a longer literal.",
        )
    if unbuilt := _projects(missing, "text_index_incomplete"):
        return Sentence.of(
            "text_index_incomplete",
            "The text index of {projects} is not complete yet: search again in some minutes.",
            projects=unbuilt,
        )
    if damaged := _projects(missing, "text_index_damaged"):
        return Sentence.of(
            "text_index_damaged",
            "The text index of {projects} cannot be read whole: an administrator repairs it with "
            "`manage.py reconcile`.",
            projects=damaged,
        )
    return None


def _projects(missing: Sequence[MissingProject], reason: str) -> str:
    """Return the first names of those that are missing for a reason."""
    names = [project.project for project in missing if project.reason == reason]
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")


def _reasons(read: ReadRequest, finds: Callable[[ReadRequest], bool]) -> Iterator[Sentence]:
    """Yield what is true of the query, the most useful first; the last one always is."""
    literals = [term.text for term in read.query.content_terms if isinstance(term, Literal)]
    if read.request.mode is Mode.LITERAL and any(map(_is_quoted, literals)):
        yield Sentence.of(
            "quotes_are_text",
            "In the mode literal quotes are part of the text. Leave them out.",
        )
    if _has_case(read.query) and finds(replace(read, query=Query(read.query.root, Case.NO))):
        yield Sentence.of(
            "case_differs",
            "Upper and lower case differ: with case:no there are matches.",
        )
    yield from _of_filters(read, finds)
    yield from _of_structure(read)
    if any(map(looks_like_pattern, literals)):
        yield PATTERN_ADVICE
    yield _nothing(read)


def _of_filters(read: ReadRequest, finds: Callable[[ReadRequest], bool]) -> Iterator[Sentence]:
    terms = [term for term in conjuncts(read.query.predicate) if not isinstance(term, Filter)]
    is_filtered = len(terms) < len(conjuncts(read.query.predicate)) or is_narrowed(read.request)
    if not terms or not (is_filtered or read.within):
        return
    if not any(isinstance(term, Structural) for term in terms) and finds(
        ReadRequest(SearchRequest(), Query(conjunction(terms), read.query.case))
    ):
        yield Sentence.of(
            "filters_exclude",
            "There are matches, but the filters (in the query, or in the request's fields) "
            "exclude them. Leave some out.",
        )


def _of_structure(read: ReadRequest) -> Iterator[Sentence]:
    plan = exact_plan(read)
    for pattern in plan.structural.values():
        if not StructuralMatcher(pattern).parses():
            yield Sentence.of(
                "pattern_does_not_parse",
                "The pattern is no whole {language} by itself, so it may match nothing. Write one "
                "whole expression or statement, with $NAME for a part and $$$ for any number of "
                "parts; to find the text, put it in quotes without the mode structural.",
                language=pattern.language,
            )


def _nothing(read: ReadRequest) -> Sentence:
    if read.query.content_terms:
        return Sentence.of(
            "exact_nothing",
            "No indexed file matches. Without quotes, words are searched by meaning.",
        )
    if any(isinstance(term, Filter) and term.name is FilterName.SYM for term in read.query.terms):
        return Sentence.of(
            "no_definition", "No definition fulfils the filters. Try a part of its name."
        )
    return Sentence.of(
        "no_file", "No file fulfils the filters. file: is a part of a path, or a glob (*.py)."
    )


def _has_case(query: Query) -> bool:
    return any(
        not isinstance(term, Structural) and not query.ignores_case(term) for term in query.terms
    )


def _is_quoted(text: str) -> bool:
    return len(text) > 2 and text[0] == text[-1] == '"'


def _trace_advice(name: str) -> Sentence:
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
