"""Order and ranges of versions by `Gem::Version` and `Gem::Requirement`, on generated pairs."""

import json
import subprocess
from random import Random

from tests.indexer.conformance.make_tables.writing import write

_PROGRAM = """
require "rubygems"
require "json"
asked = JSON.parse(STDIN.read)
order = asked["order"].map do |one, other|
  [one, other, Gem::Version.new(one) <=> Gem::Version.new(other)]
end
allows = asked["allows"].map do |range, one|
  wanted = Gem::Requirement.new(*range.split(",").map(&:strip))
  [range, one, wanted.satisfied_by?(Gem::Version.new(one))]
end
puts JSON.generate([Gem::VERSION, order, allows])
"""
_SUFFIXES = [
    "",
    "",
    "",
    "",
    ".pre",
    ".rc1",
    ".rc.2",
    ".beta",
    ".b2",
    ".a",
    "-rc1",
    "-1",
    ".0",
    ".pre.1",
    ".2rc2",
]
_OPERATORS = ["~>", "~>", "~>", "", ">=", ">=", "<", "<", "<=", ">", "=", "!="]


def _version(random: Random) -> str:
    count = random.choice([1, 2, 2, 3, 3, 3, 4])
    numbers = ".".join(str(random.choice([0, 0, 1, 2, 10])) for _ in range(count))
    return numbers + random.choice(_SUFFIXES)


def _range(random: Random) -> str:
    parts = [
        f"{random.choice(_OPERATORS)} {_version(random)}".strip()
        for _ in range(random.choice([1, 1, 2]))
    ]
    return ", ".join(parts)


def main() -> None:
    random = Random("rubygems")  # noqa: S311
    order = [(_version(random), _version(random)) for _ in range(400)]
    for _ in range(200):
        one = _version(random)
        order.append((one, (one.rstrip(".0") or "0") + random.choice(_SUFFIXES)))
    allows = [(_range(random), _version(random)) for _ in range(500)]
    said = subprocess.run(
        ["ruby", "-e", _PROGRAM],
        input=json.dumps({"order": order, "allows": allows}),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    version, *answers = json.loads(said)
    tool = {"tool": "RubyGems", "version": version, "ecosystem": "rubygems"}
    for question, rows in zip(("order", "allows"), answers, strict=True):
        write(f"rubygems_{question}", question=question, rows=rows, **tool)


if __name__ == "__main__":
    main()
