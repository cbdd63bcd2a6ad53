"""Serializers that are generated from the dataclasses of answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import pytest
from rest_framework import serializers

from central.http.serializers import Made, serializer_of


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


@dataclass
class Part:
    """A part of a whole."""

    number: int


@dataclass
class Whole:
    """A whole of parts."""

    id: UUID
    at: datetime | None
    is_new: bool
    weight: Annotated[float | None, "In kilograms"]
    colour: Annotated[str, Colour]
    shade: Annotated[str | None, (Colour.RED,)]
    names: Annotated[list[str], "Of people"]
    rows: list[dict[str, Any]]
    counts: dict[str, int]
    properties: Mapping[str, Any]
    part: Annotated[Part | None, "The first"]
    parts: list[Part]
    hint: str = ""


@pytest.fixture(scope="module")
def fields() -> dict[str, Any]:
    return dict(serializer_of(Whole, {})().fields)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("id", serializers.UUIDField),
        ("at", serializers.DateTimeField),
        ("is_new", serializers.BooleanField),
        ("weight", serializers.FloatField),
        ("colour", serializers.ChoiceField),
        ("names", serializers.ListField),
        ("rows", serializers.ListField),
        ("counts", serializers.DictField),
        ("properties", serializers.DictField),
        ("part", serializers.Serializer),
        ("parts", serializers.ListSerializer),
        ("hint", serializers.CharField),
    ],
)
def test_a_type_has_its_field(fields: dict[str, Any], name: str, kind: type[Any]) -> None:
    assert isinstance(fields[name], kind)
    assert fields[name].required


def test_what_may_be_none_may_be_null(fields: dict[str, Any]) -> None:
    nullable = {name for name, field in fields.items() if field.allow_null}
    assert nullable == {"at", "weight", "shade", "part"}


def test_a_note_is_the_help_text(fields: dict[str, Any]) -> None:
    notes = {name: field.help_text for name, field in fields.items() if field.help_text}
    assert notes == {"weight": "In kilograms", "names": "Of people", "part": "The first"}


def test_members_of_an_enum_are_choices(fields: dict[str, Any]) -> None:
    assert list(fields["colour"].choices) == ["red", "blue"]
    assert list(fields["shade"].choices) == ["red"]


def test_what_lists_and_objects_hold_has_its_field_too(fields: dict[str, Any]) -> None:
    assert isinstance(fields["names"].child, serializers.CharField)
    assert isinstance(fields["rows"].child, serializers.DictField)
    assert isinstance(fields["counts"].child, serializers.IntegerField)
    assert list(fields["parts"].child.fields) == ["number"]


def test_the_schema_has_the_name_and_docstring_of_the_dataclass() -> None:
    made = serializer_of(Whole, {})
    assert (made.__name__, made.__doc__) == ("WholeSerializer", "A whole of parts.")
    assert serializer_of(Whole, {}, name="All").__name__ == "AllSerializer"


def test_a_field_may_be_the_last() -> None:
    names = list(serializer_of(Whole, {}, last="id")().fields)
    assert (names[0], names[-1]) == ("at", "id")


def test_a_dataclass_is_made_once_and_one_that_is_made_is_taken() -> None:
    class PartialSerializer(serializers.Serializer[Any]):
        """A part, by hand."""

    made: Made = {Part: PartialSerializer}
    whole = serializer_of(Whole, made)
    assert isinstance(whole().fields["part"], PartialSerializer)
    assert serializer_of(Whole, made) is whole
