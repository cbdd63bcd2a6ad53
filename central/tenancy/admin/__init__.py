"""Organisations, people, tokens and the audit log in the admin."""

from central.tenancy.admin.audit import AuditEntryAdmin
from central.tenancy.admin.organizations import MembershipAdmin, OrganizationAdmin
from central.tenancy.admin.people import GroupAdmin, UserAdmin
from central.tenancy.admin.tokens import ApiTokenAdmin

__all__ = [
    "ApiTokenAdmin",
    "AuditEntryAdmin",
    "GroupAdmin",
    "MembershipAdmin",
    "OrganizationAdmin",
    "UserAdmin",
]
