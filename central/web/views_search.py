"""The search page: every filter is in its address."""

from dataclasses import replace
from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import push_url

from central.corpus.files import file_contents
from central.errors import InvalidError
from central.files.finder import PastedFile, pasted_files
from central.query.errors import QueryError
from central.repositories.listing import facets
from central.repositories.visibility import visible_repositories
from central.search.answers import Answer, FacetedAnswer
from central.search.query import Mode
from central.search.service import search as answer_to
from central.tenancy.credentials import Credential
from central.web import query_help as query_help_texts
from central.web.access import member_page
from central.web.result_facets import facet_rows
from central.web.search_form import SearchForm, by_field, parse_search, pointed_text, with_context
from central.web.search_results import Group, grouped
from central.web.start_page import start_page
from central.web.urls_for import file_url, search_url
from indexer.limits import SAVED_SEARCH_NAME_CHARACTERS
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
    """The form and, with a query, its answer; 400 with the form where the address is refused."""
    asked = parse_search(request.GET, organization=credential.organization.slug)
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
        "chosen": [(project, asked.without("project", project)) for project in asked.projects],
        "wider": asked.wider() if answer and not answer.results else [],
        "first_page": asked.page_at(""),
        "next_page": asked.page_at(answer.next_cursor or "") if answer else "",
        "files": _files(credential, asked, answer),
        "groups": _groups(credential, asked, answer),
        "start": None if asked.q else start_page(credential, cast(User, request.user)),
        "most_name": SAVED_SEARCH_NAME_CHARACTERS,
        "facet_rows": facet_rows(asked, answer.facets) if isinstance(answer, FacetedAnswer) else [],
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
            (one, search_url(organization, one.example)) for one in query_help_texts.FILTERS
        ],
        "rules": query_help_texts.RULES,
        "modes": [(one, _MODES[Mode(one.name)]) for one in query_help_texts.MODES],
    }
    return render(request, "web/query_help.html", context)


def _files(
    credential: Credential, asked: SearchForm, answer: Answer | None
) -> list[tuple[PastedFile, str]]:
    """Return the files whose path was asked for on the first page, with their addresses."""
    if answer is None or asked.cursor:
        return []
    organization = credential.organization.slug
    return [
        (one, file_url(organization, one.project, one.path, one.line))
        for one in pasted_files(credential=credential, text=asked.q)
    ]


def _groups(credential: Credential, asked: SearchForm, answer: Answer | None) -> list[Group]:
    if answer is None:
        return []
    names = {result.project for result in answer.results}
    found = visible_repositories(credential=credential).filter(name__in=names)
    return grouped(
        answer,
        asked=asked,
        organization=credential.organization.slug,
        web_urls=dict(found.values_list("name", "web_url")),
        files=file_contents(found, {result.file for result in answer.results}),
    )
