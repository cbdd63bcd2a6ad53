"""Alerts: where messages about failing and outdated repositories go, and what is wrong now."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from central.alerts.services.destinations import (
    find_destination,
    remove_destination,
    send_test,
    set_destination,
)
from central.alerts.signing import signing_secret
from central.alerts.status import alert_status
from central.background import ALERTS
from central.errors import ServiceError
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from central.web.access import admin_page
from central.web.organization.forms import AlertForm
from central.web.organization.pages import actor_of, confirmation, settings_page, submitted


@admin_page
def alerts(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Show the receiver and what is wrong; a form with `test` sends a test, the other sets it.

    Only the answer that sets it shows the secret.
    """
    organization = credential.organization
    if "test" in request.POST:
        _test(request, organization)
        return redirect("web:settings-alerts", organization=organization.slug)
    form = AlertForm(request.POST or None)
    destination = submitted(
        form,
        lambda chosen: set_destination(
            organization=organization, actor=actor_of(request), **chosen
        ),
        field="address",
    )
    if destination:
        ALERTS.wake()
        return _page(request, organization, AlertForm(), secret=signing_secret(destination))
    return _page(request, organization, form)


def _test(request: HttpRequest, organization: Organization) -> None:
    """Send a test, and let the next page say what came of it."""
    try:
        failure = send_test(organization=organization)
    except ServiceError as exc:
        messages.error(request, exc.message)
        return
    if failure:
        messages.error(request, f"The test was not delivered. {failure.message}")
    else:
        messages.success(request, "The test was delivered.")
        ALERTS.wake()


def _page(
    request: HttpRequest, organization: Organization, form: AlertForm, *, secret: str = ""
) -> HttpResponse:
    status = alert_status(organization)
    return settings_page(request, "alerts", status_=status, form=form, secret=secret)


@admin_page
def remove(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Ask, then send no more alerts."""
    organization = credential.organization
    find_destination(organization)

    def act() -> str:
        remove_destination(organization=organization, actor=actor_of(request))
        return "No more alerts are sent."

    return confirmation(
        request,
        act,
        page="alerts",
        title="Send no more alerts?",
        effects=[
            "A repository whose index fails or falls behind is not reported.",
            "The address is deleted. Once one is set again, all that is wrong then is reported.",
        ],
        button="Send no more",
        back=reverse("web:settings-alerts", args=[organization.slug]),
    )
