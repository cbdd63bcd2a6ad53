"""Which rule answers which question."""

from typing import Final

from central.trace import free, limits, members, names, paths, untold
from central.trace.inquiry import Rules
from central.trace.questions import (
    Bases,
    Classes,
    Free,
    GivenOn,
    Limit,
    Lineage,
    Members,
    Named,
    Path,
    Reached,
    Untold,
)

RULES: Final[Rules] = {
    Path: paths.follow,
    GivenOn: paths.given_on,
    Limit: limits.met,
    Named: names.named,
    Reached: names.reached,
    Free: free.free,
    Members: members.members,
    Classes: members.classes,
    Bases: members.bases,
    Lineage: members.lineage,
    Untold: untold.untold,
}
