"""Why a search of commits found nothing: what is stored of them, and since when."""

from collections.abc import Iterator, Sequence
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import SearchRequest
from central.corpus.commit_facts import time_text
from central.corpus.models import Commit, CommitChange, CommitPatch
from central.db import fetch_rows, id_array, sql_with
from central.search.hints import hint_for, repository_hint
from central.search.history.scan import CommitSearch
from central.sentences import Sentence
from indexer.output.terminal import pluralize
from indexer.records.authors import AuthorPolicy

_sql = sql_with(patch=CommitPatch, change=CommitChange, commit=Commit)
_WITH_LINES: Final = _sql("""SELECT r.id FROM unnest(%s::bigint[]) AS r (id)
    WHERE EXISTS (SELECT FROM {patch} p WHERE p.repository_id = r.id)""")

_UNREAD: Final = _sql("""SELECT FROM {change} h
    WHERE h.repository_id = ANY(%s::bigint[]) AND h.unread <> '' LIMIT 1""")
_NO_AUTHOR: Final = _sql("""SELECT FROM {commit} c
    WHERE c.repository_id = ANY(%s::bigint[]) AND c.author = '' LIMIT 1""")
_AUTHORS: Final = {
    AuthorPolicy.OFF: "This organisation stores no authors: an administrator may change that with "
    "`manage.py authors --organization SLUG hashed`, or `plain`.",
    AuthorPolicy.HASHED: "Authors are stored as digests: write a whole address after author:.",
}


def commits_hint(
    search: CommitSearch, request: SearchRequest, missing: Sequence[MissingProject]
) -> str:
    """Return the sentence of an empty answer."""
    if request.cursor:
        return "There are no more results; the page before was the last."
    scope = search.scope
    if hint := repository_hint(search.plan.exact.read, scope):
        return hint
    if not scope.searched:
        return hint_for(request, searched=0, missing=[*missing])
    if any(project.reason == "timeout" for project in missing):
        return Sentence.of(
            "commits_unread",
            "The search stopped before it had read every commit. Add repo:, file: or after:, or a "
            "longer literal.",
        )
    return Sentence.joined(_stored(search))


def _stored(search: CommitSearch) -> Iterator[Sentence]:
    """Yield what is stored of the repositories that were searched."""
    if not search.stored:
        yield Sentence.of(
            "no_commits",
            "No commit of these repositories is stored yet. They come with the next run of an "
            "indexer of this version, or with `codesearch index --history` in a checkout.",
        )
        return
    yield Sentence.of(
        "no_such_commit",
        "No stored commit fulfils the query. Commits are stored since {since}.",
        since=time_text(min(int(own.times[-1]) for own in search.stored.values())),
    )
    if search.plan.question.authors:
        yield from _authors(search)
    if without := len(search.searched) - len(search.stored):
        yield Sentence.of(
            "without_commits",
            "None are stored of {repositories}.",
            repositories=pluralize(without, "repository", "repositories"),
        )
    unpatched = len(search.stored) - len(fetch_rows(_WITH_LINES, [id_array(search.stored)]))
    if not search.plan.question.is_diff:
        return
    if unpatched:
        yield Sentence.of(
            "without_lines",
            "Of {repositories} no changed lines are stored.",
            repositories=pluralize(unpatched, "repository", "repositories"),
        )
    elif fetch_rows(_UNREAD, [id_array(search.stored)]):
        yield Sentence.of(
            "unread_lines",
            "Not all changed lines are stored: of some paths they are binary, too large, withheld "
            "or did not come.",
        )


def _authors(search: CommitSearch) -> Iterator[Sentence]:
    policy = AuthorPolicy(search.author_policy)
    if known := _AUTHORS.get(policy):
        yield Sentence.of("authors", known)
    if policy is not AuthorPolicy.OFF and fetch_rows(_NO_AUTHOR, [id_array(search.stored)]):
        yield Sentence.of(
            "no_author",
            "Of some commits no author is stored: those that came before are sent again by "
            "`codesearch index --history` in a checkout.",
        )
