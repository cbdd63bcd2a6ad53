"""Writing organisations, tokens and memberships. Each change writes a row to the audit log.

`actor` makes the change, named as in `central.tenancy.audit`.
"""

from central.tenancy.services.memberships import (
    add_member,
    create_person,
    make_superuser,
    remove_member,
    user_named,
)
from central.tenancy.services.organizations import (
    create_organization,
    organization_named,
    require_embedder,
    set_direct_uploads,
    set_embedder,
)
from central.tenancy.services.tokens import (
    LOCAL_TOKEN_LIFETIME,
    create_local_token,
    create_personal_token,
    create_token,
    issue_token,
    revoke_bound_tokens,
    revoke_token,
)

__all__ = [
    "LOCAL_TOKEN_LIFETIME",
    "add_member",
    "create_local_token",
    "create_organization",
    "create_person",
    "create_personal_token",
    "create_token",
    "issue_token",
    "make_superuser",
    "organization_named",
    "remove_member",
    "require_embedder",
    "revoke_bound_tokens",
    "revoke_token",
    "set_direct_uploads",
    "set_embedder",
    "user_named",
]
