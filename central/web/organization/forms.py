"""What an organisation's admins, and people who are invited, fill in."""

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm

from central.tenancy.models import Role
from indexer.limits import INVITATION_DAYS

_DAYS = [(1, "a day"), (7, "7 days"), (INVITATION_DAYS, f"{INVITATION_DAYS} days")]
_USUAL_DAYS = 7
_ROLES = [
    (Role.MEMBER.value, "Member: searches"),
    (Role.ADMIN.value, "Admin: also changes these settings and indexes"),
]
_LONGEST_CODE = 500  # with the address before it


class RoleForm(forms.Form):
    """The role of a member."""

    role = forms.ChoiceField(label="Role", choices=_ROLES)


class InvitationForm(forms.Form):
    """An invitation, before it is made."""

    name = forms.CharField(
        label="Who it is for",
        max_length=100,
        help_text="Only to know it again in the list: anybody who has the link can use it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(label="Role", choices=_ROLES, initial=Role.MEMBER.value)
    expires_days = forms.TypedChoiceField(
        label="Valid for", coerce=int, choices=_DAYS, initial=_USUAL_DAYS
    )


class CodeForm(forms.Form):
    """The code of an invitation, or the link that has it."""

    code = forms.CharField(
        label="Link or code of the invitation",
        max_length=_LONGEST_CODE,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        """Return what stands after the address."""
        code: str = self.cleaned_data["code"]
        return code.rpartition("#")[2].strip()


class NewPersonForm(UserCreationForm):  # type: ignore[type-arg]
    """A user name, which differs from all others by more than its case, and a password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        self.fields["username"].widget.attrs.pop("autofocus", None)
        self.fields["password2"].label = "The password again"
        self.fields["password2"].help_text = ""
