"""Cargo's order of versions and its ranges by the crate `semver`, on generated pairs."""

import json
import subprocess
from random import Random

from tests.indexer.conformance.make_tables.writing import write, written

_VERSION = "1.0.27"
_FILES = {
    "Cargo.toml": f"""[package]
name = "order"
version = "0.1.0"
edition = "2021"

[dependencies]
semver = "={_VERSION}"
""",
    "src/main.rs": r"""
use semver::{Version, VersionReq};
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let part: Vec<&str> = line.split('\t').collect();
        let Ok(other) = Version::parse(part[2]) else { println!("null"); continue };
        if part[0] == "order" {
            let Ok(one) = Version::parse(part[1]) else { println!("null"); continue };
            println!("{}", one.cmp(&other) as i8);
        } else {
            let Ok(range) = VersionReq::parse(part[1]) else { println!("null"); continue };
            println!("{}", range.matches(&other));
        }
    }
}
""",
}
_SUFFIXES = [
    "", "", "", "", "-alpha", "-alpha.1", "-alpha.beta", "-beta.2", "-beta.11", "-rc.1", "-0", "-1",
    "-a-b", "+1", "+2", "+10", "+01", "+a.b", "+a", "-rc.1+build.5", "-rc.1+build.10",
]  # fmt: skip
_OPERATORS = ["", "", "", "^", "^", "~", "~", "=", "=", ">", ">=", "<", "<="]


def _numbers(random: Random, count: int) -> str:
    return ".".join(str(random.choice([0, 0, 1, 2, 10])) for _ in range(count))


def _version(random: Random) -> str:
    return _numbers(random, 3) + random.choice(_SUFFIXES)


def _range(random: Random) -> str:
    return random.choice([", ", ","]).join(_part(random) for _ in range(random.choice([1, 1, 2])))


def _part(random: Random) -> str:
    if random.random() < 0.12:
        return random.choice(["*", "0.*", "1.*", "1.2.*", "0.0.*", "1.*.*", "2.x", "=1.*", "1.X.x"])
    count = random.choice([1, 2, 3, 3, 3])
    pre = random.choice(_SUFFIXES) if count == 3 else ""
    between = random.choice(["", "", " "])
    return random.choice(_OPERATORS) + between + _numbers(random, count) + pre


def main() -> None:
    random = Random("cargo")  # noqa: S311
    pairs = [("order", _version(random), _version(random)) for _ in range(300)]
    for _ in range(300):
        one = _version(random)
        numbers = one.partition("-")[0].partition("+")[0]
        pairs.append(("order", one, numbers + random.choice(_SUFFIXES)))
    pairs += [("allows", _range(random), _version(random)) for _ in range(900)]
    with written(_FILES) as folder:
        said = subprocess.run(
            ["cargo", "run", "--quiet"],
            cwd=folder, check=True, input="\n".join(map("\t".join, pairs)) + "\n",
            capture_output=True, text=True,
        ).stdout.split()  # fmt: skip
    answered = [(pair, json.loads(one)) for pair, one in zip(pairs, said, strict=True)]
    tool = {"tool": "semver of Rust", "version": _VERSION, "ecosystem": "cargo"}
    for question in ("order", "allows"):
        rows = [[*pair[1:], one] for pair, one in answered if pair[0] == question]
        kept = [row for row in rows if row[-1] is not None]
        write(f"cargo_{question}", question=question, rows=kept, **tool)


if __name__ == "__main__":
    main()
