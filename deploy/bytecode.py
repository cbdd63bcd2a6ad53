"""Compiles what the image's processes import: half of the modules of the packages never run.

Imports this project's modules and what the imports in them name, also inside of functions. Of a
package's module one form then stays: bytecode of what was imported, source of the rest. This
project keeps source and bytecode. Prints the names of Python's own modules that were imported.
"""

import ast
import compileall
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import files
from importlib.util import cache_from_source, find_spec
from pathlib import Path

import django

# What only settings, command lines and strings name.
_NAMED = (
    "celery.bin.celery",
    "central.celery",
    "central.asgi",
    "django.contrib.sessions.serializers",
    "django.core.management.commands.check",
    "django.core.management.commands.migrate",
    "kombu.transport.redis",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.h11_impl",
)
# Here what is not imported goes: most of 1,000 modules are for other services than embeddings, and
# of 500 languages most are never indexed.
_REDUCED = ("openai", "pygments/lexers")


def main() -> None:
    """Import everything, then keep one form of each module."""
    own = {Path(str(each.locate())) for each in files("aeterna-code-search") or ()}
    own = {each for each in own if each.suffix == ".py"}
    django.setup()
    for name in _NAMED:
        import_module(name)
    for path in own:
        compileall.compile_file(path, quiet=1)
        for name in _imported_names(path):
            _import(name)
    _load_what_settings_name()
    _keep_one_form(Path(django.__file__).parents[1], own)
    print(*(each for each in sys.modules if each.partition(".")[0] in sys.stdlib_module_names))


def _keep_one_form(site_packages: Path, own: set[Path]) -> None:
    reduced = tuple(site_packages / each for each in _REDUCED)
    for path in set(site_packages.rglob("*.py")) - own:
        compiled = Path(cache_from_source(str(path)))
        if compiled.exists():
            compiled.rename(path.with_suffix(".pyc"))
            path.unlink()
        elif any(path.is_relative_to(each) for each in reduced):
            path.unlink()


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


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

    app.loader.import_default_modules()
    _ = connection.vendor, engines.all(), get_resolver().url_patterns
    for language in LANGUAGES_BY_NAME:
        try:
            get_lexer_by_name(language)
        except ClassNotFound:
            continue


main()
