"""npm's order and ranges by node-semver, on generated versions.

Run where `node` finds the package `semver` from the working directory.
"""

import json
import subprocess
from random import Random

from tests.indexer.conformance.make_tables.writing import write

_PRE = ["", "", "", "-0", "-1", "-alpha", "-alpha.1", "-alpha.beta", "-beta.2", "-beta.11", "-rc-1"]
_BUILD = ["", "", "", "", "+build.1", "+001"]
_OPERATORS = ["", "=", ">", ">=", "<", "<=", "^", "~", "~>", "^ ", ">= "]
_SCRIPT = """
const semver = require("semver");
const { order, allows } = JSON.parse(require("fs").readFileSync(0, "utf-8"));
console.log(JSON.stringify({
  version: require("semver/package.json").version,
  order: order.map(([a, b]) => [a, b, semver.compare(a, b)]),
  allows: allows.filter(([r]) => semver.validRange(r) !== null)
    .map(([r, v]) => [r, v, semver.satisfies(v, r)]),
}));
"""


def _number(random: Random) -> str:
    return str(random.choice([0, 0, 1, 1, 2, 10]))


def _version(random: Random) -> str:
    numbers = ".".join(_number(random) for _ in range(3))
    return f"{numbers}{random.choice(_PRE)}{random.choice(_BUILD)}"


def _partial(random: Random) -> str:
    """A version, or one that lacks numbers or has `x` for them."""
    if random.random() < 0.5:
        return random.choice(["", "", "v"]) + _version(random).partition("+")[0]
    numbers = [_number(random) for _ in range(random.randint(1, 2))]
    wild = random.choice([[], [], ["x"], ["*"], ["X", "x"]])[: 3 - len(numbers)]
    return ".".join([*numbers, *wild])


def _range(random: Random) -> str:
    parts = []
    for _ in range(random.choice([1, 1, 1, 2])):
        if random.random() < 0.15:
            parts.append(f"{_partial(random)} - {_partial(random)}")
        elif random.random() < 0.04:
            parts.append(random.choice(["*", "", "x"]))
        else:
            several = range(random.choice([1, 1, 2]))
            parts.append(" ".join(random.choice(_OPERATORS) + _partial(random) for _ in several))
    return random.choice([" || ", "||"]).join(parts)


def main() -> None:
    random = Random("node-semver")  # noqa: S311
    order = [(_version(random), _version(random)) for _ in range(500)]
    allows = [(_range(random), _version(random)) for _ in range(900)]
    answer = json.loads(
        subprocess.run(
            ["node", "-e", _SCRIPT],
            input=json.dumps({"order": order, "allows": allows}),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    tool = {"tool": "node-semver", "version": answer["version"], "ecosystem": "npm"}
    write("node_semver_order", question="order", rows=answer["order"], **tool)
    write("node_semver_ranges", question="allows", rows=answer["allows"], **tool)


if __name__ == "__main__":
    main()
