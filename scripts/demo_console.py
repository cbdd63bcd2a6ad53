"""How the demo tells what it does, and ends if something is not as promised."""

import sys
from typing import Any

from rich.console import Console

console = Console(width=120, highlight=False)


def heading(text: str) -> None:
    """A step's title."""
    console.print(f"\n[bold]{text}[/bold]")


def expect(fact: str, *, seen: object, wanted: object) -> None:
    """Print the fact with a mark; end the demo if it is not so."""
    if seen != wanted:
        sys.exit(f"  FAILED: {fact}: expected {wanted!r}, got {seen!r}")
    console.print(f"  [green]✓[/green] {fact}")


def show_receipt(receipt: dict[str, Any], verb: str) -> None:
    """How much an answer covers."""
    console.print(
        f"  {len(receipt['projects'])} projects {verb} in {receipt['took_ms']} ms, "
        f"complete: {receipt['complete']}"
    )
