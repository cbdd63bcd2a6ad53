"""The precise tools and what they need, installed from the public registries into a cache.

They are no part of the project's own environment: heavy, and asked by this benchmark alone.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path


class ToolError(Exception):
    """A tool cannot be installed, or failed."""


def node_packages(requirements: Sequence[str], cache: Path) -> Path:
    """A directory whose `node_modules` holds the packages, `name@version` each."""
    directory = cache / f"node-{_digest(requirements)}"
    if not directory.exists():
        part = _fresh(directory)
        npm = ["npm", "install", "--prefix", str(part), "--no-save", "--ignore-scripts"]
        run([*npm, "--no-audit", "--no-fund", "--legacy-peer-deps", *requirements])
        part.rename(directory)
    return directory


def python_packages(requirements: Sequence[str], cache: Path) -> Path:
    """A virtual environment with the packages, `name==version` each."""
    directory = cache / f"python-{_digest(requirements)}"
    if not directory.exists():
        uv = str(Path(sys.executable).with_name("uv"))
        part = _fresh(directory)
        run([uv, "venv", "--quiet", "--python", sys.executable, str(part)])
        python = ["--python", str(part / "bin" / "python")]
        run([uv, "pip", "install", "--quiet", "--system-certs", *python, *requirements])
        part.rename(directory)
    return directory


POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>benchmarks</groupId><artifactId>callers</artifactId><version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)


def java_packages(requirements: Sequence[str], cache: Path) -> Path:
    """A directory with the archives of the packages, `group:artifact:version` each."""
    directory = cache / f"java-{_digest(requirements)}"
    if not directory.exists():
        part = _fresh(directory)
        dependencies = "".join(DEPENDENCY.format(*one.split(":")) for one in requirements)
        pom = part / "pom.xml"
        pom.write_text(POM.format(dependencies=dependencies), encoding="utf-8")
        maven = ["mvn", "--quiet", "--batch-mode", "--file", str(pom)]
        run([*maven, "dependency:copy-dependencies", f"-DoutputDirectory={part}"])
        part.rename(directory)
    return directory


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Run to the end; returns standard output."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise ToolError(f"{' '.join(command[:3])} …:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


def _fresh(directory: Path) -> Path:
    part = directory.with_name(f"{directory.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def _digest(requirements: Sequence[str]) -> str:
    return sha256("\n".join(requirements).encode()).hexdigest()[:12]
