"""Pages of a repository's files: directories, the finder, a file, its bytes alone."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import quote_plus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.middleware import HtmxDetails

from aeterna_code_search.contract.files import BlameRequest, ListRequest
from central.corpus.files import (
    FileNotFoundInIndexError,
    FileView,
    has_file,
    read_file,
    why_skipped,
)
from central.corpus.identifiers import (
    StoredDefinition,
    StoredReference,
    definitions_of,
    references_of,
)
from central.db import one_moment
from central.errors import InvalidError, NotFoundError
from central.files.answers import Blame, FileEntry, FileList
from central.files.blame import read_blame
from central.files.directory import DIRECTORY
from central.files.finder import PATH_QUERY_CHARACTERS, find_paths
from central.files.listing import list_files
from central.http.middleware import SANDBOX
from central.owners.reading import owners_reader
from central.repositories.listing import visible_repository
from central.repositories.models import Repository
from central.repositories.states import index_state
from central.repositories.visibility import (
    forge_directory_url,
    forge_file_url,
    repository_snapshot,
)
from central.tenancy.credentials import Credential
from central.trace.written_names import written_names
from central.web.about import about
from central.web.access import member_page
from central.web.blame_gutter import blame_gutter
from central.web.branches import branch_of, branch_page, require_default
from central.web.highlighting import CodeLink
from central.web.urls_for import (
    breadcrumbs,
    directory_url,
    entry_urls,
    file_url,
    name_panels_url,
    quoted,
    ref_query,
    references_url,
    symbol_url,
)
from indexer.decoding import blob_bytes, has_mark
from indexer.limits import FILES_LISTED

SHOWN_LINES = 30_000  # each is some 100 bytes of the page, however short it is
SHOWN_CHARACTERS = 2_000_000
# The names that browsers know, where they differ from Python's.
_CHARSETS: Final = {
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "iso2022_jp": "iso-2022-jp",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
}
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")


@member_page
@branch_page
def tree(
    request: HttpRequest, credential: Credential, project: str, path: str = ""
) -> HttpResponse:
    """A directory: its directories, then its files; of another commit, where to find it."""
    organization, ref = credential.organization.slug, branch_of(request).name
    repository = visible_repository(credential=credential, project=project)
    commit = _other_commit(request, repository)
    if commit:
        return _moved(request, credential, repository, path, commit, is_directory=True)
    asked = ListRequest(
        project=project, path=path, limit=FILES_LISTED, cursor=request.GET.get("cursor", "")
    )
    try:
        found = list_files(credential=credential, request=asked)
    except FileNotFoundInIndexError as exc:
        raise with_addresses(exc, organization, project, ref=ref) from exc
    if [file_entry.path for file_entry in found.entries] == [found.path]:
        return redirect(file_url(organization, project, found.path, ref=ref))
    context = {
        **_place(credential, repository, found.path, ref=ref),
        "repository": repository,
        "state": index_state(repository),
        "found": found,
        "rows": _rows(organization, found, ref=ref),
        "cursor": asked.cursor,
    }
    return render(request, "web/tree.html", context)


def _rows(organization: str, found: FileList, *, ref: str) -> list[tuple[FileEntry, str, str]]:
    """Return (entry, address, why it is skipped) of each entry."""
    of_directory, of_file = entry_urls(organization, found.project, found.path)
    on_branch = ref_query(ref)
    return [
        (
            file_entry,
            f"{of_directory if file_entry.type == DIRECTORY else of_file}{quoted(file_entry.name)}"
            f"{on_branch}",
            why_skipped(file_entry.skipped) if file_entry.skipped else "",
        )
        for file_entry in found.entries
    ]


@member_page
@branch_page
def find(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """Files by some characters of their path; for htmx the list alone."""
    organization, ref = credential.organization.slug, branch_of(request).name
    repository = visible_repository(credential=credential, project=project)
    query = request.GET.get("q", "")[:PATH_QUERY_CHARACTERS]
    found = find_paths(repository=repository, query=query)
    context = {
        **_place(credential, repository, "", ref=ref),
        "repository": repository,
        "query": query,
        "most": PATH_QUERY_CHARACTERS,
        "found": found,
        "rows": [(path, file_url(organization, project, path, ref=ref)) for path in found.paths],
    }
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # its middleware's
    return render(request, "web/_found.html" if htmx else "web/find.html", context)


@member_page
@branch_page
def file(request: HttpRequest, credential: Credential, project: str, path: str) -> HttpResponse:
    """A file as it is indexed; where there is none, the paths that may have been meant."""
    organization, ref = credential.organization.slug, branch_of(request).name
    moved = _moved_file(request, credential, project, path)
    if moved:
        return moved
    try:
        with one_moment():
            found = read_file(credential=credential, project=project, path=path)
            content = _beginning(found.content)
            links = _links(organization, found, content, ref=ref) if content else []
            snapshot = repository_snapshot(credential=credential, project=project)
            owners = owners_reader(credential).of([snapshot])[snapshot.id]
            owned_by = owners.of(path)
    except FileNotFoundInIndexError as exc:
        raise with_addresses(exc, organization, project, ref=ref) from exc
    outline = [
        (
            symbol,
            symbol_url(
                organization,
                symbol.name,
                project=project,
                file=path,
                line=symbol.start_line,
                ref=ref,
            ),
        )
        for symbol in found.symbols
    ]
    blamed = _blamed(request, credential, found)
    context = {
        "section": "repositories",
        "blame": blamed,
        "beside": blame_gutter(blamed, organization) if blamed else (),
        "about": None if ref else about(credential, [(project, path, "")]),
        "file": found,
        "content": content,
        "links": links,
        "panels_url": name_panels_url(organization, project, path) if links else "",
        "is_cut": len(content) < len(found.content),
        "breadcrumbs": breadcrumbs(organization, project, path, ref=ref),
        "outline": outline,
        "skipped": why_skipped(found.skipped),
        "encoding": _encoding(found),
        "owners": owned_by,
        "owners_unread": owners.unread,
        "has_raw": not found.skipped and _bytes(found) is not None,
    }
    return render(request, "web/file.html", context)


def _blamed(request: HttpRequest, credential: Credential, found: FileView) -> Blame | None:
    """Return the commits of the lines, if the address asks for them."""
    if not request.GET.get("blame") or not found.content:
        return None
    require_default(request, "Blame")
    asked = BlameRequest(project=found.project, path=found.path)
    return read_blame(credential=credential, request=asked)


@member_page
@branch_page
def raw(request: HttpRequest, credential: Credential, project: str, path: str) -> HttpResponse:
    """The bytes of a file; its page if there are none: it says why the file is skipped.

    Nor are there any of text that does not tell how it was encoded.
    """
    organization, ref = credential.organization.slug, branch_of(request).name
    moved = _moved_file(request, credential, project, path)
    if moved:
        return moved
    try:
        found = read_file(credential=credential, project=project, path=path)
    except FileNotFoundInIndexError as exc:
        raise with_addresses(exc, organization, project, ref=ref) from exc
    data = None if found.skipped else _bytes(found)
    if data is None:
        return redirect(file_url(organization, project, path, ref=ref))
    charset = _CHARSETS.get(found.encoding, found.encoding or "utf-8")
    return HttpResponse(
        data,
        content_type=f"text/plain; charset={charset}",
        headers={"Content-Security-Policy": SANDBOX},
    )


def _bytes(found: FileView) -> bytes | None:
    return blob_bytes(text=found.content, encoding=found.encoding, size=found.size, blob=found.blob)


def _encoding(found: FileView) -> str:
    """Return what the page says about the encoding; nothing of plain UTF-8."""
    if found.skipped or not has_mark(text=found.content, encoding=found.encoding, size=found.size):
        return found.encoding
    return f"{found.encoding or 'utf-8'} with a byte order mark"


def _moved_file(
    request: HttpRequest, credential: Credential, project: str, path: str
) -> HttpResponse | None:
    """Return the page of a permalink to a commit that is not the indexed one."""
    if "commit" not in request.GET:
        return None
    repository = visible_repository(credential=credential, project=project)
    commit = _other_commit(request, repository)
    if not commit:
        return None
    return _moved(request, credential, repository, path, commit, is_directory=False)


def _beginning(content: str) -> str:
    """Return as much as a browser can show."""
    lines = content[:SHOWN_CHARACTERS].split("\n", SHOWN_LINES)
    return "\n".join(lines[:SHOWN_LINES]) + ("\n" if len(lines) > SHOWN_LINES else "")


def _links(organization: str, found: FileView, content: str, *, ref: str) -> Sequence[CodeLink]:
    """Return links for the shown lines. Addresses are put together: there may be thousands."""
    last_line = content.count("\n") + 1
    to_reference = references_url(organization, found.project, found.path)
    to_symbol = symbol_url(organization, "", project=found.project, file=found.path, ref=ref)
    on_branch = ref_query(ref)
    return identifier_links(
        content,
        references=references_of(found.id, last_line=last_line),
        definitions=definitions_of(found.id, last_line=last_line),
        reference_url=lambda reference: (
            f"{to_reference}{reference.line}/{reference.column}{on_branch}"
        ),
        definition_url=lambda definition: (
            f"{to_symbol}&name={quote_plus(definition.name)}&line={definition.start_line}"
        ),
    )


def with_addresses(
    exc: FileNotFoundInIndexError, organization: str, project: str, *, ref: str = ""
) -> NotFoundError:
    """Return the error with the pages of paths that may have been meant."""
    near = [
        {"text": other, "url": file_url(organization, project, other, ref=ref)}
        for other in exc.near
    ]
    return NotFoundError(exc.message, code=exc.code, suggestions=near)


def _place(
    credential: Credential, repository: Repository, path: str, *, ref: str
) -> dict[str, Any]:
    slug = credential.organization.slug
    return {
        "section": "repositories",
        "project": repository.name,
        "path": path,
        "breadcrumbs": breadcrumbs(slug, repository.name, path, ref=ref) if path else [],
    }


def _other_commit(request: HttpRequest, repository: Repository) -> str:
    """Return the commit of a permalink if another one is indexed, else "".

    Raises InvalidError for what is no commit.
    """
    commit = request.GET.get("commit", "")
    if commit and not _COMMIT.fullmatch(commit):
        raise InvalidError("The commit in the address is not one: it has 7 to 64 digits, 0 to f.")
    return "" if repository.last_indexed_commit.startswith(commit) else commit


def _moved(
    request: HttpRequest,
    credential: Credential,
    repository: Repository,
    path: str,
    commit: str,
    *,
    is_directory: bool,
) -> HttpResponse:
    """Say that another commit is indexed now, and where both are."""
    organization, ref = credential.organization.slug, branch_of(request).name
    to_page, to_forge = (
        (directory_url, forge_directory_url) if is_directory else (file_url, forge_file_url)
    )
    web_url = repository.web_url
    context = {
        **_place(credential, repository, path, ref=ref),
        "repository": repository,
        "commit": commit,
        "is_there": is_directory or has_file(repository=repository, path=path),
        "present_url": to_page(organization, repository.name, path, ref=ref),
        "forge_url": to_forge(web_url, commit, path) if web_url else "",
    }
    return render(request, "web/moved.html", context)


def identifier_links(
    code: str,
    *,
    references: Sequence[StoredReference],
    definitions: Sequence[StoredDefinition],
    reference_url: Callable[[StoredReference], str],
    definition_url: Callable[[StoredDefinition], str],
) -> list[CodeLink]:
    """Return links in order, none of which overlaps another or spans lines."""
    used, defined = written_names(code, references, definitions)
    links = [
        *(
            CodeLink(at, at + len(reference.name), reference_url(reference))
            for at, reference in used.items()
        ),
        *(
            CodeLink(at, at + len(definition.name), definition_url(definition))
            for at, definition in defined.items()
        ),
    ]
    return _apart(sorted(links, key=lambda link: link.start))


def _apart(links: Sequence[CodeLink]) -> list[CodeLink]:
    kept: list[CodeLink] = []
    for link in links:
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept
