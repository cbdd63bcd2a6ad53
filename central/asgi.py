"""ASGI entry point: what `make serve` and the web container run."""

import os
import re

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402

from central.common.handler import ThreadHandler  # noqa: E402

# Trees and batches are read as streams by views that have limits of their own.
_STREAMED = re.compile(r"/api/v1/index/runs/[^/]+/(?:tree|batches/)")


def body_limit(path: str) -> int:
    """How many bytes a request to `path` may carry."""
    if _STREAMED.match(path):
        largest = max(settings.TREE_MAX_BYTES, settings.BATCH_MAX_BYTES)
        return largest + largest // 100  # what gzip may add to incompressible content
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE


application = ThreadHandler(body_limit=body_limit)
