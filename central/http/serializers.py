"""Serializers of answers, built from the dataclasses that the answers are."""

from collections.abc import Mapping
from datetime import datetime
from types import NoneType
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin, get_type_hints
from uuid import UUID

from rest_framework import serializers

from aeterna_code_search.contract.notes import Note

Made: TypeAlias = dict[type, type[serializers.Serializer[Any]]]
Field: TypeAlias = serializers.Field[Any, Any, Any, Any]

_FIELDS: Final[Mapping[Any, type[Field]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
    UUID: serializers.UUIDField,
}


def serializer_of(
    answer: type, made: Made, *, name: str = "", last: str = ""
) -> type[serializers.Serializer[Any]]:
    """Return the serializer that describes a dataclass, with its docstring.

    `Annotated[int, "0-based"]` describes a field; an enum or members of it are its choices.
    Dataclasses inside of it are taken from `made`, which gains the new ones. The schema has the
    dataclass under `name`, or else under its own, and lists the field `last` after the others.
    """
    if answer not in made:
        hints = get_type_hints(answer, include_extras=True)
        names = sorted(hints, key=lambda name: name == last)
        fields = {name: _field(hints[name], made) for name in names}
        members = {"__doc__": answer.__doc__, "__module__": answer.__module__, **fields}
        title = f"{name or answer.__name__}Serializer"
        made[answer] = type(title, (serializers.Serializer,), members)
    return made[answer]


def _field(annotation: Any, made: Made) -> Field:
    kind, options = _options(annotation)
    if "choices" in options:
        return serializers.ChoiceField(**options)
    parts = get_args(kind)
    if get_origin(kind) in {dict, Mapping}:
        if parts[1] is not Any:
            options["child"] = _field(parts[1], made)
        return serializers.DictField(**options)
    if get_origin(kind) is list:
        item = _field(parts[0], made)
        if isinstance(item, serializers.Serializer):
            return type(item)(many=True, **options)
        return serializers.ListField(child=item, **options)
    make = _FIELDS.get(kind) or serializer_of(kind, made)
    return make(**options)


def _options(annotation: Any) -> tuple[Any, dict[str, Any]]:
    """Return the type without notes and None, and the options of the field that they mean."""
    options: dict[str, Any] = {}
    if get_origin(annotation) is Annotated:
        annotation, *notes = get_args(annotation)
        for note in notes:
            if isinstance(note, str):
                options["help_text"] = note
            elif not isinstance(note, Note):
                options["choices"] = [getattr(member, "value", member) for member in note]
    parts = get_args(annotation)
    if NoneType in parts:
        annotation, options["allow_null"] = parts[0], True
    return annotation, options
