"""How well the search finds things, on public repositories that its model was not trained on.

It ranks in this process, without a database. Modules of `central.search` name tables of models,
so Django is set up here, by settings that need nothing from the environment.
"""

import django
from django.conf import settings

if not settings.configured:
    from central.settings import static

    settings.configure(**{name: getattr(static, name) for name in dir(static) if name.isupper()})
    django.setup()
