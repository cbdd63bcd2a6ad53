"""Poetry's ranges by `poetry-core`, on generated ranges and versions."""

from importlib.metadata import version
from random import Random

from poetry.core.constraints.version import Version, parse_constraint

from tests.indexer.conformance.make_tables.writing import write

_OPERATORS = ["^", "^", "^", "~", "~", "", ">=", "<", "==", "!=", "~="]


def _version(random: Random, most: int = 4) -> str:
    numbers = ".".join(str(random.choice([0, 0, 1, 2, 3])) for _ in range(random.randint(1, most)))
    return numbers + random.choice(["", "", "", "", "a1", "rc1", ".post1", ".dev2"])


def _range(random: Random) -> str:
    operator = random.choice(_OPERATORS)
    if operator == "~=":
        return f"~=1.{_version(random, 2)}"
    if operator == "" and random.random() < 0.5:
        return f"{random.randint(0, 3)}.{random.choice(['*', '1.*', '0.*'])}"
    return operator + _version(random, 3)


def _several(random: Random) -> str:
    joint = random.choice(["", "", ", ", ",", " ", " || "])
    return _range(random) + joint + _range(random) if joint else _range(random)


def main() -> None:
    random = Random("poetry")  # noqa: S311
    rows = []
    while len(rows) < 600:
        wanted, one = _several(random), _version(random)
        try:
            rows.append([wanted, one, parse_constraint(wanted).allows(Version.parse(one))])
        except ValueError:
            continue
    write(
        "poetry_ranges",
        tool="poetry-core",
        version=version("poetry-core"),
        question="allows",
        ecosystem="pypi",
        rows=rows,
    )


if __name__ == "__main__":
    main()
