"""What the frame of every page does: the way in, and the colours."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from central.web.context import THEME_COOKIE, THEMES
from central.web.places import is_own

_YEAR_SECONDS = 365 * 86_400


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the colours that are asked for, and go back to the page that asked."""
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
