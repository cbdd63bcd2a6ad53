"""Authentication and authorisation for Acme's services."""

from acme_auth.middleware import AuthMiddleware
from acme_auth.permissions import PermissionDeniedError, has_permission, require_permission

__all__ = ["AuthMiddleware", "PermissionDeniedError", "has_permission", "require_permission"]
