"""What apps add to work of those below them, which may not import them.

An AppConfig names it by dotted paths, in an attribute. They are imported when the work begins, so a
command that does other work starts without them.
"""

from pkgutil import resolve_name
from typing import Any

from django.apps import apps


def added(attribute: str) -> list[Any]:
    """Return the objects that the apps name in `attribute`, in the order of INSTALLED_APPS.

    `collectors`: classes of collectors of metrics.
    `projections`: classes of `central.projections.Projection`. `deletions`: statements that delete
    a repository's rows, made by `central.maintenance.repository_deletion.deletion`, in tuples.
    `exports`: of an organisation, members of its archive as names with lines.
    `policies_not_run`: of a credential, ids of policies by the repository's key.
    """
    configs = apps.get_app_configs()
    return [resolve_name(path) for config in configs for path in getattr(config, attribute, ())]
