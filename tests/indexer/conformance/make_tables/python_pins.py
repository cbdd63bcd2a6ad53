"""Versions in use by `uv` and `pip`, of small applications of public packages. Needs a network.

`uv lock` writes the lock file, `uv export` says what each package of a workspace has; where a
marker chooses from several versions, none. `pip install --report` says what requirements choose.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.indexer.conformance.make_tables.writing import write

Files = Mapping[str, str]


def _project(name: str, dependencies: str, more: str = "") -> str:
    return (
        f'[project]\nname = "{name}"\nversion = "1.0"\nrequires-python = ">=3.10"\n'
        f"dependencies = [{dependencies}]\n[tool.uv]\npackage = false\n{more}"
    )


_OLD: Final = "python_version < '3.12'"
_NEW: Final = "python_version >= '3.12'"
_FORKED: Final = f'"idna==3.6 ; {_OLD}", "idna==3.7 ; {_NEW}"'
_LOCKED: Final[Mapping[str, Files]] = {
    "one version": {"pyproject.toml": _project("app", '"idna<3.7", "sniffio"')},
    "versions by markers": {"pyproject.toml": _project("app", _FORKED + ', "sniffio<1.3.1"')},
    "one marker": {"pyproject.toml": _project("app", f'"idna<3.7 ; {_NEW}"')},
    "groups": {
        "pyproject.toml": _project("app", '"idna"') + '[dependency-groups]\ndev = ["sniffio<1.3"]\n'
    },
    "a range in each fork": {
        "pyproject.toml": _project("app", f'"idna<3 ; {_OLD}", "idna>=3,<3.5 ; {_NEW}"')
    },
    "workspace": {
        "pyproject.toml": _project(
            "app", '"sniffio<1.3.1", "lib"',
            '[tool.uv.workspace]\nmembers = ["packages/*"]\n'
            "[tool.uv.sources]\nlib.workspace = true\n",
        ),
        "packages/lib/pyproject.toml": _project("lib", '"idna<3.6"'),
        "packages/other/pyproject.toml": _project("other", '"idna", "sniffio"'),
    },
    "workspace with forks in one member": {
        "pyproject.toml": _project(
            "app", '"sniffio<1.3.1"', '[tool.uv.workspace]\nmembers = ["packages/*"]\n'
        ),
        "packages/lib/pyproject.toml": _project("lib", _FORKED),
        "packages/other/pyproject.toml": _project("other", f'"idna ; {_NEW}"'),
    },
    "workspace with a marker in each member": {
        "pyproject.toml": _project(
            "app", '"sniffio"', '[tool.uv.workspace]\nmembers = ["packages/*"]\n'
        ),
        "packages/old/pyproject.toml": _project("old", f'"idna==3.6 ; {_OLD}"'),
        "packages/new/pyproject.toml": _project("new", f'"idna==3.7 ; {_NEW}"'),
    },
}  # fmt: skip
_REQUIRED: Final[Mapping[str, Files]] = {
    "exact": {"requirements.txt": "idna==3.6\nSniffio == 1.3.0\n"},
    "triple equals": {"requirements.txt": "idna===3.6\n"},
    "comments, extras and markers": {
        "requirements.txt": "# all\nidna[all]==3.6  # why\nsniffio==1.3.0 ; python_version > '3'\n"
    },
    "continued lines": {"requirements.txt": "idna==\\\n3.6\nsniffio \\\n  ==1.3.0\n"},
    "hashes": {
        "requirements.txt": "idna==3.6 \\\n    --hash=sha256:"
        "c05567e9c24a6b9faaa835c4821bad0590fbb9d5779e7caa6e1cc4978e7eb24f\n"
    },
    "a file of another": {
        "requirements.txt": "-r deps/base.txt\nsniffio==1.3.0\n",
        "deps/base.txt": "idna==3.6\n",
    },
    "long option": {
        "requirements.txt": "--requirement=requirements/base.txt\n",
        "requirements/base.txt": "idna==3.6\n",
    },
    "a chain of three": {
        "requirements.txt": "-r requirements-a.txt\n",
        "requirements-a.txt": "-r requirements-b.txt\nsniffio==1.3.0\n",
        "requirements-b.txt": "idna==3.6\n",
    },
    "constraints": {
        "requirements.txt": "-c constraints.txt\nidna\nsniffio\n",
        "constraints.txt": "idna==3.6\nsniffio==1.3.0\n",
    },
    "constraints of a range": {
        "requirements.txt": "-c constraints.txt\nidna>=3\n",
        "constraints.txt": "idna==3.6\n",
    },
    "wheel": {
        "requirements.txt": "idna @ https://files.pythonhosted.org/packages/c2/e7/"
        "a82b05cf63a603df6e68d59ae6a68bf5064484a0718ea5033660af4b54a9/idna-3.6-py3-none-any.whl\n"
    },
    "wheel without a name": {
        "requirements.txt": "https://files.pythonhosted.org/packages/c2/e7/"
        "a82b05cf63a603df6e68d59ae6a68bf5064484a0718ea5033660af4b54a9/idna-3.6-py3-none-any.whl\n"
    },
    "options": {"requirements.txt": "--prefer-binary\nidna==3.6\n"},
    "parentheses": {"requirements.txt": "idna (==3.6)\n"},
    "byte order mark and windows": {"requirements.txt": "\ufeffidna==3.6\r\nsniffio==1.3.0\r\n"},
    "names in another form": {"requirements.txt": "zope_interface==6.1\n"},
}  # fmt: skip


def _script(dependencies: str, more: str = "") -> str:
    listed = "".join(f"#   {one},\n" for one in dependencies.split(", ") if one)
    return (
        '# /// script\n# requires-python = ">=3.10"\n# dependencies = [\n'
        f"{listed}# ]\n{more}# ///\nimport idna\n"
    )


# Of scripts: what has no lock file, uv resolves again, so that only exact versions are asked for.
_SCRIPTS: Final[Mapping[str, tuple[Files, bool]]] = {
    "exact": ({"tool.py": _script('"idna==3.6", "sniffio==1.3.0"')}, False),
    "names in another form": ({"tool.py": _script('"Zope_Interface==6.1"')}, False),
    "extras and markers": (
        {"tool.py": _script("\"idna[all]==3.6; python_version > '3'\"")}, False,
    ),
    "windows": ({"tool.py": _script('"idna==3.6"').replace("\n", "\r\n")}, False),
    "after a header": (
        {"tool.py": "#!/usr/bin/env -S uv run --script\n# A tool.\n\n" + _script('"idna==3.6"')},
        False,
    ),
    "without a suffix": ({"bin/tool": _script('"idna==3.6"')}, False),
    "in a string": ({"tool.py": "'" * 3 + "\n" + _script('"idna==3.6"') + "'" * 3}, False),
    "another block before": (
        {"tool.py": '# /// other\n# a = "idna==3.7"\n# ///\n\n' + _script('"idna==3.6"')}, False,
    ),
    "lock file": ({"tool.py": _script('"idna<3.7", "sniffio"')}, True),
    "lock file below": ({"a/b/tool.py": _script('"idna<3.7"')}, True),
    "a range in each fork": (
        {"tool.py": _script(f'"idna<3 ; {_OLD}", "idna>=3 ; {_NEW}"')}, True,
    ),
    "inside of a project": (
        {
            "tool.py": _script('"idna<3.7"'),
            "pyproject.toml": _project("app", '"idna==3.4", "sniffio==1.3.0"'),
        },
        True,
    ),
    "two scripts": (
        {"a.py": _script('"idna<3.7"'), "b.py": _script('"idna<3.5", "sniffio<1.3.1"')}, True,
    ),
    "constraints of uv": (
        {"tool.py": _script('"idna"', '# [tool.uv]\n# constraint-dependencies = ["idna<3.6"]\n')},
        True,
    ),
    "overrides of uv": (
        {"tool.py": _script('"idna>3"', '# [tool.uv]\n# override-dependencies = ["idna==3.4"]\n')},
        True,
    ),
}  # fmt: skip


def _script_row(name: str, files: Files, is_locked: bool) -> dict[str, Any]:
    with TemporaryDirectory() as made:
        directory = Path(made)
        write_files(directory, files)
        says, locks = {}, {}
        for path, text in files.items():
            if "# /// script" not in text:
                continue
            exported = run(
                "uv", "export", "--script", path, "--no-hashes", "--no-header", "--no-annotate",
                directory=directory,
            )  # fmt: skip
            says[path] = versions(exported, text)
            if is_locked:
                run("uv", "lock", "--script", path, directory=directory)
                locks[f"{path}.lock"] = (directory / f"{path}.lock").read_text("utf-8")
    return {"name": name, "files": {**files, **locks}, "says": says}


def write_files(directory: Path, files: Files) -> None:
    for path, text in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def run(*command: str, directory: Path) -> str:
    return subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True).stdout


def _uv_row(name: str, files: Files) -> dict[str, Any]:
    with TemporaryDirectory() as made:
        directory = Path(made)
        write_files(directory, files)
        run("uv", "lock", directory=directory)
        says = {}
        for path, text in files.items():
            project = text.split('name = "')[1].split('"')[0]
            exported = run(
                "uv", "export", "--package", project, "--no-hashes", "--no-header",
                "--no-annotate", "--no-emit-local", "--all-groups", directory=directory,
            )  # fmt: skip
            says[path.rpartition("/")[0]] = versions(exported, text)
        lock = (directory / "uv.lock").read_text("utf-8")
    return {"name": name, "files": {**files, "uv.lock": lock}, "says": says}


def versions(exported: str, manifest: str) -> dict[str, str]:
    """Return the version of each direct dependency; "" for several."""
    found: dict[str, set[str]] = {}
    for line in filter(None, exported.splitlines()):
        one = Requirement(line)
        written = re.sub("[-_.]+", "[-_.]", one.name)
        if re.search(f'(?m)(?:"|^){written}', manifest, re.IGNORECASE):
            found.setdefault(one.name, set()).add(str(one.specifier).removeprefix("=="))
    return {one: min(versions) if len(versions) == 1 else "" for one, versions in found.items()}


def _pip_row(name: str, files: Files) -> dict[str, Any]:
    with TemporaryDirectory() as made:
        write_files(Path(made), files)
        report = run(
            sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps",
            "--quiet", "--report", "-", "-r", "requirements.txt", directory=Path(made),
        )  # fmt: skip
    installed = (one["metadata"] for one in json.loads(report)["install"])
    return {
        "name": name,
        "files": files,
        "says": {"": {canonicalize_name(one["name"]): one["version"] for one in installed}},
    }


def main() -> None:
    uv = run("uv", "--version", directory=Path()).split()[1]
    rows = [_uv_row(name, files) for name, files in _LOCKED.items()]
    write("uv_pins", tool="uv", version=uv, question="pins", ecosystem="pypi", rows=rows)
    rows = [_script_row(name, *asked) for name, asked in _SCRIPTS.items()]
    write("uv_scripts", tool="uv", version=uv, question="pins", ecosystem="pypi", rows=rows)
    rows = [_pip_row(name, files) for name, files in _REQUIRED.items()]
    pip = version("pip")
    write("pip_pins", tool="pip", version=pip, question="pins", ecosystem="pypi", rows=rows)


if __name__ == "__main__":
    main()
