"""Composer's order of versions and its constraints by composer/semver, on generated pairs.

`COMPOSER_SEMVER` is the autoloader of the library, `COMPOSER_SEMVER_VERSION` its version.
"""

import json
import os
import subprocess
from random import Random

from tests.indexer.conformance.make_tables.writing import write

_PROGRAM = r"""
require $argv[1];
$asked = json_decode(file_get_contents("php://stdin"), true);
$parser = new Composer\Semver\VersionParser();
$order = []; $allows = [];
foreach ($asked["order"] as [$one, $other]) {
    $pair = [$parser->normalize($one), $parser->normalize($other)];
    $order[] = [$one, $other, version_compare($pair[0], $pair[1])];
}
foreach ($asked["allows"] as [$range, $one]) {
    try {
        $allows[] = [$range, $one, Composer\Semver\Semver::satisfies($one, $range)];
    } catch (UnexpectedValueException $error) {
    }
}
echo json_encode([$order, $allows]);
"""
_SUFFIXES = [
    "", "", "", "", "-dev", "-alpha", "-alpha1", "-a2", "-beta", "-beta.2", "-b1", "-RC1", "-rc2",
    "RC1", "-rc.1", "-p1", "-patch2", "-pl3", "-stable", "-beta1-dev", "+meta", "-RC1+meta", ".dev",
]  # fmt: skip
_BRANCHES = ["dev-main", "dev-feature/a", "1.x-dev", "2.0.x-dev"]
_OPERATORS = [
    "",
    "",
    "^",
    "^",
    "^",
    "~",
    "~",
    "~",
    ">=",
    ">=",
    ">",
    "<",
    "<=",
    "=",
    "==",
    "!=",
    "<>",
]


def _numbers(random: Random) -> str:
    count = random.choice([1, 2, 2, 3, 3, 3, 4])
    return ".".join(str(random.choice([0, 0, 1, 2, 10])) for _ in range(count))


def _version(random: Random) -> str:
    return random.choice(["", "", "", "v"]) + _numbers(random) + random.choice(_SUFFIXES)


def _any_version(random: Random) -> str:
    return random.choice(_BRANCHES) if random.random() < 0.08 else _version(random)


def _part(random: Random) -> str:
    kind = random.random()
    if kind < 0.1:
        return random.choice(["*", "1.*", "0.*", "1.2.*", "2.0.x", "v1.x", "1.0.0.*", "x", "*.*"])
    if kind < 0.2:
        return f"{_version(random)} - {_version(random)}"
    if kind < 0.28:
        return random.choice([*_BRANCHES, "dev-main as 1.0.0", "dev-main#0123456", "~1.x-dev"])
    flag = random.choice(["", "", "", "", "", "@dev", "@beta", "@RC", "@stable"])
    between = random.choice(["", "", " "])
    operator = random.choice(_OPERATORS)
    return operator + (between if operator not in {"", "^", "~"} else "") + _version(random) + flag


def _constraint(random: Random) -> str:
    joined = random.choice([" ", ",", ", ", " || ", " | ", "||"])
    return joined.join(_part(random) for _ in range(random.choice([1, 1, 1, 2])))


def main() -> None:
    random = Random("composer")  # noqa: S311
    order = [(_version(random), _version(random)) for _ in range(300)]
    for _ in range(300):
        numbers = _numbers(random)
        order.append((numbers + random.choice(_SUFFIXES), numbers + random.choice(_SUFFIXES)))
    allows = [(_constraint(random), _any_version(random)) for _ in range(900)]
    said = subprocess.run(
        ["php", "-r", _PROGRAM, "--", os.environ["COMPOSER_SEMVER"]],
        input=json.dumps({"order": order, "allows": allows}),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    version = os.environ["COMPOSER_SEMVER_VERSION"]
    tool = {"tool": "composer/semver", "version": version, "ecosystem": "composer"}
    for question, rows in zip(("order", "allows"), json.loads(said), strict=True):
        write(f"composer_{question}", question=question, rows=rows, **tool)


if __name__ == "__main__":
    main()
