"""Pages of a person: sign-in, account, tokens, organisation."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordChangeView,
    redirect_to_login,
)
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from central.errors import ForbiddenError
from central.http.rate_limits import enforce
from central.http.urls import absolute_url
from central.tenancy.audit import record, user_actor
from central.tenancy.credentials import organizations_of
from central.tenancy.models import ApiToken, Organization
from central.tenancy.services.tokens import create_personal_token, revoke_token
from central.web.access import THEME_COOKIE, THEMES, last_organization
from central.web.forms import SignInForm, TokenForm
from central.web.login_throttle import remember_browser
from central.web.organization.pages import actor_of, person, submitted
from central.web.organization.snippets import snippets_for
from central.web.urls_for import is_own

_MOST_LISTED = 200
_CHANGES = "10/5minute"  # of one person's password


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Redirect to the last or only organisation; else show a choice."""
    organizations = organizations_of(person(request)).order_by("slug")
    if last := last_organization(request):
        return redirect("web:search", organization=last)
    listed = list(organizations[: _MOST_LISTED + 1])
    if len(listed) == 1:
        return redirect("web:search", organization=listed[0].slug)
    context = {"choices": listed[:_MOST_LISTED], "has_more": len(listed) > _MOST_LISTED}
    return render(request, "web/home.html", context)


class SignIn(LoginView):
    """A form; too many attempts are answered with 429 and when to try again."""

    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the button of the single sign-on, where there is one."""
        return super().get_context_data(
            **kwargs, sso_name=settings.SSO.name if settings.SSO else ""
        )

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        """Where to go then; not back to this form, which sends on who is signed in."""
        url = super().get_redirect_url(*args, **kwargs)
        return "" if url.partition("?")[0] == self.request.path else url

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in. The session gets another key; this browser is known from now on."""
        response = super().form_valid(form)
        remember_browser(self.request, response, form.get_user().get_username())
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        if form.retry_after:
            response.status_code = 429
            response["Retry-After"] = str(form.retry_after)
        return response


sign_in = SignIn.as_view()
sign_out = LogoutView.as_view()


@require_safe
def sign_in_to_administer(request: HttpRequest) -> HttpResponse:
    """Replace the admin's own form, which has neither limits nor single sign-on.

    Raises ForbiddenError for signed-in users who are not administrators.
    """
    if request.user.is_authenticated and not request.user.is_staff:
        raise ForbiddenError(
            "The administration is for superusers of this service. One of them makes another: "
            "`manage.py create_member USERNAME --superuser`."
        )
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


@login_required
@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _account_page(request, TokenForm(person(request)))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def make_token(request: HttpRequest) -> HttpResponse:
    """Make a personal token; this answer shows it, and nothing else ever does."""
    if request.method != "POST":  # the address was opened again
        return redirect("web:account")
    user = person(request)

    def make(chosen: dict[str, Any]) -> HttpResponse:
        organization, scopes = chosen["organization"], chosen["scopes"]
        token = create_personal_token(
            owner=user,
            organization_slug=organization,
            scopes=scopes,
            name=chosen["name"],
            expires_days=chosen["expires_days"],
        )
        url = absolute_url(request, "/").rstrip("/")
        snippets = snippets_for(url=url, organization=organization, token=token, scopes=scopes)
        return _account_page(request, TokenForm(user), new_token=token, snippets=snippets)

    form = TokenForm(user, request.POST)
    return submitted(form, make) or _account_page(request, form)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Take one's own token back; another's is not found."""
    token = get_object_or_404(
        ApiToken.objects.select_related("organization"), pk=token_id, owner=person(request)
    )
    if revoke_token(token, actor=actor_of(request)):
        messages.success(request, f"Revoked: {token.label}")
    return redirect("web:account")


class PasswordChange(PasswordChangeView):
    """For those who have a password; a change ends their other sessions."""

    template_name = "web/password.html"
    success_url = reverse_lazy("web:account")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Not found for those who only sign in elsewhere."""
        if request.user.is_authenticated and not request.user.has_usable_password():
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Limit guesses of the old password, too. Raises ThrottledError."""
        enforce(f"password {request.user.pk}", _CHANGES, what="password")
        return super().post(request, *args, **kwargs)

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        user = person(self.request)
        record(actor=user_actor(user), action="user.password", target=user.get_username())
        messages.success(self.request, "Your password is changed. Other sessions have ended.")
        return response


password = PasswordChange.as_view()


def _account_page(request: HttpRequest, form: TokenForm, **new: Any) -> HttpResponse:
    """Render the page; `new` are a token that was just made, and its snippets."""
    user = person(request)
    memberships = user.memberships.filter(organization__in=Organization.objects.all())
    tokens = user.api_tokens.filter(revoked_at=None, organization__in=Organization.objects.all())
    context = {
        "section": "account",
        "memberships": memberships.select_related("organization").order_by("organization__slug"),
        "tokens": tokens.select_related("organization"),
        "now": timezone.now(),
        "form": form,
        **new,
    }
    return render(request, "web/account.html", context)


_YEAR_SECONDS = 365 * 86_400


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    back = request.POST.get("next", "")
    response = redirect(back if is_own(request, back) else "/")
    chosen = request.POST.get("theme")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=_YEAR_SECONDS,
            samesite="Lax",
            secure=request.is_secure(),
            httponly=True,
        )
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
