"""Requests of every route, filled from one table: of Django's URL map, the OpenAPI schema, and the
tools at /mcp.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final
from urllib.parse import quote, unquote_plus, urlencode
from uuid import UUID

from django.apps import apps
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from indexer.bundle.encode import encode_records, encode_tree
from indexer.bundle.gzip import compress
from tests.central.isolation.world import HIDDEN, KEYS, OPEN, SETTINGS, WHOLE
from tests.central.protocol import file_record, tree_of

METHODS: Final = ("GET", "POST", "DELETE", "PUT", "PATCH")
PAGE_METHODS: Final = ("GET", "POST")
VARIANTS: Final = 3
_PART: Final = re.compile(r"<(?:\w+:)?(\w+)>")
_OF_AUTHOR: Final = "type:commit author:{0}@kit.example"
_EXPRESSIONS: Final = {  # routes of Django's admin that are regular expressions
    r"^\^\(\?P<app_label>(\w+).*\)/\$$": r"\1/",
    r"^\(\?P<url>\.\*\)\$$": "no-such",
}


def fields(word: str) -> dict[str, list[Any]]:
    """What a part of an address or a field is filled with: values in turn; None leaves it out.

    They name what the repository of `word` has, or nearly so.
    """
    kit, path, jam = f"{word}-kit", f"{word}_kit/jam.py", f"{word}_jam"
    code, near = f"code:{kit}/{path}", word[:-1]
    return {
        # Parts of addresses
        "organization": ["acme"],
        "project": [kit],
        "path": [path, f"{word}_kit", f"{near}_kit/jam.py"],
        "node": [f"{kit}/{word}-7", code, f"{WHOLE}-7"],
        "line": [13],  # of the call of the method
        "column": [24],
        "run_id": [str(UUID(int=KEYS[word]))],
        "backfill_id": [str(UUID(int=KEYS[word]))],
        "number": [2],
        "member_id": [KEYS[SETTINGS]],
        "invitation_id": [KEYS[SETTINGS]],
        "token_id": [KEYS[SETTINGS]],
        "search_id": [KEYS[SETTINGS]],
        "content_type_id": [1],
        "object_id": [1],
        # Fields of the API and of tools
        "org_id": ["acme", "acme", "org-acme"],
        "workspace": [None, "acme", "org-acme"],
        "project_id": [kit],
        "include_projects": [None, [kit], None],
        "query": [jam, f'"{jam}"', f"repo:{kit} jam owner:{word}-team"],
        "mode": [None, None, "literal"],
        "facets": [None, True, True],
        "symbol": [jam, f"{near}_jam", f"{word}_pot"],
        "file": [None, path, path],
        "files": [[{"path": path}], None],
        "glob": [None, "*.py", f"{word}*"],
        "from": [code, f"{kit}/{word}-7", f"{WHOLE}-7"],
        "to": [f"{WHOLE}-7", f"{code}#{jam}", code],
        "id": [f"{kit}/{word}-7", f"{code}#{jam}", f"{WHOLE}-7"],
        "target_type": ["code", "memory", "knowledge"],
        "type": ["explains", "implements"],
        "kind": [None, "memory"],
        "title": ["Mine"],
        "depth": [None, 2],
        "limit": [None, 20],
        "top_k": [None, 20],
        "min_confidence": [None, "low"],
        "ref": ["refs/heads/main", None, f"release/{word}", f"release/{near}"],
        "commit_sha": ["a" * 40],
        "base_commit": [""],
        "extractor": ["extractor-1"],
        "reason": ["first_index"],
        "batches": [1],
        "stats": [{}],
        "indexed_at": ["2026-11-28T00:00:00Z"],
        "digests": [["a" * 64]],
        "token": ["a.b.c"],
        "purpose": ["index"],
        "owner": [WHOLE],
        "wait": [None, 1],
        "address": ["https://127.0.0.1/hook"],
        "archived": [None, True],
        "enabled": [True],
        # Fields of pages
        "q": ["", jam, f'"{jam}" owner:{word}-team'],
        "name": ["", jam, f"{near}_jam"],
        "lines": [None, None, "all"],
        "state": [None, "failed"],
        "patterns": ["events"],
        "pattern": [f"{SETTINGS}_event"],
    }


# Fields that no request fills: they narrow what is found, or need another request's answer.
UNFILLED: Final = {
    *(
        "after",
        "author",
        "before",
        "caller_projects",
        "chunk_type",
        "cursor",
        "default_branch",
        "doubts",
    ),
    "level",
    *("direct_refused", "encoding", "end_line"),
    *("event", "exclude", "exclude_projects", "expand", "explain", "group_by", "language"),
    *("max_content", "max_tokens", "message", "min_similarity", "new_secret", "own_secret"),
    *("owner_id", "policy", "properties", "queries", "repository_id", "repository_url", "rule"),
    *("run_url", "selection", "severity", "start_line", "status", "types", "urls", "vectors"),
    *("weight", "body", "include", "direction", "symbols", "package", "lags_only"),
    "project_root",
}
PAGE_FIELDS: Final = ("q", "name", "project", "lines", "mode", "state", "ref")
SETTINGS_FIELDS: Final = ("patterns", "pattern")
FORM: Final = {"role": "admin", "name": "x", "expires_days": "7", "scopes": "search"}


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a route, or of `mcp TOOL`. `asked` are texts that an answer may repeat."""

    route: str
    method: str
    address: str
    asked: tuple[str, ...]
    body: bytes = b""
    kind: str = ""  # of the body

    @property
    def is_of_program(self) -> bool:
        """Whether a bearer token authorises it, not a session."""
        return self.route.startswith(("api/", "mcp"))

    @property
    def names_hidden(self) -> bool:
        """Whether its address names something of the hidden repository."""
        path = self.address.partition("?")[0]
        return any(part in path for part in (HIDDEN, str(UUID(int=KEYS[HIDDEN]))))

    def unrepeated(self, text: str) -> str:
        """The text, unescaped, without what was asked for."""
        plain = unquote_plus(unquote_plus(html.unescape(text))).replace('\\"', '"')
        for value in sorted(self.asked, key=len, reverse=True):
            plain = plain.replace(value, "")
        return plain


def routes(patterns: Iterable[Any] | None = None, prefix: str = "") -> Iterator[str]:
    """Every route of the URL map."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        path = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
        else:
            assert isinstance(pattern, URLPattern)
            yield path


def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """What the OpenAPI schema says of each route and method, its body's fields as `body`."""
    schema = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    components = schema["components"]["schemas"]
    found = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                name = content["schema"].get("$ref", "").rpartition("/")[2]
                operation["body"] = (kind, components.get(name, {}).get("properties", {}))
            found[path.removeprefix("/"), method.upper()] = operation
    return found


def requests_of(route: str, operations: Mapping[tuple[str, str], Any]) -> Iterator[Request]:
    """The methods that the schema has, and one that it has not; of pages GET and POST.

    About the hidden repository and about the open one; each request once.
    """
    known = [method for method in METHODS if (_PART.sub(r"{\1}", route), method) in operations]
    others = [method for method in METHODS if method not in known]
    methods = [*known, others[0]] if known else PAGE_METHODS
    found = {}
    for method, word in product(methods, (HIDDEN, OPEN)):
        for values in variants(word):
            request = _request(route, method, operations, values)
            found.setdefault((method, request.address, request.body), request)
    yield from found.values()


def _request(
    route: str, method: str, operations: Mapping[tuple[str, str], Any], values: Mapping[str, Any]
) -> Request:
    address = _plain(route)
    parts = {name: str(_part(route, name, values)) for name in _PART.findall(address)}
    for name, value in parts.items():
        quoted = quote(value, safe="/:@")
        address = re.sub(rf"<(?:\w+:)?{name}>", lambda _, text=quoted: text, address)
    operation = operations.get((_PART.sub(r"{\1}", route), method))
    if operation is None:
        return _of_page(route, method, address, list(parts.values()), values)
    return _of_program(route, method, address, list(parts.values()), operation, values)


def variants(word: str) -> list[dict[str, Any]]:
    """A value for each field, VARIANTS times; then the first again, with other queries."""
    found = [
        {name: options[number % len(options)] for name, options in fields(word).items()}
        for number in range(VARIANTS)
    ]
    frame = f'File "/srv/{word}-kit/{word}_kit/jam.py", line 3, in {word}_jam'
    queries = (frame, f"type:commit {word} boils", f"type:diff {word}", _OF_AUTHOR.format(word))
    return [*found, *({**found[0], "query": query, "q": query} for query in queries)]


def _part(route: str, name: str, values: Mapping[str, Any]) -> object:
    """A part of an address; of the admin the first row of the model."""
    found = re.match(r"admin/(\w+)/(\w+)/<", route)
    if found is None or name not in {"object_id", "id"}:
        return values[name]
    model = apps.get_model(found[1], found[2])
    if model is User:
        return User.objects.get(username=f"{SETTINGS}-person").pk
    row = model._default_manager.order_by("pk").last()
    return getattr(row, "pk", 1)


def _plain(route: str) -> str:
    prefix, _, rest = route.rpartition("admin/")
    for expression, plain in _EXPRESSIONS.items():
        rest = re.sub(expression, plain, rest)
    return f"{prefix}admin/{rest}" if route.startswith("admin/") else route


def _of_page(
    route: str, method: str, address: str, asked: list[str], values: Mapping[str, Any]
) -> Request:
    is_form = method != "GET"
    is_of_settings = "/settings" in route
    names = SETTINGS_FIELDS if is_of_settings else () if is_form else PAGE_FIELDS
    given = filled(names, values) if route.startswith("o/") else {}
    return Request(
        route,
        method,
        f"/{address}" + (f"?{urlencode(given)}" if given else ""),
        (*asked, *_texts(given)),
        urlencode(FORM).encode() if is_form else b"",
        "application/x-www-form-urlencoded" if is_form else "",
    )


def _of_program(
    route: str,
    method: str,
    address: str,
    asked: list[str],
    operation: Mapping[str, Any],
    values: Mapping[str, Any],
) -> Request:
    named = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    query = filled(named, values)
    kind, properties = operation.get("body", ("", {}))
    members = filled(properties, values)
    body = json.dumps(members).encode() if kind == "application/json" else b""
    if kind == "application/x-ndjson":
        body = b"".join(encode_tree(tree_of({"a.py": ""})))
    if kind == "application/gzip":
        body = compress(encode_records([file_record("a.py", "a\n")]))
    return Request(
        route,
        method,
        f"/{address}" + (f"?{urlencode(query, doseq=True)}" if query else ""),
        (*asked, *_texts(query), *_texts(members)),
        body,
        kind,
    )


def filled(names: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: values[name] for name in names if values.get(name) is not None}


def _texts(value: Any) -> tuple[str, ...]:
    """The texts of a value of JSON, and the words of a query."""
    if isinstance(value, dict):
        return tuple(text for one in value.values() for text in _texts(one))
    if isinstance(value, list):
        return tuple(text for one in value for text in _texts(one))
    return (value, *re.findall(r"[\w-]+", value)) if isinstance(value, str) else ()


def mcp_request(route: str, method: str, parameters: Mapping[str, Any]) -> Request:
    """A message to /mcp."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    asked = _texts(parameters.get("arguments"))
    return Request(route, "POST", "/mcp", asked, json.dumps(message).encode(), "application/json")


def requests_of_tools(tools: Iterable[Mapping[str, Any]]) -> Iterator[Request]:
    """Calls of each tool, about the hidden repository and about the open one; each once."""
    found = {}
    for tool, word in product(tools, (HIDDEN, OPEN)):
        for values in variants(word):
            arguments = filled(tool["inputSchema"]["properties"], values)
            call = {"name": tool["name"], "arguments": arguments}
            request = mcp_request(f"mcp {tool['name']}", "tools/call", call)
            found.setdefault(request.body, request)
    yield from found.values()
