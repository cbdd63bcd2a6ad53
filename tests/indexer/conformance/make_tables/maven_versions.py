"""Maven's order and ranges by `maven-artifact`, on generated versions.

`python -m tests.indexer.conformance.make_tables.maven_versions CLASSPATH`, with the jars of
maven-artifact, commons-lang3 and plexus-utils.
"""

import sys
from random import Random

from tests.indexer.conformance.make_tables.java_programs import ask
from tests.indexer.conformance.make_tables.writing import write

VERSION = "3.9.9"
_WORDS = ["alpha", "b", "M", "rc", "CR", "SNAPSHOT", "GA", "final", "RELEASE", "sp", "jre", "foo"]
_PROGRAM = """
import java.io.*;
import org.apache.maven.artifact.versioning.*;

class Say {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] asked = line.split("\\t");
            if (args[0].equals("order")) {
                ComparableVersion other = new ComparableVersion(asked[1]);
                int found = new ComparableVersion(asked[0]).compareTo(other);
                System.out.println(Integer.signum(found));
            } else {
                VersionRange range = VersionRange.createFromVersionSpec(asked[0]);
                ArtifactVersion version = new DefaultArtifactVersion(asked[1]);
                System.out.println(range.containsVersion(version) ? 1 : 0);
            }
        }
    }
}
"""


def _version(random: Random) -> str:
    version = str(random.choice([0, 1, 2, 10]))
    for _ in range(random.randint(0, 4)):
        number = str(random.choice([0, 0, 1, 2, 10]))
        version += random.choice(["." + number] * 3 + ["-" + number, _qualifier(random)])
    return version


def _qualifier(random: Random) -> str:
    number = random.choice(["", "", "1", "-1", ".1", "2", "0", "-0"])
    return random.choice([".", "-", "-", ""]) + random.choice(_WORDS) + number


def _range(random: Random) -> str:
    if random.random() < 0.15:
        return random.choice([_version(random), f"[{_version(random)}]"])
    parts = []
    lowest = 0
    for _ in range(random.randint(1, 2)):
        low, high = lowest + random.randint(0, 1), lowest + random.randint(2, 3)
        bounds = f"{low}.{random.randint(0, 2)}", f"{high}{random.choice(['', '.0', '-rc1', '.1'])}"
        parts.append(random.choice("[(") + ",".join(bounds) + random.choice("])"))
        lowest = high + 1
    text = ",".join(parts)
    return random.choice([text, text, f"({text[text.index(',') :]}" if len(parts) == 1 else text])


def main() -> None:
    random = Random("maven")  # noqa: S311
    tool = {"tool": "maven-artifact", "version": VERSION, "ecosystem": "maven"}
    pairs = [(_version(random), _version(random)) for _ in range(1100)]
    pairs += [(f"1.0{_qualifier(random)}", f"1{_qualifier(random)}") for _ in range(300)]
    said = ask(sys.argv[1], _PROGRAM, "order", pairs)
    rows = [[*pair, sign] for pair, sign in zip(pairs, said, strict=True)]
    write("maven_order", question="order", rows=rows, **tool)
    pairs = [(_range(random), _version(random)) for _ in range(300)]
    said = ask(sys.argv[1], _PROGRAM, "allows", pairs)
    rows = [[*pair, bool(sign)] for pair, sign in zip(pairs, said, strict=True)]
    write("maven_ranges", question="allows", rows=rows, **tool)


if __name__ == "__main__":
    main()
