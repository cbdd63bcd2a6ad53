"""Serializer fields that do not coerce: a number is no string, and "1" is no number."""

from typing import Any

from rest_framework import serializers


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
