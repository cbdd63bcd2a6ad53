"""What others rely on by name, as sorted lines: compare two versions of the code with `diff`.

    cd A_TREE && .venv/bin/python ANOTHER_TREE/scripts/surface.py > surface.txt

It describes the tree that it is run in: routes, problem codes, tasks and their schedule, metrics,
commands with their --help, variables and settings, signing salts, cookies, tables, stored values,
the fingerprint of the extraction, the tools of the MCP servers and a digest of the OpenAPI file.
What it needs is found by its name, wherever it stands, so that modules may move. It asks neither
the network nor a database.
"""

import argparse
import ast
import asyncio
import enum
import hashlib
import json
import os
import pkgutil
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path.cwd()
# Also the names of packages in trees before they stood below aeterna_code_search.
PACKAGES = (
    "aeterna_code_search",
    "agents",
    "central",
    "cli",
    "contract",
    "indexer",
    "integrations",
)
AGENTS = ("aeterna_code_search.agents.", "agents.")
CLI = ("aeterna_code_search.cli.", "cli.")
INTEGRATIONS = ("aeterna_code_search.integrations.", "integrations.")
NOT_IMPORTED = re.compile(r".*(\.migrations|\.__main__|central\.settings\..*)$")
VARIABLE = re.compile(
    r"(ACTIONS|AETERNA|CELERY|CODESEARCH|DATABASE|GITHUB|OLLAMA|OPENAI|OTEL|QDRANT|RUNNER"
    r"|VECTOR_STORE|VOYAGE)_[A-Z0-9_]+"
)
READS_VARIABLE = {"flag", "host", "number", "required", "text", "words"}  # of central/settings/env
ENVIRONMENT = {
    "AETERNA_SSO_CLIENT_ID": "surface",  # so that its addresses and tables are there
    "AETERNA_SSO_ISSUER": "https://sso.example",
    "COLUMNS": "100",
    "DJANGO_SETTINGS_MODULE": "central.settings.static",
}
Lines = Iterator[str]


def main() -> None:
    """Print the surface of the tree in the current directory."""
    sys.path[0] = str(ROOT)
    os.environ |= ENVIRONMENT
    warnings.simplefilter("ignore")
    import django

    django.setup()
    failures = import_everything()
    lines = {line for section in SECTIONS for line in section()}
    print("\n".join(sorted(lines)))
    if failures:
        sys.exit("Not imported, so that their part is missing:\n" + "\n".join(failures))


def import_everything() -> list[str]:
    """Import each module of the product; answers which could not be, and why."""
    failures = []
    for package in filter(os.path.isdir, PACKAGES):
        for module in pkgutil.walk_packages([package], f"{package}.", failures.append):
            if NOT_IMPORTED.match(module.name) or ".migrations." in module.name:
                continue
            try:
                import_module(module.name)
            except ImportError as error:
                failures.append(f"{module.name}: {error}")
    return failures


def modules(package: str | tuple[str, ...] = "") -> list[Any]:
    """The imported modules of the product, or of one package of it."""
    begins = package or tuple(f"{name}." for name in PACKAGES)
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(begins)]


def find(name: str, package: str | tuple[str, ...] = "") -> Any:
    """What is called `name` in the module that defines it, wherever that is."""
    found = [vars(module)[name] for module in modules(package) if name in vars(module)]
    if not found:
        sys.exit(f"There is no {name} in {package or 'any package'}.")
    return found[0]


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """The source files, parsed."""
    for package in PACKAGES:
        for path in sorted(Path(package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, ast.parse(path.read_bytes())


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each value inside of a JSON value, with the path to it."""
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, json.dumps(value, ensure_ascii=False)


def routes() -> Lines:
    """Addresses, their names and methods."""
    from django.urls import URLPattern, get_resolver

    def walk(resolver: Any, prefix: str) -> Lines:
        for entry in resolver.url_patterns:
            address = prefix + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield f"route {address} {entry.name} {methods(entry.callback)}"
            else:
                yield from walk(entry, address)

    def methods(view: Any) -> str:
        cls = getattr(view, "view_class", getattr(view, "cls", None))
        return ",".join(
            name for name in getattr(cls, "http_method_names", ()) if hasattr(cls, name)
        )

    yield from walk(get_resolver(), "/")


def problem_codes() -> Lines:
    """Constants that the source gives as a `code`, and those in the table of problems."""
    table = find("_DEPENDENCIES", "central"), find("_DRF_CODES", "central")
    codes = {code for code, _ in table[0].values()} | set(table[1].values())
    for _, tree in trees():
        constants = dict(string_constants(tree))
        for node in ast.walk(tree):
            names = [node.arg] if isinstance(node, ast.keyword) else targets(node)
            if any(re.fullmatch("_?code", name or "", re.I) for name in names):
                codes |= strings(node.value, constants)
    yield from (f"problem {code}" for code in codes if re.fullmatch("[a-z][a-z_]+", code))


def tasks() -> Lines:
    """Celery's."""
    app = import_module("central.celery").app
    app.loader.import_default_modules()
    yield from (f"task {name}" for name in app.tasks if not name.startswith("celery."))
    for name, entry in app.conf.beat_schedule.items():
        yield from (f"beat {name} {key} = {value}" for key, value in entry.items())


def metrics() -> Lines:
    """Prometheus's: some are made when they are read, of what the database holds."""
    kinds = re.compile("(Counter|Gauge|Histogram|Summary)(MetricFamily)?")
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and kinds.fullmatch(getattr(node.func, "id", "")):
                given = [ast.unparse(one) for one in node.args]
                if given and given[0].startswith("'"):
                    yield f"metric {node.func.id} {' '.join(given)}"


def commands() -> Lines:
    """What each says to --help; the line's number keeps them in order."""
    import click
    import typer

    def walk(command: click.Command, parent: Any, name: str) -> Lines:
        context = click.Context(command, parent, info_name=name, max_content_width=100)
        yield from numbered(context.command_path, command.get_help(context))
        for inner in getattr(command, "commands", {}).items():
            yield from walk(inner[1], context, inner[0])

    for name in ("codesearch", "aeterna"):
        application = find(f"{name}_application", CLI)()
        yield from walk(typer.main.get_command(application), None, name)
    yield from parsers("python -m indexer", import_module("indexer.__main__")._parser())
    yield from management_commands()
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    yield from (f"script {name} = {value}" for name, value in project["scripts"].items())


def parsers(name: str, parser: argparse.ArgumentParser) -> Lines:
    """Help of a parser and of those of its sub-commands."""
    parser.prog = name
    yield from numbered(name, parser.format_help())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, choice in action.choices.items():
                yield from parsers(f"{name} {inner}", choice)


def management_commands() -> Lines:
    """Those of manage.py that are the product's own."""
    from django.core.management import get_commands, load_command_class

    for name, app in get_commands().items():
        if str(app).startswith("central."):
            parser = load_command_class(app, name).create_parser("manage.py", name)
            yield from numbered(f"manage.py {name}", parser.format_help())


def numbered(name: str, text: str) -> Lines:
    """Lines that stay in order when they are sorted."""
    for number, line in enumerate(text.splitlines()):
        yield f"command {name} {number:03} | {line}".rstrip()


def settings() -> Lines:
    """Variables of the environment that the source names; Django settings that are numbers."""
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and VARIABLE.fullmatch(str(node.value)):
                yield f"variable {node.value}"
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in READS_VARIABLE:
                given = [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
                yield from (f"variable {one}" for one in given if str(one).isupper())
    from django.conf import settings as configured

    for name in filter(str.isupper, dir(configured)):
        value = getattr(configured, name)
        yield f"setting {name} = {value if isinstance(value, bool | int | float) else '…'}"


def salts_and_cookies() -> Lines:
    """Salts of signatures and names of cookies: constants with such names or as such arguments."""
    for _, tree in trees():
        constants = dict(string_constants(tree))
        for name, value in constants.items():
            if "SALT" in name:
                yield f"salt {value}"
            if "COOKIE" in name:
                yield f"cookie {value}"
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg in {"salt", "key_salt"}:
                yield from (f"salt {one}" for one in strings(node.value, constants))
    from django.conf import settings as configured

    for name in ("CSRF_COOKIE_NAME", "SESSION_COOKIE_NAME", "LANGUAGE_COOKIE_NAME"):
        yield f"cookie {getattr(configured, name)}"


def string_constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Module-level names of strings."""
    for node in tree.body:
        value = getattr(getattr(node, "value", None), "value", None)
        if isinstance(value, str):
            yield from ((name, value) for name in targets(node))


def targets(node: ast.AST) -> list[str]:
    """The plain names that are given a value."""
    if isinstance(node, ast.Assign):
        return [one.id for one in node.targets if isinstance(one, ast.Name)]
    if isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def strings(node: ast.expr, constants: dict[str, str]) -> set[str]:
    """What an expression may be, as far as it is a constant or the choice of two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.Name) and node.id in constants:
        return {constants[node.id]}
    if isinstance(node, ast.IfExp):
        return strings(node.body, constants) | strings(node.orelse, constants)
    return set()


def tables() -> Lines:
    """Tables with their columns and what these may hold."""
    from django.apps import apps

    for model in apps.get_models():
        if model.__module__.startswith(PACKAGES):
            for field in model._meta.local_fields:
                column = f"{model._meta.db_table}.{field.column}"
                yield f"column {model._meta.label} {column} {field.get_internal_type()}"
                yield from (f"choice {column} {value}" for value, _ in field.choices or ())


def enumerations() -> Lines:
    """Values of enumerations, by class: most are stored or sent."""
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, enum.EnumType) and value.__module__ == module.__name__:
                yield from (f"enum {value.__name__}.{one.name} = {one.value}" for one in value)


def extraction() -> Lines:
    """The fingerprint that decides whether all is extracted anew."""
    yield f"extractor {find('EXTRACTOR', 'indexer.')}"


def tools() -> Lines:
    """tools/list of the MCP servers, and of what integrations add to the command line's."""
    from mcp.client.client import Client
    from mcp.server import MCPServer

    async def listed(server: Any) -> list[dict[str, Any]]:
        async with Client(server) as client:
            answer = await client.list_tools()
        return [tool.model_dump(mode="json", by_alias=True) for tool in answer.tools]

    def server_of(add: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        server: Any = MCPServer("surface", log_level="ERROR")
        return server, add(server, *arguments, **named)

    code, toolset = server_of(
        find("add_tools", AGENTS), lambda: None, hints=find("LOCAL_HINTS", AGENTS)
    )
    sidecar, _ = server_of(find("add_sidecar_tools", AGENTS), lambda: None)
    for module in modules(INTEGRATIONS):
        if module.__name__.endswith(".mcp_tools"):
            module.add_tools(toolset, {}, ROOT)
    for name, server in (("code", code), ("sidecar", sidecar)):
        for tool in asyncio.run(listed(server)):
            for path, value in leaves(tool):
                yield f"mcp {name} {tool['name']} {path} = {value}"


def openapi() -> Lines:
    """The digest of the OpenAPI file."""
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.renderers import OpenApiYamlRenderer

    schema = SchemaGenerator().get_schema(request=None, public=True)
    file = OpenApiYamlRenderer().render(schema, renderer_context={})
    yield f"openapi {hashlib.sha256(file).hexdigest()}"


SECTIONS: tuple[Callable[[], Lines], ...] = (
    routes,
    problem_codes,
    tasks,
    metrics,
    commands,
    settings,
    salts_and_cookies,
    tables,
    enumerations,
    extraction,
    tools,
    openapi,
)

if __name__ == "__main__":
    main()
