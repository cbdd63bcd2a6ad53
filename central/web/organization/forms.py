"""What an organisation's admins, and people who are invited, fill in."""

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm

from central.alerts.delivery import ALERT_ADDRESS_CHARACTERS
from central.tenancy.models import Role, Scope
from central.tenancy.services.invitations import INVITATION_DAYS
from indexer.forge.selection import Selection
from indexer.limits import PROJECTS_NAMED

_DAYS = [(1, "a day"), (7, "7 days"), (INVITATION_DAYS, f"{INVITATION_DAYS} days")]
_USUAL_DAYS = 7
_ROLES = [
    (Role.MEMBER.value, "Member: searches"),
    (Role.ADMIN.value, "Admin: also changes these settings and indexes"),
]
_TOKEN_DAYS = [(30, "30 days"), (90, "90 days"), (366, "a year"), (0, "until it is revoked")]
_USUAL_TOKEN_DAYS = 90
_LONGEST_NAME = 200  # of a repository
_MEGABYTES = 1_000_000_000  # what a filter of sizes can say
_LONGEST_CODE = 500  # with the address before it


def _words(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(
        label=label, required=False, max_length=2_000, help_text=help_text, widget=_text_input()
    )


def split(text: str) -> list[str]:
    """Return the words between commas, each once."""
    return [word for word in dict.fromkeys(part.strip() for part in text.split(",")) if word]


def _text_input() -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})


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
        found = split(self.cleaned_data["repositories"])
        if len(found) > PROJECTS_NAMED or any(len(name) > _LONGEST_NAME for name in found):
            raise forms.ValidationError(
                f"Give at most {PROJECTS_NAMED:,} names of at most {_LONGEST_NAME} characters."
            )
        return found or None


class BackfillForm(forms.Form):
    """A backfill of the organisation's owner at GitHub, or of repositories at addresses."""

    owner = forms.CharField(
        label="Owner at GitHub",
        required=False,
        max_length=100,
        help_text="The organisation or user that this organisation belongs to: all of its "
        "repositories, narrowed by the fields below.",
        widget=_text_input(),
    )
    include = _words("Only names", "Such as shop-*, cart: with commas between them. Empty: all.")
    exclude = _words("Not these names", "")
    topics = _words("With one of the topics", "")
    max_megabytes = forms.IntegerField(
        label="Not larger than, in MB", required=False, min_value=1, max_value=_MEGABYTES
    )
    archived = forms.BooleanField(label="Archived ones too", required=False)
    forks = forms.BooleanField(label="Forks too", required=False)
    urls = forms.CharField(
        label="Or addresses of repositories",
        required=False,
        max_length=100_000,
        help_text="One a line, such as https://gitlab.example.com/group/shop: public ones, at "
        "hosts that the operator allows.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError unless there is either an owner or addresses."""
        data = super().clean() or {}
        if not self.errors and bool(data.get("owner")) == bool(data.get("urls", "").split()):
            raise forms.ValidationError("Give either an owner at GitHub or addresses.")
        return data

    def selection(self) -> Selection:
        """Return the filters."""
        data = self.cleaned_data
        lists = {name: tuple(split(data[name])) for name in ("include", "exclude", "topics")}
        return Selection(
            **lists,
            archived=data["archived"],
            forks=data["forks"],
            max_megabytes=data["max_megabytes"],
        )


class KeylessForm(forms.Form):
    """The switches of a keyless policy."""

    enabled = forms.BooleanField(
        label="Jobs may index without a token, if they match the lists below", required=False
    )
    impact = forms.BooleanField(
        label="Jobs of pull requests may search, to report the impact of a change", required=False
    )


class PatternForm(forms.Form):
    """An entry of one of the policy's lists."""

    patterns = forms.ChoiceField(
        label="Kind",
        choices=[("job_workflow_refs", "Workflow"), ("refs", "Branch"), ("events", "Event")],
    )
    pattern = forms.CharField(
        label="Pattern",
        max_length=500,
        help_text="A workflow: acme/.github/.github/workflows/code-index.yml@refs/heads/main. "
        "A branch: refs/heads/main. An event: push. * stands for any text.",
        widget=_text_input(),
    )


class AlertForm(forms.Form):
    """The receiver of alerts. The address is a credential: it is never filled in."""

    address = forms.CharField(
        label="Address",
        max_length=ALERT_ADDRESS_CHARACTERS,
        help_text="The URL of an incoming webhook of Slack, or of a program of your own: https://…",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    new_secret = forms.BooleanField(label="Replace the secret that signs messages", required=False)


class CodeForm(forms.Form):
    """The code of an invitation, or the link that has it."""

    code = forms.CharField(
        label="Link or code of the invitation",
        help_text="Paste the link that you were sent.",
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
        self.fields["username"].help_text = "Letters, digits and @ . + - _"
        self.fields["password2"].label = "The password again"
        self.fields["password2"].help_text = ""
