"""docs/reference/fields.md says which surfaces show each field; UPDATE_FIELDS=1 writes it.

A field of a hit is shown where another value of it changes what is printed. So a new field of a
record fails here until the page has it.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import pytest
from django.template.loader import render_to_string

from aeterna_code_search.agents.results import code_answer
from aeterna_code_search.agents.text import search_text
from aeterna_code_search.cli.output import highlighting, matches, search_results
from aeterna_code_search.client.console import Console
from aeterna_code_search.contract import codemap, files, knowledge, search, trace
from aeterna_code_search.contract.notes import AS_TOOL, Member, members_of
from aeterna_code_search.contract.projects import AnsweringProject
from central.http.parameters import to_json
from central.web.search_form import SearchForm
from central.web.search_results import grouped

PAGE: Final = Path(__file__).resolve().parents[2] / "docs/reference/fields.md"
REQUESTS: Final = {
    "search, `/search`": search.SearchRequest,
    "callers and callees, `/trace/callers`": trace.TraceRequest,
    "call graph, `/trace/graph`": trace.GraphRequest,
    "references to a position, `/trace/references`": trace.ReferencesRequest,
    "directory, `/files`": files.ListRequest,
    "lines of a file, `/files/content`": files.ContentRequest,
    "commits of lines, `/files/blame`": files.BlameRequest,
    "commits, `/files/history`": files.HistoryRequest,
    "map, `/map`": codemap.MapRequest,
    "consumers, `/map/consumers`": codemap.ConsumersRequest,
    "definitions without callers, `/map/unused`": codemap.UnusedRequest,
    "walk, `/graph/traverse`": knowledge.Traversal,
}
SIDECAR: Final = {search.SearchRequest, trace.TraceRequest, trace.GraphRequest}
RANKED: Final = search.Result(
    project="shop",
    commit="1" * 40,
    file="src/cart.py",
    start_line=3,
    end_line=4,
    ranges=[[3, 4]],
    language="python",
    chunk_type="function",
    name="total",
    container="Cart",
    score=0.5,
    similarity=0.4,
    content="def total(self):\n    return 1\n",
    content_start_line=3,
    truncated=False,
    matched=["total"],
    url="https://forge.example/shop",
    why=None,
)
LINE: Final = search.MatchedLine(3, "def total(self):", [[4, 9]])
EXACT: Final = replace(RANKED, lines=[LINE], matches=2, chunk_type="", name="", container="")
SPAN: Final = search.ResultSpan(9, 12, "pay", "Cart", "method", 0.25)
OTHERS: Final[Mapping[str, Any]] = {
    "project": "bank",
    "commit": "2" * 40,
    "file": "src/other.py",
    "start_line": 4,
    "end_line": 7,
    "ranges": [[3, 3]],
    "language": "go",
    "chunk_type": "method",
    "name": "other",
    "container": "Basket",
    "score": 0.125,
    "similarity": 0.875,
    "content": "def changed(self):\n    return total\n",
    "content_start_line": 2,
    "truncated": True,
    "matched": ["self"],
    "url": "https://forge.example/other",
    "why": search.Explanation(1, 2, [search.Effect("tests", times=0.5)]),
    "lines": [replace(LINE, text="def other(self):")],
    "matches": 5,
    "spans": [SPAN],
    "context": [search.ContextLine(4, "around")],
    "generated": True,
    "note": "Why this line.",
    "owners": ["@acme/shop"],
    "branches": ["release/1"],
    "change": search.ResultCommit(
        subject="Add a basket",
        author="ann@acme.example",
        authored_at="2026-11-01T00:00:00Z",
        committed_at="2026-11-02T00:00:00Z",
        merge="3" * 40,
        reverts=["4" * 40],
        reverted_by=["5" * 40],
        changed=2,
        url="https://forge.example/commit/2",
    ),
}


def answer_of(hit: search.Result) -> search.SearchAnswer:
    receipt = search.SearchReceipt(
        complete=True,
        took_ms=1.0,
        projects=[AnsweringProject(hit.project, "c", None)],
        missing=[],
        missing_more=0,
    )
    return search.SearchAnswer(
        query="total",
        queries=["total"],
        count=1,
        results=[hit],
        next_cursor=None,
        receipt=receipt,
        confidence=None,
        match=None,
    )


def page(hit: search.Result) -> str:
    (group,) = grouped(answer_of(hit), asked=SearchForm(q="x"), organization="acme", web_urls={})
    return render_to_string("web/_group.html", {"group": group, "organization": "acme"})


def terminal(hit: search.Result) -> str:
    render = matches.render if hit.lines else search_results.render
    shown: Any = to_json(hit) if hit.lines else [to_json(hit)]
    return re.sub(r"\bid=[0-9-]+", "", render(Console(is_terminal=True), shown))  # rich draws it


def pipe(hit: search.Result) -> str:
    row = to_json(hit)
    return matches.format_plain(row) if hit.lines else search_results.format_plain([row])


SURFACES: Final[Mapping[str, Callable[[search.Result], str]]] = {
    "text of tools": lambda hit: search_text(to_json(answer_of(hit))),
    "`search_code`": lambda hit: str(code_answer(to_json(answer_of(hit)), 1.0)["results"]),
    "terminal": terminal,
    "pipe": pipe,
    "page": page,
}


def is_shown(name: str, surface: Callable[[search.Result], str]) -> bool:
    changed = {name: OTHERS[name]}
    return any(surface(hit) != surface(replace(hit, **changed)) for hit in (RANKED, EXACT))


def description(name: str) -> str:
    hint = get_type_hints(search.Result, include_extras=True)[name]
    notes = get_args(hint) if get_origin(hint) is Annotated else ()
    return next((note for note in notes if isinstance(note, str)), "")


def limits(member: Member) -> str:
    argument = member.argument
    told = [
        ", ".join(f"`{choice}`" for choice in member.choices),
        "" if argument.chars is None else f"{argument.chars:,} characters",
        "" if argument.high is None else f"{argument.low:,} to {argument.high:,}",
        "" if argument.most is None else f"{argument.most:,} of them",
    ]
    return "; ".join(filter(None, told))


def option(member: Member) -> str:
    if member.argument.cli is None:
        return ""
    named = [word for word in member.argument.option.split() if word.startswith("--")]
    return f"`{named[0] if named else '--' + member.name.replace('_', '-')}`"


def rows() -> Iterator[str]:
    for title, record in REQUESTS.items():
        yield f"\n## {title[0].upper()}{title[1:]}\n"
        yield "| field | limits | default | tools | sidecar | command line |"
        yield "|---|---|---|---|---|---|"
        for member in members_of(record):
            argument = member.argument
            sidecar = argument.tool if argument.sidecar == AS_TOOL else argument.sidecar
            is_of_sidecar = record in SIDECAR and sidecar is not None
            default = member.told_default
            cells = (
                f"`{member.name}`" + (" (required)" if member.is_required else ""),
                limits(member),
                "" if default is None else f"`{str(default).lower()}`",
                "" if argument.tool is None else "yes",
                "yes" if is_of_sidecar else "",
                option(member),
            )
            yield f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")
    yield "\n## A hit of a search\n"
    yield f"| field | {' | '.join(SURFACES)} | what it is |"
    yield f"|---|{'---|' * len(SURFACES)}---|"
    for field in fields(search.Result):
        shown = ("yes" if is_shown(field.name, show) else "" for show in SURFACES.values())
        cells = (f"`{field.name}`", *shown, description(field.name))
        yield f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


@pytest.mark.django_db
def test_the_page_of_fields_says_which_surfaces_show_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlighting, "COLOURING_CPU_SECONDS", 60.0)  # the first loads the lexers
    monkeypatch.setenv("TERM", "xterm-256color")  # of a terminal that has colours
    head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0].rstrip("\n")
    text = "\n".join([head, *rows()]) + "\n"
    if os.environ.get("UPDATE_FIELDS"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
