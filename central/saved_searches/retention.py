"""What of watched searches goes with a repository that is purged, and into an export."""

from typing import Final

from central.maintenance.organization_export import members_of
from central.maintenance.repository_deletion import deletion
from central.saved_searches.models import SavedSearch, WatchedFile, WatchedRepository

DELETIONS: Final = (
    deletion(
        WatchedFile,
        "watched_id IN (SELECT id FROM {watched} WHERE repository_id = %s)",
        watched=WatchedRepository,
    ),
    deletion(WatchedRepository, "repository_id = %s"),
)

export_members = members_of(saved_searches=SavedSearch)
