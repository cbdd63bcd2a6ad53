"""Request parameters with strict JSON types, and answers as JSON."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request

from central.errors import InvalidError
from indexer.output.terminal import NAMES, SHOWN_NAME_CHARACTERS

INTEGER: Final = re.compile(r"-?[0-9]{1,9}")
DECIMAL: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,18})?")
FLAG: Final = re.compile(r"true|false")
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})  # nothing in them to go into


def body_object(request: Request) -> dict[str, Any]:
    """Return the body. Raises InvalidError unless it is a JSON object."""
    if not isinstance(request.data, dict):
        raise InvalidError("The body must be a JSON object.")
    return request.data


def query_object(
    query: QueryDict, *, lists: frozenset[str], numbers: Mapping[str, re.Pattern[str]]
) -> dict[str, Any]:
    """Return query parameters with the types that JSON would have given them.

    `lists` are repeated parameters; of others the last counts. `numbers`, also flags, have a
    pattern each; what does not match stays text, which the serializer refuses.
    """
    last = query.dict()
    return {
        name: query.getlist(name) if name in lists else _value(str(last[name]), numbers.get(name))
        for name in query
    }


def to_json(record: Any) -> Any:
    """Return a record as JSON types. `dataclasses.asdict` copies deeply: 1 ms a page."""
    names = _field_names(record.__class__)
    if names:
        values = [getattr(record, name) for name in names]
        plain = [member if type(member) in _PLAIN else to_json(member) for member in values]
        return dict(zip(names, plain, strict=True))
    return [to_json(item) for item in record] if isinstance(record, list) else record


@cache
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls)) if is_dataclass(cls) else ()


def _value(text: str, number: re.Pattern[str] | None) -> str | float:
    if number is None or not number.fullmatch(text):
        return text
    if number is FLAG:
        return text == "true"
    return int(text) if number is INTEGER else float(text)


class StrictCharField(serializers.CharField):
    """A JSON string, as it is; REST framework's own also takes numbers, and trims."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Refuse everything that is not a string."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class StrictIntegerField(serializers.IntegerField):
    """A JSON integer; REST framework's own also takes strings, floats and booleans."""

    def to_internal_value(self, data: Any) -> int:
        """Refuse everything that is not an integer."""
        if type(data) is not int:
            self.fail("invalid")
        return int(super().to_internal_value(data))


class StrictFloatField(serializers.FloatField):
    """A JSON number; REST framework's own also takes strings and booleans."""

    def to_internal_value(self, data: Any) -> float:
        """Refuse everything that is not a number."""
        if type(data) not in (int, float):
            self.fail("invalid")
        return float(super().to_internal_value(data))


class StrictChoiceField(serializers.ChoiceField):
    """A JSON string out of a list; REST framework's own compares by `str`."""

    def to_internal_value(self, data: Any) -> Any:
        """Refuse everything that is not a string."""
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    """A JSON boolean; REST framework's own also takes strings and numbers."""

    def to_internal_value(self, data: Any) -> bool:
        """Refuse everything that is not a boolean."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that do not exist, with the near name; REST framework's own ignores them."""

    def to_internal_value(self, data: Any) -> Any:
        """Validate the fields, which must all exist."""
        names = data if isinstance(data, Mapping) else ()
        if unknown := [name for name in names if name not in self.fields]:
            hints: dict[str, list[str]] = {
                name[:SHOWN_NAME_CHARACTERS]: [self._unknown(name)] for name in unknown[:NAMES]
            }
            if more := unknown[NAMES:]:
                hints["non_field_errors"] = [f"{len(more):,} further fields do not exist either."]
            raise serializers.ValidationError(hints)
        return super().to_internal_value(data)

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, list(self.fields), n=1)
        return f"There is no such field.{f' Did you mean {near[0]}?' if near else ''}"


class OrganizationSerializer(StrictSerializer):
    """The organisation whose index is queried."""

    org_id = StrictCharField(max_length=100, help_text="The organisation's slug; org-<slug> too")

    def checked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Validate and return the fields; no state is kept, so one instance serves all requests."""
        found = dict(self.run_validation(dict(data)))
        del found["org_id"]
        return found

    def known(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that exist: addresses of pages may carry others."""
        return {name: value for name, value in data.items() if name in self.fields}
