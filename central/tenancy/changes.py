"""What a form of the admin changes, as the audit log keeps it: values of JSON, nothing secret."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.db.models import Model, QuerySet
from django.forms import Form, ModelChoiceField, ModelForm, ModelMultipleChoiceField

_SECRET = "password"  # noqa: S105 (what the names of such fields begin with)


def new_values(form: "ModelForm[Any]") -> dict[str, Any]:
    """Field → value of what was added, where it is not empty."""
    values = {name: _plain(form.cleaned_data[name]) for name in _named(form, form.cleaned_data)}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def changed_values(form: "ModelForm[Any]") -> dict[str, Any]:
    """Field → its value before and after, where they differ."""
    return {
        name: {"before": _plain(_before(form, name)), "after": _plain(form.cleaned_data[name])}
        for name in _named(form, dict.fromkeys(form.changed_data))
    }


def _named(form: "Form | ModelForm[Any]", names: Mapping[str, Any]) -> Iterator[str]:
    """Those that are the row's own and may be told."""
    fields = {field.name for field in form.instance._meta.get_fields()}  # type: ignore[union-attr]
    return (name for name in names if name in fields and not name.startswith(_SECRET))


def _before(form: "ModelForm[Any]", name: str) -> Any:
    field, value = form.fields[name], form.initial.get(name)
    if isinstance(field, ModelChoiceField) and not isinstance(field, ModelMultipleChoiceField):
        return field.to_python(value)  # the form has its key
    return value


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Model):
        return str(value)
    if isinstance(value, date):  # and every datetime
        return value.isoformat()
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return str(value)
