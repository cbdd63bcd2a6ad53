"""Go's order of versions by golang.org/x/mod/semver, on generated pairs."""

import json
import subprocess
from random import Random

from tests.indexer.conformance.make_tables.writing import write, written

_MODULE = "golang.org/x/mod"
_VERSION = "v0.29.0"
_PROGRAM = """package main

import (
	"encoding/json"
	"os"

	"golang.org/x/mod/semver"
)

func main() {
	var pairs [][2]string
	if err := json.NewDecoder(os.Stdin).Decode(&pairs); err != nil {
		panic(err)
	}
	rows := [][]any{}
	for _, pair := range pairs {
		if semver.IsValid(pair[0]) && semver.IsValid(pair[1]) {
			rows = append(rows, []any{pair[0], pair[1], semver.Compare(pair[0], pair[1])})
		}
	}
	json.NewEncoder(os.Stdout).Encode(rows)
}
"""
_SUFFIXES = [
    "", "", "", "-rc.1", "-rc.2", "-rc.10", "-rc", "-alpha", "-alpha.beta", "-0", "-1", "-x-1",
    "-pre.01a", "+incompatible", "-rc.1+incompatible", "+meta.2",
    "-0.20240101000000-abcdefabcdef", "-0.20240102000000-0123456789ab",
    "-rc.1.0.20240101000000-abcdefabcdef", "-pre.0.20240101000000-abcdefabcdef",
]  # fmt: skip


def _version(random: Random) -> str:
    numbers = [str(random.choice([0, 1, 2, 10])) for _ in range(random.choice([3, 3, 3, 3, 2, 1]))]
    return "v" + ".".join(numbers) + (random.choice(_SUFFIXES) if len(numbers) == 3 else "")


def main() -> None:
    random = Random("go")  # noqa: S311
    pairs = [(_version(random), _version(random)) for _ in range(400)]
    for _ in range(200):
        one, other = _version(random), _version(random)
        pairs.append((one, one.partition("-")[0].partition("+")[0] + random.choice(_SUFFIXES)))
        pairs.append((other.partition("-")[0], other))
    with written(
        {"main.go": _PROGRAM, "go.mod": "module example.org/order\n\ngo 1.24\n"}
    ) as folder:
        subprocess.run(["go", "get", f"{_MODULE}@{_VERSION}"], cwd=folder, check=True)
        said = subprocess.run(
            ["go", "run", "."],
            cwd=folder, check=True, input=json.dumps(pairs), capture_output=True, text=True,
        ).stdout  # fmt: skip
    write(
        "go_order", tool=f"{_MODULE}/semver", version=_VERSION.removeprefix("v"),
        question="order", ecosystem="go", rows=json.loads(said),
    )  # fmt: skip


if __name__ == "__main__":
    main()
