"""Form fields of the admin for visibility and scopes."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from central.tenancy.models import Scope

VISIBILITIES = ["public", "internal", "private"]


class VisibilityForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that limits the visible repositories.

    Nothing chosen means every repository. A stored empty list means none, until one is chosen.
    """

    visibilities = forms.MultipleChoiceField(
        choices=[(name, name) for name in VISIBILITIES],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        required=False,
        help_text="Nothing chosen: repositories of every visibility",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "repositories" in self.fields:
            names = UnfoldAdminTextInputWidget(attrs={"placeholder": "all"})
            self.fields["repositories"].widget = names

    def clean_repositories(self) -> list[str] | None:
        return self._limit("repositories")

    def clean_visibilities(self) -> list[str] | None:
        return self._limit("visibilities")

    def _limit(self, name: str) -> list[str] | None:
        """Return the limit; a blank field keeps "all" or "none", as the row has it."""
        if name not in self.changed_data:
            kept: list[str] | None = getattr(self.instance, name)
            return kept
        return self.cleaned_data[name] or None


class ScopesForm(VisibilityForm):
    """A form that also has scopes."""

    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="index: write the index; search: ask it; admin: administer the organisation",
    )
