"""Languages as parts of a bar."""

from central.web.runs import TINTS, shares


def test_the_largest_is_first_and_each_begins_where_the_one_before_ends() -> None:
    found = shares({"go": 1, "python": 3})
    assert [(one.name, one.start, one.percent) for one in found] == [
        ("python", 0.0, 75.0),
        ("go", 75.0, 25.0),
    ]


def test_many_small_languages_are_one_part() -> None:
    found = shares({f"language{number}": 10 for number in range(20)})
    assert [one.tint for one in found] == list(range(TINTS))
    assert (found[-1].name, found[-1].count) == ("other", 130)


def test_a_repository_without_files_has_no_parts() -> None:
    assert shares({}) == []
    assert shares({"python": 0}) == []
