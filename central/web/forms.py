"""What people fill in about themselves: signing in, and making a token."""

import math
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from central.tenancy.credentials import organizations_of
from central.tenancy.models import Scope
from central.web.login_throttle import retry_after

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_LIFETIMES = [(7, "7 days"), (30, "30 days"), (90, "90 days"), (366, "a year")]
_USUAL_DAYS = 90


class SignInForm(AuthenticationForm):
    """A user name and a password; `retry_after` is in seconds where there were too many."""

    retry_after = 0
    error_messages = {
        "invalid_login": "This user name and password do not match. Mind capital letters in both; "
        "an administrator can give you another password.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"

    def clean(self) -> dict[str, Any]:
        """Attempts are counted before the password is looked at. Raises ValidationError."""
        username = self.cleaned_data.get("username")
        if username and self.request is not None:
            wait = retry_after(self.request, username)
            if wait is not None:
                self.retry_after = max(math.ceil(wait), 1)
                raise forms.ValidationError(
                    f"There were too many attempts to sign in. Try again in {self._wait()}."
                )
        return super().clean()

    def _wait(self) -> str:
        minutes = math.ceil(self.retry_after / 60)
        return "a minute" if minutes == 1 else f"{minutes} minutes"


class TokenForm(forms.Form):
    """A personal token, before it is made."""

    name = forms.CharField(
        max_length=100,
        label="What it is for",
        help_text="Such as “editor on my laptop”: you know it by this in the list.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    organization = forms.ChoiceField(label="Organisation")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=[
            (Scope.SEARCH.value, "search: read what you may see"),
            (Scope.INDEX.value, "index: upload indexes (for admins of the organisation)"),
            (Scope.ADMIN.value, "admin: maintain the organisation (for its admins)"),
        ],
        initial=[Scope.SEARCH.value],
        widget=forms.CheckboxSelectMultiple,
    )
    expires_days = forms.TypedChoiceField(
        label="Valid for", coerce=int, choices=_LIFETIMES, initial=_USUAL_DAYS
    )

    def __init__(self, user: "User", *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        slugs = organizations_of(user).order_by("slug").values_list("slug", flat=True)
        organization = self.fields["organization"]
        assert isinstance(organization, forms.ChoiceField)  # noqa: S101 (for the type checker)
        organization.choices = [(slug, slug) for slug in slugs]
