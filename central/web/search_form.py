"""The search form: a search read from its page's address, and addresses of similar searches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict
from rest_framework.exceptions import ValidationError

from aeterna_code_search.contract.search import EXACT_LINES_OF_RESULT, GroupBy, Mode, SearchRequest
from central.query.pasted.stack_trace import condensed
from central.search.exact.matching import EXACT_MATCHES_OF_FILE
from central.search.pasted import read_pasted
from central.search.reading import read_request
from central.search.views import SearchRequestSerializer
from central.web import other_searches
from central.web.matched_lines import CONTEXT_LINES
from central.web.plain_text import plain_line
from central.web.urls_for import REF

PAGE_RESULTS: Final = 10
MOST_PROJECTS: Final = 50  # each is a link on the page that holds all others
SHOWN_CHARACTERS: Final = 1_000  # of a result's content: some twenty lines
ALL_LINES: Final = "all"
CONTEXT_CHARACTERS: Final = 100_000  # of the lines around the matches of a file
POINTED_CHARACTERS: Final = 60  # on each side of an error in a query
FILTERS: Final = ("language", "chunk_type", "path", "exclude", REF)
_WORDS: Final = {"chunk_type": "chunk type", REF: "branch"}

_REQUESTS = SearchRequestSerializer()
_PLACES: Final = {"query": "q", "include_projects": "project"}  # whose names are others here


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What the address asks for, blanks left out. `request` is None without a query, or a valid
    one; `errors` are sentences by field.
    """

    q: str = ""
    mode: str = str(Mode.HYBRID)
    projects: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    cursor: str = ""
    lines: str = ""
    request: SearchRequest | None = None
    errors: Mapping[str, list[str]] = field(default_factory=dict)
    pointed: "PointedText | None" = None

    @property
    def shows_all_lines(self) -> bool:
        """Whether every line of a file that matches is asked for."""
        return self.lines == ALL_LINES

    @property
    def asked_lines(self) -> int:
        """How many lines a result of an exact search may have."""
        return EXACT_MATCHES_OF_FILE if self.shows_all_lines else EXACT_LINES_OF_RESULT

    @property
    def is_narrowed(self) -> bool:
        """Whether there are filters beside the text."""
        return bool(self.projects or self.filters or self.mode != Mode.HYBRID)

    @property
    def names_branches(self) -> bool:
        """Whether it may be of other branches than the default ones."""
        return REF in self.filters or "rev:" in self.q or "@" in self.q

    def address(self) -> str:
        """Return the search as an address on the same page: `?q=…`."""
        given = [("q", self.q), ("mode", self.mode if self.mode != Mode.HYBRID else "")]
        given += [("project", project) for project in self.projects]
        given += [*self.filters.items(), ("lines", self.lines), ("cursor", self.cursor)]
        return f"?{urlencode([(name, value) for name, value in given if value])}"

    def page_at(self, cursor: str) -> str:
        """Return the address of another page of the answer; "" is the first."""
        return replace(self, cursor=cursor).address()

    def without(self, name: str, value: str = "") -> str:
        """Return the address without a filter, or without one of the projects."""
        if name == "project":
            kept = tuple(project for project in self.projects if project != value)
            return replace(self, projects=kept, cursor="").address()
        kept_filters = {key: text for key, text in self.filters.items() if key != name}
        return replace(self, filters=kept_filters, cursor="").address()

    def of_file(self, project: str, path: str) -> str:
        """Return the address of this search in one file, with all lines; "" if there is none."""
        text = other_searches.of_one_file(self.q, self.mode, path)
        asked = replace(self, q=text, projects=(project,), lines=ALL_LINES, cursor="")
        return asked.address() if text else ""

    def shortened(self) -> "SearchForm":
        """Return the search with the frames of a stack trace in place of all of its text."""
        return replace(self, q=condensed(self.q))

    def wider(self) -> list[tuple[str, str]]:
        """Return (label, address) of searches that may find more than this one."""
        return [*self._without_choices(), *self._with_other_text()]

    def _with_other_text(self) -> Iterator[tuple[str, str]]:
        for label, text, mode in other_searches.other_searches(self.q, self.mode):
            yield label, replace(self, q=text, mode=mode, cursor="").address()

    def _without_choices(self) -> list[tuple[str, str]]:
        found = [
            (f"Without the {_WORDS.get(name, name)} {value}", self.without(name, value))
            for name, value in (
                *self.filters.items(),
                *(("project", project) for project in self.projects),
            )
        ]
        if self.mode in {Mode.SEMANTIC, Mode.LEXICAL, Mode.SYMBOL}:
            hybrid = replace(self, mode=str(Mode.HYBRID), cursor="").address()
            found.append(("By words and similarity together", hybrid))
        if len(found) > 1:
            found.append(("Without any of these", SearchForm(q=self.q).address()))
        return found


def parse_search(query: QueryDict, *, organization: str) -> SearchForm:
    """Read an address; the rules are those of the API."""
    given = {name: str(query.get(name, "")) for name in ("q", "mode", "cursor", *FILTERS)}
    asked = SearchForm(
        q=given["q"].strip(),
        mode=given["mode"] or str(Mode.HYBRID),
        projects=tuple(dict.fromkeys(filter(None, map(str.strip, query.getlist("project"))))),
        filters={name: given[name] for name in FILTERS if given[name]},
        cursor=given["cursor"],
        lines=ALL_LINES if query.get("lines") == ALL_LINES else "",
    )
    if len(asked.projects) > MOST_PROJECTS:
        why = f"Name at most {MOST_PROJECTS} repositories, or none to search all of them."
        return replace(asked, projects=(), errors={"project": [why]})
    if not asked.q:
        return asked
    try:
        request = _REQUESTS.read(_body(asked, organization))
        return replace(asked, request=replace(request, lines=asked.asked_lines))
    except ValidationError as exc:
        return replace(asked, errors=by_field(exc.detail))


class PointedText(NamedTuple):
    """A query's text around the column of an error: before it, and from it on."""

    before: str
    behind: str


def pointed_text(text: str, column: int) -> PointedText:
    """Cut a query's text at a column, from 1."""
    at = min(column - 1, len(text))
    before, behind = plain_line(text[:at]), plain_line(text[at:])
    if len(before) > POINTED_CHARACTERS:
        before = f"…{before[-POINTED_CHARACTERS:]}"
    if len(behind) > POINTED_CHARACTERS:
        behind = f"{behind[:POINTED_CHARACTERS]}…"
    return PointedText(before, behind)


def with_context(request: SearchRequest) -> SearchRequest:
    """Ask for the lines around those of an exact search. Raises QueryError."""
    if read_pasted(request):
        return request
    read = read_request(request)
    if read.commits or not read.is_exact:
        return request
    return replace(request, expand=CONTEXT_LINES, max_content=CONTEXT_CHARACTERS)


def _body(asked: SearchForm, organization: str) -> dict[str, Any]:
    return {
        "org_id": organization,
        "query": asked.q,
        "mode": asked.mode,
        "include_projects": list(asked.projects),
        **asked.filters,
        **({"cursor": asked.cursor} if asked.cursor else {}),
        "limit": 1 if asked.shows_all_lines else PAGE_RESULTS,
        "max_content": SHOWN_CHARACTERS,
        "explain": True,
        "facets": not asked.shows_all_lines,
        "group_by": str(GroupBy.FILE),
    }


def address_of(fields: Mapping[str, Any]) -> str:
    """Return the address of a search that was saved with `saved_fields`."""
    form = SearchForm(
        q=str(fields.get("query", "")),
        mode=str(fields.get("mode", Mode.HYBRID)),
        projects=tuple(fields.get("include_projects", ())),
        filters={name: str(fields[name]) for name in FILTERS if name in fields},
    )
    return form.address()


def saved_fields(asked: SearchForm) -> dict[str, Any]:
    """Return the fields of the API that are saved: what is asked for, not how it is shown."""
    fields: dict[str, Any] = {"query": asked.q, "mode": asked.mode, **asked.filters}
    return fields | ({"include_projects": list(asked.projects)} if asked.projects else {})


def by_field(detail: Any) -> dict[str, list[str]]:
    """Return the sentences of an error by the fields of the form."""
    if not isinstance(detail, dict):
        return {}
    return {_PLACES.get(str(name), str(name)): _sentences(found) for name, found in detail.items()}


def _sentences(found: Any) -> list[str]:
    if isinstance(found, dict):
        return [sentence for inner in found.values() for sentence in _sentences(inner)]
    if isinstance(found, list):
        return [sentence for inner in found for sentence in _sentences(inner)]
    return [str(found)]
