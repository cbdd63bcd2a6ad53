"""An answer's results as the page shows them: by project, with addresses and reasons. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from central.search.answers import Answer, Result
from central.search.ranking.scoring import Effect
from central.web.urls_for import file_url
from indexer.records.files import split_lines

RULE_WORDS: Final = {
    "base": "likeness to the query, by similarity and words",
    "coverage": "words of the query that it holds, rare ones counting more",
    "coherence": "other hits in the same file",
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

    `before` is the text of the file before its content.
    """

    result: Result
    page_url: str
    forge_url: str
    reasons: Sequence[Reason]
    before: str = ""


@dataclass(slots=True)
class Group:
    """The results of one project, best first."""

    project: str
    commit: str
    web_url: str
    indexed_at: datetime | None
    hits: list[Hit] = field(default_factory=list)


def grouped(
    answer: Answer,
    *,
    organization: str,
    web_urls: Mapping[str, str],
    files: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> list[Group]:
    """Groups in the order of their best results. `web_urls`: projects at the forge, "" unknown.

    `files` are contents by project and path.
    """
    indexed = {one.project: one.indexed_at for one in answer.receipt.projects}
    groups: dict[str, Group] = {}
    for result in answer.results:
        web_url = web_urls.get(result.project, "")
        group = groups.setdefault(
            result.project,
            Group(result.project, result.commit, web_url, indexed.get(result.project)),
        )
        url = file_url(organization, result.project, result.file)
        group.hits.append(
            Hit(
                result=result,
                page_url=url,
                forge_url=(result.url or "") if web_url else "",
                reasons=reasons(result.why.rules if result.why else ()),
                before=_text_before(result, files.get((result.project, result.file), "")),
            )
        )
    return list(groups.values())


def _text_before(result: Result, content: str) -> str:
    """Return the text of the file before the result's content; "" if the file has changed."""
    before = "".join(split_lines(content)[: result.content_start_line - 1])
    return before if content.startswith(before + result.content) else ""


def reasons(effects: Iterable[Effect]) -> list[Reason]:
    return [Reason(RULE_WORDS.get(one.rule, one.rule), _effect(one)) for one in effects]


def _effect(effect: Effect) -> str:
    return f"{effect.times - 1.0:+.0%}" if effect.times != 1.0 else f"{effect.adds:+.2f}"
