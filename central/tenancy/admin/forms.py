"""Fields of the admin's forms that say what may be seen and done."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from central.tenancy.models import Scope

VISIBILITIES = ["public", "internal", "private"]


class VisibilityForm(forms.ModelForm):  # type: ignore[type-arg]
    """Which repositories are seen. Nothing chosen is every one; an empty list is none, and stays
    so until something is chosen.
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
        """None for all."""
        return self._limit("repositories")

    def clean_visibilities(self) -> list[str] | None:
        """None for all."""
        return self._limit("visibilities")

    def _limit(self, name: str) -> list[str] | None:
        """A field that is blank was "all" or "none": only the row tells."""
        if name not in self.changed_data:
            kept: list[str] | None = getattr(self.instance, name)
            return kept
        return self.cleaned_data[name] or None


class ScopesForm(VisibilityForm):
    """What may be done, beside."""

    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="index: write the index; search: ask it; admin: administer the organisation",
    )
