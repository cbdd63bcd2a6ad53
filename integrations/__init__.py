"""The old name of `aeterna_code_search.integrations`, for one release."""

import sys
import warnings

from aeterna_code_search import integrations

warnings.warn(
    "Import aeterna_code_search.integrations. The next release does not have `integrations`.",
    FutureWarning,
    stacklevel=2,
)
sys.modules[__name__] = integrations
