"""The search page: every filter is in its address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.tenancy.credentials import Credential
from central.web.access import member_page


@member_page
def search(request: HttpRequest, credential: Credential) -> HttpResponse:
    """The form and, with a query, its answer."""
    context = {"organization": credential.organization.slug, "section": "search"}
    return render(request, "web/search.html", context)
