"""What of alerts goes with a repository that is purged, and into an organisation's export."""

from typing import Final

from central.alerts.models import AlertDestination, RepositoryAlert
from central.maintenance.organization_export import members_of
from central.maintenance.repository_deletion import deletion

DELETIONS: Final = (deletion(RepositoryAlert, "repository_id = %s"),)

export_members = members_of(alert_destinations=AlertDestination, alerts=RepositoryAlert)
