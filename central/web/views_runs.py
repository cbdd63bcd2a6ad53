"""A run, and while it lasts what changes of it."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HTMX_STOP_POLLING, reswap, retarget

from central.ingest.selectors import visible_run
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.runs import ShownRun, runner_of, shown_run


@member_page
def run(request: HttpRequest, credential: Credential, run_id: UUID) -> HttpResponse:
    """Everything of a run."""
    return render(request, "web/run.html", _context(credential, run_id))


@member_page
def run_progress(request: HttpRequest, credential: Credential, run_id: UUID) -> HttpResponse:
    """How far it is; once its state is not the one in `state` any more, all of it anew.

    Asked every second by the page, and no more once the run has ended.
    """
    context = _context(credential, run_id)
    shown: ShownRun = context["shown"]
    if shown.run.state == request.GET.get("state"):
        return render(request, "web/_run_progress.html", context)
    status = 200 if shown.is_live else HTMX_STOP_POLLING
    response = render(request, "web/_run.html", context, status=status)
    return reswap(retarget(response, "#run"), "outerHTML")


def _context(credential: Credential, run_id: UUID) -> dict[str, Any]:
    found = visible_run(credential=credential, run_id=run_id)
    return {
        "organization": credential.organization.slug,
        "section": "repositories",
        "repository": found.repository,
        "shown": shown_run(found),
        "runner": partial(runner_of, found),  # a poll does not show it
    }
