"""What an organisation's admins, and people who are invited, fill in."""

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm

from central.tenancy.models import Role, Scope
from indexer.limits import INVITATION_DAYS, PROJECTS_NAMED

_DAYS = [(1, "a day"), (7, "7 days"), (INVITATION_DAYS, f"{INVITATION_DAYS} days")]
_USUAL_DAYS = 7
_ROLES = [
    (Role.MEMBER.value, "Member: searches"),
    (Role.ADMIN.value, "Admin: also changes these settings and indexes"),
]
_TOKEN_DAYS = [(30, "30 days"), (90, "90 days"), (366, "a year"), (0, "until it is revoked")]
_USUAL_TOKEN_DAYS = 90
_LONGEST_NAME = 200  # of a repository
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


class OrganizationTokenForm(forms.Form):
    """A token of the organisation, before it is made."""

    name = forms.CharField(
        max_length=100,
        label="What it is for",
        help_text="Such as “agents of the web team”: you know it by this in the list.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=[
            (Scope.SEARCH.value, "search: search and read code, for people and agents"),
            (Scope.INDEX.value, "index: upload indexes, for jobs without keyless trust"),
            (Scope.ADMIN.value, "admin: start backfills"),
        ],
        initial=[Scope.SEARCH.value],
        widget=forms.CheckboxSelectMultiple,
    )
    repositories = forms.CharField(
        label="Repositories",
        required=False,
        max_length=20_000,
        help_text="Names, with commas between them. Empty: all of the organisation.",
        widget=forms.TextInput(attrs={"placeholder": "all", "autocomplete": "off"}),
    )
    expires_days = forms.TypedChoiceField(
        label="Valid for", coerce=int, choices=_TOKEN_DAYS, initial=_USUAL_TOKEN_DAYS
    )

    def clean_repositories(self) -> list[str] | None:
        """Return the names; None for all."""
        names = [name.strip() for name in self.cleaned_data["repositories"].split(",")]
        found = [name for name in dict.fromkeys(names) if name]
        if len(found) > PROJECTS_NAMED or any(len(name) > _LONGEST_NAME for name in found):
            raise forms.ValidationError(
                f"Give at most {PROJECTS_NAMED:,} names of at most {_LONGEST_NAME} characters."
            )
        return found or None


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
