"""The old name of `aeterna_code_search.integrations`, for one release."""

import sys
import warnings

from aeterna_code_search import integrations

warnings.warn(
    "Import aeterna_code_search.integrations; the name integrations goes with the next release.",
    FutureWarning,
    stacklevel=2,
)
sys.modules[__name__] = integrations
