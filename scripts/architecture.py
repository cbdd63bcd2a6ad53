"""What docs/explanation/architecture.md counts: `python -m scripts.architecture` writes it again.

`--figures` prints the sizes of the tree instead.
"""

import argparse
import ast
import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCUMENT: Final = ROOT / "docs/explanation/architecture.md"
PRODUCT: Final = ("aeterna_code_search", "central", "indexer")
SMALL_LINES: Final = 40
LONG_LINES: Final = 80
_BLOCK: Final = re.compile(r"(<!-- counted: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_FILLERS: Final = {"one", "item", "entry"}


@dataclass(frozen=True, slots=True)
class Module:
    """A source file of Python: its path below the root, its lines, its parsed text."""

    path: Path
    lines: int
    tree: ast.Module


def modules(directory: str) -> list[Module]:
    """The modules below a directory, without migrations."""
    return [
        Module(path.relative_to(ROOT), text.count("\n"), ast.parse(text))
        for path in sorted((ROOT / directory).rglob("*.py"))
        if "migrations" not in path.parts
        for text in (path.read_text(encoding="utf-8"),)
    ]


def written(document: str) -> str:
    """The document with each of its counted blocks as the tree is now."""
    blocks = {"layers": _layers, "packages": _packages, "allowed": _allowed}
    return _BLOCK.sub(lambda block: f"{block[1]}\n{blocks[block[2]]()}\n{block[3]}", document)


def _layers() -> str:
    """A picture: each package of a layer, above all that it imports."""
    lines = ["```mermaid", "flowchart TB"]
    for name, layers in _contracts_of_layers():
        lines.append(f'  subgraph {name}["{name}/"]')
        ids = []
        for number, layer in enumerate(layers):
            ids.append(f"{name}{number}")
            lines.append(f'    {ids[-1]}["{layer.replace(" | ", " · ")}"]')
        lines += [f"    {' --> '.join(ids)}", "  end"]
    top, central, _ = PRODUCT
    lines += [f"  {top} --> indexer", f"  {central} --> indexer", "  central -- agents --> " + top]
    return "\n".join([*lines, "```"])


def _contracts_of_layers() -> Iterator[tuple[str, Sequence[str]]]:
    for contract in _contracts():
        if contract["type"] == "layers" and contract.get("containers", [""])[0] in PRODUCT:
            yield contract["containers"][0], contract["layers"]


def _contracts() -> list[dict[str, Any]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return contracts


def _packages() -> str:
    """Each package with its size and the first line of its documentation."""
    rows = ["| package | modules | lines | what it is |", "|---|---|---|---|"]
    for product in PRODUCT:
        found = modules(product)
        rows.append(_row(f"**`{product}`**", found, ROOT / product))
        for package in sorted((ROOT / product).glob("*/__init__.py")):
            inner = package.parent.relative_to(ROOT)
            below = [module for module in found if module.path.is_relative_to(inner)]
            rows.append(_row(f"`{inner.name}`", below, package.parent))
    return "\n".join(rows)


def _row(name: str, found: Sequence[Module], package: Path) -> str:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    lines = _rounded(sum(module.lines for module in found))
    first, _, _ = text.partition("\n")
    return f"| {name} | {_rounded(len(found))} | {lines:,} | {first} |"


def _rounded(number: int) -> int:
    """To two digits, so that not each commit changes the document."""
    step = 10 ** max(0, int(math.log10(number or 1)) - 1)
    return int(round(number / step) * step)


def _allowed() -> str:
    """The lists of what one package may import of another."""
    lines = []
    for contract in _contracts():
        targets = [line.split(" -> ") for line in contract.get("ignore_imports", ())]
        if targets:
            allowed = ", ".join(f"`{target}`" for _, target in targets)
            lines.append(f"* {contract['name']}: {allowed}.")
    return "\n".join(lines)


def figures() -> Iterator[tuple[str, int]]:
    """The sizes of the tree, each with its name."""
    product = [module for name in PRODUCT for module in modules(name)]
    for name in PRODUCT:
        yield f"lines of {name}", sum(m.lines for m in product if m.path.parts[0] == name)
    yield "lines of the product", sum(module.lines for module in product)
    yield "lines of tests", sum(module.lines for module in modules("tests"))
    yield "modules of the product", len(product)
    sizes = [module.lines for module in product if module.path.name != "__init__.py"]
    yield f"modules below {SMALL_LINES} lines", sum(lines < SMALL_LINES for lines in sizes)
    nodes = [node for module in product for node in ast.walk(module.tree)]
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    yield "functions", len(functions)
    long = [f for f in functions if (f.end_lineno or 0) - f.lineno >= LONG_LINES]
    yield f"functions of more than {LONG_LINES} lines", len(long)
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    yield "uses of a variable with a filler's name", sum(name in _FILLERS for name in names)
    limits = ast.parse((ROOT / "indexer/limits.py").read_text(encoding="utf-8")).body
    yield "constants of indexer/limits.py", sum(isinstance(node, ast.AnnAssign) for node in limits)


def main() -> None:
    """Write the document, or print figures."""
    parser = argparse.ArgumentParser(prog="python -m scripts.architecture", description=__doc__)
    parser.add_argument("--figures", action="store_true", help="print the sizes of the tree")
    if parser.parse_args().figures:
        print("\n".join(f"{number:8,}  {name}" for name, number in figures()))
    else:
        text = DOCUMENT.read_text(encoding="utf-8")
        DOCUMENT.write_text(written(text), encoding="utf-8")


if __name__ == "__main__":
    main()
