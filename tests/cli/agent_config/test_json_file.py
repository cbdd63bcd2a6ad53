"""Edits of JSON with comments: only what was meant changes, whatever else is in the file."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.cli.agent_config.json_file import JsonFile

PATH = ("servers", "codesearch")
ENTRY = {"command": "codesearch", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "servers": {\n    "codesearch": 1\n  }\n}\n'),
        ("{}", '{\n  "servers": {\n    "codesearch": 1\n  }\n}'),
        ('{"a": 1}', '{"a": 1,\n  "servers": {\n    "codesearch": 1\n  }\n}'),
        (
            '{\n    // mine\n    "a": 1, // the first\n}\n',
            '{\n    // mine\n    "a": 1, // the first\n    "servers": {\n'
            '        "codesearch": 1\n    }\n}\n',
        ),
        (
            '{\n\t"servers": {\n\t\t"other": {} // no comma, here\n\t}\n}\n',
            '{\n\t"servers": {\n\t\t"other": {}, // no comma, here\n\t\t"codesearch": 1\n\t}\n}\n',
        ),
        ('{"servers": {"codesearch": [2, /* , */ 3,]}}', '{"servers": {"codesearch": 1}}'),
        (
            '{\r\n  "servers": {}\r\n}\r\n',
            '{\r\n  "servers": {\r\n    "codesearch": 1\r\n  }\r\n}\r\n',
        ),
        (
            '/* "servers": { */ {"a": "// no comment", "servers": {/* none yet */}}',
            '/* "servers": { */ {"a": "// no comment", "servers": {/* none yet */\n'
            '    "codesearch": 1\n  }}',
        ),
    ],
)
def test_a_member_is_added_or_replaced(before: str, after: str) -> None:
    assert JsonFile(before).with_member(PATH, 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", "{}"),
        ('{"servers": {"other": 1}}', '{"servers": {"other": 1}}'),
        ('{"servers": {"codesearch": 1}}', '{"servers": {}}'),
        ('{"servers": {"codesearch": 1, "b": 2}}', '{"servers": { "b": 2}}'),
        ('{"servers": {"b": 2, "codesearch": 1}}', '{"servers": {"b": 2 }}'),
        (
            '{\n  "servers": {\n    "b": 2, // mine\n    "codesearch": 1, \n  }\n}\n',
            '{\n  "servers": {\n    "b": 2 // mine\n  }\n}\n',
        ),
    ],
)
def test_a_member_is_removed(before: str, after: str) -> None:
    assert JsonFile(before).without_member(PATH) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "not an object"),
        ('{"a": 1', "delimiter"),
        ('{"a": 1, "a": 2}', "a is in it twice"),
        ('{"a": {"b": 1, "b": 1}}', "b is in it twice"),
        ("{'a': 1}", "double quotes"),
        ("{} {}", "Extra data"),
        ('{"a": "unfinished}', "string"),
    ],
)
def test_what_cannot_be_understood_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JsonFile(text)


def test_a_value_on_the_way_that_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="servers is not an object"):
        JsonFile('{"servers": []}').with_member(PATH, 1)


names = st.text(max_size=5) | st.sampled_from(["servers", "codesearch", "//", "/*", ","])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
COMMENTS = ('// it\'s, "here"}', "/* {, */", "/**/")
blanks = st.sampled_from(["", " ", "\n", "\r\n\t", f"{COMMENTS[0]}\n", *COMMENTS[1:]])


@st.composite
def written(draw: st.DrawFn, content: Any) -> str:
    """Some text that means `content`, with comments and trailing commas."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            rows = [f"{json.dumps(key)}{gap()}:{gap()}{text(value[key])}" for key in value]
            return surrounded("{", rows, "}")
        if isinstance(value, list):
            return surrounded("[", [text(one) for one in value], "]")
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def surrounded(opening: str, rows: list[str], closing: str) -> str:
        inside = ",".join(f"{gap()}{row}{gap()}" for row in rows)
        comma = "," if rows and draw(st.booleans()) else ""
        return f"{opening}{inside}{comma}{gap()}{closing}"

    def gap() -> str:
        return draw(blanks)

    return f"{gap()}{text(content)}{gap()}"


contents = st.dictionaries(names, values, max_size=3) | st.fixed_dictionaries(
    {"servers": st.dictionaries(names, values, max_size=3)}
)


@given(st.data())
def test_only_the_member_changes_and_every_comment_stays(data: st.DataObject) -> None:
    content = data.draw(contents)
    text = data.draw(written(content))
    assert JsonFile(text).content == content
    if not isinstance(content.get("servers", {}), dict):
        return
    changed = JsonFile(text).with_member(PATH, ENTRY)
    expected = {**content, "servers": {**content.get("servers", {}), "codesearch": ENTRY}}
    assert JsonFile(changed).content == expected
    if "codesearch" not in content.get("servers", {}):
        for comment in COMMENTS:
            assert changed.count(comment) == text.count(comment)
    removed = JsonFile(JsonFile(changed).without_member(PATH)).content
    del expected["servers"]["codesearch"]
    assert removed == expected
