"""Compiles the image's Python, and deletes the source of packages; this project keeps its own.

Imports this project's modules and what the imports in them name, also inside of functions, so that
the build fails where a package does not work. Of `_REDUCED` it deletes what was not imported.
"""

import ast
import compileall
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

import django

# What only strings and command lines name.
_NAMED = ("celery.bin.celery", "central.asgi", "central.celery", "kombu.transport.redis")
# Most of openai's 1,000 modules are for other services than embeddings; of 500 languages most are
# never indexed; what Celery's interactive shell loads when it starts; what Pydantic keeps for those
# who come from its first version; semantic conventions of traces that are not ours.
_REDUCED = (
    "openai",
    "pygments/lexers",
    "prompt_toolkit",
    "wcwidth",
    "pydantic/v1",
    "opentelemetry/semconv",
)


def main() -> None:
    """Import everything, then compile."""
    own = {Path(str(each.locate())) for each in files("aeterna-code-search") or ()}
    own = {each for each in own if each.suffix == ".py"}
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # noqa: TID251 - the image has no git
    django.setup()
    for name in (*_NAMED, *(each for path in sorted(own) for each in _imported_names(path))):
        _import(name)
    for path in own:
        _check_attributes(path)
    _load_what_settings_name()
    site_packages = Path(django.__file__).parent.parent
    _reduce(site_packages)
    for path in site_packages.rglob("*.py"):
        if path in own:
            compileall.compile_file(path, quiet=1)
        elif compileall.compile_file(path, quiet=1, legacy=True):
            path.unlink()


def _reduce(site_packages: Path) -> None:
    imported = {module.__file__ for module in sys.modules.values() if hasattr(module, "__file__")}
    for part in _REDUCED:
        for path in (site_packages / part).rglob("*.py"):
            if str(path) not in imported:
                path.unlink()


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _check_attributes(path: Path) -> None:
    """Fail for `np.random` if that part of a package is not there."""
    tree = ast.parse(path.read_bytes())
    modules = {
        each.asname or each.name: sys.modules.get(each.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for each in node.names
        if each.name not in sys.stdlib_module_names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if modules.get(name):
                getattr(modules[name], attribute)


def _import(name: str) -> None:
    """Import a module, if it is one and its package is in the image."""
    if name.startswith("central.settings"):
        return  # there is one for each kind of process
    try:
        import_module(name)
    except ImportError as exc:
        if exc.name != name and (not exc.name or find_spec(exc.name.partition(".")[0])):
            raise


def _load_what_settings_name() -> None:
    from django.db import connection
    from django.template import engines
    from django.urls import get_resolver
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    from central.celery import app
    from indexer.languages.registry import LANGUAGES_BY_NAME
    from indexer.records.languages import LEXERS

    app.loader.import_default_modules()
    _ = connection.vendor, engines.all(), get_resolver().url_patterns
    for language in LANGUAGES_BY_NAME:
        try:
            get_lexer_by_name(LEXERS.get(language, language))
        except ClassNotFound:
            continue


main()
