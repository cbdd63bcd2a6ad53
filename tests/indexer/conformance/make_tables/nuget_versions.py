"""NuGet's order and ranges by NuGet.Versioning, which `nuget.exe` contains.

`python -m tests.indexer.conformance.make_tables.nuget_versions NUGET.EXE`, with `mcs` and `mono`.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.indexer.conformance.make_tables.writing import write

_LABELS = ["alpha", "Alpha", "beta.2", "beta.11", "rc1", "rc.1", "1", "2.x", "preview-3", "0"]
_PROGRAM = """
using System;
using System.Reflection;

class Say {
    static void Main(string[] args) {
        var tool = Assembly.LoadFrom(args[0]);
        var version = tool.GetType("NuGet.Versioning.NuGetVersion");
        var range = tool.GetType("NuGet.Versioning.VersionRange");
        var read = version.GetMethod("Parse", new [] { typeof(string) });
        var readRange = range.GetMethod("Parse", new [] { typeof(string) });
        string line;
        while ((line = Console.ReadLine()) != null) {
            var asked = line.Split('\\t');
            var other = read.Invoke(null, new object[] { asked[1] });
            if (args[1] == "order") {
                var one = (IComparable) read.Invoke(null, new object[] { asked[0] });
                Console.WriteLine(Math.Sign(one.CompareTo(other)));
            } else {
                var found = readRange.Invoke(null, new object[] { asked[0] });
                var satisfies = range.GetMethod("Satisfies", new [] { version });
                Console.WriteLine((bool) satisfies.Invoke(found, new [] { other }) ? 1 : 0);
            }
        }
    }
}
"""


def _version(random: Random) -> str:
    fourth = random.choice(["", "", ".0", ".1"])
    numbers = ".".join(str(random.choice([0, 0, 1, 2, 10])) for _ in range(random.randint(1, 3)))
    label = random.choice(["", "", "-" + random.choice(_LABELS)])
    return (
        numbers
        + (fourth if numbers.count(".") == 2 else "")
        + label
        + random.choice(["", "", "", "+b1"])
    )


def _label(random: Random) -> str:
    return random.choice(["0", "1", f"2-{random.choice(_LABELS)}"])


def _range(random: Random) -> str:
    low, high = random.randint(0, 2), random.randint(2, 10)
    bounds = f"{low}.{random.randint(0, 2)}", f"{high}{random.choice(['', '.0', '-rc1', '.1'])}"
    floating = f"{low}.*", f"{low}.{random.randint(0, 2)}.*", "*", f"{low}.1-*", f"{low}.0.0-rc.*"
    lower = random.choice("[(") + bounds[0] + "," + random.choice([")", "]"])
    upper = random.choice("[(") + "," + bounds[1] + random.choice("])")
    both = random.choice("[(") + ", ".join(bounds) + random.choice("])")
    return random.choice(
        [
            f"{low}.{high}.{_label(random)}",
            f"[{low}.{_label(random)}]",
            lower,
            upper,
            both,
            both,
            *floating,
        ]
    )


def _ask(program: str, folder: str, question: str, pairs: list[tuple[str, str]]) -> list[int]:
    found = subprocess.run(
        ["mono", f"{folder}/Say.exe", program, question],
        input="".join(f"{one}\t{other}\n" for one, other in pairs),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [int(line) for line in found.stdout.split()]


def main() -> None:
    random = Random("nuget")  # noqa: S311
    tool = {"tool": "NuGet.Versioning", "version": sys.argv[2], "ecosystem": "nuget"}
    order = [(_version(random), _version(random)) for _ in range(700)]
    ranges = [(_range(random), _version(random)) for _ in range(400)]
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(sys.argv[1], f"{folder}/nuget.exe")
        Path(folder, "Say.cs").write_text(_PROGRAM, "utf-8")
        command = ["mcs", f"-out:{folder}/Say.exe", f"{folder}/Say.cs"]
        subprocess.run(command, check=True)
        said = _ask(program, folder, "order", order)
        rows = [[*pair, sign] for pair, sign in zip(order, said, strict=True)]
        write("nuget_order", question="order", rows=rows, **tool)
        said = _ask(program, folder, "allows", ranges)
        rows = [[*pair, bool(sign)] for pair, sign in zip(ranges, said, strict=True)]
        write("nuget_ranges", question="allows", rows=rows, **tool)


if __name__ == "__main__":
    main()
