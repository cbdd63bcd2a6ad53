"""Directories from which Python imports, in the files that say so."""

import posixpath

import pytest

from indexer.ecosystems import is_manifest, read_manifest


def searched(path: str, text: str) -> list[str]:
    """The directories of the repository that a file names."""
    manifest = read_manifest(path, text)
    found = manifest.settings if manifest else ()
    return [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), value))
        for key, value in found
        if key == "path"
    ]


@pytest.mark.parametrize(
    ("path", "text", "directories"),
    [
        ("pytest.ini", "[pytest]\npythonpath = lib other\n", ["lib", "other"]),
        ("tox.ini", "[testenv]\nsetenv =\n    PYTHONPATH = {toxinidir}/src:/x\n", ["src"]),
        ("mypy.ini", "[mypy]\nmypy_path = $MYPY_CONFIG_FILE_DIR/src:stubs\n", ["src", "stubs"]),
        ("a/.env", "PYTHONPATH=.:../lib:$HOME/x:../../out\n", ["a", "lib"]),
        ("a/Makefile", "export PYTHONPATH := $(CURDIR)/src:$(PYTHONPATH)\n", ["a/src"]),
        ("run.sh", 'export PYTHONPATH="$(dirname "$0")/lib:$PYTHONPATH"\n', ["lib"]),
        ("run.sh", "cd app && PYTHONPATH=src python -m x\n", ["src", "app/src"]),
        (
            "a/.github/workflows/ci.yml",
            "env:\n  PYTHONPATH: ${{ github.workspace }}/src\n",
            ["a/src"],
        ),
        (
            ".github/workflows/ci.yml",
            "- run: x\n  working-directory: back\n  env: {PYTHONPATH: '.'}\n",
            [".", "back"],
        ),
        (
            "a/.vscode/settings.json",
            '{"python.analysis.extraPaths": ["./src", "${workspaceFolder}/lib"], // x\n'
            '"terminal.integrated.env.linux": {"PYTHONPATH": "py:${env:PYTHONPATH}"}}',
            ["a/py", "a/src", "a/lib"],
        ),
        ("pyrightconfig.json", '{"extraPaths": ["a"]}', ["a"]),
        ("a/Dockerfile", "WORKDIR /app\nCOPY . .\nENV PYTHONPATH=/app/src\n", ["a/src", "src"]),
        ("Dockerfile", 'ENV H=/x\nENV PYTHONPATH "$H/lib"\nCOPY ["py/", "/x/lib/"]\n', ["py"]),
        (
            "Dockerfile",
            "ENV PYTHONPATH /app\nCOPY src/acme /app/acme\nADD a.py /app/\n",
            ["src", "."],
        ),
        ("Dockerfile", "COPY --from=build /x /app\nENV PYTHONPATH=/app\n", []),
        ("dev.dockerfile", "COPY --chown=a \\\n  a b /app/\nCMD PYTHONPATH=/app x\n", ["a", "b"]),
        (
            "a/docker-compose.yml",
            "volumes:\n - ./back:/code:ro\nenvironment:\n - PYTHONPATH=/code/lib:/else\n",
            ["a/back/lib"],
        ),
        (
            "compose.dev.yaml",
            "working_dir: /w\nvolumes:\n - .:/w\nenvironment:\n PYTHONPATH: src\n",
            ["src"],
        ),
        ("compose.yaml", "environment:\n PYTHONPATH: $X/src\n", []),
    ],
)
def test_a_file_that_starts_programs_or_checks_them(
    path: str, text: str, directories: list[str]
) -> None:
    assert searched(path, text) == directories


@pytest.mark.parametrize(
    ("text", "directories"),
    [
        ("sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))", ["a"]),
        ("sys.path.append(str(Path(__file__).resolve().parent.parent / 'lib'))", ["a/lib"]),
        ("ROOT = Path(__file__).parents[1]\nsys.path[:0] = [str(ROOT / 'x'), ROOT]", ["a/x", "a"]),
        ("sys.path += [os.path.join(os.path.dirname(__file__), os.pardir, 'x')]", ["a/x"]),
        ("sys.path = [f'{os.path.dirname(__file__)}/x'] + sys.path", ["a/bin/x"]),
        ("sys.path.extend((os.path.split(__file__)[0] + '/../y', '/usr/lib'))", ["a/y"]),
        ("site.addsitedir(Path(__file__).parent.joinpath('z').as_posix())", ["a/bin/z"]),
        ("sys.path.append('..')", ["a"]),
        ("sys.path.append('lib')", ["a/bin/lib", "lib"]),
        ("sys.path.append(os.environ['LIB'])", []),
        ("X = f()\nsys.path.append(X)", []),
        ("D = 'a'\nD = 'b'\nsys.path.append(D)", []),
        ("A = A\nsys.path.append(A)", []),
        ("sys.path.append(Path(__file__).parents[9])", []),
        ("sys.path.append('x'  # not Python", []),
        ("print(sys.path)", []),
    ],
)
def test_a_program_that_adds_directories(text: str, directories: list[str]) -> None:
    assert searched("a/bin/run.py", text) == directories
    assert not is_manifest("a/bin/run.py")


def test_a_file_that_names_none_is_no_manifest() -> None:
    for path in ("Makefile", "Dockerfile", "compose.yml", "a.sh", ".github/workflows/a.yml"):
        assert read_manifest(path, "PYTHONPATH=$OTHER\n") is None
        assert read_manifest(path, "all:\n") is None


def test_names_that_double_take_no_time() -> None:
    lines = [f"A{number} = A{number + 1} + A{number + 1}" for number in range(18)]
    text = "\n".join([*lines, "A18 = 'x'", "sys.path.append(A0)"])
    assert searched("a.py", text) == []
