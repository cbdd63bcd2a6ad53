"""The old name of `aeterna_code_search.integrations`, for one release."""

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

from aeterna_code_search import integrations


class _OldNames(MetaPathFinder, Loader):
    """Finds the module of today under its old name: a second copy has other classes of errors."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        del path, target
        return spec_from_loader(fullname, self) if fullname.startswith("integrations.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(f"aeterna_code_search.{spec.name}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if spec := module.__spec__:  # the import has set that of the old name
            module.__spec__ = spec.loader_state


warnings.warn(
    "Import aeterna_code_search.integrations. The next release does not have `integrations`.",
    FutureWarning,
    stacklevel=2,
)
sys.meta_path.insert(0, _OldNames())
sys.modules[__name__] = integrations
