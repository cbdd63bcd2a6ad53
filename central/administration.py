"""The admin app with our own site in place of Django's."""

from django.contrib.admin.apps import AdminConfig


class Administration(AdminConfig):
    """`django.contrib.admin`, where every change is audited (central.tenancy.admin_base)."""

    default_site = "central.tenancy.admin_base.AuditedSite"
