"""setup.cfg, and the literal values of setup.py, which is not run."""

import ast
import warnings
from collections.abc import Iterator
from configparser import Error
from typing import Final

from indexer.ecosystems.parsing import Table, TooLargeError, string, strings, table
from indexer.ecosystems.pypi.layouts import REGULAR, PackageLayout, setuptools_layout
from indexer.ecosystems.pypi.requirements import pins_of, requirements
from indexer.ecosystems.pypi.search_paths import configured_paths, read_configuration
from indexer.records.manifests import (
    SCRIPT_CHARACTERS,
    Ecosystem,
    Manifest,
    ManifestProblem,
    python_name,
)

_SECTIONS: Final = ("metadata", "options", "options.packages.find", "options.extras_require")


def read_setup_cfg(text: str, _path: str) -> Manifest:
    """Read setup.cfg. Raises ValueError."""
    try:
        parser = read_configuration(text)
    except Error as exc:
        raise ValueError("not a setup.cfg") from exc
    sections = {name: dict(parser.items(name)) for name in _SECTIONS if parser.has_section(name)}
    metadata, options = sections.get("metadata", {}), sections.get("options", {})
    find = sections.get("options.packages.find", {})
    packages = _lines(options.get("packages", ""))
    version = metadata.get("version", "")
    directories = (line.partition("=") for line in _lines(options.get("package_dir", "")))
    required = _lines(options.get("install_requires", ""))
    for extra in sections.get("options.extras_require", {}).values():
        required += _lines(extra)
    is_found = packages[:1] in (["find:"], ["find_namespace:"])
    layout = setuptools_layout(
        directories={name.strip(): directory.strip() for name, _, directory in directories},
        packages=None if is_found else packages,
        find={key: _lines(value) for key, value in find.items()} if is_found else None,
        modules=_lines(options.get("py_modules", "")),
        finds_regular=packages[:1] == ["find:"],
    )
    dependencies = tuple(requirements(required))
    return Manifest(
        Ecosystem.PYPI,
        name=python_name(metadata.get("name", "").strip()),
        version="" if version.startswith(("attr:", "file:")) else version,
        import_names=layout.import_names,
        source_roots=layout.source_roots,
        entries=layout.entries,
        settings=(*layout.settings, *configured_paths(parser)),
        dependencies=dependencies,
        pins=pins_of(dependencies),
    )


def _lines(value: str) -> list[str]:
    """Split a list of setup.cfg: by lines, or by commas in one line."""
    parts = value.splitlines() if "\n" in value else value.split(",")
    return [part.strip() for part in parts if part.strip()]


def read_setup_py(text: str, _path: str) -> Manifest:
    """Read the literal arguments of `setup()`, including constants of the module.

    Raises ValueError, SyntaxError, RecursionError and MemoryError.
    """
    if len(text) > SCRIPT_CHARACTERS:
        raise TooLargeError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in its strings
        tree = ast.parse(text)
    arguments = _setup_arguments(tree)
    required = strings(arguments.get("install_requires"))
    for extra in table(arguments.get("extras_require")).values():
        required += strings(extra)
    dependencies = tuple(requirements(required))
    layout = _layout(arguments)
    return Manifest(
        Ecosystem.PYPI,
        name=python_name(_name(arguments, layout)),
        version=string(arguments.get("version")),
        import_names=layout.import_names,
        source_roots=layout.source_roots,
        entries=layout.entries,
        settings=layout.settings,
        problem=_problem(arguments),
        dependencies=dependencies,
        pins=pins_of(dependencies),
    )


def _problem(arguments: Table) -> ManifestProblem | None:
    """Return PARTIAL if the program computes its packages."""
    computed = (key for key in ("packages", "py_modules", "package_dir") if key in arguments)
    is_partial = any(arguments[key] is None for key in computed)
    return ManifestProblem.PARTIAL if is_partial else None


def _name(arguments: Table, layout: PackageLayout) -> str:
    """Return the name; for a computed name, that of the only top-level package."""
    name = string(arguments.get("name"))
    is_computed = not name and "name" in arguments
    return layout.import_names[0] if is_computed and len(layout.import_names) == 1 else name


def _layout(arguments: Table) -> PackageLayout:
    packages = arguments.get("packages")
    directories = table(arguments.get("package_dir"))
    return setuptools_layout(
        directories={str(name): string(directory) for name, directory in directories.items()},
        packages=strings(packages),
        find=packages if isinstance(packages, dict) else None,
        modules=strings(arguments.get("py_modules")),
        finds_regular=isinstance(packages, dict) and REGULAR in packages,
    )


def _setup_arguments(tree: ast.Module) -> Table:
    constants = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _callee_name(node) == "setup":
            return {word.arg: _value(word.value, constants) for word in node.keywords if word.arg}
    return {}


def _constants(tree: ast.Module) -> Iterator[tuple[str, object]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _value(node.value, {})
            if value is not None:
                yield node.targets[0].id, value


def _callee_name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _value(node: ast.expr, constants: Table) -> object:
    """Return a literal, a constant's value or find_packages()'s arguments; else None."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.Call) and _callee_name(node) in {
        "find_packages",
        "find_namespace_packages",
    }:
        words = {word.arg: _value(word.value, constants) for word in node.keywords if word.arg}
        words |= {"where": _value(node.args[0], constants)} if node.args else {}
        return words | ({REGULAR: True} if _callee_name(node) == "find_packages" else {})
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return list(value) if isinstance(value, tuple) else value
