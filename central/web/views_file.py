"""The page of one indexed file."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.common.errors import NotFoundError
from central.corpus.models import File
from central.repositories.selectors import visible_repositories
from central.tenancy.credentials import Credential
from central.web.access import member_page


@member_page
def file(request: HttpRequest, credential: Credential, project: str, path: str) -> HttpResponse:
    """A file as it is indexed."""
    found = File.objects.filter(
        repository__in=visible_repositories(credential=credential),
        repository__name=project,
        path=path,
    ).first()
    if found is None:
        raise NotFoundError("There is no such file in the index.", code="file_not_found")
    context = {
        "organization": credential.organization.slug,
        "section": "repositories",
        "project": project,
        "file": found,
    }
    return render(request, "web/file.html", context)
