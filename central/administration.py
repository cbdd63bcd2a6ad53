"""The admin app with our own site in place of Django's."""

from django.contrib.admin.apps import AdminConfig


class Administration(AdminConfig):
    """`django.contrib.admin`, where every change is audited (central.tenancy.administration)."""

    default_site = "central.tenancy.administration.AuditedSite"
