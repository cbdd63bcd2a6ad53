"""Serializers of answers, built from the dataclasses that the answers are."""

from collections.abc import Mapping
from datetime import datetime
from types import NoneType
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from rest_framework import serializers

Made: TypeAlias = dict[type, type[serializers.Serializer[Any]]]

_FIELDS: Final[Mapping[Any, type[serializers.Field[Any, Any, Any, Any]]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
}


def serializer_of(answer: type, made: Made, *, last: str = "") -> type[serializers.Serializer[Any]]:
    """Return the serializer that describes a dataclass, under its name and with its docstring.

    `Annotated[int, "0-based"]` describes a field. Dataclasses inside of it are taken from `made`,
    which gains the new ones. The schema lists the field `last` after the others.
    """
    if answer not in made:
        hints = get_type_hints(answer, include_extras=True)
        names = sorted(hints, key=lambda name: name == last)
        fields = {name: _field(hints[name], made) for name in names}
        members = {"__doc__": answer.__doc__, "__module__": answer.__module__, **fields}
        made[answer] = type(f"{answer.__name__}Serializer", (serializers.Serializer,), members)
    return made[answer]


def _field(annotation: Any, made: Made) -> serializers.Field[Any, Any, Any, Any]:
    options: dict[str, Any] = {}
    if get_origin(annotation) is Annotated:
        annotation, options["help_text"] = get_args(annotation)
    parts = get_args(annotation)
    if NoneType in parts:
        annotation, options["allow_null"] = parts[0], True
    if get_origin(annotation) is list:
        (item,) = get_args(annotation)
        if item in _FIELDS:
            return serializers.ListField(child=_FIELDS[item](), **options)
        return serializer_of(item, made)(many=True, **options)
    make = _FIELDS.get(annotation) or serializer_of(annotation, made)
    return make(**options)
