"""Numbers in sentences."""


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 caller`, `2 callers`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
