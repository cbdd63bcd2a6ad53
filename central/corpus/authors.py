"""Authors of stored commits, by their organisation's policy (indexer.records.authors)."""

import secrets
from typing import Final, NamedTuple

from django.db import transaction

from central.corpus.models import Commit
from central.db import execute, fetch_rows, sql_with
from central.repositories.models import Repository
from central.tenancy.audit import record
from central.tenancy.models import Organization
from indexer.records.authors import AuthorPolicy, author_by_policy

_KEY_BYTES: Final = 32
_ROWS: Final = 10_000  # a statement
_sql = sql_with(commit=Commit, repository=Repository)
# An apply that read the former policy has one of these rows, until it ends.
_LOCK: Final = _sql("""SELECT id FROM {repository} WHERE organization_id = %s
    ORDER BY id FOR NO KEY UPDATE""")
_FORGET: Final = _sql("""UPDATE {commit} SET author = ''
    WHERE author <> '' AND repository_id IN (
        SELECT id FROM {repository} WHERE organization_id = %s)""")
_WRITTEN: Final = _sql("""SELECT DISTINCT c.author FROM {commit} c
    JOIN {repository} r ON r.id = c.repository_id
    WHERE r.organization_id = %s AND c.author <> ''""")
_REPLACE: Final = _sql("""UPDATE {commit} SET author = made.digest
    FROM unnest(%s::text[], %s::text[]) AS made (author, digest)
    WHERE {commit}.author = made.author AND {commit}.repository_id IN (
        SELECT id FROM {repository} WHERE organization_id = %s)""")


class Authors(NamedTuple):
    """The policy of an organisation; `key` makes its digests."""

    policy: AuthorPolicy
    key: bytes

    def kept(self, author: str) -> str:
        """Return what may be stored of an author that came."""
        return author_by_policy(self.policy, self.key, author)


def authors_of(organization: Organization) -> Authors:
    """Return the policy that a loaded organisation has."""
    return Authors(AuthorPolicy(organization.author_policy), bytes(organization.author_key))


@transaction.atomic
def set_author_policy(organization: Organization, policy: AuthorPolicy, *, actor: str) -> None:
    """Change the policy, and with a stricter one at once what is stored.

    Addresses become digests, and `off` deletes both. A less strict policy is one of what comes.
    """
    locked = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    before = AuthorPolicy(locked.author_policy)
    if before is policy:
        return
    key = bytes(locked.author_key) or secrets.token_bytes(_KEY_BYTES)
    Organization.objects.filter(pk=locked.pk).update(author_policy=policy.value, author_key=key)
    organization.author_policy, organization.author_key = policy.value, key
    fetch_rows(_LOCK, [locked.pk])
    if policy is AuthorPolicy.OFF:
        execute(_FORGET, [locked.pk])
    elif policy is AuthorPolicy.HASHED:
        _hash_stored(locked.pk, Authors(policy, key))
    record(
        actor=actor,
        action="organization.changed",
        target=locked.slug,
        organization=locked,
        detail={"author_policy": {"before": before.value, "after": policy.value}},
    )


def _hash_stored(organization_id: int, authors: Authors) -> None:
    written = [author for (author,) in fetch_rows(_WRITTEN, [organization_id])]
    digests = {author: digest for author in written if (digest := authors.kept(author)) != author}
    names = list(digests)
    for start in range(0, len(names), _ROWS):
        part = names[start : start + _ROWS]
        execute(_REPLACE, [part, [digests[name] for name in part], organization_id])
