"""Error messages are told from queries, and their fixed parts from what was filled in."""

import pytest

from central.query.pasted.error_message import fixed_parts, parse_error, smaller_parts


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("KeyError: 'foo'", "KeyError", ()),
        ('ERROR: connection to "db-1" failed: timeout after 30s', "",
         ("connection to", "failed: timeout after")),
        ("java.lang.IllegalStateException: Pool 'main' exhausted after 30 s",
         "IllegalStateException", ("Pool", "exhausted after")),
        ("2026-11-30 09:12:22,123 ERROR [acme.tokens] Token abc123f9 expired for user 42", "",
         ("Token", "expired for user")),
        ("[error] cannot read /etc/acme/app.toml: denied", "", ("cannot read", "denied")),
        ("panic: runtime error: index out of range [5] with length 3", "",
         ("runtime error: index out of range", "with length")),
        ("error[E0382]: use of moved value: `x`", "", ("use of moved value",)),
        ("ActiveRecord::RecordNotFound: Couldn't find User with 'id'=3", "RecordNotFound",
         ("Couldn't find User with",)),
        ('time="2026-11-30T09:12:22Z" level=error msg="failed to open \\"x\\": denied" a=b', "",
         ("failed to open", "denied")),
        ("Uncaught TypeError: x is not a function", "TypeError", ("x is not a function",)),
        ("fatal: job 7f9c24e5-8a1b-4c3d-9e0f-123456789abc of 10.0.0.7:5432 lost", "",
         ("lost",)),
    ],
)  # fmt: skip
def test_the_fixed_parts_of_an_error_are_between_what_was_filled_in(
    text: str, kind: str, parts: tuple[str, ...]
) -> None:
    error = parse_error(text)
    assert error
    assert error.type == kind
    assert error.parts == parts


@pytest.mark.parametrize(
    "text",
    ["error handling in go", "how is KeyError raised", "lang:go error: x", '"error: x"',
     "Note: x y", "Session: what is it", "retry with backoff", "ERROR", "TypeError", "x: y",
     'connection to "db-1" failed'],
)  # fmt: skip
def test_a_query_is_no_error(text: str) -> None:
    assert parse_error(text) is None


def test_words_keep_names_that_were_filled_in_and_no_values() -> None:
    error = parse_error("KeyError: 'user_id' of 0x7f00 at 2026-11-30 12:00:01")
    assert error
    assert error.words == "KeyError user_id of at"


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("open the config file: read: no such file or directory",
         [("open the config file", "read"), ("no such file or directory",),
          ("open the config file",)]),
        ("Missing map from Shop.Order to OrderDto. Create it by CREATE_MAP",
         [("Missing map from", "Create it by"), ("Missing map from Shop.Order to OrderDto",)]),
        ("till flag redefined: verbose",
         [("till flag redefined",), ("flag redefined: verbose",), ("flag redefined",)]),
        ("lost", []),
    ],
)  # fmt: skip
def test_what_a_source_may_hold_of_an_error_is_tried_by_what_it_tells(
    message: str, first: list[tuple[str, ...]]
) -> None:
    assert smaller_parts(fixed_parts(message))[: len(first)] == first
