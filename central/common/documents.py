"""What goes in and out of views: query parameters as JSON's types, records as documents."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from django.http import QueryDict
from rest_framework.request import Request

from central.common.errors import InvalidError

INTEGER: Final = re.compile(r"-?[0-9]{1,9}")
DECIMAL: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,18})?")
FLAG: Final = re.compile(r"true|false")
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})  # nothing in them to go into


def body_object(request: Request) -> dict[str, Any]:
    """The body. Raises InvalidError unless it is a JSON object."""
    if not isinstance(request.data, dict):
        raise InvalidError("The body must be a JSON object.")
    return request.data


def query_object(
    query: QueryDict, *, lists: frozenset[str], numbers: Mapping[str, re.Pattern[str]]
) -> dict[str, Any]:
    """Query parameters in the types that JSON would have given them.

    `lists` are given by repeating a parameter, of others the last counts. `numbers`, flags among
    them, have a pattern each; what does not match stays text, to be refused as such.
    """
    last = query.dict()
    return {
        name: query.getlist(name) if name in lists else _value(str(last[name]), numbers.get(name))
        for name in query
    }


def document(record: Any) -> Any:
    """A record as JSON's types. `dataclasses.asdict` copies deeply: a millisecond a page."""
    names = _field_names(record.__class__)
    if names:
        values = [getattr(record, name) for name in names]
        plain = [one if type(one) in _PLAIN else document(one) for one in values]
        return dict(zip(names, plain, strict=True))
    return [document(item) for item in record] if isinstance(record, list) else record


@cache
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(cls)) if is_dataclass(cls) else ()


def _value(text: str, number: re.Pattern[str] | None) -> str | float:
    if number is None or not number.fullmatch(text):
        return text
    if number is FLAG:
        return text == "true"
    return int(text) if number is INTEGER else float(text)
