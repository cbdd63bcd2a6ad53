"""An answer's results as the page shows them: by project, with addresses and reasons. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from aeterna_code_search.contract.projects import AnsweringProject
from aeterna_code_search.contract.search import Effect, Result, SearchAnswer
from central.web.matched_lines import SHOWN_LINES, MatchedFile, changed_file, matched_file
from central.web.search_form import SearchForm
from central.web.urls_for import file_url, history_url
from indexer.records.files import split_lines

PAGE_COLOURED_CHARACTERS: Final = 300_000  # of the files of a page's results, 0.45 s
RULE_WORDS: Final = {
    "base": "likeness to the query, by similarity and words",
    "coverage": "words of the query that it holds, rare ones counting more",
    "coherence": "other hits in the same file",
    "file": "likeness of its file as a whole to the query",
    "definition": "it defines what is asked for",
    "mention": "it defines what the query names",
    "name_words": "its name is of the query's words",
    "container": "its class is named by the query",
    "file_stem": "its file's name is of the query's words",
    "project": "its repository's name is of the query's words",
    "tiny": "only a line or two",
    "diversity": "other hits of the file stand before it",
    "tests": "a test",
    "examples": "an example",
    "docs": "documentation",
    "config": "configuration",
    "generated": "generated",
    "vendored": "third-party code",
    "legacy": "kept for compatibility",
    "reexport": "names that others define",
    "declarations": "declarations only",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule in words, and what it did to the score: "+0.70", "-80%"."""

    text: str
    effect: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A result with its page here and, where that is known, at the forge.

    `before` is the text of the file before its content. Numbers of lines lead to `lines_url`, the
    file at the commit. `matched` is of an exact search; `more_url` shows the rest of its lines.
    Of a commit there is the history of its file, or of its repository, and `brought_by`, the merge;
    `message` is without its subject.
    """

    result: Result
    page_url: str
    forge_url: str
    reasons: Sequence[Reason]
    lines_url: str
    before: str = ""
    matched: MatchedFile | None = None
    more_url: str = ""
    history_url: str = ""
    committed_at: datetime | None = None
    brought_by: str = ""
    message: str = ""


@dataclass(slots=True)
class Group:
    """The results of one project, best first."""

    project: str
    commit: str
    web_url: str
    indexed_at: datetime | None
    hits: list[Hit] = field(default_factory=list)


def grouped(
    answer: SearchAnswer,
    *,
    asked: SearchForm,
    organization: str,
    web_urls: Mapping[str, str],
    files: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> list[Group]:
    """Groups in the order of their best results. `web_urls`: projects at the forge, "" unknown.

    `files` are contents by project and path, for the colours of as many results as they allow.
    """
    indexed = {project.project: project for project in answer.receipt.projects}
    groups: dict[str, Group] = {}
    room = PAGE_COLOURED_CHARACTERS
    for result in answer.results:
        web_url = web_urls.get(result.project, "")
        group = groups.setdefault(
            result.project, _group(result, web_url, indexed.get(result.project))
        )
        if result.change:
            group.hits.append(_commit_hit(result, organization))
            continue
        ref = _branch(result, indexed.get(result.project)) if asked.names_branches else ""
        content = "" if ref else files.get((result.project, result.file), "")
        if len(content) > room:
            content = ""
        room -= len(content)
        group.hits.append(
            _hit(result, content, asked, organization, ref=ref, is_at_forge=bool(web_url))
        )
    return list(groups.values())


def _group(result: Result, web_url: str, project: AnsweringProject | None) -> Group:
    commit = project.commit if project and result.change else result.commit
    return Group(result.project, commit, web_url, project.indexed_at if project else None)


def _branch(result: Result, project: AnsweringProject | None) -> str:
    """Return the first branch that was read and has the result."""
    return result.branches[0] if result.branches else project.ref if project else ""


def _commit_hit(result: Result, organization: str) -> Hit:
    """Return the hit of a commit, or of what it changed."""
    change = result.change
    if change is None:
        raise ValueError("the result is of a file")
    return Hit(
        result=result,
        page_url=file_url(organization, result.project, result.file) if result.file else "",
        forge_url=change.url or "",
        reasons=(),
        lines_url="",
        matched=changed_file(result) if result.lines else None,
        history_url=history_url(organization, result.project, result.file),
        committed_at=datetime.fromisoformat(change.committed_at),
        message="" if result.lines else result.content.partition("\n")[2].strip("\n"),
        brought_by="" if change.merge in {None, result.commit} else str(change.merge),
    )


def _hit(
    result: Result,
    content: str,
    asked: SearchForm,
    organization: str,
    *,
    ref: str,
    is_at_forge: bool,
) -> Hit:
    page_url = file_url(organization, result.project, result.file, ref=ref)
    at_commit = f"{'&' if ref else '?'}commit={result.commit}" if result.commit else ""
    matched = None
    if result.lines:
        limit = asked.asked_lines if asked.shows_all_lines else SHOWN_LINES
        matched = matched_file(result, content, limit=limit, asked=asked.asked_lines)
    is_all = asked.shows_all_lines or not (matched and matched.more)
    return Hit(
        result=result,
        page_url=page_url,
        forge_url=(result.url or "") if is_at_forge else "",
        reasons=reasons(result.why.rules if result.why else ()),
        lines_url=f"{page_url}{at_commit}",
        before="" if matched else _text_before(result, content),
        matched=matched,
        more_url="" if is_all else asked.of_file(result.project, result.file) or page_url,
    )


def _text_before(result: Result, content: str) -> str:
    """Return the text of the file before the result's content; "" if the file has changed."""
    before = "".join(split_lines(content)[: result.content_start_line - 1])
    return before if content.startswith(before + result.content) else ""


def reasons(effects: Iterable[Effect]) -> list[Reason]:
    return [Reason(RULE_WORDS.get(effect.rule, effect.rule), _effect(effect)) for effect in effects]


def _effect(effect: Effect) -> str:
    return f"{effect.times - 1.0:+.0%}" if effect.times != 1.0 else f"{effect.adds:+.2f}"
