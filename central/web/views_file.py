"""The page of one indexed file."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.common.errors import NotFoundError
from central.corpus.reading import FileNotFoundInIndexError, read_file
from central.tenancy.credentials import Credential
from central.web.about import about
from central.web.access import member_page
from central.web.advice import why_skipped
from central.web.paths import crumbs
from central.web.places import file_url, symbol_url

SHOWN_LINES = 30_000  # each is some 100 bytes of the page, however short it is
SHOWN_CHARACTERS = 2_000_000


@member_page
def file(request: HttpRequest, credential: Credential, project: str, path: str) -> HttpResponse:
    """A file as it is indexed; where there is none, the paths that may have been meant."""
    organization = credential.organization.slug
    try:
        found = read_file(credential=credential, project=project, path=path)
    except FileNotFoundInIndexError as exc:
        near = [
            {"text": other, "url": file_url(organization, project, other)} for other in exc.near
        ]
        raise NotFoundError(exc.message, code=exc.code, suggestions=near) from exc
    outline = [
        (
            symbol,
            symbol_url(
                organization, symbol.name, project=project, file=path, line=symbol.start_line
            ),
        )
        for symbol in found.symbols
    ]
    content = _beginning(found.content)
    context = {
        "organization": organization,
        "section": "repositories",
        "about": about(credential, [(project, path, "")]),
        "file": found,
        "content": content,
        "is_cut": len(content) < len(found.content),
        "crumbs": crumbs(organization, project, path),
        "outline": outline,
        "skipped": why_skipped(found.skipped),
    }
    return render(request, "web/file.html", context)


def _beginning(content: str) -> str:
    """As much of it as a browser bears."""
    lines = content[:SHOWN_CHARACTERS].split("\n", SHOWN_LINES)
    return "\n".join(lines[:SHOWN_LINES]) + ("\n" if len(lines) > SHOWN_LINES else "")
