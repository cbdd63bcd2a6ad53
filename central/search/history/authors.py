"""Who made a commit: a part of an address, or by its digest the whole one."""

from collections.abc import Callable, Mapping

from central.search.commit_question import CommitQuestion

AuthorTest = Callable[[str], bool]


def author_test(question: CommitQuestion, digests: Mapping[str, str]) -> AuthorTest | None:
    """Return whether a stored author is asked for; None if all are.

    `digests` are those that the organisation would store for the addresses of the question.
    """
    if not (question.authors or question.other_authors):
        return None

    def is_of(author: str, asked: str) -> bool:
        if "@" in author:
            return asked in author
        return bool(author) and author == digests.get(asked)

    def test(author: str) -> bool:
        return all(is_of(author, asked) for asked in question.authors) and not any(
            is_of(author, asked) for asked in question.other_authors
        )

    return test
