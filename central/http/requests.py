"""Serializers of requests, built from the records of the contract."""

from collections.abc import Collection
from typing import Any, Final

from rest_framework import serializers

from aeterna_code_search.contract.notes import Member, members_of, record_of
from central.http.parameters import (
    OrganizationSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
)
from central.http.serializers import Field

_FIELDS: Final[dict[type, type[Field]]] = {
    bool: StrictBooleanField,
    float: StrictFloatField,
    int: StrictIntegerField,
}


class RequestSerializer(OrganizationSerializer):
    """What a credential asks, and the record that it is read into."""

    record: type

    def read(self, data: Any) -> Any:
        """Validate and return the record. One instance serves all requests: a copy costs 1 ms."""
        return self.record_of(self.checked(data))

    def record_of(self, given: dict[str, Any]) -> Any:
        """Return the record of valid fields."""
        return record_of(self.record, given)


def request_serializer(
    record: type, *, without: Collection[str] = (), name: str = ""
) -> type[RequestSerializer]:
    """Return the serializer of a request, which the schema calls `name`.

    It has the first paragraph of the docstring, and not the fields `without`.
    """
    fields = {
        member.name: _field(member) for member in members_of(record) if member.name not in without
    }
    summary = (record.__doc__ or "").partition("\n\n")[0]
    members = {"__doc__": summary, "__module__": record.__module__, "record": record}
    title = f"{name or record.__name__}Serializer"
    return type(title, (RequestSerializer,), {**members, **fields})


def _field(member: Member) -> Field:
    argument = member.argument
    options: dict[str, Any] = {}
    if argument.help:
        options["help_text"] = argument.help
    if member.told_default is not None:
        options["default"] = member.told_default
    elif not member.is_required:
        options["required"] = False
    if argument.may_be_null:
        options["allow_null"] = True
    if not member.is_list:
        return _value(member, **options)
    lengths = {"min_length": argument.fewest, "max_length": argument.most or len(member.choices)}
    options |= {key: length for key, length in lengths.items() if length is not None}
    return serializers.ListField(child=_value(member), **options)


def _value(member: Member, **options: Any) -> Field:
    argument = member.argument
    if member.choices:
        return StrictChoiceField(choices=member.choices, **options)
    if member.kind in _FIELDS:
        limits = {"min_value": argument.low, "max_value": argument.high}
        options |= {key: limit for key, limit in limits.items() if limit is not None}
        return _FIELDS[member.kind](**options)
    if argument.may_be_blank:
        options["allow_blank"] = True
    return StrictCharField(
        max_length=argument.chars, trim_whitespace=argument.is_trimmed, **options
    )
