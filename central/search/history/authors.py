"""Which stored authors a query of commits asks for, by the policy of the organisation."""

from collections.abc import Callable

from central.corpus.authors import authors_of
from central.search.commit_question import CommitQuestion
from central.tenancy.models import Organization
from indexer.records.authors import AuthorPolicy, author_digest, is_author_digest

AuthorTest = Callable[[str], bool]


def author_test(question: CommitQuestion, organization: Organization) -> AuthorTest | None:
    """Return whether a stored author is asked for; None if all are.

    A part of an address is compared where addresses are stored, and the digest of a whole one with
    digests. A commit without an author has none that is asked for, nor one that is excluded.
    """
    if not (question.authors or question.other_authors):
        return None
    policy, key = authors_of(organization)
    asked = (*question.authors, *question.other_authors)
    digests = {text: author_digest(key, text) for text in asked if key}

    def is_of(author: str, text: str) -> bool:
        if policy is AuthorPolicy.OFF or not author:
            return False
        if is_author_digest(author):
            return author == digests.get(text)
        return policy is AuthorPolicy.PLAIN and text in author

    def test(author: str) -> bool:
        return all(is_of(author, text) for text in question.authors) and not any(
            is_of(author, text) for text in question.other_authors
        )

    return test
