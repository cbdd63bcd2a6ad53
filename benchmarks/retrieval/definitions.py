"""Names of definitions as queries, drawn for repositories whose labels have none."""

import re
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.retrieval.queries import Kind, Query, Target, digest, is_aside
from indexer.records.files import Symbol
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS

PER_REPOSITORY = 8
MIN_LETTERS = 6
_SEED = "retrieval-definitions-1"
_NAME = re.compile(r"[A-Za-z_]\w*[?!]?")


def definition_queries(repository: str, symbols: Mapping[str, Sequence[Symbol]]) -> list[Query]:
    """Return names that one file alone defines, if need be with what encloses them."""
    found = [
        (path, symbol)
        for path, own in symbols.items()
        if not is_aside(path)
        for symbol in own
        if symbol.kind in CLASS_KINDS | FUNCTION_KINDS
        and len(symbol.name) >= MIN_LETTERS
        and _NAME.fullmatch(symbol.name)
    ]
    paths: dict[str, set[str]] = {}
    for path, symbol in found:
        for form in _forms(symbol):
            paths.setdefault(form, set()).add(path)
    by_file: dict[str, Query] = {}
    for path, symbol in sorted(found, key=lambda one: _place_in_draw(repository, *one)):
        own = [form for form in _forms(symbol) if len(paths[form]) == 1]
        if own and path not in by_file:
            form = own[0]
            spans = tuple((s.span.start, s.span.end) for s in symbols[path] if form in _forms(s))
            by_file[path] = Query(repository, form, Kind.SYMBOL, (Target(path, spans, 2),))
            if len(by_file) == PER_REPOSITORY:
                break
    return list(by_file.values())


def _forms(symbol: Symbol) -> Iterator[str]:
    yield symbol.name
    container = re.split(r"\.|::|#", symbol.qualified_name)[:-1]
    if container:
        yield f"{container[-1]}.{symbol.name}"


def _place_in_draw(repository: str, path: str, symbol: Symbol) -> bytes:
    return digest(_SEED, repository, path, symbol.qualified_name)
