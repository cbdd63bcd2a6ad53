"""The walk of a request: the modules of the product that its thread passes, in their order.

It is the walk of a reader who follows the request and reads each function once, when it is first
called. A stay is an unbroken series of such functions in one module, a return is a stay in a module
that was left before. Lambdas and comprehensions are read with the function that has them, and the
methods that dataclasses generate are not read: none of these counts.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType

PRODUCT = ("aeterna_code_search.", "central.", "indexer.")
_GENERATED = "<string>"  # the file of a function that dataclasses make


@dataclass
class Walk:
    """What one thread called: the module of each stay."""

    stays: list[str] = field(default_factory=list)

    @property
    def modules(self) -> set[str]:
        return set(self.stays)

    @property
    def returns(self) -> int:
        return len(self.stays) - len(self.modules)

    def __str__(self) -> str:
        stays = "\n".join(f"  {module}" for module in self.stays)
        counts = f"{len(self.modules)} modules, {len(self.stays)} stays, {self.returns} returns"
        return f"{counts}\n{stays}"


@contextmanager
def recorded_walk() -> Iterator[Walk]:
    """Record the walk of what this thread does."""
    walk = Walk()
    called: set[CodeType] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith(PRODUCT) or code in called:
            return
        called.add(code)
        is_read_elsewhere = code.co_name.startswith("<") or code.co_filename == _GENERATED
        if not is_read_elsewhere and walk.stays[-1:] != [module]:
            walk.stays.append(module)

    sys.setprofile(look)
    try:
        yield walk
    finally:
        sys.setprofile(None)
