"""Organisations, people, tokens and the audit log in the admin."""

from central.tenancy.admin import audit, organizations, people, tokens

__all__ = ["audit", "organizations", "people", "tokens"]
