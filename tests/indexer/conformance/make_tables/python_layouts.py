"""Small Python projects: every build backend's defaults, and its settings one by one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

Files = Mapping[str, str]

_BACKENDS: Final = {
    "setuptools": ("setuptools", "setuptools.build_meta"),
    "hatchling": ("hatchling", "hatchling.build"),
    "poetry": ("poetry-core", "poetry.core.masonry.api"),
    "flit": ("flit_core", "flit_core.buildapi"),
    "pdm": ("pdm-backend", "pdm.backend"),
    "uv": ("uv_build", "uv_build"),
    "maturin": ("maturin>=1", "maturin"),
    "scikit": ("scikit-build-core", "scikit_build_core.build"),
}
_INIT: Final = ("__init__.py", "api.py", "sub/__init__.py", "sub/x.py", "tests/test_x.py")
_AROUND: Final = ("tests/test_a.py", "docs/conf.py", "scripts/run.py", "_private/a.py")


def _package(directory: str, names: Sequence[str] = _INIT) -> list[str]:
    return [f"{directory}/{name}" for name in names]


_LAYOUTS: Final[Mapping[str, Sequence[str]]] = {
    "flat": [*_package("acme_auth"), *_AROUND],
    "flat with a module beside": [*_package("acme_auth"), "helper.py"],
    "src": [*_package("src/acme_auth"), *_AROUND],
    "src with a package beside": [*_package("src/acme_auth"), "acme_tools/a.py"],
    "two in src": [*_package("src/acme_auth"), "src/other/__init__.py", "src/more.py"],
    "two flat": [*_package("acme_auth"), "other/__init__.py"],
    "module": ["acme_auth.py", "tests/test_a.py"],
    "module of another name": ["retrykit.py", "tests/test_a.py", "conftest.py"],
    "module in src": ["src/acme_auth.py", "tests/test_a.py"],
    "namespace": ["acme/auth/__init__.py", "acme/auth/x.py", "tests/test_a.py"],
    "namespace in src": ["src/acme/auth/__init__.py", "src/acme/auth/x.py", "tests/test_a.py"],
    "without init": ["acme_auth/a.py", "acme_auth/sub/b.py"],
    "another name": ["other/__init__.py", "other/a.py", "tests/test_a.py"],
    "another name in src": ["src/other/__init__.py", "src/other/a.py"],
    "init in part": [
        "acme_auth/__init__.py",
        "acme_auth/plain/a.py",
        "acme_auth/sub/__init__.py",
        "acme_auth/sub/deep/x.py",
        "tests/t.py",
    ],
    "src without init": ["src/acme_auth/a.py", "src/acme_auth/sub/b.py", "tests/test_a.py"],
    "src and flat of one name": [
        "src/acme_auth/__init__.py",
        "acme_auth/__init__.py",
        "acme_auth/a.py",
    ],
    "only tests have init": ["acme_auth/a.py", "tests/__init__.py", "tests/t.py"],
    "python directory": ["python/acme_auth/__init__.py", "python/acme_auth/a.py"],
    "package and module": ["acme_auth/__init__.py", "acme_auth/a.py", "acme_auth.py"],
    "deep namespace in src": ["src/a/acme_auth/__init__.py", "src/a/acme_auth/x.py"],
    "stubs": ["acme_auth-stubs/__init__.pyi", "acme_auth-stubs/a.pyi"],
    "stubs in src": ["src/acme_auth-stubs/__init__.pyi", "src/acme_auth-stubs/a.pyi"],
}
_DEEP: Final = [
    "src/acme/deep/__init__.py", "src/acme/deep/x.py", "src/acme/other/y.py", "src/solo.py",
    "lib/core/__init__.py", "lib/core/x.py", "lib/core/inner/y.py", "lib/more/z.py",
    "acme_auth/__init__.py", "acme_auth/a.py", "acme_auth/sub/__init__.py", "acme_auth/sub/b.py",
    "acme_auth/tests/__init__.py", "acme_auth/tests/t.py", "top.py", "tests/__init__.py",
    "tests/t.py", "python/acme_auth/__init__.py", "python/acme_auth/p.py",
]  # fmt: skip
_REGULAR: Final = [*_package("acme_auth"), "acme_auth/tests/__init__.py", "tests/__init__.py",
    "tests/t.py", "other/__init__.py", "top.py"]  # fmt: skip
_OF_BACKENDS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "setuptools": {
        "a package and a module in src": ["src/acme_auth/__init__.py", "src/more.py"],
        "names that are left out": ["acme_auth/a.py", "docs/a.py", "build/a.py", "tasks/a.py",
            "utils/a.py", "_hidden/a.py", "python/a.py"],
        "nested tests": ["acme_auth/__init__.py", "acme_auth/docs/a.py", "acme_auth/tests/a.py"],
    },
    "uv": {
        "package": _package("src/acme_auth"),
        "package and others": ["src/acme_auth/__init__.py", "src/b/__init__.py", "acme_auth/a.py"],
    },
    "flit": {
        "tests in the package": _package("src/acme_auth"),
        "with a package beside": ["acme_auth/__init__.py", "other/__init__.py", "b.py"],
    },
    "hatchling": {
        "tests in the package": _package("src/acme_auth"),
        "with a package beside": ["acme_auth/__init__.py", "other/__init__.py", "b.py"],
    },
    "poetry": {
        "tests in the package": _package("src/acme_auth"),
        "with a package beside": ["acme_auth/__init__.py", "other/__init__.py", "b.py"],
    },
}  # fmt: skip
_SETTINGS: Final[Mapping[str, Sequence[str]]] = {
    "setuptools": [
        '[tool.setuptools]\npy-modules = ["top"]',
        '[tool.setuptools]\npackages = ["acme_auth"]',
        '[tool.setuptools]\npackages = ["acme_auth", "acme_auth.sub"]\npy-modules = ["top"]',
        '[tool.setuptools]\npackages = ["acme.deep"]\npackage-dir = {"" = "src"}',
        '[tool.setuptools]\npackages = ["acme.deep"]\npackage-dir = {"acme.deep" = "lib/core"}',
        '[tool.setuptools]\npackages = ["acme"]\npackage-dir = {acme = "lib/core"}',
        '[tool.setuptools]\npackages = ["acme", "acme.inner"]\npackage-dir = {acme = "lib/core"}',
        '[tool.setuptools]\npackages = ["acme_auth"]\npackage-dir.acme_auth = "python/acme_auth"',
        '[tool.setuptools]\npackages = ["lib.core", "top"]\npackage-dir = {top = "lib/more"}',
        '[tool.setuptools]\npy-modules = ["solo"]\npackage-dir = {"" = "src"}',
        '[tool.setuptools]\npackages = ["root"]\npackage-dir = {root = "."}',
        '[tool.setuptools.packages.find]\nwhere = ["src"]',
        '[tool.setuptools.packages.find]\nwhere = ["src"]\nnamespaces = false',
        '[tool.setuptools.packages.find]\nwhere = ["src", "lib"]',
        '[tool.setuptools.packages.find]\nwhere = ["python"]\nnamespaces = false',
        '[tool.setuptools.packages.find]\ninclude = ["acme*"]',
        '[tool.setuptools.packages.find]\ninclude = ["acme_auth"]',
        '[tool.setuptools.packages.find]\ninclude = ["acme_auth.*"]',
        '[tool.setuptools.packages.find]\nexclude = ["acme_auth.tests*", "tests*", "lib*"]',
        '[tool.setuptools.packages.find]\ninclude = ["acme*"]\nexclude = ["*.tests"]',
        '[tool.setuptools.packages.find]\ninclude = ["acme_auth*"]\nexclude = ["acme_auth.sub"]',
        '[tool.setuptools.packages.find]\nnamespaces = false',
        '[tool.setuptools.packages.find]\nwhere = ["src"]\ninclude = ["acme.deep*"]',
    ],
    "hatchling": [
        '[tool.hatch.build.targets.wheel]\npackages = ["src/acme"]',
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/core", "acme_auth"]',
        '[tool.hatch.build.targets.wheel]\npackages = ["src/acme/deep"]',
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/core"]\n'
        '[tool.hatch.build.targets.wheel.sources]\n"lib/core" = "acme/hmap"',
        '[tool.hatch.build.targets.wheel]\nonly-include = ["src/acme"]\nsources = ["src"]',
        '[tool.hatch.build.targets.wheel]\nonly-include = ["lib/core"]',
        '[tool.hatch.build.targets.wheel]\nonly-include = ["lib/core", "top.py"]',
        '[tool.hatch.build.targets.wheel]\ninclude = ["acme_auth"]',
        '[tool.hatch.build.targets.wheel]\ninclude = ["/lib/**/*.py"]\nsources = ["lib"]',
        '[tool.hatch.build.targets.wheel]\nexclude = ["tests", "/lib"]',
        '[tool.hatch.build.targets.wheel]\npackages = ["acme_auth"]\nexclude = ["/acme_auth/sub"]',
        '[tool.hatch.build.targets.wheel.force-include]\n"lib/core" = "acme/forced"',
        '[tool.hatch.build.targets.wheel]\npackages = ["acme_auth"]\n'
        '[tool.hatch.build.targets.wheel.force-include]\n"lib/more/z.py" = "acme_auth/zed.py"',
        '[tool.hatch.build]\npackages = ["src/acme"]',
        '[tool.hatch.build]\nsources = ["src"]\nonly-include = ["src"]',
        '[tool.hatch.build.targets.wheel.sources]\n"lib" = ""\n"src" = "moved"',
        '[tool.hatch.build]\nexclude = ["sub"]\n'
        '[tool.hatch.build.targets.wheel]\npackages = ["acme_auth"]',
        '[tool.hatch.build.targets.wheel]\nbypass-selection = true\n'
        '[tool.hatch.build.targets.wheel.force-include]\n"top.py" = "renamed.py"',
    ],
    "poetry": [
        '[tool.poetry]\npackages = [{include = "acme/deep", from = "src"}]',
        '[tool.poetry]\npackages = [{include = "acme", from = "src"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth/**/*.py"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth/*.py"}]',
        '[tool.poetry]\npackages = [{include = "core", from = "lib", to = "acme"}]',
        '[tool.poetry]\npackages = [{include = "**/*.py", from = "lib"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}, {include = "solo.py", from="src"}]',
        '[tool.poetry]\npackages = [{include = "top.py"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth", from="python", to="vendored/deep"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}]\nexclude = ["acme_auth/tests"]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}]\nexclude = ["**/tests/*.py"]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}]\ninclude = ["lib/more/z.py"]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}]\n'
        'include = [{path = "lib/core/**/*", format = "wheel"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}, {include="tests", format="sdist"}]',
        '[tool.poetry]\npackages = [{include = "acme_auth"}, {include = "tests"}]',
    ],
    "flit": [
        '[tool.flit.module]\nname = "acme_auth"',
        '[tool.flit.module]\nname = "acme.deep"',
        '[tool.flit.module]\nname = "solo"',
        '[tool.flit.module]\nname = "top"',
    ],
    "pdm": [
        '[tool.pdm.build]\nincludes = ["acme_auth"]',
        '[tool.pdm.build]\nincludes = ["src/acme"]',
        '[tool.pdm.build]\npackage-dir = "python"',
        '[tool.pdm.build]\npackage-dir = "lib"',
        '[tool.pdm.build]\npackage-dir = "."\nincludes = ["acme_auth", "top.py"]',
        '[tool.pdm.build]\nincludes = ["acme_auth/**/*.py"]\nexcludes = ["acme_auth/tests"]',
        '[tool.pdm.build]\nexcludes = ["**/tests"]\nincludes = ["acme_auth"]',
        '[tool.pdm.build]\npackage-dir = "lib"\nincludes = ["lib/core"]',
    ],
    "uv": [
        '[tool.uv.build-backend]\nmodule-name = "acme.deep"',
        '[tool.uv.build-backend]\nmodule-root = ""',
        '[tool.uv.build-backend]\nmodule-root = "python"',
        '[tool.uv.build-backend]\nmodule-name = ["acme.deep", "acme_auth"]\nmodule-root = "src"',
        '[tool.uv.build-backend]\nmodule-name = "lib.core"\nmodule-root = ""',
        '[tool.uv.build-backend]\nmodule-name = ["lib.core", "acme_auth"]\nmodule-root = ""',
        '[tool.uv.build-backend]\nmodule-name = "acme"\nnamespace = true',
        '[tool.uv.build-backend]\nmodule-name = "acme_auth"\nmodule-root = ""\n'
        'wheel-exclude = ["**/tests"]',
        '[tool.uv.build-backend]\nmodule-root = ""\nsource-exclude = ["acme_auth/sub"]',
    ],
    "maturin": [
        'module-name = "acme_auth"',
        'module-name = "acme_auth"\npython-source = "python"',
        'module-name = "acme_auth._native"\npython-source = "python"',
        'module-name = "acme.deep"\npython-source = "src"',
        'module-name = "acme_auth"\npython-packages = ["acme_auth", "lib"]',
        'module-name = "acme_auth"\nexclude = ["acme_auth/tests/**"]',
        'module-name = "acme_auth"\nexclude = ["**/tests/*"]',
        'module-name = "acme_auth"\ninclude = ["lib/core/*.py"]',
        'module-name = "acme_auth"\ninclude = [{path = "lib/more/*", format = "sdist"}]',
        'module-name = "acme_auth"\ninclude = [{path = "lib/more/*", format = ["wheel"]}]',
        'python-packages = ["acme_auth"]',
        "",
    ],
    "scikit": [
        'packages = ["python/acme_auth"]',
        'packages = ["acme_auth", "lib/core"]',
        '[tool.scikit-build.wheel.packages]\n"acme/renamed" = "lib/core"',
        'packages = ["acme_auth"]\nexclude = ["**/tests/*.py"]',
        'packages = ["src/acme"]',
    ],
}  # fmt: skip


def projects() -> Iterator[tuple[str, str, Files]]:
    """Yield backend, name and files of each project; each file says its own path."""
    for backend in _BACKENDS:
        usual = 'module-name = "acme_auth"' if backend == "maturin" else ""
        for name, paths in _LAYOUTS.items():
            yield backend, f"{backend}: {name}", _files(backend, paths, usual)
        for name, paths in _OF_BACKENDS.get(backend, {}).items():
            yield backend, f"{backend}: {name}", _files(backend, paths, "")
        for settings in _SETTINGS[backend]:
            yield backend, f"{backend}: {settings}", _files(backend, _DEEP, settings)
    for name, files in _SETUP_SCRIPTS.items():
        yield "setuptools", f"setuptools: {name}", _sources(_DEEP) | files
        if "find" in str(files) and "src" not in str(files):
            yield "setuptools", f"setuptools: {name} in packages", _sources(_REGULAR) | files


_BEFORE: Final = {
    "scikit": "[tool.scikit-build.wheel]\ncmake = false\n",
    "maturin": '[tool.maturin]\nbindings = "bin"\n',
}
_CRATE: Final = {
    "Cargo.toml": '[package]\nname = "acme-auth"\nversion = "1.0.0"\nedition = "2021"\n'
    '[[bin]]\nname = "acme-auth"\npath = "rust/main.rs"\n',
    "rust/main.rs": "fn main() {}\n",
}


def _files(backend: str, paths: Sequence[str], settings: str) -> dict[str, str]:
    requires, hook = _BACKENDS[backend]
    manifest = (
        '[project]\nname = "acme-auth"\nversion = "1.0.0"\ndescription = "Auth"\n'
        f'[build-system]\nrequires = ["{requires}"]\nbuild-backend = "{hook}"\n'
        f"{_BEFORE.get(backend, '')}{settings}\n"
    )
    crate = _CRATE if backend == "maturin" else {}
    return {"pyproject.toml": manifest, **crate, **_sources(paths)}


def _sources(paths: Sequence[str]) -> dict[str, str]:
    return {path: f"# {path}\n" for path in paths}


_IMPORT: Final = "from setuptools import *\n"
_CFG: Final = "[metadata]\nname = acme-auth\nversion = 1.0\n[options]\n"
_SETUP_SCRIPTS: Final[Mapping[str, Files]] = {
    name: {"setup.py": f"{_IMPORT}setup(name='acme-auth', version='1.0', {call})\n"}
    for name, call in {
        "packages": "packages=['acme_auth']",
        "no packages": "packages=[], py_modules=['top']",
        "find_packages": "packages=find_packages()",
        "find_packages of src": "packages=find_packages('src'), package_dir={'': 'src'}",
        "namespaces of src": "packages=find_namespace_packages('src'), package_dir={'': 'src'}",
        "find with exclude": "packages=find_packages(exclude=['tests', '*.tests', 'lib*'])",
        "find with include": "packages=find_packages(include=['acme_auth', 'acme_auth.*'])",
        "dotted package_dir": "packages=['a.b'], package_dir={'a.b': 'lib/core'}",
        "package_dir of a parent": "packages=['a', 'a.inner'], package_dir={'a': 'lib/core'}",
        "find_packages of lib": "packages=find_packages(where='lib'), package_dir={'': 'lib'}",
        "find of a sub-package": "packages=find_packages(include=['acme_auth.sub*'])",
        "namespaces with include": "packages=find_namespace_packages(include=['lib*', 'src.acme'])",
        "find and modules": "packages=find_packages(exclude=['*tests*']), py_modules=['top']",
        "py_modules in src": "py_modules=['solo'], package_dir={'': 'src'}",
    }.items()
} | {
    f"setup.cfg {name}": {"setup.py": f"{_IMPORT}setup()\n", "setup.cfg": _CFG + text}
    for name, text in {
        "find": "packages = find:\n",
        "find in src": "packages = find:\npackage_dir =\n    = src\n"
        "[options.packages.find]\nwhere = src\n",
        "namespaces in src": "packages = find_namespace:\npackage_dir =\n    = src\n"
        "[options.packages.find]\nwhere = src\n",
        "namespaces": "packages = find_namespace:\n"
        "[options.packages.find]\ninclude =\n    acme*\n    lib*\n",
        "find with include": "packages = find:\n"
        "[options.packages.find]\ninclude = acme_auth\n",
        "exclude": "packages = find:\n"
        "[options.packages.find]\nexclude =\n    tests*\n    *.tests\n",
        "listed": "packages =\n    acme_auth\n    acme_auth.sub\n",
        "modules": "py_modules = top\n",
        "package_dir": "packages = acme\npackage_dir =\n    acme = lib/core\n",
    }.items()
}  # fmt: skip

DIFFERS: Final[Mapping[str, str]] = {
    'pdm: [tool.pdm.build]\nincludes = ["acme_auth/**/*.py"]\nexcludes = ["acme_auth/tests"]': (
        "PDM takes what `includes` names file by file although its directory is excluded."
    ),
}
