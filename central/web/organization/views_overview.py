"""The front page of the settings: what the organisation holds and uses."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from central.tenancy.credentials import Credential
from central.web.access import admin_page
from central.web.organization.pages import settings_page
from central.web.organization.usage import usage_of


@admin_page
@require_safe
def overview(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Show counts, and which tokens are used."""
    usage = usage_of(credential.organization)
    return settings_page(request, "overview", page="overview", usage=usage)
