"""The impact of a branch as a comment on its pull request; `forge.comments` writes it."""

from indexer.forge.comments import marker
from indexer.impact.assessment import Impact
from indexer.impact.job_summary import impact_summary
from indexer.limits import COMMENT_BYTES
from indexer.output.markdown import link


def comment_body(impact: Impact, run_url: str) -> str:
    """Format at most COMMENT_BYTES, with a link to the job.

    Only a pull request with callers gets a first comment. A later commit may have none: the comment
    that is there then says so.
    """
    has_callers = any(one.count for one in impact.answer.symbols)
    head = marker(impact.project, is_new=has_callers)
    commit = impact.range.head[:12]
    foot = f"<sub>Of {commit}, updated by {link('this job', run_url or None)}.</sub>\n"
    left = COMMENT_BYTES - len(f"{head}{foot}".encode())
    return f"{head}{impact_summary(impact, max_bytes=left)}{foot}"
