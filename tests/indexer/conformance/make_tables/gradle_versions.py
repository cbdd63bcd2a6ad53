"""Gradle's order of versions and its ranges by Gradle's own classes, on generated pairs.

`python -m tests.indexer.conformance.make_tables.gradle_versions CLASSPATH`, with the jar of
dev.gradleplugins:gradle-api, which has the classes of the version that it is named after.
"""

import re
import sys
from random import Random

from tests.indexer.conformance.make_tables.java_programs import ask
from tests.indexer.conformance.make_tables.writing import write

_WORDS = "dev alpha b M milestone rc RC snapshot SNAPSHOT final Final ga GA release RELEASE sp SP x"
_PROGRAM = """
import java.io.*;
import org.gradle.api.internal.artifacts.ivyservice.ivyresolve.strategy.*;

class Say {
    public static void main(String[] args) throws Exception {
        VersionParser parser = new VersionParser();
        DefaultVersionComparator order = new DefaultVersionComparator();
        DefaultVersionSelectorScheme scheme = new DefaultVersionSelectorScheme(order, parser);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] asked = line.split("\\t");
            Version other = parser.transform(asked[1]);
            if (args[0].equals("order")) {
                Version one = parser.transform(asked[0]);
                int found = order.asVersionComparator().compare(one, other);
                System.out.println(Integer.signum(found));
            } else {
                VersionSelector range = scheme.parseSelector(asked[0]);
                System.out.println(range.accept(other) ? 1 : 0);
            }
        }
    }
}
"""


def _version(random: Random) -> str:
    version = str(random.choice([0, 1, 1, 2, 10]))
    for _ in range(random.randint(0, 3)):
        number = str(random.choice([0, 0, 1, 2, 10, "01"]))
        version += random.choice([f".{number}"] * 3 + [f"-{number}", _qualifier(random)])
    return version + random.choice(["", "", "", "", "+1", "_2", ".", "..1"])


def _qualifier(random: Random) -> str:
    number = random.choice(["", "", "1", "-1", ".1", "2", "10", "-0"])
    return random.choice([".", "-", "-", "", "+", "_"]) + random.choice(_WORDS.split()) + number


def _range(random: Random) -> str:
    low = f"{random.randint(0, 1)}.{random.randint(0, 2)}{random.choice(['', '', '.0', '-rc'])}"
    high = f"{random.randint(1, 3)}{random.choice(['', '.0', '.1', '-rc1', '-dev', '.0.1'])}"
    both = random.choice("[(]") + f"{low},{high}" + random.choice("])[")
    kinds = [
        both,
        both,
        both.replace(",", ", "),
        f"[{low},)",
        f"(,{high}]",
        f"(,{high}[",
        f"]{low},)",
        f"{low}+",
        f"{low}.+",
        f"{random.randint(0, 2)}.+",
        f"{random.randint(0, 2)}+",
        "+",
        low,
        f"[{low}]",
    ]
    return random.choice(kinds)


def _at_a_bound(random: Random) -> tuple[str, str]:
    bound = random.choice(["2", "2.0", "2.0.0", "2.0-rc1"])
    text = random.choice(["[1,{}{}", "[1,{}{}", "(,{}{}"]).format(bound, random.choice(")[]"))
    version = random.choice(["2", "2.0", "2.0.0", bound]) + random.choice(["", _qualifier(random)])
    return random.choice([text, f"]{bound},3)", f"[{bound},3)"]), version


def main() -> None:
    random = Random("gradle")  # noqa: S311
    version = re.findall(r"gradle-api-([\d.]+)\.jar", sys.argv[1])[0]
    tool = {"tool": "gradle", "version": version, "ecosystem": "maven"}
    pairs = [(_version(random), _version(random)) for _ in range(500)]
    pairs += [(f"1.0{_qualifier(random)}", f"1.0{_qualifier(random)}") for _ in range(400)]
    said = ask(sys.argv[1], _PROGRAM, "order", pairs)
    rows = [[*pair, sign] for pair, sign in zip(pairs, said, strict=True)]
    write("gradle_order", question="order", rows=rows, **tool)
    pairs = [(_range(random), _version(random)) for _ in range(400)]
    pairs += [_at_a_bound(random) for _ in range(200)]
    said = ask(sys.argv[1], _PROGRAM, "allows", pairs)
    rows = [[*pair, bool(sign)] for pair, sign in zip(pairs, said, strict=True)]
    write("gradle_ranges", question="allows", rows=rows, **tool)


if __name__ == "__main__":
    main()
