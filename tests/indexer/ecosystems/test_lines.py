"""The ecosystem of each line of a file."""

from indexer.ecosystems import ecosystem_by_line
from indexer.records.manifests import Ecosystem

GUIDE = "# a\n```py\nf()\n```\n\n```go\ng()\nh()\n```\n```c\ni()\n```\n"


def test_lines_of_an_example_have_the_ecosystem_of_its_language() -> None:
    ecosystem_at = ecosystem_by_line("markdown", GUIDE)
    assert [ecosystem_at(line) for line in (1, 3, 7, 8, 11)] == [
        Ecosystem.NONE,
        Ecosystem.PYPI,
        Ecosystem.GO,
        Ecosystem.GO,
        Ecosystem.NONE,
    ]


def test_lines_of_any_other_file_have_that_of_its_language() -> None:
    assert ecosystem_by_line("vue", GUIDE)(3) is Ecosystem.NPM
    assert ecosystem_by_line("lua", GUIDE)(3) is Ecosystem.NONE
    assert ecosystem_by_line("text", GUIDE)(3) is Ecosystem.NONE
