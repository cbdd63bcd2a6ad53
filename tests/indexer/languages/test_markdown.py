"""Fences of Markdown: where code begins and ends, and in which language it is."""

import pytest

from indexer.languages.base import mask
from indexer.languages.markdown import markdown_regions


def read(text: str) -> list[tuple[str, str]]:
    """The language and the code of each region, without the spaces around it."""
    source = text.encode()
    found = []
    for one in markdown_regions(source):
        masked = mask(source, [one]).decode()
        found.append((one.language, "\n".join(filter(None, map(str.strip, masked.split("\n"))))))
    return found


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("py", "python"),
        ("PYTHON", "python"),
        ('python title="a.py" {1,3}', "python"),
        ("{.python .numberLines}", "python"),
        ("{python}", "python"),
        ("rust,ignore", "rust"),
        ("ts{4}", "typescript"),
        ("js:app/main.js", "javascript"),
        ("jsx", "javascript"),
        ("tsx", "tsx"),
        ("c++", "cpp"),
        ("c#", "csharp"),
        ("golang", "go"),
        (" kt", "kotlin"),
    ],
)
def test_the_first_word_of_the_info_string_is_the_language(info: str, language: str) -> None:
    assert read(f"```{info}\nf()\n```\n") == [(language, "f()")]


@pytest.mark.parametrize("info", ["", "text", "bash", "console", "sh", "json", "mermaid", "1"])
def test_other_fences_are_text(info: str) -> None:
    assert read(f"```{info}\nf()\n```\n\n```go\ng()\n```") == [("go", "g()")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```py\nf()\n", "f()"),  # nothing closes it
        ("````py\nf()\n```\ng()\n````\nh()\n", "f()\n```\ng()"),
        ("```py\nf()\n~~~\n````  \nh()\n", "f()\n~~~"),
        ("~~~py ` ~\nf()\n~~~\n", "f()"),
        ("```py\nf()\n``` x\n```\n", "f()\n``` x"),
        ("```py\nf('''\n    ```\n''')\n```\n", "f('''\n```\n''')"),
        ("```py\r\nf()\r\n```\r\nh()\r\n", "f()"),
        ("1. one\n\n   ```py\n   f()\n   ```\n   h()\n", "f()"),
        ("- ```py\n  f()\n  ```\n- h()\n", "f()"),
        ("- a\n  10) ~~~py\n      f()\n      ~~~\n", "f()"),
        ('=== "Tab"\n\n    ```py\n    f()\n    ```\n', "f()"),
        ("> ```py\n> f()\n>\n> g()\n> ```\n> h()\n", "f()\ng()"),
        ("> ```py\n> f()\nh()\n", "f()"),
        ("> > ```py\n> > f()\n> > ```\n", "f()"),
        ("> - ```py\n>   f()\n>   ```\n", "f()"),
    ],
)
def test_a_fence_ends_as_commonmark_says(text: str, code: str) -> None:
    assert read(text) == [("python", code)]


@pytest.mark.parametrize("text", ["```py `f()` x\ng()\n", "``py\nf()\n``\n", "a ```py\nf()\n"])
def test_what_is_no_fence_is_no_code(text: str) -> None:
    assert read(text) == []


def test_of_an_interactive_session_what_was_typed_is_code() -> None:
    session = ">>> for one in f():\n...     g(one)\n...\nh(1)\n>>> i()\n"
    assert read(f"```pycon\n{session}```\n") == [("python", "for one in f():\ng(one)\ni()")]


def test_php_needs_no_tag() -> None:
    assert read("```php\nf();\n```\n") == [("php", "<?php\nf();\n?>")]
    assert read("```php\n<?php f();\n```\n") == [("php", "<?php f();\n?>")]
    assert read("```php\nf();") == [("php", "<?php\nf();")]
