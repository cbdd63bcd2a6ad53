"""What goes in and out of views."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import QueryDict

from central.http.parameters import DECIMAL, INTEGER, query_object, to_json


@dataclass(frozen=True, slots=True)
class Inner:
    name: str


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    several: list[Inner]
    labels: list[str]
    at: datetime
    nothing: None = None


def test_record_becomes_a_document_at_every_depth() -> None:
    now = datetime.now(tz=UTC)

    assert to_json(Outer(Inner("a"), [Inner("b")], ["c"], now)) == {
        "inner": {"name": "a"},
        "several": [{"name": "b"}],
        "labels": ["c"],
        "at": now,
        "nothing": None,
    }


def test_parameters_come_in_the_types_that_json_has() -> None:
    query = QueryDict("limit=1&limit=5&share=0.5&project=a&project=b&name=7")

    typed = query_object(
        query, lists=frozenset({"project"}), numbers={"limit": INTEGER, "share": DECIMAL}
    )

    assert typed == {"limit": 5, "share": 0.5, "project": ["a", "b"], "name": "7"}


def test_what_is_no_number_stays_text_to_be_refused() -> None:
    typed = query_object(
        QueryDict("limit=1e3&share=nan"),
        lists=frozenset(),
        numbers={"limit": INTEGER, "share": DECIMAL},
    )

    assert typed == {"limit": "1e3", "share": "nan"}
