"""ASGI entry point: what `make serve` and the web container run."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

application = get_asgi_application()
