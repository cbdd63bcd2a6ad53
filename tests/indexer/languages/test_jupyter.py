"""Cells of notebooks as regions: what is parsed of them, and where."""

import json
from typing import Any

import pytest

from indexer.languages.base import mask
from indexer.languages.jupyter import notebook_regions


def code(*sources: object, **metadata: object) -> dict[str, Any]:
    cells = [{"cell_type": "code", "source": one, "outputs": []} for one in sources]
    return {"cells": cells, "metadata": metadata}


def masked(notebook: object, indent: int | None = 1) -> str:
    source = json.dumps(notebook, indent=indent).encode()
    regions = [one for one in notebook_regions(source) if one.language == "python"]
    return mask(source, regions).decode()


def statements(notebook: object, indent: int | None = 1) -> list[str]:
    lines = masked(notebook, indent).split("\n")
    return [line.strip() for line in lines if line.strip() not in {"", "0"}]


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_a_statement_is_parsed_without_quotes_and_escapes(indent: int | None) -> None:
    notebook = code(['x = "a"\n', "y = 'é'\n", "z = x + \\\n", "    y"])
    found = [line.replace(" ", "") for line in statements(notebook, indent)]
    assert found == ['x="a"', "y='é'", "z=x+\\", "y"]


def test_outputs_and_markdown_are_no_code() -> None:
    notebook = code("f()")
    notebook["cells"][0]["outputs"] = [{"text": ["g()\n"], "source": ["h()"]}]
    notebook["cells"].append({"cell_type": "markdown", "source": ["k()"]})
    assert statements(notebook) == ["f()"]


def test_commands_of_ipython_are_no_code_but_what_they_time_is() -> None:
    notebook = code(
        [
            "%matplotlib inline\n",
            "!ls \\\n",
            "  -l\n",
            "f?\n",
            "files = !ls\n",
            "%timeit f()\n",
            "x = (1\n",
            "!= 2)",
        ],
        ["%%time\n", "g()"],
        ["%%bash\n", "ls()"],
    )
    assert statements(notebook) == ["files = 0", "f()", "x = (1", "!= 2)", "g()"]


@pytest.mark.parametrize(
    ("metadata", "is_read"),
    [
        ({}, True),
        ({"kernelspec": {"language": "python"}}, True),
        ({"language_info": {"name": "ipython3"}}, True),
        ({"kernelspec": {"language": "R"}}, False),
        ({"language_info": {"name": "julia"}}, False),
    ],
)
def test_the_language_is_that_of_the_kernel(metadata: dict[str, Any], *, is_read: bool) -> None:
    assert (statements(code("f()", **metadata)) == ["f()"]) is is_read


def test_worksheets_of_the_third_format_are_read() -> None:
    cells = [{"cell_type": "code", "input": ["f()\n", "g()"]}]
    assert statements({"worksheets": [{"cells": cells}]}) == ["f()", "g()"]


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b'"',
        b'{"cells": [{"cell_type": "code", "source": ["f()',
        b'{"cells": [{"cell_type": "code", "source": ["\\u12',
        b'{"cells": [{"cell_type": "code", "source": ["\\x \\ud800 \\q"]}]}',
        b'{"cells":[{"cell_type":"code","source":\n["a\\n"]},{"cell_type":"code","source":\n["b"]}]}',
        b"[" * 300_000 + b'"a"' * 100_000,
        b'"\\"' * 300_000,
        b'{"cells": [' + b'{"cell_type": "code", "source": ["a = \\"' * 50_000,
        b'{"cells": [' + b'{"cell_type": "code", "source": ["' + b" " * 500_000 + b'?x"]}',
        b'{"cells": [' + b'{"cell_type": "code", "source": ["' + b"\\n" * 200_000 + b'"]}]}',
    ],
    ids=range(11),
)
def test_any_bytes_are_read_and_masking_keeps_their_length_and_line_feeds(source: bytes) -> None:
    regions = notebook_regions(source)
    text = mask(source, regions)
    assert len(text) == len(source)
    assert all(text[at] == 0x0A for at, byte in enumerate(source) if byte == 0x0A)
    assert [one.start for one in regions] == sorted(one.start for one in regions)


def test_a_nul_that_is_escaped_is_a_space() -> None:
    assert "\0" not in masked(code('def f(a="x\0y"): ...\n', "g\0h()\n"))
    assert statements(code("f()\0\n"))[0].startswith("f()")
