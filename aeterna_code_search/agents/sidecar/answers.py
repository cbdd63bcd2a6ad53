"""Models of the answers that another server gives, which may be of another version.

They have the members of the records of the contract, and an answer may have more.
"""

from dataclasses import is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel, ConfigDict, create_model

from aeterna_code_search.contract import search, status, trace
from aeterna_code_search.contract.notes import PAGES, YOUNGER

_UNKNOWN: Final = frozenset({"took_ms"})  # to a plain grepai sidecar
_TEXTS: Final = (datetime, UUID, StrEnum)


class AnswerModel(BaseModel):
    """A JSON object; it may have more members than the model."""

    model_config = ConfigDict(extra="allow")


class _Truncated(AnswerModel):
    """Counts of the rows that were left out, and advice."""

    counts: dict[str, int]
    advice: str


class _Whole(AnswerModel):
    left_out: _Truncated | None = None


@cache
def model_of(record: type, base: type[AnswerModel] = AnswerModel) -> type[AnswerModel]:
    """Return the model of a record. Members that are younger than the first version may lack."""
    members: dict[str, Any] = {}
    for name, hint in get_type_hints(record, include_extras=True).items():
        kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if PAGES in notes:
            continue
        annotation = _annotation(kind) | None if name in _UNKNOWN else _annotation(kind)
        members[name] = (annotation, None if YOUNGER in notes else ...)
    return create_model(record.__name__, __base__=base, **members)


def _annotation(kind: Any) -> Any:
    """Return the type of a member in JSON."""
    if get_origin(kind) is list:
        return list[_annotation(get_args(kind)[0])]  # type: ignore[misc]
    if NoneType in get_args(kind):
        return _annotation(get_args(kind)[0]) | None
    if is_dataclass(kind):
        return model_of(kind)  # type: ignore[arg-type]
    return str if isinstance(kind, type) and issubclass(kind, _TEXTS) else kind


SearchAnswer = model_of(search.SearchAnswer, _Whole)
StatusAnswer = model_of(status.IndexStatus, _Whole)
CallersAnswer = model_of(trace.Callers, _Whole)
CalleesAnswer = model_of(trace.Callees, _Whole)
GraphAnswer = model_of(trace.Graph, _Whole)
