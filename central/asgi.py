"""ASGI entry point: what `make serve` and the web container run."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
django.setup(set_prefix=False)

from central.admission import admitted_bytes  # noqa: E402
from central.common.handler import ThreadHandler  # noqa: E402

application = ThreadHandler(admitted_bytes=admitted_bytes)
