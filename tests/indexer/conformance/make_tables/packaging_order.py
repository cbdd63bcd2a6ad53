"""PyPI's order and ranges by `packaging`, the library of pip, on generated versions."""

from importlib.metadata import version
from random import Random

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.indexer.conformance.make_tables.writing import write

_SUFFIXES = ["", "", "", "a1", "b2", "rc1", ".dev3", ".post1", "+local.1", "rc1.dev2"]
_OPERATORS = ["==", "!=", ">=", "<=", ">", "<", "~=", "==="]


def _version(random: Random) -> str:
    numbers = ".".join(str(random.choice([0, 1, 2, 10])) for _ in range(random.randint(1, 4)))
    return f"{random.choice(['', '', '1!'])}{numbers}{random.choice(_SUFFIXES)}"


def _range(random: Random) -> str:
    parts = []
    for _ in range(random.randint(1, 2)):
        operator = random.choice(_OPERATORS)
        wanted = (
            _version(random) if operator in {"==", "!=", "==="} else _version(random).split("+")[0]
        )
        parts.append(operator + (wanted if operator != "~=" else "1." + wanted.rpartition("!")[2]))
    return ",".join(parts)


def main() -> None:
    random = Random("packaging")  # noqa: S311
    pairs = [(_version(random), _version(random)) for _ in range(500)]
    order = [
        [one, other, (Version(one) > Version(other)) - (Version(one) < Version(other))]
        for one, other in pairs
    ]
    tool = {"tool": "packaging", "version": version("packaging"), "ecosystem": "pypi"}
    write("packaging_order", question="order", rows=order, **tool)
    asked = [(_range(random), _version(random)) for _ in range(300)]
    allowed = [
        [wanted, one, SpecifierSet(wanted).contains(one, prereleases=True)] for wanted, one in asked
    ]
    write("packaging_ranges", question="allows", rows=allowed, **tool)


if __name__ == "__main__":
    main()
