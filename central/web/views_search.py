"""The search page: every filter is in its address."""

from dataclasses import replace
from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import push_url

from aeterna_code_search.contract.search import Mode, SearchAnswer
from central.corpus.files import file_contents
from central.errors import InvalidError
from central.files.finder import PastedFile, pasted_files
from central.query.errors import QueryError
from central.repositories.listing import facets
from central.repositories.visibility import visible_repositories
from central.saved_searches.services.saved import SAVED_SEARCH_NAME_CHARACTERS
from central.search.service import search as answer_to
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from central.web import query_help as query_help_texts
from central.web.access import member_page
from central.web.result_facets import facet_rows
from central.web.search_form import SearchForm, by_field, parse_search, pointed_text, with_context
from central.web.search_results import Group, grouped
from central.web.start_page import start_page
from central.web.urls_for import file_url, search_url, symbol_url
from indexer.limits import PASTED_CHARACTERS
from indexer.records.files import ChunkType

_MODES = {
    Mode.HYBRID: "words and similarity",
    Mode.SEMANTIC: "similarity",
    Mode.LEXICAL: "words",
    Mode.SYMBOL: "names of symbols",
    Mode.LITERAL: "the text as it stands",
    Mode.REGEX: "a regular expression",
    Mode.STRUCTURAL: "a pattern of code",
}


@member_page
def search(request: HttpRequest, credential: Credential) -> HttpResponse:
    """The form and, with a query, its answer; 400 with the form where the address is refused.

    A stack trace may be too long for an address. It comes as a body, and its frames as the address.
    """
    given = request.POST if request.method == "POST" else request.GET
    asked = parse_search(given, organization=credential.organization.slug)
    if request.method == "POST" and asked.request is not None:
        return redirect(f"{request.path}{asked.shortened().address()}")
    answer = None
    try:
        if asked.request is not None:
            answer = answer_to(credential=credential, request=with_context(asked.request))
    except QueryError as exc:
        pointed = pointed_text(asked.q, exc.column)
        asked = replace(asked, errors={"q": [exc.message]}, pointed=pointed)
    except InvalidError as exc:
        asked = replace(
            asked, errors=by_field(exc.extra.get("errors")) or {"cursor": [exc.message]}
        )
    context = {
        "section": "search",
        "asked": asked,
        "answer": answer,
        **(_answered(credential, asked, answer) if answer else {}),
        "chosen": [(project, asked.without("project", project)) for project in asked.projects],
        "first_page": asked.page_at(""),
        "most_characters": PASTED_CHARACTERS,
        "start": None if asked.q else start_page(credential, cast(User, request.user)),
        "most_name": SAVED_SEARCH_NAME_CHARACTERS,
        "facets": facets(credential=credential),
        "modes": [(str(mode), words) for mode, words in _MODES.items()],
        "chunk_types": [str(kind) for kind in ChunkType],
    }
    response = render(request, "web/search.html", context, status=400 if asked.errors else 200)
    if request.htmx.boosted:  # type: ignore[attr-defined] # its middleware's
        push_url(response, f"{request.path}{asked.address()}")  # without fields left blank
    return response


@member_page
def query_help(request: HttpRequest, credential: Credential) -> HttpResponse:
    """The query language, with examples that lead to their searches."""
    organization = credential.organization.slug
    context = {
        "section": "search",
        "examples": [
            (text, meaning, search_url(organization, text))
            for text, meaning in query_help_texts.EXAMPLES
        ],
        "terms": query_help_texts.TERMS,
        "filters": [
            (filter_, search_url(organization, filter_.example))
            for filter_ in query_help_texts.FILTERS
        ],
        "rules": query_help_texts.RULES,
        "modes": [(term, _MODES[Mode(term.name)]) for term in query_help_texts.MODES],
    }
    return render(request, "web/query_help.html", context)


def _answered(credential: Credential, asked: SearchForm, answer: SearchAnswer) -> dict[str, Any]:
    """Return what the page has of an answer."""
    return {
        "wider": [] if answer.results else asked.wider(),
        "next_page": asked.page_at(answer.next_cursor or ""),
        "files": _files(credential, asked, answer),
        "groups": _groups(credential, asked, answer),
        "instead": _instead(credential, asked, answer),
        "reading_url": _reading_url(asked, answer),
        "trace_url": _trace_url(credential, answer),
        "facet_rows": facet_rows(asked, answer.facets),
        "counted": _counted(answer),
    }


def _counted(answer: SearchAnswer) -> str:
    """Return what the total of an answer counts."""
    first = next(iter(answer.results), None)
    if first is None or first.change is None:
        return "file"
    return "changed file" if first.file else "commit"


def _files(
    credential: Credential, asked: SearchForm, answer: SearchAnswer
) -> list[tuple[PastedFile, str]]:
    """Return the files whose path was asked for on the first page, with their addresses."""
    if asked.cursor or answer.reading:
        return []
    organization = credential.organization.slug
    return [
        (
            pasted_file,
            file_url(organization, pasted_file.project, pasted_file.path, pasted_file.line),
        )
        for pasted_file in pasted_files(credential=credential, text=asked.q)
    ]


def _instead(credential: Credential, asked: SearchForm, answer: SearchAnswer) -> list[Group]:
    """Return the answer by words, if nothing has the quoted text."""
    if answer.instead is None:
        return []
    by_words = replace(asked, q=answer.instead.query)
    return _groups(credential, by_words, replace(answer, results=answer.instead.results))


def _reading_url(asked: SearchForm, answer: SearchAnswer) -> str:
    """Return the address of the query that a pasted text was read as; "" if there is none."""
    if answer.reading is None or not answer.reading.query:
        return ""
    return replace(asked, q=answer.reading.query).address()


def _trace_url(credential: Credential, answer: SearchAnswer) -> str:
    """Return the address of the symbol whose callers were asked for."""
    hint = answer.hint
    for code, _, parameters in hint.parts if isinstance(hint, Sentence) else ():
        if code == "trace_callers":
            return symbol_url(credential.organization.slug, str(parameters["name"]))
    return ""


def _groups(credential: Credential, asked: SearchForm, answer: SearchAnswer) -> list[Group]:
    if answer.reading and answer.reading.query:
        asked = replace(asked, q=answer.reading.query)
    names = {result.project for result in answer.results}
    found = visible_repositories(credential=credential).filter(name__in=names)
    return grouped(
        answer,
        asked=asked,
        organization=credential.organization.slug,
        web_urls=dict(found.values_list("name", "web_url")),
        files=file_contents(found, {result.file for result in answer.results}),
    )
