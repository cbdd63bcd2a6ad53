"""Defaults of settings that bound input; docs/reference/limits.md has them all."""

from typing import Final

BATCH_FILES: Final = 500  # AETERNA_BATCH_MAX_FILES
REPOSITORIES_OF_ORGANIZATION: Final = 20_000  # AETERNA_REPOSITORIES_MAX
WAITING_BYTES: Final = 32 * 1024**3  # of uploads, as stored; AETERNA_WAITING_MAX_BYTES
READS_AT_ONCE: Final = 14  # the other threads are for runs and webhooks
# Python computes in one thread at a time: more at once would take longer, each and together.
SEARCHES_AT_ONCE: Final = 3  # AETERNA_SEARCHES_AT_ONCE
REMOTE_SEARCHES_AT_ONCE: Final = 12  # the same with a remote embedder, for which they mostly wait
BACKFILL_REPOSITORY_BYTES: Final = 4 * 1024**3  # of a clone; AETERNA_BACKFILL_MAX_BYTES
BACKFILL_REPOSITORY_SECONDS: Final = 3_600  # to clone and index; AETERNA_BACKFILL_SECONDS
BACKFILL_LEASE_SECONDS: Final = 120  # a forge may take so long; AETERNA_BACKFILL_LEASE_SECONDS
BACKFILL_AT_ONCE: Final = 2  # repositories of the whole service; AETERNA_BACKFILL_AT_ONCE
BACKFILL_PER_HOUR: Final = 1_000  # clones of an organisation; AETERNA_BACKFILL_PER_HOUR
