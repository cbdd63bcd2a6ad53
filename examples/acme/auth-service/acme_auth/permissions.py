"""What each role may do. Permissions are `resource:action`; `resource:*` grants every action."""

import functools
from collections.abc import Callable
from typing import TypeVar

from acme_auth.tokens import TokenClaims

T = TypeVar("T")

ROLE_PERMISSIONS: dict[str, frozenset[str]] = {
    "customer": frozenset({"payments:create", "payments:read", "invoices:read"}),
    "support": frozenset({"payments:read", "payments:refund", "invoices:read", "users:read"}),
    "finance": frozenset({"payments:*", "invoices:*", "ledger:read"}),
    "admin": frozenset({"*:*"}),
}


class PermissionDeniedError(Exception):
    """The caller is known and may not do this."""

    def __init__(self, subject: str, permission: str) -> None:
        super().__init__(f"{subject} lacks {permission}")
        self.permission = permission


def has_permission(claims: TokenClaims, permission: str) -> bool:
    """Whether any of the caller's roles grants the permission. Unknown roles grant nothing."""
    resource = permission.split(":", 1)[0]
    accepted = {permission, f"{resource}:*", "*:*"}
    return any(accepted & ROLE_PERMISSIONS.get(role, frozenset()) for role in claims.roles)


def require_permission(permission: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Guard a handler whose first argument is the caller's claims. Raises PermissionDeniedError."""

    def decorate(handler: Callable[..., T]) -> Callable[..., T]:
        @functools.wraps(handler)
        def guarded(claims: TokenClaims, *args: object, **kwargs: object) -> T:
            if not has_permission(claims, permission):
                raise PermissionDeniedError(claims.subject, permission)
            return handler(claims, *args, **kwargs)

        return guarded

    return decorate
